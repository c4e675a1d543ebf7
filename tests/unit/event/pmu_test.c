// SPDX-License-Identifier: BSD-2-Clause
/* PMUs as sysfs shows them; the files are those of real machines, the values worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event/pmu.h"
#include "event/pmu_terms.h"

#define DEVICES "/sys/bus/event_source/devices/"

struct file {
	const char *path, *text;
};

static const struct file machine[] = {
	/* An Intel core PMU. */
	{ "cpu/type", "4\n" },
	{ "cpu/caps/max_precise", "3\n" },
	{ "cpu/format/event", "config:0-7\n" },
	{ "cpu/format/umask", "config:8-15\n" },
	{ "cpu/format/inv", "config:23\n" },
	{ "cpu/format/cmask", "config:24-31\n" },
	{ "cpu/format/in_tx", "config:32\n" },
	{ "cpu/format/offcore_rsp", "config1:0-63\n" },
	{ "cpu/format/ldlat", "config1:0-15\n" },
	{ "cpu/format/metrics_clear", "config4:0\n" },
	{ "cpu/events/cpu-cycles", "event=0x3c\n" },
	{ "cpu/events/cycles-t", "event=0x3c,in_tx=1\n" },
	{ "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },
	{ "cpu/events/stalls", "event=0x423,inv,cmask=0x3\n" },
	/* AMD's event number lies in two places. */
	{ "amd/type", "60\n" },
	{ "amd/format/event", "config:0-7,32-35\n" },
	{ "amd/format/odd", "config1:44,6-10,1\n" },
	/* ARM: big and little. */
	{ "armv8_cortex_a53/type", "8\n" },
	{ "armv8_cortex_a53/cpus", "0-3\n" },
	{ "armv8_cortex_a53/format/event", "config:0-15\n" },
	{ "armv8_cortex_a53/format/long", "config1:0\n" },
	{ "armv8_cortex_a53/events/cpu_cycles", "event=0x0011\n" },
	/* Around the CPU. */
	{ "uncore_imc_10/type", "25\n" },
	{ "uncore_imc_10/cpumask", "0,18\n" },
	{ "uncore_imc_2/type", "24\n" },
	{ "uncore_imc_2/cpumask", "0,18\n" },
	{ "uncore_imc_2/format/event", "config:0-7\n" },
	{ "uncore_imc_2/format/umask", "config:8-15\n" },
	{ "uncore_imc_2/events/cas_count_read", "event=0x04,umask=0x03\n" },
	{ "uncore_imc_2/events/cas_count_read.scale", "6.103515625e-5\n" },
	{ "uncore_imc_2/events/cas_count_read.unit", "MiB\n" },
	{ "uncore_imc_2/events/broken", "event=0x05\n" },
	{ "uncore_imc_2/events/broken.scale", "1e\n" },
	{ "power/type", "9\n" },
	{ "power/cpumask", "\n" },
	{ "power/format/event", "config:0-7\n" },
	{ "power/events/energy-pkg", "event=0x02\n" },
	{ "power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n" },
	{ "power/events/energy-pkg.unit", "Joules\n" },
	{ "power/events/energy-pkg.per-pkg", "1\n" },
	/* A scale that is there and cannot be read, by root neither. */
	{ "power/events/energy-ram", "event=0x03\n" },
	{ "power/events/energy-ram.scale/folder", "1\n" },
	/* POWER: events with holes. */
	{ "hv_24x7/type", "11\n" },
	{ "hv_24x7/format/domain", "config:0-3\n" },
	{ "hv_24x7/format/core", "config:16-31\n" },
	{ "hv_24x7/format/offset", "config:32-63\n" },
	{ "hv_24x7/events/PM_INST", "domain=0x2,offset=0xE0,core=?\n" },
	/* Without type it is none; nor with a list of CPUs that makes no sense. */
	{ "half/format/event", "config:0-7\n" },
	{ "nonsense/type", "30\n" },
	{ "nonsense/cpumask", "0-\n" },
};

static void put_file(const char *root, const char *path, const char *text)
{
	char full[512], *slash;
	FILE *f;

	snprintf(full, sizeof(full), "%s" DEVICES "%s", root, path);
	for (slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static int make_machine(void **state)
{
	char *root = strdup("/tmp/pmu_test.XXXXXX");

	if (!root || !mkdtemp(root))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(machine); i++)
		put_file(root, machine[i].path, machine[i].text);
	*state = root;
	return 0;
}

static int remove_machine(void **state)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", (char *)*state);
	free(*state);
	return system(cmd);
}

