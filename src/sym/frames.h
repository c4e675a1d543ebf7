/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/frames.h - named frames of code: equal ones are one, however many addresses they have.
 *
 * Knows: names, where they are from, and what an address without a name is called.
 * Does not know: addresses, processes, files.
 */
#ifndef PMUTRACE_SYM_FRAMES_H
#define PMUTRACE_SYM_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/idmap.h"

enum sym_kind { SYM_USER, SYM_KERNEL, SYM_JIT, SYM_INLINED };

/* sym_frame.around of a function that is not inlined. */
#define FRAME_NOT_INLINED UINT32_MAX

/* sym_place.file of code that is in no mapped file. */
#define PLACE_IN_VDSO	UINT32_MAX
#define PLACE_IN_KERNEL (UINT32_MAX - 1)

struct sym_place {
	uint32_t file;		   /* its number in sym/mapped.h, or one of the above */
	uint64_t addr;		   /* as nm prints it; of the kernel, where it is */
	uint64_t offset;	   /* in the file; of the kernel the same as addr */
	const char *source;	   /* path of the source file; "": not known */
	uint32_t line, start_line; /* 0: not known */
};

struct sym_frame {
	const char *name;   /* demangled; until namer__forget() */
	const char *module; /* file name, "kernel", a kernel module, or "" */
	enum sym_kind kind;
	bool named;	 /* a symbol, not a placeholder */
	uint32_t around; /* SYM_INLINED: the frame of the function that it was inlined into */
	uint32_t late;	 /* != 0: the number of its address, whose name may come: sym/late.h */
	uint32_t place;	 /* 0: none; else it is item place - 1 of frames.places */
	uint32_t cookie; /* the caller's, UINT32_MAX at first: its own id of this frame */
};

struct frames {
	struct strtab *strings;
	struct sym_frame *items;
	size_t nr, cap;
	struct idmap by_name; /* name, module, kind -> item */
	struct sym_place *places;
	size_t nr_places, cap_places;
	uint32_t unknown; /* "[unknown]": in no mapping that is known */
	struct buf scratch;
};

/* Empty but for the unknown one; may be used on one that is in use. 0 or -ENOMEM: then free it. */
int frames__reset(struct frames *f) must_check;
void frames__free(struct frames *f);

/* The number of a frame, which is made if it is new. Texts are copied. 0 or -ENOMEM. */
int frames__add(struct frames *f, const char *name, const char *module, enum sym_kind kind,
		uint32_t *id) must_check;

/* The same of an address without a name: "[module+0x1234]". */
int frames__add_address(struct frames *f, const char *module, uint64_t offset, enum sym_kind kind,
			uint32_t *id) must_check;

/* The same of code made at run time, told apart by @late: a new one each time. */
int frames__add_late(struct frames *f, const char *module, uint64_t offset, uint32_t late,
		     uint32_t *id) must_check;

/* The same of a function without one: "[module fn 0x1230]". */
int frames__add_function(struct frames *f, const char *module, uint64_t start, enum sym_kind kind,
			 uint32_t *id) must_check;

/* The same of a function inlined into another, frame @around; one for each such pair. */
int frames__add_inlined(struct frames *f, const char *name, uint32_t around,
			uint32_t *id) must_check;

/*
 * The same of a frame at a place, a new one each time: *id becomes its number. The source's path
 * has @source_len bytes, and is copied.
 */
int frames__add_place(struct frames *f, const struct sym_place *place, size_t source_len,
		      uint32_t *id) must_check;

/* Bytes that they take at most while a thousand more come. */
size_t frames__bytes(const struct frames *f);

/* All get the cookie UINT32_MAX again. */
void frames__forget_cookies(struct frames *f);

#endif
