// SPDX-License-Identifier: BSD-2-Clause
/* Calls libiberty's demanglers within limits, puts suffixes and versions back; OCaml's names. */
#include "elf/demangle.h"

#include <ctype.h>
#include <errno.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * libiberty's own limit refuses C++ names of more than 1 KiB, which templates exceed; without
 * one it recurses as deep as the name is long. 4 KiB of nesting fit in 2 MiB of stack. Rust
 * names need the limit: they can refer to themselves ("_RB_").
 */
enum {
	MAX_BYTES = 64 * 1024,
	MAX_UNLIMITED_BYTES = 4 * 1024,
	MAX_OUTPUT_BYTES = 64 * 1024,
	/* The D demangler has no limits of its own; each back reference may double the output. */
	MAX_D_BYTES = 1024,
	MAX_D_BACKREFS = 10,
};

struct sink {
	struct buf *out;
	size_t start;
	int err;
	jmp_buf stop;
};

/*
 * A name of 100 bytes can stand for terabytes (every substitution doubles it), and a callback
 * has no other way to end that: libiberty keeps its state on the stack.
 */
static void put_piece(const char *s, size_t len, void *opaque)
{
	struct sink *sink = opaque;

	if (sink->out->len - sink->start + len > MAX_OUTPUT_BYTES)
		longjmp(sink->stop, 1);
	sink->err = buf__put(sink->out, s, len);
	if (sink->err)
		longjmp(sink->stop, 1);
}

static void truncate_to(struct buf *b, size_t len)
{
	b->len = len;
	if (b->data)
		b->data[len] = '\0';
}

typedef int demangle_fn(const char *mangled, int options, demangle_callbackref put, void *opaque);

/* In a function of its own, so that nothing here changes between setjmp and longjmp. */
static bool run_stoppable(demangle_fn *fn, const char *name, int options, struct sink *sink)
{
	return !setjmp(sink->stop) && fn(name, options, put_piece, sink);
}

/* Appends the readable form. 1; 0: not a name of this kind; -ENOMEM. */
static int run(demangle_fn *fn, int options, struct buf *out, const char *name)
{
	struct sink sink = { .out = out, .start = out->len };

	if (run_stoppable(fn, name, options, &sink))
		return 1;
	truncate_to(out, sink.start);
	return sink.err;
}

static int run_d(struct buf *out, const char *name, size_t len)
{
	size_t i, nr_backrefs = 0;
	char *s;
	int err;

	for (i = 0; i < len; i++)
		nr_backrefs += name[i] == 'Q';
	if (len > MAX_D_BYTES || nr_backrefs > MAX_D_BACKREFS)
		return 0;
	s = dlang_demangle(name, DMGL_PARAMS | DMGL_ANSI);
	if (!s)
		return 0;
	err = buf__puts(out, s);
	free(s);
	return err ? err : 1;
}

static bool has_prefix(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* Appends the readable form of a mangled name without suffix. 1; 0: it is none; -ENOMEM. */
static int put_readable(struct buf *out, const char *name, size_t len)
{
	int options = DMGL_PARAMS | DMGL_ANSI, err;

	if (has_prefix(name, "_D"))
		return run_d(out, name, len);
	/* Rust's older names are C++ names with a hash at the end, so Rust goes first. */
	err = run(rust_demangle_callback, options, out, name);
	if (err || has_prefix(name, "_R"))
		return err;
	if (len <= MAX_UNLIMITED_BYTES)
		options |= DMGL_NO_RECURSE_LIMIT;
	return run(cplus_demangle_v3_callback, options, out, name);
}

static bool is_mangled(const char *s)
{
	return has_prefix(s, "_Z") || has_prefix(s, "_R") || has_prefix(s, "_GLOBAL_") ||
	       (has_prefix(s, "_D") && (isdigit((unsigned char)s[2]) || !strcmp(s, "_Dmain")));
}

/* Where compilers and linkers went on: "@plt", "@@GLIBC_2.34", ".isra.0", ".llvm.123". */
static size_t find_suffix(const char *name, size_t len)
{
	size_t i = strcspn(name, "@"), suffix = i;

	while (i-- > 0) {
		unsigned char c = name[i];

		/* Rust's older names have single and double dots before their final E. */
		if (c == '.' && name[i + 1] != '.' && i + 1 < suffix)
			suffix = i;
		else if (c == '.' || !(isalnum(c) || c == '_'))
			break;
	}
	return suffix < len ? suffix : len;
}

/* Demangles the first @base_len bytes and appends the rest as it is. */
static int put_split(struct buf *out, const char *name, size_t base_len)
{
	size_t len = strlen(name);
	char *base = strndup(name, base_len);
	int err;

	if (!base)
		return -ENOMEM;
	err = put_readable(out, base, base_len);
	if (err > 0) {
		err = buf__put(out, name + base_len, len - base_len);
		err = err ? err : 1;
	}
	free(base);
	return err;
}

/*
 * OCaml: "caml", the module, "__" or a dot, the function, '_' and a number (asmcomp/compilenv.ml,
 * symbolname in OCaml 5); a module's own code is "entry". Functions of the runtime are C:
 * "caml_alloc". 0: it is none, else where the number begins.
 */
static size_t ocaml_end(const char *name, size_t len)
{
	size_t end = len;

	if (!has_prefix(name, "caml") || !isupper((unsigned char)name[4]))
		return 0;
	if (len > 12 && (!strcmp(name + len - 7, "__entry") || !strcmp(name + len - 6, ".entry")))
		return len;
	while (end > 0 && isdigit((unsigned char)name[end - 1]))
		end--;
	if (end == len || name[end - 1] != '_')
		return 0;
	end--;
	return memmem(name, end, "__", 2) || memchr(name, '.', end) ? end : 0;
}

/* "$2b" is '+'. */
static bool take_escape(const char *s, size_t len, char *c)
{
	const char digits[] = { len > 2 ? s[1] : '\0', len > 2 ? s[2] : '\0', '\0' };

	if (*s != '$' || !isxdigit((unsigned char)digits[0]) || !isxdigit((unsigned char)digits[1]))
		return false;
	if (!isprint((int)strtoul(digits, NULL, 16)))
		return false;
	*c = (char)strtoul(digits, NULL, 16);
	return true;
}

/* "camlStdlib__Map__add_154" -> "Stdlib.Map.add"; nameless functions are told apart by number. */
static int put_ocaml(struct buf *out, const char *name, size_t len)
{
	const size_t end = ocaml_end(name, len);
	const bool nameless = end > 5 && !strncmp(name + end - 5, "__fun", 5);
	int err = 0;

	for (size_t i = 4; i < end && !err; i++) {
		char c = name[i];

		if (c == '_' && name[i + 1] == '_' && i + 2 < end) {
			c = '.';
			i++;
		} else if (take_escape(name + i, end - i, &c)) {
			i += 2;
		}
		err = buf__put(out, &c, 1);
	}
	if (!err && nameless)
		err = buf__puts(out, name + end);
	return err ? err : end > 0;
}

int demangle(struct buf *out, const char *name)
{
	size_t len = strlen(name), base_len, version;
	int err = len <= MAX_BYTES ? put_ocaml(out, name, len) : 0;

	if (!err && len <= MAX_BYTES && is_mangled(name)) {
		version = strcspn(name, "@");
		base_len = find_suffix(name, len);
		err = put_split(out, name, base_len);
		/* A dot of the name itself, perhaps. */
		if (!err && base_len != version)
			err = put_split(out, name, version);
	}
	if (!err)
		err = buf__put(out, name, len);
	return err < 0 ? err : 0;
}
