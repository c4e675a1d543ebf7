// SPDX-License-Identifier: BSD-2-Clause
/* tests/prog/usdt.c, compared with what readelf says of its notes and segments. */
#include "elf_fixture.h"

#include <errno.h>
#include <limits.h>

#include "lookup/usdt.h"

enum { PROBES_MAX = 16, NR_PROBES = 5, DESC_BYTES = 24 };

static const char note_owner[] = "stapsdt";

struct probe {
	char provider[32], name[32], args[64];
	uint64_t offset, semaphore;
};

struct probes {
	struct probe items[PROBES_MAX];
	size_t nr;
};

/* In the fixture's directory, as "usdt". */
static const char *build(const struct dir *d, const char *flags)
{
	static char path[128];
	char source_path[PATH_MAX];
	const char *top = getenv("TOP");
	char relative[PATH_MAX];

	snprintf(relative, sizeof(relative), "%s/tests/prog/usdt.c", top ? top : ".");
	if (!realpath(relative, source_path))
		skip();
	must(sh(d, "cc -D_GNU_SOURCE -O1 %s -o usdt %s", flags, source_path));
	snprintf(path, sizeof(path), "%s/usdt", d->path);
	return path;
}

static int keep(const struct usdt_probe *p, void *arg)
{
	struct probes *all = arg;
	struct probe *to = &all->items[all->nr++];

	assert_true(all->nr <= PROBES_MAX);
	snprintf(to->provider, sizeof(to->provider), "%s", p->provider);
	snprintf(to->name, sizeof(to->name), "%s", p->name);
	snprintf(to->args, sizeof(to->args), "%s", p->args);
	to->offset = p->offset;
	to->semaphore = p->semaphore;
	return 0;
}

static struct probes read_probes(const char *path)
{
	struct probes all = {};
	struct buf why = {};

	assert_int_equal(usdt__each(NULL, path, keep, &all, &why), 0);
	assert_int_equal(why.len, 0);
	return all;
}

/* The offset of an address as the LOAD lines of `readelf -lW` have it. */
static uint64_t offset_of(const char *path, uint64_t addr)
{
	unsigned long long offset, vaddr, bytes;
	uint64_t found = 0;
	char cmd[256];
	FILE *f;

	if (!addr)
		return 0;
	snprintf(cmd, sizeof(cmd), "readelf -lW %s | sed -n 's/^ *LOAD *//p'", path);
	f = popen(cmd, "r");
	assert_non_null(f);
	while (fscanf(f, "%llx %llx %*x %llx %*[^\n]", &offset, &vaddr, &bytes) == 3)
		if (addr >= vaddr && addr < vaddr + bytes)
			found = addr - vaddr + offset;
	pclose(f);
	assert_int_not_equal(found, 0);
	return found;
}

static int by_name(const void *a, const void *b)
{
	const struct probe *x = a, *y = b;
	int order = strcmp(x->provider, y->provider);

	order = order ? order : strcmp(x->name, y->name);
	return order ? order : (x->offset > y->offset) - (x->offset < y->offset);
}

static struct probes probes_of_readelf(const char *path)
{
	unsigned long long pc, semaphore;
	struct probes all = {};
	struct probe p;
	char cmd[256];
	size_t i;
	FILE *f;

	snprintf(cmd, sizeof(cmd),
		 "readelf -n %s | sed -n 's/^ *Provider: //p; s/^ *Name: //p; s/^ *Arguments: //p; "
		 "s/^ *Location: \\([^,]*\\), .*Semaphore: /\\1 /p'",
		 path);
	f = popen(cmd, "r");
	assert_non_null(f);
	while (fscanf(f, "%31s %31s %llx %llx %63s", p.provider, p.name, &pc, &semaphore, p.args) ==
	       5) {
		p.offset = pc;
		p.semaphore = semaphore;
		all.items[all.nr++] = p;
		assert_true(all.nr < PROBES_MAX);
	}
	pclose(f);
	for (i = 0; i < all.nr; i++) {
		all.items[i].offset = offset_of(path, all.items[i].offset);
		all.items[i].semaphore = offset_of(path, all.items[i].semaphore);
	}
	qsort(all.items, all.nr, sizeof(all.items[0]), by_name);
	return all;
}

