// SPDX-License-Identifier: BSD-2-Clause
/* Loads libdw, tells it of files and mappings, and has it follow copied stacks. */
#include "unwind/libdwfl.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef HAVE_DW

int libdwfl__open(struct libdwfl **out)
{
	*out = NULL;
	return -EOPNOTSUPP;
}

void libdwfl__close(struct libdwfl *l)
{
}

const char *libdwfl__version(const struct libdwfl *l)
{
	return "";
}

int libdwfl__file(struct libdwfl *l, uint32_t number, int fd)
{
	return -EOPNOTSUPP;
}

int libdwfl__space(struct libdwfl *l, const struct reference_space *id,
		   const struct reference_mapping *mappings, size_t nr)
{
	return -EOPNOTSUPP;
}

int libdwfl__walk(struct libdwfl *l, const struct reference_space *id,
		  const struct reference_stack *stack, size_t max, struct reference_frames *out)
{
	return -EOPNOTSUPP;
}

#else

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>

#include "elf/vdso.h"

enum {
	FILES_MAX = 200, /* each has a descriptor: jail/cage.h */
	SPACES_MAX = 16, /* that are kept, those that were asked for last */
	DWARF_REGS_X86 = 17,
	DWARF_REGS_ARM64 = 32,
};

/* The functions that are used, of libdw.so.1 since elfutils 0.158. */
#define FUNCTIONS(f)                                                                               \
	f(dwfl_begin) f(dwfl_end) f(dwfl_report_begin) f(dwfl_report_module) f(dwfl_report_end)    \
		f(dwfl_module_info) f(dwfl_attach_state) f(dwfl_getthread_frames) f(dwfl_frame_pc) \
			f(dwfl_thread_state_registers) f(dwfl_thread_state_register_pc)            \
				f(dwfl_errno) f(dwfl_errmsg) f(dwfl_version) f(dwfl_addrmodule)    \
					f(dwfl_module_eh_cfi) f(dwfl_module_dwarf_cfi)             \
						f(dwarf_cfi_addrframe)

struct file {
	Elf *elf; /* NULL: there is none */
	int fd;
};

struct space {
	struct reference_space id;
	Dwfl *dwfl; /* NULL: free */
	uint64_t used;
};

struct libdwfl {
	void *library;
#define MEMBER(name) __typeof__(name) *name;
	FUNCTIONS(MEMBER)
#undef MEMBER
	struct file *files; /* by number */
	size_t nr_files, cap_files, nr_open;
	struct space spaces[SPACES_MAX];
	uint64_t nr_walks;

	/* Of the walk that is under way. */
	Dwfl *dwfl;
	const struct reference_stack *stack;
	struct reference_frames *frames;
	size_t max;
	bool left_copy;
};

/* How libdwfl calls back: with the module that it wants the file of. */
static int find_elf(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base, char **file,
		    Elf **elf)
{
	*file = NULL;
	*elf = *user ? elf_begin(-1, ELF_C_READ, *user) : NULL; /* one more reference */
	return -1;
}

/* What debug files may have besides is not looked for: programs follow .eh_frame. */
static int find_debuginfo(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **out)
{
	return -1;
}

static const Dwfl_Callbacks callbacks = { .find_elf = find_elf, .find_debuginfo = find_debuginfo };

static int load(struct libdwfl *l)
{
	(void)unsetenv("DEBUGINFOD_URLS"); /* or it loads another library, for the network */
	l->library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!l->library)
		return -ENOENT;
#define FIND(name)                                                                                 \
	l->name = (__typeof__(l->name))dlsym(l->library, #name);                                   \
	if (!l->name)                                                                              \
		return -ENOSYS;
	FUNCTIONS(FIND)
#undef FIND
	return 0;
}

static int add_vdso(struct libdwfl *l)
{
	size_t len;
	const void *image = vdso__image(&len);
	int err = array__grow(&l->files, &l->cap_files, 1);

	if (err)
		return err;
	l->files[l->nr_files++] =
		(struct file){ image ? elf_memory((char *)image, len) : NULL, -1 };
	return 0;
}

int libdwfl__open(struct libdwfl **out)
{
	struct libdwfl *l = calloc(1, sizeof(*l));
	int err = l ? load(l) : -ENOMEM;

	*out = NULL;
	elf_version(EV_CURRENT);
	if (!err)
		err = add_vdso(l);
	if (err) {
		libdwfl__close(l);
		return err;
	}
	*out = l;
	return 0;
}

void libdwfl__close(struct libdwfl *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < SPACES_MAX; i++)
		if (l->spaces[i].dwfl)
			l->dwfl_end(l->spaces[i].dwfl);
	for (size_t i = 0; i < l->nr_files; i++) {
		elf_end(l->files[i].elf);
		if (l->files[i].fd >= 0)
			close(l->files[i].fd);
	}
	free(l->files);
	if (l->library)
		dlclose(l->library);
	free(l);
}

