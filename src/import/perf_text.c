// SPDX-License-Identifier: BSD-2-Clause
/* Finds the parts of lines that perf script has printed, from those that are sure outwards. */
#include "import/perf_text.h"

#include <string.h>

#define LITERAL(s) (s), sizeof(s) - 1

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

static bool begins(const struct perf_part *t, const char *with, size_t len)
{
	return t->len >= len && !memcmp(t->s, with, len);
}

static bool ends(const struct perf_part *t, const char *with, size_t len)
{
	return t->len >= len && !memcmp(t->s + t->len - len, with, len);
}

static bool is(const struct perf_part *t, const char *what, size_t len)
{
	return t->len == len && !memcmp(t->s, what, len);
}

static void trim(struct perf_part *t)
{
	while (t->len && (*t->s == ' ' || *t->s == '\t')) {
		t->s++;
		t->len--;
	}
	while (t->len && (t->s[t->len - 1] == ' ' || t->s[t->len - 1] == '\t'))
		t->len--;
}

/* The last word of @t, which is left out of it then, with the blanks before. */
static struct perf_part last_word(const struct perf_part *t, struct perf_part *before)
{
	size_t at = t->len;

	while (at && t->s[at - 1] != ' ')
		at--;
	*before = (struct perf_part){ t->s, at };
	trim(before);
	return (struct perf_part){ t->s + at, t->len - at };
}

/* What does not fit is no number. */
static bool number(const char *s, size_t len, uint64_t max, uint64_t *n)
{
	*n = 0;
	for (size_t i = 0; i < len; i++) {
		const unsigned digit = (unsigned char)s[i] - '0';

		if (digit > 9 || *n > (max - digit) / 10)
			return false;
		*n = *n * 10 + digit;
	}
	return len;
}

/* Threads that perf knows nothing of are -1, which is 0 here. */
static bool task(const char *s, size_t len, uint32_t *id)
{
	uint64_t n;

	*id = 0;
	if (len == 2 && !memcmp(s, "-1", 2))
		return true;
	if (!number(s, len, UINT32_MAX, &n))
		return false;
	*id = n;
	return true;
}

/* "30297/30298", "30298" or "30297/30298" with blanks behind it at the end of @t. */
static void take_task(struct perf_part *t, struct perf_head *h)
{
	struct perf_part before, word = last_word(t, &before);
	const char *slash = memchr(word.s, '/', word.len);

	if (slash) {
		h->has_pid = task(word.s, slash - word.s, &h->pid) &&
			     task(slash + 1, word.s + word.len - slash - 1, &h->tid);
		h->has_tid = h->has_pid;
	} else {
		h->has_tid = task(word.s, word.len, &h->tid);
	}
	if (h->has_tid)
		*t = before;
}

/* "[001]" */
static void take_cpu(struct perf_part *t, struct perf_head *h)
{
	struct perf_part before, word = last_word(t, &before);
	uint64_t cpu;

	if (word.len < 3 || word.s[0] != '[' || word.s[word.len - 1] != ']' ||
	    !number(word.s + 1, word.len - 2, UINT32_MAX, &cpu))
		return;
	h->has_cpu = true;
	h->cpu = cpu;
	*t = before;
}

/* -F misc: "U", "KH", behind a number or a CPU. */
static void take_misc(struct perf_part *t)
{
	enum { LETTERS = 5 };
	struct perf_part before, word = last_word(t, &before);

	if (!word.len || word.len > LETTERS || !before.len)
		return;
	for (size_t i = 0; i < word.len; i++)
		if (word.s[i] < 'A' || word.s[i] > 'Z')
			return;
	if (is_digit(before.s[before.len - 1]) || before.s[before.len - 1] == ']')
		*t = before;
}

/* Who and where, which is before the time, or before the event. */
static void take_who(struct perf_part before, bool has_misc, struct perf_head *h)
{
	trim(&before);
	h->has_pid = h->has_tid = h->has_cpu = false;
	if (has_misc)
		take_misc(&before);
	take_cpu(&before, h);
	take_task(&before, h);
	h->comm = before;
}

/* The next colon at the end of a word, from @from on; @len: there is none. */
static size_t colon(const char *line, size_t len, size_t from)
{
	while (from < len) {
		const char *at = memchr(line + from, ':', len - from);

		if (!at)
			return len;
		from = at - line + 1;
		if (from == len || line[from] == ' ')
			return from - 1;
	}
	return len;
}

/* Where the time begins that ends before the colon: "73307.670903"; the colon: there is none. */
static size_t time_before(const char *line, size_t end)
{
	size_t at = end;

	while (at && is_digit(line[at - 1]))
		at--;
	if (at == end || at < 2 || line[at - 1] != '.' || !is_digit(line[at - 2]))
		return end;
	at--;
	while (at && is_digit(line[at - 1]))
		at--;
	return !at || line[at - 1] == ' ' ? at : end;
}