static void assert_same(const struct probes *got, const struct probes *want)
{
	size_t i;

	assert_int_equal(got->nr, want->nr);
	for (i = 0; i < want->nr; i++) {
		assert_string_equal(got->items[i].provider, want->items[i].provider);
		assert_string_equal(got->items[i].name, want->items[i].name);
		assert_string_equal(got->items[i].args, want->items[i].args);
		assert_int_equal(got->items[i].offset, want->items[i].offset);
		assert_int_equal(got->items[i].semaphore, want->items[i].semaphore);
	}
}

static void probes_are_where_readelf_says(void **state)
{
	static const char *const flags[] = {
		"",
		"-no-pie -Wl,-Ttext-segment=0x700000",
		"-s",
		"-static",
		"-Wl,-z,noseparate-code",
	};
	struct probes got, want;
	const char *path;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		path = build(*state, flags[i]);
		got = read_probes(path);
		want = probes_of_readelf(path);
		assert_int_equal(want.nr, NR_PROBES);
		assert_same(&got, &want);
	}
}

static void a_semaphore_is_a_zero_in_writable_data(void **state)
{
	const char *path = build(*state, "");
	struct probes all = read_probes(path);
	size_t i, nr = 0;
	uint16_t value;
	FILE *f;

	for (i = 0; i < all.nr; i++) {
		assert_int_equal(!strcmp(all.items[i].name, "sale"), all.items[i].semaphore != 0);
		if (!all.items[i].semaphore)
			continue;
		f = fopen(path, "r");
		assert_non_null(f);
		assert_int_equal(fseek(f, (long)all.items[i].semaphore, SEEK_SET), 0);
		assert_int_equal(fread(&value, sizeof(value), 1, f), 1);
		fclose(f);
		assert_int_equal(value, 0);
		nr++;
	}
	assert_int_equal(nr, 2);
}

