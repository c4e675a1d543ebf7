// SPDX-License-Identifier: BSD-2-Clause
/* Compared with what nm, readelf and objdump say of the same file. */
#include "elf_fixture.h"

#include <sys/auxv.h>
#include <sys/stat.h>
#include <time.h>

#include "base/buf.h"

static void symbols_are_where_nm_says(void **state)
{
	static const char *const names[] = { "hidden", "visible", "weak_one", "asm_label" };
	struct binary *b = open_lib(*state);
	uint64_t addr, vaddr;
	struct sym sym;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		addr = nm_address(*state, "full.so", names[i]);
		assert_true(binary__find(b, addr + 1, &sym, &vaddr));
		assert_string_equal(sym.name, names[i]);
		assert_int_equal(sym.addr, addr);
		assert_int_equal(vaddr, addr + 1);
	}
	binary__close(b);
}

static void nothing_is_named_outside_of_functions(void **state)
{
	struct binary *b = open_lib(*state);
	uint64_t label = nm_address(*state, "full.so", "asm_label");

	/* The label has no size; its section has two bytes. */
	assert_name(b, label + 1, "asm_label");
	assert_name(b, label + 2, "(none)");

	assert_name(b, 0, "(none)");
	assert_name(b, 16, "(none)");
	assert_name(b, 1ull << 40, "(none)");
	assert_name(b, UINT64_MAX, "(none)");
	binary__close(b);
}

static void an_executable_at_a_fixed_address_is_translated(void **state)
{
	struct dir *d = *state;
	uint64_t addr, vaddr;
	struct binary *b;
	struct sym sym;

	must(sh(d, "echo 'int main(void) { return 0; }' > m.c && "
		   "cc -no-pie -Wl,-Ttext-segment=0x700000 -o lib.so m.c"));
	addr = nm_address(d, "lib.so", "main");
	assert_true(addr > 0x700000);
	b = open_lib(d);
	assert_true(binary__find(b, addr - 0x700000, &sym, &vaddr));
	assert_string_equal(sym.name, "main");
	assert_int_equal(vaddr, addr);
	binary__close(b);
}

/* It has no code, so that offsets say nothing: addresses are those of its program. */
static void a_debug_file_is_asked_by_address(void **state)
{
	struct dir *d = *state;
	struct binary *b = open_lib(d);
	uint64_t addr = nm_address(d, "full.so", "visible"), vaddr;
	struct sym sym;

	assert_false(binary__has_no_code(b));
	binary__close(b);
	must(sh(d, "objcopy --only-keep-debug full.so lib.so"));
	b = open_lib(d);
	assert_true(binary__has_no_code(b));
	assert_true(binary__find_at(b, addr + 1, &sym));
	assert_string_equal(sym.name, "visible");
	assert_int_equal(sym.addr, addr);
	assert_false(binary__find(b, 1ull << 40, &sym, &vaddr));
	binary__close(b);
}

static void a_stripped_file_has_its_dynamic_symbols(void **state)
{
	struct dir *d = *state;
	struct binary *b;

	must(sh(d, "strip lib.so"));
	b = open_lib(d);
	assert_name(b, nm_address(d, "full.so", "visible"), "visible");
	assert_name(b, nm_address(d, "full.so", "hidden"), "(none)");
	binary__close(b);
}

/* Names are in the file until they are asked for. */
static void a_file_that_was_changed_meanwhile_has_no_names(void **state)
{
	struct dir *d = *state;
	struct binary *b = open_lib(d);

	assert_name(b, nm_address(d, "full.so", "visible"), "visible");
	must(sh(d, "echo more >> lib.so"));
	assert_name(b, nm_address(d, "full.so", "hidden"), "(none)");
	binary__close(b);
}

static struct binary *open_image(const char *file)
{
	struct binary *b;
	struct buf image = {};

	assert_int_equal(buf__read_file(&image, file, 1 << 24), 0);
	assert_int_equal(binary__open_memory(&b, image.data, image.len), 0);
	buf__free(&image);
	return b;
}

/* From a file and from memory; whichever of the two comes first in the table. */
static void of_two_names_the_one_without_an_underscore_wins(void **state)
{
	struct dir *d = *state;
	struct binary *b[2];

	must(sh(d, "echo 'int __one(void) { return 1; }"
		   "int one(void) __attribute__((alias(\"__one\")));"
		   "int two(void) { return 2; }"
		   "int __two(void) __attribute__((alias(\"two\")));' > m.c && "
		   "cc -fPIC -shared -o lib.so m.c"));
	b[0] = open_lib(d);
	b[1] = open_image(d->lib);
	for (int i = 0; i < 2; i++) {
		assert_name(b[i], nm_address(d, "lib.so", "__one"), "one");
		assert_name(b[i], nm_address(d, "lib.so", "__two"), "two");
		binary__close(b[i]);
	}
}

