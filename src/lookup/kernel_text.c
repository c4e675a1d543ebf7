// SPDX-License-Identifier: BSD-2-Clause
/* A place in a function of the kernel -> the instructions around it. */
#include "lookup/kernel_text.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/insns.h"
#include "lookup/ksym_lines.h"

enum {
	BYTES_MAX = 64 << 10, /* further into a function nothing is said */
	INSN_BYTES_MAX = 15,
	SEGMENTS_MAX = 1024,
	INT3 = 0xcc,
};

/* One function, found by its name. */
struct place {
	const char *name;
	uint64_t start, end; /* of the next symbol of code */
	size_t nr;	     /* of that name, in different places */
};

static int find_start(const struct ksym_line *line, void *arg)
{
	struct place *p = arg;

	if (!ksym_line__is_code(line) || strcmp(line->name, p->name) || line->addr == p->start)
		return 0;
	p->start = line->addr;
	p->nr++;
	return 0;
}

static int find_end(const struct ksym_line *line, void *arg)
{
	struct place *p = arg;

	if (ksym_line__is_code(line) && line->addr > p->start && line->addr < p->end)
		p->end = line->addr;
	return 0;
}

static bool find(const struct kernel_text *text, struct place *p)
{
	return !ksym_lines__each(text->kallsyms, find_start, p) && p->nr == 1 && p->start &&
	       !ksym_lines__each(text->kallsyms, find_end, p);
}

/* Where memory at an address is in the file. False: nowhere. */
static bool find_segment(int fd, uint64_t addr, uint64_t len, off_t *at)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_phentsize != sizeof(segment))
		return false;
	for (unsigned i = 0; i < header.e_phnum && i < SEGMENTS_MAX; i++) {
		if (pread(fd, &segment, sizeof(segment), header.e_phoff + i * sizeof(segment)) !=
		    sizeof(segment))
			return false;
		if (segment.p_type != PT_LOAD || addr < segment.p_vaddr ||
		    addr - segment.p_vaddr >= segment.p_memsz ||
		    len > segment.p_memsz - (addr - segment.p_vaddr))
			continue;
		*at = segment.p_offset + (addr - segment.p_vaddr);
		return true;
	}
	return false;
}

static bool read_code(const char *path, uint64_t addr, uint8_t *code, size_t len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is_read;
	off_t at;

	if (fd < 0)
		return false;
	is_read = find_segment(fd, addr, len, &at) && pread(fd, code, len, at) == (ssize_t)len;
	close(fd);
	return is_read;
}

struct sought {
	uint64_t addr;
	bool is_symbol;
};

static int look_for_target(const struct ksym_line *line, void *arg)
{
	struct sought *t = arg;

	/* The kernel's own page of copies that probes jump to has a symbol of this name. */
	if (line->addr == t->addr && strcmp(line->name, "kprobe_optinsn_page") != 0)
		t->is_symbol = true;
	return t->is_symbol;
}

/* Whether a kprobe may be there: a breakpoint, or a jump to a copy, which has no symbol. */
static bool may_be_probe(const struct kernel_text *text, const struct place *p,
			 const struct insn *i, const uint8_t *code)
{
	struct sought t = { .addr = i->target };

	if (text->machine != EM_X86_64)
		return false;
	if (code[i->at - p->start] == INT3)
		return true;
	if (i->kind != INSN_JUMP || (i->target >= p->start && i->target < p->end))
		return false;
	return ksym_lines__each(text->kallsyms, look_for_target, &t) < 0 || !t.is_symbol;
}

static int in_the_middle(const struct place *p, const struct insn *i, uint64_t offset,
			 struct buf *why)
{
	unsigned long long before = i->at - p->start, behind = before + i->bytes;
	int err = buf__printf(why,
			      "%s+0x%llx is in the middle of an instruction, where the kernel puts "
			      "no probe; the nearest ones begin at %s+0x%llx",
			      p->name, (unsigned long long)offset, p->name, before);

	if (!err && p->start + behind < p->end)
		err = buf__printf(why, " and %s+0x%llx", p->name, behind);
	return err ? err : -EINVAL;
}

static int check(const struct kernel_text *text, const struct place *p, const struct insns *insns,
		 const uint8_t *code, uint64_t offset, struct buf *why)
{
	const struct insn *i = insns__find(insns, p->start + offset);

	if (!i || i->at == p->start + offset)
		return 0;
	for (size_t n = 0; n < insns->nr && insns->items[n].at <= i->at; n++)
		if (may_be_probe(text, p, &insns->items[n], code))
			return 0;
	return in_the_middle(p, i, offset, why);
}

int kernel_text__check_place(const struct kernel_text *text, const char *function, uint64_t offset,
			     struct buf *why)
{
	struct place p = { .name = function, .end = UINT64_MAX };
	struct insns insns = {};
	uint8_t *code;
	size_t len;
	int err = 0;

	if (!offset || offset >= BYTES_MAX || !find(text, &p) || offset >= p.end - p.start)
		return 0;
	len = offset + INSN_BYTES_MAX < p.end - p.start ? offset + INSN_BYTES_MAX : p.end - p.start;
	code = malloc(len);
	if (!code)
		return -ENOMEM;
	if (read_code(text->kcore, p.start, code, len)) {
		err = insns__decode(&insns, text->machine, code, len, p.start);
		if (!err)
			err = check(text, &p, &insns, code, offset, why);
		insns__free(&insns);
	}
	free(code);
	return err == -ENOTSUP ? 0 : err;
}
