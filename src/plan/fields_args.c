// SPDX-License-Identifier: BSD-2-Clause
/* Arguments and results: where they are, and of kernel code what the BTF knows of them. */
#include <bpf/btf.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "lookup/usdt_args.h"
#include "machine/registers.h"
#include "plan/field_place.h"

enum { NAMES_MAX = 16 };

/* Of an argument of unknown type: a register. */
static const struct field_type register_type = { SHAPE_NUMBER, .size = 8, .is_signed = true };

/* Arguments of a USDT probe are where its note says. */
static int too_few_usdt_args(const struct fields *f, unsigned long n, struct buf *why)
{
	size_t nr = usdt_args__nr(f->ev->site.args);

	if (!nr)
		return refuse(why, "%s has no arguments", f->ev->name);
	return refuse(why, "%s has no arg%lu: its last is arg%zu", f->ev->name, n, nr - 1);
}

static int find_usdt_arg(struct fields *f, unsigned long n, struct field_place *out,
			 struct buf *why)
{
	struct usdt_arg a;
	int err = usdt_args__find(REGISTERS_OUR_MACHINE, f->ev->site.args, n, &a, why);

	if (err)
		return err == -ENOENT ? too_few_usdt_args(f, n, why) : err;
	out->type = (struct field_type){ SHAPE_NUMBER, .size = a.size, .is_signed = a.is_signed };
	out->fetch = (struct fetch){
		.source = a.kind == USDT_CONSTANT ? FETCH_CONSTANT : FETCH_CONTEXT,
		.is_user = 1,
	};
	if (a.kind == USDT_CONSTANT) {
		out->fetch.constant = (uint64_t)a.value;
		return 0;
	}
	out->fetch.load.offset = a.at;
	if (a.kind == USDT_MEMORY) {
		out->fetch.load.size = 8;
		out->fetch.nr_steps = 1;
		out->fetch.steps[0].offset = (int32_t)a.value;
	}
	return 0;
}

/* The parameters of a kernel function or raw tracepoint. */
struct signature {
	const struct btf *btf;
	const struct btf_type *proto; /* NULL: not known */
	uint32_t first;		      /* the parameter that is arg0 */
};

/* Looks in the module's own types first: names are not unique. */
static const struct btf_type *find_function(const struct btf *btf, const char *name)
{
	const struct btf *base = btf__base_btf(btf);
	uint32_t nr = btf__type_cnt(btf), id;

	for (id = base ? btf__type_cnt(base) : 1; id < nr; id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (btf_is_func(t) && !strcmp(btf__name_by_offset(btf, t->name_off), name))
			return btf__type_by_id(btf, t->type);
	}
	return NULL;
}

/*
 * A tracepoint's signature is that of the kernel's function that calls its probes, or of the one
 * that hands its arguments to programs: a pointer of the kernel's, then what raw tracepoints have
 * (include/linux/tracepoint.h, include/trace/bpf_probe.h). Several may share one of the latter.
 */
static int find_raw(struct signature *s, const char *name)
{
	static const char *const prefixes[] = { "__traceiter_", "__probestub_", "__bpf_trace_" };
	struct buf full = {};
	int err = 0;

	s->first = 1;
	for (size_t i = 0; !err && !s->proto && i < ARRAY_SIZE(prefixes); i++) {
		buf__clear(&full);
		err = buf__printf(&full, "%s%s", prefixes[i], name);
		if (!err)
			s->proto = find_function(s->btf, full.data);
	}
	buf__free(&full);
	return err;
}

static int find_signature(struct fields *f, struct signature *s)
{
	const struct perf_site *site = &f->ev->site;
	int err;

	*s = (struct signature){};
	err = fields__types(f, &s->btf);
	if (err || !s->btf || !site->name)
		return err;
	if (site->kind == SITE_RAW_TRACEPOINT)
		return find_raw(s, site->name);
	s->proto = find_function(s->btf, site->name);
	return 0;
}

