// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stacks of kernel addresses while the kernel's names are being read, and after; and of this
 * process's own code: which are whole.
 */
#include <dlfcn.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
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

static void open_fixture_by(struct fixture *f, const char *kallsyms, unsigned by)
{
	struct tracker_opts opts = { .kallsyms = f->path };
	struct buf why = {};

	f->list = memfd_create("kallsyms", MFD_CLOEXEC);
	assert_int_equal(write(f->list, kallsyms, strlen(kallsyms)), strlen(kallsyms));
	snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->list);
	f->profile = new_profile();
	add_event(f->profile, "cycles");
	assert_int_equal(tracker__open(&f->tracker, &opts, &why), 0);
	assert_int_equal(stacks__new(&f->stacks, f->profile, f->tracker, by), 0);
}

static void open_fixture(struct fixture *f, const char *kallsyms)
{
	open_fixture_by(f, kallsyms, BY_COMM | BY_KSTACK | BY_USTACK);
}

static void close_fixture(struct fixture *f)
{
	stacks__free(f->stacks);
	tracker__close(f->tracker);
	profile__free(f->profile);
	close(f->list);
}

/* A stack of two kernel frames; its hash is its first address. */
static int try_name(struct fixture *f, uint64_t leaf, uint64_t caller, uint32_t *handle)
{
	struct sample_key key = { .comm = "sh", .stack = { .nr_kernel = 2 } };
	struct sample_stack s = {
		.key = &key,
		.kernel = (uint64_t[]){ leaf, caller },
		.hash = leaf,
	};

	return stacks__name(f->stacks, &s, handle);
}

static size_t take_names(struct fixture *f)
{
	struct namer *namer = tracker__namer(f->tracker);
	size_t nr;

	assert_true(namer__wait(namer, UINT64_MAX));
	assert_int_equal(namer__take(namer, &nr), 0);
	return nr;
}

static uint32_t name(struct fixture *f, uint64_t leaf, uint64_t caller)
{
	uint32_t handle;
	int err = try_name(f, leaf, caller, &handle);

	if (err == -EAGAIN) {
		take_names(f);
		err = try_name(f, leaf, caller, &handle);
	}
	assert_int_equal(err, 0);
	return handle;
}

static void assert_stack(struct fixture *f, uint32_t handle, const char *caller, const char *leaf)
{
	uint32_t frames[3];

	assert_int_equal(profile__stack(f->profile, stacks__node(handle), frames, 3), 3);
	assert_string_equal(profile__name(f->profile, frames[0]), "sh");
	assert_string_equal(profile__name(f->profile, frames[1]), caller);
	assert_string_equal(profile__name(f->profile, frames[2]), leaf);
}

static const char small[] = "1000 T entry\n2000 T read\n3000 T write\n";

/* All of its frames are asked for at once; in a hurry they are addresses, for this time only. */
static void a_stack_waits_for_its_names(void **state)
{
	struct namer *namer;
	uint32_t handle;
	struct fixture f;

	(void)state;
	open_fixture(&f, small);
	namer = tracker__namer(f.tracker);
	assert_int_equal(try_name(&f, 0x2010, 0x1005, &handle), -EAGAIN);
	assert_int_equal(try_name(&f, 0x2010, 0x1005, &handle), -EAGAIN);
	assert_int_equal(namer__nr_asked(namer), 2);
	namer__hurry(namer, true);
	assert_int_equal(try_name(&f, 0x2010, 0x1005, &handle), 0);
	namer__hurry(namer, false);
	assert_true(handle & STACK_UNNAMED);
	assert_stack(&f, handle, "[kernel+0x1004]", "[kernel+0x2010]");
	assert_int_equal(take_names(&f), 2);
	assert_int_equal(try_name(&f, 0x2010, 0x1005, &handle), 0);
	assert_false(handle & STACK_BITS);
	assert_stack(&f, handle, "entry", "read");
	/* Other addresses of the same functions: the same stack. */
	assert_int_equal(name(&f, 0x2014, 0x1009), handle);
	assert_stack(&f, name(&f, 0x3010, 0x1005), "entry", "write");
	close_fixture(&f);
}

