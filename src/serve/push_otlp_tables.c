// SPDX-License-Identifier: BSD-2-Clause
/* Makes entries of the dictionary, and finds those that are there. */
#include "serve/push_otlp_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/profile.h"
#include "print/frame_text.h"

static bool failed(struct otlp_tables *t, int err)
{
	if (!t->err)
		t->err = err;
	return t->err;
}

void *otlp_tables__alloc(struct otlp_tables *t, size_t bytes)
{
	void *new = t->err ? NULL : arena__alloc(&t->arena, bytes);

	if (!new)
		(void)failed(t, -ENOMEM);
	else
		memset(new, 0, bytes);
	return new;
}

int32_t otlp_table__add(struct otlp_tables *t, struct otlp_table *table, void *message)
{
	if (!message || table->nr == INT32_MAX ||
	    failed(t, array__grow(&table->items, &table->cap, table->nr + 1)))
		return 0;
	table->items[table->nr] = message;
	return (int32_t)table->nr++;
}

/* Memory for a message that says nothing yet; NULL: there is none. */
#define NEW(t, type, init)                                                                         \
	({                                                                                         \
		type *new_ = otlp_tables__alloc(t, sizeof(*new_));                                 \
                                                                                                   \
		if (new_)                                                                          \
			init(new_);                                                                \
		new_;                                                                              \
	})

int32_t otlp_tables__string(struct otlp_tables *t, const char *text)
{
	uint32_t id = 0;

	if (t->err || failed(t, strtab__add(t->texts, text, strlen(text), &id)))
		return 0;
	if (id == t->strings.nr)
		otlp_table__add(t, &t->strings, (char *)strtab__get(t->texts, id));
	return (int32_t)id;
}

/* The index of what these words tell; 0: it is new, and has the index that is next. */
static int32_t find(struct otlp_tables *t, struct tuples *keys, const uint64_t *words)
{
	const size_t nr = keys->nr;
	uint32_t id = 0;

	if (t->err || failed(t, tuples__add(keys, words, &id)))
		return 0;
	return id < nr ? (int32_t)id + 1 : 0;
}

static int32_t attribute(struct otlp_tables *t, const char *key, const char *text, int64_t number)
{
	const uint64_t words[] = { otlp_tables__string(t, key), !text, number };
	int32_t found = find(t, &t->attribute_keys, words);
	Otlp__KeyValueAndUnit *a;

	if (found || t->err)
		return found;
	a = NEW(t, Otlp__KeyValueAndUnit, otlp__key_value_and_unit__init);
	if (!a)
		return 0;
	a->key_strindex = (int32_t)words[0];
	a->value = NEW(t, Otlp__AnyValue, otlp__any_value__init);
	if (!a->value)
		return 0;
	a->value->value_case =
		text ? OTLP__ANY_VALUE__VALUE_STRING_VALUE : OTLP__ANY_VALUE__VALUE_INT_VALUE;
	if (text)
		a->value->string_value = arena__copy(&t->arena, text, strlen(text) + 1);
	else
		a->value->int_value = number;
	if (text && !a->value->string_value)
		(void)failed(t, -ENOMEM);
	return otlp_table__add(t, &t->attributes, a);
}

/* Values stand in their attributes, not among the strings. */
int32_t otlp_tables__text(struct otlp_tables *t, const char *key, const char *value)
{
	uint32_t id = 0;

	if (t->err || failed(t, strtab__add(t->values, value, strlen(value), &id)))
		return 0;
	return attribute(t, key, value, id);
}

int32_t otlp_tables__number(struct otlp_tables *t, const char *key, int64_t value)
{
	return attribute(t, key, NULL, value);
}

static void set_attribute(struct otlp_tables *t, size_t *nr, int32_t **list, int32_t index)
{
	*list = otlp_tables__alloc(t, sizeof(**list));
	if (!*list)
		return;
	**list = index;
	*nr = 1;
}

static const char *string(const struct otlp_tables *t, uint32_t id)
{
	return strtab__get(t->p->strings, id);
}

static int32_t mapping_of(struct otlp_tables *t, uint32_t frame)
{
	const uint64_t file = pprof_mappings__of(&t->files, frame);
	const struct pprof_mapping *from = file ? &t->files.items[file - 1] : NULL;
	Otlp__Mapping *m;

	if (!file || t->mapping_of[file])
		return file ? (int32_t)t->mapping_of[file] : 0;
	m = NEW(t, Otlp__Mapping, otlp__mapping__init);
	if (!m)
		return 0;
	m->memory_start = from->start;
	m->memory_limit = from->limit;
	m->file_offset = from->offset;
	m->filename_strindex = otlp_tables__string(t, string(t, from->path));
	if (from->build_id)
		set_attribute(t, &m->n_attribute_indices, &m->attribute_indices,
			      otlp_tables__text(t, "process.executable.build_id.gnu",
						string(t, from->build_id)));
	t->mapping_of[file] = otlp_table__add(t, &t->mappings, m);
	return (int32_t)t->mapping_of[file];
}