static uint32_t nr_arguments(const struct signature *s)
{
	uint32_t nr = btf_vlen(s->proto);

	/* The last of "..." has neither name nor type. */
	if (nr && !btf_params(s->proto)[nr - 1].type)
		nr--;
	return nr > s->first ? nr - s->first : 0;
}

static struct field_type argument_type(const struct signature *s, uint32_t n)
{
	return field_type__of(s->btf, btf_params(s->proto)[s->first + n].type);
}

static const char *argument_name(const struct signature *s, uint32_t n)
{
	return btf__name_by_offset(s->btf, btf_params(s->proto)[s->first + n].name_off);
}

static void place_register(const char *name, struct field_place *out)
{
	struct cpu_register r = {};

	registers__find(REGISTERS_OUR_MACHINE, name, &r);
	out->fetch.source = FETCH_CONTEXT;
	out->fetch.load.offset = r.at;
}

/* A struct of more than a word takes several registers, or none: what follows it is not found. */
static int check_registers(const struct signature *s, uint32_t n, struct buf *why)
{
	for (uint32_t i = 0; s->proto && i <= n; i++)
		if (argument_type(s, i).size > 8)
			return refuse(
				why,
				"where arg%u is, is not known: arg%u is larger than a register", n,
				i);
	if (n >= REGISTERS_MAX_ARGS)
		return refuse(why, "arg%u is on the stack: the first %d can be had", n,
			      REGISTERS_MAX_ARGS);
	return 0;
}

static int place_argument(const struct fields *f, const struct signature *s, uint32_t n,
			  struct field_place *out, struct buf *why)
{
	int err;

	out->type = s->proto ? argument_type(s, n) : register_type;
	if (f->ev->site.kind == SITE_RAW_TRACEPOINT) {
		out->fetch.source = FETCH_CONTEXT;
		out->fetch.load.offset = (int32_t)n * 8;
		return 0;
	}
	err = check_registers(s, n, why);
	if (!err)
		place_register(registers__argument(REGISTERS_OUR_MACHINE, n), out);
	return err;
}

static int unknown_argument(const struct fields *f, const struct signature *s, const char *name,
			    struct buf *why)
{
	const char *names[NAMES_MAX];
	size_t nr = s->proto ? nr_arguments(s) : 0, i;
	int err;

	if (!s->proto)
		return refuse(why,
			      "%s: '%s' is not a field. Its arguments are known by number alone, "
			      "arg0 to arg%d: %s",
			      f->ev->name, name, REGISTERS_MAX_ARGS - 1,
			      s->btf ? "the kernel's BTF does not have it"
				     : "there is no BTF (see /sys/kernel/btf/vmlinux)");
	for (i = 0; i < nr && i < NAMES_MAX; i++)
		names[i] = argument_name(s, i);
	err = buf__printf(why, "%s has no argument '%s'", f->ev->name, name);
	if (!err)
		err = suggest_or_list(why, name, names, i);
	return err ? err : -EINVAL;
}

/* An argument by its number (@n) or, if that is -1, by its name. */
static int kernel_argument(struct fields *f, long n, const char *name, struct field_place *out,
			   struct buf *why)
{
	struct signature s;
	uint32_t nr;
	int err = find_signature(f, &s);

	if (err)
		return err;
	nr = s.proto ? nr_arguments(&s) : NAMES_MAX;
	for (uint32_t i = 0; n < 0 && s.proto && i < nr; i++)
		if (!strcmp(argument_name(&s, i), name))
			n = i;
	if (n < 0 || n >= (long)nr)
		return unknown_argument(f, &s, name, why);
	return place_argument(f, &s, (uint32_t)n, out, why);
}

static int result(struct fields *f, struct field_place *out, struct buf *why)
{
	struct signature s = {};
	int err = f->ev->site.kind == SITE_KRETPROBE ? find_signature(f, &s) : 0;

	if (err)
		return err;
	out->type = s.proto ? field_type__of(s.btf, s.proto->type) : register_type;
	if (out->type.shape == SHAPE_NOTHING)
		return refuse(why, "%s: the function returns nothing", f->ev->name);
	if (out->type.size > 8)
		return refuse(why, "%s: what the function returns is larger than a register",
			      f->ev->name);
	place_register(registers__result(REGISTERS_OUR_MACHINE), out);
	return 0;
}

