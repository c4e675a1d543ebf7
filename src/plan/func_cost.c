// SPDX-License-Identifier: BSD-2-Clause
/* Measures an empty function of this program, to tell what measuring adds to each call. */
#include "plan/func_cost.h"

#include <errno.h>
#include <link.h>

#include "base/clock.h"
#include "lookup/resolve.h"
#include "plan/func_plan.h"

enum {
	ROUNDS = 20,
	CALLS = 1000, /* in a round */
};

/* What one round of calls has cost. */
struct round {
	uint64_t nr_calls;
	uint64_t sums[FUNC_VALUES_MAX];
	size_t nr_values;
};

struct search {
	uintptr_t address;
	uint64_t offset;
};

/*
 * It begins as functions do, by making a frame: the kernel emulates that instruction, while most
 * others are stepped through at several times the cost.
 */
static __attribute__((noinline, noclone)) void empty_call(void)
{
	__asm__ volatile("" ::"r"(__builtin_frame_address(0)));
}

static int find_offset(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type != PT_LOAD || s->address < start ||
		    s->address >= start + ph->p_memsz)
			continue;
		s->offset = s->address - start + ph->p_offset;
		return 1;
	}
	return 0;
}

static double call_often(void)
{
	void (*volatile call)(void) = empty_call;
	uint64_t start_ns = clock__now_ns();

	for (unsigned i = 0; i < CALLS; i++)
		call();
	return (double)(clock__now_ns() - start_ns) / CALLS;
}

static int closed(void *arg)
{
	(void)arg;
	return 0;
}

static int take_stack(void *arg, const struct sample_stack *s, uint32_t *handle)
{
	(void)arg;
	(void)s;
	*handle = 0;
	return 0;
}

static int take_count(void *arg, const struct sample_stack *s, uint32_t handle, uint64_t samples,
		      uint64_t weight, const struct table_value *values)
{
	struct round *r = arg;

	(void)s;
	(void)handle;
	(void)weight;
	r->nr_calls += samples;
	for (size_t i = 0; i < r->nr_values; i++)
		r->sums[i] += values[i].sum;
	return 0;
}

/* Keeps the cheapest round: others include interrupts and other tasks. */
static void keep_least(struct func_cost *out, const struct round *r, double caller_ns)
{
	for (size_t i = 0; i < r->nr_values; i++) {
		double mean = (double)r->sums[i] / (double)r->nr_calls;

		if (!out->nr_calls || mean < out->means[i])
			out->means[i] = mean;
		out->each[i] = out->means[i];
	}
	if (!out->nr_calls || caller_ns < out->caller_ns)
		out->caller_ns = caller_ns;
	out->nr_calls += r->nr_calls;
}

static int measure_rounds(struct func_cost *out, struct session *calls, size_t nr_values)
{
	int err = session__start(calls);

	for (unsigned i = 0; i < ROUNDS && !err; i++) {
		struct round r = { .nr_values = nr_values };
		const struct rows_reader reader = { closed, take_stack, take_count, &r };
		double caller_ns = call_often();

		err = session__flush(calls, &reader);
		if (!err && r.nr_calls)
			keep_least(out, &r, caller_ns);
	}
	return err;
}

static int measure(struct func_cost *out, const struct func_plan *plan, struct buf *why)
{
	struct target target = {};
	struct func_opts opts = { .target = &target, .max_stack = 1 };
	struct collector_opts unused = {};
	struct session *calls = NULL;
	int err = target__finish(&target, why);

	func_plan__put(plan, &opts, &unused);
	for (unsigned i = 0; i < ROUNDS; i++) {
		double ns = call_often();

		if (!i || ns < out->plain_ns)
			out->plain_ns = ns;
	}
	if (!err)
		err = func__open(&calls, &opts, why);
	if (!err)
		err = measure_rounds(out, calls, plan->nr_metrics);
	session__close(calls);
	target__free(&target);
	if (err)
		return err;
	out->caller_ns -= out->plain_ns;
	if (out->nr_calls)
		return 0;
	return buf__puts(why, "the probes' own cost could not be measured: no call of a function "
			      "of pmutrace itself was seen")
		       ? -ENOMEM
		       : -EIO;
}

int func_cost__measure(struct func_cost *out, const struct perf_events *events,
		       enum returns_way way, struct buf *why)
{
	struct search search = { .address = (uintptr_t)empty_call };
	struct func_plan plan = {};
	struct buf word = {};
	char *words[1];
	int err;

	*out = (struct func_cost){};
	dl_iterate_phdr(find_offset, &search);
	err = buf__printf(&word, "uprobe:/proc/self/exe:0x%llx", (unsigned long long)search.offset);
	words[0] = word.data;
	if (!err) {
		const struct func_plan_opts opts = {
			.env = &resolve_env,
			.words = words,
			.nr_words = 1,
			.events = events,
			.returns.way = way,
		};

		err = func_plan__make(&plan, &opts, why);
	}
	if (!err)
		err = measure(out, &plan, why);
	func_plan__free(&plan);
	buf__free(&word);
	return err;
}
