// SPDX-License-Identifier: BSD-2-Clause
/* Fills the fields of a row from a hit's words, its probe's names and its cgroup's path. */
#include "collect/rowfields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fetch.wire.h"
#include "model/container.h"

int rowfields__init(struct rowfields *r, struct profile *p, const struct rowfield *fields,
		    size_t nr)
{
	int err = 0;

	r->fields = calloc(nr + 1, sizeof(*r->fields));
	r->words = calloc(nr + 1, sizeof(*r->words));
	if (!r->fields || !r->words)
		return -ENOMEM;
	for (r->nr = 0; r->nr < nr && !err; r->nr++) {
		r->fields[r->nr] = fields[r->nr];
		err = profile__field(p, fields[r->nr].name, fields[r->nr].kind);
	}
	return err;
}

static int take_text(struct profile *p, const char *s, size_t len, uint64_t *word)
{
	uint32_t id;
	int err = profile__string(p, s, len, &id);

	*word = id;
	return err;
}

static int take_container(struct profile *p, const char *cgroup, uint64_t *word)
{
	size_t len;
	const char *id = container__of_path(cgroup ? cgroup : "", &len);

	return id ? take_text(p, id, len, word) : take_text(p, "-", 1, word);
}

int rowfields__take(struct rowfields *r, struct profile *p, const struct sample_stack *s,
		    const struct rowprobe *probe, const char *cgroup, uint32_t *tuple)
{
	const uint64_t *at = s->fields;
	const char *text;
	int err = 0;

	for (size_t i = 0; i < r->nr && !err; i++) {
		switch (r->fields[i].from) {
		case ROWFIELD_WORDS:
			text = (const char *)at;
			if (r->fields[i].kind != FIELD_TEXT) {
				r->words[i] = *at++;
				break;
			}
			err = take_text(p, text, strnlen(text, FETCH_STRING_BYTES), &r->words[i]);
			at += FETCH_STRING_WORDS;
			break;
		case ROWFIELD_PROBE:
			err = take_text(p, probe->name, strlen(probe->name), &r->words[i]);
			break;
		case ROWFIELD_FUNCTION:
			text = probe->function ? probe->function : "-";
			err = take_text(p, text, strlen(text), &r->words[i]);
			break;
		case ROWFIELD_CONTAINER:
			err = take_container(p, cgroup, &r->words[i]);
			break;
		}
	}
	return err ? err : profile__tuple(p, r->words, tuple);
}

void rowfields__free(struct rowfields *r)
{
	free(r->fields);
	free(r->words);
	*r = (struct rowfields){};
}
