// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <errno.h>

#include "model/regroup.h"
#include "print/csv.h"
#include "print/folded.h"

static struct profile *regrouped(const struct profile *p, unsigned by, bool by_function)
{
	const struct regroup_opts o = { .by = by, .by_function = by_function };
	struct profile *q;

	assert_int_equal(regroup__new(&q, p, &o), 0);
	assert_int_equal(q->by, by);
	return q;
}

static void assert_csv(const struct profile *p, const char *expected)
{
	char *text = WRITTEN(print__csv(f, p, &(struct csv_opts){}));

	assert_string_equal(text, expected);
	free(text);
}

/* small_profile(): sh has 10 cycles and 4 faults in processes 1 and 2, node 1 fault in 9. */
static void rows_of_one_command_are_one(void **state)
{
	struct profile *p = small_profile(), *q = regrouped(p, BY_COMM, false);

	assert_csv(q, "comm,cycles,faults\nsh,10,4\nnode,,1\n");
	assert_int_equal(q->nr_rows, 3);
	assert_int_equal(q->events[0].samples, 10);
	assert_int_equal(q->events[0].weight, 10000);
	assert_int_equal(q->rows[0].weight, 10000);
	/* Nothing is left of stacks. */
	assert_int_equal(q->nr_nodes, 3);
	assert_int_equal(q->nr_frames, 2);
	profile__free(p);
	profile__free(q);
}

static void processes_are_told_apart_without_their_commands(void **state)
{
	struct profile *p = small_profile(), *q;
	char *text;

	/* Process 1 has become another program. */
	add_row(p, 0, 1, add_stack(p, "cls", "umain", NULL), 7);
	q = regrouped(p, BY_PID, false);
	assert_csv(q, "pid,cycles,faults\n1,15,4\n2,2,\n9,,1\n");
	text = WRITTEN(print__folded(f, q, 0));
	assert_string_equal(text, "[any] 17\n");
	free(text);
	profile__free(p);
	profile__free(q);
}

static void stacks_of_all_commands_are_one_tree(void **state)
{
	struct profile *p = small_profile(), *q;
	char *text;

	add_row(p, 0, 3, add_stack(p, "cls", "umain", "uwork", NULL), 7);
	q = regrouped(p, BY_KSTACK | BY_USTACK, false);
	text = WRITTEN(print__folded(f, q, 0));
	assert_string_equal(text, "[any];main;sys_read_[k] 2\n"
				  "[any];main;work 10\n"
				  "[any];main;work;work;leaf 5\n");
	free(text);
	profile__free(p);
	profile__free(q);
}

static void a_function_is_the_innermost_frame(void **state)
{
	struct profile *p = small_profile(), *q;

	add_row(p, 0, 5, add_stack(p, "cidle", NULL), 1);
	add_row(p, 0, 5, add_stack(p, "cidle", "u", NULL), 1);
	add_row(p, 0, 5, 0, 1);
	q = regrouped(p, 0, true);
	assert_csv(q, "function,cycles,faults\nsys_read,2,4\nleaf,5,\nwork,3,\n-,2,\nrun,,1\n"
		      "[unknown],1,\n");
	assert_int_equal(q->nr_fields, 1);
	profile__free(q);
	q = regrouped(p, BY_COMM | BY_PID, true);
	assert_csv(q, "comm,pid,function,cycles,faults\nsh,1,sys_read,2,4\nsh,1,leaf,3,\n"
		      "sh,1,work,3,\nsh,2,leaf,2,\n,5,-,1,\nnode,9,run,,1\nidle,5,-,1,\n"
		      "idle,5,[unknown],1,\n");
	profile__free(p);
	profile__free(q);
}

static void add_place(struct profile *p, uint32_t tid, uint32_t cpu, const char *cgroup,
		      uint32_t stack, uint64_t n)
{
	struct row_key key = { .pid = 1, .tid = tid, .cpu = cpu, .stack = stack };

	assert_int_equal(profile__string(p, cgroup, strlen(cgroup), &key.cgroup), 0);
	assert_int_equal(profile__add(p, &key, n, n, NULL), 0);
	p->losses.seen += n;
	p->losses.kept += n;
}