/* 3 of "arg3"; -1: it is no such name. */
static long number_of(const char *name)
{
	const char *digits = name + 3;
	size_t len = strncmp(name, "arg", 3) ? 0 : strspn(digits, "0123456789");

	return len && len < 4 && !digits[len] ? atol(digits) : -1;
}

static int at_return(struct fields *f, const char *name, struct field_place *out, struct buf *why)
{
	if (!strcmp(name, "ret"))
		return result(f, out, why);
	return refuse(why,
		      "%s has no '%s', only ret: the registers of arguments are gone by then; "
		      "probe the entry",
		      f->ev->name, name);
}

static int of_function(struct fields *f, const char *name, struct field_place *out, struct buf *why)
{
	const struct perf_site *site = &f->ev->site;
	bool is_kernel = site->kind == SITE_KPROBE;
	long n = number_of(name);

	if (!strcmp(name, "ret"))
		return refuse(why, "%s: a function has ret when it returns; probe it with %s",
			      f->ev->name, is_kernel ? "kretprobe:" : "uretprobe:");
	if (is_kernel ? site->offset : site->name && !site->at_entry)
		return refuse(
			why,
			"%s has no '%s': where arguments are is known at the function's first "
			"instruction alone; leave +OFFSET out",
			f->ev->name, name);
	if (is_kernel)
		return kernel_argument(f, n, name, out, why);
	if (n < 0 || n >= REGISTERS_MAX_ARGS)
		return refuse(why,
			      "%s has no '%s': the arguments of a program's functions are known by "
			      "number, arg0 to arg%d",
			      f->ev->name, name, REGISTERS_MAX_ARGS - 1);
	out->type = register_type;
	out->fetch.is_user = 1;
	place_register(registers__argument(REGISTERS_OUR_MACHINE, n), out);
	return 0;
}

static int of_usdt(struct fields *f, const char *name, struct field_place *out, struct buf *why)
{
	long n = number_of(name);

	if (n < 0)
		return refuse(why,
			      "%s has no '%s': the arguments of a USDT probe are known by number, "
			      "arg0, arg1 ..",
			      f->ev->name, name);
	return find_usdt_arg(f, (unsigned long)n, out, why);
}

/*
 * What programs of events get is a pointer to the registers, where other programs get these
 * themselves (struct bpf_perf_event_data_kern in include/linux/perf_event.h).
 */
static int of_event(struct fields *f, const char *name, struct field_place *out, struct buf *why)
{
	if (strcmp(name, "ip"))
		return refuse(why,
			      "%s has no '%s': events have ip, and comm, pid, tid, cpu and uid of "
			      "the task",
			      f->ev->name, name);
	out->type = (struct field_type){ SHAPE_POINTER, .size = 8 };
	place_register(registers__ip(REGISTERS_OUR_MACHINE), out);
	out->fetch.steps[out->fetch.nr_steps++].offset = out->fetch.load.offset;
	out->fetch.load = (struct fetch_load){ .size = 8 };
	return 0;
}

int fields__argument(struct fields *f, const char *name, struct field_place *out, struct buf *why)
{
	switch (f->ev->site.kind) {
	case SITE_RAW_TRACEPOINT:
		return kernel_argument(f, number_of(name), name, out, why);
	case SITE_KPROBE:
	case SITE_UPROBE:
		return of_function(f, name, out, why);
	case SITE_URETPROBE:
		out->fetch.is_user = 1;
		return at_return(f, name, out, why);
	case SITE_KRETPROBE:
		return at_return(f, name, out, why);
	case SITE_USDT:
		return of_usdt(f, name, out, why);
	default:
		return of_event(f, name, out, why);
	}
}
