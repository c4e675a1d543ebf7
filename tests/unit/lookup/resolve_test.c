// SPDX-License-Identifier: BSD-2-Clause
/*
 * Places of probes in files and in the running kernel; compared with nm, with readelf, and with how
 * often the function behind the place is called.
 */
#include "elf_fixture.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <sys/utsname.h>

#include "event/tracefs.h"
#include "lookup/resolve.h"
#include "perf/open.h"

static struct perf_events list;
static struct buf why, path;

__attribute__((format(printf, 1, 2))) static int try(const char *fmt, ...)
{
	struct perf_event_env env = resolve_env;
	char spec[256];
	va_list ap;

	env.sites = true;
	perf_events__free(&list);
	buf__clear(&why);
	va_start(ap, fmt);
	vsnprintf(spec, sizeof(spec), fmt, ap);
	va_end(ap);
	return perf_events__parse(&list, &env, spec, &why);
}

static void assert_parsed(int err)
{
	if (err)
		print_error("%s\n", why.data);
	assert_int_equal(err, 0);
}

#define parse(...) assert_parsed(try(__VA_ARGS__))

static int clean_up(void **state)
{
	perf_events__free(&list);
	buf__free(&why);
	buf__free(&path);
	return remove_dir(state);
}

/* lib.so: of its functions calm alone begins with no push. */
static void build(const struct dir *d, const char *flags)
{
	must(sh(d,
		"printf '%%s\\n' '__attribute__((noinline)) int calm(int x) { return x + 1; }' "
		"'int busy(int x) { __asm__ volatile(\"\" ::: \"rbx\"); return x + 2; }' "
		"'int busier(int x) { __asm__ volatile(\"\" ::: \"r12\"); return x + 3; }' "
		"'int calmer(int x) __attribute__((weak, alias(\"calm\")));' > m.c && "
		"cc -O1 -fPIC -fomit-frame-pointer %s -shared -o lib.so m.c",
		flags));
}

static void assert_at(size_t i, const char *name, uint64_t offset, bool at_entry)
{
	const struct perf_site *s = &list.items[i].site;

	assert_true(i < list.nr);
	assert_int_equal(s->offset, offset);
	assert_int_equal(s->at_entry, at_entry);
	if (name)
		assert_string_equal(s->name, name);
	else
		assert_null(s->name);
}

/* What compilers move out of functions is none of them, and nobody's entry. */
static void cold_parts_are_left_out(void **state)
{
	struct dir *d = *state;

	must(sh(d, "printf '%%s\\n' .text '.macro f name' '.globl \\name' "
		   "'.type \\name, @function' '\\name: .skip 8' '.size \\name, 8' .endm "
		   "'f work' 'f work.cold' 'f work.part.0' > a.s && "
		   "cc -shared -nostdlib -o lib.so a.s"));
	parse("uprobe:%s:work*", d->lib);
	assert_int_equal(list.nr, 2);
	assert_at(0, "work", nm_address(d, "lib.so", "work"), true);
	assert_at(1, "work.part.0", nm_address(d, "lib.so", "work.part.0"), true);
	parse("uprobe:%s:work.cold", d->lib);
	assert_at(0, "work.cold", nm_address(d, "lib.so", "work.cold"), false);
}

static bool is_x86(void)
{
	struct utsname u;

	return !uname(&u) && !strcmp(u.machine, "x86_64");
}

static void a_function_by_name_is_probed_where_it_costs_least(void **state)
{
	struct dir *d = *state;
	uint64_t busy, calm;

	if (!is_x86())
		skip();
	build(d, "-fcf-protection=full");
	busy = nm_address(d, "lib.so", "busy");
	calm = nm_address(d, "lib.so", "calm");
	parse("uprobe:%s:busy", d->lib);
	assert_at(0, "busy", busy + 4, true);
	assert_string_equal(list.items[0].site.home, d->lib);
	parse("uprobe:%s:calm", d->lib);
	assert_at(0, "calm", calm, true);
	parse("uretprobe:%s:busier", d->lib);
	assert_at(0, "busier", nm_address(d, "lib.so", "busier") + 4, false);
	parse("uprobe:%s:busy+0", d->lib);
	assert_at(0, "busy", busy, true);
	parse("uprobe:%s:busy+5", d->lib);
	assert_at(0, "busy", busy + 5, false);
	parse("uprobe:%s:0x%llx", d->lib, (unsigned long long)busy);
	assert_at(0, NULL, busy, false);
	build(d, "-fcf-protection=none");
	parse("uprobe:%s:busy", d->lib);
	assert_at(0, "busy", nm_address(d, "lib.so", "busy"), true);
}

