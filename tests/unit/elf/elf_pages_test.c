// SPDX-License-Identifier: BSD-2-Clause
/* Sections that are larger than the memory for them, and compressed ones, held against objcopy. */
#include "elf_fixture.h"

#include <malloc.h>
#include <sys/resource.h>

#include "elf/elf_file.h"
#include "elf/elf_pages.h"

enum { WORDS = 10 << 20, FEW_WORDS = 1 << 18, POOL_BYTES = 34 << 20, UNPACKED_MAX = 192 << 20 };

struct opened {
	struct elf_from from;
	struct elf_pages pages;
	struct elf_section section;
};

static void open_file(struct opened *o, const struct dir *d, const char *name, const char *section,
		      size_t max_unpacked)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", d->path, name);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_true(elf_from__open(&o->from, fd, NULL));
	assert_int_equal(elf_pages__open(&o->pages, &o->from, POOL_BYTES, max_unpacked), 0);
	assert_int_equal(elf_pages__section(&o->pages, section, &o->section), 0);
}

static void close_file(struct opened *o)
{
	elf_pages__close(&o->pages);
	elf_from__close(&o->from);
	close(o->from.fd);
}

/* A section of numbers, each its own place. */
static void make_numbers(struct dir *d, uint32_t nr)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/numbers", d->path);
	f = fopen(path, "w");
	assert_non_null(f);
	for (uint32_t i = 1; i <= nr; i++)
		assert_int_equal(fwrite(&i, sizeof(i), 1, f), 1);
	assert_int_equal(fclose(f), 0);
	must(sh(d, "objcopy -g lib.so bare.so && "
		   "objcopy --add-section .debug_info=numbers bare.so large.so"));
}

static uint32_t word_at(struct opened *o, uint64_t i)
{
	uint64_t len;
	const uint8_t *bytes = elf_section__window(&o->section, i * 4, &len);
	uint32_t v;

	assert_non_null(bytes);
	assert_true(len >= ELF_PAGES_TOGETHER || len == o->section.len - i * 4);
	memcpy(&v, bytes, sizeof(v));
	return v;
}

static void a_part_of_it_is_in_memory(void **state)
{
	struct dir *d = *state;
	struct opened o;
	uint64_t i = 1;

	make_numbers(d, WORDS);
	open_file(&o, d, "large.so", ".debug_info", 0);
	assert_int_equal(o.section.len, WORDS * 4ull);
	for (unsigned n = 0; n < 200000; n++) {
		i = i * 6364136223846793005u + 1442695040888963407u;
		assert_int_equal(word_at(&o, (i >> 33) % WORDS), (i >> 33) % WORDS + 1);
	}
	assert_int_equal(word_at(&o, WORDS - 1), WORDS);
	assert_true(elf_pages__bytes(&o.pages) < POOL_BYTES + (2 << 20));
	assert_null(elf_section__window(&o.section, o.section.len, &i));
	close_file(&o);
}

static void pages_stay_for_the_calls_that_were_promised(void **state)
{
	struct dir *d = *state;
	const uint8_t *first;
	struct opened o;
	uint64_t len;

	make_numbers(d, WORDS);
	open_file(&o, d, "large.so", ".debug_info", 0);
	for (unsigned round = 0; round < 3; round++) {
		first = elf_section__window(&o.section, 0, &len);
		assert_non_null(first);
		/* Other pages of 16 KiB, far more than there is room for. */
		for (unsigned i = 1; i < ELF_PAGES_CALLS; i++)
			word_at(&o, (uint64_t)(round * ELF_PAGES_CALLS + i) % 2400 * 4096 + 4096);
		assert_int_equal(*first, 1);
	}
	close_file(&o);
}

static void without_memory_it_cannot_be_read(void **state)
{
	struct dir *d = *state;
	struct rlimit old, none = { .rlim_cur = 4096 }; /* 0 would be no limit */
	struct opened o;
	uint64_t len;
	size_t nr = 0;

#if defined(__SANITIZE_ADDRESS__)
	skip(); /* it has no memory either */
#endif
	make_numbers(d, WORDS);
	open_file(&o, d, "large.so", ".debug_info", 0);
	assert_int_equal(getrlimit(RLIMIT_DATA, &old), 0);
	none.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_DATA, &none), 0);
	while (nr < 2500 && elf_section__window(&o.section, nr * 16384, &len))
		nr++;
	assert_int_equal(setrlimit(RLIMIT_DATA, &old), 0);
	assert_true(nr < 2500);
	/* And it goes on when there is some again. */
	for (size_t i = 0; i < 2500; i++)
		assert_int_equal(word_at(&o, i * 4096), i * 4096 + 1);
	close_file(&o);
}