/* Programs of BPF come and go, and their memory is used again. */
static void code_of_the_kernel_that_was_replaced_is_named_anew(void **state)
{
	struct namer *namer;
	struct fixture f;
	uint32_t old;

	(void)state;
	open_fixture(&f, small);
	namer = tracker__namer(f.tracker);
	assert_stack(&f, name(&f, 0x2010, 0x1005), "entry", "read");
	assert_int_equal(namer__kernel_added(namer, 0x9000, 0x100, "bpf_prog_old"), 0);
	old = name(&f, 0x9010, 0x1005);
	assert_stack(&f, old, "entry", "bpf_prog_old");
	/* Elsewhere: right before it, and right behind. */
	assert_int_equal(namer__kernel_added(namer, 0x8f10, 0x100, "bpf_prog_1"), 0);
	assert_int_equal(namer__kernel_added(namer, 0x9011, 0x100, "bpf_prog_2"), 0);
	assert_int_equal(namer__kernel_era(namer), 0);
	assert_int_equal(name(&f, 0x9010, 0x1005), old);
	assert_int_equal(namer__kernel_added(namer, 0x9000, 0x80, "bpf_prog_new"), 0);
	assert_stack(&f, name(&f, 0x9010, 0x1005), "entry", "bpf_prog_new");
	assert_stack(&f, name(&f, 0x2010, 0x1005), "entry", "read");
	close_fixture(&f);
}

static void a_return_address_at_a_functions_end_is_its_callers(void **state)
{
	uint32_t handle;
	struct fixture f;

	(void)state;
	open_fixture(&f, small);
	handle = name(&f, 0x3000, 0x2000);
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
	assert_int_equal(namer__kernel_error(tracker__namer(f.tracker)), -EACCES);
	assert_stack(&f, handle, "[kernel+0x1004]", "[kernel+0x2010]");
	assert_stack(&f, name(&f, 0x2010, 0x1005), "[kernel+0x1004]", "[kernel+0x2010]");
	close_fixture(&f);
}

/* Where main() returns to: start-up code of the C library. */
static uint64_t returns_to;

/* Some function of this file, which has callers. */
static uint64_t here(void)
{
	return (uintptr_t)hidden_names_leave_addresses + 1;
}

/*
 * The user half's frames from outermost to innermost, without modules; *why: its reason.
 * @nr addresses, innermost first.
 */
static const char *user_of(struct fixture *f, pid_t pid, const uint64_t *addrs, uint16_t nr,
			   uint16_t flaws, uint32_t *why)
{
	struct sample_key key = { .comm = "sh",
				  .tgid = pid,
				  .stack = { .nr_user = nr, .flaws = flaws } };
	struct sample_stack s = {
		.key = &key,
		.user = addrs,
		.first_ns = UINT64_MAX,
		.hash = nr * 65536 + flaws,
	};
	static char text[1024];
	uint32_t frames[64], handle;
	size_t depth, len = 0;

	int err = stacks__name(f->stacks, &s, &handle);

	if (err == -EAGAIN) {
		take_names(f);
		err = stacks__name(f->stacks, &s, &handle);
	}
	assert_int_equal(err, 0);
	*why = handle & STACK_REASON;
	depth = profile__stack(f->profile, stacks__node(handle), frames, 64);
	text[0] = '\0';
	for (size_t i = 1; i < depth; i++)
		len += snprintf(text + len, sizeof(text) - len, "%s%s", i > 1 ? ";" : "",
				f->profile->frames[frames[i]].kind == FRAME_USER
					? "f"
					: profile__name(f->profile, frames[i]));
	return text;
}

static const char *user(struct fixture *f, const uint64_t *addrs, uint16_t nr, uint16_t flaws,
			uint32_t *why)
{
	return user_of(f, getpid(), addrs, nr, flaws, why);
}

static void a_stack_that_ends_in_start_up_code_is_whole(void **state)
{
	const uint64_t addrs[] = { here(), here(), returns_to, 0x10, 0x20 };
	struct fixture f;
	uint32_t why;

	(void)state;
	open_fixture(&f, small);
	assert_string_equal(user(&f, addrs, 3, 0, &why), "f;f;f");
	assert_int_equal(why, 0);
	/* Behind it is what the C library had in the register. */
	assert_string_equal(user(&f, addrs, 5, STACK_USER_BROKEN, &why), "f;f;f");
	assert_int_equal(why, 0);
	assert_string_equal(user(&f, addrs, 5, STACK_USER_TRUNCATED, &why), "f;f;f");
	assert_int_equal(why, 0);
	close_fixture(&f);
}

/* It leads to start-up code as it should, but by frame pointer, where rules were not there yet. */
static void a_stack_without_its_tables_is_not_whole(void **state)
{
	const uint64_t addrs[] = { here(), here(), returns_to, 0x10 };
	struct fixture f;
	uint32_t why;

	(void)state;
	open_fixture(&f, small);
	assert_string_equal(user(&f, addrs, 3, STACK_USER_UNKNOWN, &why),
			    "[callers missing];f;f;f");
	assert_int_equal(why, STACK_UNKNOWN);
	assert_string_equal(user(&f, addrs, 4, STACK_USER_UNKNOWN | STACK_USER_BROKEN, &why),
			    "[callers missing];f;f;f");
	assert_int_equal(why, STACK_UNKNOWN);
	close_fixture(&f);
}

