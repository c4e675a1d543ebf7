// SPDX-License-Identifier: BSD-2-Clause
/* A place in a file -> the function around it, and its instructions. */
#include "elf/body.h"

#include <errno.h>
#include <stdlib.h>

#include "elf/elf_bytes.h"

enum { INSN_BYTES_MAX = 15 }; /* Intel SDM volume 2, 2.3.11 */

static bool is_code(const struct elf_name *n)
{
	return n->kind == ELF_NAME_FUNCTION || n->kind == ELF_NAME_IFUNC;
}

/* Is @a the better name of a place that both have? Longer code, higher rank, no underscore. */
static bool is_better_known(const struct elf_names *names, const struct elf_name *a,
			    const struct elf_name *b)
{
	if (a->size != b->size)
		return a->size > b->size;
	if (a->rank != b->rank)
		return a->rank > b->rank;
	return *strtab__get(names->strings, a->name) != '_' &&
	       *strtab__get(names->strings, b->name) == '_';
}

/*
 * The innermost symbol that covers an offset: of those with a size the one that begins last, unless
 * one without a size begins later. *end: where it ends.
 */
static const struct elf_name *find(const struct elf_names *names, uint64_t offset, uint64_t *end)
{
	const struct elf_name *best = NULL;
	uint64_t next = UINT64_MAX, last = 0;

	for (size_t i = 0; i < names->nr; i++) {
		const struct elf_name *n = &names->items[i];

		if (!is_code(n))
			continue;
		if (n->offset > offset) {
			next = n->offset < next ? n->offset : next;
			continue;
		}
		last = n->offset > last ? n->offset : last;
		if (n->size && offset - n->offset >= n->size)
			continue;
		if (!best || n->offset > best->offset ||
		    (n->offset == best->offset && is_better_known(names, n, best)))
			best = n;
	}
	/* A symbol without a size ends where the next one begins, even if that has ended by now. */
	if (!best || (!best->size && best->offset < last))
		return NULL;
	*end = best->size ? best->offset + best->size : next;
	return best;
}

int body__open(struct body *out, const struct elf_image *img, const struct elf_names *names,
	       uint64_t offset, uint64_t most)
{
	const struct elf_from from = { .elf = img->elf, .fd = img->fd };
	const struct elf_name *n;
	uint64_t end, len, room;
	uint8_t *code;
	GElf_Ehdr header;
	int err;

	*out = (struct body){};
	n = find(names, offset, &end);
	if (!n)
		return -ENOENT;
	if (!gelf_getehdr(img->elf, &header))
		return -ENOEXEC;
	room = elf_image__code_bytes(img, n->offset);
	out->name = strtab__get(names->strings, n->name);
	out->start = n->offset;
	out->bytes = end - n->offset < room ? end - n->offset : room;
	len = out->bytes < most ? out->bytes : most;
	len = len < BODY_BYTES_MAX ? len : BODY_BYTES_MAX;
	code = malloc(len + 1);
	if (!code)
		return -ENOMEM;
	err = elf_bytes__read(&from, n->offset, code, len) ? 0 : -EIO;
	if (!err)
		err = insns__decode(&out->insns, header.e_machine, code, len, n->offset);
	free(code);
	return err;
}

void body__close(struct body *b)
{
	insns__free(&b->insns);
}

static int put_place(struct buf *why, const struct body *b, uint64_t at)
{
	unsigned long long offset = at, from = at - b->start;

	if (from)
		return buf__printf(why, "%s+0x%llx (0x%llx)", b->name, from, offset);
	return buf__printf(why, "%s (0x%llx)", b->name, offset);
}

static int undecodable(const struct body *b, uint64_t offset, struct buf *why)
{
	int err = buf__puts(why, "whether an instruction begins at ");

	if (!err)
		err = put_place(why, b, offset);
	if (!err)
		err = buf__puts(why, " cannot be told, for what is at ");
	if (!err)
		err = put_place(why, b, b->start + b->insns.bytes);
	if (!err)
		err = buf__puts(why, " is not known to the decoder; a probe in the middle of an "
				     "instruction would break the program");
	return err ? err : -EINVAL;
}

static int in_the_middle(const struct body *b, const struct insn *i, uint64_t offset,
			 struct buf *why)
{
	int err = put_place(why, b, offset);

	if (!err)
		err = buf__puts(why, " is in the middle of an instruction, where a probe would "
				     "break the program; the nearest ones begin at ");
	if (!err)
		err = put_place(why, b, i->at);
	if (!err && i->at + i->bytes - b->start < b->bytes) {
		err = buf__puts(why, " and ");
		if (!err)
			err = put_place(why, b, i->at + i->bytes);
	}
	return err ? err : -EINVAL;
}

int body__check_place(const struct elf_image *img, const struct elf_names *names, uint64_t offset,
		      struct buf *why)
{
	const struct insn *i;
	struct body b;
	uint64_t end;
	const struct elf_name *n = find(names, offset, &end);
	int err;

	if (!n || n->offset == offset)
		return 0;
	err = body__open(&b, img, names, offset, offset - n->offset + INSN_BYTES_MAX);
	if (err)
		return err == -ENOMEM ? err : 0;
	i = insns__find(&b.insns, offset);
	if (!i)
		err = undecodable(&b, offset, why);
	else if (i->at != offset)
		err = in_the_middle(&b, i, offset, why);
	body__close(&b);
	return err;
}