/* How far addresses in .plt are from their offsets in the file. */
static uint64_t plt_bias(const struct dir *d)
{
	unsigned long long addr = 0, offset = 0;
	char cmd[512];
	FILE *f;

	snprintf(cmd, sizeof(cmd),
		 "cd %s && readelf -SW lib.so | "
		 "sed -n 's/.* \\.plt  *PROGBITS  *\\([0-9a-f]*\\) \\([0-9a-f]*\\) .*/\\1 \\2/p'",
		 d->path);
	f = popen(cmd, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%llx %llx", &addr, &offset), 2);
	pclose(f);
	return addr - offset;
}

/* Every "<NAME@plt>:" of a disassembler has that name; returns how many there were. */
static int compare_stubs(const struct dir *d, const char *disassembler)
{
	uint64_t bias = plt_bias(d);
	struct binary *b = open_lib(d);
	unsigned long long addr;
	char cmd[512], name[256];
	int nr = 0;
	FILE *f;

	snprintf(cmd, sizeof(cmd),
		 "cd %s && $(command -v %s | head -1) -d lib.so 2>/dev/null | "
		 "sed -n 's/^\\([0-9a-f]*\\) <\\([^*>]*@plt\\)>:/\\1 \\2/p'",
		 d->path, disassembler);
	f = popen(cmd, "r");
	assert_non_null(f);
	for (; fscanf(f, "%llx %255s", &addr, name) == 2; nr++)
		assert_name(b, addr - bias, name);
	pclose(f);
	binary__close(b);
	return nr;
}

static void stubs_are_named_as_objdump_names_them(void **state)
{
	static const char *const flags[] = { "-Wl,-z,lazy", "-Wl,-z,now",
					     "-fcf-protection=full -Wl,-z,ibtplt",
					     "-fcf-protection=full -Wl,-z,ibtplt,-z,now",
					     "-fuse-ld=lld" };
	struct dir *d = *state;
	size_t i;

	must(sh(d,
		"cat > m.c <<'E'\n"
		"#include <stdio.h>\n"
		"#include <stdlib.h>\n"
		"int f(int n) { void (*g)(void *) = free; void *p = malloc(n); puts(\"x\"); g(p);\n"
		"free(malloc(n)); printf(\"%%p\", (void *)g); return 1; }\nE"));
	for (i = 0; i < ARRAY_SIZE(flags); i++)
		if (!sh(d, "cc -O1 -fPIC -shared %s -o lib.so m.c && strip lib.so", flags[i]))
			assert_true(compare_stubs(d, "objdump") >= 3);
}

static void stubs_of_arm64_are_read(void **state)
{
	static const char *const flags[] = { "", "-mbranch-protection=standard -Wl,-z,force-bti" };
	struct dir *d = *state;
	size_t i;

	must(sh(d,
		"command -v llvm-objdump llvm-objdump-14 && "
		"echo 'int foo(int), bar(int); int f(int x) { return foo(x) + bar(x); }' > m.c"));
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		must(sh(d,
			"clang --target=aarch64-linux-gnu -fuse-ld=lld -nostdlib -shared -fPIC "
			"%s -o lib.so m.c",
			flags[i]));
		assert_int_equal(compare_stubs(d, "llvm-objdump llvm-objdump-14"), 2);
	}
}

static void the_build_id_is_what_readelf_says(void **state)
{
	struct dir *d = *state;
	struct binary *b = open_lib(d);
	const unsigned char *id;
	char cmd[256], want[256] = "", got[256] = "";
	size_t i, len;
	FILE *f;

	snprintf(cmd, sizeof(cmd), "readelf -n %s | sed -n 's/.*Build ID: //p'", d->lib);
	f = popen(cmd, "r");
	assert_int_equal(fscanf(f, "%255s", want), 1);
	pclose(f);
	len = binary__build_id(b, &id);
	assert_int_equal(len, 20);
	for (i = 0; i < len; i++)
		sprintf(got + 2 * i, "%02x", id[i]);
	assert_string_equal(got, want);
	/* And the symbols are still there to be read. */
	assert_name(b, nm_address(d, "full.so", "hidden"), "hidden");
	binary__close(b);
}