static struct pmu_terms parse(const char *root, const char *pmu, const char *terms)
{
	struct pmu_terms out;
	struct buf why = {};

	if (pmu__parse_terms(root, pmu, terms, strlen(terms), &out, &why))
		fail_msg("%s/%s/: %s", pmu, terms, why.data ? why.data : "no reason");
	buf__free(&why);
	return out;
}

static void assert_config(const char *root, const char *pmu, const char *terms, uint64_t config)
{
	assert_int_equal(parse(root, pmu, terms).config[0], config);
}

static void assert_refused(const char *root, const char *pmu, const char *terms,
			   const char *because)
{
	struct pmu_terms out;
	struct buf why = {};

	assert_int_equal(pmu__parse_terms(root, pmu, terms, strlen(terms), &out, &why), -EINVAL);
	if (!strstr(why.data, because))
		fail_msg("'%s' is not in '%s'", because, why.data);
	buf__free(&why);
}

static void pmus_are_sorted_and_nonsense_is_left_out(void **state)
{
	static const char *const names[] = { "amd",   "armv8_cortex_a53", "cpu",	  "hv_24x7",
					     "power", "uncore_imc_2",	  "uncore_imc_10" };
	struct pmu *pmus;
	size_t nr;

	assert_int_equal(pmus__read(*state, &pmus, &nr), 0);
	assert_int_equal(nr, ARRAY_SIZE(names));
	for (size_t i = 0; i < nr; i++)
		assert_string_equal(pmus[i].name, names[i]);
	pmus__free(pmus, nr);
}

static void a_pmu_says_where_it_counts(void **state)
{
	const struct pmu *arm, *cpu, *power, *imc;
	struct pmu *pmus;
	size_t nr;

	assert_int_equal(pmus__read(*state, &pmus, &nr), 0);
	assert_int_equal(nr, 7);
	arm = &pmus[1];
	cpu = &pmus[2];
	power = &pmus[4];
	imc = &pmus[5];
	assert_true(arm->core && !arm->any_cpu);
	assert_int_equal(arm->nr_cpus, 4);
	assert_int_equal(arm->cpus[3], 3);
	assert_int_equal(arm->max_precise, PMU_PRECISE_UNKNOWN);
	assert_true(cpu->core && cpu->any_cpu);
	assert_int_equal(cpu->type, 4);
	assert_int_equal(cpu->max_precise, 3);
	assert_false(imc->core || imc->any_cpu);
	assert_int_equal(imc->type, 24);
	assert_int_equal(imc->nr_cpus, 2);
	assert_int_equal(imc->cpus[1], 18);
	/* A package whose CPUs are all offline is not one that does not care. */
	assert_false(power->any_cpu);
	assert_int_equal(power->nr_cpus, 0);
	pmus__free(pmus, nr);
}

static void a_machine_without_sysfs_has_none(void **state)
{
	struct pmu *pmus;
	size_t nr;

	assert_int_equal(pmus__read("/nonexistent", &pmus, &nr), -ENOENT);
	assert_null(pmus);
	assert_int_equal(nr, 0);
}

/* The numbers of include/uapi/linux/perf_event.h. */
static void the_running_kernel_has_its_software_pmu(void **state)
{
	struct pmu *pmus;
	bool found = false;
	size_t nr;

	if (pmus__read("", &pmus, &nr))
		skip();
	for (size_t i = 0; i < nr; i++) {
		if (strcmp(pmus[i].name, "software"))
			continue;
		found = true;
		assert_int_equal(pmus[i].type, 1);
		assert_true(pmus[i].any_cpu && !pmus[i].core);
	}
	pmus__free(pmus, nr);
	assert_true(found);
}

static bool matches(const char *pmu, const char *pattern)
{
	return pmu__matches(pmu, pattern, strlen(pattern));
}

static void a_pattern_means_one_pmu_or_its_whole_kind(void **state)
{
	assert_true(matches("cpu", "cpu"));
	assert_true(matches("uncore_imc", "uncore_imc"));
	assert_true(matches("uncore_imc_0", "uncore_imc"));
	assert_true(matches("uncore_imc_10", "imc"));
	assert_true(matches("uncore_imc_10", "imc_10"));
	assert_true(matches("imx8_ddr0", "imx8_ddr"));
	assert_true(matches("smmuv3_pmcg_2b442", "smmuv3_pmcg"));
	assert_true(matches("uncore_cha_3", "uncore_c*"));
	assert_true(matches("uncore_cha_3", "c?a_*"));
	assert_true(pmu__matches("cpu", "cpu/event=1/", 3));
	assert_false(matches("uncore_imc_free_running_0", "uncore_imc"));
	assert_false(matches("uncore_imc_10", "uncore_imc_1"));
	assert_false(matches("cpu_atom", "cpu"));
	assert_false(matches("cpum_cf", "cpum"));
	assert_false(matches("armv8_cortex_a53", "armv8_cortex"));
	assert_false(matches("CPU", "cpu"));
	assert_false(matches("cpu", "cpu_"));
	assert_false(matches("uncore_imc_", "uncore_imc"));
	assert_false(matches("cpu", ""));
	assert_false(matches("uncore_imc", "uncore_"));
}

