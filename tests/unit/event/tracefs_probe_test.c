// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "event/tracefs_place.h"
#include "event/tracefs_probe.h"
#include "event/tracepoint.h"
#include "tracefs_fixture.h"

static void assert_place(bool kernel, const char *what, const char *expected)
{
	struct buf place = {}, why = {};

	assert_int_equal(tracefs_place__put(&place, kernel, what, &why), 0);
	assert_string_equal(place.data, expected);
	buf__free(&place);
	buf__free(&why);
}

static void assert_no_place(bool kernel, const char *what, const char *reason)
{
	struct buf place = {}, why = {};

	assert_int_equal(tracefs_place__put(&place, kernel, what, &why), -EINVAL);
	assert_non_null(strstr(why.data, reason));
	buf__free(&place);
	buf__free(&why);
}

static void places_are_put_into_the_words_of_the_kernel(void **state)
{
	(void)state;
	assert_place(true, "vfs_read", "vfs_read");
	assert_place(true, "vfs_read+16", "vfs_read+0x10");
	assert_place(true, "ext4:ext4_sync_fs.isra.0+0x4", "ext4:ext4_sync_fs.isra.0+0x4");
	assert_place(true, "0xFFFFFFFF81000000", "0xffffffff81000000");
	assert_place(false, "/bin/ls:0x1139", "/bin/ls:0x1139");
	assert_place(false, "/bin/ls:010", "/bin/ls:0xa"); /* to the kernel it would be octal */
	assert_place(false, "/a:b/(c):0x10(32)", "/a:b/(c):0x10(0x20)");
}

static void what_is_no_place_is_refused(void **state)
{
	(void)state;
	assert_no_place(true, "", "FUNCTION");
	assert_no_place(true, "+4", "FUNCTION");
	assert_no_place(true, "f+", "FUNCTION");
	assert_no_place(true, "f+4g", "FUNCTION");
	assert_no_place(true, "0x12zz", "FUNCTION");
	assert_no_place(true, "f arg=%di", "FUNCTION");
	assert_no_place(true, "f\n-:sched/x", "FUNCTION");
	assert_no_place(true, "f%return", "FUNCTION");
	assert_no_place(false, "", "/PATH");
	assert_no_place(false, "ls:0x10", "/PATH");
	assert_no_place(false, "/bin/ls", "/PATH");
	assert_no_place(false, "/bin/ls:main", "/PATH");
	assert_no_place(false, "/bin/ls:0x10(", "/PATH");
	assert_no_place(false, "/bin/ls:0x10()", "/PATH");
	assert_no_place(false, "/bin/ls:0x10(5", "/PATH");
	assert_no_place(false, "/bin/ls:0x10(5)x", "/PATH");
	assert_no_place(false, "/bin/ls:0x10 args", "/PATH");
	assert_no_place(false, "/bin/ls:0x10000000000000000", "/PATH");
}

static void paths_that_the_kernel_would_split_are_refused(void **state)
{
	(void)state;
	assert_no_place(false, "/my programs/ls:0x10", "symbolic link");
	assert_no_place(false, "/a\tb:0x10", "symbolic link");
	assert_no_place(false, "/a\nb:0x10", "symbolic link");
	assert_no_place(false, "/c#/ls:0x10", "symbolic link");
	assert_no_place(false, "/voil\xc3\xa0:0x10", "symbolic link");
	assert_place(false, "/caf\xc3\xa9:0x10", "/caf\xc3\xa9:0x10");
}

static void names_are_identifiers(void **state)
{
	char name[16];

	(void)state;
	tracefs_place__name(name, sizeof(name), false, "vfs_read+0x10");
	assert_string_equal(name, "p_vfs_read_0x10");
	tracefs_place__name(name, sizeof(name), true, "/usr/l.so:0x3");
	assert_string_equal(name, "r_l_so_0x3");
	tracefs_place__name(name, sizeof(name), false, "/caf\xc3\xa9-and-much-more:0x10");
	assert_string_equal(name, "p_caf___and_muc");
}

