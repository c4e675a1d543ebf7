// SPDX-License-Identifier: BSD-2-Clause
/* Generic hardware and software events, raw codes, "TYPE:CONFIG": what needs no sysfs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "event/event_parse.h"
#include "event/pmu_terms.h"

static const char DIGITS[] = "0123456789", HEX_DIGITS[] = "0123456789abcdefABCDEF";

static const struct perf_event_name generics[] = {
#define HW(n, a, c, t)                                                                             \
	{                                                                                          \
		n, a, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##c, "", t                                 \
	}
#define SW(n, a, c, u, t)                                                                          \
	{                                                                                          \
		n, a, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##c, u, t                                  \
	}
	HW("cycles", "cpu-cycles", CPU_CYCLES, "clock cycles of the CPU, while it is not idle"),
	HW("instructions", NULL, INSTRUCTIONS, "instructions retired"),
	HW("cache-references", NULL, CACHE_REFERENCES, "accesses to the last level cache, mostly"),
	HW("cache-misses", NULL, CACHE_MISSES, "misses of the last level cache, mostly"),
	HW("branches", "branch-instructions", BRANCH_INSTRUCTIONS, "branches retired"),
	HW("branch-misses", NULL, BRANCH_MISSES, "branches that were predicted wrong"),
	HW("bus-cycles", NULL, BUS_CYCLES, "clock cycles of the bus, at a fixed rate"),
	HW("stalled-cycles-frontend", "idle-cycles-frontend", STALLED_CYCLES_FRONTEND,
	   "cycles without an instruction to issue"),
	HW("stalled-cycles-backend", "idle-cycles-backend", STALLED_CYCLES_BACKEND,
	   "cycles in which nothing could be retired"),
	HW("ref-cycles", NULL, REF_CPU_CYCLES, "cycles at a fixed rate, while not idle"),
	SW("cpu-clock", NULL, CPU_CLOCK, "ns", "time of the CPU"),
	SW("task-clock", NULL, TASK_CLOCK, "ns", "time that tasks ran"),
	SW("page-faults", "faults", PAGE_FAULTS, "", "page faults, minor and major"),
	SW("context-switches", "cs", CONTEXT_SWITCHES, "", "switches to another task"),
	SW("cpu-migrations", "migrations", CPU_MIGRATIONS, "", "moves of a task to another CPU"),
	SW("minor-faults", NULL, PAGE_FAULTS_MIN, "", "page faults without reading from a disk"),
	SW("major-faults", NULL, PAGE_FAULTS_MAJ, "", "page faults that had to read"),
	SW("alignment-faults", NULL, ALIGNMENT_FAULTS, "", "unaligned accesses that trapped"),
	SW("emulation-faults", NULL, EMULATION_FAULTS, "", "instructions that the kernel emulated"),
	SW("dummy", NULL, DUMMY, "", "counts nothing"),
	SW("bpf-output", NULL, BPF_OUTPUT, "", "what BPF programs write; counts nothing"),
	SW("cgroup-switches", NULL, CGROUP_SWITCHES, "", "switches to a task of another cgroup"),
#undef HW
#undef SW
};

const struct perf_event_name *perf_event__name(size_t i)
{
	return i < ARRAY_SIZE(generics) ? &generics[i] : NULL;
}

bool perf_event__is_hardware(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
	       attr->type == PERF_TYPE_RAW;
}

/* Names of `perf list` and aliases; of cache events the names only. */
bool event__nearest(const char *name, char *out, size_t size)
{
	enum { CACHE_EVENTS_MAX = 64, CACHE_NAME_MAX = 48 };
	char cache_names[CACHE_EVENTS_MAX][CACHE_NAME_MAX];
	const char *known[2 * ARRAY_SIZE(generics) + CACHE_EVENTS_MAX], *near;
	size_t nr = 0, nr_cache = 0, i;

	for (i = 0; i < ARRAY_SIZE(generics); i++) {
		known[nr++] = generics[i].name;
		known[nr++] = generics[i].alias;
	}
	for (i = 0; i < PERF_COUNT_HW_CACHE_MAX * 8 && nr_cache < CACHE_EVENTS_MAX; i++) {
		uint64_t config = i / 8 | (i & 3) << 8 | (i >> 2 & 1) << 16;

		if (perf_event__cache_name(config, cache_names[nr_cache], CACHE_NAME_MAX))
			known[nr++] = cache_names[nr_cache++];
	}
	near = nearest(name, known, nr, sizeof(*known));
	if (near)
		snprintf(out, size, "%s", near);
	return near;
}