static void terms_go_where_the_format_says(void **state)
{
	struct pmu_terms t = parse(*state, "cpu", "event=0x3c,umask=0x1,inv,cmask=2");

	assert_int_equal(t.config[0], 0x0280013c);
	assert_int_equal(t.config[1], 0);
	assert_true(t.scale == 1);
	assert_string_equal(t.unit, "");
	assert_config(*state, "cpu", "event=60,in_tx", 0x10000003c);
	assert_config(*state, "cpu", "event=0xff,umask=255", 0xffff);
	assert_config(*state, "cpu", "", 0);
	t = parse(*state, "cpu", "event=0xb7,umask=0x1,offcore_rsp=0xffffffffffffffff");
	assert_int_equal(t.config[0], 0x1b7);
	assert_int_equal(t.config[1], UINT64_MAX);
	t = parse(*state, "armv8_cortex_a53", "event=0x11,long");
	assert_int_equal(t.config[0], 0x11);
	assert_int_equal(t.config[1], 1);
}

/* Bits 1, 6 to 10 and 44, in this order, however they are written down. */
static void split_fields_are_filled_from_their_lowest_bit(void **state)
{
	assert_config(*state, "amd", "event=0x1c2", 0x1000000c2);
	assert_config(*state, "amd", "event=0xfff", 0xf000000ff);
	assert_int_equal(parse(*state, "amd", "odd=0x41").config[1], 0x100000000002);
	assert_int_equal(parse(*state, "amd", "odd=0x2").config[1], 0x40);
	assert_refused(*state, "amd", "event=0x1000", "'event' is 12 bits wide (config:0-7,32-35)");
	assert_refused(*state, "amd", "odd=128", "7 bits wide");
}

static void whole_words_come_first(void **state)
{
	struct pmu_terms t = parse(*state, "cpu", "umask=0x2,config=0x11ff,config1=1,config3=0x7");

	assert_int_equal(t.config[0], 0x02ff);
	assert_int_equal(t.config[1], 1);
	assert_int_equal(t.config[2], 0);
	assert_int_equal(t.config[3], 7);
	assert_config(*state, "cpu", "r1b0", 0x1b0);
	assert_config(*state, "cpu", "rC0FFEE", 0xc0ffee);
	assert_config(*state, "cpu", "config=18446744073709551615", UINT64_MAX);
	assert_refused(*state, "cpu", "config=18446744073709551616", "more than 64 bits");
	assert_refused(*state, "cpu", "config", "'config' needs a value");
}

static void an_event_brings_its_terms_unit_and_scale(void **state)
{
	struct pmu_terms t = parse(*state, "uncore_imc_2", "cas_count_read");

	assert_int_equal(t.config[0], 0x304);
	assert_string_equal(t.unit, "MiB");
	assert_string_equal(t.event, "cas_count_read");
	assert_true(t.scale == 64.0 / (1 << 20)); /* lines of 64 bytes */
	t = parse(*state, "power", "energy-pkg");
	assert_int_equal(t.config[0], 2);
	assert_true(t.scale == 1.0 / 4294967296);
	assert_string_equal(t.unit, "Joules");
	assert_config(*state, "cpu", "event=cycles-t", 0x10000003c);
	assert_refused(*state, "uncore_imc_2", "broken", "broken.scale is no number");
}

static void what_is_written_lies_over_the_event(void **state)
{
	struct pmu_terms t = parse(*state, "cpu", "ldlat=0x1e,mem-loads,umask=2");

	assert_int_equal(t.config[0], 0x2cd);
	assert_int_equal(t.config[1], 30);
	assert_config(*state, "cpu", "event=0xc0,event=0x3c", 0x3c);
	assert_refused(*state, "cpu", "cpu-cycles,mem-loads", "only one of the PMU's events");
}

