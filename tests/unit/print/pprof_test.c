// SPDX-License-Identifier: BSD-2-Clause
/* What is written for pprof, unpacked by protobuf-c, against what stands in its header. */
#include "profiles.h"

#include <errno.h>
#include <zlib.h>

#include "print/pprof.h"
#include "proto/pprof.pb-c.h"

static Pprof__Profile *written(const struct profile *p, const struct pprof_opts *o)
{
	unsigned char bytes[64 * 1024];
	char *packed = NULL;
	size_t len;
	FILE *f = open_memstream(&packed, &len);
	Pprof__Profile *read;
	z_stream z = {};

	assert_non_null(f);
	assert_int_equal(print__pprof(f, p, o), 0);
	assert_int_equal(fclose(f), 0);
	z.next_in = (Bytef *)packed;
	z.avail_in = len;
	z.next_out = bytes;
	z.avail_out = sizeof(bytes);
	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK); /* gzip, nothing else */
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	read = pprof__profile__unpack(NULL, z.total_out, bytes);
	assert_non_null(read);
	inflateEnd(&z);
	free(packed);
	return read;
}

static const char *text(const Pprof__Profile *p, int64_t id)
{
	assert_true(id >= 0 && (size_t)id < p->n_string_table);
	return p->string_table[id];
}

/* "cycles_sample/count cycles_event/count": what the values are; the default one in brackets. */
static void assert_types(const Pprof__Profile *p, const char *want)
{
	char all[1024] = "";
	size_t len = 0;

	for (size_t i = 0; i < p->n_sample_type; i++) {
		const bool is_default = p->sample_type[i]->type == p->default_sample_type;

		len += snprintf(all + len, sizeof(all) - len, "%s%s%s/%s%s", i ? " " : "",
				is_default ? "[" : "", text(p, p->sample_type[i]->type),
				text(p, p->sample_type[i]->unit), is_default ? "]" : "");
	}
	assert_string_equal(all, want);
}

static const Pprof__Location *location(const Pprof__Profile *p, uint64_t id)
{
	assert_true(id >= 1 && id <= p->n_location);
	assert_int_equal(p->location[id - 1]->id, id);
	return p->location[id - 1];
}

static const Pprof__Function *function(const Pprof__Profile *p, const Pprof__Line *line)
{
	assert_true(line->function_id >= 1 && line->function_id <= p->n_function);
	assert_int_equal(p->function[line->function_id - 1]->id, line->function_id);
	return p->function[line->function_id - 1];
}

/* "leaf<work<main [comm=sh pid=1] 3 3000": the innermost first. */
static void put_sample(const Pprof__Profile *p, const Pprof__Sample *s, char *out, size_t size)
{
	size_t len = 0;

	for (size_t i = 0; i < s->n_location_id; i++) {
		const Pprof__Location *l = location(p, s->location_id[i]);

		for (size_t k = 0; k < l->n_line; k++)
			len += snprintf(out + len, size - len, "%s%s", len ? k ? "=" : "<" : "",
					text(p, function(p, l->line[k])->name));
	}
	for (size_t i = 0; i < s->n_label; i++) {
		const Pprof__Label *l = s->label[i];

		len += snprintf(out + len, size - len, " %s=", text(p, l->key));
		if (l->str)
			len += snprintf(out + len, size - len, "%s", text(p, l->str));
		else
			len += snprintf(out + len, size - len, "#%lld", (long long)l->num);
	}
	for (size_t i = 0; i < s->n_value; i++)
		len += snprintf(out + len, size - len, " %lld", (long long)s->value[i]);
}

static void assert_samples(const Pprof__Profile *p, const char *const *want)
{
	char sample[1024];
	size_t i;

	for (i = 0; i < p->n_sample; i++) {
		assert_non_null(want[i]);
		put_sample(p, p->sample[i], sample, sizeof(sample));
		assert_string_equal(sample, want[i]);
	}
	assert_null(want[i]);
}

static const struct pprof_opts plain = { .command = "profile", .weights = true };