/* Plain files take the commands, one behind the other: a kernel that makes nothing of them. */
static void commands_name_group_event_and_place(void **state)
{
	char text[4096], expected[512];
	struct tracefs_probe p;
	struct buf why = {};
	struct fixture f;
	int pid = getpid();

	(void)state;
	fixture__open(&f);
	fixture__put(&f, "uprobe_events", "p:other/one /bin/ls:0x0000000000000010\n");
	fixture__put(&f, "kprobe_events", "");
	fixture__put(&f, "events/sched/sched_switch/id", "1\n");
	/* No id appears, so each is taken back. */
	assert_int_equal(tracefs_probe__add(f.dir, TRACEFS_URETPROBE, "/bin/ls:16(8)", &p, &why),
			 -ENOENT);
	tracefs_place__group(text, sizeof(text), pid);
	assert_string_equal(p.category, text);
	snprintf(expected, sizeof(expected),
		 "p:other/one /bin/ls:0x0000000000000010\n"
		 "r:%s/r_ls_0x10_0x8_ /bin/ls:0x10(0x8)\n"
		 "-:%s/r_ls_0x10_0x8_\n",
		 p.category, p.category);
	assert_string_equal(fixture__text(f.dir, "uprobe_events", text), expected);
	assert_int_equal(tracefs_probe__add(f.dir, TRACEFS_KPROBE, "vfs_read+0x4", &p, &why),
			 -ENOENT);
	assert_int_equal(tracefs_probe__add(f.dir, TRACEFS_KRETPROBE, "vfs_read", &p, &why),
			 -ENOENT);
	snprintf(expected, sizeof(expected),
		 "p:%1$s/p_vfs_read_0x4 vfs_read+0x4\n-:%1$s/p_vfs_read_0x4\n"
		 "r1024:%1$s/r_vfs_read vfs_read\n-:%1$s/r_vfs_read\n",
		 p.category);
	assert_string_equal(fixture__text(f.dir, "kprobe_events", text), expected);
	buf__free(&why);
	fixture__close(&f);
}

static void a_name_in_use_gets_a_number(void **state)
{
	char path[256], group[64];
	struct tracefs_probe p;
	struct buf why = {};
	struct fixture f;

	(void)state;
	fixture__open(&f);
	tracefs_place__group(group, sizeof(group), getpid());
	fixture__put(&f, "kprobe_events", "");
	snprintf(path, sizeof(path), "events/%s/p_f/id", group);
	fixture__put(&f, path, "11\n");
	snprintf(path, sizeof(path), "events/%s/p_f_2/id", group);
	fixture__put(&f, path, "12\n");
	assert_int_equal(tracefs_probe__add(f.dir, TRACEFS_KPROBE, "f", &p, &why), -ENOENT);
	assert_string_equal(p.name, "p_f_3");
	buf__free(&why);
	fixture__close(&f);
}

static void a_kernel_without_such_probes_is_named(void **state)
{
	struct tracefs_probe p;
	struct buf why = {};
	struct fixture f;

	(void)state;
	fixture__open(&f);
	assert_int_equal(tracefs_probe__add(f.dir, TRACEFS_KRETPROBE, "f", &p, &why), -EOPNOTSUPP);
	assert_non_null(strstr(why.data, "kretprobe"));
	assert_non_null(strstr(why.data, "kprobe_events"));
	buf__free(&why);
	fixture__close(&f);
}

static void a_path_too_long_is_refused(void **state)
{
	char what[5000] = "/";
	struct tracefs_probe p;
	struct buf why = {};
	struct fixture f;

	(void)state;
	fixture__open(&f);
	fixture__put(&f, "uprobe_events", "");
	memset(what + 1, 'x', 4500);
	strcpy(what + 4500, ":0x1");
	assert_int_equal(tracefs_probe__add(f.dir, TRACEFS_UPROBE, what, &p, &why), -ENAMETOOLONG);
	assert_non_null(strstr(why.data, "too long"));
	buf__free(&why);
	fixture__close(&f);
}

