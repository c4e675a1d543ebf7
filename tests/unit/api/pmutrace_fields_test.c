// SPDX-License-Identifier: BSD-2-Clause
/* Fields of tracepoints in samples, and the terms and events of PMUs. */
#include "pmutrace_fixture.h"
#include "descriptors.h"

#include <sys/prctl.h>

#include "base/array.h"

static struct pmutrace_tracepoint *open_format(const char *category, const char *name)
{
	struct pmutrace_tracepoint *t;
	struct pmutrace_error why;

	need_tracefs();
	if (pmutrace_tracepoint_open(&t, category, name, &why))
		skip_because("tracepoints: %s", why.text);
	return t;
}

static const struct pmutrace_field *find(const struct pmutrace_tracepoint *t, const char *name)
{
	const struct pmutrace_field *f = pmutrace_tracepoint_find(t, name);

	if (!f)
		fail_msg("there is no field %s", name);
	return f;
}

static void check_number(const struct pmutrace_tracepoint *t, const struct pmutrace_sample *s,
			 const char *name, uint64_t expected)
{
	uint64_t value;

	assert_int_equal(pmutrace_field_number(find(t, name), s, &value), 0);
	assert_int_equal(value, expected);
}

static void check_text(const struct pmutrace_tracepoint *t, const struct pmutrace_sample *s,
		       const char *name, const char *expected)
{
	char text[64];

	assert_int_equal(pmutrace_field_text(find(t, name), s, text, sizeof(text)), 0);
	assert_string_equal(text, expected);
}

/* The arguments that were given, and who gave them. */
static void numbers_are_those_of_the_call(void **state)
{
	struct pmutrace_tracepoint *t = open_format("syscalls", "sys_enter_lseek");
	struct pmutrace_events *e =
		open_with("syscalls:sys_enter_lseek@1", NULL, WITH(.sample_type = PERF_SAMPLE_RAW));
	struct pmutrace_ring *r = open_ring(e, 8);
	struct pmutrace_record record;
	const void *bytes;
	uint64_t value;
	char text[8];
	size_t len;

	assert_int_equal(pmutrace_enable(e), 0);
	syscall(SYS_lseek, 12345, -77L, 2);
	assert_int_equal(pmutrace_disable(e), 0);
	assert_int_equal(pmutrace_ring_read(r, 0, &record), 0);
	check_number(t, &record.sample, "__syscall_nr", SYS_lseek);
	check_number(t, &record.sample, "fd", 12345);
	check_number(t, &record.sample, "offset", (uint64_t)-77);
	check_number(t, &record.sample, "whence", 2);
	check_number(t, &record.sample, "common_pid", (uint64_t)gettid());
	check_number(t, &record.sample, "common_type", pmutrace_attr(e, 0)->config);
	assert_true(find(t, "common_pid")->common && !find(t, "fd")->common);
	assert_true(find(t, "common_pid")->is_signed);
	/* A wrong name is an error of whoever asks for its value, not a crash. */
	assert_null(pmutrace_tracepoint_find(t, "no_such_field"));
	assert_int_equal(pmutrace_field_number(NULL, &record.sample, &value), -ENOENT);
	assert_int_equal(pmutrace_field_text(NULL, &record.sample, text, sizeof(text)), -ENOENT);
	assert_int_equal(pmutrace_field_bytes(NULL, &record.sample, &bytes, &len), -ENOENT);
	assert_null(pmutrace_tracepoint_field(t, pmutrace_tracepoint_nr_fields(t)));
	assert_non_null(strstr(pmutrace_tracepoint_print(t), "whence"));
	/* Without the raw bytes there is nothing, nor beyond their end. */
	record.sample.raw_bytes = find(t, "whence")->offset;
	assert_int_equal(pmutrace_field_number(find(t, "whence"), &record.sample, &value),
			 -ENODATA);
	check_number(t, &record.sample, "fd", 12345);
	record.sample.has &= ~(uint64_t)PERF_SAMPLE_RAW;
	assert_int_equal(pmutrace_field_number(find(t, "fd"), &record.sample, &value), -ENODATA);
	close_both(r, e);
	pmutrace_tracepoint_close(t);
}