static void a_hole_in_an_event_is_for_the_user_to_fill(void **state)
{
	assert_config(*state, "hv_24x7", "PM_INST,core=5", 0xe000050002);
	assert_config(*state, "hv_24x7", "core=5,PM_INST", 0xe000050002);
	assert_refused(*state, "hv_24x7", "PM_INST",
		       "'core' is for you to give: hv_24x7/PM_INST,core=V/");
	assert_refused(*state, "hv_24x7", "PM_INST,core=?", "decimal, or hex");
	assert_refused(*state, "hv_24x7", "PM_INST,core=0x10000", "16 bits wide");
}

static void names_and_rates(void **state)
{
	struct pmu_terms t = parse(*state, "cpu", "event=1,name=one,period=0x100");

	assert_string_equal(t.name, "one");
	assert_int_equal(t.period, 256);
	assert_int_equal(t.hz, 0);
	t = parse(*state, "cpu", "name='a,b=c',event=2,freq=99");
	assert_string_equal(t.name, "a,b=c");
	assert_int_equal(t.config[0], 2);
	assert_int_equal(t.hz, 99);
	assert_refused(*state, "cpu", "period=1,freq=1", "either 'period' or 'freq'");
	assert_refused(*state, "cpu", "period=0", "'period' cannot be 0");
	assert_refused(*state, "cpu", "freq=max", "decimal, or hex");
	assert_refused(*state, "cpu", "name=", "'name' needs");
}

static void what_is_wrong_is_said(void **state)
{
	assert_refused(*state, "cpu", "event=0x1ff",
		       "'event=0x1ff' is too large: 'event' is 8 bits wide "
		       "(config:0-7)");
	assert_refused(*state, "cpu", "inv=2", "'inv' is 1 bit wide");
	assert_refused(*state, "cpu", "umask", "'umask' is 8 bits wide and needs a value");
	assert_refused(*state, "cpu", "umask=", "decimal, or hex");
	assert_refused(*state, "cpu", "event=12abc", "decimal, or hex");
	assert_refused(*state, "cpu", "event=-1", "decimal, or hex");
	assert_refused(*state, "cpu", "event=1,umsk=2", "unknown term 'umsk'; did you mean umask?");
	assert_refused(*state, "cpu", "cpu-cycle", "did you mean cpu-cycles?");
	assert_refused(*state, "cpu", "Event=1", "unknown term 'Event'");
	assert_refused(*state, "cpu", "xyz",
		       "unknown term 'xyz'; fields: cmask, event, in_tx, inv, ldlat");
	assert_refused(*state, "cpu", "cpu-cycles=1",
		       "'cpu-cycles' is an event, which has no value; write cpu/cpu-cycles/");
	assert_refused(*state, "cpu", "event=1,percore", "perf's term 'percore' is not supported");
	assert_refused(*state, "cpu", "metrics_clear=1", "cannot set 'metrics_clear'");
	assert_refused(*state, "cpu", "event=1,,umask=1", "a term without a name");
	assert_refused(*state, "cpu", "event=1,", "a term without a name");
	assert_refused(*state, "cpu", "=1", "a term without a name");
	assert_refused(*state, "cpu", "name='x", "a quote without its end");
	/* What the kernel says is told from what the user said. */
	assert_refused(*state, "cpu", "stalls", "event 'stalls' is 'event=0x423,inv,cmask=0x3': ");
}

static void no_more_terms_than_anybody_needs(void **state)
{
	struct buf text = {};

	for (int i = 0; i < 65; i++)
		assert_int_equal(buf__puts(&text, i ? ",inv" : "inv"), 0);
	assert_refused(*state, "cpu", text.data, "more than 64 terms");
	while (text.len <= 4096)
		assert_int_equal(buf__puts(&text, ",inv"), 0);
	assert_refused(*state, "cpu", text.data, "more than 4096 bytes");
	buf__free(&text);
}

static void an_unknown_pmu_gets_suggestions(void **state)
{
	static const char *const names[] = { "cpi", "../cpu", "", "half" };
	struct pmu_terms out;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct buf why = {};

		assert_int_equal(pmu__parse_terms(*state, names[i], "event=1", 7, &out, &why),
				 -ENOENT);
		assert_non_null(strstr(why.data, "his kernel has amd, armv8_cortex_a53, cpu"));
		if (!i)
			assert_non_null(strstr(why.data, "no PMU named 'cpi'; did you mean cpu?"));
		buf__free(&why);
	}
}