/* A time that is not the first word with a colon has to have a thread's number before it. */
static bool find_time(const char *line, size_t len, struct perf_head *h, struct perf_part *behind)
{
	size_t first = colon(line, len, 0);

	for (size_t end = first; end < len; end = colon(line, len, end + 1)) {
		const size_t at = time_before(line, end);

		if (at == end)
			continue;
		take_who((struct perf_part){ line, at }, true, h);
		if (!at || (!h->has_tid && end != first))
			continue;
		h->has_time = true;
		*behind = (struct perf_part){ line + end + 1, len - end - 1 };
		return true;
	}
	return false;
}

/* The number at the beginning of @t, if it is a word. */
static void take_period(struct perf_part *t, struct perf_head *h)
{
	size_t at = 0, begin;

	while (at < t->len && t->s[at] == ' ')
		at++;
	for (begin = at; at < t->len && is_digit(t->s[at]); at++)
		;
	if ((at < t->len && t->s[at] != ' ') ||
	    !number(t->s + begin, at - begin, UINT64_MAX, &h->period)) {
		h->period = 0;
		return;
	}
	*t = (struct perf_part){ t->s + at, t->len - at };
}

/* The event's name, or what is there without one: nothing, or the only frame. */
static enum perf_line head_with_time(struct perf_part behind, struct perf_head *h)
{
	struct perf_part event = behind, unused;
	bool is_high;
	size_t end;

	trim(&event);
	if (begins(&event, LITERAL("PERF_RECORD_")))
		return PERF_RECORD;
	take_period(&behind, h);
	end = colon(behind.s, behind.len, 0);
	if (end < behind.len) {
		h->event = (struct perf_part){ behind.s, end };
		h->rest = (struct perf_part){ behind.s + end + 1, behind.len - end - 1 };
		trim(&h->event);
		return h->event.len ? PERF_HEAD : PERF_OTHER;
	}
	h->rest = event = behind;
	trim(&event);
	return !event.len || perf_text__only_address(&behind, &is_high, &unused) ? PERF_HEAD
										 : PERF_OTHER;
}

/* Of the numbers before the event the last is its period, if it is not the only one. */
static enum perf_line head_without_time(const char *line, size_t len, struct perf_head *h)
{
	for (size_t end = colon(line, len, 0); end < len; end = colon(line, len, end + 1)) {
		struct perf_part before, t = { line, end }, without_period, word;
		uint64_t period;

		h->event = last_word(&t, &before);
		h->rest = (struct perf_part){ line + end + 1, len - end - 1 };
		word = last_word(&before, &without_period);
		if (!h->event.len)
			continue;
		if (number(word.s, word.len, UINT64_MAX, &period)) {
			take_who(without_period, false, h);
			if (h->has_tid) {
				h->period = period;
				return PERF_HEAD;
			}
		}
		take_who(before, false, h);
		if (h->has_tid)
			return PERF_HEAD;
	}
	return PERF_OTHER;
}

enum perf_line perf_text__head(const char *line, size_t len, struct perf_head *h)
{
	struct perf_part t = { line, len }, behind;

	*h = (struct perf_head){};
	trim(&t);
	if (find_time(t.s, t.len, h, &behind))
		return head_with_time(behind, h);
	if (memmem(t.s, t.len, LITERAL(" PERF_RECORD_")))
		return PERF_RECORD;
	return head_without_time(t.s, t.len, h);
}

bool perf_text__address(const char *line, size_t len, bool *is_high, struct perf_part *behind)
{
	enum { DIGITS = 16 };
	size_t begin = 0, end;

	while (begin < len && (line[begin] == ' ' || line[begin] == '\t'))
		begin++;
	for (end = begin; end < len && is_hex(line[end]); end++)
		;
	if (end == begin || end - begin > DIGITS || (end < len && line[end] != ' '))
		return false;
	*is_high = end - begin == DIGITS && line[begin] >= '8';
	*behind = (struct perf_part){ line + end, len - end };
	return true;
}

/* The same in a column for it, behind a blank that parts it from what is before. */
static bool column(const char *s, size_t len, bool *is_high, struct perf_part *behind)
{
	enum { WIDTH = 16 };
	struct perf_part t;
	bool high;

	if (!perf_text__address(s, len, &high, &t) || t.s - s <= WIDTH)
		return false;
	*is_high = high;
	*behind = t;
	return true;
}

bool perf_text__only_address(const struct perf_part *rest, bool *is_high, struct perf_part *behind)
{
	const char *end = rest->s + rest->len, *at;

	if (!column(rest->s, rest->len, is_high, behind))
		return false;
	/* Where data is an address (-F addr), the frame's is behind it. */
	for (at = behind->s; (at = memchr(at, ' ', end - at)); at += strspn(at, " "))
		column(at, end - at, is_high, behind);
	return true;
}