/* /dev/full refuses all writes; the last entry about our own command counts. */
static void the_log_of_the_kernel_is_quoted(void **state)
{
	char log[1024], group[64], path[128];
	struct tracefs_probe p;
	struct buf why = {};
	struct fixture f;

	(void)state;
	fixture__open(&f);
	snprintf(path, sizeof(path), "%s/uprobe_events", f.dir);
	assert_int_equal(symlink("/dev/full", path), 0);
	assert_int_equal(tracefs_probe__add(f.dir, TRACEFS_UPROBE, "/a:1", &p, &why), -ENOSPC);
	assert_null(strchr(why.data, '('));

	tracefs_place__group(group, sizeof(group), getpid());
	snprintf(log, sizeof(log),
		 "[ 1.5] trace_uprobe: error: An old one\n  Command: p:%s/p_a_0x1 /a:0x1\n    ^\n"
		 "[ 2.5] trace_uprobe: error: A newer one\n  Command: p:%s/p_a_0x1 /a:0x1\n   ^\n"
		 "[ 3.5] trace_uprobe: error: Somebody's\n  Command: p:x/p_a_0x1 /a:0x1\n     ^\n",
		 group, group);
	fixture__put(&f, "error_log", log);
	buf__clear(&why);
	assert_int_equal(tracefs_probe__add(f.dir, TRACEFS_UPROBE, "/a:1", &p, &why), -ENOSPC);
	assert_non_null(strstr(why.data, "(A newer one)"));
	buf__free(&why);
	fixture__close(&f);
}

/* A process that is certain to have ended. */
static int dead_pid(void)
{
	int pid = fork();

	if (!pid)
		_exit(0);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

static void only_what_the_dead_have_left_is_cleaned(void **state)
{
	char dead[64], own[64], parent[64], before[1024], expected[2048], text[4096];
	struct fixture f;

	(void)state;
	fixture__open(&f);
	assert_int_equal(tracefs_probe__clean(f.dir), 0);
	tracefs_place__group(dead, sizeof(dead), dead_pid());
	tracefs_place__group(own, sizeof(own), getpid());
	tracefs_place__group(parent, sizeof(parent), getppid());
	snprintf(before, sizeof(before),
		 "p:%s/p_one /bin/ls:0x0000000000000010\n"
		 "p:%s/p_own /bin/ls:0x0000000000000010\n"
		 "p:%s/p_parent /bin/ls:0x0000000000000010\n"
		 "r:%s/r_two /a:b:0x0000000000000010 (0x8)\n"
		 "p:%sx/p_other /bin/ls:0x10\n"
		 "p:%s_in_1/p_elsewhere /bin/ls:0x10\n"
		 "p:pmutrace_/p_x /bin/ls:0x10\n"
		 "p:pmutrace_99999999999999999999/p_x /bin/ls:0x10\n"
		 "p:pmutrace_0/p_x /bin/ls:0x10\n"
		 "p:probe_libc/malloc /lib/libc.so.6:0x10\n"
		 "junk\n",
		 dead, own, parent, dead, dead, dead);
	fixture__put(&f, "uprobe_events", before);
	snprintf(text, sizeof(text), "r16:%s/r_vfs vfs_read\n", dead);
	fixture__put(&f, "kprobe_events", text);

	assert_int_equal(tracefs_probe__clean(f.dir), 3);
	snprintf(expected, sizeof(expected), "%s-:%s/p_one\n-:%s/r_two\n", before, dead, dead);
	assert_string_equal(fixture__text(f.dir, "uprobe_events", text), expected);
	snprintf(expected, sizeof(expected), "r16:%s/r_vfs vfs_read\n-:%s/r_vfs\n", dead, dead);
	assert_string_equal(fixture__text(f.dir, "kprobe_events", text), expected);
	fixture__close(&f);
}

/* What the kernel is asked to probe. */
__attribute__((noinline)) void probed_function(void);
void probed_function(void)
{
	__asm__ volatile("");
}

/* "/PATH:0xOFFSET" of the function, worked out from the kernel's list of mappings. */
static void place_of_function(char *what, size_t size)
{
	unsigned long start, end, offset, addr = (unsigned long)probed_function;
	char line[512], path[256];
	FILE *maps = fopen("/proc/self/maps", "r");

	assert_non_null(maps);
	what[0] = '\0';
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %255s", &start, &end, &offset, path) ==
			    4 &&
		    addr >= start && addr < end)
			snprintf(what, size, "%s:0x%lx", path, addr - start + offset);
	fclose(maps);
	assert_true(what[0]);
}