/* Rows are in order of their stacks' nodes, and those of two events are one sample. */
static void events_are_values_of_one_sample(void **state)
{
	static const char *const want[] = {
		"leaf<work<work<main pid=#1 comm=sh 3 3000 0 0",
		"leaf<work<work<main pid=#2 comm=sh 2 2000 0 0",
		"sys_read<main pid=#1 comm=sh 2 2000 4 4000",
		"run pid=#9 comm=node 0 0 1 1000",
		NULL,
	};
	struct profile *p = small_profile();
	Pprof__Profile *read;

	p->rows[2].samples = p->rows[2].weight = 0; /* such a row is no sample */
	read = written(p, &plain);
	assert_types(read, "cycles_sample/count [cycles_event/count] faults_sample/count "
			   "faults_event/count");
	assert_samples(read, want);
	assert_int_equal(read->duration_nanos, 2000000000);
	assert_string_equal(text(read, read->period_type->type), "cycles");
	assert_string_equal(text(read, read->period_type->unit), "count");
	pprof__profile__free_unpacked(read, NULL);
	profile__free(p);
}

static void the_chosen_event_is_shown_first(void **state)
{
	const struct pprof_opts o = { .command = "profile", .weights = true, .event = 1 };
	const struct pprof_opts none = { .command = "profile", .event = 2 };
	struct profile *p = small_profile();
	Pprof__Profile *read = written(p, &o);

	assert_types(read, "cycles_sample/count cycles_event/count faults_sample/count "
			   "[faults_event/count]");
	assert_string_equal(text(read, read->period_type->type), "faults");
	assert_int_equal(read->period, 1000); /* what a sample stood for */
	assert_int_equal(print__pprof(stderr, p, &none), -EINVAL);
	pprof__profile__free_unpacked(read, NULL);
	profile__free(p);
}

static void without_weights_samples_are_all_there_is(void **state)
{
	const struct pprof_opts o = { .command = "report" };
	struct profile *p = small_profile();
	Pprof__Profile *read = written(p, &o);

	assert_types(read, "[cycles_sample/count] faults_sample/count");
	assert_int_equal(read->period, 1);
	pprof__profile__free_unpacked(read, NULL);
	profile__free(p);
}

static struct profile *clock_profile(void)
{
	const struct profile_event e = { .name = "cpu-clock", .unit = "ns", .hz = 100 };
	struct profile *p = new_profile();
	uint32_t id;

	assert_int_equal(profile__event(p, &e, &id), 0);
	add_row(p, id, 1, add_stack(p, "csh", "umain", NULL), 3);
	return p;
}

static void clocks_have_the_names_of_cpu_profiles(void **state)
{
	const struct pprof_opts cpu = { .command = "profile", .weights = true, .cpu = true };
	struct profile *p = clock_profile();
	Pprof__Profile *read = written(p, &plain);

	assert_types(read, "cpu-clock_sample/count [cpu-clock_event/nanoseconds] samples/count "
			   "cpu/nanoseconds");
	assert_int_equal(read->period, 10000000);
	assert_string_equal(text(read, read->period_type->unit), "nanoseconds");
	pprof__profile__free_unpacked(read, NULL);

	read = written(p, &cpu);
	assert_types(read, "samples/count [cpu/nanoseconds]");
	assert_string_equal(text(read, read->period_type->type), "cpu");
	pprof__profile__free_unpacked(read, NULL);
	profile__free(p);
}

/* Databases join names by ':', and keep each type for itself. */
static void one_of_a_series_has_names_that_series_can_have(void **state)
{
	const struct pprof_opts series = { .command = "profile", .weights = true, .series = true };
	const struct pprof_opts of_cycles = {
		.command = "profile", .weights = true, .series = true, .event = 1
	};
	const struct profile_event second = { .name = "task-clock:u", .unit = "ns", .hz = 100 };
	struct profile *p = clock_profile();
	Pprof__Profile *read;
	uint32_t id;

	add_event(p, "cycles:u");
	assert_int_equal(profile__event(p, &second, &id), 0);
	read = written(p, &series);
	assert_types(read, "samples/count [cpu/nanoseconds] cycles_u_sample/count "
			   "cycles_u_event/count task_clock_u_sample/count "
			   "task_clock_u_event/nanoseconds");
	assert_string_equal(text(read, read->period_type->type), "cpu");
	assert_string_equal(text(read, read->period_type->unit), "nanoseconds");
	pprof__profile__free_unpacked(read, NULL);

	read = written(p, &of_cycles);
	assert_string_equal(text(read, read->period_type->type), "cycles_u");
	assert_string_equal(text(read, read->default_sample_type), "cycles_u_event");
	pprof__profile__free_unpacked(read, NULL);
	profile__free(p);
}

