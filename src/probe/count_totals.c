// SPDX-License-Identifier: BSD-2-Clause
/* Counts without a key: a total for each probe and CPU, in a map that is read as memory. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine/cpus.h"
#include "probe/count_session.h"

enum { LINE_TOTALS = 8 }; /* a cache line: CPUs share none */

int hook__size_totals(struct hook *k)
{
	int err = cpus__possible("", &k->nr_cpus);

	if (err)
		return err;
	k->row_totals = (k->nr_totals + LINE_TOTALS - 1) / LINE_TOTALS * LINE_TOTALS;
	k->reported = calloc(k->nr_totals, sizeof(*k->reported));
	if (!k->reported)
		return -ENOMEM;
	return bpf_map__set_max_entries(k->skel->maps.totals, k->nr_cpus * k->row_totals);
}

int hook__map_totals(struct hook *k)
{
	size_t page = sysconf(_SC_PAGESIZE), bytes = (size_t)k->nr_cpus * k->row_totals * 8;
	void *at;

	bytes = (bytes + page - 1) / page * page;
	at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, bpf_map__fd(k->skel->maps.totals), 0);
	if (at == MAP_FAILED)
		return -errno;
	k->totals = at;
	k->totals_bytes = bytes;
	return 0;
}

void hook__unmap_totals(struct hook *k)
{
	if (k->totals)
		munmap(k->totals, k->totals_bytes);
	k->totals = NULL;
	free(k->reported);
	k->reported = NULL;
}

static uint64_t total_of(const struct hook *k, uint32_t source)
{
	uint64_t sum = 0;

	for (uint32_t cpu = 0; cpu < k->nr_cpus; cpu++)
		sum += __atomic_load_n(&k->totals[(size_t)cpu * k->row_totals + source],
				       __ATOMIC_RELAXED);
	return sum;
}

uint64_t hook__total(const struct hook *k)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < k->nr_totals; i++)
		sum += total_of(k, i);
	return sum;
}

uint64_t hook__reported(const struct hook *k)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < k->nr_totals; i++)
		sum += k->reported[i];
	return sum;
}

int count__report(uint32_t number, uint64_t seen, uint64_t *reported,
		  const struct rows_reader *reader)
{
	struct sample_key key = { .stack.source = number };
	struct sample_stack stack = { .key = &key };
	uint64_t n = seen - *reported;
	uint32_t handle;
	int err;

	if (!n)
		return 0;
	err = reader->stack(reader->arg, &stack, &handle);
	if (!err)
		err = reader->count(reader->arg, &stack, handle, n, n, NULL);
	*reported = seen;
	return err;
}

int hook__poll_totals(struct hook *k, const struct rows_reader *reader)
{
	int err = 0;

	for (uint32_t i = 0; i < k->nr_totals && !err; i++)
		err = count__report(k->probes[i]->number, total_of(k, i), &k->reported[i], reader);
	return err;
}
