// SPDX-License-Identifier: BSD-2-Clause
/* The table of system call numbers, of x86_64 or arm64, and the search in it. */
#include "event/syscalls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A number, and the names that follow each other from it on. */
#if defined(__x86_64__)
static const char own[] =
	"0 read write open close newstat newfstat newlstat poll lseek mmap mprotect munmap "
	"12 brk rt_sigaction rt_sigprocmask rt_sigreturn ioctl pread64 pwrite64 readv writev "
	"21 access pipe select sched_yield mremap msync mincore madvise shmget shmat shmctl "
	"32 dup dup2 pause nanosleep getitimer alarm setitimer getpid sendfile64 socket "
	"42 connect accept sendto recvfrom sendmsg recvmsg shutdown bind listen getsockname "
	"52 getpeername socketpair setsockopt getsockopt clone fork vfork execve exit wait4 "
	"62 kill newuname semget semop semctl shmdt msgget msgsnd msgrcv msgctl fcntl flock "
	"74 fsync fdatasync truncate ftruncate getdents getcwd chdir fchdir rename mkdir "
	"84 rmdir creat link unlink symlink readlink chmod fchmod chown fchown lchown umask "
	"96 gettimeofday getrlimit getrusage sysinfo times ptrace getuid syslog getgid setuid "
	"106 setgid geteuid getegid setpgid getppid getpgrp setsid setreuid setregid "
	"115 getgroups setgroups setresuid getresuid setresgid getresgid getpgid setfsuid "
	"123 setfsgid getsid capget capset rt_sigpending rt_sigtimedwait rt_sigqueueinfo "
	"130 rt_sigsuspend sigaltstack utime mknod uselib personality ustat statfs fstatfs "
	"139 sysfs getpriority setpriority sched_setparam sched_getparam sched_setscheduler "
	"145 sched_getscheduler sched_get_priority_max sched_get_priority_min "
	"148 sched_rr_get_interval mlock munlock mlockall munlockall vhangup modify_ldt "
	"155 pivot_root "
	"157 prctl arch_prctl adjtimex setrlimit chroot sync acct settimeofday mount umount "
	"167 swapon swapoff reboot sethostname setdomainname iopl ioperm "
	"175 init_module delete_module "
	"179 quotactl "
	"186 gettid readahead setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr "
	"194 listxattr llistxattr flistxattr removexattr lremovexattr fremovexattr tkill time "
	"202 futex sched_setaffinity sched_getaffinity "
	"206 io_setup io_destroy io_getevents io_submit io_cancel "
	"212 lookup_dcookie epoll_create "
	"216 remap_file_pages getdents64 set_tid_address restart_syscall semtimedop fadvise64 "
	"222 timer_create timer_settime timer_gettime timer_getoverrun timer_delete "
	"227 clock_settime clock_gettime clock_getres clock_nanosleep exit_group epoll_wait "
	"233 epoll_ctl tgkill utimes "
	"237 mbind set_mempolicy get_mempolicy mq_open mq_unlink mq_timedsend mq_timedreceive "
	"244 mq_notify mq_getsetattr kexec_load waitid add_key request_key keyctl ioprio_set "
	"252 ioprio_get inotify_init inotify_add_watch inotify_rm_watch migrate_pages openat "
	"258 mkdirat mknodat fchownat futimesat newfstatat unlinkat renameat linkat symlinkat "
	"267 readlinkat fchmodat faccessat pselect6 ppoll unshare set_robust_list "
	"274 get_robust_list splice tee sync_file_range vmsplice move_pages utimensat "
	"281 epoll_pwait signalfd timerfd_create eventfd fallocate timerfd_settime "
	"287 timerfd_gettime accept4 signalfd4 eventfd2 epoll_create1 dup3 pipe2 "
	"294 inotify_init1 preadv pwritev rt_tgsigqueueinfo perf_event_open recvmmsg "
	"300 fanotify_init fanotify_mark prlimit64 name_to_handle_at open_by_handle_at "
	"305 clock_adjtime syncfs sendmmsg setns getcpu process_vm_readv process_vm_writev "
	"312 kcmp finit_module sched_setattr sched_getattr renameat2 seccomp getrandom "
	"319 memfd_create kexec_file_load bpf execveat userfaultfd membarrier mlock2 "
	"326 copy_file_range preadv2 pwritev2 pkey_mprotect pkey_alloc pkey_free statx "
	"333 io_pgetevents rseq uretprobe uprobe";
