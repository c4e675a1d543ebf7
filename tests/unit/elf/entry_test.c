// SPDX-License-Identifier: BSD-2-Clause
/* How functions begin: bytes by hand, and what the assembler makes of their source. */
#include "elf_fixture.h"

#include <elf.h>
#include <errno.h>

#include "elf/entry.h"
#include "lookup/lookup.h"

enum { CODE_AT = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) };

/* A program of nothing but these bytes; closed and removed by the caller. */
static void make_image(struct elf_image *img, uint16_t machine, const void *code, size_t len)
{
	const Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = machine,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
	};
	const Elf64_Phdr load = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_filesz = CODE_AT + len,
		.p_memsz = CODE_AT + len,
	};
	char path[] = "/tmp/entry_test.XXXXXX";
	struct buf why = {};
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, &header, sizeof(header)), sizeof(header));
	assert_int_equal(write(fd, &load, sizeof(load)), sizeof(load));
	assert_int_equal(write(fd, code, len), len);
	close(fd);
	assert_int_equal(elf_image__open(img, path, &why), 0);
	unlink(path);
}

static void assert_skips(uint16_t machine, const char *code, size_t len, uint64_t size,
			 unsigned int want)
{
	struct elf_image img;

	make_image(&img, machine, code, len);
	assert_int_equal(entry__skip(&img, CODE_AT, size), want);
	elf_image__close(&img);
}

#define ENDBR64 "\xf3\x0f\x1e\xfa"
/* All bytes of it are the function. */
#define SKIPS(code, want) assert_skips(EM_X86_64, code, sizeof(code) - 1, sizeof(code) - 1, want)

static void a_push_behind_endbr64_is_where_the_probe_goes(void **state)
{
	SKIPS(ENDBR64 "\x55\xc3", 4);	      /* push %rbp; ret */
	SKIPS(ENDBR64 "\x50\xc3", 4);	      /* push %rax */
	SKIPS(ENDBR64 "\x57", 4);	      /* push %rdi, at the end of the file */
	SKIPS(ENDBR64 "\x41\x54\xc3", 4);     /* push %r12 */
	SKIPS(ENDBR64 "\x41\x57", 4);	      /* push %r15 */
	SKIPS(ENDBR64 "\x55\x48\x89\xe5", 4); /* push %rbp; mov %rsp,%rbp */
}

static void other_beginnings_are_left_alone(void **state)
{
	SKIPS("\x55\xc3\x90\x90\x90\x90", 0); /* no endbr64 */
	SKIPS("\xf3\x0f\x1e\xfb\x55\xc3", 0); /* endbr32 */
	SKIPS(ENDBR64 "\x58\xc3", 0);	      /* pop %rax */
	SKIPS(ENDBR64 "\x4f\xc3", 0);
	SKIPS(ENDBR64 "\x41\x58\xc3", 0); /* pop %r8 */
	SKIPS(ENDBR64 "\x41", 0);	  /* cut off */
	SKIPS(ENDBR64 "\x40\x55\xc3", 0); /* REX, which no compiler writes */
	SKIPS(ENDBR64 "\xf3\x0f\x1e\xfa\x55", 0);
	SKIPS(ENDBR64, 0);
	SKIPS("\xf3", 0);
	assert_skips(EM_AARCH64, ENDBR64 "\x55\xc3", 6, 6, 0);
}

/* What follows a function may be entered by other ways. */
static void only_bytes_of_the_function_count(void **state)
{
	assert_skips(EM_X86_64, ENDBR64 "\x55\xc3", 6, 4, 0);
	assert_skips(EM_X86_64, ENDBR64 "\x55\xc3", 6, 5, 4);
	assert_skips(EM_X86_64, ENDBR64 "\x41\x54", 6, 5, 0);
	assert_skips(EM_X86_64, ENDBR64 "\x41\x54", 6, 6, 4);
	assert_skips(EM_X86_64, ENDBR64 "\x55\xc3", 6, 0, 0);
	/* The file has become shorter than its symbols say. */
	assert_skips(EM_X86_64, ENDBR64 "\x55", 5, 600, 0);
}

static unsigned int skip_of(const char *path, const char *symbol)
{
	struct lookup_function found;
	struct elf_image img;
	struct buf why = {};
	unsigned int n;

	assert_int_equal(lookup__function(NULL, path, symbol, &found, &why), 0);
	assert_int_equal(elf_image__open(&img, path, &why), 0);
	n = entry__skip(&img, found.offset, found.size);
	elf_image__close(&img);
	assert_int_equal(found.skip, n);
	return n;
}

static void what_the_assembler_writes(void **state)
{
	struct dir *d = *state;

	must(sh(d, "test $(uname -m) = x86_64"));
	must(sh(d, "printf '%%s\\n' .text "
		   "'.macro f name, first, next' '.globl \\name' '.type \\name, @function' "
		   "'\\name: \\first' '\\next' ret '.size \\name, .-\\name' .endm "
		   "'f framed, endbr64, \"push %%rbp\"' 'f saves, endbr64, \"push %%r13\"' "
		   "'f old, nop, \"push %%rbp\"' 'f leaf, endbr64, \"mov %%edi, %%eax\"' > a.s && "
		   "cc -shared -nostdlib -o lib.so a.s"));
	assert_int_equal(skip_of(d->lib, "framed"), 4);
	assert_int_equal(skip_of(d->lib, "saves"), 4);
	assert_int_equal(skip_of(d->lib, "old"), 0);
	assert_int_equal(skip_of(d->lib, "leaf"), 0);
}

static void parts_that_are_jumped_to_are_no_functions(void **state)
{
	assert_true(entry__is_cold("main.cold"));
	assert_true(entry__is_cold("_ZN1a1bEv.cold.17"));
	assert_true(entry__is_cold("f.part.0.cold"));
	assert_false(entry__is_cold("main"));
	assert_false(entry__is_cold("f.part.0"));
	assert_false(entry__is_cold("get.coldest"));
	assert_false(entry__is_cold("cold"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_push_behind_endbr64_is_where_the_probe_goes),
		cmocka_unit_test(other_beginnings_are_left_alone),
		cmocka_unit_test(only_bytes_of_the_function_count),
		IN_DIR(what_the_assembler_writes),
		cmocka_unit_test(parts_that_are_jumped_to_are_no_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
