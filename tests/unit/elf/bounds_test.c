// SPDX-License-Identifier: BSD-2-Clause
/* Bounds of functions are those that readelf prints, and symbols without a size end there. */
#include "elf_fixture.h"

#include "elf/binary.h"
#include "elf/bounds.h"
#include "elf/elf_file.h"

static void open_file(struct elf_from *from, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_true(elf_from__open(from, fd, NULL));
}

static void assert_as_readelf(const char *path)
{
	unsigned long start, end;
	struct bounds b = {};
	struct elf_from from;
	char line[512];
	size_t nr = 0;
	FILE *f;

	open_file(&from, path);
	assert_int_equal(bounds__read(&b, &from), 0);
	snprintf(line, sizeof(line), "readelf --debug-dump=frames %s 2>/dev/null", path);
	f = popen(line, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		const char *pc = strstr(line, " FDE ") ? strstr(line, " pc=") : NULL;
		const struct bound *found;

		if (!pc || sscanf(pc, " pc=%lx..%lx", &start, &end) != 2 || start == end)
			continue;
		nr++;
		found = bounds__find(&b, start);
		if (!found || found->start != start)
			fail_msg("%s: no function at 0x%lx", path, start);
		found = bounds__find(&b, end - 1);
		if (!found || found->start != start || found->start + found->bytes != end)
			fail_msg("%s: 0x%lx..0x%lx has another end", path, start, end);
	}
	assert_int_equal(pclose(f), 0);
	assert_true(nr > 0);
	assert_int_equal(b.nr, nr);
	bounds__free(&b);
	close(from.fd);
	elf_from__close(&from);
}

static void bounds_are_as_readelf_has_them(void **state)
{
	char self[4096] = "";

	(void)state;
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	assert_as_readelf(self);
	assert_as_readelf("/bin/sh");
	assert_as_readelf("/usr/bin/readelf");
}

/* label: is_a_label ends before `next`; nm has the addresses. */
static void a_label_ends_at_the_next_function(void **state)
{
	const struct dir *d = *state;
	uint64_t label, next, at, vaddr;
	struct binary *b;
	struct sym sym;
	char path[96];

	snprintf(path, sizeof(path), "%s/t.s", d->path);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(".text\n.globl label, next\n"
	      "label: .fill 48, 1, 0x90\n"
	      "next: .cfi_startproc; .fill 32, 1, 0x90; .cfi_endproc\n"
	      ".fill 16, 1, 0x90\n",
	      f);
	fclose(f);
	/* `next` is no symbol of the file any more. */
	assert_int_equal(0, sh(d, "cc -c -o t.o t.s && cc -shared -nostdlib -o t.so t.o"));
	label = nm_address(d, "t.so", "label");
	next = nm_address(d, "t.so", "next");
	assert_int_equal(0,
			 sh(d, "strip --strip-all t.so 2>/dev/null; "
			       "printf '{ global: label; local: *; };' > t.map; "
			       "cc -shared -nostdlib -s -Wl,--version-script=t.map -o t.so t.o"));
	snprintf(path, sizeof(path), "%s/t.so", d->path);
	b = open_as(path, path, "");
	assert_true(binary__find(b, label + 47, &sym, &vaddr));
	assert_string_equal(sym.name, "label");
	assert_false(binary__function(b, vaddr, &at));
	assert_false(binary__find(b, next, &sym, &vaddr));
	assert_true(binary__function(b, vaddr, &at));
	assert_int_equal(at, vaddr);
	assert_false(binary__find(b, next + 31, &sym, &vaddr));
	assert_true(binary__function(b, vaddr, &at));
	assert_int_equal(at, next);
	binary__close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_are_as_readelf_has_them),
		IN_DIR(a_label_ends_at_the_next_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
