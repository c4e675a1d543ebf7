// SPDX-License-Identifier: BSD-2-Clause
/*
 * alone - stacks of one frame: it spins where the kernel has begun it, in code whose rule says that
 * nobody called it. Without a C library. Until it is killed.
 */
void _start(void)
{
#if defined(__x86_64__)
	__asm__ volatile(".cfi_undefined rip");
#else
	__asm__ volatile(".cfi_undefined x30");
#endif
	for (;;)
		__asm__ volatile("");
}
