// SPDX-License-Identifier: BSD-2-Clause
/* Breakpoints: "mem:ADDR|SYMBOL[/LEN][:rwx]". Source: include/uapi/linux/hw_breakpoint.h. */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "perf/event_parse.h"

static int parse_access(const char *s, size_t len, uint32_t *type)
{
	static const struct {
		const char *text;
		uint32_t type;
	} known[] = {
		{ "r", HW_BREAKPOINT_R },   { "w", HW_BREAKPOINT_W }, { "rw", HW_BREAKPOINT_RW },
		{ "wr", HW_BREAKPOINT_RW }, { "x", HW_BREAKPOINT_X },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (strlen(known[i].text) == len && !strncmp(known[i].text, s, len)) {
			*type = known[i].type;
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_address(struct event_parser *p, const char *s, size_t len, uint64_t *addr)
{
	char text[256];

	if (!len || len >= sizeof(text))
		return event__refuse(p, -EINVAL,
				     "mem: write mem:0xADDRESS or mem:SYMBOL, then /LEN and :rwx");
	snprintf(text, sizeof(text), "%.*s", (int)len, s);
	if (!parse__u64(text, 0, UINT64_MAX, addr))
		return 0;
	if (text[0] >= '0' && text[0] <= '9')
		return event__refuse(p, -EINVAL, "mem: '%s' is no address", text);
	if (!p->env->kernel_address)
		return event__refuse(p, -EINVAL,
				     "mem:%s: symbols are not looked up here; write its address",
				     text);
	return event__unknown_is_invalid(p->env->kernel_address(text, addr, p->why));
}

/* Bytes watched: what the hardware can do is a matter of the kernel. */
static int parse_len(struct event_parser *p, const char *s, size_t len, uint64_t *bytes)
{
	if (len == 1 && *s >= '1' && *s <= '8') {
		*bytes = *s - '0';
		return 0;
	}
	return event__refuse(p, -EINVAL, "mem: '/%.*s' is no length of 1 to 8 bytes", (int)len, s);
}

int event__breakpoint(struct event_parser *p, const char *text, size_t len, size_t *used)
{
	const char *s = text + strlen("mem:"), *end = text + len, *slash, *colon;
	uint32_t type = HW_BREAKPOINT_RW;
	uint64_t addr, bytes = 0;
	struct perf_event_spec *ev;
	int err;

	colon = memchr(s, ':', end - s);
	if (!colon)
		colon = end;
	slash = memchr(s, '/', colon - s);
	err = parse_address(p, s, (slash ? slash : colon) - s, &addr);
	if (!err && slash)
		err = parse_len(p, slash + 1, colon - slash - 1, &bytes);
	if (err)
		return err;
	*used = colon - text;
	if (colon < end) {
		size_t n = strcspn(colon + 1, ":,}@");

		if (!parse_access(colon + 1, n, &type))
			*used += n + 1;
		else if (strspn(colon + 1, "rwx"))
			return event__refuse(p, -EINVAL,
					     "mem: ':%.*s' is no access; it is one of r w rw x",
					     (int)n, colon + 1);
	}
	if (type == HW_BREAKPOINT_X && slash && bytes != sizeof(long))
		return event__refuse(p, -EINVAL, "mem: to break where code runs, leave out '/%d'",
				     (int)bytes);
	err = event__add(p, text, *used);
	if (err)
		return err;
	ev = event__last(p);
	ev->attr.type = PERF_TYPE_BREAKPOINT;
	ev->attr.bp_type = type;
	ev->attr.bp_addr = addr;
	ev->attr.bp_len = type == HW_BREAKPOINT_X ? sizeof(long)
			  : bytes		  ? bytes
						  : HW_BREAKPOINT_LEN_4;
	return 0;
}