static int32_t function_of(struct otlp_tables *t, const char *name, const char *file,
			   uint32_t start_line)
{
	const uint64_t words[] = { otlp_tables__string(t, name), otlp_tables__string(t, file),
				   start_line };
	int32_t found = find(t, &t->function_keys, words);
	Otlp__Function *f = found ? NULL : NEW(t, Otlp__Function, otlp__function__init);

	if (!f)
		return found;
	f->name_strindex = f->system_name_strindex = (int32_t)words[0];
	f->filename_strindex = (int32_t)words[1];
	f->start_line = start_line;
	return otlp_table__add(t, &t->functions, f);
}

static Otlp__Line *line_of(struct otlp_tables *t, uint32_t frame, const struct code_place *at)
{
	Otlp__Line *line = NEW(t, Otlp__Line, otlp__line__init);

	if (!line)
		return NULL;
	line->function_index = function_of(t, frame_text__name(t->p, frame), string(t, at->source),
					   at->start_line);
	line->line = at->line;
	return line;
}

/* By the convention for profile.frame.type; others are not told. */
static const char *type_of(enum frame_kind kind)
{
	return kind == FRAME_KERNEL ? "kernel" : kind == FRAME_USER ? "native" : NULL;
}

/* @frames: the outermost first. */
static int32_t new_location(struct otlp_tables *t, const uint32_t *frames, size_t nr)
{
	const char *type = type_of(t->p->frames[frames[0]].kind);
	Otlp__Location *l = NEW(t, Otlp__Location, otlp__location__init);
	struct code_place at = {};

	if (!l)
		return 0;
	l->lines = otlp_tables__alloc(t, nr * sizeof(*l->lines));
	for (size_t i = nr; i-- > 0 && l->lines;) {
		at = (struct code_place){};
		(void)profile__place_of(t->p, frames[i], &at);
		l->lines[l->n_lines] = line_of(t, frames[i], &at);
		l->n_lines += !t->err;
	}
	l->address = at.addr;
	l->mapping_index = mapping_of(t, frames[0]);
	if (type)
		set_attribute(t, &l->n_attribute_indices, &l->attribute_indices,
			      otlp_tables__text(t, "profile.frame.type", type));
	return otlp_table__add(t, &t->locations, l);
}

/* The child of a node, which is made if it is not there; *of has room for it. */
static uint32_t descend(struct otlp_tables *t, struct trie *trie, uint32_t node, uint32_t key,
			uint32_t **of, size_t *cap)
{
	const size_t had = *cap;
	uint32_t child = 0;

	if (t->err || trie__get(trie, node, key, &child))
		return child;
	if (failed(t, trie__add(trie, node, key)) || !trie__get(trie, node, key, &child) ||
	    failed(t, array__grow(of, cap, child + 1)))
		return 0;
	if (*cap > had)
		memset(*of + had, 0, (*cap - had) * sizeof(**of));
	return child;
}

static int32_t location_of(struct otlp_tables *t, const uint32_t *frames, size_t nr)
{
	uint32_t node = 0;

	for (size_t i = 0; i < nr; i++)
		node = descend(t, &t->frames, node, frames[i], &t->location_of, &t->cap_locations);
	if (!t->err && !t->location_of[node])
		t->location_of[node] = new_location(t, frames, nr);
	return t->err ? 0 : (int32_t)t->location_of[node];
}

/* @locations: the outermost first. */
static int32_t stack_of(struct otlp_tables *t, uint32_t node, const int32_t *locations, size_t nr)
{
	Otlp__Stack *s;

	if (t->err || t->stack_of[node])
		return t->err ? 0 : (int32_t)t->stack_of[node];
	s = NEW(t, Otlp__Stack, otlp__stack__init);
	if (!s)
		return 0;
	s->location_indices = otlp_tables__alloc(t, nr * sizeof(*s->location_indices));
	for (size_t i = 0; i < nr && s->location_indices; i++)
		s->location_indices[i] = locations[nr - 1 - i];
	s->n_location_indices = nr;
	t->stack_of[node] = otlp_table__add(t, &t->stacks, s);
	return (int32_t)t->stack_of[node];
}

static bool is_inlined(const struct otlp_tables *t, uint32_t frame)
{
	return t->p->frames[frame].kind == FRAME_INLINED;
}

