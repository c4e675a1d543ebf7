/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf_fixture.h - a directory with a small library in it, made anew for each test.
 *
 * lib.so is what a test does things to, full.so stays as it was built. Needs cc and
 * binutils; a test whose tools are missing is skipped.
 */
#ifndef PMUTRACE_TESTS_ELF_FIXTURE_H
#define PMUTRACE_TESTS_ELF_FIXTURE_H

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/regular.h"
#include "elf/binary.h"

static const char source[] =
	"#include <stdio.h>\n"
	"__attribute__((noinline)) static int hidden(int x) { return x * 3 + 1; }\n"
	"__attribute__((noinline)) int visible(int x) { puts(\"hi\"); return hidden(x) + 2; }\n"
	"__attribute__((weak, noinline)) int weak_one(int x) { return x ^ 5; }\n"
	"__asm__(\".section .label, \\\"ax\\\"\\n.globl asm_label\\nasm_label: nop; "
	"nop\\n.text\");\n";

struct dir {
	char path[64];
	char lib[96]; /* PATH/lib.so */
};

__attribute__((format(printf, 2, 3))) static inline int sh(const struct dir *d, const char *fmt,
							   ...)
{
	char cmd[2048];
	va_list ap;
	int n;

	n = snprintf(cmd, sizeof(cmd), "cd %s && exec >/dev/null 2>&1 && ", d->path);
	va_start(ap, fmt);
	vsnprintf(cmd + n, sizeof(cmd) - n, fmt, ap);
	va_end(ap);
	return system(cmd);
}

static inline void must(int status)
{
	if (status)
		skip();
}

static inline int make_dir(void **state)
{
	struct dir *d = calloc(1, sizeof(*d));
	char path[96];
	FILE *f;

	strcpy(d->path, "/tmp/binary_test.XXXXXX");
	if (!mkdtemp(d->path))
		return -1;
	snprintf(d->lib, sizeof(d->lib), "%s/lib.so", d->path);
	snprintf(path, sizeof(path), "%s/lib.c", d->path);
	f = fopen(path, "w");
	if (!f || fputs(source, f) < 0 || fclose(f))
		return -1;
	*state = d;
	return sh(d, "cc -O1 -g -fPIC -shared -Wl,--build-id -o lib.so lib.c && cp lib.so full.so");
}

static inline int remove_dir(void **state)
{
	struct dir *d = *state;
	int status = sh(d, "rm -rf %s", d->path);

	free(d);
	return status;
}

/* What `nm FILE` says of one symbol. */
static inline uint64_t nm_address(const struct dir *d, const char *file, const char *name)
{
	unsigned long long addr = 0;
	char cmd[512];
	FILE *f;

	snprintf(cmd, sizeof(cmd), "cd %s && nm %s | grep -w '%s$' | cut -d' ' -f1", d->path, file,
		 name);
	f = popen(cmd, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%llx", &addr), 1);
	pclose(f);
	return addr;
}

/* These libraries have p_offset == p_vaddr up to the data: an address is an offset. */
/* @run: its allowance, or NULL. Texts are borrowed until the next call. */
static inline struct binary *open_for(const char *file, const char *path, const char *root,
				      struct allowance *run)
{
	static struct debug_places places;
	const struct opener others = { .open = debug_places__open, .arg = &places };
	struct binary *b;
	struct stat st;

	assert_int_equal(stat(file, &st), 0);
	places = (struct debug_places){ .root = root,
					.path = path,
					.owner = file_owner(st.st_uid, st.st_mode) };
	assert_int_equal(binary__open(&b, open(file, O_RDONLY | O_CLOEXEC), &others, run), 0);
	return b;
}

static inline struct binary *open_as(const char *file, const char *path, const char *root)
{
	return open_for(file, path, root, NULL);
}

static inline struct binary *open_lib(const struct dir *d)
{
	return open_as(d->lib, d->lib, "");
}

static inline void assert_name(struct binary *b, uint64_t offset, const char *want)
{
	struct sym sym = { .name = "(none)" };
	uint64_t vaddr;

	if (!binary__find(b, offset, &sym, &vaddr))
		sym.name = "(none)";
	assert_string_equal(sym.name, want);
}

#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

#endif
