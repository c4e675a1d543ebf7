// SPDX-License-Identifier: BSD-2-Clause
/* sites - 1,000 functions to attach to: site_0, site_1, ..; does nothing. */

#if defined(__x86_64__)
#define BODY "push %rbp\n\tpop %rbp\n\tret"
#else
#define BODY "nop\n\tret"
#endif

__asm__(".text\n.altmacro\n"
	".macro site n\n"
	"\t.globl site_\\n\n\t.type site_\\n, %function\n"
	"site_\\n:\n\t" BODY "\n\t.size site_\\n, .-site_\\n\n"
	".endm\n"
	".set nr, 0\n"
	".rept 1000\n\tsite %nr\n\t.set nr, nr + 1\n.endr\n");

int main(void)
{
	return 0;
}
