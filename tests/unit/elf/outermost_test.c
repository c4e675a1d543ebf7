// SPDX-License-Identifier: BSD-2-Clause
/*
 * Where unwinding ends: code of known rules, put together by the assembler; and the C library that
 * runs this test, of which the return addresses of main() and of a thread's function are facts.
 */
#include "elf_fixture.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <ucontext.h>

#include "elf/eh_frame.h"
#include "elf/elf_file.h"
#include "elf/outermost.h"

#if defined(__x86_64__)
#define RETURN_ADDRESS "rip"
#else
#define RETURN_ADDRESS "x30"
#endif

/* Labels of the parts that have no caller: NAME_from up to NAME_to. */
static const char roots[] =
	".text\n"
	".globl plain, whole, tail, middle\n"
	".type plain, %function; .type whole, %function; .type tail, %function\n"
	".type middle, %function\n"
	"plain: .cfi_startproc; .fill 32, 1, 0x90; .cfi_endproc; .size plain, . - plain\n"
	"whole: .cfi_startproc; .cfi_undefined " RETURN_ADDRESS "\n"
	"  .fill 32, 1, 0x90; .cfi_endproc; .size whole, . - whole\n"
	"tail: .cfi_startproc; .fill 16, 1, 0x90\n"
	"tail_from: .cfi_undefined " RETURN_ADDRESS "\n"
	"  .fill 1024, 1, 0x90; .cfi_endproc; .size tail, . - tail\n"
	"tail_to:\n"
	"middle: .cfi_startproc; .cfi_remember_state; .fill 320, 1, 0x90\n"
	"middle_from: .cfi_undefined " RETURN_ADDRESS "\n"
	"  .fill 16, 1, 0x90\n"
	"middle_to: .cfi_restore_state; .fill 64, 1, 0x90\n"
	"  .cfi_def_cfa_offset 64; .cfi_endproc; .size middle, . - middle\n";

struct file {
	Elf *elf;
	struct elf_from from;
};

static void open_file(struct file *f, const char *path)
{
	*f = (struct file){};
	f->from.fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(f->from.fd >= 0);
	f->elf = f->from.elf = elf_file__open(f->from.fd);
	assert_non_null(f->elf);
}

static void close_file(struct file *f)
{
	elf_end(f->elf);
	close(f->from.fd);
}

static void read_file(struct outermosts *o, const char *path)
{
	struct file f;

	open_file(&f, path);
	assert_int_equal(outermosts__read(o, &f.from), 0);
	close_file(&f);
}

/* roots.so as the linker leaves it, and its path. */
static const char *build_roots(const struct dir *d)
{
	static char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "%s/roots.s", d->path);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(roots, f);
	fclose(f);
	must(sh(d, "cc -shared -nostdlib -Wl,-soname,libroots.so -o roots.so roots.s"));
	snprintf(path, sizeof(path), "%s/roots.so", d->path);
	return path;
}

struct found {
	struct eh_function by[8];
	size_t nr;
};

static int collect(const struct eh_function *f, void *arg)
{
	struct found *all = arg;

	assert_true(all->nr < 8);
	all->by[all->nr++] = *f;
	return 0;
}

static const struct eh_function *function_of(const struct found *all, uint64_t start)
{
	for (size_t i = 0; i < all->nr; i++)
		if (all->by[i].start == start)
			return &all->by[i];
	fail_msg("no function at %llx", (unsigned long long)start);
	return NULL;
}

static void functions_and_their_roots_are_found(void **state)
{
	static const struct {
		const char *name;
		uint64_t size;
		const char *from, *to; /* NULL: it has callers everywhere */
	} expected[] = {
		{ "plain", 32, NULL, NULL },
		{ "whole", 32, "whole", "tail" },
		{ "tail", 1040, "tail_from", "tail_to" },
		{ "middle", 400, "middle_from", "middle_to" },
	};
	const struct dir *d = *state;
	struct found all = {};
	struct file f;

	open_file(&f, build_roots(d));
	assert_int_equal(eh_frame__read(&f.from, false, collect, &all), 0);
	close_file(&f);
	assert_int_equal(all.nr, 4);
	for (size_t i = 0; i < 4; i++) {
		uint64_t start = nm_address(d, "roots.so", expected[i].name);
		const struct eh_function *fn = function_of(&all, start);

		assert_int_equal(fn->end, start + expected[i].size);
		if (!expected[i].from) {
			assert_int_equal(fn->root_start, fn->root_end);
			continue;
		}
		assert_int_equal(fn->root_start, nm_address(d, "roots.so", expected[i].from));
		assert_int_equal(fn->root_end, nm_address(d, "roots.so", expected[i].to));
	}
}

static int stop(const struct eh_function *f, void *arg)
{
	(void)f;
	++*(int *)arg;
	return -ECANCELED;
}

