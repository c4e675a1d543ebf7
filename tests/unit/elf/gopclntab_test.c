// SPDX-License-Identifier: BSD-2-Clause
/* Functions of stripped Go programs are those that nm has of the same programs with symbols. */
#include "elf_fixture.h"

#include <ctype.h>
#include <errno.h>
#include <sys/mman.h>

#include "elf/elf_image.h"
#include "elf/elf_names.h"
#include "elf/elf_file.h"
#include "elf/gopclntab.h"

static const char go_source[] =
	"package main\n"
	"%s\n"
	"type T struct{ n int }\n"
	"//go:noinline\n"
	"func (t *T) Method(x int) int { t.n += x; return t.n }\n"
	"//go:noinline\n"
	"func work(n int) int { f := func(x int) int { return x * n }; return f(n) }\n"
	"func main() { t := &T{1}; defer func() { println(t.n) }()\n"
	"println(t.Method(work(2)) %s) }\n";

/* Compiled packages are kept beside the object files. */
static int go_build(const struct dir *d, const char *env, const char *flags, const char *ldflags)
{
	char build[512] = "", *end;

	if (readlink("/proc/self/exe", build, sizeof(build) - 1) < 0)
		return -1;
	end = strstr(build, "/tests/unit/");
	strcpy(end ? end : build, end ? "/go-cache" : "/tmp");
	return sh(d,
		  "export GO111MODULE=off GOFLAGS= GOTOOLCHAIN=local GOCACHE=%s %s && "
		  "go build %s -ldflags='%s' -o full m.go && "
		  "go build %s -ldflags='%s -s -w' -o lib.so m.go && cp lib.so was && ! nm lib.so "
		  "| grep .",
		  build, env, flags, ldflags, flags, ldflags);
}

static void write_go(const struct dir *d, bool with_c)
{
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "%s/m.go", d->path);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, go_source,
		with_c ? "// static int twice(int x) { return 2 * x; }\nimport \"C\"" : "",
		with_c ? "+ int(C.twice(3))" : "");
	assert_int_equal(fclose(f), 0);
}

/* As the table spells it: no ABI, and any types of a generic function or array are "...". */
static void respell(char *name)
{
	char *abi = strstr(name, ".abi"), *open = strchr(name, '['), *close = strrchr(name, ']');

	if (abi && isdigit((unsigned char)abi[4]) && !abi[5])
		*abi = '\0';
	if (open && close > open) {
		char tail[1024];

		snprintf(tail, sizeof(tail), "[...%s", close);
		strcpy(open, tail);
	}
}

static void assert_function(struct binary *b, const struct elf_image *img, uint64_t addr,
			    uint64_t size, const char *name)
{
	uint64_t offset, vaddr;
	struct sym sym;

	assert_true(elf_image__offset(img, addr, ELF_CODE, &offset));
	if (!binary__find(b, offset, &sym, &vaddr) || sym.addr != addr || strcmp(sym.name, name))
		fail_msg("0x%lx is not %s", (long)addr, name);
	assert_int_equal(vaddr, addr);
	if (size && (!binary__find(b, offset + size - 1, &sym, &vaddr) || sym.addr != addr))
		fail_msg("%s does not have 0x%lx bytes", name, (long)size);
}

static size_t nr_functions(const struct dir *d)
{
	struct symtab *t = symtab__new();
	struct elf_from from;
	size_t nr;

	assert_non_null(t);
	assert_true(elf_from__open(&from, open(d->lib, O_RDONLY | O_CLOEXEC), NULL));
	assert_int_equal(gopclntab__add(t, &from, &nr), 0);
	close(from.fd);
	elf_from__close(&from);
	symtab__free(t);
	return nr;
}

/* Go's code lies between two symbols without a size. */
static void assert_as_nm(const struct dir *d)
{
	uint64_t text = nm_address(d, "full", "runtime.text");
	uint64_t etext = nm_address(d, "full", "runtime.etext");
	char line[2048], name[1024], cmd[256], type;
	struct binary *b = open_lib(d);
	unsigned long addr, size;
	struct elf_image img;
	struct buf why = {};
	size_t nr = 0;
	FILE *f;

	assert_int_equal(elf_image__open(&img, d->lib, &why), 0);
	snprintf(cmd, sizeof(cmd), "nm -S %s/full", d->path);
	f = popen(cmd, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx %lx %c %1000[^\n]", &addr, &size, &type, name) != 4 ||
		    toupper((unsigned char)type) != 'T' || addr < text || addr >= etext)
			continue;
		respell(name);
		assert_function(b, &img, addr, size, name);
		nr++;
	}
	assert_int_equal(pclose(f), 0);
	assert_true(nr > 500);
	assert_int_equal(nr_functions(d), nr);
	elf_image__close(&img);
	binary__close(b);
}

