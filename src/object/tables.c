// SPDX-License-Identifier: BSD-2-Clause
/* Sizes, maps and drains the tables that programs fill, one generation while one is active. */
#include "object/tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "machine/cpus.h"
#include "object/bpf.h"
#include "object/grace.h"

enum {
	MAX_KEYS = 1 << 20,
	MOST_KEPT_BYTES = 256 << 10, /* of values mapped: all may be tens of MB */
	/*
	 * To enter a program and leave it, so that costs are those of BPF_ENABLE_STATS, and of
	 * bpftool. On busy guests that was 100 to 140 ns more than its span and a reading of the
	 * clock where one takes 20 to 25, and 50 on a faster machine, where it takes 16.
	 */
	ENTER_READINGS = 4,
	ENTER_MOST_NS = 120,
	NS_PER_MS = 1000000,
};

/* It is drained when it is fuller. */
static const double FULL = 0.5;

/*
 * What the clock takes, which a span of it has one reading of, not both: 20 ns of a TSC, a
 * microsecond of other clocks. The least of some, for others may have the CPU.
 */
static uint32_t clock_reading_ns(void)
{
	enum { TRIES = 5, READINGS = 20, MOST_NS = 100000 };
	uint64_t least_ns = MOST_NS;

	for (unsigned i = 0; i < TRIES; i++) {
		const uint64_t begin_ns = clock__now_ns();
		uint64_t ns = begin_ns;

		for (unsigned n = 0; n < READINGS; n++)
			ns = clock__now_ns();
		ns = (ns - begin_ns) / READINGS;
		if (ns < least_ns)
			least_ns = ns;
	}
	return (uint32_t)least_ns;
}

static uint32_t outside_ns(void)
{
	const uint32_t reading_ns = clock_reading_ns(), enter_ns = ENTER_READINGS * reading_ns;

	return reading_ns + (enter_ns < ENTER_MOST_NS ? enter_ns : ENTER_MOST_NS);
}

static int map_array(void **out, size_t *bytes, int fd, size_t need)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *at;

	need = (need + page - 1) / page * page;
	at = mmap(NULL, need, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	*out = at;
	*bytes = need;
	return 0;
}

static uint32_t bits_for(uint64_t n)
{
	uint32_t bits = 3;

	while (1ull << bits < n && bits < 31)
		bits++;
	return bits;
}

/* A map that table.bpf.h puts into every object. */
static struct bpf_map *map_of(const struct bpf_object *obj, const char *name)
{
	return bpf_object__find_map_by_name(obj, name);
}

int tables__size(struct tables *t, const struct tables_opts *opts, const struct bpf_object *obj)
{
	uint64_t words = opts->max_keys * opts->key_words, regions;
	int err = cpus__possible("", &t->nr_places);

	if (err)
		return err;
	if (opts->max_keys > MAX_KEYS || opts->lanes > TABLE_LANES)
		return -E2BIG;
	t->cfg.lanes = opts->lanes ? opts->lanes : 1;
	t->cfg.nr_values = opts->nr_values + (opts->exemplars ? TABLE_EXEMPLAR_VALUES : 0);
	t->cfg.exemplars = opts->exemplars;
	t->nr_places *= t->cfg.lanes;
	t->cfg.max_keys = opts->max_keys;
	t->cfg.max_words = opts->max_words;
	/* Three quarters empty even when full: TABLE_PROBES always suffice. */
	t->cfg.slot_bits = bits_for(opts->max_keys * 4);
	t->cfg.chunks = (words + TABLE_CHUNK_WORDS - 1) / TABLE_CHUNK_WORDS;
	t->cfg.run_ns = outside_ns();
	if (getrandom(&t->cfg.seed, sizeof(t->cfg.seed), GRND_NONBLOCK) != sizeof(t->cfg.seed))
		t->cfg.seed = (uintptr_t)t ^ getpid();

	regions = (uint64_t)t->nr_places * TABLE_GENERATIONS;
	if (regions << t->cfg.slot_bits > INT32_MAX || regions * t->cfg.chunks > INT32_MAX ||
	    regions * t->cfg.max_keys * t->cfg.nr_values > INT32_MAX)
		return -E2BIG;
	err = bpf_map__set_max_entries(map_of(obj, "cpus"), t->nr_places);
	if (!err)
		err = bpf_map__set_max_entries(map_of(obj, "slots"), regions << t->cfg.slot_bits);
	if (!err)
		err = bpf_map__set_max_entries(map_of(obj, "store"), regions * t->cfg.chunks);
	if (!err && t->cfg.nr_values)
		err = bpf_map__set_max_entries(map_of(obj, "values"),
					       regions * t->cfg.max_keys * t->cfg.nr_values);
	memcpy(bpf__variable(obj, "table"), &t->cfg, sizeof(t->cfg));
	return err;
}