static void a_file_that_is_no_elf_file_names_nothing(void **state)
{
	static const char *const makes[] = {
		": > lib.so",
		"printf x > lib.so",
		"printf '\\177ELF' > lib.so",
		"head -c 100000 /dev/urandom > lib.so",
		"cp lib.c lib.so",
		"{ printf '\\177ELF\\2\\1\\1'; head -c 100000 /dev/urandom; } > lib.so",
		"rm lib.so && mkdir lib.so",
	};
	const unsigned char *id;
	struct binary *b;
	uint64_t vaddr;
	struct sym sym;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(makes); i++) {
		must(sh(*state, "%s", makes[i]));
		b = open_lib(*state);
		assert_false(binary__find(b, 0x1234, &sym, &vaddr));
		assert_int_equal(binary__build_id(b, &id), 0);
		binary__close(b);
	}
}

static void a_file_that_cannot_be_opened_names_nothing(void **state)
{
	const struct opener none = {};
	const unsigned char *id;
	struct binary *b;
	uint64_t vaddr;
	struct sym sym;

	(void)state;
	assert_int_equal(binary__open(&b, -1, &none, NULL), 0);
	assert_false(binary__find(b, 0x1234, &sym, &vaddr));
	assert_int_equal(vaddr, 0x1234);
	assert_int_equal(binary__build_id(b, &id), 0);
	binary__close(b);
}

static void a_truncated_file_costs_only_names(void **state)
{
	struct dir *d = *state;
	uint64_t vaddr;
	struct stat st;
	struct binary *b;
	struct sym sym;
	long long cut;

	assert_int_equal(stat(d->lib, &st), 0);
	for (cut = st.st_size; cut >= 0; cut -= 997) {
		assert_int_equal(truncate(d->lib, cut), 0);
		b = open_lib(d);
		binary__find(b, 0x1100, &sym, &vaddr);
		binary__close(b);
	}
}

static void a_sparse_file_of_nonsense_ends_quickly(void **state)
{
	struct dir *d = *state;
	struct timespec from, to;
	struct binary *b;
	uint64_t vaddr;
	struct sym sym;

	/* Four gigabytes of sections, symbols and strings, as the headers have it. */
	must(sh(d, "truncate -s 4G lib.so && "
		   "printf '\\000\\000\\000\\100\\000\\000\\000\\000' | "
		   "dd of=lib.so bs=1 seek=40 conv=notrunc && "
		   "printf '\\377\\377' | dd of=lib.so bs=1 seek=60 conv=notrunc"));
	clock_gettime(CLOCK_MONOTONIC, &from);
	b = open_lib(d);
	assert_false(binary__find(b, 0x1234, &sym, &vaddr));
	binary__close(b);
	clock_gettime(CLOCK_MONOTONIC, &to);
	assert_true(to.tv_sec - from.tv_sec < 3);
}

static void the_vdso_is_read_from_memory(void **state)
{
	const void *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct binary *b;
	uint64_t vaddr, i;
	bool found = false;
	struct sym sym;

	(void)state;
	if (!vdso)
		skip();
	assert_int_equal(binary__open_memory(&b, vdso, 8192), 0);
	for (i = 0; i < 8192; i++)
		if (binary__find(b, i, &sym, &vaddr) && strstr(sym.name, "clock_gettime"))
			found = true;
	assert_true(found);
	binary__close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(symbols_are_where_nm_says),
		IN_DIR(nothing_is_named_outside_of_functions),
		IN_DIR(an_executable_at_a_fixed_address_is_translated),
		IN_DIR(a_debug_file_is_asked_by_address),
		IN_DIR(a_stripped_file_has_its_dynamic_symbols),
		IN_DIR(a_file_that_was_changed_meanwhile_has_no_names),
		IN_DIR(of_two_names_the_one_without_an_underscore_wins),
		IN_DIR(stubs_are_named_as_objdump_names_them),
		IN_DIR(stubs_of_arm64_are_read),
		IN_DIR(the_build_id_is_what_readelf_says),
		IN_DIR(a_file_that_is_no_elf_file_names_nothing),
		cmocka_unit_test(a_file_that_cannot_be_opened_names_nothing),
		IN_DIR(a_truncated_file_costs_only_names),
		IN_DIR(a_sparse_file_of_nonsense_ends_quickly),
		cmocka_unit_test(the_vdso_is_read_from_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