static void all_functions_are_those_of_nm(void **state)
{
	const struct dir *d = *state;

	write_go(d, false);
	must(go_build(d, "CGO_ENABLED=0", "", ""));
	assert_as_nm(d);
}

static void so_are_those_of_position_independent_programs(void **state)
{
	const struct dir *d = *state;

	write_go(d, false);
	must(go_build(d, "CGO_ENABLED=0", "-buildmode=pie", ""));
	assert_as_nm(d);
}

/* The code of C comes first. */
static void so_are_those_of_programs_with_c(void **state)
{
	const struct dir *d = *state;

	write_go(d, true);
	must(go_build(d, "CGO_ENABLED=1", "", "-linkmode=external"));
	assert_as_nm(d);
}

/* Here the table has no section of its own. */
static void so_are_those_of_both(void **state)
{
	const struct dir *d = *state;

	write_go(d, true);
	must(go_build(d, "CGO_ENABLED=1", "-buildmode=pie", "-linkmode=external"));
	assert_as_nm(d);
}

/* Linkers that leave to the loader what it fills in: the header's word is 0. */
static void an_empty_word_is_in_a_relocation(void **state)
{
	const struct dir *d = *state;

	write_go(d, true);
	must(go_build(d, "CGO_ENABLED=1", "-buildmode=pie", "-linkmode=external"));
	must(sh(d, "perl -0777 -pi -e "
		   "'s/([\\xf0\\xf1]\\xff\\xff\\xff\\0\\0.\\x08.{16}).{8}/"
		   "$1\\0\\0\\0\\0\\0\\0\\0\\0/s' "
		   "lib.so && ! cmp -s lib.so was"));
	assert_as_nm(d);
}

static void names_lead_to_functions(void **state)
{
	static const struct {
		const char *name, *in_nm;
	} functions[] = {
		{ "main.work", "main.work" },
		{ "main.(*T).Method", "main.[(][*]T[)].Method" },
		{ "main.main.func1", "main.main.func1" },
	};
	const struct dir *d = *state;
	struct elf_names list;
	struct elf_image img;
	struct buf why = {};
	uint64_t offset;

	write_go(d, false);
	must(go_build(d, "CGO_ENABLED=0", "", ""));
	assert_int_equal(elf_image__open(&img, d->lib, &why), 0);
	assert_int_equal(elf_names__read(&list, &img, &(struct opener){}), 0);
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		size_t nr = 0;

		assert_true(elf_image__offset(&img, nm_address(d, "full", functions[i].in_nm),
					      ELF_CODE, &offset));
		for (size_t j = 0; j < list.nr; j++) {
			if (strcmp(strtab__get(list.strings, list.items[j].name),
				   functions[i].name))
				continue;
			assert_int_equal(list.items[j].kind, ELF_NAME_FUNCTION);
			assert_int_equal(list.items[j].offset, offset);
			nr++;
		}
		assert_int_equal(nr, 1);
	}
	elf_names__free(&list);
	elf_image__close(&img);
}

/*
 * Tables by hand, assembled: `first` has 32 bytes, `second` 16, and 16 of C follow. @head: from the
 * magic on; @addr: how addresses of code are written; @place: of functions, less this label.
 */
static void assemble(const struct dir *d, const char *head, const char *addr, const char *place,
		     const char *tail)
{
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "%s/t.s", d->path);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f,
		".text\n.globl _start\n_start: .fill 64, 1, 0\n"
		"text: first: .fill 32, 1, 0\nsecond: .fill 16, 1, 0\netext: .fill 16, 1, 0\n"
		".macro address of\n%s\n.endm\n"
		".section .gopclntab, \"a\"\n.balign 32\ntable:\n%s\n"
		"pairs: address first; place0: %s f0 - %s\naddress second; %s f1 - %s\n"
		"address etext\n.balign 8\n"
		"f0: address first; .long 0 + names_from; .fill 32, 1, 0\n"
		"f1: address second; .long 11 + names_from; .fill 32, 1, 0\n"
		".balign 8\nnames: .asciz \"main.first\", \"main.second\"\nnames_end: .fill 64, 1, "
		"0\n"
		"%s\n",
		addr, head, strstr(addr, ".quad") ? ".quad" : ".long", place,
		strstr(addr, ".quad") ? ".quad" : ".long", place, tail);
	assert_int_equal(fclose(f), 0);
	must(sh(d, "as -o t.o t.s && ld -static -o lib.so t.o && cp lib.so full.so && "
		   "strip lib.so"));
}