int tables__map(struct tables *t, const struct bpf_object *obj)
{
	size_t regions = (size_t)t->nr_places * TABLE_GENERATIONS;
	int err;

	t->active = bpf__variable(obj, "table_active");
	t->seen = calloc(regions, sizeof(*t->seen));
	if (!t->seen)
		return -ENOMEM;
	err = map_array((void **)&t->cpus, &t->cpus_bytes, bpf_map__fd(map_of(obj, "cpus")),
			t->nr_places * sizeof(struct table_cpu));
	if (!err)
		err = map_array((void **)&t->slots, &t->slots_bytes,
				bpf_map__fd(map_of(obj, "slots")),
				(regions << t->cfg.slot_bits) * sizeof(struct table_slot));
	if (!err)
		err = map_array((void **)&t->store, &t->store_bytes,
				bpf_map__fd(map_of(obj, "store")),
				regions * t->cfg.chunks * sizeof(struct table_chunk));
	if (t->cfg.nr_values)
		t->values_fd = bpf_map__fd(map_of(obj, "values"));
	return err;
}

static void unmap_values(struct tables_seen *seen)
{
	if (seen->values)
		munmap(seen->values, seen->values_bytes);
	seen->values = NULL;
	seen->values_bytes = 0;
}

void tables__unmap(struct tables *t)
{
	if (t->cpus)
		munmap(t->cpus, t->cpus_bytes);
	if (t->slots)
		munmap(t->slots, t->slots_bytes);
	if (t->store)
		munmap(t->store, t->store_bytes);
	for (size_t i = 0; t->seen && i < (size_t)t->nr_places * TABLE_GENERATIONS; i++) {
		unmap_values(&t->seen[i]);
		free(t->seen[i].handles);
	}
	free(t->seen);
	*t = (struct tables){};
}

static size_t region_of(uint32_t place, unsigned gen)
{
	return (size_t)place * TABLE_GENERATIONS + gen;
}

/*
 * The record at *pos of a region, or NULL at @end. *pos moves behind it. Bounds are checked: a
 * record that does not fit ends the region.
 */
static const struct table_record *next_record(const struct tables *t, size_t region, uint32_t *pos,
					      uint32_t end)
{
	for (;;) {
		uint32_t at = *pos % TABLE_CHUNK_WORDS, chunk = *pos / TABLE_CHUNK_WORDS;
		const struct table_record *r;

		if (*pos >= end || chunk >= t->cfg.chunks)
			return NULL;
		r = (const void *)&t->store[region * t->cfg.chunks + chunk].words[at];
		if (at + TABLE_RECORD_WORDS > TABLE_CHUNK_WORDS || !r->words) {
			*pos += TABLE_CHUNK_WORDS - at;
			continue;
		}
		if (r->words < TABLE_RECORD_WORDS || r->words > TABLE_CHUNK_WORDS - at ||
		    r->slot >> t->cfg.slot_bits)
			return NULL;
		*pos += r->words;
		return r;
	}
}

/* Bounds are checked though only our programs write there. False: it is no key. */
static bool view(const struct tables *t, const struct table_record *r, uint32_t place,
		 const struct table_slot *slots, struct sample_stack *out)
{
	const uint64_t *words = (const uint64_t *)(r + 1);
	const uint32_t nr_words = r->words - TABLE_RECORD_WORDS;
	const struct sample_key *key = (const void *)words;

	if (nr_words < t->first || t->first + key->stack.nr_kernel + key->stack.nr_user > nr_words)
		return false;
	*out = (struct sample_stack){
		.key = key,
		.fields = words + SAMPLE_KEY_WORDS,
		.kernel = words + t->first,
		.user = words + t->first + key->stack.nr_kernel,
		.cpu = place / t->cfg.lanes,
		.hash = slots[r->slot].hash,
		.check = slots[r->slot].check,
		.first_ns = r->first_ns,
	};
	return true;
}

