// SPDX-License-Identifier: BSD-2-Clause
/* Drops capabilities of the calling thread by capset(2) and prctl(2). */
#include "base/privileges.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"

enum { WORDS = _LINUX_CAPABILITY_U32S_3, CAPS = 64, ADMINS_LEVEL = 2 };

/* Whatever asks for one of these takes CAP_SYS_ADMIN, too: include/linux/capability.h. */
#define ADMINS                                                                                     \
	(PRIVILEGE(CAP_BPF) | PRIVILEGE(CAP_PERFMON) | PRIVILEGE(CAP_SYSLOG) |                     \
	 PRIVILEGE(CAP_CHECKPOINT_RESTORE))

static const char *const names[] = {
	[CAP_CHOWN] = "cap_chown",
	[CAP_DAC_OVERRIDE] = "cap_dac_override",
	[CAP_DAC_READ_SEARCH] = "cap_dac_read_search",
	[CAP_FOWNER] = "cap_fowner",
	[CAP_SETGID] = "cap_setgid",
	[CAP_SETUID] = "cap_setuid",
	[CAP_KILL] = "cap_kill",
	[CAP_IPC_LOCK] = "cap_ipc_lock",
	[CAP_SYS_PTRACE] = "cap_sys_ptrace",
	[CAP_SYS_ADMIN] = "cap_sys_admin",
	[CAP_SYS_RESOURCE] = "cap_sys_resource",
	[CAP_SYSLOG] = "cap_syslog",
	[CAP_PERFMON] = "cap_perfmon",
	[CAP_BPF] = "cap_bpf",
	[CAP_CHECKPOINT_RESTORE] = "cap_checkpoint_restore",
};

uint64_t privileges__with_level(uint64_t set, long paranoid)
{
	return paranoid > ADMINS_LEVEL ? set | PRIVILEGE(CAP_SYS_ADMIN) : set;
}

uint64_t privileges__of(uint64_t permitted, uint64_t wanted)
{
	if (wanted & ~permitted & ADMINS)
		wanted |= PRIVILEGE(CAP_SYS_ADMIN);
	return wanted & permitted;
}

int privileges__name(struct buf *out, uint64_t set)
{
	const char *blank = "";
	int err = 0;

	for (unsigned cap = 0; cap < CAPS && !err; cap++) {
		if (!(set >> cap & 1))
			continue;
		if (cap < ARRAY_SIZE(names) && names[cap])
			err = buf__printf(out, "%s%s", blank, names[cap]);
		else
			err = buf__printf(out, "%s%u", blank, cap);
		blank = " ";
	}
	return err;
}

/* PR_CAPBSET_READ fails for capabilities that the kernel does not have. */
static void shrink_bounding(uint64_t kept)
{
	for (unsigned cap = 0; cap < CAPS; cap++) {
		if (kept >> cap & 1 || prctl(PR_CAPBSET_READ, cap, 0, 0, 0) != 1)
			continue;
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0)) {
			log__debug("the bounding set of capabilities stays as it is: %s",
				   strerror(errno));
			return;
		}
	}
}

static void shrink(struct __user_cap_data_struct *word, uint32_t kept)
{
	word->effective &= kept;
	word->permitted &= kept;
	word->inheritable &= kept;
}

void privileges__keep(uint64_t wanted)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct words[WORDS] = {};
	uint64_t kept;

	if (syscall(SYS_capget, &header, words)) {
		log__debug("capabilities cannot be dropped: %s", strerror(errno));
		return;
	}
	kept = privileges__of((uint64_t)words[1].permitted << 32 | words[0].permitted, wanted);
	shrink_bounding(kept); /* first: it takes CAP_SETPCAP */
	shrink(&words[0], kept);
	shrink(&words[1], kept >> 32);
	/* The kernel takes out of the ambient set what is not permitted or inheritable. */
	if (syscall(SYS_capset, &header, words))
		log__debug("capabilities cannot be dropped: %s", strerror(errno));
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		log__debug("no_new_privs cannot be set: %s", strerror(errno));
}