/* Without frame pointers a register may hold 0, or anything else: the walker sees no flaw. */
static void a_stack_that_ends_elsewhere_has_lost_its_callers(void **state)
{
	const uint64_t addrs[] = { here(), here(), here() };
	struct fixture f;
	uint32_t why;

	(void)state;
	open_fixture(&f, small);
	assert_string_equal(user(&f, addrs, 1, 0, &why), "[callers missing];f");
	assert_int_equal(why, STACK_BROKEN);
	assert_string_equal(user(&f, addrs, 3, 0, &why), "[callers missing];f;f;f");
	assert_int_equal(why, STACK_BROKEN);
	assert_string_equal(user(&f, addrs, 2, STACK_USER_UNREADABLE, &why),
			    "[callers missing];f;f");
	assert_int_equal(why, STACK_UNREADABLE);
	close_fixture(&f);
}

#if defined(__x86_64__) && defined(__GLIBC__)
/* Where the system call of clone(2) returns: in a new thread that is all, by its rule. */
static void behind_clone_a_frame_alone_is_whole_by_rules(void **state)
{
	static const uint8_t returns[] = { 0x0f, 0x05, 0x48, 0x85, 0xc0 };
	const char *at = memmem(dlsym(RTLD_DEFAULT, "clone"), 128, returns, sizeof(returns));
	const uint64_t addrs[] = { (uintptr_t)at + 2, here() };
	struct fixture f;
	uint32_t why;

	(void)state;
	assert_non_null(at);
	open_fixture(&f, small);
	assert_string_equal(user(&f, addrs, 1, 0, &why), "f");
	assert_int_equal(why, 0);
	/* By frame pointer nobody knows. Who makes a thread has callers, which may be missing. */
	assert_string_equal(user(&f, addrs, 1, STACK_USER_BROKEN, &why), "[callers missing];f");
	assert_int_equal(why, STACK_BROKEN);
	assert_string_equal(user(&f, addrs, 2, 0, &why), "[callers missing];f;f");
	assert_int_equal(why, STACK_BROKEN);
	close_fixture(&f);
}
#endif

static void a_stack_is_cut_only_where_it_was_one(void **state)
{
	const uint64_t addrs[] = { here(), here(), here() }, list[] = { here(), 0x10, 0x20, 0x30 };
	struct fixture f;
	uint32_t why;

	(void)state;
	open_fixture(&f, small);
	assert_string_equal(user(&f, addrs, 3, STACK_USER_TRUNCATED, &why), "[truncated];f;f;f");
	assert_int_equal(why, STACK_CUT);
	/* Some list on the heap, followed up to the limit: none of it is code. */
	assert_string_equal(user(&f, list, 4, STACK_USER_TRUNCATED, &why), "[callers missing];f");
	assert_int_equal(why, STACK_BROKEN);
	close_fixture(&f);
}

