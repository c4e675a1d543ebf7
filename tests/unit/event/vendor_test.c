// SPDX-License-Identifier: BSD-2-Clause
/* libpfm4's names, with the table of a CPU that need not be here: Skylake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event/vendor.h"

static int encode(const char *name, struct perf_event_attr *attr, struct buf *why)
{
	*attr = (struct perf_event_attr){ .size = 64 };
	return vendor__encode(name, attr, why);
}

#if defined(HAVE_PFM) && defined(__x86_64__)

static void assert_encoding(const char *name, uint64_t config, uint64_t config1)
{
	struct perf_event_attr attr;
	struct buf why = {};

	assert_int_equal(encode(name, &attr, &why), 0);
	assert_int_equal(attr.type, PERF_TYPE_RAW);
	assert_int_equal(attr.config, config);
	assert_int_equal(attr.config1, config1);
	assert_int_equal(attr.size, 64);
	buf__free(&why);
}

/*
 * Intel SDM volume 3, table of Skylake's events: event code, umask << 8; inv is bit 23, cmask
 * bits 24-31 (IA32_PERFEVTSELx); OFFCORE_RESPONSE.* is B7/01 with DMND_DATA_RD bit 0 and
 * ANY_RESPONSE bit 16 of MSR_OFFCORE_RSP_0.
 */
static void names_have_the_codes_of_the_manual(void **state)
{
	assert_encoding("skl::INST_RETIRED", 0x00c0, 0);
	assert_encoding("INST_RETIRED:ANY_P", 0x00c0, 0);
	assert_encoding("L2_RQSTS:MISS", 0x3f24, 0);
	assert_encoding("mem_load_retired:l3_miss", 0x20d1, 0);
	assert_encoding("UOPS_ISSUED:ANY:c=1:i=1", 0x0180010e, 0);
	assert_encoding("OFFCORE_RESPONSE_0:DMND_DATA_RD:ANY_RESPONSE", 0x01b7, 0x10001);
}

static void modifiers_exclude_what_they_do_not_name(void **state)
{
	struct perf_event_attr attr;
	struct buf why = {};

	assert_int_equal(encode("INST_RETIRED:ANY_P", &attr, &why), 0);
	assert_false(attr.exclude_user || attr.exclude_kernel || attr.exclude_hv);
	assert_false(attr.exclude_guest || attr.exclude_host);
	assert_int_equal(encode("INST_RETIRED:ANY_P:u", &attr, &why), 0);
	assert_true(attr.exclude_kernel && !attr.exclude_user);
	assert_int_equal(encode("INST_RETIRED:ANY_P:k", &attr, &why), 0);
	assert_true(attr.exclude_user && !attr.exclude_kernel);
	assert_int_equal(encode("INST_RETIRED:ANY_P:mh=1", &attr, &why), 0);
	assert_true(attr.exclude_guest && !attr.exclude_host);
	buf__free(&why);
}

static void assert_refused(const char *name, int expected, const char *because)
{
	struct perf_event_attr attr;
	struct buf why = {};

	assert_int_equal(encode(name, &attr, &why), expected);
	if (!strstr(why.data, because))
		fail_msg("'%s' is not in '%s'", because, why.data);
	assert_int_equal(attr.config, 0);
	buf__free(&why);
}

static void what_is_wrong_is_said(void **state)
{
	assert_refused("INST_RETIRD", -ENOENT, "did you mean INST_RETIRED?");
	assert_refused("skl::L2_RQST:MISS", -ENOENT, "did you mean L2_RQSTS?");
	assert_refused("hsw::INST_RETIRED", -ENOENT,
		       "knows no events of 'hsw' on this CPU, which has skl");
	assert_refused("", -ENOENT, "knows no event");
	/* perf's generic names have a spelling of their own; libpfm4 takes any. */
	assert_refused("CYCLES", -ENOENT, "knows no event");
	assert_refused("Page-Faults:q", -ENOENT, "knows no event");
	assert_refused("perf::PAGE-FAULTS", -ENOENT, "knows no event");
	assert_refused("INST_RETIRED:NONE_P", -EINVAL, "unit masks of INST_RETIRED: ");
	assert_refused("skl::INST_RETIRED:NONE_P", -EINVAL, "ANY_P");
	assert_refused("INST_RETIRED:ANY_P:c=256", -EINVAL, "refuses");
}

struct seen {
	size_t nr, nr_any_p, stop_after;
};

