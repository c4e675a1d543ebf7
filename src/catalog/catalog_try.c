// SPDX-License-Identifier: BSD-2-Clause
/* Tries whether events of a catalog open here. */
#include "catalog/catalog_try.h"

#include <errno.h>
#include <unistd.h>

#include "perf/open.h"

enum catalog_state catalog_state_of(int err)
{
	switch (-err) {
	case 0:
		return CATALOG_OPENS;
	case EACCES:
	case EPERM:
	case ENOSYS: /* so do seccomp profiles of containers */
		return CATALOG_NO_PERMISSION;
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
	case EINVAL:
		return CATALOG_NOT_SUPPORTED;
	default:
		return CATALOG_UNKNOWN;
	}
}

enum catalog_state catalog_try(const struct perf_event_attr *attr, pid_t pid, int cpu, int *err)
{
	struct perf_event_attr a = *attr;
	int fd;

	a.disabled = 1;
	fd = perf_open(&a, pid, cpu, -1);
	if (fd >= 0)
		close(fd);
	*err = fd < 0 ? fd : 0;
	return catalog_state_of(*err);
}

enum catalog_state catalog_try_own(const struct perf_event_attr *attr)
{
	struct perf_event_attr a = *attr;
	int err;
	enum catalog_state state = catalog_try(&a, 0, -1, &err);

	if (state != CATALOG_NO_PERMISSION || a.exclude_kernel || perf_counts_kernel_only(&a))
		return state;
	a.exclude_kernel = a.exclude_hv = 1;
	return catalog_try(&a, 0, -1, &err);
}