static const char *tracefs_with_uprobes(void)
{
	const char *tracefs = running_tracefs();

	if (access(RUNNING_TRACEFS "/uprobe_events", W_OK))
		skip();
	return tracefs;
}

static int open_tracepoint(uint32_t id)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_TRACEPOINT,
		.config = id,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

/* How often the name is in the kernel's list. */
static unsigned nr_listed(const struct tracefs_probe *p)
{
	bool kernel = p->kind == TRACEFS_KPROBE || p->kind == TRACEFS_KRETPROBE;
	FILE *f = fopen(
		kernel ? RUNNING_TRACEFS "/kprobe_events" : RUNNING_TRACEFS "/uprobe_events", "r");
	char line[4096], name[160];
	unsigned nr = 0;

	assert_non_null(f);
	snprintf(name, sizeof(name), ":%s/%s ", p->category, p->name);
	while (fgets(line, sizeof(line), f))
		nr += strstr(line, name) != NULL;
	fclose(f);
	return nr;
}

static void a_uprobe_counts_calls_until_it_is_removed(void **state)
{
	const char *tracefs = tracefs_with_uprobes();
	struct tracefs_probe p, second;
	char what[512], name[160], text[4096];
	unsigned long long count;
	struct buf why = {};
	int fd;

	(void)state;
	place_of_function(what, sizeof(what));
	assert_int_equal(tracefs_probe__add(tracefs, TRACEFS_UPROBE, what, &p, &why), 0);
	assert_int_equal(nr_listed(&p), 1);
	snprintf(name, sizeof(name), "events/%s/%s/id", p.category, p.name);
	assert_int_equal(strtoul(fixture__text(tracefs, name, text), NULL, 10), p.id);
	assert_true(p.id > 0);

	assert_int_equal(tracefs_probe__add(tracefs, TRACEFS_URETPROBE, what, &second, &why), 0);
	assert_int_not_equal(second.id, p.id);
	assert_int_equal(tracefs_probe__remove(tracefs, &second), 0);
	assert_int_equal(tracefs_probe__add(tracefs, TRACEFS_UPROBE, what, &second, &why), 0);
	assert_string_not_equal(second.name, p.name);
	assert_int_equal(nr_listed(&p), 1);
	assert_int_equal(tracefs_probe__remove(tracefs, &second), 0);

	fd = open_tracepoint(p.id);
	assert_true(fd >= 0);
	for (int i = 0; i < 3; i++)
		probed_function();
	assert_int_equal(read(fd, &count, sizeof(count)), sizeof(count));
	assert_int_equal(count, 3);
	assert_int_equal(tracefs_probe__remove(tracefs, &p), -EBUSY);
	close(fd);

	assert_int_equal(tracefs_probe__remove(tracefs, &p), 0);
	assert_int_equal(nr_listed(&p), 0);
	assert_int_equal(tracefs_probe__remove(tracefs, &p), -ENOENT);
	buf__free(&why);
}

static void a_kprobe_is_there_until_it_is_removed(void **state)
{
	const char *tracefs = running_tracefs();
	struct tracefs_probe entry, exit;
	struct buf why = {};

	(void)state;
	if (access(RUNNING_TRACEFS "/kprobe_events", W_OK))
		skip();
	assert_int_equal(tracefs_probe__add(tracefs, TRACEFS_KPROBE, "vfs_read", &entry, &why), 0);
	assert_int_equal(tracefs_probe__add(tracefs, TRACEFS_KRETPROBE, "vfs_read", &exit, &why),
			 0);
	assert_int_not_equal(entry.id, exit.id);
	assert_int_equal(nr_listed(&entry), 1);
	assert_int_equal(nr_listed(&exit), 1);
	assert_int_equal(tracefs_probe__remove(tracefs, &entry), 0);
	assert_int_equal(nr_listed(&entry), 0);
	assert_int_equal(nr_listed(&exit), 1);
	assert_int_equal(tracefs_probe__remove(tracefs, &exit), 0);
	buf__free(&why);
}

