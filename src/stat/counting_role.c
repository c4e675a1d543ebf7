// SPDX-License-Identifier: BSD-2-Clause
/* Tables from perf_event_attr (type, config) to the role that metrics know an event by. */
#include "stat/counting_role.h"

#include "base/array.h"

static enum count_role cache_role(uint64_t config)
{
	static const struct {
		uint32_t cache;
		enum count_role loads, misses;
	} roles[] = {
		{ PERF_COUNT_HW_CACHE_L1D, ROLE_L1D_LOADS, ROLE_L1D_LOAD_MISSES },
		{ PERF_COUNT_HW_CACHE_L1I, ROLE_L1I_LOADS, ROLE_L1I_LOAD_MISSES },
		{ PERF_COUNT_HW_CACHE_LL, ROLE_LLC_LOADS, ROLE_LLC_LOAD_MISSES },
		{ PERF_COUNT_HW_CACHE_DTLB, ROLE_DTLB_LOADS, ROLE_DTLB_LOAD_MISSES },
		{ PERF_COUNT_HW_CACHE_ITLB, ROLE_ITLB_LOADS, ROLE_ITLB_LOAD_MISSES },
	};

	if ((config >> 8 & 0xff) != PERF_COUNT_HW_CACHE_OP_READ)
		return ROLE_NONE;
	for (size_t i = 0; i < ARRAY_SIZE(roles); i++)
		if (roles[i].cache == (config & 0xff))
			return config >> 16 ? roles[i].misses : roles[i].loads;
	return ROLE_NONE;
}

enum count_role counting_role(const struct perf_event_attr *attr)
{
	static const enum count_role hardware[] = {
		[PERF_COUNT_HW_CPU_CYCLES] = ROLE_CYCLES,
		[PERF_COUNT_HW_INSTRUCTIONS] = ROLE_INSTRUCTIONS,
		[PERF_COUNT_HW_CACHE_REFERENCES] = ROLE_CACHE_REFS,
		[PERF_COUNT_HW_CACHE_MISSES] = ROLE_CACHE_MISSES,
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = ROLE_BRANCHES,
		[PERF_COUNT_HW_BRANCH_MISSES] = ROLE_BRANCH_MISSES,
		[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = ROLE_STALLED_FRONT,
		[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = ROLE_STALLED_BACK,
		[PERF_COUNT_HW_REF_CPU_CYCLES] = ROLE_REF_CYCLES,
	};

	if (attr->type == PERF_TYPE_HARDWARE && attr->config < ARRAY_SIZE(hardware))
		return hardware[attr->config];
	if (attr->type == PERF_TYPE_HW_CACHE)
		return cache_role(attr->config);
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_TASK_CLOCK)
		return ROLE_TASK_CLOCK;
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_CPU_CLOCK)
		return ROLE_CPU_CLOCK;
	return ROLE_NONE;
}