static void strings_are_whole_wherever_pages_end(void **state)
{
	struct dir *d = *state;
	char path[128], want[300];
	struct opened o;
	FILE *f;

	snprintf(path, sizeof(path), "%s/strings", d->path);
	f = fopen(path, "w");
	assert_non_null(f);
	memset(want, 'x', sizeof(want) - 1);
	want[sizeof(want) - 1] = 0;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(fwrite(want, sizeof(want), 1, f), 1);
	assert_int_equal(fputs("endless", f) >= 0, 1);
	assert_int_equal(fclose(f), 0);
	must(sh(d, "objcopy -g lib.so bare.so && "
		   "objcopy --add-section .debug_str=strings bare.so strings.so"));
	open_file(&o, d, "strings.so", ".debug_str", 0);
	for (uint64_t i = 0; i < 1000; i++) {
		assert_string_equal(elf_section__string(&o.section, i * 300, 300), want);
		assert_string_equal(elf_section__string(&o.section, i * 300 + 299, 1), "");
		assert_null(elf_section__string(&o.section, i * 300, 299));
	}
	assert_null(elf_section__string(&o.section, 300000, 100));
	assert_null(elf_section__string(&o.section, 300007, 100));
	close_file(&o);
}

/* @options: of objcopy. Its unpacked sections are those of the file that it made it of. */
static void is_unpacked(const struct dir *d, const char *options, const char *elf)
{
	struct opened plain, packed;
	uint64_t len, plain_len;
	const uint8_t *bytes;

	must(sh(d, "objcopy %s %s packed.so", options, elf));
	assert_int_not_equal(sh(d, "cmp %s packed.so", elf), 0);
	open_file(&plain, d, elf, ".debug_info", 0);
	open_file(&packed, d, "packed.so", ".debug_info", UNPACKED_MAX);
	assert_int_equal(packed.section.len, plain.section.len);
	bytes = elf_section__window(&packed.section, 0, &len);
	assert_non_null(bytes);
	assert_int_equal(len, plain.section.len);
	for (uint64_t at = 0; at < len; at += plain_len) {
		const uint8_t *want = elf_section__window(&plain.section, at, &plain_len);

		assert_non_null(want);
		assert_memory_equal(bytes + at, want, plain_len);
	}
	close_file(&packed);
	/* What there is no room for is told. */
	open_file(&packed, d, "packed.so", ".debug_info", plain.section.len - 1);
	assert_int_equal(packed.section.len, 0);
	assert_int_equal(packed.pages.nr_refused, 1);
	close_file(&packed);
	close_file(&plain);
}

static void zlib_is_unpacked(void **state)
{
	struct dir *d = *state;

	make_numbers(d, FEW_WORDS);
	is_unpacked(d, "--compress-debug-sections=zlib", "large.so");
}

static void zlib_of_old_is_unpacked(void **state)
{
	struct dir *d = *state;

	make_numbers(d, FEW_WORDS);
	is_unpacked(d, "--compress-debug-sections=zlib-gnu", "large.so");
}

#ifdef HAVE_ZSTD
static void zstd_is_unpacked(void **state)
{
	struct dir *d = *state;

	make_numbers(d, FEW_WORDS);
	is_unpacked(d, "--compress-debug-sections=zstd", "large.so");
}
#endif

/* Bytes of the packed section are overwritten: nothing is read beyond what is there. */
static void damaged_sections_are_none(void **state)
{
	struct dir *d = *state;
	static const char *const ways[] = { "zlib", "zlib-gnu", "zstd" };
	GElf_Shdr shdr;
	struct opened o;

	make_numbers(d, FEW_WORDS);
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		if (sh(d, "objcopy --compress-debug-sections=%s large.so packed.so", ways[i]))
			continue;
		open_file(&o, d, "packed.so", ".debug_info", UNPACKED_MAX);
		assert_true(elf_file__section_named(o.from.elf, ".debug_info", &shdr) ||
			    elf_file__section_named(o.from.elf, ".zdebug_info", &shdr));
		close_file(&o);
		must(sh(d, "dd if=/dev/urandom of=packed.so bs=1 seek=%llu count=64 conv=notrunc",
			(unsigned long long)(shdr.sh_offset + sizeof(Elf64_Chdr))));
		open_file(&o, d, "packed.so", ".debug_info", UNPACKED_MAX);
		assert_int_equal(o.section.len, 0);
		close_file(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_part_of_it_is_in_memory, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(pages_stay_for_the_calls_that_were_promised,
						make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(without_memory_it_cannot_be_read, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(strings_are_whole_wherever_pages_end, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(zlib_is_unpacked, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(zlib_of_old_is_unpacked, make_dir, remove_dir),
#ifdef HAVE_ZSTD
		cmocka_unit_test_setup_teardown(zstd_is_unpacked, make_dir, remove_dir),
#endif
		cmocka_unit_test_setup_teardown(damaged_sections_are_none, make_dir, remove_dir),
	};

	/* What is freed is given back, for a limit to be one. */
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
