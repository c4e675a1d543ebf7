// SPDX-License-Identifier: BSD-2-Clause
/* Gives up descriptors, user, capabilities, memory and system calls, in that order. */
#include "jail/cage.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#else
#error "which architecture does seccomp(2) call this?"
#endif

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0 /* an address sanitizer reserves terabytes, and tells of errors */
#endif

static void close_from(unsigned from)
{
	const long max = sysconf(_SC_OPEN_MAX);

#ifdef SYS_close_range /* Linux 5.9 */
	if (!syscall(SYS_close_range, from, ~0u, 0u))
		return;
#endif
	for (long fd = from; fd < (max > 0 ? max : 1024); fd++)
		close((int)fd);
}

int cage__close_files(int third, int fourth)
{
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int high = -1;

	if (null < 0)
		return -errno;
	for (int fd = 0; fd <= (IS_SANITIZED ? 1 : 2); fd++)
		if (dup2(null, fd) < 0)
			return -errno;
	if (fourth >= 0 && (high = fcntl(fourth, F_DUPFD_CLOEXEC, 5)) < 0)
		return -errno;
	if (third != 3 && dup3(third, 3, O_CLOEXEC) < 0)
		return -errno;
	if (fourth >= 0 && dup3(high, 4, O_CLOEXEC) < 0)
		return -errno;
	close_from(fourth >= 0 ? 5 : 4);
	return 0;
}

static int drop_user(void)
{
	if (geteuid())
		return 0;
	if (setgroups(0, NULL) || setresgid(CAGE_UID, CAGE_UID, CAGE_UID) ||
	    setresuid(CAGE_UID, CAGE_UID, CAGE_UID))
		return -errno;
	return 0;
}

static int drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};

	/* An ambient set goes with the permitted one (capabilities(7)). */
	return syscall(SYS_capset, &header, none) ? -errno : 0;
}

/* What of this process's memory can be written. */
static unsigned long long data_bytes(void)
{
	unsigned long long kilobytes = 0;
	char line[128];
	FILE *f = fopen("/proc/self/status", "re");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmData: %llu", &kilobytes) == 1)
			break;
	if (f)
		(void)fclose(f);
	return kilobytes * 1024;
}

static int limit(int what, unsigned long long value)
{
	const struct rlimit r = { value, value };

	return setrlimit(what, &r) ? -errno : 0;
}

int cage__limit_memory(uint64_t bytes)
{
	return IS_SANITIZED ? 0 : limit(RLIMIT_DATA, data_bytes() + bytes);
}

static int set_limits(uint64_t max_bytes)
{
	int err;

	(void)signal(SIGXFSZ, SIG_IGN); /* write(2) says it */
	err = limit(RLIMIT_FSIZE, CAGE_FILE_BYTES);
	if (!err)
		err = limit(RLIMIT_NOFILE, CAGE_FILES);
	return err ? err : cage__limit_memory(max_bytes);
}

static const int allowed[] = {
	/* Messages, and the files that come with them. */
	SYS_recvmsg,
	SYS_sendmsg,
	SYS_read,
	SYS_pread64,
	SYS_lseek,
	SYS_fstat,
	SYS_fcntl,
	SYS_dup,
	SYS_close,
#ifdef SYS_newfstatat
	SYS_newfstatat, /* fstat(3) of newer C libraries: a name would have to be opened for more */
#endif
	/* Answers that are too long for a message, to the file that is there for them. */
	SYS_ftruncate,
	SYS_write,
	SYS_pwrite64,
	/* Memory; none of it can be run: see below. */
	SYS_brk,
	SYS_mmap,
	SYS_munmap,
	SYS_mremap,
	SYS_mprotect,
	SYS_madvise,
	/* The C library's own. */
	SYS_futex,
	SYS_getrandom,
	SYS_clock_gettime,
	SYS_rt_sigreturn,
	SYS_rt_sigprocmask,
	SYS_restart_syscall,
	SYS_getpid,
	SYS_getuid,
	SYS_geteuid,
	SYS_gettid,
	SYS_tgkill, /* abort(3); of its own user there may be others, which have no business here */
	SYS_exit,
	SYS_exit_group,
#if IS_SANITIZED
	SYS_sigaltstack,
	SYS_sched_yield,
	SYS_getrusage,
#endif
};

/* tgkill(2) only at itself; no memory that can be run. Offsets are those of the low halves. */
#define ARG(i) (offsetof(struct seccomp_data, args) + (i)*8)

enum { FILTER_FRONT = 4 };

/* Of a filter: other architectures end the process; then the call's number is at hand. */
static size_t put_front(struct sock_filter *f)
{
	const struct sock_filter front[FILTER_FRONT] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};

	memcpy(f, front, sizeof(front));
	return FILTER_FRONT;
}

static int filter_calls(void)
{
	enum { EACH = 2, TAIL = 1 };
	struct sock_filter f[FILTER_FRONT + EACH * ARRAY_SIZE(allowed) + 16 + TAIL];
	struct sock_fprog prog = { .filter = f };
	const unsigned refuse = SECCOMP_RET_ERRNO | EPERM;
	size_t n = put_front(f);

	for (int i = 0; i < 2; i++) {
		/* mmap(2) and mprotect(2): the third argument is what may be done with it. */
		f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
						      i ? SYS_mprotect : SYS_mmap, 0, 4);
		f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARG(2));
		f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1);
		f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, refuse);
		f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 4);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARG(0));
	f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)getpid(), 1, 0);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, refuse);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++) {
		f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i], 0, 1);
		f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, refuse);
	prog.len = n;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) ? -errno : 0;
}

static const int refused[] = {
	SYS_execve,
	SYS_execveat,
	SYS_ptrace,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_bpf,
	SYS_perf_event_open,
	SYS_userfaultfd,
	SYS_io_uring_setup,
	SYS_open_by_handle_at,
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_chroot,
	SYS_unshare,
	SYS_setns,
	SYS_keyctl,
	SYS_add_key,
	SYS_request_key,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_kexec_load,
	SYS_kexec_file_load,
};

/* On x86-64 numbers from here on are those of x32, another set of calls that looks the same. */
#define X32_BIT 0x40000000u

int cage__refuse_calls(void)
{
	enum { X32 = 2, EACH = 2, TAIL = 1 };
	struct sock_filter f[FILTER_FRONT + X32 + EACH * ARRAY_SIZE(refused) + TAIL];
	struct sock_fprog prog = { .filter = f };
	const unsigned refuse = SECCOMP_RET_ERRNO | EPERM;
	size_t n = put_front(f);

	f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, refuse);
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[i], 0, 1);
		f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, refuse);
	}
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	prog.len = n;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) ? -errno : 0;
}

int cage__be_nobody(void)
{
	int err;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	err = drop_user();
	if (!err)
		err = drop_capabilities();
	/* Last: a change of user or capabilities takes back what was set before it (prctl(2)). */
	if (!err &&
	    (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) || prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)))
		err = -errno;
	return err ? err : limit(RLIMIT_CORE, 0);
}

int cage__enter(uint64_t max_bytes)
{
	int err = cage__be_nobody();

	if (!err)
		err = set_limits(max_bytes);
	return err ? err : filter_calls();
}
