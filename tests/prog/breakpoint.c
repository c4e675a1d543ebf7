// SPDX-License-Identifier: BSD-2-Clause
/* breakpoint - fact: exits with 1 if none of its stores hits a breakpoint of its own. */
#include "breakpoint.h"

#include <stdlib.h>

int main(void)
{
	return stores_that_hit() ? EXIT_SUCCESS : EXIT_FAILURE;
}