static void a_reader_may_stop(void **state)
{
	struct file f;
	int calls = 0;

	open_file(&f, build_roots(*state));
	assert_int_equal(eh_frame__read(&f.from, false, stop, &calls), -ECANCELED);
	assert_int_equal(calls, 1);
	close_file(&f);
}

static void code_without_a_caller_is_where_a_stack_ends(void **state)
{
	const struct dir *d = *state;
	struct outermosts o = {};
	const char *path = build_roots(d);
	uint64_t tail, from;

	must(sh(d, "cp roots.so named.so && strip roots.so"));
	tail = nm_address(d, "named.so", "tail");
	from = nm_address(d, "named.so", "tail_from");
	read_file(&o, path);
	assert_int_equal(outermosts__find(&o, tail, NULL), OUTERMOST_NOT);
	assert_int_equal(outermosts__find(&o, from - 1, NULL), OUTERMOST_NOT);
	assert_int_equal(outermosts__find(&o, from, NULL), OUTERMOST_ROOT);
	assert_int_equal(outermosts__find(&o, from + 1023, NULL), OUTERMOST_ROOT);
	assert_int_equal(outermosts__find(&o, from + 1024, NULL), OUTERMOST_NOT);
	outermosts__free(&o);
}

/* As ld writes _start of a C library built without unwind tables. */
static void an_entry_point_needs_no_rule(void **state)
{
	const struct dir *d = *state;
	struct outermosts o = {};
	char path[96];
	uint64_t entry, next;

	must(sh(d, "printf '.globl _start, next\\n_start: .fill 48, 1, 0x90\\n"
		   "next: .cfi_startproc; .fill 8, 1, 0x90; .cfi_endproc\\n' >e.s && "
		   "cc -nostdlib -static -o e e.s && cp e named && strip e"));
	entry = nm_address(d, "named", "_start");
	next = nm_address(d, "named", "next");
	snprintf(path, sizeof(path), "%s/e", d->path);
	read_file(&o, path);
	assert_int_equal(outermosts__find(&o, entry, NULL), OUTERMOST_ROOT);
	assert_int_equal(outermosts__find(&o, entry + 47, NULL), OUTERMOST_ROOT);
	assert_int_equal(outermosts__find(&o, next, NULL), OUTERMOST_NOT);
	outermosts__free(&o);
	/* Of a library it means nothing: old linkers put the first function there. */
	must(sh(d, "cc -shared -nostdlib -Wl,-soname,libe.so -Wl,-e,_start -o e e.s"));
	read_file(&o, path);
	assert_int_equal(outermosts__find(&o, nm_address(d, "e", "_start"), NULL), OUTERMOST_NOT);
	outermosts__free(&o);
}

static void names_tell_where_there_are_any(void **state)
{
	const struct outermosts program = {}, libc = { .is_libc = true };

	(void)state;
	assert_int_equal(outermosts__find(&program, 1, "_start"), OUTERMOST_ROOT);
	assert_int_equal(outermosts__find(&program, 1, "runtime.goexit"), OUTERMOST_ROOT);
	assert_int_equal(outermosts__find(&program, 1, "runtime.goexit.abi0"), OUTERMOST_ROOT);
	assert_int_equal(outermosts__find(&program, 1, "runtime.mstart.abi0"), OUTERMOST_ROOT);
	assert_int_equal(outermosts__find(&program, 1, "runtime.systemstack.abi0"), OUTERMOST_ROOT);
	assert_int_equal(outermosts__find(&program, 1, "runtime.mcall"), OUTERMOST_ROOT);
	assert_int_equal(outermosts__find(&program, 1, "runtime.asmcgocall"), OUTERMOST_ROOT);
	assert_int_equal(outermosts__find(&program, 1, "runtime.cgocallback.abi0"), OUTERMOST_ROOT);
	assert_int_equal(outermosts__find(&program, 1, "runtime.systemstack_switch"),
			 OUTERMOST_NOT);
	assert_int_equal(outermosts__find(&program, 1, "runtime.goexit1"), OUTERMOST_NOT);
	assert_int_equal(outermosts__find(&program, 1, "main"), OUTERMOST_NOT);
	assert_int_equal(outermosts__find(&program, 1, ""), OUTERMOST_NOT);
	/* A program's own function of that name is any other function. */
	assert_int_equal(outermosts__find(&program, 1, "start_thread"), OUTERMOST_NOT);
	assert_int_equal(outermosts__find(&libc, 1, "start_thread"), OUTERMOST_START);
	assert_int_equal(outermosts__find(&program, 1, "clone"), OUTERMOST_NOT);
	assert_int_equal(outermosts__find(&libc, 1, "clone"), OUTERMOST_IF_CALLED);
	assert_int_equal(outermosts__find(&libc, 1, "__libc_start_main@@GLIBC_2.34"),
			 OUTERMOST_START);
}