static int show_region(struct tables *t, uint32_t place, unsigned gen, uint32_t end,
		       const struct rows_reader *reader)
{
	const struct table_slot *slots = &t->slots[region_of(place, gen) << t->cfg.slot_bits];
	struct tables_seen *seen = &t->seen[region_of(place, gen)];
	const struct table_record *r;
	struct sample_stack stack;
	int err;

	while ((r = next_record(t, region_of(place, gen), &seen->shown_words, end))) {
		err = array__grow(&seen->handles, &seen->cap_handles, seen->nr_handles + 1);
		if (err)
			return err;
		if (!view(t, r, place, slots, &stack))
			return -EBADMSG;
		err = reader->stack(reader->arg, &stack, &seen->handles[seen->nr_handles]);
		if (err)
			return err;
		seen->nr_handles++;
	}
	return 0;
}

int tables__show(struct tables *t, unsigned gen, bool all, const struct rows_reader *reader)
{
	for (uint32_t place = 0; place < t->nr_places; place++) {
		struct tables_seen *seen = &t->seen[region_of(place, gen)];
		uint32_t words = __atomic_load_n(&t->cpus[place].gen[gen].words, __ATOMIC_ACQUIRE);
		int err = show_region(t, place, gen, all ? words : seen->safe_words, reader);

		if (err)
			return err;
		seen->safe_words = words;
	}
	return 0;
}

/* Maps the values of the region's keys that were shown; *values: NULL if keys have none. */
static int map_values(const struct tables *t, size_t region, const struct table_value **values)
{
	struct tables_seen *seen = &t->seen[region];
	const size_t page = sysconf(_SC_PAGESIZE), key_bytes = t->cfg.nr_values * sizeof(**values);
	const size_t start = region * t->cfg.max_keys * key_bytes, skip = start % page;
	size_t need = skip + seen->nr_handles * key_bytes;
	void *at;

	*values = NULL;
	if (!key_bytes || !seen->nr_handles)
		return 0;
	if (need > seen->values_bytes) {
		unmap_values(seen);
		need = (need + page - 1) / page * page;
		at = mmap(NULL, need, PROT_READ, MAP_SHARED, t->values_fd, start - skip);
		if (at == MAP_FAILED)
			return -errno;
		seen->values = at;
		seen->values_bytes = need;
	}
	*values = (const void *)((const char *)seen->values + skip);
	return 0;
}

/* Hands out the counts of a region's keys, and clears their slots. */
static int count_keys(struct tables *t, uint32_t place, unsigned gen,
		      const struct table_value *values, const struct rows_reader *reader)
{
	struct table_slot *slots = &t->slots[region_of(place, gen) << t->cfg.slot_bits];
	struct tables_seen *seen = &t->seen[region_of(place, gen)];
	const struct table_record *r;
	struct sample_stack stack;
	uint32_t pos = 0;
	int err;

	for (size_t i = 0; i < seen->nr_handles; i++) {
		const struct table_value *of_key = values ? &values[i * t->cfg.nr_values] : NULL;

		r = next_record(t, region_of(place, gen), &pos, t->cpus[place].gen[gen].words);
		if (!r || !view(t, r, place, slots, &stack))
			return -EBADMSG;
		if (of_key && t->cfg.exemplars)
			stack.exemplar =
				(const void *)&of_key[t->cfg.nr_values - TABLE_EXEMPLAR_VALUES];
		err = reader->count(reader->arg, &stack, seen->handles[i], slots[r->slot].count,
				    slots[r->slot].sum, of_key);
		if (err)
			return err;
		slots[r->slot] = (struct table_slot){};
	}
	return 0;
}

static uint64_t seen_in(const struct table_generation *g)
{
	return g->seen + g->lost[TABLE_LOST_BUSY];
}

