// SPDX-License-Identifier: BSD-2-Clause
#include "probe/sample_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

int sample_tables__map(struct sample_tables *t, int cpus_fd, int slots_fd, int store_fd)
{
	size_t regions = (size_t)t->nr_cpus * SAMPLE_GENERATIONS;
	int err;

	t->seen = calloc(regions, sizeof(*t->seen));
	if (!t->seen)
		return -ENOMEM;
	err = map_array((void **)&t->cpus, &t->cpus_bytes, cpus_fd,
			t->nr_cpus * sizeof(struct sample_cpu));
	if (!err)
		err = map_array((void **)&t->slots, &t->slots_bytes, slots_fd,
				(regions << t->slot_bits) * sizeof(struct sample_slot));
	if (!err)
		err = map_array((void **)&t->store, &t->store_bytes, store_fd,
				regions * t->chunks * sizeof(struct sample_chunk));
	return err;
}

void sample_tables__unmap(struct sample_tables *t)
{
	if (t->cpus)
		munmap(t->cpus, t->cpus_bytes);
	if (t->slots)
		munmap(t->slots, t->slots_bytes);
	if (t->store)
		munmap(t->store, t->store_bytes);
	for (size_t i = 0; t->seen && i < (size_t)t->nr_cpus * SAMPLE_GENERATIONS; i++)
		free(t->seen[i].handles);
	free(t->seen);
	*t = (struct sample_tables){};
}

static size_t region_of(uint32_t cpu, unsigned gen)
{
	return (size_t)cpu * SAMPLE_GENERATIONS + gen;
}

/*
 * The record at *pos of a region, or NULL at @end. *pos moves behind it. What the kernel wrote is
 * still checked: a record that does not fit ends the region.
 */
static const struct sample_record *next_record(const struct sample_tables *t, size_t region,
					       uint32_t *pos, uint32_t end)
{
	for (;;) {
		uint32_t at = *pos % SAMPLE_CHUNK_WORDS, chunk = *pos / SAMPLE_CHUNK_WORDS;
		const struct sample_record *r;

		if (*pos >= end || chunk >= t->chunks)
			return NULL;
		r = (const void *)&t->store[region * t->chunks + chunk].words[at];
		if (at + SAMPLE_RECORD_WORDS > SAMPLE_CHUNK_WORDS || !r->words) {
			*pos += SAMPLE_CHUNK_WORDS - at;
			continue;
		}
		if (r->words < SAMPLE_RECORD_WORDS || r->words > SAMPLE_CHUNK_WORDS - at ||
		    SAMPLE_RECORD_WORDS + 0u + r->key.nr_kernel + r->key.nr_user > r->words ||
		    r->slot >> t->slot_bits)
			return NULL;
		*pos += r->words;
		return r;
	}
}

static struct sample_stack view(const struct sample_record *r, const struct sample_slot *slots,
				uint32_t cpu)
{
	const uint64_t *frames = (const uint64_t *)(r + 1);

	return (struct sample_stack){
		.key = &r->key,
		.kernel = frames,
		.user = frames + r->key.nr_kernel,
		.cpu = cpu,
		.hash = slots[r->slot].hash,
		.check = slots[r->slot].check,
		.first_ns = r->first_ns,
	};
}

static int show_region(struct sample_tables *t, uint32_t cpu, unsigned gen, uint32_t end,
		       const struct sampler_fns *fns)
{
	const struct sample_slot *slots = &t->slots[region_of(cpu, gen) << t->slot_bits];
	struct sample_seen *seen = &t->seen[region_of(cpu, gen)];
	const struct sample_record *r;
	struct sample_stack stack;
	int err;

	while ((r = next_record(t, region_of(cpu, gen), &seen->shown_words, end))) {
		err = array__grow(&seen->handles, &seen->cap_handles, seen->nr_handles + 1);
		if (err)
			return err;
		stack = view(r, slots, cpu);
		err = fns->stack(fns->arg, &stack, &seen->handles[seen->nr_handles]);
		if (err)
			return err;
		seen->nr_handles++;
	}
	return 0;
}

int sample_tables__show(struct sample_tables *t, unsigned gen, bool all,
			const struct sampler_fns *fns)
{
	for (uint32_t cpu = 0; cpu < t->nr_cpus; cpu++) {
		struct sample_seen *seen = &t->seen[region_of(cpu, gen)];
		uint32_t words = __atomic_load_n(&t->cpus[cpu].gen[gen].words, __ATOMIC_ACQUIRE);
		int err = show_region(t, cpu, gen, all ? words : seen->safe_words, fns);

		if (err)
			return err;
		seen->safe_words = words;
	}
	return 0;
}

static int drain_region(struct sample_tables *t, uint32_t cpu, unsigned gen,
			const struct sampler_fns *fns)
{
	struct sample_slot *slots = &t->slots[region_of(cpu, gen) << t->slot_bits];
	struct sample_generation *g = &t->cpus[cpu].gen[gen];
	struct sample_seen *seen = &t->seen[region_of(cpu, gen)];
	const struct sample_record *r;
	struct sample_stack stack;
	uint32_t pos = 0;
	int err;

	for (size_t i = 0; i < seen->nr_handles; i++) {
		r = next_record(t, region_of(cpu, gen), &pos, g->words);
		if (!r)
			return -EBADMSG;
		stack = view(r, slots, cpu);
		err = fns->count(fns->arg, &stack, seen->handles[i], slots[r->slot].samples,
				 slots[r->slot].weight);
		if (err)
			return err;
		slots[r->slot] = (struct sample_slot){};
	}
	*g = (struct sample_generation){};
	seen->shown_words = seen->safe_words = 0;
	seen->nr_handles = 0;
	return 0;
}

int sample_tables__drain(struct sample_tables *t, unsigned gen, const struct sampler_fns *fns)
{
	int err = sample_tables__show(t, gen, true, fns);

	for (uint32_t cpu = 0; !err && cpu < t->nr_cpus; cpu++)
		err = drain_region(t, cpu, gen, fns);
	return err;
}

double sample_tables__fill(const struct sample_tables *t, unsigned gen)
{
	double fullest = 0, words = (double)t->chunks * SAMPLE_CHUNK_WORDS;

	for (uint32_t cpu = 0; cpu < t->nr_cpus; cpu++) {
		const struct sample_generation *g = &t->cpus[cpu].gen[gen];

		if (g->stacks / (double)t->max_stacks > fullest)
			fullest = g->stacks / (double)t->max_stacks;
		if (g->words / words > fullest)
			fullest = g->words / words;
	}
	return fullest;
}