static bool same(const char *word, const char *s, size_t len)
{
	return word && strlen(word) == len && !strncmp(word, s, len);
}

static const struct perf_event_name *find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(generics); i++)
		if (same(generics[i].name, name, len) || same(generics[i].alias, name, len))
			return &generics[i];
	return NULL;
}

static bool parse_raw(const char *s, size_t len, uint64_t *config)
{
	char hex[20];

	if (len < 2 || len > 17 || s[0] != 'r')
		return false;
	if (strspn(s + 1, HEX_DIGITS) < len - 1)
		return false;
	hex[0] = '0';
	hex[1] = 'x';
	memcpy(hex + 2, s + 1, len - 1);
	hex[len + 1] = '\0';
	return !parse__u64(hex, 0, UINT64_MAX, config);
}

size_t event__number_len(const char *s, size_t len)
{
	bool hex = len > 2 && s[0] == '0' && s[1] == 'x' && memchr(HEX_DIGITS, s[2], 22);
	const char *digits = hex ? HEX_DIGITS : DIGITS;
	size_t n = hex ? 2 : 0;

	while (n < len && s[n] && strchr(digits, s[n]))
		n++;
	return n;
}

static int parse_number(const char *s, size_t len, uint64_t max, uint64_t *out)
{
	char text[32];

	if (len >= sizeof(text))
		return -ERANGE;
	snprintf(text, sizeof(text), "%.*s", (int)len, s);
	return parse__u64(text, 0, max, out);
}

size_t event__type_and_config_len(const char *s, size_t len)
{
	size_t type = event__number_len(s, len), config;

	if (!type || type == len || s[type] != ':')
		return 0;
	config = event__number_len(s + type + 1, len - type - 1);
	return config ? type + 1 + config : 0;
}

/* perf_event_attr's type and config in numbers: "1:2", "4:0x1b0". */
static int parse_type_and_config(struct event_parser *p, const char *s, size_t len, uint64_t *type,
				 uint64_t *config)
{
	size_t type_len = event__number_len(s, len);

	if (len < 3 || event__type_and_config_len(s, len) != len)
		return -ENOENT;
	if (parse_number(s, type_len, UINT32_MAX, type))
		return event__refuse(p, -EINVAL, "'%.*s': a type has 32 bits", (int)len, s);
	if (parse_number(s + type_len + 1, len - type_len - 1, UINT64_MAX, config))
		return event__refuse(p, -EINVAL, "'%.*s': a config has 64 bits", (int)len, s);
	return 0;
}

/* -ENOENT: it is none of these. */
static int look_up(struct event_parser *p, const char *name, size_t len, uint64_t *type,
		   uint64_t *config, const char **unit)
{
	const struct perf_event_name *generic = find(name, len);

	*unit = generic ? generic->unit : "";
	if (generic) {
		*type = generic->type;
		*config = generic->config;
		return 0;
	}
	if (parse_raw(name, len, config)) {
		*type = PERF_TYPE_RAW;
		return 0;
	}
	*type = PERF_TYPE_HW_CACHE;
	if (!(name[0] >= '0' && name[0] <= '9'))
		return event__cache(p, name, len, config);
	return parse_type_and_config(p, name, len, type, config);
}

int event__generic(struct event_parser *p, const char *name, size_t len)
{
	const struct pmu_terms none = { .scale = 1 };
	struct pmu_terms t = none;
	const char *unit;
	uint64_t type;
	int err = look_up(p, name, len, &type, &t.config[0], &unit);

	if (err)
		return err;
	snprintf(t.unit, sizeof(t.unit), "%s", unit);
	return event__add_terms(p, type, &t, name, len);
}

int event__generic_terms(struct event_parser *p, const char *name, size_t len, const char *terms,
			 size_t terms_len)
{
	char text[64];
	const struct pmu_words words = { .pmu = text };
	struct pmu_terms t;
	const char *unit;
	uint64_t type, config;
	int err = look_up(p, name, len, &type, &config, &unit);

	if (err)
		return err;
	snprintf(text, sizeof(text), "%.*s", (int)len, name);
	err = pmu_terms__parse(&t, &words, terms, terms_len, p->why);
	if (err) {
		event__at(p, terms + t.bad, t.bad_len);
		return err;
	}
	/* A config among the terms takes the place of the name's, as with perf. */
	if (!(t.whole & 1)) {
		t.config[0] = config;
		snprintf(t.unit, sizeof(t.unit), "%s", unit);
	}
	return event__add_terms(p, type, &t, name, len + terms_len + 2);
}
