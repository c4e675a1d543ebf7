// SPDX-License-Identifier: BSD-2-Clause
/* Writes a probe's place in the kernel's syntax; makes the names of its event and group. */
#include "event/tracefs_place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/parse.h"

/* Appends the number in hex: to the kernel, "010" would be 8. */
static int put_number(struct buf *out, const char *before, const char *digits, size_t len,
		      const char *after)
{
	char number[24];
	uint64_t v;
	int err;

	if (!len || len >= sizeof(number))
		return -EINVAL;
	memcpy(number, digits, len);
	number[len] = '\0';
	err = parse__u64(number, 0, UINT64_MAX, &v);
	if (err)
		return err;
	return buf__printf(out, "%s0x%llx%s", before, (unsigned long long)v, after);
}

static bool is_of_symbol(char c)
{
	return c && strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$:", c);
}

/* "FUNCTION[+OFFSET]", "MODULE:FUNCTION[+OFFSET]", "0xADDRESS" */
static int put_kernel_place(struct buf *out, const char *what)
{
	const char *plus = strchr(what, '+');
	size_t len = plus ? (size_t)(plus - what) : strlen(what);
	int err;

	if (*what >= '0' && *what <= '9')
		return put_number(out, "", what, strlen(what), "");
	for (size_t i = 0; i < len; i++)
		if (!is_of_symbol(what[i]))
			return -EINVAL;
	if (!len)
		return -EINVAL;
	err = buf__put(out, what, len);
	return err || !plus ? err : put_number(out, "+", plus + 1, strlen(plus + 1), "");
}

/* Colons are fine: the kernel, too, looks for the last (6496bb72bf20, 4.11). */
static int put_file_place(struct buf *out, const char *what)
{
	const char *colon = strrchr(what, ':'), *brace;
	size_t len, offset_len;
	int err;

	if (*what != '/' || !colon)
		return -EINVAL;
	err = buf__put(out, what, colon - what);
	if (err)
		return err;
	offset_len = strcspn(colon + 1, "(");
	err = put_number(out, ":", colon + 1, offset_len, "");
	brace = colon + 1 + offset_len;
	if (err || !*brace)
		return err;
	len = strlen(brace);
	return brace[len - 1] == ')' ? put_number(out, "(", brace + 1, len - 2, ")") : -EINVAL;
}

/*
 * Words end at what is a space by lib/ctype.c, which has Latin-1's 0xa0 among them, and a comment
 * begins at '#' (trace_parse_run_command(), argv_split()).
 */
static bool kernel_can_read(const char *place)
{
	return !place[strcspn(place, " \t\n\v\f\r#\xa0")];
}

int tracefs_place__put(struct buf *out, bool kernel, const char *what, struct buf *why)
{
	int err = kernel ? put_kernel_place(out, what) : put_file_place(out, what), failed;

	if (!err && kernel_can_read(out->data))
		return 0;
	if (err && err != -EINVAL && err != -ERANGE)
		return err;
	if (!err)
		failed = buf__printf(why,
				     "cannot tell the kernel of '%s': in tracefs a path must not "
				     "have blanks, '#' or the byte 0xa0; use a symbolic link",
				     what);
	else
		failed = buf__printf(why, "'%s' is no place for a probe: write %s", what,
				     kernel ? "FUNCTION or FUNCTION+0xOFFSET" : "/PATH:0xOFFSET");
	return failed ? failed : -EINVAL;
}

void tracefs_place__name(char *out, size_t size, bool is_return, const char *place)
{
	const char *slash = strrchr(place, '/');

	snprintf(out, size, "%c_%s", is_return ? 'r' : 'p', slash ? slash + 1 : place);
	for (char *c = out; *c; c++) {
		bool letter = (*c | 32) >= 'a' && (*c | 32) <= 'z';

		if (!letter && !(*c >= '0' && *c <= '9'))
			*c = '_';
	}
}

void tracefs_place__group(char *out, size_t size, int pid)
{
	struct stat st;

	/* PROC_PID_INIT_INO, include/linux/proc_ns.h */
	if (stat("/proc/self/ns/pid", &st) || st.st_ino == 0xEFFFFFFCu)
		snprintf(out, size, TRACEFS_GROUP_PREFIX "%d", pid);
	else
		snprintf(out, size, TRACEFS_GROUP_PREFIX "%d_in_%llu", pid,
			 (unsigned long long)st.st_ino);
}
