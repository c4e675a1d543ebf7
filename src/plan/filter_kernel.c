// SPDX-License-Identifier: BSD-2-Clause
/*
 * A comparison in the words of the kernel's event filters, where they mean the same. Source:
 * Documentation/trace/events.rst, "Event filtering"; parse_pred() in
 * kernel/trace/trace_events_filter.c.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "plan/filter_parts.h"

/* The name of a member, and no more. */
static bool is_plain(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return false;
	return true;
}

/*
 * The kernel's filter would compare the same value: a member neither converted, nor behind
 * a pointer, nor the narrower argument of a system call, whose whole register the kernel compares.
 */
static bool is_member(const struct fetch *f)
{
	bool narrowed = f->is_user && f->form == FETCH_NUMBER && f->load.size < 8;

	return f->source == FETCH_CONTEXT && !f->nr_steps && !f->load.bits && !narrowed &&
	       f->form != FETCH_STRING && f->form != FETCH_USER_STRING;
}

/* In the kernel's quotes a backslash is one, in its patterns it is not. */
static char quote_for(const struct filter_words *w)
{
	if (memchr(w->text, '\\', w->text_len))
		return 0;
	if (!memchr(w->text, '"', w->text_len))
		return '"';
	return memchr(w->text, '\'', w->text_len) ? 0 : '\'';
}

static int put_text(struct filter_parser *p, const char *name, int len,
		    const struct filter_words *w)
{
	char quote = quote_for(w);

	if (!quote || !w->text_len) {
		p->beyond_kernel = true;
		return 0;
	}
	return buf__printf(p->kernel, "%.*s %s %c%.*s%c", len, name, w->relation, quote,
			   (int)w->text_len, w->text, quote);
}

int filter__put_kernel(struct filter_parser *p, const struct field *field,
		       const struct filter_words *words, const struct filter_term *t)
{
	const char *name = words->name, prefix[] = "REC->";
	size_t len = words->name_len;

	if (field->fetch.source == FETCH_COMM)
		return put_text(p, "COMM", strlen("COMM"), words);
	if (len > strlen(prefix) && !strncmp(name, prefix, strlen(prefix))) {
		name += strlen(prefix);
		len -= strlen(prefix);
	}
	p->beyond_kernel |= !is_member(&field->fetch) || !is_plain(name, len);
	if (field->kind == FIELD_TEXT)
		return put_text(p, name, len, words);
	if (field->kind == FIELD_SIGNED)
		return buf__printf(p->kernel, "%.*s %s %" PRId64, (int)len, name, words->relation,
				   (int64_t)t->right);
	return buf__printf(p->kernel, "%.*s %s %" PRIu64, (int)len, name, words->relation,
			   (uint64_t)t->right);
}
