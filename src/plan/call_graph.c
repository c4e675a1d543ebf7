// SPDX-License-Identifier: BSD-2-Clause
#include "plan/call_graph.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "base/log.h"
#include "base/why.h"

bool call_graph__may_stop_kernel(const char *release, const char *version)
{
	static const char debian[] = " Debian ";
	unsigned major, minor, patch = 0;
	struct utsname name;

	if (!release) {
		if (uname(&name))
			return false;
		release = name.release;
		version = name.version;
	}
	if (version && strstr(version, debian))
		release = strstr(version, debian) + strlen(debian);
	if (sscanf(release, "%u.%u.%u", &major, &minor, &patch) < 2)
		return false;
	if (major == 5)
		return minor >= 19;
	if (major != 6)
		return false;
	switch (minor) {
	case 0:
	case 2:
		return true;
	case 1:
		return patch < 36;
	case 3:
		return patch < 10;
	default:
		return false;
	}
}

/* Where little may be mapped, little of it is for rules. */
static uint64_t default_bytes(void)
{
	enum { PART = 16 };
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur / PART > CALL_GRAPH_BYTES)
		return CALL_GRAPH_BYTES;
	return limit.rlim_cur / PART;
}

int call_graph__choose(const struct call_graph_opts *opts, struct call_graph *out, struct buf *why)
{
	const char *way = opts->way;

	*out = (struct call_graph){ .user = true };
	if (way && !strcmp(way, "none")) {
		out->user = false;
		return 0;
	}
	if (way && !strcmp(way, "fp"))
		return 0;
	if (way && strcmp(way, "eh"))
		return why__refuse(why, -EINVAL, "--call-graph: '%s': write eh, fp or none", way);
	if (!opts->force && call_graph__may_stop_kernel(NULL, NULL)) {
		if (way)
			return why__refuse(
				why, -EOPNOTSUPP,
				"--call-graph eh: reading user memory in an NMI may stop "
				"this kernel (mended in 6.1.36, 6.3.10 and 6.4): use "
				"--call-graph fp, or --force");
		log__notice("stacks by frame pointer: rules of .eh_frame may stop this kernel "
			    "(mended in 6.1.36, 6.3.10 and 6.4; --force)");
		return 0;
	}
	out->unwind_bytes = opts->bytes ? opts->bytes : default_bytes();
	return 0;
}
