// SPDX-License-Identifier: BSD-2-Clause
/* Any bytes as .eh_frame: the table is in order whatever they say; and it unwinds any stack. */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_file.h"
#include "unwind/table.h"
#include "unwind/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { ADDR = 0x1000, CODE_BYTES = 1 << 22, ROWS_MAX = 1 << 16, FRAMES = 64 };

struct file {
	Elf64_Ehdr header;
	Elf64_Phdr code;
	Elf64_Shdr sections[3];
	char names[24];
};

static const char names[] = "\0.shstrtab\0.eh_frame";

static struct file file_of(uint16_t machine, size_t len)
{
	struct file f = {
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					 ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_DYN,
			    .e_machine = machine,
			    .e_version = EV_CURRENT,
			    .e_entry = ADDR + 16,
			    .e_phoff = offsetof(struct file, code),
			    .e_shoff = offsetof(struct file, sections),
			    .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 1,
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shnum = 3,
			    .e_shstrndx = 1 },
		.code = { .p_type = PT_LOAD,
			  .p_flags = PF_R | PF_X,
			  .p_vaddr = ADDR,
			  .p_filesz = CODE_BYTES,
			  .p_memsz = CODE_BYTES },
		.sections = { {},
			      { .sh_name = 1,
				.sh_type = SHT_STRTAB,
				.sh_offset = offsetof(struct file, names),
				.sh_size = sizeof(names) },
			      { .sh_name = 11,
				.sh_type = SHT_PROGBITS,
				.sh_addr = ADDR + CODE_BYTES,
				.sh_offset = sizeof(f),
				.sh_size = len } },
	};

	memcpy(f.names, names, sizeof(names));
	return f;
}

static void check(const struct unwind_table *t, const struct unwind_rules *rules)
{
	if (t->nr_rows > ROWS_MAX || t->pages[0] || t->pages[t->nr_pages] != t->nr_rows)
		abort();
	for (uint32_t p = 0; p < t->nr_pages; p++) {
		if (t->pages[p] >= t->pages[p + 1] || UNWIND_ROW_OFFSET(t->rows[t->pages[p]]))
			abort();
		for (uint32_t r = t->pages[p]; r < t->pages[p + 1]; r++)
			if (UNWIND_ROW_RULE(t->rows[r]) >= rules->nr ||
			    (r > t->pages[p] &&
			     UNWIND_ROW_OFFSET(t->rows[r]) <= UNWIND_ROW_OFFSET(t->rows[r - 1])))
				abort();
	}
}

/* With the input as the stack, too. */
static void unwind(const struct unwind_table *t, const struct unwind_rules *rules,
		   const uint8_t *data, size_t len)
{
	const uint64_t start = t->base, end = start + ((uint64_t)t->nr_pages << UNWIND_PAGE_SHIFT);
	const struct unwind_mapping mapping = { start, end, start, 0, t->nr_pages };
	enum { PAGES_MAX = 16 };
	const uint8_t *stack[PAGES_MAX];
	uint64_t regs[UNWIND_REGS] = {};
	struct copied_stack copy = { .regs = regs, .from = start, .pages = stack };
	uint8_t *bytes = calloc(PAGES_MAX, UNWIND_COPY_PAGE_BYTES);
	uint64_t *pages = calloc(t->nr_pages + 1, sizeof(*pages));
	const struct walk_tables tables = { t->rows,	pages,	     rules->all,
					    t->nr_rows, t->nr_pages, rules->nr };
	const struct walk_from from = { &copy, &mapping, 1, UINT64_MAX };
	uint64_t frames[FRAMES];
	uint16_t flaws;

	if (!bytes || !pages)
		abort();
	for (uint32_t p = 0; p < t->nr_pages; p++)
		pages[p] = UNWIND_PAGE(t->pages[p], t->pages[p + 1] - t->pages[p]);
	for (size_t i = 0; i < PAGES_MAX; i++)
		stack[i] = bytes + i * UNWIND_COPY_PAGE_BYTES;
	copy.bytes = (PAGES_MAX - 1) * UNWIND_COPY_PAGE_BYTES;
	if (copy.bytes > len)
		copy.bytes = len;
	memcpy(bytes + start % UNWIND_COPY_PAGE_BYTES, data, copy.bytes);
	for (uint64_t pc = start; pc < end; pc += 1 + (end - start) / 64) {
		regs[UNWIND_REG_IP] = pc;
		regs[UNWIND_REG_SP] = start;
		regs[UNWIND_REG_FP] = start + 64;
		if (walk(&tables, &from, frames, FRAMES, &flaws) > FRAMES || frames[0] != pc)
			abort();
	}
	free(bytes);
	free(pages);
}

static void build(uint16_t machine, const uint8_t *data, size_t len)
{
	const struct file f = file_of(machine, len);
	char *image = malloc(sizeof(f) + len);
	struct elf_from from = { .fd = -1 };
	struct unwind_rules rules = {};
	struct unwind_table t;
	int err;

	if (!image)
		abort();
	memcpy(image, &f, sizeof(f));
	memcpy(image + sizeof(f), data, len);
	from.elf = elf_file__open_memory(image, sizeof(f) + len);
	if (!from.elf)
		abort();
	err = unwind_table__build(&t, &from, &rules, ROWS_MAX);
	if (!err && t.nr_rows) {
		check(&t, &rules);
		unwind(&t, &rules, data, len);
	}
	unwind_table__free(&t);
	unwind_rules__free(&rules);
	elf_end(from.elf);
	free(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	build(EM_X86_64, data, len);
	build(EM_AARCH64, data, len);
	return 0;
}