#elif defined(__aarch64__)
static const char own[] =
	"0 io_setup io_destroy io_submit io_cancel io_getevents setxattr lsetxattr fsetxattr "
	"8 getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr removexattr "
	"15 lremovexattr fremovexattr getcwd lookup_dcookie eventfd2 epoll_create1 epoll_ctl "
	"22 epoll_pwait dup dup3 fcntl inotify_init1 inotify_add_watch inotify_rm_watch ioctl "
	"30 ioprio_set ioprio_get flock mknodat mkdirat unlinkat symlinkat linkat renameat "
	"39 umount mount pivot_root "
	"43 statfs fstatfs truncate ftruncate fallocate faccessat chdir fchdir chroot fchmod "
	"53 fchmodat fchownat fchown openat close vhangup pipe2 quotactl getdents64 lseek "
	"63 read write readv writev pread64 pwrite64 preadv pwritev sendfile64 pselect6 ppoll "
	"74 signalfd4 vmsplice splice tee readlinkat newfstatat newfstat sync fsync fdatasync "
	"84 sync_file_range timerfd_create timerfd_settime timerfd_gettime utimensat acct "
	"90 capget capset arm64_personality exit exit_group waitid set_tid_address unshare "
	"98 futex set_robust_list get_robust_list nanosleep getitimer setitimer kexec_load "
	"105 init_module delete_module timer_create timer_gettime timer_getoverrun "
	"110 timer_settime timer_delete clock_settime clock_gettime clock_getres "
	"115 clock_nanosleep syslog ptrace sched_setparam sched_setscheduler "
	"120 sched_getscheduler sched_getparam sched_setaffinity sched_getaffinity "
	"124 sched_yield sched_get_priority_max sched_get_priority_min sched_rr_get_interval "
	"128 restart_syscall kill tkill tgkill sigaltstack rt_sigsuspend rt_sigaction "
	"135 rt_sigprocmask rt_sigpending rt_sigtimedwait rt_sigqueueinfo rt_sigreturn "
	"140 setpriority getpriority reboot setregid setgid setreuid setuid setresuid "
	"148 getresuid setresgid getresgid setfsuid setfsgid times setpgid getpgid getsid "
	"157 setsid getgroups setgroups newuname sethostname setdomainname getrlimit "
	"164 setrlimit getrusage umask prctl getcpu gettimeofday settimeofday adjtimex getpid "
	"173 getppid getuid geteuid getgid getegid gettid sysinfo mq_open mq_unlink "
	"182 mq_timedsend mq_timedreceive mq_notify mq_getsetattr msgget msgctl msgrcv msgsnd "
	"190 semget semctl semtimedop semop shmget shmctl shmat shmdt socket socketpair bind "
	"201 listen accept connect getsockname getpeername sendto recvfrom setsockopt "
	"209 getsockopt shutdown sendmsg recvmsg readahead brk munmap mremap add_key "
	"218 request_key keyctl clone execve mmap fadvise64_64 swapon swapoff mprotect msync "
	"228 mlock munlock mlockall munlockall mincore madvise remap_file_pages mbind "
	"236 get_mempolicy set_mempolicy migrate_pages move_pages rt_tgsigqueueinfo "
	"241 perf_event_open accept4 recvmmsg arch_specific_syscall "
	"260 wait4 prlimit64 fanotify_init fanotify_mark name_to_handle_at open_by_handle_at "
	"266 clock_adjtime syncfs setns sendmmsg process_vm_readv process_vm_writev kcmp "
	"273 finit_module sched_setattr sched_getattr renameat2 seccomp getrandom "
	"279 memfd_create bpf execveat userfaultfd membarrier mlock2 copy_file_range preadv2 "
	"287 pwritev2 pkey_mprotect pkey_alloc pkey_free statx io_pgetevents rseq "
	"294 kexec_file_load";
#else
static const char own[] = "";
#endif

/* Of all architectures. */
static const char common[] =
	"424 pidfd_send_signal io_uring_setup io_uring_enter io_uring_register open_tree "
	"429 move_mount fsopen fsconfig fsmount fspick pidfd_open clone3 close_range openat2 "
	"438 pidfd_getfd faccessat2 process_madvise epoll_pwait2 mount_setattr quotactl_fd "
	"444 landlock_create_ruleset landlock_add_rule landlock_restrict_self memfd_secret "
	"448 process_mrelease futex_waitv set_mempolicy_home_node cachestat fchmodat2 "
	"453 map_shadow_stack futex_wake futex_wait futex_requeue statmount listmount "
	"459 lsm_get_self_attr lsm_set_self_attr lsm_list_modules mseal setxattrat getxattrat "
	"465 listxattrat removexattrat open_tree_attr file_getattr file_setattr";

static int find(const char *list, const char *name)
{
	size_t len = strlen(name);
	long number = 0;
	char *end;

	while (*list) {
		size_t n = strcspn(list, " ");

		if (*list >= '0' && *list <= '9') {
			number = strtol(list, &end, 10);
		} else if (n == len && !memcmp(list, name, n)) {
			return (int)number;
		} else {
			number++;
		}
		list += n;
		list += *list == ' ';
	}
	return -ENOENT;
}

int syscall__number(const char *name)
{
	int number = find(own, name);

	return number < 0 ? find(common, name) : number;
}
