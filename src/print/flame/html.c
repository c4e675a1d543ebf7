// SPDX-License-Identifier: BSD-2-Clause
/* Writes the page: its policy, style, what is told without scripts, data, scripts. */
#include "print/flame/html.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "html_css.h"
#include "html_js.h"
#include "model/profile.h"
#include "print/escape.h"
#include "print/flame/html_data.h"
#include "print/lossline.h"

static void put_text(struct writer *w, const char *before, const char *s, const char *after)
{
	writer__puts(w, before);
	escape__xml(w, s, strlen(s));
	writer__puts(w, after);
}

/* " · s" behind what is there; nothing of an empty one. */
static int add_part(struct buf *b, const char *s)
{
	return *s ? buf__printf(b, "%s%s", b->len ? " · " : "", s) : 0;
}

static int add_moment(struct buf *b, uint64_t ns)
{
	time_t seconds = ns / 1000000000;
	char text[40];
	struct tm utc;

	if (!ns || !gmtime_r(&seconds, &utc) ||
	    !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &utc))
		return 0;
	return add_part(b, text);
}

/* "host · Linux 6.18.5 · x86_64 · 2026-01-02 10:00:00 UTC · 5.00 s · 8 CPUs": what is known. */
static int describe(struct buf *b, const struct profile *p)
{
	const struct profile_about *a = &p->about;
	int err = add_part(b, a->host ? a->host : "");

	if (!err && a->kernel && *a->kernel)
		err = buf__printf(b, "%sLinux %s", b->len ? " · " : "", a->kernel);
	if (!err)
		err = add_part(b, a->machine ? a->machine : "");
	if (!err)
		err = add_part(b, a->cpu ? a->cpu : "");
	if (!err)
		err = add_moment(b, a->begin_ns);
	if (!err && p->duration_ns)
		err = buf__printf(b, "%s%.2f s", b->len ? " · " : "", (double)p->duration_ns / 1e9);
	if (!err && p->nr_cpus)
		err = buf__printf(b, "%s%u CPU%s", b->len ? " · " : "", p->nr_cpus,
				  p->nr_cpus == 1 ? "" : "s");
	return err ? err : buf__puts(b, "");
}

static int put_head(struct writer *w, const struct profile *p, const struct html_opts *o,
		    const char *title)
{
	struct buf about = {}, losses = {};
	int err = describe(&about, p);

	if (!err)
		err = print__losses_of(&losses, o->noun ? o->noun : "sample", &p->losses);
	if (!err) {
		put_text(w, "<header>\n<h1>", title, "</h1>\n");
		put_text(w, "<p class=\"about\">", about.data, "</p>\n");
		put_text(w,
			 losses__sum(&p->losses) ? "<p class=\"losses lost\">"
						 : "<p class=\"losses\">",
			 losses.data, "</p>\n</header>\n");
	}
	buf__free(&about);
	buf__free(&losses);
	return err;
}

static int put_document(struct writer *w, const struct profile *p, const struct html_opts *o,
			const char *title)
{
	int err;

	writer__puts(w,
		     "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		     "script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; "
		     "form-action 'none'\">\n"
		     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		     "<meta name=\"color-scheme\" content=\"light dark\">\n"
		     "<meta name=\"generator\" content=\"pmutrace " PMUTRACE_VERSION "\">\n");
	put_text(w, "<title>", title, "</title>\n<style>\n");
	writer__put(w, html_css, sizeof(html_css) - 1);
	writer__puts(w, "</style>\n</head>\n<body>\n");
	err = put_head(w, p, o, title);
	writer__puts(w, "<noscript><p class=\"lost\">This page draws with scripts, which are "
			"switched off. A flame graph without: -o FILE.svg.</p></noscript>\n"
			"<main></main>\n<script type=\"application/json\" id=\"data\">");
	if (!err)
		err = html_data__put(w, p, o, title);
	writer__puts(w, "</script>\n<script>\n");
	writer__put(w, html_js, sizeof(html_js) - 1);
	writer__puts(w, "</script>\n</body>\n</html>\n");
	return err;
}

/* The title as given, made valid. */
static int choose_title(struct buf *b, const struct html_opts *o)
{
	if (o->title)
		return utf8__put_valid(b, o->title, strlen(o->title));
	return buf__printf(b, "pmutrace %s", o->command);
}

int print__html(FILE *f, const struct profile *p, const struct html_opts *o)
{
	struct writer w = { .f = f };
	struct buf title = {};
	int err, end;

	if (o->event >= p->nr_events)
		return -EINVAL;
	err = choose_title(&title, o);
	if (!err)
		err = put_document(&w, p, o, title.data ? title.data : "");
	end = writer__end(&w);
	buf__free(&title);
	return err ? err : end;
}
