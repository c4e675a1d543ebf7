// SPDX-License-Identifier: BSD-2-Clause
/* Reads a configuration: mappings, lists and scalars of YAML into settings and lines. */
#include "serve/config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_YAML
#include <yaml.h>
#endif

#include "base/regular.h"
#include "base/why.h"
#include "base/words.h"

void config__free(struct config *c)
{
	for (size_t i = 0; i < c->nr_settings; i++) {
		struct config_setting *s = &c->settings[i];

		for (size_t v = 0; v < s->nr_values; v++)
			free(s->values[v]);
		free(s->values);
		free(s->name);
	}
	for (size_t i = 0; i < c->nr_lines; i++) {
		free(c->lines[i].name);
		free(c->lines[i].text);
		words__free(c->lines[i].words);
	}
	free(c->settings);
	free(c->lines);
	*c = (struct config){};
}

int config__read(struct buf *out, const char *path, struct buf *why)
{
	int err = regular__read(out, path, CONFIG_BYTES);

	if (err == -EFBIG)
		return why__refuse(why, err, "%s: more than 1 MB, which is no configuration", path);
	return err ? why__refuse(why, err, "%s: %s", path, regular__strerror(err)) : 0;
}

#ifdef HAVE_YAML

struct reader {
	yaml_parser_t yaml;
	yaml_event_t event; /* the one that was read last */
	bool has_event;
	const char *path;
	struct config *config;
	struct buf *why;
};

static unsigned line_of(const struct reader *r)
{
	return r->event.start_mark.line + 1;
}

static int refuse(struct reader *r, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static int refuse(struct reader *r, unsigned line, const char *fmt, ...)
{
	int err = buf__printf(r->why, "%s:%u: ", r->path, line);
	va_list ap;

	va_start(ap, fmt);
	err = err ? err : why__vrefuse(r->why, -EINVAL, fmt, ap);
	va_end(ap);
	return err;
}

static int next(struct reader *r)
{
	if (r->has_event)
		yaml_event_delete(&r->event);
	r->has_event = yaml_parser_parse(&r->yaml, &r->event);
	if (r->has_event)
		return 0;
	if (r->yaml.error == YAML_MEMORY_ERROR)
		return -ENOMEM;
	return refuse(r, r->yaml.problem_mark.line + 1, "%s%s%s",
		      r->yaml.problem ? r->yaml.problem : "no YAML", r->yaml.context ? ", " : "",
		      r->yaml.context ? r->yaml.context : "");
}

/* The scalar that comes next, copied. */
static int take_scalar(struct reader *r, const char *what, char **out)
{
	const size_t len = r->event.type == YAML_SCALAR_EVENT ? r->event.data.scalar.length : 0;
	const char *value = len ? (const char *)r->event.data.scalar.value : "";

	*out = NULL;
	if (r->event.type != YAML_SCALAR_EVENT)
		return refuse(r, line_of(r), "%s is one word or line here", what);
	if (r->event.data.scalar.anchor || r->event.data.scalar.tag)
		return refuse(r, line_of(r), "no anchors (&) and tags (!) here; put it in quotes");
	if (memchr(value, '\0', len))
		return refuse(r, line_of(r), "a NUL in %s", what);
	*out = strdup(value);
	return *out ? 0 : -ENOMEM;
}

static int take_value(struct reader *r, struct config_setting *s)
{
	char *value;
	int err = take_scalar(r, s->name, &value);

	if (!err)
		err = array__grow(&s->values, &s->cap_values, s->nr_values + 1);
	if (err)
		free(value);
	else
		s->values[s->nr_values++] = value;
	return err;
}

/* "[a, b]", or a scalar. */
static int take_values(struct reader *r, struct config_setting *s)
{
	int err;

	if (r->event.type != YAML_SEQUENCE_START_EVENT)
		return take_value(r, s);
	for (;;) {
		err = next(r);
		if (err || r->event.type == YAML_SEQUENCE_END_EVENT)
			return err;
		err = take_value(r, s);
		if (err)
			return err;
	}
}

static int take_setting(struct reader *r, char *name, unsigned line)
{
	struct config *c = r->config;
	int err = 0;

	for (size_t i = 0; i < c->nr_settings && !err; i++)
		if (!strcmp(c->settings[i].name, name))
			err = refuse(r, line, "%s stands in line %u already", name,
				     c->settings[i].line);
	if (!err)
		err = array__grow(&c->settings, &c->cap_settings, c->nr_settings + 1);
	if (err) {
		free(name);
		return err;
	}
	c->settings[c->nr_settings] = (struct config_setting){ .name = name, .line = line };
	return take_values(r, &c->settings[c->nr_settings++]);
}

static bool is_name(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

	return *name && strchr(letters, *name) && strlen(name) <= CONFIG_NAME &&
	       name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
				 "0123456789")] == '\0';
}