static const char absolute[] = ".quad \\of", relative[] = ".long \\of - text";

#define HEAD_1_2 ".long 0xfffffffb; .byte 0, 0, 1, 8; .quad 2\n.set names_from, names - table"
#define HEAD_1_16                                                                                  \
	".long 0xfffffffa; .byte 0, 0, 1, 8; .quad 2, 1, names - table, names_end - table\n"       \
	".quad names_end - table, names_end - table, pairs - table\n.set names_from, 0"
#define HEAD_1_20(text)                                                                            \
	".long 0xfffffff1; .byte 0, 0, 1, 8; .quad 2, 1, " text "\n"                               \
	".quad names - table, names_end - table, names_end - table, names_end - table\n"           \
	".quad pairs - table\n.set names_from, 0"
#define MODULE ".section .go.module, \"aw\"\n.fill 22, 8, 0\n.quad text, etext"

static void assert_two_functions(const struct dir *d)
{
	struct binary *b = open_lib(d);
	uint64_t first = nm_address(d, "full.so", "first"), offset;
	struct elf_image img;
	struct buf why = {};

	assert_int_equal(elf_image__open(&img, d->lib, &why), 0);
	assert_function(b, &img, first, 32, "main.first");
	assert_function(b, &img, first + 32, 16, "main.second");
	assert_true(elf_image__offset(&img, first, ELF_CODE, &offset));
	assert_name(b, offset - 1, "(none)");
	assert_name(b, offset + 48, "(none)");
	elf_image__close(&img);
	binary__close(b);
}

static void tables_of_all_versions_are_read(void **state)
{
	const struct dir *d = *state;

	assemble(d, HEAD_1_2, absolute, "table", "");
	assert_two_functions(d);
	assemble(d, HEAD_1_16, absolute, "pairs", "");
	assert_two_functions(d);
	assemble(d, HEAD_1_20("text"), relative, "pairs", "");
	assert_two_functions(d);
}

/* From Go 1.26 on the header does not tell where code begins. */
static void where_code_begins_is_in_the_module(void **state)
{
	const struct dir *d = *state;

	assemble(d, HEAD_1_20("0"), relative, "pairs", MODULE);
	assert_two_functions(d);
	assemble(d, HEAD_1_20("0"), relative, "pairs", "");
	assert_int_equal(nr_functions(d), 2); /* from .text on, as there is nothing better */
}

static int see_function(const struct go_function *f, void *arg)
{
	(void)f;
	++*(size_t *)arg;
	return 0;
}

/* Writes over a file that was assembled; the table is found, or not. */
static size_t nr_with(const struct dir *d, const char *label, int at, uint64_t value, size_t len)
{
	char path[96];
	struct elf_image img;
	struct buf why = {};
	struct elf_from from;
	struct gopclntab t;
	uint64_t offset, table = nm_address(d, "full.so", label) + at;
	size_t nr = 0;
	int fd;

	assert_int_equal(sh(d, "cp full.so garbled"), 0);
	snprintf(path, sizeof(path), "%s/garbled", d->path);
	assert_int_equal(elf_image__open(&img, path, &why), 0);
	if (!elf_image__offset(&img, table, ELF_CONST, &offset))
		fail_msg("%s is not in the file", label);
	elf_image__close(&img);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_int_equal(pwrite(fd, &value, len, offset), len);
	assert_true(elf_from__open(&from, fd, NULL));
	if (gopclntab__find(&t, &from))
		assert_int_equal(gopclntab__read(&t, &from, see_function, &nr), 0);
	elf_from__close(&from);
	close(fd);
	return nr;
}