/* Of cycles there is no time. */
static void a_cpu_profile_of_no_clock_has_samples(void **state)
{
	const struct pprof_opts cpu = { .command = "profile", .weights = true, .cpu = true };
	static const char *const want[] = { "work<main pid=#1 comm=sh 3",
					    "leaf<work<work<main pid=#1 comm=sh 3",
					    "leaf<work<work<main pid=#2 comm=sh 2",
					    "sys_read<main pid=#1 comm=sh 2", NULL };
	struct profile *p = small_profile();
	Pprof__Profile *read = written(p, &cpu);

	assert_types(read, "[samples/count]");
	assert_samples(read, want);
	pprof__profile__free_unpacked(read, NULL);
	profile__free(p);
}

static void lose(struct profile *p, const char *name, uint64_t n, bool flaw)
{
	const struct loss loss = { .name = name, .text = "for a reason", .flaw = flaw, .n = n };

	losses__add(&p->losses, &loss);
	p->losses.seen += flaw ? 0 : n;
}

/* A lost sample weighs what others do on average; what was passed over is known. */
static void losses_of_one_event_are_samples(void **state)
{
	static const char *const want[] = { "main pid=#1 comm=sh 3 3000 3 3000",
					    "[lost: table_full] 2 2000 2 2000",
					    "[lost: passed_over] 5 5500 5 5500", NULL };
	static const char *const cpu_want[] = { "main pid=#1 comm=sh 3 3000", NULL };
	const struct pprof_opts cpu = { .command = "profile", .weights = true, .cpu = true };
	struct profile *p = clock_profile();
	Pprof__Profile *read;

	lose(p, "table_full", 2, false);
	lose(p, "stack_cut", 1, true);
	lose(p, "passed_over", 5, false);
	p->events[0].passed_over = 5500;
	read = written(p, &plain);
	assert_samples(read, want);
	assert_non_null(strstr(text(read, read->comment[read->n_comment - 1]), "7 of 10 samples"));
	pprof__profile__free_unpacked(read, NULL);
	read = written(p, &cpu);
	assert_samples(read, cpu_want);
	pprof__profile__free_unpacked(read, NULL);
	profile__free(p);
}

/* Whose they were is not known. */
static void losses_of_several_events_are_comments(void **state)
{
	struct profile *p = small_profile();
	Pprof__Profile *read;
	size_t nr;

	read = written(p, &plain);
	nr = read->n_sample;
	pprof__profile__free_unpacked(read, NULL);
	lose(p, "table_full", 2, false);
	read = written(p, &plain);
	assert_int_equal(read->n_sample, nr);
	assert_non_null(strstr(text(read, read->comment[read->n_comment - 1]), "2 of 17 samples"));
	pprof__profile__free_unpacked(read, NULL);
	profile__free(p);
}

static uint32_t string(struct profile *p, const char *s)
{
	uint32_t id;

	assert_int_equal(profile__string(p, s, strlen(s), &id), 0);
	return id;
}

/* A frame in a file whose addresses are its offsets and @bias. */
static uint32_t frame_at(struct profile *p, const char *name, enum frame_kind kind,
			 const char *path, uint64_t addr, uint64_t bias, uint32_t line)
{
	struct frame f = { .name = string(p, name), .kind = kind };
	const struct code_place at = { .path = string(p, path),
				       .build_id = string(p, "abcd"),
				       .addr = addr,
				       .offset = addr - bias,
				       .source = string(p, "/src/a.c"),
				       .line = line,
				       .start_line = line / 10 };
	uint32_t id;

	assert_int_equal(profile__place(p, &at, &f.place), 0);
	assert_int_equal(profile__frame(p, &f, &id), 0);
	return id;
}

static uint32_t below(struct profile *p, uint32_t node, uint32_t frame)
{
	assert_int_equal(profile__child(p, node, frame, &node), 0);
	return node;
}