static void events_are_listed_without_what_is_said_about_them(void **state)
{
	struct pmu_event *events;
	size_t nr;

	assert_int_equal(pmu__events(*state, "uncore_imc_2", &events, &nr), 0);
	assert_int_equal(nr, 2);
	assert_string_equal(events[0].name, "broken");
	assert_true(isnan(events[0].scale));
	assert_string_equal(events[1].name, "cas_count_read");
	assert_string_equal(events[1].terms, "event=0x04,umask=0x03");
	assert_string_equal(events[1].unit, "MiB");
	pmu_events__free(events, nr);
	assert_int_equal(pmu__events(*state, "uncore_imc_10", &events, &nr), 0);
	assert_int_equal(nr, 0);
	pmu_events__free(events, nr);
	assert_int_equal(pmu__events(*state, "..", &events, &nr), -EINVAL);
}

static void a_scale_that_cannot_be_read_is_not_1(void **state)
{
	struct pmu_event *events;
	size_t nr;

	assert_int_equal(pmu__events(*state, "power", &events, &nr), 0);
	assert_int_equal(nr, 2);
	assert_true(events[0].scale == 1.0 / 4294967296);
	assert_string_equal(events[1].name, "energy-ram");
	assert_true(isnan(events[1].scale));
	pmu_events__free(events, nr);
	assert_refused(*state, "power", "energy-ram", "energy-ram.scale is no number");
}

static void formats_are_listed(void **state)
{
	struct pmu_format *formats;
	size_t nr;

	assert_int_equal(pmu__formats(*state, "amd", &formats, &nr), 0);
	assert_int_equal(nr, 2);
	assert_string_equal(formats[0].name, "event");
	assert_string_equal(formats[0].bits, "config:0-7,32-35");
	assert_string_equal(formats[1].name, "odd");
	pmu_formats__free(formats, nr);
}

static void a_file_that_is_too_large_is_left_out(void **state)
{
	struct buf text = {};
	struct pmu_format *formats;
	size_t nr;

	while (text.len <= 65536)
		assert_int_equal(buf__puts(&text, "config:0,"), 0);
	put_file(*state, "amd/format/huge", text.data);
	assert_int_equal(pmu__formats(*state, "amd", &formats, &nr), 0);
	assert_int_equal(nr, 2);
	pmu_formats__free(formats, nr);
	buf__free(&text);
}

static void a_scale_is_read_the_same_in_all_languages(void **state)
{
	struct pmu_terms t;

	if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8"))
		skip();
	t = parse(*state, "power", "energy-pkg");
	setlocale(LC_NUMERIC, "C");
	assert_true(t.scale == 1.0 / 4294967296);
}

static void fields_that_make_no_sense_are_refused(void **state)
{
	static const char *const bad[] = {
		"",	     "config",	  "config:",	"config:64",   "config:7-0",
		"config:0-", "config:0,", "confix:0",	"config11:0",  "config0:0",
		"config :0", "0-7",	  "config:0x1", "config:0-7 ",
	};
	struct pmu_field f;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(pmu_field__parse(&f, bad[i]), -EINVAL);
	assert_int_equal(pmu_field__parse(&f, "config4:0"), -EOPNOTSUPP);
	assert_int_equal(pmu_field__parse(&f, "config3:5,63"), 0);
	assert_int_equal(f.word, 3);
	assert_int_equal(f.bits, 0x8000000000000020);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pmus_are_sorted_and_nonsense_is_left_out),
		cmocka_unit_test(a_pmu_says_where_it_counts),
		cmocka_unit_test(a_machine_without_sysfs_has_none),
		cmocka_unit_test(the_running_kernel_has_its_software_pmu),
		cmocka_unit_test(a_pattern_means_one_pmu_or_its_whole_kind),
		cmocka_unit_test(terms_go_where_the_format_says),
		cmocka_unit_test(split_fields_are_filled_from_their_lowest_bit),
		cmocka_unit_test(whole_words_come_first),
		cmocka_unit_test(an_event_brings_its_terms_unit_and_scale),
		cmocka_unit_test(what_is_written_lies_over_the_event),
		cmocka_unit_test(a_hole_in_an_event_is_for_the_user_to_fill),
		cmocka_unit_test(names_and_rates),
		cmocka_unit_test(what_is_wrong_is_said),
		cmocka_unit_test(no_more_terms_than_anybody_needs),
		cmocka_unit_test(an_unknown_pmu_gets_suggestions),
		cmocka_unit_test(events_are_listed_without_what_is_said_about_them),
		cmocka_unit_test(a_scale_that_cannot_be_read_is_not_1),
		cmocka_unit_test(formats_are_listed),
		cmocka_unit_test(a_file_that_is_too_large_is_left_out),
		cmocka_unit_test(a_scale_is_read_the_same_in_all_languages),
		cmocka_unit_test(fields_that_make_no_sense_are_refused),
	};

	return cmocka_run_group_tests(tests, make_machine, remove_machine);
}
