// SPDX-License-Identifier: BSD-2-Clause
/* Stacks of kernel addresses before and after the kernel's names have been read. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profiles.h"

#include "collect/stacks.h"

struct fixture {
	struct profile *profile;
	struct tracker *tracker;
	struct stacks *stacks;
	int list; /* of kernel symbols */
	char path[64];
};

static void open_fixture(struct fixture *f, const char *kallsyms)
{
	struct tracker_opts opts = { .kallsyms = f->path };
	struct buf why = {};

	f->list = memfd_create("kallsyms", MFD_CLOEXEC);
	assert_int_equal(write(f->list, kallsyms, strlen(kallsyms)), strlen(kallsyms));
	snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->list);
	f->profile = new_profile();
	add_event(f->profile, "cycles");
	assert_int_equal(tracker__open(&f->tracker, &opts, &why), 0);
	assert_int_equal(stacks__new(&f->stacks, f->profile, f->tracker, true), 0);
}

static void close_fixture(struct fixture *f)
{
	stacks__free(f->stacks);
	tracker__close(f->tracker);
	profile__free(f->profile);
	close(f->list);
}

/* A stack of two kernel frames; its hash is its first address. */
static uint32_t name(struct fixture *f, uint64_t leaf, uint64_t caller)
{
	struct sample_key key = { .comm = "sh", .stack = { .nr_kernel = 2 } };
	struct sample_stack s = {
		.key = &key,
		.kernel = (uint64_t[]){ leaf, caller },
		.hash = leaf,
	};
	uint32_t handle;

	assert_int_equal(stacks__name(f->stacks, &s, &handle), 0);
	return handle;
}

static void add(struct fixture *f, uint32_t handle, uint64_t samples)
{
	struct row_key key = { .stack = stacks__node(f->stacks, handle) };

	assert_int_equal(profile__add(f->profile, &key, samples, samples, NULL), 0);
}

static void assert_stack(struct fixture *f, uint32_t handle, const char *caller, const char *leaf)
{
	uint32_t frames[3];

	assert_int_equal(profile__stack(f->profile, stacks__node(f->stacks, handle), frames, 3), 3);
	assert_string_equal(profile__name(f->profile, frames[0]), "sh");
	assert_string_equal(profile__name(f->profile, frames[1]), caller);
	assert_string_equal(profile__name(f->profile, frames[2]), leaf);
}

static bool read_names(struct fixture *f)
{
	bool more;

	assert_int_equal(stacks__read_kernel(f->stacks, UINT64_MAX, &more), 0);
	return more;
}

static const char small[] = "1000 T entry\n2000 T read\n3000 T write\n";

static void early_stacks_get_their_names_later(void **state)
{
	uint32_t drained, held, late;
	struct fixture f;

	(void)state;
	open_fixture(&f, small);
	assert_false(read_names(&f)); /* nobody asked for one */
	drained = name(&f, 0x2010, 0x1005);
	held = name(&f, 0x2014, 0x1009);
	add(&f, drained, 1);
	assert_stack(&f, drained, "[kernel+0x1004]", "[kernel+0x2010]");
	assert_false(read_names(&f));
	/* Both have become one stack, whether their counts were known by then or not. */
	assert_stack(&f, drained, "entry", "read");
	assert_int_equal(stacks__node(f.stacks, held), stacks__node(f.stacks, drained));
	add(&f, held, 2);
	late = name(&f, 0x2018, 0x1001);
	assert_stack(&f, late, "entry", "read");
	add(&f, late, 4);
	add(&f, name(&f, 0x2010, 0x1005), 8);
	assert_int_equal(f.profile->nr_rows, 1);
	assert_int_equal(f.profile->rows[0].samples, 15);
	assert_stack(&f, name(&f, 0x3010, 0x1005), "entry", "write");
	close_fixture(&f);
}

static void a_return_address_at_a_functions_end_is_its_callers(void **state)
{
	uint32_t handle;
	struct fixture f;

	(void)state;
	open_fixture(&f, small);
	handle = name(&f, 0x3000, 0x2000);
	assert_false(read_names(&f));
	assert_stack(&f, handle, "entry", "write");
	close_fixture(&f);
}

static void hidden_names_leave_addresses(void **state)
{
	uint32_t handle;
	struct fixture f;

	(void)state;
	open_fixture(&f, "0 T entry\n0 T read\n");
	handle = name(&f, 0x2010, 0x1005);
	add(&f, handle, 1);
	assert_false(read_names(&f));
	assert_int_equal(namer__kernel_error(tracker__namer(f.tracker)), -EACCES);
	assert_stack(&f, handle, "[kernel+0x1004]", "[kernel+0x2010]");
	assert_stack(&f, name(&f, 0x2010, 0x1005), "[kernel+0x1004]", "[kernel+0x2010]");
	close_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(early_stacks_get_their_names_later),
		cmocka_unit_test(a_return_address_at_a_functions_end_is_its_callers),
		cmocka_unit_test(hidden_names_leave_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