/* "0.188" as the library has it, or what it says. */
const char *libdwfl__version(const struct libdwfl *l)
{
	const char *version = l->dwfl_version(NULL);

	return version ? version : "";
}

int libdwfl__file(struct libdwfl *l, uint32_t number, int fd)
{
	int err = number < UINT32_MAX ? array__grow(&l->files, &l->cap_files, (size_t)number + 1)
				      : -EINVAL;
	struct file *f;

	if (!err && l->nr_open >= FILES_MAX)
		err = -EMFILE;
	if (err) {
		close(fd);
		return err;
	}
	while (l->nr_files <= number)
		l->files[l->nr_files++] = (struct file){ NULL, -1 };
	f = &l->files[number];
	if (f->fd >= 0) { /* it is known; spaces may have its Elf */
		close(fd);
		return 0;
	}
	/* Read, never mapped: whoever owns it may truncate it. */
	*f = (struct file){ elf_begin(fd, ELF_C_READ, NULL), fd };
	l->nr_open++;
	return 0;
}

/* From the file's own terms to the process's: *bias. False: it is no such mapping of code. */
static bool bias_of(Elf *elf, const struct reference_mapping *m, uint64_t *bias, uint64_t *start,
		    uint64_t *end)
{
	uint64_t first = UINT64_MAX, last = 0;
	bool found = false;
	size_t nr;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr p;

		if (!gelf_getphdr(elf, i, &p) || p.p_type != PT_LOAD)
			continue;
		if (first == UINT64_MAX)
			first = p.p_vaddr & -(p.p_align ? p.p_align : 1);
		if (p.p_vaddr + p.p_memsz > last)
			last = p.p_vaddr + p.p_memsz;
		if (!(p.p_flags & PF_X) || m->offset + (m->end - m->start) <= p.p_offset ||
		    m->offset >= p.p_offset + p.p_filesz || found)
			continue;
		*bias = m->start - (p.p_vaddr - p.p_offset + m->offset);
		found = true;
	}
	*start = *bias + first;
	*end = *bias + last;
	return found && *start < *end;
}

static void report(struct libdwfl *l, Dwfl *dwfl, const struct reference_mapping *m)
{
	Elf *elf = m->file < l->nr_files ? l->files[m->file].elf : NULL;
	uint64_t bias = 0, start, end;
	Dwfl_Module *mod;
	char name[32];
	void **user;

	if (!elf || elf_kind(elf) != ELF_K_ELF || !bias_of(elf, m, &bias, &start, &end))
		return;
	/* A file that is mapped in parts is one module: the same name at the same place. */
	snprintf(name, sizeof(name), "%u", m->file);
	mod = l->dwfl_report_module(dwfl, name, start, end);
	if (mod && l->dwfl_module_info(mod, &user, NULL, NULL, NULL, NULL, NULL, NULL))
		*user = elf;
}

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread)
{
	if (*thread)
		return 0;
	*thread = arg;
	return 1;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread)
{
	*thread = arg;
	return true;
}

static bool read_copy(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *out, void *arg)
{
	struct libdwfl *l = arg;
	const struct reference_stack *c = l->stack;
	const uint64_t bytes = c->bytes < sizeof(c->stack) ? c->bytes : sizeof(c->stack);

	if (addr < c->from || addr - c->from > bytes ||
	    bytes - (addr - c->from) < sizeof(uint64_t)) {
		l->left_copy = true;
		return false;
	}
	memcpy(out, c->stack + (addr - c->from), sizeof(uint64_t));
	return true;
}

/* DWARF's numbers of registers -> words of the kernel's struct. */
static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	struct libdwfl *l = arg;
	const uint64_t *from = (const uint64_t *)l->stack->regs;
#if defined(__x86_64__)
	static const uint8_t word_of[] = {
		10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16
	};
#else
	static const uint8_t word_of[] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
					   11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
					   22, 23, 24, 25, 26, 27, 28, 29, 30, 31 };
#endif
	Dwarf_Word regs[ARRAY_SIZE(word_of)];

	for (size_t i = 0; i < ARRAY_SIZE(word_of); i++)
		regs[i] = from[word_of[i]];
	l->dwfl_thread_state_register_pc(thread, from[UNWIND_REG_IP]);
	return l->dwfl_thread_state_registers(thread, 0, ARRAY_SIZE(regs), regs);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_copy,
	.set_initial_registers = set_registers,
};