static void threads_cpus_and_cgroups_too(void **state)
{
	struct profile *p = new_profile(), *q;
	uint32_t f;

	p->by = BY_COMM | BY_PID | BY_TID | BY_CPU | BY_CGROUP | BY_USTACK;
	add_event(p, "cycles");
	f = add_stack(p, "csh", "uf", NULL);
	add_place(p, 1, 0, "/a", f, 1);
	add_place(p, 2, 0, "/b", f, 2);
	add_place(p, 2, 3, "/a", f, 4);
	q = regrouped(p, BY_CGROUP, false);
	assert_csv(q, "cgroup,cycles\n/a,5\n/b,2\n");
	profile__free(q);
	q = regrouped(p, BY_CPU, false);
	assert_csv(q, "cpu,cycles\n3,4\n0,3\n");
	profile__free(q);
	q = regrouped(p, BY_TID, false);
	assert_csv(q, "tid,cycles\n2,6\n1,1\n");
	profile__free(q);
	profile__free(p);
}

static void losses_times_and_events_stay(void **state)
{
	struct profile *p = small_profile(), *q;

	p->own_ns = 5;
	p->events[1].running_ns = 1;
	p->events[1].enabled_ns = 2;
	p->losses.untold = true;
	p->losses.seen += 3;
	losses__add(&p->losses, &(struct loss){ .name = "full", .text = "full", .n = 2 });
	q = regrouped(p, BY_COMM, false);
	assert_int_equal(q->duration_ns, 2000000000);
	assert_int_equal(q->own_ns, 5);
	assert_int_equal(q->nr_cpus, 4);
	assert_int_equal(q->events[1].running_ns, 1);
	assert_int_equal(q->events[1].enabled_ns, 2);
	assert_int_equal(q->losses.seen, 18);
	assert_int_equal(q->losses.kept, 15);
	assert_int_equal(q->losses.by[0].n, 2);
	assert_true(q->losses.untold);
	profile__free(p);
	profile__free(q);
}

/* Rows that are one have one entry in a window. */
static void windows_have_what_came_in_them(void **state)
{
	struct profile *p = small_profile(), *q;
	const struct windows *w;

	assert_int_equal(profile__close_window(p, 100), 0);
	add_row(p, 0, 1, add_stack(p, "csh", "umain", NULL), 6);
	add_row(p, 1, 9, add_stack(p, "cnode", "jrun", NULL), 2);
	add_row(p, 0, 2, add_stack(p, "csh", "umain", "uwork", NULL), 1);
	assert_int_equal(profile__close_window(p, 200), 0);
	q = regrouped(p, BY_COMM, false);
	w = &q->windows;
	assert_int_equal(w->nr, 2);
	assert_int_equal(w->items[0].end_entries, 3);
	assert_int_equal(w->entries[0].samples, 10);
	assert_int_equal(w->entries[1].samples, 4);
	assert_int_equal(w->entries[2].samples, 1);
	assert_int_equal(w->items[1].end_entries, 5);
	assert_int_equal(w->nr_entries, 5);
	assert_int_equal(w->entries[3].row, 2);
	assert_int_equal(w->entries[3].samples, 2);
	assert_int_equal(w->entries[4].row, 0);
	assert_int_equal(w->entries[4].samples, 7);
	assert_int_equal(w->entries[4].weight, 7000);
	assert_int_equal(w->items[1].losses.kept, 9);
	profile__free(p);
	profile__free(q);
}

static void hits_with_fields_are_not_for_this(void **state)
{
	const struct regroup_opts o = { .by = BY_COMM };
	struct profile *p = new_profile(), *q;

	assert_int_equal(profile__field(p, "fd", FIELD_SIGNED), 0);
	assert_int_equal(regroup__new(&q, p, &o), -EINVAL);
	assert_null(q);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_one_command_are_one),
		cmocka_unit_test(processes_are_told_apart_without_their_commands),
		cmocka_unit_test(stacks_of_all_commands_are_one_tree),
		cmocka_unit_test(a_function_is_the_innermost_frame),
		cmocka_unit_test(threads_cpus_and_cgroups_too),
		cmocka_unit_test(losses_times_and_events_stay),
		cmocka_unit_test(windows_have_what_came_in_them),
		cmocka_unit_test(hits_with_fields_are_not_for_this),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