static void numbers_that_cannot_be_cost_names(void **state)
{
	const struct dir *d = *state;

	assemble(d, HEAD_1_20("text"), relative, "pairs", "");
	assert_int_equal(nr_with(d, "table", 0, 0xfffffff1, 4), 2);
	assert_int_equal(nr_with(d, "table", 0, 0xfffffff2, 4), 0); /* no such version */
	assert_int_equal(nr_with(d, "table", 4, 1, 1), 0);	    /* not a zero */
	assert_int_equal(nr_with(d, "table", 6, 3, 1), 0);	    /* alignment of code */
	assert_int_equal(nr_with(d, "table", 7, 16, 1), 0);	    /* bytes of a pointer */
	assert_int_equal(nr_with(d, "table", 8, 0, 8), 0);	    /* functions: none */
	assert_int_equal(nr_with(d, "table", 8, 1, 8), 1);	    /* one of them */
	assert_true(nr_with(d, "table", 8, UINT64_MAX, 8) < 64); /* more than there is room for */
	assert_int_equal(nr_with(d, "table", 32, UINT64_MAX, 8), 0); /* names behind the end */
	assert_int_equal(nr_with(d, "table", 40, UINT64_MAX, 8), 0); /* the names' end */
	assert_int_equal(nr_with(d, "table", 40, 1, 8), 0);	     /* that, before they begin */
	assert_int_equal(nr_with(d, "table", 64, UINT64_MAX, 8), 0); /* pairs */
	assert_int_equal(nr_with(d, "table", 64, 1 << 20, 8), 0);
	assert_int_equal(nr_with(d, "table", 24, UINT64_MAX, 8), 0); /* code above all addresses */
	assert_int_equal(nr_with(d, "place0", 0, UINT32_MAX, 4), 0); /* a function behind the end */
	assert_int_equal(nr_with(d, "place0", 0, 0xffff, 4), 0);
	assert_int_equal(nr_with(d, "pairs", 0, 0xffff, 4), 1);	 /* before the next: no size */
	assert_int_equal(nr_with(d, "f0", 4, UINT32_MAX, 4), 1); /* its name */
	assert_int_equal(nr_with(d, "place0", 8, 0, 4), 1);	 /* the second before the first */
}

/* Cut anywhere, and with wrong bytes: there may be fewer names. */
static void garbage_is_harmless(void **state)
{
	static char image[1 << 16], garbled[sizeof(image)];
	static const uint32_t magic = 0xfffffff1;
	const struct opener none = {};
	const struct dir *d = *state;
	const char *table;
	struct binary *b;
	uint64_t vaddr;
	struct sym sym;
	size_t len, at;

	assemble(d, HEAD_1_20("0"), relative, "pairs", MODULE);
	FILE *f = fopen(d->lib, "r");
	assert_non_null(f);
	len = fread(image, 1, sizeof(image), f);
	fclose(f);
	table = memmem(image, len, &magic, sizeof(magic));
	assert_non_null(table);
	at = table - image;
	srandom(1);
	for (unsigned i = 0; i < 5000; i++) {
		int fd = memfd_create("garbled", MFD_CLOEXEC);

		memcpy(garbled, image, len);
		for (int j = 0; j < 3; j++)
			garbled[at + random() % 200] = random();
		assert_true(fd >= 0);
		assert_true(write(fd, garbled, i % 8 ? len : at + random() % 200) > 0);
		assert_int_equal(binary__open(&b, fd, &none, NULL), 0);
		for (uint64_t offset = 0; offset < len; offset += 16)
			if (binary__find(b, offset, &sym, &vaddr))
				assert_true(*sym.name && vaddr >= sym.addr);
		binary__close(b);
	}
}

/* Of a stranger's program there are all names or none. */
static void a_strangers_table_comes_out_of_the_allowance(void **state)
{
	const struct dir *d = *state;
	struct allowance a;
	struct elf_from from;
	struct symtab *syms;
	size_t nr = 0;
	int err;

	assemble(d, HEAD_1_20("text"), relative, "pairs", "");
	assert_int_equal(sh(d, "chmod 666 lib.so"), 0);
	for (uint64_t bytes = 0; nr < 2; bytes += 64) {
		assert_true(bytes < 1 << 16);
		allowance__init(&a, bytes, 1000000000);
		syms = symtab__new();
		assert_non_null(syms);
		err = elf_from__open(&from, open(d->lib, O_RDONLY | O_CLOEXEC), &a)
			      ? gopclntab__add(syms, &from, &nr)
			      : 0;
		assert_true(err == -EDQUOT ? allowance__has_refused(&a) : !nr || nr == 2);
		close(from.fd);
		elf_from__close(&from);
		symtab__free(syms);
	}
	assert_int_equal(err, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(all_functions_are_those_of_nm),
		IN_DIR(so_are_those_of_position_independent_programs),
		IN_DIR(so_are_those_of_programs_with_c),
		IN_DIR(so_are_those_of_both),
		IN_DIR(an_empty_word_is_in_a_relocation),
		IN_DIR(names_lead_to_functions),
		IN_DIR(tables_of_all_versions_are_read),
		IN_DIR(where_code_begins_is_in_the_module),
		IN_DIR(numbers_that_cannot_be_cost_names),
		IN_DIR(garbage_is_harmless),
		IN_DIR(a_strangers_table_comes_out_of_the_allowance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