static int check_words(struct reader *r, const struct config_line *l)
{
	if (!l->nr_words || (strcmp(l->words[0], "count") && strcmp(l->words[0], "func")))
		return refuse(r, l->line,
			      "%s: a line begins with count or func, as in `%s: count "
			      "sched:sched_switch --by prev_comm`",
			      l->name, l->name);
	for (size_t w = 0; w < l->nr_words; w++)
		if (!strcmp(l->words[w], "--"))
			return refuse(r, l->line, "%s: no command behind --: nothing is started",
				      l->name);
	return 0;
}

static int take_text(struct reader *r, struct config_line *l)
{
	int err = take_scalar(r, l->name, &l->text);

	if (err)
		return err;
	for (char *at = l->text; *at; at++)
		if (*at == '\n' || *at == '\t')
			*at = ' ';
	err = words__split(l->text, &l->words, &l->nr_words);
	if (err == -EINVAL)
		return refuse(r, l->line, "%s: a quote or a \\ does not end", l->name);
	return err ? err : check_words(r, l);
}

static int take_line(struct reader *r)
{
	struct config *c = r->config;
	struct config_line *l;
	int err = array__grow(&c->lines, &c->cap_lines, c->nr_lines + 1);

	if (err)
		return err;
	l = &c->lines[c->nr_lines];
	*l = (struct config_line){ .line = line_of(r) };
	err = take_scalar(r, "a metric's name", &l->name);
	if (err)
		return err;
	c->nr_lines++;
	if (!is_name(l->name))
		return refuse(r, l->line, "a metric's name is letters, digits and _, not '%s'",
			      l->name);
	if (c->nr_lines > CONFIG_LINES)
		return refuse(r, l->line, "at most %d metrics", CONFIG_LINES);
	for (size_t i = 0; i + 1 < c->nr_lines; i++)
		if (!strcmp(c->lines[i].name, l->name))
			return refuse(r, l->line, "%s stands in line %u already", l->name,
				      c->lines[i].line);
	err = next(r);
	return err ? err : take_text(r, l);
}

static int take_lines(struct reader *r)
{
	int err;

	/* "metrics:" and nothing behind it. */
	if (r->event.type == YAML_SCALAR_EVENT && !r->event.data.scalar.length)
		return 0;
	if (r->event.type != YAML_MAPPING_START_EVENT)
		return refuse(r, line_of(r),
			      "metrics have names: `metrics:`, and below it, "
			      "indented, `NAME: count ..`");
	for (;;) {
		err = next(r);
		if (err || r->event.type == YAML_MAPPING_END_EVENT)
			return err;
		err = take_line(r);
		if (err)
			return err;
	}
}

/* "name: ..", of which the name was read. */
static int take_entry(struct reader *r)
{
	const unsigned line = line_of(r);
	char *name;
	int err = take_scalar(r, "an option's name", &name);

	if (!err)
		err = next(r);
	if (err || strcmp(name, "metrics")) {
		if (!err)
			return take_setting(r, name, line);
		free(name);
		return err;
	}
	free(name);
	if (r->config->nr_lines)
		return refuse(r, line, "metrics stand above already");
	return take_lines(r);
}

static int take_entries(struct reader *r)
{
	int err;

	for (;;) {
		err = next(r);
		if (err || r->event.type == YAML_MAPPING_END_EVENT)
			return err;
		err = take_entry(r);
		if (err)
			return err;
	}
}

/* The beginning of the stream and of its first document. */
static int take_document(struct reader *r)
{
	int err = next(r);

	if (!err)
		err = next(r);
	if (err || r->event.type == YAML_STREAM_END_EVENT)
		return err; /* an empty file */
	err = next(r);
	if (err)
		return err;
	if (r->event.type != YAML_MAPPING_START_EVENT)
		return refuse(r, line_of(r),
			      "`NAME: VALUE` is expected, as in `listen: "
			      "127.0.0.1:9870`");
	err = take_entries(r);
	if (!err)
		err = next(r); /* the document's end */
	if (!err)
		err = next(r);
	if (!err && r->event.type != YAML_STREAM_END_EVENT)
		err = refuse(r, line_of(r), "one document in a file");
	return err;
}

int config__parse(struct config *out, const struct buf *bytes, const char *path, struct buf *why)
{
	struct reader r = { .path = path, .config = out, .why = why };
	int err;

	if (!yaml_parser_initialize(&r.yaml))
		return -ENOMEM;
	yaml_parser_set_input_string(&r.yaml, (const unsigned char *)bytes->data, bytes->len);
	err = take_document(&r);
	if (r.has_event)
		yaml_event_delete(&r.event);
	yaml_parser_delete(&r.yaml);
	return err;
}

#else

int config__parse(struct config *out, const struct buf *bytes, const char *path, struct buf *why)
{
	return why__refuse(why, -ENOSYS, "%s: this pmutrace was built without libyaml", path);
}

#endif