/* A stranger's file has as many strings as he likes: none but its name is looked at. */
static void of_all_strings_the_name_alone_is_read(void **state)
{
	const struct dir *d = *state;
	struct allowance a;
	struct file f;
	struct outermosts o = {};
	char path[128];

	must(sh(d, "for i in 1 2 3; do printf '.globl n%%0300000d\\nn%%0300000d: .long 0\\n' $i $i;"
		   " done >n.s && cc -shared -nostdlib -Wl,-soname,libe.so -o n.so n.s"));
	snprintf(path, sizeof(path), "%s/n.so", d->path);
	open_file(&f, path);
	allowance__init(&a, 64 * 1024, 0);
	f.from.charge = &a;
	assert_int_equal(outermosts__read(&o, &f.from), 0);
	assert_false(allowance__has_refused(&a));
	assert_false(o.is_libc);
	outermosts__free(&o);
	close_file(&f);
}

/* Where main() and a thread's function return to. */
static const char *main_returns_to, *thread_returns_to;

static void *thread(void *arg)
{
	thread_returns_to = __builtin_return_address(0);
	return arg;
}

#if defined(__x86_64__) && defined(__GLIBC__)
/* Where the function of a context of its own returns to. */
static const char *context_returns_to;

static void context(void)
{
	context_returns_to = __builtin_return_address(0);
}

static void run_context(void)
{
	static char stack[65536];
	static ucontext_t here, there;

	assert_int_equal(getcontext(&there), 0);
	there.uc_stack = (stack_t){ .ss_sp = stack, .ss_size = sizeof(stack) };
	there.uc_link = &here;
	makecontext(&there, context, 0);
	assert_int_equal(swapcontext(&here, &there), 0);
}
#endif

static enum outermost in_libc(const struct outermosts *o, const void *base, const char *at)
{
	return outermosts__find(o, at - (const char *)base, NULL);
}

static void a_stripped_c_librarys_start_up_code_is_known(void **state)
{
	static const char *const others[] = { "malloc", "exit",	 "__cxa_atexit",  "qsort",
					      "printf", "clone", "pthread_create" };
#if defined(__x86_64__) && defined(__GLIBC__)
	static const uint8_t behind[] = { 0x0f, 0x05, 0x48, 0x85, 0xc0 };
	const char *at;
#endif
	struct outermosts o = {};
	Dl_info libc;
	pthread_t id;

	(void)state;
	if (!dladdr(dlsym(RTLD_DEFAULT, "malloc"), &libc) || !strstr(libc.dli_fname, "libc.so.6"))
		skip();
	assert_int_equal(pthread_create(&id, NULL, thread, NULL), 0);
	pthread_join(id, NULL);
	read_file(&o, libc.dli_fname);
	assert_true(o.is_libc);
#if defined(__x86_64__)
	/* Those of arm64 keep frame pointers: a stack goes on from there. */
	assert_int_equal(in_libc(&o, libc.dli_fbase, main_returns_to - 1), OUTERMOST_START);
	assert_int_equal(in_libc(&o, libc.dli_fbase, thread_returns_to - 1), OUTERMOST_START);
#endif
#if defined(__x86_64__) && defined(__GLIBC__)
	run_context();
	assert_int_equal(in_libc(&o, libc.dli_fbase, context_returns_to - 1), OUTERMOST_ROOT);
	assert_int_equal(in_libc(&o, libc.dli_fbase, context_returns_to), OUTERMOST_ROOT);
#endif
#if defined(__x86_64__) && defined(__GLIBC__)
	/* Where the system call of clone(2) returns, in both tasks. */
	at = memmem(dlsym(RTLD_DEFAULT, "clone"), 128, behind, sizeof(behind));
	assert_non_null(at);
	assert_int_equal(in_libc(&o, libc.dli_fbase, at), OUTERMOST_NOT);
	assert_int_equal(in_libc(&o, libc.dli_fbase, at + 2), OUTERMOST_IF_ALONE);
	assert_int_equal(in_libc(&o, libc.dli_fbase, at + 5), OUTERMOST_IF_ALONE);
#endif
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_int_equal(in_libc(&o, libc.dli_fbase, dlsym(RTLD_DEFAULT, others[i])),
				 OUTERMOST_NOT);
	outermosts__free(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(functions_and_their_roots_are_found),
		IN_DIR(a_reader_may_stop),
		IN_DIR(code_without_a_caller_is_where_a_stack_ends),
		IN_DIR(an_entry_point_needs_no_rule),
		cmocka_unit_test(names_tell_where_there_are_any),
		IN_DIR(of_all_strings_the_name_alone_is_read),
		cmocka_unit_test(a_stripped_c_librarys_start_up_code_is_known),
	};

	main_returns_to = __builtin_return_address(0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
