/* SPDX-License-Identifier: BSD-2-Clause */
/* How many descriptors a test has open: what opens some has to close them. Behind cmocka.h. */
#ifndef TESTS_UNIT_DESCRIPTORS_H
#define TESTS_UNIT_DESCRIPTORS_H

#include <dirent.h>

/* A few too many, which are the same each time: of the directory itself. */
static unsigned nr_open(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

#endif
