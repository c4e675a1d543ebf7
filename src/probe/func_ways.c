// SPDX-License-Identifier: BSD-2-Clause
/* Chooses the programs of an object for its way of attaching, and places its fields. */
#include <bpf/bpf.h>
#include <errno.h>

#include "probe/func_session.h"

/* NULL: the function has no such probe. */
static const struct perf_site *site_of(const struct func_probe *f, bool leave)
{
	const struct perf_event_spec *end = leave ? f->leave : f->entry;

	return end ? &end->site : NULL;
}

/* A field or filter needs a tracepoint's record, which raw tracepoints do not have. */
static bool uses_record(const struct func_probe *f, bool leave)
{
	bool uses = f->match[leave].source == FETCH_CONTEXT;

	for (size_t i = 0; i < f->nr_by; i++)
		if (leave == !!(f->by_ret & 1u << i))
			uses |= f->by[i].source == FETCH_CONTEXT;
	for (size_t i = 0; f->filter && leave == f->filter_ret && i < f->filter->nr; i++)
		uses |= f->filter->terms[i].left.source == FETCH_CONTEXT;
	return uses;
}

bool pair__has_way(const struct func_probe *f, bool leave, enum sites_way way)
{
	const struct perf_site *site = site_of(f, leave);

	if (!site)
		return false;
	if (way == SITES_TRAMPOLINE || way == SITES_SESSION)
		return f->entry && f->leave && !f->exits && !function__is_matched(f) &&
		       sites__has_function_way(site_of(f, false), site_of(f, true), way);
	if (way == SITES_RAW && site->kind == SITE_TRACEPOINT && uses_record(f, leave))
		return false;
	return site__has_way(site, way);
}

bool pair__is_preempted(const struct pair *p)
{
	return p->leave && (p->leave == p->skel->progs.func_return_usr ||
			    p->leave == p->skel->progs.func_session_usr ||
			    p->leave == p->skel->progs.deep_return_usr ||
			    p->leave == p->skel->progs.match_end_usr);
}

/* One program for entry and return. */
static struct bpf_program *session_program(const struct pair *p)
{
	return site__is_user(&p->functions->entry->site) ? p->skel->progs.func_session_usr
							 : p->skel->progs.func_session;
}

static struct bpf_program *entry_program(const struct pair *p)
{
	bool matched = function__is_matched(p->functions);

	if (!p->functions->entry)
		return NULL;
	if (function__is_deep(p->functions))
		return p->skel->progs.deep_entry;
	if (p->entry_way == SITES_TRAMPOLINE)
		return p->skel->progs.func_fentry;
	if (p->entry_way == SITES_SESSION)
		return session_program(p);
	if (p->entry_way == SITES_RAW)
		return matched ? p->skel->progs.match_start_raw : p->skel->progs.func_entry_raw;
	if (p->functions->entry->site.kind == SITE_TRACEPOINT)
		return matched ? p->skel->progs.match_start_rec : p->skel->progs.func_entry_rec;
	return matched ? p->skel->progs.match_start : p->skel->progs.func_entry;
}

static struct bpf_program *leave_program(const struct pair *p)
{
	const struct perf_site *site = site_of(p->functions, true);
	bool matched = function__is_matched(p->functions);

	if (!site)
		return NULL;
	if (function__is_deep(p->functions))
		return sites__preempts_users() ? p->skel->progs.deep_return_usr
					       : p->skel->progs.deep_return;
	if (p->leave_way == SITES_TRAMPOLINE)
		return p->skel->progs.func_fexit;
	if (p->leave_way == SITES_SESSION)
		return session_program(p);
	if (p->leave_way == SITES_RAW)
		return matched ? p->skel->progs.match_end_raw : p->skel->progs.func_return_raw;
	if (site->kind == SITE_TRACEPOINT)
		return matched ? p->skel->progs.match_end_rec : p->skel->progs.func_return_rec;
	if (site__is_user(site) && sites__preempts_users())
		return matched ? p->skel->progs.match_end_usr : p->skel->progs.func_return_usr;
	return matched ? p->skel->progs.match_end : p->skel->progs.func_return;
}

/* Sets what the kernel has to know before it loads the program: its function, or attach type. */
static int bind(const struct pair *p, struct bpf_program *prog, bool leave, enum sites_way way)
{
	const struct perf_site *site = site_of(p->functions, leave);

	if (!prog)
		return 0;
	if (way == SITES_TRAMPOLINE)
		return bpf_program__set_attach_target(prog, 0, site->name);
	if (way == SITES_MULTI || way == SITES_SESSION)
		return bpf_program__set_expected_attach_type(
			prog, (enum bpf_attach_type)site__multi_type(site, way));
	return 0;
}

/* Programs that keep tasks' accounts, for all pairs: only the first pair loads them. */
static bool keeps_accounts(const struct pair *p, const struct bpf_program *prog,
			   const struct func_opts *opts)
{
	const struct bpf_program *of_go[] = { p->skel->progs.deep_go_on,
					      p->skel->progs.deep_go_off };

	for (size_t i = 0; i < ARRAY_SIZE(of_go); i++)
		if (prog == of_go[i])
			return opts->nr_switches;
	return prog == p->skel->progs.func_switch || prog == p->skel->progs.func_exec ||
	       prog == p->skel->progs.func_exit;
}

int pair__choose_programs(struct func *c, struct pair *p, const struct func_opts *opts)
{
	bool is_first = !c->nr_pairs && function__has_account(p->functions, opts);
	struct bpf_program *prog;
	int err;

	p->entry = entry_program(p);
	p->leave = leave_program(p);
	err = bind(p, p->entry, false, p->entry_way);
	if (!err)
		err = bind(p, p->leave, true, p->leave_way);
	bpf_object__for_each_program (prog, p->skel->obj) {
		bool is_used = prog == p->entry || prog == p->leave || targets__is_follower(prog) ||
			       (is_first && keeps_accounts(p, prog, opts));

		if (!err && !is_used)
			err = bpf_program__set_autoload(prog, false);
	}
	return err;
}

/* Turns an offset in struct pt_regs into that in what a trampoline hands to programs. */
static void place(struct fetch *f, bool leave, const struct func_registers *r)
{
	if (f->source != FETCH_CONTEXT)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(r->args) && !leave; i++) {
		int32_t at = f->load.offset - r->args[i];

		if (at >= 0 && at < 8) {
			f->load.offset = (int32_t)i * 8 + at;
			return;
		}
	}
	if (leave)
		f->load.offset -= r->result;
}

void pair__place_fields(struct pair *p, const struct func_opts *opts)
{
	struct func_cfg *cfg = (struct func_cfg *)&p->skel->rodata->cfg;
	struct filter_cfg *filter = (struct filter_cfg *)&p->skel->rodata->filter;

	if (p->entry_way != SITES_TRAMPOLINE)
		return;
	for (size_t i = 0; i < cfg->nr_by; i++)
		place(&cfg->by[i], cfg->by_ret & 1u << i, &opts->registers);
	for (size_t i = 0; i < filter->nr; i++)
		place(&filter->terms[i].left, p->functions->filter_ret, &opts->registers);
}
