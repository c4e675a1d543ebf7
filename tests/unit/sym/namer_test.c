// SPDX-License-Identifier: BSD-2-Clause
/* Mappings that no record told of: the process itself is asked, for callers not often. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "sym/namer.h"

struct fixture {
	struct mapped_files *files;
	struct procs *procs;
	struct namer *namer;
	struct proc *self; /* as it was before anything was mapped */
	uint64_t offset;   /* of mapped_twice() in the file of this program */
	const char *root;  /* a /proc of our own */
};

/* A file below f->root, its folders as well; NULL: the file "new" beside it comes to its place. */
static void put_file(const struct fixture *f, const char *name, const char *text)
{
	char path[256], other[256], *slash;
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", f->root, name);
	for (slash = path + strlen(f->root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		(void)mkdir(path, 0755);
		*slash = '/';
	}
	if (!text) {
		snprintf(other, sizeof(other), "%.*s/new", (int)(strrchr(path, '/') - path), path);
		assert_int_equal(rename(other, path), 0);
		return;
	}
	out = fopen(path, "we");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

__attribute__((noinline, used)) static void mapped_twice(void)
{
	__asm__ volatile("nop\n\tnop");
}

static uint64_t offset_of(uintptr_t addr)
{
	FILE *f = fopen("/proc/self/maps", "re");
	uint64_t start, end, offset, found = 0;
	char line[4200];

	assert_non_null(f);
	while (!found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &start, &end, &offset) ==
			    3 &&
		    addr >= start && addr < end)
			found = addr - start + offset;
	fclose(f);
	assert_int_not_equal(found, 0);
	return found;
}

static void open_gathering(struct fixture *f, uint64_t gather_ns)
{
	const struct namer_opts opts = { .kallsyms = "/dev/null", .gather_ns = gather_ns };

	f->files = mapped_files__new("/proc");
	f->procs = procs__new("/proc", f->files);
	assert_int_equal(namer__open(&f->namer, f->procs, f->files, &opts), 0);
	assert_int_equal(procs__find(f->procs, getpid(), clock__now_ns(), &f->self), 0);
	f->offset = offset_of((uintptr_t)mapped_twice);
}

static void open_fixture(struct fixture *f)
{
	open_gathering(f, 0);
}

static void close_fixture(struct fixture *f)
{
	namer__close(f->namer);
	procs__free(f->procs);
	mapped_files__free(f->files);
}

/* This program's file once more; where mapped_twice() is in it. */
static uint64_t map_again(const struct fixture *f)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *at;

	assert_true(fd >= 0 && !fstat(fd, &st));
	at = mmap(NULL, st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_true(at != MAP_FAILED);
	close(fd);
	return (uintptr_t)at + f->offset;
}

static int try_name(struct fixture *f, uint64_t addr, bool caller, struct sym_frame **frame)
{
	enum outermost what;

	return namer__user(f->namer, f->self, clock__now_ns(), addr + caller, caller, frame, &what);
}

static const char *name_of(struct fixture *f, uint64_t addr, bool caller)
{
	struct sym_frame *frame;
	int err = try_name(f, addr, caller, &frame);
	size_t nr;

	if (err == -EAGAIN) {
		assert_true(namer__wait(f->namer, UINT64_MAX));
		assert_int_equal(namer__take(f->namer, &nr), 0);
		assert_int_equal(nr, 1);
		err = try_name(f, addr, caller, &frame);
	}
	assert_int_equal(err, 0);
	return frame->name;
}

static void an_address_in_no_mapping_is_asked_for(void **state)
{
	struct fixture f;

	open_fixture(&f);
	assert_string_equal(name_of(&f, map_again(&f), false), "mapped_twice");
	assert_string_equal(name_of(&f, 16, false), "[unknown]");
	close_fixture(&f);
}

/* A call that does not return may be a function's last instruction. */
static void a_return_address_behind_a_function_is_not_the_next_ones(void **state)
{
	struct sym_frame *frame;
	enum outermost what;
	struct fixture f;
	size_t nr;
	int err;

	(void)state;
	open_fixture(&f);
	/* Behind its only byte: the call was in what comes before. */
	err = namer__user(f.namer, f.self, clock__now_ns(), (uintptr_t)mapped_twice, true, &frame,
			  &what);
	assert_int_equal(err, -EAGAIN);
	assert_true(namer__wait(f.namer, UINT64_MAX));
	assert_int_equal(namer__take(f.namer, &nr), 0);
	err = namer__user(f.namer, f.self, clock__now_ns(), (uintptr_t)mapped_twice, true, &frame,
			  &what);
	assert_int_equal(err, 0);
	assert_string_not_equal(frame->name, "mapped_twice");
	assert_string_equal(name_of(&f, (uintptr_t)mapped_twice, false), "mapped_twice");
	close_fixture(&f);
}

static void so_is_a_callers_but_not_often(void **state)
{
	struct fixture f;

	open_fixture(&f);
	assert_string_equal(name_of(&f, map_again(&f), true), "mapped_twice");
	assert_string_equal(name_of(&f, map_again(&f), true), "[unknown]");
	close_fixture(&f);
}

static void nor_of_a_process_that_is_young(void **state)
{
	struct fixture f;
	uint64_t addr;

	open_fixture(&f);
	addr = map_again(&f);
	f.self->start_ns = clock__now_ns();
	assert_string_equal(name_of(&f, addr, true), "[unknown]");
	assert_string_equal(name_of(&f, addr, false), "mapped_twice");
	assert_string_equal(name_of(&f, addr, true), "mapped_twice");
	close_fixture(&f);
}

/* Asked once, however often it comes; in a hurry it is where it is in its file. */
/*
 * In an exec the registers still are the old program's: the address it called from is named by it,
 * until the new one begins; what looks like one later, or is called a caller, is nobody's.
 */
static void an_execs_caller_is_of_the_old_program(void **state)
{
	const struct mapping vdso = { .start = 0x7000, .end = 0x8000, .since_ns = 2000000 };
	const struct binary_ref none = { .path = "[vdso]" };
	const uint64_t addr = (uintptr_t)mapped_twice;
	struct sym_frame *frame;
	struct proc *child;
	enum outermost what;
	struct fixture f;
	uint32_t pid = UINT32_MAX - 1; /* no process has it */

	(void)state;
	open_fixture(&f);
	assert_string_equal(name_of(&f, addr, false), "mapped_twice");
	assert_string_equal(name_of(&f, addr, true), "mapped_twice");
	assert_int_equal(procs__fork(f.procs, getpid(), pid, 500), 0);
	assert_int_equal(procs__exec(f.procs, pid, 1000), 0);
	assert_int_equal(procs__find(f.procs, pid, 1500, &child), 0);
	assert_int_equal(namer__user(f.namer, child, 1500, addr, false, &frame, &what), 0);
	assert_string_equal(frame->name, "mapped_twice");
	assert_int_equal(namer__user(f.namer, child, 1500, addr + 1, true, &frame, &what), 0);
	assert_string_equal(frame->name, "[unknown]");
	assert_int_equal(procs__map(f.procs, pid, &vdso, "[vdso]", &none), 0);
	assert_int_equal(namer__user(f.namer, child, 2000010, addr, false, &frame, &what), 0);
	assert_string_equal(frame->name, "mapped_twice");
	assert_int_equal(namer__user(f.namer, child, 5000000, addr, false, &frame, &what), 0);
	assert_string_equal(frame->name, "[unknown]");
	close_fixture(&f);
}

/* Who had a pid before is another one: nothing is named by what was mapped then. */
static void a_pid_used_again_has_no_old_program(void **state)
{
	const uint64_t addr = (uintptr_t)mapped_twice;
	struct sym_frame *frame;
	struct proc *child;
	enum outermost what;
	struct fixture f;
	uint32_t pid = UINT32_MAX - 1;

	(void)state;
	open_fixture(&f);
	assert_string_equal(name_of(&f, addr, false), "mapped_twice");
	assert_int_equal(procs__fork(f.procs, getpid(), pid, 500), 0);
	procs__exit(f.procs, pid, 600);
	/* Its fork was told to nobody. */
	assert_int_equal(procs__exec(f.procs, pid, 1000), 0);
	assert_int_equal(procs__find(f.procs, pid, 1500, &child), 0);
	assert_int_equal(namer__user(f.namer, child, 1500, addr, false, &frame, &what), 0);
	assert_string_equal(frame->name, "[unknown]");
	close_fixture(&f);
}

static void a_name_is_waited_for(void **state)
{
	struct sym_frame *frame;
	char expected[64];
	struct fixture f;
	uint64_t addr;
	size_t nr;

	(void)state;
	open_fixture(&f);
	addr = map_again(&f);
	assert_int_equal(try_name(&f, addr, false, &frame), -EAGAIN);
	assert_int_equal(try_name(&f, addr, false, &frame), -EAGAIN);
	assert_int_equal(namer__nr_asked(f.namer), 1);
	namer__hurry(f.namer, true);
	assert_int_equal(try_name(&f, addr, false, &frame), 0);
	snprintf(expected, sizeof(expected), "[namer_test+0x%" PRIx64 "]", f.offset);
	assert_string_equal(frame->name, expected);
	assert_int_equal(namer__nr_hurried(f.namer), 1);
	namer__hurry(f.namer, false);
	assert_true(namer__wait(f.namer, UINT64_MAX));
	assert_int_equal(namer__take(f.namer, &nr), 0);
	assert_int_equal(nr, 1);
	assert_int_equal(namer__nr_asked(f.namer), 0);
	assert_string_equal(name_of(&f, addr, false), "mapped_twice");
	assert_int_equal(namer__nr_hurried(f.namer), 1);
	close_fixture(&f);
}

/* @path: a template; from then on a list of symbols that nobody writes: whoever reads it hangs. */
static void open_hanging(struct fixture *f, char *path)
{
	struct namer_opts opts = { .kallsyms = path };
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	f->files = mapped_files__new("/proc");
	f->procs = procs__new("/proc", f->files);
	assert_int_equal(namer__open(&f->namer, f->procs, f->files, &opts), 0);
}

/* The others do not. */
static void nobody_waits_for_one_that_hangs(void **state)
{
	char path[] = "/tmp/namer_test.XXXXXX";
	struct sym_frame *frame;
	struct fixture f;
	uint64_t start;
	int fd;

	(void)state;
	open_hanging(&f, path);
	assert_int_equal(namer__kernel(f.namer, 0x1000, false, &frame), -EAGAIN);
	assert_false(namer__wait(f.namer, clock__now_ns() + 50000000));
	namer__hurry(f.namer, true);
	assert_int_equal(namer__kernel(f.namer, 0x1000, false, &frame), 0);
	assert_string_equal(frame->name, "[kernel+0x1000]");
	start = clock__now_ns();
	close_fixture(&f);
	assert_true(clock__now_ns() - start < 5000000000); /* it would hang for ever */
	/* The thread is let go, and frees what is its own. */
	fd = open(path, O_WRONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	close(fd);
	unlink(path);
}

/* It hangs, and ever more is to be named: that is asked for once it goes on. */
static void no_more_is_asked_for_than_may_wait(void **state)
{
	char path[] = "/tmp/namer_test.XXXXXX";
	const uint64_t last = 2 * NAMER_ASKED;
	struct sym_frame *frame;
	struct fixture f;
	size_t nr;
	int fd;

	(void)state;
	open_hanging(&f, path);
	for (uint64_t addr = 1; addr <= last; addr++)
		assert_int_equal(namer__kernel(f.namer, addr, false, &frame), -EAGAIN);
	assert_int_equal(namer__nr_asked(f.namer), NAMER_ASKED);
	namer__hurry(f.namer, true);
	assert_int_equal(namer__kernel(f.namer, last, false, &frame), 0);
	assert_string_equal(frame->name, "[kernel+0x20000]");
	assert_int_equal(namer__nr_hurried(f.namer), 1);
	namer__hurry(f.namer, false);
	fd = open(path, O_WRONLY);
	assert_true(fd >= 0);
	close(fd);
	assert_true(namer__wait(f.namer, UINT64_MAX));
	assert_int_equal(namer__take(f.namer, &nr), 0);
	assert_int_equal(nr, NAMER_ASKED);
	assert_int_equal(namer__kernel(f.namer, last, false, &frame), -EAGAIN);
	assert_true(namer__wait(f.namer, UINT64_MAX));
	assert_int_equal(namer__take(f.namer, &nr), 0);
	assert_int_equal(namer__kernel(f.namer, last, false, &frame), 0);
	assert_string_equal(frame->name, "[kernel+0x20000]");
	close_fixture(&f);
	unlink(path);
}

/* A process with code made at run time, in a pid namespace where it is 7, as /proc tells it. */
static struct proc *open_jit_late(struct fixture *f, char *root, size_t late_max)
{
	const struct namer_opts opts = { .kallsyms = "/dev/null",
					 .late_max = late_max,
					 .gather_ns = 500000000 };
	struct proc *proc;

	assert_non_null(mkdtemp(root));
	f->root = root;
	put_file(f, "100/root/tmp/perf-7.map", "1000 10 first\n2000 10 other\n");
	put_file(f, "100/root/tmp/perf-100.map", "1000 10 strangers\n");
	put_file(f, "100/maps", "1000-3000 rwxp 00000000 00:00 0 \n");
	put_file(f, "100/status", "Name:\tx\nNSpid:\t100\t33\t7\nNSpgid:\t1\n");
	f->files = mapped_files__new(root);
	f->procs = procs__new(root, f->files);
	assert_int_equal(namer__open(&f->namer, f->procs, f->files, &opts), 0);
	assert_int_equal(procs__find(f->procs, 100, 5, &proc), 0);
	f->self = proc;
	return proc;
}

static struct proc *open_jit(struct fixture *f, char *root)
{
	return open_jit_late(f, root, 0);
}

static void close_jit(struct fixture *f)
{
	char command[128];

	close_fixture(f);
	snprintf(command, sizeof(command), "rm -r '%s'", f->root);
	assert_int_equal(system(command), 0);
}

static void a_perf_map_has_the_pid_that_its_process_sees(void **state)
{
	char root[] = "/tmp/namer_test.XXXXXX";
	struct fixture f;

	(void)state;
	open_jit(&f, root);
	assert_string_equal(name_of(&f, 0x1004, false), "first");
	close_jit(&f);
}

/* The program has made its code anew, and its map with it. */
static void names_of_a_replaced_perf_map_are_asked_for_again(void **state)
{
	char root[] = "/tmp/namer_test.XXXXXX";
	struct fixture f;

	(void)state;
	open_jit(&f, root);
	assert_string_equal(name_of(&f, 0x1004, false), "first");
	assert_string_equal(name_of(&f, 0x1004, false), "first");
	put_file(&f, "100/root/tmp/new", "1000 10 second\n2000 10 other\n2800 10 third\n");
	put_file(&f, "100/root/tmp/perf-7.map", NULL);
	usleep(150000); /* it is looked at every 100 ms */
	assert_string_equal(name_of(&f, 0x2804, false), "third");
	assert_string_equal(name_of(&f, 0x1004, false), "second");
	close_jit(&f);
}

/* As long as an answer took, it is one: or who waits for it asks for ever. */
static void an_answer_that_took_long_counts(void **state)
{
	char root[] = "/tmp/namer_test.XXXXXX";
	struct sym_frame *frame;
	struct fixture f;
	size_t nr;

	(void)state;
	open_jit(&f, root);
	assert_int_equal(try_name(&f, 0x2804, false, &frame), -EAGAIN);
	usleep(600000);
	assert_true(namer__wait(f.namer, UINT64_MAX));
	assert_int_equal(namer__take(f.namer, &nr), 0);
	assert_int_equal(nr, 1);
	assert_int_equal(try_name(&f, 0x2804, false, &frame), 0);
	assert_string_equal(frame->name, "[jit+0x1000]");
	/* And the next time, for its name may be there by now. */
	put_file(&f, "100/root/tmp/new", "2800 10 third\n");
	put_file(&f, "100/root/tmp/perf-7.map", NULL);
	usleep(600000);
	assert_string_equal(name_of(&f, 0x2804, false), "third");
	close_jit(&f);
}

/* Of a process that is known: what comes within half a second is asked in one go. */
static void later_questions_are_gathered(void **state)
{
	char root[] = "/tmp/namer_test.XXXXXX";
	struct sym_frame *frame;
	struct fixture f;
	size_t nr = 0;

	(void)state;
	open_jit(&f, root);
	assert_string_equal(name_of(&f, 0x1004, false), "first");
	assert_int_equal(try_name(&f, 0x2004, false, &frame), -EAGAIN);
	usleep(100000);
	assert_int_equal(namer__take(f.namer, &nr), 0);
	assert_int_equal(nr, 0);
	assert_int_equal(try_name(&f, 0x2804, false, &frame), -EAGAIN);
	for (unsigned i = 0; i < 1000 && !nr; i++) {
		usleep(10000);
		assert_int_equal(namer__take(f.namer, &nr), 0);
	}
	assert_int_equal(nr, 2);
	assert_int_equal(try_name(&f, 0x2004, false, &frame), 0);
	assert_string_equal(frame->name, "other");
	close_jit(&f);
}

/* Answers to @nr questions, within ten seconds, without a wait that hastens any. */
static void take_in_time(struct fixture *f, size_t nr)
{
	size_t some;

	for (unsigned i = 0; i < 1000 && nr; i++) {
		usleep(10000);
		assert_int_equal(namer__take(f->namer, &some), 0);
		assert_true(some <= nr);
		nr -= some;
	}
	assert_int_equal(nr, 0);
}

/*
 * The first one of a file has its debug file opened, below the root of a process that may be gone
 * in a moment: also where rules for unwinding had the file opened before.
 */
static void the_first_of_a_file_is_asked_at_once(void **state)
{
	const uint64_t an_hour = 3600 * 1000000000ull;
	const struct mapping *m;
	struct sym_frame *frame;
	struct fixture f;
	uint32_t file;
	int fd;

	(void)state;
	open_gathering(&f, an_hour);
	m = space__find(f.self->space, (uintptr_t)mapped_twice, clock__now_ns());
	assert_non_null(m);
	assert_int_equal(namer__open_file(f.namer, m->binary), 0);
	take_in_time(&f, 1);
	assert_true(namer__opened(f.namer, &file, &fd));
	close(fd);
	assert_int_equal(try_name(&f, (uintptr_t)mapped_twice, false, &frame), -EAGAIN);
	take_in_time(&f, 1);
	assert_string_equal(name_of(&f, (uintptr_t)mapped_twice, false), "mapped_twice");
	close_fixture(&f);
}

/* What an address without a name is by now; asked for if it is new. */
static uint32_t late_at(struct fixture *f, uint64_t addr)
{
	struct sym_frame *frame;

	assert_string_equal(name_of(f, addr, false), "[jit+0x1000]");
	assert_int_equal(try_name(f, addr, false, &frame), 0);
	assert_int_equal(frame->kind, SYM_JIT);
	return frame->late;
}

static void take_late(struct fixture *f, size_t nr_lives)
{
	size_t nr;

	assert_int_equal(namer__nr_late_asked(f->namer), nr_lives);
	assert_true(namer__wait(f->namer, UINT64_MAX));
	assert_int_equal(namer__take(f->namer, &nr), 0);
	assert_int_equal(namer__nr_late_asked(f->namer), 0);
}

/* Each is told apart, asked for once, and named by what is in the map at the end. */
static void names_that_come_late_are_found_at_the_end(void **state)
{
	char root[] = "/tmp/namer_test.XXXXXX";
	uint32_t third, same, none;
	struct sym_frame *frame;
	struct fixture f;

	(void)state;
	open_jit_late(&f, root, 100);
	third = late_at(&f, 0x2804);
	same = late_at(&f, 0x2808);
	none = late_at(&f, 0x2900);
	assert_true(third && same && none && third != same && same != none);
	usleep(150000); /* when all others would be looked up again */
	assert_int_equal(try_name(&f, 0x2804, false, &frame), 0);
	assert_int_equal(frame->late, third);
	assert_int_equal(namer__nr_asked(f.namer), 0);
	assert_null(namer__late(f.namer, third));
	put_file(&f, "100/root/tmp/new", "1000 10 first\n2800 10 third\n");
	put_file(&f, "100/root/tmp/perf-7.map", NULL);
	assert_int_equal(namer__ask_late(f.namer), 0);
	take_late(&f, 1);
	assert_string_equal(namer__late(f.namer, third), "third");
	assert_string_equal(namer__late(f.namer, same), "third");
	assert_null(namer__late(f.namer, none));
	assert_null(namer__late(f.namer, 0));
	assert_null(namer__late(f.namer, 99));
	assert_string_equal(name_of(&f, 0x1004, false), "first");
	close_jit(&f);
}

/* Forgetting names to save memory does not forget what they are waited for by. */
static void late_ones_are_remembered(void **state)
{
	char root[] = "/tmp/namer_test.XXXXXX";
	struct fixture f;
	uint32_t late;

	(void)state;
	open_jit_late(&f, root, 100);
	late = late_at(&f, 0x2804);
	assert_int_equal(namer__forget(f.namer), 0);
	assert_int_equal(late_at(&f, 0x2804), late);
	close_jit(&f);
}

static void more_than_may_wait_are_one_frame(void **state)
{
	char root[] = "/tmp/namer_test.XXXXXX";
	struct fixture f;

	(void)state;
	open_jit_late(&f, root, 2);
	assert_int_not_equal(late_at(&f, 0x2804), 0);
	assert_int_not_equal(late_at(&f, 0x2808), 0);
	assert_int_equal(namer__nr_late_refused(f.namer), 0);
	assert_int_equal(late_at(&f, 0x2900), 0);
	assert_true(namer__nr_late_refused(f.namer) > 0);
	close_jit(&f);
}

/* It has written its map when it ended, in a folder that is only known from when it was there. */
static void what_a_process_left_is_read_when_it_is_forgotten(void **state)
{
	char root[] = "/tmp/namer_test.XXXXXX", was[64], is[64];
	struct fixture f;
	uint32_t late;

	(void)state;
	open_jit_late(&f, root, 100);
	late = late_at(&f, 0x2804);
	snprintf(was, sizeof(was), "%s/100", root);
	snprintf(is, sizeof(is), "%s/gone", root);
	assert_int_equal(rename(was, is), 0);
	put_file(&f, "gone/root/tmp/new", "2800 10 third\n");
	put_file(&f, "gone/root/tmp/perf-7.map", NULL);
	procs__exit(f.procs, 100, 10);
	assert_int_equal(procs__forget(f.procs, 20), 0);
	take_late(&f, 1);
	assert_string_equal(namer__late(f.namer, late), "third");
	assert_int_equal(namer__ask_late(f.namer), 0);
	assert_int_equal(namer__nr_late_asked(f.namer), 0);
	close_jit(&f);
}

/* The files of a pid are those of the program that has it now. */
static void another_program_s_map_names_nothing_of_the_one_before(void **state)
{
	char root[] = "/tmp/namer_test.XXXXXX";
	struct fixture f;
	uint32_t late;

	(void)state;
	open_jit_late(&f, root, 100);
	late = late_at(&f, 0x2804);
	put_file(&f, "100/root/tmp/new", "2800 10 third\n");
	put_file(&f, "100/root/tmp/perf-7.map", NULL);
	assert_int_equal(procs__exec(f.procs, 100, 10), 0);
	assert_int_equal(procs__forget(f.procs, 20), 0);
	take_late(&f, 1);
	assert_null(namer__late(f.namer, late));
	close_jit(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_in_no_mapping_is_asked_for),
		cmocka_unit_test(a_return_address_behind_a_function_is_not_the_next_ones),
		cmocka_unit_test(so_is_a_callers_but_not_often),
		cmocka_unit_test(nor_of_a_process_that_is_young),
		cmocka_unit_test(an_execs_caller_is_of_the_old_program),
		cmocka_unit_test(a_pid_used_again_has_no_old_program),
		cmocka_unit_test(a_perf_map_has_the_pid_that_its_process_sees),
		cmocka_unit_test(names_of_a_replaced_perf_map_are_asked_for_again),
		cmocka_unit_test(an_answer_that_took_long_counts),
		cmocka_unit_test(later_questions_are_gathered),
		cmocka_unit_test(the_first_of_a_file_is_asked_at_once),
		cmocka_unit_test(names_that_come_late_are_found_at_the_end),
		cmocka_unit_test(late_ones_are_remembered),
		cmocka_unit_test(more_than_may_wait_are_one_frame),
		cmocka_unit_test(what_a_process_left_is_read_when_it_is_forgotten),
		cmocka_unit_test(another_program_s_map_names_nothing_of_the_one_before),
		cmocka_unit_test(a_name_is_waited_for),
		cmocka_unit_test(nobody_waits_for_one_that_hangs),
		cmocka_unit_test(no_more_is_asked_for_than_may_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