/*
 * Two stacks: in the loader alone, and from the program's main, with two functions inlined into
 * what it calls at 0x401100, through a library into the kernel.
 */
static struct profile *placed_profile(void)
{
	struct profile *p = new_profile();
	uint32_t node = below(p, 0, add_frame(p, "prog", "", FRAME_COMM)), first;

	add_event(p, "cycles");
	first = below(p, node, frame_at(p, "_dl_start", FRAME_USER, "/lib/ld.so.2", 0x2100, 0, 20));
	node = below(p, node,
		     frame_at(p, "main", FRAME_USER, "/bin/prog", 0x402fff, 0x400000, 100));
	node = below(p, node,
		     frame_at(p, "work", FRAME_USER, "/bin/prog", 0x401100, 0x400000, 110));
	node = below(p, node,
		     frame_at(p, "one", FRAME_INLINED, "/bin/prog", 0x401100, 0x400000, 120));
	node = below(p, node,
		     frame_at(p, "two", FRAME_INLINED, "/bin/prog", 0x401100, 0x400000, 130));
	node = below(p, node, frame_at(p, "write", FRAME_USER, "/lib/libc.so.6", 0x9000, 0, 0));
	node = below(p, node,
		     frame_at(p, "vfs_write", FRAME_KERNEL, "[kernel.kallsyms]", 0xffffffff81234567,
			      0, 0));
	add_row(p, 0, 1, first, 1);
	add_row(p, 0, 1, node, 5);
	return p;
}

static void inlined_functions_are_lines_of_one_location(void **state)
{
	static const char *const want[] = {
		"_dl_start pid=#1 comm=prog 1 1000",
		"vfs_write<write<two=one=work<main pid=#1 comm=prog 5 5000",
		NULL,
	};
	struct profile *p = placed_profile();
	Pprof__Profile *read = written(p, &plain);
	const Pprof__Location *l;

	assert_samples(read, want);
	l = location(read, read->sample[1]->location_id[2]);
	assert_int_equal(l->address, 0x401100);
	assert_int_equal(l->n_line, 3);
	assert_int_equal(l->line[0]->line, 130);
	assert_int_equal(l->line[2]->line, 110);
	assert_int_equal(function(read, l->line[0])->start_line, 13);
	assert_string_equal(text(read, function(read, l->line[2])->filename), "/src/a.c");
	pprof__profile__free_unpacked(read, NULL);
	profile__free(p);
}

static void assert_mapping(const Pprof__Profile *p, size_t i, const char *path, uint64_t start,
			   uint64_t limit, uint64_t offset)
{
	const Pprof__Mapping *m = p->mapping[i];

	assert_int_equal(m->id, i + 1);
	assert_string_equal(text(p, m->filename), path);
	assert_string_equal(text(p, m->build_id), "abcd");
	assert_int_equal(m->memory_start, start);
	assert_int_equal(m->memory_limit, limit);
	assert_int_equal(m->file_offset, offset);
	assert_true(m->has_functions);
}

/* More stacks begin in the program than in the loader. */
static void the_program_is_the_first_mapping(void **state)
{
	struct profile *p = placed_profile();
	Pprof__Profile *read = written(p, &plain);

	assert_int_equal(read->n_mapping, 4);
	assert_mapping(read, 0, "/bin/prog", 0x401000, 0x403000, 0x1000);
	assert_mapping(read, 1, "/lib/ld.so.2", 0x2000, 0x3000, 0x2000);
	assert_mapping(read, 2, "/lib/libc.so.6", 0x9000, 0xa000, 0x9000);
	assert_mapping(read, 3, "[kernel.kallsyms]", 0xffffffff81234000, 0xffffffff81235000, 0);
	assert_true(read->mapping[0]->has_inline_frames && read->mapping[0]->has_line_numbers);
	assert_false(read->mapping[2]->has_inline_frames || read->mapping[2]->has_line_numbers);
	assert_int_equal(location(read, read->sample[0]->location_id[0])->mapping_id, 2);
	assert_int_equal(location(read, read->sample[1]->location_id[3])->mapping_id, 1);
	pprof__profile__free_unpacked(read, NULL);
	profile__free(p);
}