static pid_t one_that_has_ended(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

/* Whatever the walker has to say beside: it is one stack, and has one reason. */
static void of_a_process_that_has_ended_that_is_the_reason(void **state)
{
	static const uint16_t flaws[] = { 0,
					  STACK_USER_TRUNCATED,
					  STACK_USER_UNREADABLE,
					  STACK_USER_BROKEN,
					  STACK_USER_NO_RULE,
					  STACK_USER_BAD_RULE,
					  STACK_USER_UNKNOWN,
					  STACK_USER_UNKNOWN | STACK_USER_BROKEN };
	const uint64_t addrs[] = { here(), here(), returns_to };
	const pid_t pid = one_that_has_ended();
	struct fixture f;
	uint32_t why;

	(void)state;
	open_fixture(&f, small);
	for (size_t i = 0; i < ARRAY_SIZE(flaws); i++) {
		assert_string_equal(user_of(&f, pid, addrs, 3, flaws[i], &why),
				    "[callers missing];f;f;f");
		assert_int_equal(why, STACK_GONE);
	}
	close_fixture(&f);
	open_fixture_by(&f, small, BY_COMM | BY_CALLER);
	assert_string_equal(user_of(&f, pid, addrs, 1, STACK_USER_TRUNCATED, &why), "f");
	assert_int_equal(why, STACK_GONE);
	close_fixture(&f);
}

static void of_one_frame_nothing_is_missing(void **state)
{
	const uint64_t addrs[] = { here() };
	struct fixture f;
	uint32_t why;

	(void)state;
	open_fixture_by(&f, small, BY_COMM | BY_CALLER);
	assert_string_equal(user(&f, addrs, 1, STACK_USER_TRUNCATED, &why), "f");
	assert_int_equal(why, 0);
	close_fixture(&f);
}

__attribute__((noinline, used)) static void first_code(void)
{
	__asm__ volatile("nop\n\tnop");
}

__attribute__((noinline, used)) static void second_code(void)
{
	__asm__ volatile("nop\n\tnop\n\tnop");
}

__attribute__((noinline, used)) static void third_code(void)
{
	__asm__ volatile("nop\n\tnop\n\tnop\n\tnop");
}

enum { PLACE = 0x10000 };

/* A function's code at PLACE, from then on. */
static void map_code(struct fixture *f, void (*code)(void), uint64_t since_ns)
{
	struct procs *procs = tracker__procs(f->tracker);
	struct mapping m = { .start = PLACE, .end = PLACE + 4096, .since_ns = since_ns };
	struct binary_ref ref = {};
	const struct mapping *own;
	struct proc *proc;
	char path[4096] = "";
	struct stat st;

	assert_int_equal(procs__find(procs, getpid(), since_ns, &proc), 0);
	own = space__find(proc->space, (uintptr_t)code, since_ns);
	assert_non_null(own);
	m.offset = (uintptr_t)code - own->start + own->offset;
	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	assert_int_equal(stat(path, &st), 0);
	ref.path = path;
	ref.dev_major = major(st.st_dev);
	ref.dev_minor = minor(st.st_dev);
	ref.inode = st.st_ino;
	ref.pid = getpid();
	assert_int_equal(procs__map(procs, getpid(), &m, path, &ref), 0);
}

/* The function that a stack of one address at PLACE is in, all of them of one hash. */
static const char *code_at(struct fixture *f, uint64_t time_ns)
{
	struct sample_key key = { .comm = "sh", .tgid = getpid(), .stack = { .nr_user = 1 } };
	struct sample_stack s = {
		.key = &key,
		.user = (uint64_t[]){ PLACE + 1 },
		.first_ns = time_ns,
		.hash = 1,
	};
	uint32_t frames[8], handle;
	size_t depth;
	int err = stacks__name(f->stacks, &s, &handle);

	if (err == -EAGAIN) {
		take_names(f);
		err = stacks__name(f->stacks, &s, &handle);
	}
	assert_int_equal(err, 0);
	depth = profile__stack(f->profile, stacks__node(handle), frames, 8);
	return profile__name(f->profile, frames[depth - 1]);
}

/* A stack that was taken before other code came to its place, and is named after it. */
static void a_stack_is_named_by_the_code_of_its_time(void **state)
{
	struct fixture f;

	(void)state;
	open_fixture(&f, small);
	map_code(&f, first_code, 100);
	assert_string_equal(code_at(&f, 150), "first_code");
	assert_string_equal(code_at(&f, 160), "first_code");
	map_code(&f, second_code, 200);
	map_code(&f, third_code, 300);
	assert_string_equal(code_at(&f, 190), "first_code");
	assert_string_equal(code_at(&f, 250), "second_code");
	assert_string_equal(code_at(&f, 350), "third_code");
	assert_string_equal(code_at(&f, 360), "third_code");
	assert_string_equal(code_at(&f, 299), "second_code");
	assert_string_equal(code_at(&f, 199), "first_code");
	assert_string_equal(code_at(&f, 300), "third_code");
	close_fixture(&f);
}

/* Each is a stack of its own to who remembers stacks. */
static uint32_t handle_of(struct fixture *f, const char *comm, const uint64_t *addrs, uint16_t nr,
			  uint16_t flaws, uint64_t time_ns)
{
	static uint64_t nr_stacks = 1 << 20;
	struct sample_key key = { .tgid = getpid(), .stack = { .nr_user = nr, .flaws = flaws } };
	struct sample_stack s = {
		.key = &key, .user = addrs, .first_ns = time_ns, .hash = nr_stacks++
	};
	uint32_t handle;
	int err;

	strcpy(key.comm, comm);
	err = stacks__name(f->stacks, &s, &handle);
	if (err == -EAGAIN) {
		take_names(f);
		err = stacks__name(f->stacks, &s, &handle);
	}
	assert_int_equal(err, 0);
	return handle;
}

/* Where processes begin. */
extern void _start(void);

/* Stacks of the same callers are what they are when no callers are known, wherever they begin. */
static void known_callers_change_no_stack(void **state)
{
	const uint64_t innermost[] = { here(), (uintptr_t)second_code + 1, 0x10,
				       (uintptr_t)_start + 4, returns_to };
	const uint64_t callers[][2] = {
		{ here(), returns_to }, { here(), here() }, { returns_to, 0x20 }, { 0x30, here() }
	};
	static const uint16_t flaws[] = { 0, STACK_USER_BROKEN, STACK_USER_UNREADABLE,
					  STACK_USER_TRUNCATED, STACK_USER_UNKNOWN };
	const uint64_t other = (uintptr_t)first_code + 1;
	struct fixture f;

	(void)state;
	open_fixture(&f, small);
	for (size_t i = 0; i < ARRAY_SIZE(innermost); i++)
		for (size_t n = 0; n < ARRAY_SIZE(callers) * ARRAY_SIZE(flaws); n++) {
			const uint64_t *of = callers[n % ARRAY_SIZE(callers)];
			const uint16_t flaw = flaws[n / ARRAY_SIZE(callers)];
			const uint64_t addrs[] = { innermost[i], of[0], of[1] };
			uint32_t alone, beside;

			stacks__forget(f.stacks);
			alone = handle_of(&f, "sh", addrs, 3, flaw, UINT64_MAX);
			stacks__forget(f.stacks);
			/* Of another command, from elsewhere, of other flaws; and these. */
			(void)handle_of(&f, "bash", (uint64_t[]){ other, of[0], of[1] }, 3, flaw,
					UINT64_MAX);
			(void)handle_of(&f, "sh", (uint64_t[]){ other, of[0], other }, 3, flaw,
					UINT64_MAX);
			for (size_t k = 0; k < ARRAY_SIZE(flaws); k++)
				(void)handle_of(&f, "sh", (uint64_t[]){ other, of[0], of[1] }, 3,
						flaws[k], UINT64_MAX);
			beside = handle_of(&f, "sh", addrs, 3, flaw, UINT64_MAX);
			assert_int_equal(beside, alone);
		}
	close_fixture(&f);
}

/* Other code has come to a caller's place. */
static void known_callers_are_those_of_their_time(void **state)
{
	const uint64_t addrs[] = { here(), PLACE + 1 };
	uint32_t frames[8], handle;
	struct fixture f;

	(void)state;
	open_fixture(&f, small);
	map_code(&f, first_code, 100);
	handle = handle_of(&f, "sh", addrs, 2, STACK_USER_UNREADABLE, 150);
	assert_int_equal(profile__stack(f.profile, stacks__node(handle), frames, 8), 4);
	assert_string_equal(profile__name(f.profile, frames[2]), "first_code");
	map_code(&f, second_code, 200);
	handle = handle_of(&f, "sh", addrs, 2, STACK_USER_UNREADABLE, 250);
	assert_int_equal(profile__stack(f.profile, stacks__node(handle), frames, 8), 4);
	assert_string_equal(profile__name(f.profile, frames[2]), "second_code");
	handle = handle_of(&f, "sh", addrs, 2, STACK_USER_UNREADABLE, 160);
	assert_int_equal(profile__stack(f.profile, stacks__node(handle), frames, 8), 4);
	assert_string_equal(profile__name(f.profile, frames[2]), "first_code");
	close_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_waits_for_its_names),
		cmocka_unit_test(code_of_the_kernel_that_was_replaced_is_named_anew),
		cmocka_unit_test(a_return_address_at_a_functions_end_is_its_callers),
		cmocka_unit_test(hidden_names_leave_addresses),
		cmocka_unit_test(a_stack_that_ends_in_start_up_code_is_whole),
		cmocka_unit_test(a_stack_without_its_tables_is_not_whole),
		cmocka_unit_test(a_stack_that_ends_elsewhere_has_lost_its_callers),
#if defined(__x86_64__) && defined(__GLIBC__)
		cmocka_unit_test(behind_clone_a_frame_alone_is_whole_by_rules),
#endif
		cmocka_unit_test(a_stack_is_cut_only_where_it_was_one),
		cmocka_unit_test(of_a_process_that_has_ended_that_is_the_reason),
		cmocka_unit_test(of_one_frame_nothing_is_missing),
		cmocka_unit_test(a_stack_is_named_by_the_code_of_its_time),
		cmocka_unit_test(known_callers_change_no_stack),
		cmocka_unit_test(known_callers_are_those_of_their_time),
	};

	returns_to = (uintptr_t)__builtin_return_address(0);

	return cmocka_run_group_tests(tests, NULL, NULL);
}
