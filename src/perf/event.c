// SPDX-License-Identifier: BSD-2-Clause
#include "perf/event.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/parse.h"

static const struct generic {
	const char *name;
	uint32_t type;
	uint32_t config;
	const char *unit;
} generics[] = {
#define HW(n, c)                                                                                   \
	{                                                                                          \
		n, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##c, ""                                       \
	}
#define SW(n, c, u)                                                                                \
	{                                                                                          \
		n, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##c, u                                        \
	}
	HW("cycles", CPU_CYCLES),
	HW("cpu-cycles", CPU_CYCLES),
	HW("instructions", INSTRUCTIONS),
	HW("cache-references", CACHE_REFERENCES),
	HW("cache-misses", CACHE_MISSES),
	HW("branches", BRANCH_INSTRUCTIONS),
	HW("branch-instructions", BRANCH_INSTRUCTIONS),
	HW("branch-misses", BRANCH_MISSES),
	HW("bus-cycles", BUS_CYCLES),
	HW("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HW("idle-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HW("stalled-cycles-backend", STALLED_CYCLES_BACKEND),
	HW("idle-cycles-backend", STALLED_CYCLES_BACKEND),
	HW("ref-cycles", REF_CPU_CYCLES),
	SW("cpu-clock", CPU_CLOCK, "ns"),
	SW("task-clock", TASK_CLOCK, "ns"),
	SW("page-faults", PAGE_FAULTS, ""),
	SW("faults", PAGE_FAULTS, ""),
	SW("context-switches", CONTEXT_SWITCHES, ""),
	SW("cs", CONTEXT_SWITCHES, ""),
	SW("cpu-migrations", CPU_MIGRATIONS, ""),
	SW("migrations", CPU_MIGRATIONS, ""),
	SW("minor-faults", PAGE_FAULTS_MIN, ""),
	SW("major-faults", PAGE_FAULTS_MAJ, ""),
	SW("alignment-faults", ALIGNMENT_FAULTS, ""),
	SW("emulation-faults", EMULATION_FAULTS, ""),
#undef HW
#undef SW
};

const char *perf_event__name(size_t i)
{
	return i < ARRAY_SIZE(generics) ? generics[i].name : NULL;
}

bool perf_event__is_hardware(const struct perf_event_attr *attr)
{
	return attr->type != PERF_TYPE_SOFTWARE && attr->type != PERF_TYPE_TRACEPOINT &&
	       attr->type != PERF_TYPE_BREAKPOINT;
}

static bool same(const char *word, const char *s, size_t len)
{
	return strlen(word) == len && !strncasecmp(word, s, len);
}

/* The longest of the words that @s starts with, up to a '-' or the end; its index or -1. */
static int take_word(const char *const words[][4], size_t nr, const char **s, size_t *len)
{
	size_t best_len = 0;
	int best = -1;

	for (size_t i = 0; i < nr; i++) {
		for (size_t k = 0; k < 4 && words[i][k]; k++) {
			size_t n = strlen(words[i][k]);

			if (n > *len || n <= best_len || strncasecmp(words[i][k], *s, n))
				continue;
			if (n < *len && (*s)[n] != '-')
				continue;
			best = i;
			best_len = n;
		}
	}
	if (best < 0)
		return -1;
	if (best_len < *len)
		best_len++; /* the dash */
	*s += best_len;
	*len -= best_len;
	return best;
}

/* "L1-dcache-load-misses" -> cache | op << 8 | result << 16. False if it is none. */
static bool parse_cache(const char *s, size_t len, uint64_t *config)
{
	static const char *const caches[][4] = {
		[PERF_COUNT_HW_CACHE_L1D] = { "L1-dcache", "L1d", "l1-d" },
		[PERF_COUNT_HW_CACHE_L1I] = { "L1-icache", "L1i", "l1-i" },
		[PERF_COUNT_HW_CACHE_LL] = { "LLC", "L2" },
		[PERF_COUNT_HW_CACHE_DTLB] = { "dTLB", "d-tlb" },
		[PERF_COUNT_HW_CACHE_ITLB] = { "iTLB", "i-tlb" },
		[PERF_COUNT_HW_CACHE_BPU] = { "branch", "bpu", "btb", "bpc" },
		[PERF_COUNT_HW_CACHE_NODE] = { "node" },
	};
	static const char *const ops[][4] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = { "load", "loads", "read" },
		[PERF_COUNT_HW_CACHE_OP_WRITE] = { "store", "stores", "write" },
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = { "prefetch", "prefetches",
						      "speculative-read" },
	};
	static const char *const results[][4] = {
		[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = { "refs", "Reference", "ops", "access" },
		[PERF_COUNT_HW_CACHE_RESULT_MISS] = { "misses", "miss" },
	};
	int cache = take_word(caches, ARRAY_SIZE(caches), &s, &len);
	int op = take_word(ops, ARRAY_SIZE(ops), &s, &len);
	int result = take_word(results, ARRAY_SIZE(results), &s, &len);

	if (cache < 0 || len || (op < 0 && result < 0))
		return false;
	if (op < 0)
		op = PERF_COUNT_HW_CACHE_OP_READ;
	if (result < 0)
		result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	*config = cache | op << 8 | result << 16;
	return true;
}

static bool parse_raw(const char *s, size_t len, uint64_t *config)
{
	char hex[20];

	if (len < 2 || len > 17 || s[0] != 'r')
		return false;
	if (strspn(s + 1, "0123456789abcdefABCDEF") < len - 1)
		return false;
	hex[0] = '0';
	hex[1] = 'x';
	memcpy(hex + 2, s + 1, len - 1);
	hex[len + 1] = '\0';
	return !parse__u64(hex, 0, UINT64_MAX, config);
}

static int unknown_event(const char *s, size_t len, struct buf *why)
{
	char name[128];
	const char *near;
	int err;

	snprintf(name, sizeof(name), "%.*s", (int)len, s);
	if (strchr(name, ':') || strchr(name, '/'))
		err = buf__printf(why,
				  "cannot sample '%s': only hardware, software, cache and raw "
				  "(rNNNN) events have a rate",
				  name);
	else {
		near = nearest(name, &generics[0].name, ARRAY_SIZE(generics), sizeof(generics[0]));
		err = buf__printf(why, "unknown event '%s'%s%s%s", name,
				  near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	}
	return err ? err : -EINVAL;
}

static int parse_name(struct perf_event_spec *ev, const char *s, size_t len, struct buf *why)
{
	uint64_t config;

	ev->unit = "";
	for (size_t i = 0; i < ARRAY_SIZE(generics); i++) {
		if (!same(generics[i].name, s, len))
			continue;
		ev->attr.type = generics[i].type;
		ev->attr.config = generics[i].config;
		ev->unit = generics[i].unit;
		return 0;
	}
	if (parse_cache(s, len, &config))
		ev->attr.type = PERF_TYPE_HW_CACHE;
	else if (parse_raw(s, len, &config))
		ev->attr.type = PERF_TYPE_RAW;
	else
		return unknown_event(s, len, why);
	ev->attr.config = config;
	return 0;
}

/*
 * As in perf: naming a privilege level excludes those not named. G and H work alike for
 * guest and host.
 */
static int parse_modifiers(struct perf_event_spec *ev, const char *s, size_t len, struct buf *why)
{
	bool u = false, k = false, h = false, guest = false, host = false;
	int err;

	for (size_t i = 0; i < len; i++) {
		switch (s[i]) {
		case 'u':
			u = true;
			break;
		case 'k':
			k = true;
			break;
		case 'h':
			h = true;
			break;
		case 'G':
			guest = true;
			break;
		case 'H':
			host = true;
			break;
		case 'I':
			ev->attr.exclude_idle = 1;
			break;
		case 'p':
			if (ev->attr.precise_ip < 3)
				ev->attr.precise_ip++;
			break;
		case 'P':
			ev->attr.precise_ip = 3;
			break;
		case 'D':
			ev->attr.pinned = 1;
			break;
		case 'e':
			ev->attr.exclusive = 1;
			break;
		default:
			err = buf__printf(why, "unknown modifier '%c' in ':%.*s'; known: %s", s[i],
					  (int)len, s, "u k h I G H p P D e");
			return err ? err : -EINVAL;
		}
	}
	if (u || k || h) {
		ev->attr.exclude_user = !u;
		ev->attr.exclude_kernel = !k;
		ev->attr.exclude_hv = !h;
	}
	if (guest || host) {
		ev->attr.exclude_guest = !guest;
		ev->attr.exclude_host = !host;
	}
	return 0;
}

static int parse_rate(struct perf_event_spec *ev, const char *s, size_t len, struct buf *why)
{
	bool hz = len > 2 && !strncasecmp(s + len - 2, "hz", 2);
	char number[32];
	int err;

	snprintf(number, sizeof(number), "%.*s", (int)(hz ? len - 2 : len), s);
	err = parse__count(number, 1, INT64_MAX, hz ? &ev->hz : &ev->period);
	if (!err)
		return 0;
	err = buf__printf(why, "'@%.*s' is no rate; write @99hz or, as a period, @100000", (int)len,
			  s);
	return err ? err : -EINVAL;
}

static int parse_one(struct perf_event_spec *ev, const char *spec, size_t len, struct buf *why)
{
	const char *at = memchr(spec, '@', len), *colon;
	size_t named = at ? (size_t)(at - spec) : len, base;
	int err;

	*ev = (struct perf_event_spec){ .attr.size = sizeof(ev->attr) };
	if (!named || named >= sizeof(ev->name)) {
		err = buf__printf(why, named ? "event name too long" : "empty event name");
		return err ? err : -EINVAL;
	}
	memcpy(ev->name, spec, named);
	colon = memchr(spec, ':', named);
	base = colon ? (size_t)(colon - spec) : named;
	err = parse_name(ev, spec, base, why);
	if (err == -EINVAL && colon && named - base > 4) {
		/* Not a modifier by its length: "sched:sched_switch". */
		buf__clear(why);
		return unknown_event(spec, named, why);
	}
	if (!err && colon)
		err = parse_modifiers(ev, colon + 1, named - base - 1, why);
	if (!err && at)
		err = parse_rate(ev, at + 1, len - named - 1, why);
	return err;
}

int perf_event__parse(struct perf_event_spec *ev, const char *spec, struct buf *why)
{
	return parse_one(ev, spec, strlen(spec), why);
}

int perf_event__parse_list(struct perf_event_spec **out, size_t *nr, size_t *cap, const char *specs,
			   struct buf *why)
{
	for (;;) {
		size_t len = strcspn(specs, ",");
		int err = array__grow(out, cap, *nr + 1);

		if (!err)
			err = parse_one(&(*out)[*nr], specs, len, why);
		if (err)
			return err;
		++*nr;
		if (!specs[len])
			return 0;
		specs += len + 1;
	}
}