/* Frames of a stack without its command, which is there when nothing else is. */
static size_t chain_of(struct otlp_tables *t, uint32_t node)
{
	size_t depth = profile__stack(t->p, node, NULL, 0);

	if (!depth || failed(t, array__grow(&t->chain, &t->cap_chain, depth)))
		return 0;
	profile__stack(t->p, node, t->chain, depth);
	if (depth == 1)
		return 1;
	memmove(t->chain, t->chain + 1, (depth - 1) * sizeof(*t->chain));
	return depth - 1;
}

int32_t otlp_tables__stack(struct otlp_tables *t, uint32_t node)
{
	const size_t nr = chain_of(t, node);
	int32_t *locations = otlp_tables__alloc(t, (nr + 1) * sizeof(*locations));
	size_t nr_locations = 0, end;
	uint32_t list = 0;

	for (size_t i = 0; i < nr && locations; i = end) {
		for (end = i + 1; end < nr && is_inlined(t, t->chain[end]);)
			end++;
		locations[nr_locations] = location_of(t, t->chain + i, end - i);
		list = descend(t, &t->lists, list, locations[nr_locations++], &t->stack_of,
			       &t->cap_stacks);
	}
	return nr_locations ? stack_of(t, list, locations, nr_locations) : 0;
}

int32_t otlp_tables__note(struct otlp_tables *t, const char *name)
{
	Otlp__Location *l = NEW(t, Otlp__Location, otlp__location__init);
	int32_t location;
	uint32_t list;

	if (!l)
		return 0;
	l->lines = otlp_tables__alloc(t, sizeof(*l->lines));
	if (l->lines)
		l->lines[0] = NEW(t, Otlp__Line, otlp__line__init);
	if (t->err)
		return 0;
	l->lines[0]->function_index = function_of(t, name, "", 0);
	l->n_lines = 1;
	location = otlp_table__add(t, &t->locations, l);
	list = descend(t, &t->lists, 0, location, &t->stack_of, &t->cap_stacks);
	return stack_of(t, list, &location, 1);
}

static void add_nothing(struct otlp_tables *t)
{
	otlp_tables__string(t, "");
	otlp_table__add(t, &t->mappings, NEW(t, Otlp__Mapping, otlp__mapping__init));
	otlp_table__add(t, &t->locations, NEW(t, Otlp__Location, otlp__location__init));
	otlp_table__add(t, &t->functions, NEW(t, Otlp__Function, otlp__function__init));
	otlp_table__add(t, &t->links, NEW(t, Otlp__Link, otlp__link__init));
	otlp_table__add(t, &t->attributes,
			NEW(t, Otlp__KeyValueAndUnit, otlp__key_value_and_unit__init));
	otlp_table__add(t, &t->stacks, NEW(t, Otlp__Stack, otlp__stack__init));
}

void otlp_tables__begin(struct otlp_tables *t, const struct profile *p)
{
	t->p = p;
	t->attribute_keys.width = 3;
	t->function_keys.width = 3;
	t->texts = strtab__new();
	t->values = strtab__new();
	if (failed(t, t->texts && t->values ? pprof_mappings__find(&t->files, p) : -ENOMEM))
		return;
	t->mapping_of = calloc(t->files.nr + 1, sizeof(*t->mapping_of));
	if (failed(t, t->mapping_of ? 0 : -ENOMEM))
		return;
	add_nothing(t);
}

void otlp_tables__end(struct otlp_tables *t)
{
	struct otlp_table *tables[] = { &t->mappings, &t->locations,  &t->functions, &t->links,
					&t->strings,  &t->attributes, &t->stacks };

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		free(tables[i]->items);
	arena__free(&t->arena);
	strtab__free(t->texts);
	strtab__free(t->values);
	tuples__free(&t->attribute_keys);
	tuples__free(&t->function_keys);
	pprof_mappings__free(&t->files);
	free(t->mapping_of);
	trie__free(&t->frames);
	trie__free(&t->lists);
	free(t->location_of);
	free(t->stack_of);
	free(t->chain);
}

void otlp_tables__fill(const struct otlp_tables *t, Otlp__ProfilesDictionary *d)
{
	d->n_mapping_table = t->mappings.nr;
	d->mapping_table = (Otlp__Mapping **)t->mappings.items;
	d->n_location_table = t->locations.nr;
	d->location_table = (Otlp__Location **)t->locations.items;
	d->n_function_table = t->functions.nr;
	d->function_table = (Otlp__Function **)t->functions.items;
	d->n_link_table = t->links.nr;
	d->link_table = (Otlp__Link **)t->links.items;
	d->n_string_table = t->strings.nr;
	d->string_table = (char **)t->strings.items;
	d->n_attribute_table = t->attributes.nr;
	d->attribute_table = (Otlp__KeyValueAndUnit **)t->attributes.items;
	d->n_stack_table = t->stacks.nr;
	d->stack_table = (Otlp__Stack **)t->stacks.items;
}
