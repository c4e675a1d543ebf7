// SPDX-License-Identifier: BSD-2-Clause
/* Checks what a request says of the profile that it wants. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/why.h"
#include "serve/profiler.h"

static int parse_number(const char *text, const char *name, uint32_t max, uint32_t *out,
			struct buf *why)
{
	uint64_t value;

	if (!text)
		return 0;
	if (parse__u64(text, 1, max, &value))
		return why__refuse(why, -EINVAL, "%s is a number from 1 to %u", name, max);
	*out = value;
	return 0;
}

/* "LLC-load-misses", "cycles:u": no path, no function, no address. */
static bool is_name(const char *event)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const char *at = event + strspn(event, letters);

	if (at == event)
		return false;
	at += strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
	if (*at == ':')
		at += 1 + strspn(at + 1, "ukh");
	return !*at && at[-1] != ':';
}

bool profile_wish__is_good(const struct profile_wish *w)
{
	return w->seconds >= 1 && w->seconds <= PROFILE_SECONDS_MAX && w->hz >= 1 &&
	       w->hz <= PROFILE_HZ_MAX && w->pid <= INT32_MAX &&
	       memchr(w->event, '\0', sizeof(w->event)) && (!*w->event || is_name(w->event));
}

int profile_wish__parse(struct profile_wish *out, const char *seconds, const char *rate,
			const char *event, const char *pid, struct buf *why)
{
	int err;

	*out = (struct profile_wish){ .seconds = PROFILE_SECONDS, .hz = PROFILE_HZ };
	err = parse_number(seconds, "seconds", PROFILE_SECONDS_MAX, &out->seconds, why);
	if (!err)
		err = parse_number(rate, "rate", PROFILE_HZ_MAX, &out->hz, why);
	if (!err)
		err = parse_number(pid, "pid", INT32_MAX, &out->pid, why);
	if (err || !event)
		return err;
	if (strlen(event) >= sizeof(out->event) || !is_name(event))
		return why__refuse(why, -EINVAL,
				   "event is the name of one, such as cycles, cycles:u or "
				   "page-faults");
	snprintf(out->event, sizeof(out->event), "%s", event);
	return 0;
}