/* Leaves out "+0x1f" at the end. */
static void drop_offset(struct perf_part *t)
{
	size_t at = t->len;

	while (at && is_hex(t->s[at - 1]))
		at--;
	if (at < t->len && at >= 3 && !memcmp(t->s + at - 3, "+0x", 3))
		t->len = at - 3;
}

/* "(/usr/lib/libfoo.so.1)", which may have parentheses in it, at the end of @t; left out of it. */
static struct perf_part take_dso(struct perf_part *t)
{
	struct perf_part dso = {};
	size_t depth = 0;

	if (!t->len || t->s[t->len - 1] != ')')
		return dso;
	for (size_t at = t->len; at--;) {
		depth += t->s[at] == ')';
		if (t->s[at] != '(' || --depth)
			continue;
		if (at && t->s[at - 1] != ' ')
			break;
		dso = (struct perf_part){ t->s + at + 1, t->len - at - 2 };
		t->len = at;
		trim(t);
		break;
	}
	return dso;
}

static struct perf_part base_name(const struct perf_part *path)
{
	const char *slash = path->len ? memrchr(path->s, '/', path->len) : NULL;
	const size_t skip = slash ? slash + 1 - path->s : 0;

	return (struct perf_part){ path->s + skip, path->len - skip };
}

/* "perf-123.map", and what perf inject makes of jitdumps: "jitted-123-4.so". */
static bool is_jit(const struct perf_part *dso)
{
	const struct perf_part base = base_name(dso);
	size_t at, before;

	if (begins(dso, LITERAL("//anon")) || begins(dso, LITERAL("[anon")) ||
	    begins(dso, LITERAL("[heap")) || begins(dso, LITERAL("[stack")))
		return true;
	if (begins(&base, LITERAL("jitted-")))
		return ends(&base, LITERAL(".so"));
	if (!begins(&base, LITERAL("perf-")))
		return false;
	before = at = sizeof("perf-") - 1;
	while (at < base.len && is_digit(base.s[at]))
		at++;
	return at > before && base.len == at + sizeof(".map") - 1 && ends(&base, LITERAL(".map"));
}

static bool is_kernel(const struct perf_part *dso, bool is_high)
{
	if (begins(dso, LITERAL("[vsyscall]")))
		return false;
	if (is_high)
		return true;
	return begins(dso, LITERAL("[")) && ends(dso, LITERAL("]")) && !is_jit(dso) &&
	       !begins(dso, LITERAL("[vdso")) && !begins(dso, LITERAL("[vvar")) &&
	       !begins(dso, LITERAL("[uprobes")) && !begins(dso, LITERAL("[vectors"));
}

/* "kernel", "ext4" of "[ext4]" or of "/lib/modules/6.1/kernel/fs/ext4.ko.xz", "bpf". */
static struct perf_part kernel_module(const struct perf_part *dso)
{
	struct perf_part base = base_name(dso);
	const char *ko;

	if (!dso->len || begins(dso, LITERAL("[kernel")) || begins(dso, LITERAL("[guest.kernel")) ||
	    begins(&base, LITERAL("vmlinux")))
		return (struct perf_part){ LITERAL("kernel") };
	if (begins(&base, LITERAL("bpf_prog_")))
		return (struct perf_part){ LITERAL("bpf") };
	if (dso->s[0] == '[' && ends(dso, LITERAL("]")))
		return (struct perf_part){ dso->s + 1, dso->len - 2 };
	ko = memmem(base.s, base.len, LITERAL(".ko"));
	if (ko)
		base.len = ko - base.s;
	return base;
}

void perf_text__frame(const struct perf_part *behind, bool is_high, struct perf_frame *f)
{
	struct perf_part t = *behind, dso;
	bool is_inlined;

	trim(&t);
	is_inlined = ends(&t, LITERAL("(inlined)"));
	if (is_inlined) {
		t.len -= sizeof("(inlined)") - 1;
		trim(&t);
	}
	dso = take_dso(&t);
	drop_offset(&dso);
	if (ends(&dso, LITERAL(" (deleted)")))
		dso.len -= sizeof(" (deleted)") - 1;
	if (is(&dso, LITERAL("[unknown]")))
		dso.len = 0;
	drop_offset(&t);
	if (is(&t, LITERAL("[unknown]")))
		t.len = 0;

	f->name = t;
	if (is_kernel(&dso, is_high)) {
		f->kind = FRAME_KERNEL;
		f->module = kernel_module(&dso);
	} else if (is_jit(&dso)) {
		f->kind = FRAME_JIT;
		f->module = (struct perf_part){ LITERAL("jit") };
	} else {
		f->kind = is_inlined ? FRAME_INLINED : FRAME_USER;
		f->module = base_name(&dso);
	}
}