static int drain_region(struct tables *t, uint32_t place, unsigned gen,
			const struct rows_reader *reader)
{
	struct table_generation *g = &t->cpus[place].gen[gen];
	struct tables_seen *seen = &t->seen[region_of(place, gen)];
	const struct table_value *values;
	int err = map_values(t, region_of(place, gen), &values);

	if (!err)
		err = count_keys(t, place, gen, values, reader);
	if (seen->values_bytes > MOST_KEPT_BYTES)
		unmap_values(seen);
	if (err)
		return err;
	t->drained_seen += seen_in(g);
	for (unsigned i = 0; i < TABLE_LOST_NR; i++)
		t->drained_lost[i] += g->lost[i];
	*g = (struct table_generation){};
	seen->shown_words = seen->safe_words = 0;
	seen->nr_handles = 0;
	return 0;
}

int tables__drain(struct tables *t, unsigned gen, const struct rows_reader *reader)
{
	int err = tables__show(t, gen, true, reader);

	for (uint32_t place = 0; !err && place < t->nr_places; place++)
		err = drain_region(t, place, gen, reader);
	return err;
}

double tables__fill(const struct tables *t, unsigned gen)
{
	double fullest = 0, words = (double)t->cfg.chunks * TABLE_CHUNK_WORDS;

	for (uint32_t place = 0; place < t->nr_places; place++) {
		const struct table_generation *g = &t->cpus[place].gen[gen];

		if (g->keys / (double)t->cfg.max_keys > fullest)
			fullest = g->keys / (double)t->cfg.max_keys;
		if (g->words / words > fullest)
			fullest = g->words / words;
	}
	return fullest;
}

unsigned tables__flip(struct tables *t)
{
	unsigned old = *t->active & 1;

	__atomic_store_n(t->active, old ^ 1, __ATOMIC_RELEASE);
	t->nr_drains++;
	return old;
}

static int drain_active(struct tables *t, const struct rows_reader *reader)
{
	unsigned old = tables__flip(t);
	int err = grace__wait();

	if (err)
		return err;
	err = reader->closed(reader->arg);
	return err ? err : tables__drain(t, old, reader);
}

/* A generation that has become the active one since the last look began empty. */
bool tables__is_half_full(struct tables *t)
{
	const double fill = tables__fill(t, *t->active & 1);
	const uint64_t now_ns = clock__now_ns();
	const double before = t->nr_drains == t->pace.nr_drains ? t->pace.fill : 0;

	if (now_ns > t->pace.ns && t->pace.ns)
		t->pace.per_ms = (fill - before) * NS_PER_MS / (double)(now_ns - t->pace.ns);
	t->pace.ns = now_ns;
	t->pace.fill = fill;
	t->pace.nr_drains = t->nr_drains;
	return fill > FULL;
}

int tables__poll(struct tables *t, bool stopped, const struct rows_reader *reader)
{
	unsigned active = *t->active & 1;
	int err;

	if (stopped) {
		err = reader->closed(reader->arg);
		return err ? err : tables__drain(t, active, reader);
	}
	err = tables__show(t, active, false, reader);
	if (tables__is_half_full(t) && !err)
		err = drain_active(t, reader);
	return err;
}

/*
 * At the speed of late it is half full by then. What speeds up all at once still finds what an
 * empty table has for it: room for LONG_MS at the same speed.
 */
unsigned tables__patience_ms(const struct tables *t)
{
	enum { SHORT_MS = 10, LONG_MS = 100 };
	const double fill = tables__fill(t, *t->active & 1), left = FULL - fill;
	double ms = LONG_MS * (1 - fill);

	if (t->pace.per_ms * ms > left)
		ms = left / t->pace.per_ms;
	return ms > SHORT_MS ? (unsigned)ms : SHORT_MS;
}

uint64_t tables__seen(const struct tables *t)
{
	uint64_t seen = t->drained_seen;

	for (uint32_t place = 0; place < t->nr_places; place++)
		for (unsigned gen = 0; gen < TABLE_GENERATIONS; gen++)
			seen += seen_in(&t->cpus[place].gen[gen]);
	return seen;
}

void tables__stats(const struct tables *t, uint64_t *seen, uint64_t lost[TABLE_LOST_NR])
{
	*seen = t->drained_seen;
	memcpy(lost, t->drained_lost, sizeof(t->drained_lost));
}

uint64_t tables__own_ns(const struct tables *t)
{
	uint64_t ns = 0;

	for (uint32_t place = 0; place < t->nr_places; place++)
		ns += __atomic_load_n(&t->cpus[place].own_ns, __ATOMIC_RELAXED);
	return ns;
}