static void what_the_kernel_refuses_comes_with_its_reason(void **state)
{
	const char *tracefs = tracefs_with_uprobes();
	struct tracefs_probe p;
	struct buf why = {};

	(void)state;
	assert_int_equal(
		tracefs_probe__add(tracefs, TRACEFS_UPROBE, "/no/such/file:0x10", &p, &why),
		-ENOENT);
	assert_non_null(strstr(why.data, "/no/such/file:0x10"));
	if (!access(RUNNING_TRACEFS "/error_log", R_OK))
		assert_non_null(strstr(why.data, "(Failed to find the given file)"));
	assert_int_equal(nr_listed(&p), 0);
	buf__free(&why);
}

static void a_path_with_a_colon_reaches_the_kernel(void **state)
{
	const char *tracefs = tracefs_with_uprobes();
	char what[512], path[128];
	struct tracefs_probe p;
	struct buf why = {};
	struct fixture f;

	(void)state;
	fixture__open(&f);
	fixture__put(&f, "a:0x7", "no program, which the kernel does not mind\n");
	snprintf(path, sizeof(path), "%s/a:0x7", f.dir);
	snprintf(what, sizeof(what), "%s:0x10", path);
	assert_int_equal(tracefs_probe__add(tracefs, TRACEFS_UPROBE, what, &p, &why), 0);
	assert_int_equal(nr_listed(&p), 1);
	assert_int_equal(tracefs_probe__remove(tracefs, &p), 0);
	buf__free(&why);
	fixture__close(&f);
}

static void the_probes_of_a_dead_process_are_removed(void **state)
{
	const char *tracefs = tracefs_with_uprobes();
	struct tracefs_probe *shared, own;
	struct buf why = {};
	char what[512];
	int pid, status;

	(void)state;
	place_of_function(what, sizeof(what));
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	assert_true(shared != MAP_FAILED);
	pid = fork();
	if (!pid)
		_exit(tracefs_probe__add(tracefs, TRACEFS_UPROBE, what, shared, &why) ? 1 : 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(nr_listed(shared), 1);
	assert_int_equal(tracefs_probe__add(tracefs, TRACEFS_UPROBE, what, &own, &why), 0);
	assert_true(tracefs_probe__clean(tracefs) >= 1);
	assert_int_equal(nr_listed(shared), 0);
	assert_int_equal(nr_listed(&own), 1);
	assert_int_equal(tracefs_probe__remove(tracefs, &own), 0);
	munmap(shared, sizeof(*shared));
	buf__free(&why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_put_into_the_words_of_the_kernel),
		cmocka_unit_test(what_is_no_place_is_refused),
		cmocka_unit_test(paths_that_the_kernel_would_split_are_refused),
		cmocka_unit_test(names_are_identifiers),
		cmocka_unit_test(commands_name_group_event_and_place),
		cmocka_unit_test(a_name_in_use_gets_a_number),
		cmocka_unit_test(a_kernel_without_such_probes_is_named),
		cmocka_unit_test(a_path_too_long_is_refused),
		cmocka_unit_test(the_log_of_the_kernel_is_quoted),
		cmocka_unit_test(only_what_the_dead_have_left_is_cleaned),
		cmocka_unit_test(a_uprobe_counts_calls_until_it_is_removed),
		cmocka_unit_test(a_kprobe_is_there_until_it_is_removed),
		cmocka_unit_test(what_the_kernel_refuses_comes_with_its_reason),
		cmocka_unit_test(a_path_with_a_colon_reaches_the_kernel),
		cmocka_unit_test(the_probes_of_a_dead_process_are_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