static bool is_same(const struct reference_space *a, const struct reference_space *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static struct space *find_space(struct libdwfl *l, const struct reference_space *id)
{
	for (size_t i = 0; i < SPACES_MAX; i++)
		if (l->spaces[i].dwfl && is_same(&l->spaces[i].id, id))
			return &l->spaces[i];
	return NULL;
}

/* One that is free, or the one that was not asked for longest. */
static struct space *make_room(struct libdwfl *l)
{
	struct space *oldest = &l->spaces[0];

	for (size_t i = 0; i < SPACES_MAX; i++) {
		if (!l->spaces[i].dwfl)
			return &l->spaces[i];
		if (l->spaces[i].used < oldest->used)
			oldest = &l->spaces[i];
	}
	l->dwfl_end(oldest->dwfl);
	oldest->dwfl = NULL;
	return oldest;
}

int libdwfl__space(struct libdwfl *l, const struct reference_space *id,
		   const struct reference_mapping *mappings, size_t nr)
{
	struct space *s = find_space(l, id);
	Elf *any = l->files[REFERENCE_VDSO].elf;
	Dwfl *dwfl = l->dwfl_begin(&callbacks);

	if (!dwfl)
		return -ENOMEM;
	l->dwfl_report_begin(dwfl);
	for (size_t i = 0; i < nr; i++)
		report(l, dwfl, &mappings[i]);
	for (size_t i = 0; i < nr && !any; i++)
		any = mappings[i].file < l->nr_files ? l->files[mappings[i].file].elf : NULL;
	/* It learns the machine's registers from a file. */
	if (l->dwfl_report_end(dwfl, NULL, NULL) ||
	    !l->dwfl_attach_state(dwfl, any, 1, &thread_callbacks, l)) {
		l->dwfl_end(dwfl);
		return -EINVAL;
	}
	if (s)
		l->dwfl_end(s->dwfl);
	else
		s = make_room(l);
	*s = (struct space){ *id, dwfl, l->nr_walks };
	return 0;
}

static bool has_rule_in(const struct libdwfl *l, Dwarf_CFI *cfi, Dwarf_Addr pc)
{
	Dwarf_Frame *frame;

	if (!cfi || l->dwarf_cfi_addrframe(cfi, pc, &frame))
		return false;
	free(frame);
	return true;
}

/* As libdwfl itself looks for one: libdwfl/frame_unwind.c. */
static bool has_rule(const struct libdwfl *l, Dwarf_Addr pc)
{
	Dwfl_Module *mod = l->dwfl_addrmodule(l->dwfl, pc);
	Dwarf_Addr bias = 0;
	Dwarf_CFI *cfi;

	if (!mod)
		return false;
	cfi = l->dwfl_module_eh_cfi(mod, &bias);
	if (has_rule_in(l, cfi, pc - bias))
		return true;
	cfi = l->dwfl_module_dwarf_cfi(mod, &bias);
	return has_rule_in(l, cfi, pc - bias);
}

static int take_frame(Dwfl_Frame *state, void *arg)
{
	struct libdwfl *l = arg;
	struct reference_frames *f = l->frames;
	Dwarf_Addr pc;
	bool is_exact;

	if (f->nr == l->max) {
		f->end = REFERENCE_MAX;
		return DWARF_CB_ABORT;
	}
	/* This looks for the caller already: what it reads for that is the frame's. */
	l->left_copy = false;
	if (!l->dwfl_frame_pc(state, &pc, &is_exact))
		return DWARF_CB_ABORT;
	f->pc[f->nr] = pc;
	f->is_guess[f->nr] = !has_rule(l, pc - !is_exact);
	f->is_exact[f->nr++] = is_exact;
	return DWARF_CB_OK;
}

int libdwfl__walk(struct libdwfl *l, const struct reference_space *id,
		  const struct reference_stack *stack, size_t max, struct reference_frames *out)
{
	struct space *s = find_space(l, id);
	const char *error;
	int ret;

	memset(out, 0, sizeof(*out));
	if (!s)
		return -ESRCH;
	s->used = ++l->nr_walks;
	l->dwfl = s->dwfl;
	l->stack = stack;
	l->frames = out;
	l->max = max < STACK_MAX_FRAMES ? max : STACK_MAX_FRAMES;
	l->left_copy = false;
	ret = l->dwfl_getthread_frames(s->dwfl, 1, take_frame, l);
	l->dwfl = NULL;
	l->stack = NULL;
	l->frames = NULL;
	if (out->end == REFERENCE_MAX)
		return 0;
	/* A return address that cannot be read is none for libdwfl, which calls that no error. */
	if (l->left_copy)
		out->end = REFERENCE_UNCOPIED;
	else if (ret)
		out->end = REFERENCE_GAVE_UP;
	error = ret ? l->dwfl_errmsg(-1) : NULL;
	snprintf(out->error, sizeof(out->error), "%s", error ? error : "");
	return 0;
}

#endif
