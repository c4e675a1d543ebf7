// SPDX-License-Identifier: BSD-2-Clause
/* A file's sections, libraries and symbols -> what return probes on its functions would break. */
#include "elf/hazards.h"

#include <string.h>

enum { DYNAMIC_BYTES_MAX = 1 << 20 };

/* Libraries that unwind, or hold what is thrown. */
static const char *const unwinders[] = {
	"libstdc++.so", "libc++.so", "libc++abi.so", "libgcc_s.so",	"libunwind.so",
	"libgnat",	"libphobos", "libdruntime",  "libswiftCore.so",
};

static const struct {
	const char *name;
	enum hazard hazard;
} symbols[] = {
	{ "_Unwind_RaiseException", HAZARD_EXCEPTIONS },
	{ "_Unwind_Resume", HAZARD_EXCEPTIONS },
	{ "_Unwind_ForcedUnwind", HAZARD_EXCEPTIONS },
	{ "__cxa_throw", HAZARD_EXCEPTIONS },
	{ "__gxx_personality_v0", HAZARD_EXCEPTIONS },
	{ "rust_eh_personality", HAZARD_EXCEPTIONS },
	{ "swapcontext", HAZARD_STACKS },
	{ "makecontext", HAZARD_STACKS },
	{ "setcontext", HAZARD_STACKS },
	{ "jump_fcontext", HAZARD_STACKS },
	{ "make_fcontext", HAZARD_STACKS },
};

static unsigned of_needed(const char *library)
{
	for (size_t i = 0; i < ARRAY_SIZE(unwinders); i++)
		if (!strncmp(library, unwinders[i], strlen(unwinders[i])))
			return HAZARD_EXCEPTIONS;
	return 0;
}

static unsigned of_libraries(Elf *elf)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section_of_type(elf, SHT_DYNAMIC, &shdr);
	Elf_Data *data = elf_file__data(scn, DYNAMIC_BYTES_MAX);
	struct elf_strings strings;
	unsigned hazards = 0;
	GElf_Dyn dyn;

	if (!data)
		return 0;
	strings = elf_strings__of(elf, shdr.sh_link);
	for (int i = 0; gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		size_t len;
		const char *name;

		if (dyn.d_tag != DT_NEEDED)
			continue;
		name = elf_strings__get(&strings, dyn.d_un.d_val, &len);
		hazards |= name ? of_needed(name) : 0;
	}
	return hazards;
}

/* A local one is the file's own, as in libc, which passes on to libgcc_s when it is needed. */
static unsigned of_symbol(const struct elf_names *names, const struct elf_name *n)
{
	const char *name = strtab__get(names->strings, n->name);

	if (n->rank == SYM_LOCAL && n->kind != ELF_NAME_IMPORT)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(symbols); i++)
		if (!strcmp(name, symbols[i].name))
			return n->kind == ELF_NAME_IMPORT || symbols[i].hazard != HAZARD_STACKS ||
					       strstr(name, "fcontext")
				       ? symbols[i].hazard
				       : 0;
	return 0;
}

unsigned hazards__of(const struct elf_image *img, const struct elf_names *names)
{
	unsigned hazards = of_libraries(img->elf);
	GElf_Shdr shdr;

	if (elf_file__section_named(img->elf, ".go.buildinfo", &shdr) ||
	    elf_file__section_named(img->elf, ".gopclntab", &shdr))
		hazards |= HAZARD_GO;
	for (size_t i = 0; i < names->nr; i++)
		hazards |= of_symbol(names, &names->items[i]);
	return hazards;
}

/* src/debug/buildinfo: the magic, the size of a pointer, and flags that older ones do not set. */
bool hazards__is_recent_go(const struct elf_image *img)
{
	enum { MAGIC = 14, FLAGS = 15, HAS_VERSION = 2, BUILDINFO_BYTES_MAX = 1 << 20 };
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section_named(img->elf, ".go.buildinfo", &shdr);
	Elf_Data *data = elf_file__data(scn, BUILDINFO_BYTES_MAX);

	return data && data->d_size > FLAGS && !memcmp(data->d_buf, "\xff Go buildinf:", MAGIC) &&
	       ((const unsigned char *)data->d_buf)[FLAGS] & HAS_VERSION;
}

const char *hazards__harm(unsigned hazards)
{
	if (hazards & HAZARD_GO)
		return "Go's runtime ends a program in whose stacks it finds a return probe";
	if (hazards & HAZARD_STACKS)
		return "a program that switches stacks inside of a function with a return probe "
		       "comes back to the wrong place";
	return "an exception that passes a function with a return probe ends the program";
}