static int look(void *arg, const struct vendor_event *ev)
{
	struct seen *seen = arg;

	assert_string_equal(ev->pmu, "skl");
	assert_true(*ev->name && ev->desc && (!ev->umask || ev->umask_desc));
	if (!strcmp(ev->name, "INST_RETIRED") && ev->umask && !strcmp(ev->umask, "ANY_P"))
		seen->nr_any_p++;
	return ++seen->nr == seen->stop_after ? -ECANCELED : 0;
}

static void every_unit_mask_is_listed_once(void **state)
{
	struct seen seen = {};

	assert_int_equal(vendor__list(look, &seen), 0);
	assert_int_equal(seen.nr_any_p, 1);
	assert_true(seen.nr > 84); /* its events */
	seen = (struct seen){ .stop_after = 3 };
	assert_int_equal(vendor__list(look, &seen), -ECANCELED);
	assert_int_equal(seen.nr, 3);
}

/* What is listed can be used: each name encodes, alone with its unit mask. */
static int encode_it(void *arg, const struct vendor_event *ev)
{
	struct perf_event_attr attr;
	struct buf why = {}, name = {};
	size_t *nr_refused = arg;

	assert_int_equal(buf__printf(&name, "%s::%s%s%s", ev->pmu, ev->name, ev->umask ? ":" : "",
				     ev->umask ? ev->umask : ""),
			 0);
	if (encode(name.data, &attr, &why))
		++*nr_refused;
	assert_true(!why.len == (attr.type == PERF_TYPE_RAW));
	buf__free(&name);
	buf__free(&why);
	return 0;
}

static void most_of_what_is_listed_encodes(void **state)
{
	size_t nr_refused = 0;

	assert_int_equal(vendor__list(encode_it, &nr_refused), 0);
	/* Masks that need a second one beside them. */
	assert_true(nr_refused < 60);
}

/* libpfm4's own, through the linker (--wrap): it is not to be called twice at a time. */
int __real_pfm_initialize(void);
int __wrap_pfm_initialize(void);
static atomic_int nr_inside, nr_calls;
static atomic_bool overlaps, slow;

int __wrap_pfm_initialize(void)
{
	int ret;

	nr_calls++;
	if (nr_inside++)
		overlaps = true;
	if (slow)
		usleep(20000);
	ret = __real_pfm_initialize();
	nr_inside--;
	return ret;
}

static void *encode_in_thread(void *arg)
{
	struct perf_event_attr attr;
	struct buf why = {};
	int err = encode(arg, &attr, &why);

	buf__free(&why);
	return (void *)(intptr_t)(err || attr.type != PERF_TYPE_RAW);
}

static void threads_do_not_fill_the_tables_at_the_same_time(void **state)
{
	pthread_t threads[4];
	void *failed;

	nr_calls = 0;
	slow = true;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, encode_in_thread,
						(void *)"INST_RETIRED:ANY_P"),
				 0);
	for (size_t i = 0; i < 4; i++) {
		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	slow = false;
	assert_true(nr_calls > 0);
	assert_false(overlaps);
}

/* In a child, because libpfm4 looks for the CPU only once. */
static void a_cpu_without_a_table_is_said_to_have_none(void **state)
{
	struct perf_event_attr attr;
	struct buf why = {};
	int status = 0;
	pid_t child = fork();

	if (!child) {
		setenv("LIBPFM_FORCE_PMU", "perf", 1);
		_exit(encode("INST_RETIRED", &attr, &why) != -EOPNOTSUPP ||
		      !strstr(why.data, "no names for this CPU"));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_without_a_table_is_said_to_have_none), /* the first */
		cmocka_unit_test(threads_do_not_fill_the_tables_at_the_same_time),
		cmocka_unit_test(names_have_the_codes_of_the_manual),
		cmocka_unit_test(modifiers_exclude_what_they_do_not_name),
		cmocka_unit_test(what_is_wrong_is_said),
		cmocka_unit_test(every_unit_mask_is_listed_once),
		cmocka_unit_test(most_of_what_is_listed_encodes),
	};

	setenv("LIBPFM_FORCE_PMU", "skl", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

/* Built without libpfm4, or where it has no table of Skylake. */
static void a_name_is_not_supported_or_not_known(void **state)
{
	struct perf_event_attr attr;
	struct buf why = {};
	int err = encode("NO_SUCH_EVENT", &attr, &why);

#ifdef HAVE_PFM
	assert_true(err == -EOPNOTSUPP || err == -ENOENT);
#else
	assert_int_equal(err, -EOPNOTSUPP);
#endif
	assert_non_null(strstr(why.data, "libpfm4"));
	buf__free(&why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_not_supported_or_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
