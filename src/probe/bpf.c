// SPDX-License-Identifier: BSD-2-Clause
#include "probe/bpf.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "perf/open.h"

static int __attribute__((format(printf, 2, 0)))
to_debug(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	char text[16384];
	size_t len;

	if (level > LIBBPF_WARN)
		return 0;
	vsnprintf(text, sizeof(text), fmt, ap);
	len = strlen(text);
	if (len && text[len - 1] == '\n')
		text[len - 1] = '\0';
	log__debug("%s", text);
	return 0;
}

void bpf__log_debug(void)
{
	libbpf_set_print(to_debug);
}

int bpf__explain_load(struct buf *why, int err)
{
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return buf__puts(why, "this kernel has no BTF (/sys/kernel/btf/vmlinux): it needs "
				      "CONFIG_DEBUG_INFO_BTF=y");
	/* Without the capability loading is EPERM; EACCES and EINVAL are the verifier's. */
	if ((err == -EPERM || err == -EACCES) && geteuid())
		return buf__puts(why, "BPF needs root, or CAP_BPF and CAP_PERFMON: try sudo");
	switch (-err) {
	case EPERM:
		return buf__puts(why,
				 "the kernel refuses BPF programs: a container without CAP_BPF "
				 "and CAP_PERFMON, or lockdown=confidentiality "
				 "(/sys/kernel/security/lockdown)");
	case EACCES:
	case EINVAL:
		return buf__puts(why, "this kernel's verifier refuses the programs (-v shows why): "
				      "please report it with the output of uname -r");
	case ENOMEM:
		return buf__puts(why, "not enough memory for the BPF maps: try a smaller --stacks");
	default:
		return buf__printf(why, "cannot load the BPF programs: %s (-v shows more)",
				   strerror(-err));
	}
}