/* Of the event that is open, by name and by number. */
static void texts_are_those_of_the_call(void **state)
{
	struct pmutrace_tracepoint *t, *by_id;
	struct pmutrace_events *e, *numbered;
	struct pmutrace_record record;
	struct perf_event_attr attr;
	struct pmutrace_error why;
	struct pmutrace_ring *r;
	char before[17], text[4];
	uint64_t value;

	pmutrace_tracepoint_close(open_format("task", "task_rename"));
	e = open_with("task:task_rename@1", NULL, WITH(.sample_type = PERF_SAMPLE_RAW));
	r = open_ring(e, 8);
	assert_int_equal(pmutrace_tracepoint_of(&t, e, 0, &why), 0);
	prctl(PR_GET_NAME, before);
	assert_int_equal(pmutrace_enable(e), 0);
	prctl(PR_SET_NAME, "longer-than-4");
	assert_int_equal(pmutrace_disable(e), 0);
	prctl(PR_SET_NAME, before);
	assert_int_equal(pmutrace_ring_read(r, 0, &record), 0);
	check_text(t, &record.sample, "oldcomm", before);
	check_text(t, &record.sample, "newcomm", "longer-than-4");
	assert_int_equal(pmutrace_field_text(find(t, "newcomm"), &record.sample, text, 4), -ERANGE);
	assert_string_equal(text, "lon");
	assert_int_equal(pmutrace_field_number(find(t, "newcomm"), &record.sample, &value),
			 -EINVAL);
	assert_int_equal(pmutrace_field_text(find(t, "common_pid"), &record.sample, text, 4),
			 -EINVAL);

	attr = *pmutrace_attr(e, 0);
	assert_int_equal(pmutrace_open_attrs(&numbered, &attr, NULL, 1, false, NULL, NULL, &why),
			 0);
	assert_int_equal(pmutrace_tracepoint_of(&by_id, numbered, 0, &why), 0);
	check_text(by_id, &record.sample, "newcomm", "longer-than-4");
	pmutrace_tracepoint_close(by_id);
	assert_int_equal(pmutrace_tracepoint_of(&by_id, numbered, 1, &why), -ERANGE);
	assert_null(by_id);
	pmutrace_close(numbered);
	pmutrace_tracepoint_close(t);
	close_both(r, e);
}

static void what_is_no_tracepoint_is_told(void **state)
{
	struct pmutrace_events *e = open_self("dummy:u");
	struct pmutrace_tracepoint *t;
	struct pmutrace_error why;
	size_t before = nr_open();

	assert_int_equal(pmutrace_tracepoint_of(&t, e, 0, &why), -EINVAL);
	assert_string_equal(why.text, "'dummy:u' is no tracepoint");
	assert_null(t);
	need_tracefs();
	assert_int_equal(pmutrace_tracepoint_open(&t, "sched", "sched_swich", &why), -ENOENT);
	assert_non_null(strstr(why.text, "sched_switch"));
	assert_null(t);
	assert_int_equal(nr_open(), before);
	pmutrace_tracepoint_close(NULL);
	pmutrace_close(e);
}

/* A record by hand: 8 bytes of numbers, where two texts are, and the texts. */
static void dynamic_fields_are_where_they_say(void **state)
{
	static const struct {
		int8_t minus_one;
		uint8_t all;
		int16_t minus_two;
		uint32_t big;
		uint32_t at, relative;
		char texts[16];
	} raw = { -1, 0xff, -2, 0xfffffffe, 6 << 16 | 16, 4 << 16 | 6, "hello\0you\0left" };
	struct pmutrace_sample s = { .has = PERF_SAMPLE_RAW,
				     .raw = &raw,
				     .raw_bytes = sizeof(raw) };
	struct pmutrace_field f = { .name = "f", .type = "char", .offset = 0, .bytes = 1 };
	struct pmutrace_field text = { .name = "text",
				       .type = "char",
				       .offset = 8,
				       .bytes = 4,
				       .is_array = true,
				       .is_dynamic = true };
	const void *bytes;
	char out[16];
	uint64_t v;
	size_t len;

	f.is_signed = true;
	assert_int_equal(pmutrace_field_number(&f, &s, &v), 0);
	assert_int_equal(v, UINT64_MAX);
	f.offset = 1;
	f.is_signed = false;
	assert_int_equal(pmutrace_field_number(&f, &s, &v), 0);
	assert_int_equal(v, 255);
	f = (struct pmutrace_field){ .type = "short", .offset = 2, .bytes = 2, .is_signed = true };
	assert_int_equal(pmutrace_field_number(&f, &s, &v), 0);
	assert_int_equal(v, (uint64_t)-2);
	f = (struct pmutrace_field){ .type = "u32", .offset = 4, .bytes = 4 };
	assert_int_equal(pmutrace_field_number(&f, &s, &v), 0);
	assert_int_equal(v, 0xfffffffe);
	f.bytes = 3;
	assert_int_equal(pmutrace_field_number(&f, &s, &v), -EINVAL);

	assert_int_equal(pmutrace_field_text(&text, &s, out, sizeof(out)), 0);
	assert_string_equal(out, "hello");
	assert_int_equal(pmutrace_field_bytes(&text, &s, &bytes, &len), 0);
	assert_ptr_equal(bytes, raw.texts);
	assert_int_equal(len, 6);
	/* 6 bytes behind the field, which ends at 16. */
	text.offset = 12;
	text.is_relative = true;
	assert_int_equal(pmutrace_field_text(&text, &s, out, sizeof(out)), 0);
	assert_string_equal(out, "you");
	/* Cut off in the middle of the text, and of the field. */
	s.raw_bytes = 25;
	assert_int_equal(pmutrace_field_text(&text, &s, out, sizeof(out)), -ENODATA);
	s.raw_bytes = 14;
	assert_int_equal(pmutrace_field_bytes(&text, &s, &bytes, &len), -ENODATA);
	assert_null(bytes);
	/* What goes on to the end. */
	s.raw_bytes = 25;
	f = (struct pmutrace_field){ .type = "char", .offset = 16, .is_array = true };
	assert_int_equal(pmutrace_field_bytes(&f, &s, &bytes, &len), 0);
	assert_int_equal(len, 9);
}

