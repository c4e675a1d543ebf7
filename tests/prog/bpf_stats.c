// SPDX-License-Identifier: BSD-2-Clause
/*
 * bpf_stats - has the kernel measure what BPF programs take (BPF_ENABLE_STATS, Linux 5.8) until it
 * ends. Unlike kernel.bpf_stats_enabled it is counted: nobody turns it off for another.
 */
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.enable_stats.type = BPF_STATS_RUN_TIME;
	if (syscall(SYS_bpf, BPF_ENABLE_STATS, &attr, sizeof(attr)) < 0) {
		perror("bpf_stats");
		return 1;
	}
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
