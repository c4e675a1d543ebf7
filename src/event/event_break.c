// SPDX-License-Identifier: BSD-2-Clause
/* Breakpoints: "mem:ADDR|SYMBOL[/LEN][:rwx]". Source: include/uapi/linux/hw_breakpoint.h. */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "event/event_parse.h"

/* x86 watches bytes at a multiple of their number, and stores with or without loads. */
#if defined(__x86_64__) || defined(__i386__)
enum { ONLY_ALIGNED = 1, READS_ALONE = 0 };
#else
enum { ONLY_ALIGNED = 0, READS_ALONE = 1 };
#endif

/* Letters in any order, each once. */
static int parse_access(struct event_parser *p, const char *s, size_t len, uint32_t *type)
{
	bool valid = len <= 2;

	*type = 0;
	for (size_t i = 0; i < len; i++) {
		uint32_t bit = s[i] == 'r'   ? HW_BREAKPOINT_R
			       : s[i] == 'w' ? HW_BREAKPOINT_W
					     : HW_BREAKPOINT_X;

		valid = valid && !(*type & bit);
		*type |= bit;
	}
	event__at(p, s, len);
	if (!valid || (*type & HW_BREAKPOINT_X && *type != HW_BREAKPOINT_X))
		return event__refuse(p, -EINVAL, "mem: ':%.*s' is no access; it is one of r w rw x",
				     (int)len, s);
	if (*type == HW_BREAKPOINT_R && !READS_ALONE)
		return event__refuse(p, -EINVAL,
				     "mem: this CPU cannot watch reads alone; write :rw");
	return 0;
}

/* @used: bytes of the address; if it @is_all, modifiers may follow the digits of a number. */
static int parse_address(struct event_parser *p, const char *s, size_t len, bool is_all,
			 uint64_t *addr, size_t *used)
{
	size_t number = event__number_len(s, len);
	bool is_number = len && s[0] >= '0' && s[0] <= '9';
	char text[256];

	event__at(p, s, len);
	if (!len || len >= sizeof(text))
		return event__refuse(p, -EINVAL,
				     "write mem:0xADDRESS or mem:SYMBOL, then /LEN and :rwx");
	*used = is_number && is_all && event__is_modifiers(s + number, len - number) ? number : len;
	snprintf(text, sizeof(text), "%.*s", (int)*used, s);
	if (!parse__u64(text, 0, UINT64_MAX, addr))
		return 0;
	if (is_number)
		return event__refuse(p, -EINVAL, "mem: '%s' is no address", text);
	if (!p->env->kernel_address)
		return event__refuse(p, -EINVAL,
				     "mem:%s: symbols are not looked up here; write its address",
				     text);
	return event__unknown_is_invalid(p->env->kernel_address(text, addr, p->why));
}

/* Bytes watched. ARM64 watches any part of eight bytes. */
static int parse_len(struct event_parser *p, const char *s, size_t len, uint64_t *bytes)
{
	*bytes = len == 1 ? *s - '0' : 0;
	if (*bytes == 1 || *bytes == 2 || *bytes == 4 || *bytes == 8)
		return 0;
#ifdef __aarch64__
	if (*bytes >= 1 && *bytes <= 8)
		return 0;
#endif
	event__at(p, s, len);
	return event__refuse(p, -EINVAL, "mem: '/%.*s' is no length; it is one of 1 2 4 8",
			     (int)len, s);
}

static int add(struct event_parser *p, const char *text, size_t len,
	       const struct perf_event_attr *attr)
{
	uint64_t aligned = attr->bp_addr & -attr->bp_addr;
	struct perf_event_spec *ev;
	int err;

	if (ONLY_ALIGNED && attr->bp_type != HW_BREAKPOINT_X && attr->bp_addr % attr->bp_len) {
		event__at(p, text, len);
		return event__refuse(p, -EINVAL,
				     "mem: 0x%llx is no multiple of %llu, and this CPU watches "
				     "only aligned bytes; write /%llu",
				     (unsigned long long)attr->bp_addr,
				     (unsigned long long)attr->bp_len, (unsigned long long)aligned);
	}
	err = event__add(p, text, len);
	if (err)
		return err;
	ev = event__last(p);
	ev->attr.type = PERF_TYPE_BREAKPOINT;
	ev->attr.bp_type = attr->bp_type;
	ev->attr.bp_addr = attr->bp_addr;
	ev->attr.bp_len = attr->bp_len;
	return 0;
}

int event__breakpoint(struct event_parser *p, const char *text, size_t len, size_t *used)
{
	const char *s = text + strlen("mem:"), *end = text + len;
	uint32_t type = HW_BREAKPOINT_RW;
	uint64_t addr, bytes = 0;
	size_t n = 0;
	int err;

	while (s + n < end && s[n] != '/' && s[n] != ':')
		n++;
	err = parse_address(p, s, n, s + n == end, &addr, &n);
	s += err ? 0 : n;
	if (!err && s < end && *s == '/') {
		s++;
		n = strspn(s, "0123456789");
		err = parse_len(p, s, n, &bytes);
		s += n;
	}
	if (!err && s + 1 < end && *s == ':' && strchr("rwx", s[1])) {
		s++;
		n = strspn(s, "rwx");
		err = parse_access(p, s, n, &type);
		s += n;
	}
	if (err)
		return err;
	*used = s - text;
	event__at(p, text, *used);
	if (type == HW_BREAKPOINT_X && bytes && bytes != sizeof(long))
		return event__refuse(p, -EINVAL, "mem: to break where code runs, leave out '/%d'",
				     (int)bytes);
	if (!bytes)
		bytes = type == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	return add(p, text, *used,
		   &(struct perf_event_attr){ .bp_type = type, .bp_addr = addr, .bp_len = bytes });
}