/* Weaker names of what matches already are left out. */
static void patterns_of_files_are_their_functions(void **state)
{
	struct dir *d = *state;
	char name[128];

	if (!is_x86())
		skip();
	build(d, "-fcf-protection=full");
	parse("uprobe:%s:bus*", d->lib);
	assert_int_equal(list.nr, 2);
	assert_at(0, "busier", nm_address(d, "lib.so", "busier") + 4, true);
	assert_at(1, "busy", nm_address(d, "lib.so", "busy") + 4, true);
	snprintf(name, sizeof(name), "uprobe:%s:busier", d->lib);
	assert_string_equal(list.items[0].name, name);
	parse("uretprobe:%s:calm*", d->lib);
	assert_int_equal(list.nr, 1);
	assert_at(0, "calm", nm_address(d, "lib.so", "calm"), false);
	assert_int_equal(try("uprobe:%s:bussy*", d->lib), -EINVAL);
	assert_non_null(strstr(why.data, "matches 'bussy*'; did you mean busy"));
	assert_int_equal(try("uprobe:%s.nowhere:x*", d->lib), -EINVAL);
	assert_non_null(strstr(why.data, "cannot open"));
	sh(d, "strip lib.so && echo 'int main(void) { return 0; }' > m.c && cc -s -o lib.so m.c");
	assert_int_equal(try("uprobe:%s:bussy*", d->lib), -EINVAL);
	assert_non_null(strstr(why.data, "it has no symbols"));
}

/* As the source of tests/prog/usdt.c has them. */
static void static_probes_have_their_arguments(void **state)
{
	struct dir *d = *state;
	const char *top = getenv("TOP");
	char source_path[PATH_MAX], relative[PATH_MAX];

	snprintf(relative, sizeof(relative), "%s/tests/prog/usdt.c", top ? top : ".");
	if (!realpath(relative, source_path))
		skip();
	must(sh(d, "cc -D_GNU_SOURCE -O1 -o lib.so %s", source_path));
	parse("usdt:%s:sale", d->lib);
	assert_int_equal(list.nr, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct perf_site *s = &list.items[i].site;

		assert_int_equal(s->kind, SITE_USDT);
		assert_string_equal(s->vendor, "shop");
		assert_string_equal(s->name, "sale");
		assert_non_null(strchr(s->args, '@'));
		assert_int_not_equal(s->counter_offset, 0);
		assert_int_equal(list.items[i].part_of, 0);
	}
}

/* Probed where it costs least, a function is counted each time it is called, by both kinds. */
static void each_call_is_counted_once(void **state)
{
	struct perf_event_env env = resolve_env;
	struct dir *d = *state;
	uint64_t count = 0;
	int (*busy)(int);
	void *lib;

	if (!is_x86())
		skip();
	build(d, "-fcf-protection=full");
	lib = dlopen(d->lib, RTLD_NOW);
	assert_non_null(lib);
	busy = (int (*)(int))dlsym(lib, "busy");
	for (size_t i = 0; i < 2; i++) {
		int fd;

		parse("%s:%s:busy", i ? "ur" : "u", d->lib);
		list.items[0].attr.disabled = 0;
		if (perf_event__make(&list.items[0], &env, &why))
			skip();
		fd = perf_open(&list.items[0].attr, 0, -1, -1);
		if (fd < 0)
			skip();
		for (int n = 0; n < 123; n++)
			assert_int_equal(busy(n), n + 2);
		assert_int_equal(read(fd, &count, sizeof(count)), sizeof(count));
		close(fd);
		assert_int_equal(count, 123);
	}
	dlclose(lib);
}

