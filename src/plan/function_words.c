// SPDX-License-Identifier: BSD-2-Clause
/* Splits a function as it is written into the texts of its entry and its return probe. */
#include "plan/function_words.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static const struct {
	const char *prefix, *entry, *leave;
} kinds[] = {
	{ "kprobe:", "kprobe:", "kretprobe:" },
	{ "k:", "kprobe:", "kretprobe:" },
	{ "uprobe:", "uprobe:", "uretprobe:" },
	{ "u:", "uprobe:", "uretprobe:" },
};

/* Prefixes of events other than a function's entry. */
static const char *const others[] = {
	"kretprobe:",  "kr:", "uretprobe:",	"ur:", "usdt:", "U:",
	"tracepoint:", "t:",  "rawtracepoint:", "rt:", "mem:",
};

static bool begins(const char *word, const char *prefix)
{
	return !strncmp(word, prefix, strlen(prefix));
}

static int refuse(struct buf *why, const char *word, const char *what)
{
	return buf__printf(why,
			   "'%s': %s; write PATH:FUNCTION of a program, or the name of a function "
			   "of the kernel",
			   word, what)
		       ? -ENOMEM
		       : -EINVAL;
}

static int put(struct buf *entry, struct buf *leave, size_t kind, const char *function)
{
	int err = buf__printf(entry, "%s%s", kinds[kind].entry, function);

	return err ? err : buf__printf(leave, "%s%s", kinds[kind].leave, function);
}

int function_word__probes(const char *word, struct buf *entry, struct buf *leave, struct buf *why)
{
	bool is_user = strchr(word, ':') || strchr(word, '/');
	size_t kind = is_user ? 2 : 0;
	const char *function = word;

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (begins(word, others[i]))
			return refuse(why, word, "a function is wanted, entered and returned from");
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (begins(word, kinds[i].prefix)) {
			kind = i;
			function += strlen(kinds[i].prefix);
			break;
		}
	if (!*function)
		return refuse(why, word, "no function is named");
	/* Of a list of events only the first would be looked at. */
	if (strpbrk(function, ",{}"))
		return refuse(why, word, "one function goes here, not a list");
	return put(entry, leave, kind, function);
}