struct files {
	const char *pmu, *dir;
	size_t nr;
};

static void check_file(struct files *files, const char *name, const char *says)
{
	char path[512], line[256] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s/%s", files->pmu,
		 files->dir, name);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	assert_string_equal(says, line);
	files->nr++;
}

static int see_format(void *arg, const struct pmutrace_pmu_format *f)
{
	unsigned int first, last;

	check_file(arg, f->name, f->bits);
	if (sscanf(f->bits, "config:%u-%u", &first, &last) == 2) {
		assert_int_equal(f->word, 0);
		assert_int_equal(f->mask, (UINT64_MAX >> (63 - (last - first))) << first);
	}
	return 0;
}

static int see_event(void *arg, const struct pmutrace_pmu_event *e)
{
	check_file(arg, e->name, e->terms);
	assert_non_null(e->unit);
	return 0;
}

static size_t nr_files(const char *pmu, const char *dir)
{
	char path[512];
	DIR *d;
	size_t nr = 0;
	struct dirent *entry;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s", pmu, dir);
	d = opendir(path);
	while (d && (entry = readdir(d)))
		nr += entry->d_name[0] != '.' && !strchr(entry->d_name, '.');
	if (d)
		closedir(d);
	return nr;
}

static int check_pmu(void *arg, const struct pmutrace_pmu *pmu)
{
	struct files formats = { pmu->name, "format", 0 }, events = { pmu->name, "events", 0 };
	struct pmutrace_error why;

	assert_int_equal(pmutrace_for_each_pmu_format(pmu->name, see_format, &formats, &why), 0);
	assert_int_equal(formats.nr, nr_files(pmu->name, "format"));
	assert_int_equal(pmutrace_for_each_pmu_event(pmu->name, see_event, &events, &why), 0);
	assert_int_equal(events.nr, nr_files(pmu->name, "events"));
	*(size_t *)arg += formats.nr + events.nr;
	return 0;
}

static void pmus_have_the_terms_and_events_of_sysfs(void **state)
{
	struct pmutrace_error why;
	size_t nr = 0;

	assert_int_equal(pmutrace_for_each_pmu(check_pmu, &nr, &why), 0);
	if (!nr)
		skip_because("pmu: none with a format");
	assert_int_equal(pmutrace_for_each_pmu_event("no_such_pmu", see_event, NULL, &why),
			 -ENOENT);
	assert_non_null(strstr(why.text, "no_such_pmu"));
	assert_int_equal(pmutrace_for_each_pmu_format("../x", see_format, NULL, &why), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_those_of_the_call),
		cmocka_unit_test(texts_are_those_of_the_call),
		cmocka_unit_test(what_is_no_tracepoint_is_told),
		cmocka_unit_test(dynamic_fields_are_where_they_say),
		cmocka_unit_test(pmus_have_the_terms_and_events_of_sysfs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