static void labels_are_what_rows_are_by(void **state)
{
	static const char *const want[] = { "main pid=#0 tid=#7 cpu=#3 comm=sh cgroup=/a 2 2000",
					    "main pid=#0 tid=#7 cpu=#3 comm=sh 1 1000", NULL };
	struct profile *p = new_profile();
	struct row_key key = { .tid = 7, .cpu = 3, .cgroup = string(p, "/a") };
	Pprof__Profile *read;

	p->by |= BY_TID | BY_CPU | BY_CGROUP;
	add_event(p, "cycles");
	key.stack = add_stack(p, "csh", "umain", NULL);
	assert_int_equal(profile__add(p, &key, 2, 2000, NULL), 0);
	key.cgroup = 0;
	assert_int_equal(profile__add(p, &key, 1, 1000, NULL), 0);
	read = written(p, &plain);
	assert_samples(read, want);
	pprof__profile__free_unpacked(read, NULL);
	profile__free(p);
}

/* Nothing but a command: that is the stack. */
static void a_sample_has_a_location(void **state)
{
	static const char *const want[] = { "sh pid=#1 comm=sh 4 4000", NULL };
	struct profile *p = new_profile();
	Pprof__Profile *read;

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", NULL), 4);
	read = written(p, &plain);
	assert_samples(read, want);
	pprof__profile__free_unpacked(read, NULL);
	profile__free(p);
}

/* "main one=work": the locations by their ids, lines from the inside. */
static void assert_locations(const Pprof__Profile *p, const char *want)
{
	char all[1024] = "";
	size_t len = 0;

	for (size_t id = 1; id <= p->n_location; id++) {
		const Pprof__Location *l = location(p, id);

		for (size_t k = 0; k < l->n_line; k++)
			len += snprintf(all + len, sizeof(all) - len, "%s%s",
					k ? "=" : &" "[id == 1],
					text(p, function(p, l->line[k])->name));
	}
	assert_string_equal(all, want);
}

/*
 * In how many stacks they are counts, not how often they were found there: of a recursion each
 * time, of a function not where something is inlined into it, of a command where it stands alone.
 */
static void what_most_stacks_have_comes_first(void **state)
{
	struct profile *p = new_profile();
	Pprof__Profile *read;

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", "uonce", NULL), 1000);
	add_row(p, 0, 1, add_stack(p, "csh", "umain", "uwork", "ione", "uleaf", NULL), 1);
	add_row(p, 0, 1, add_stack(p, "csh", "umain", "uwork", "ione", "itwo", NULL), 1);
	add_row(p, 0, 1, add_stack(p, "csh", "umain", "uwork", NULL), 1);
	add_row(p, 0, 1, add_stack(p, "csh", "umain", "uleaf", "uleaf", "uleaf", NULL), 1);
	add_row(p, 0, 1, add_stack(p, "csh", "ione", NULL), 1);
	add_row(p, 0, 1, add_stack(p, "csh", "unever", NULL), 0);
	add_row(p, 0, 1, add_stack(p, "csh", NULL), 1);
	add_row(p, 0, 2, add_stack(p, "csh", NULL), 1);
	read = written(p, &plain);
	assert_locations(read, "main leaf sh once work one=work two=one=work one");
	pprof__profile__free_unpacked(read, NULL);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_values_of_one_sample),
		cmocka_unit_test(the_chosen_event_is_shown_first),
		cmocka_unit_test(without_weights_samples_are_all_there_is),
		cmocka_unit_test(clocks_have_the_names_of_cpu_profiles),
		cmocka_unit_test(one_of_a_series_has_names_that_series_can_have),
		cmocka_unit_test(a_cpu_profile_of_no_clock_has_samples),
		cmocka_unit_test(losses_of_one_event_are_samples),
		cmocka_unit_test(losses_of_several_events_are_comments),
		cmocka_unit_test(inlined_functions_are_lines_of_one_location),
		cmocka_unit_test(the_program_is_the_first_mapping),
		cmocka_unit_test(labels_are_what_rows_are_by),
		cmocka_unit_test(a_sample_has_a_location),
		cmocka_unit_test(what_most_stacks_have_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