/* By another hand: names that are there once, and in ftrace's list if that may be read. */
static size_t nr_traceable(const char *listed)
{
	char cmd[1024];
	size_t nr;
	FILE *f;

	snprintf(cmd, sizeof(cmd),
		 "awk -v listed='%s' 'BEGIN { while (0 < (getline line < listed)) { all++; "
		 "sub(/ .*/, \"\", line); traced[line] = 1 } } "
		 "$2 ~ /[tTwW]/ { nr[$3]++ } END { for (f in nr) if (f ~ /^vfs_.*read/ && "
		 "nr[f] == 1 && (!all || f in traced)) n++; print n + 0 }' /proc/kallsyms",
		 listed);
	f = popen(cmd, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%zu", &nr), 1);
	pclose(f);
	return nr;
}

static void place_of_function(const struct dir *d, unsigned long *start, unsigned long *bytes)
{
	char name[128];
	FILE *f;

	snprintf(name, sizeof(name), "%s/place", d->path);
	f = fopen(name, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lx %lx", start, bytes), 2);
	fclose(f);
}

/* "begin at busier" or "begin at busier+0x5", followed by the offset in the file. */
static void assert_nearest(unsigned from)
{
	char plus[32] = " (", text[64];

	if (from)
		snprintf(plus, sizeof(plus), "+0x%x (", from);
	snprintf(text, sizeof(text), "begin at busier%s", plus);
	if (!strstr(why.data, text))
		print_error("%s\n", why.data);
	assert_non_null(strstr(why.data, text));
}

/* Whether an instruction of lib.so begins at an address: objdump's word. */
static bool begins_at(const struct dir *d, unsigned address)
{
	return !sh(d, "objdump -d lib.so | grep -q '^ *%x:'", address);
}

static void a_place_inside_of_a_function_is_where_an_instruction_begins(void **state)
{
	struct dir *d = *state;
	unsigned long start, bytes;
	size_t inside = 0;

	build(d, "-g");
	must(sh(d, "objdump -d lib.so | grep -q '<busier>:'"));
	must(sh(d, "nm -S lib.so | awk '$4 == \"busier\" {print $1, $2}' >place"));
	place_of_function(d, &start, &bytes);
	for (unsigned i = 1; i < bytes; i++) {
		bool begins = begins_at(d, start + i);

		inside += !begins;
		assert_int_equal(try("uprobe:%s:busier+%u", d->lib, i), begins ? 0 : -EINVAL);
		assert_int_equal(try("uprobe:%s:0x%lx", d->lib, start + i), begins ? 0 : -EINVAL);
		if (begins)
			continue;
		assert_non_null(strstr(why.data, "in the middle of an instruction"));
		/* The nearest one before it. */
		for (unsigned j = i; j-- > 0;)
			if (!j || begins_at(d, start + j)) {
				assert_nearest(j);
				break;
			}
	}
	assert_true(inside > 0);
	parse("uprobe:%s:0x%lx", d->lib, start);
	parse("uretprobe:%s:0x%lx", d->lib, start);
	parse("uprobe:%s:busier+0", d->lib);
}

static void patterns_of_the_kernel_are_what_it_lets_trace(void **state)
{
	size_t want;

	if (tracefs__find("", &path, &why) || buf__puts(&path, "/available_filter_functions"))
		skip();
	want = nr_traceable(path.data);
	if (!want)
		skip();
	parse("kprobe:vfs_*read*");
	assert_int_equal(list.nr, want);
	for (size_t i = 0; i < list.nr; i++) {
		assert_int_equal(list.items[i].site.kind, SITE_KPROBE);
		assert_string_equal(list.items[i].name + strlen("kprobe:"),
				    list.items[i].site.name);
		assert_false(list.items[i].site.at_entry);
	}
	assert_int_equal(try("kprobe:vfs_reed*"), -EINVAL);
	assert_non_null(strstr(why.data, "no function of the kernel matches 'vfs_reed*'; did you "
					 "mean vfs_read"));
}

#define IN_LIBRARY(test) cmocka_unit_test_setup_teardown(test, make_dir, clean_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_LIBRARY(a_function_by_name_is_probed_where_it_costs_least),
		IN_LIBRARY(patterns_of_files_are_their_functions),
		IN_LIBRARY(cold_parts_are_left_out),
		IN_LIBRARY(a_place_inside_of_a_function_is_where_an_instruction_begins),
		IN_LIBRARY(static_probes_have_their_arguments),
		IN_LIBRARY(each_call_is_counted_once),
		IN_LIBRARY(patterns_of_the_kernel_are_what_it_lets_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