/* Calls @fn with each note's descriptor: pc, base, semaphore, then strings. */
static void edit_notes(const char *path, void (*fn)(uint64_t *desc, char *strings))
{
	static char bytes[4 << 20];
	FILE *f = fopen(path, "r+");
	uint64_t desc[3];
	uint32_t type;
	size_t len, nr = 0;
	char *at;

	assert_non_null(f);
	len = fread(bytes, 1, sizeof(bytes), f);
	for (at = bytes; (at = memmem(at, bytes + len - at, note_owner, sizeof(note_owner)));) {
		memcpy(&type, at - sizeof(type), sizeof(type));
		at += sizeof(note_owner);
		if (type != 3)
			continue; /* a section's name */
		memcpy(desc, at, sizeof(desc));
		fn(desc, at + DESC_BYTES);
		memcpy(at, desc, sizeof(desc));
		nr++;
	}
	assert_int_equal(nr, NR_PROBES);
	rewind(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	fclose(f);
}

/* What prelink(8) does, seen from the other end: notes keep the addresses of before. */
static void move_down(uint64_t *desc, char *strings)
{
	(void)strings;
	desc[0] -= 0x10000;
	desc[1] -= 0x10000;
	if (desc[2])
		desc[2] -= 0x10000;
}

static void a_prelinked_file_is_corrected_by_its_base(void **state)
{
	const char *path = build(*state, "");
	struct probes got, want = read_probes(path);

	edit_notes(path, move_down);
	got = read_probes(path);
	assert_int_equal(got.nr, NR_PROBES);
	assert_same(&got, &want);
}

static void leave_the_file(uint64_t *desc, char *strings)
{
	if (!strcmp(strings, "bank"))
		desc[0] = 0; /* not code */
	else if (!strcmp(strings + 5, "visit"))
		desc[0] = UINT64_MAX;
	else if (!strcmp(strings + 5, "sale"))
		desc[2] = desc[0]; /* not writable */
}

static void a_note_of_what_is_not_in_the_file_is_no_probe(void **state)
{
	const char *path = build(*state, "");
	struct probes got;

	edit_notes(path, leave_the_file);
	got = read_probes(path);
	assert_int_equal(got.nr, 1);
	assert_string_equal(got.items[0].provider, "shop");
	assert_string_equal(got.items[0].name, "close");
}

static void damage(uint64_t *desc, char *strings)
{
	(void)desc;
	if (!strcmp(strings, "bank"))
		*strings = '\0';
	else if (!strcmp(strings + 5, "visit"))
		memset(strings, 'x',
		       sizeof("shop\0visit\0"
			      "4@%edi"));
	else if (!strcmp(strings + 5, "close"))
		strings[-DESC_BYTES - (int)sizeof(note_owner)] = 'S';
}

static void a_damaged_note_is_no_probe(void **state)
{
	const char *path = build(*state, "");
	struct probes got;

	edit_notes(path, damage);
	got = read_probes(path);
	assert_int_equal(got.nr, 2);
	assert_string_equal(got.items[0].name, "sale");
	assert_string_equal(got.items[1].name, "sale");
}

static void a_probe_has_all_its_places(void **state)
{
	const char *path = build(*state, "");
	struct probes want = probes_of_readelf(path);
	struct usdt_probe *out;
	struct buf why = {};
	size_t nr;

	assert_int_equal(usdt__find(NULL, path, "shop", "sale", &out, &nr, &why), 0);
	assert_int_equal(nr, 2);
	/* Sorted: bank:close, shop:close, shop:sale, shop:sale, shop:visit. */
	assert_int_equal(out[0].offset, want.items[2].offset);
	assert_int_equal(out[1].offset, want.items[3].offset);
	assert_string_equal(out[1].provider, "shop");
	assert_string_equal(out[1].args, want.items[3].args);
	free(out);
	assert_int_equal(usdt__find(NULL, path, NULL, "visit", &out, &nr, &why), 0);
	assert_int_equal(nr, 1);
	assert_int_equal(out[0].offset, want.items[4].offset);
	free(out);
}

static void assert_refused(const char *path, const char *provider, const char *name, int err,
			   const char *sentence)
{
	struct usdt_probe *out = (void *)1;
	struct buf why = {};
	size_t nr = 1;

	assert_int_equal(usdt__find(NULL, path, provider, name, &out, &nr, &why), err);
	assert_null(out);
	assert_int_equal(nr, 0);
	assert_non_null(why.data);
	if (!strstr(why.data, sentence))
		assert_string_equal(why.data, sentence);
	buf__free(&why);
}

static void an_unknown_probe_has_neighbours(void **state)
{
	const char *path = build(*state, "");

	assert_refused(path, "shop", "sail", -ENOENT, "did you mean shop:sale");
	assert_refused(path, "ship", "visit", -ENOENT, "did you mean shop:visit");
	assert_refused(path, NULL, "vizit", -ENOENT, "did you mean visit");
	assert_refused(path, NULL, "close", -ENOTUNIQ, "several providers, such as bank and shop");
}

static void a_file_without_probes_says_so(void **state)
{
	struct dir *d = *state;
	struct probes none = read_probes(d->lib);

	assert_int_equal(none.nr, 0);
	assert_refused(d->lib, NULL, "x", -ENOENT, "no USDT probes in");
}

static void what_is_no_64_bit_program_is_refused(void **state)
{
	struct dir *d = *state;
	char path[128];

	snprintf(path, sizeof(path), "%s/lib.c", d->path);
	assert_refused(path, NULL, "x", -ENOEXEC, "neither an ELF program");
	snprintf(path, sizeof(path), "%s/nothing", d->path);
	assert_refused(path, NULL, "x", -ENOENT, "No such file");
	must(sh(d, "mkfifo pipe"));
	snprintf(path, sizeof(path), "%s/pipe", d->path);
	assert_refused(path, NULL, "x", -EPERM, "not a regular file");
	must(sh(d, "echo nop | as --32 -o s.o && ld -m elf_i386 -shared -o s.so s.o"));
	snprintf(path, sizeof(path), "%s/s.so", d->path);
	assert_refused(path, NULL, "x", -ENOEXEC, "32-bit");
}

static int stop(const struct usdt_probe *p, void *arg)
{
	(void)p;
	++*(int *)arg;
	return 7;
}

static void a_callback_can_end_it(void **state)
{
	struct buf why = {};
	int calls = 0;

	assert_int_equal(usdt__each(NULL, build(*state, ""), stop, &calls, &why), 7);
	assert_int_equal(calls, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(probes_are_where_readelf_says),
		IN_DIR(a_semaphore_is_a_zero_in_writable_data),
		IN_DIR(a_prelinked_file_is_corrected_by_its_base),
		IN_DIR(a_note_of_what_is_not_in_the_file_is_no_probe),
		IN_DIR(a_damaged_note_is_no_probe),
		IN_DIR(a_probe_has_all_its_places),
		IN_DIR(an_unknown_probe_has_neighbours),
		IN_DIR(a_file_without_probes_says_so),
		IN_DIR(what_is_no_64_bit_program_is_refused),
		IN_DIR(a_callback_can_end_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
