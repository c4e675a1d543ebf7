/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lookup/lookup.h - names -> addresses: where a probe is to be put. And what there is to probe.
 *
 * The other direction (an address of a sample -> its name) is sym/namer.h. USDT: lookup/usdt.h.
 * Does not know: how a probe is written ("uprobe:PATH:SYM+OFF"), file systems of other mount
 * namespaces.
 * Everywhere: @why gets a sentence on every error but -ENOMEM, and must not be NULL; a callback
 * that does not return 0 ends the iteration, which then returns the same; @reader: who reads the
 * file (lookup/lookup_reader.h), NULL: this process. Several callers may look up at the same time,
 * each with a reader of its own.
 */
#ifndef PMUTRACE_LOOKUP_LOOKUP_H
#define PMUTRACE_LOOKUP_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

/**
 * lookup__path() - the file that a name stands for
 * @name: with a slash in it, it is a path already, and only looked at. Without: a program in PATH
 *	  ("bash"), or a library by its whole name or without its version ("libc.so.6", "libc",
 *	  "libc.so"), looked for among those that this process has loaded, in the directories of
 *	  /etc/ld.so.conf, and in the usual ones. Files for other kinds of CPU are passed over
 * @path: appended to
 *
 * Return: 0; -ENOENT; -ENOTUNIQ: several libraries ("libssl" where both libssl.so.1.1 and
 * libssl.so.3 are); another -errno.
 */
int lookup__path(const char *name, struct buf *path, struct buf *why) must_check;

/* The same, with other surroundings. */
struct lookup_places {
	const char *root;     /* prefix of every library's directory and of /etc; "" for ours */
	const char *path_env; /* as in $PATH; NULL: nothing */
	const char *maps;     /* "/proc/self/maps"; NULL: none */
};

int lookup__path_in(const struct lookup_places *places, const char *name, struct buf *path,
		    struct buf *why) must_check;

struct lookup_reader;

struct lookup_function {
	/* As nm prints it; "foo@V" if it is not what a linker takes for "foo". Of a list only. */
	const char *name;
	uint64_t offset; /* in the file */
	uint64_t size;	 /* bytes; 0: not known */
	/*
	 * Another name of a function that matches, too, and is the better known of the two: who
	 * probes all matches leaves this one out, or counts everything twice.
	 */
	bool is_alias;
	uint64_t skip; /* bytes further on, where a probe costs less: elf/entry.h */
};

/**
 * lookup__function() - the offset in the file at which a uprobe on a function is to be put
 * @path:   as open(2) takes it
 * @symbol: as nm prints it, with or without its version ("memcpy@GLIBC_2.2.5"; without: the one
 *	    a linker takes), or as `nm -C` prints it, with or without its parameters
 *	    ("ns::f(int)", "ns::f"); or the offset itself in hex ("0x1139")
 * @out:    if an offset was given: that alone
 *
 * From .symtab, .gnu_debugdata, separate debug files and .dynsym, as elf/binary.h finds them. A
 * global function hides local ones of its name.
 *
 * Return: 0; -ENOENT: no such function, @why has the nearest names; -ENOTUNIQ: several, @why has
 * their number and offsets; -EINVAL: data, an indirect function (IFUNC), imported from another
 * file, or an offset that is not code; -ENOEXEC: not a program or library; another -errno.
 */
int lookup__function(struct lookup_reader *reader, const char *path, const char *symbol,
		     struct lookup_function *out, struct buf *why) must_check;

typedef int lookup_function_fn(const struct lookup_function *f, void *arg);

/**
 * lookup__each_function() - the functions of a file by name, sorted by name
 * @glob: "*" and "?"; matches the name as nm or as `nm -C` prints it
 *
 * Each name and offset once; *f and its name are valid during the call only. No match is no error.
 * Return: 0; -EINVAL: an empty or too long pattern; what lookup__function() returns of @path.
 */
int lookup__each_function(struct lookup_reader *reader, const char *path, const char *glob,
			  lookup_function_fn *fn, void *arg, struct buf *why) must_check;

/* The sentence for a pattern that no function of the file matches. -ENOENT, or as above. */
int lookup__explain_no_function(struct lookup_reader *reader, const char *path, const char *glob,
				struct buf *why) must_check;

/**
 * lookup__kernel() - the address of a symbol of the kernel or of a module, data as well as code
 * @kallsyms: "/proc/kallsyms", or a fixture
 *
 * Return: 0; -ENOENT: @why has the nearest names; -EACCES: the kernel hides its addresses;
 * -ENOTUNIQ: several, @why has their number and addresses; -EINVAL: a per-CPU variable, which has
 * no address of its own; another -errno.
 */
int lookup__kernel(const char *kallsyms, const char *symbol, uint64_t *addr,
		   struct buf *why) must_check;

struct lookup_kernel_files {
	const char *kallsyms; /* "/proc/kallsyms" */
	/*
	 * tracefs's available_filter_functions: only functions that are in it, which kprobe.multi
	 * and fprobes need. NULL: all. -errno if it cannot be read: try again without.
	 */
	const char *traceable;
	/* debugfs's kprobes/blacklist: no functions that are in it. NULL or unreadable: all. */
	const char *blacklist;
};

struct lookup_kernel_function {
	const char *name;
	const char *module; /* "" for the kernel itself */
	uint64_t addr;	    /* of the first of them; 0: hidden */
	size_t nr;	    /* functions of that name, in all modules: more than 1 is ambiguous */
};

typedef int lookup_kernel_fn(const struct lookup_kernel_function *f, void *arg);

/**
 * lookup__each_kernel_function() - the kernel's functions, sorted by name, then by module
 * @glob: "*" and "?", for the name
 *
 * Each name and module once. Left out are BPF programs, paddings (__pfx_, __cfi_) and, if addresses
 * are not hidden, code that is gone since the machine has booted (__init).
 * *f is valid during the call only. No match is no error. Return: 0; -EINVAL: an empty or too long
 * pattern; another -errno.
 */
int lookup__each_kernel_function(const struct lookup_kernel_files *files, const char *glob,
				 lookup_kernel_fn *fn, void *arg, struct buf *why) must_check;

/* @why_not: what keeps a probe from this function; NULL: nothing that is known. */
typedef int lookup_kernel_probe_fn(const struct lookup_kernel_function *f, const char *why_not,
				   void *arg);

/*
 * The same for those who probe all that match: also functions that are not in the lists, with a
 * reason. f->nr counts these as well, for the kernel finds a function by its name alone. -ENOENT
 * if there is no match: @why has the nearest names. A function with several names is called for
 * once, by that which is in the list if it matches, unless addresses are hidden.
 */
int lookup__each_kernel_probe(const struct lookup_kernel_files *files, const char *glob,
			      lookup_kernel_probe_fn *fn, void *arg, struct buf *why) must_check;

#endif
