// SPDX-License-Identifier: BSD-2-Clause
/* Puts what a budget allows, what is used, and what is done about it. */
#include "serve/overhead_metrics.h"

#include "run/overhead.h"
#include "serve/exposition.h"

static void put_double(struct exposition *x, const char *name, enum metric_type type,
		       const char *help, double value)
{
	exposition__family(x, name, type, help);
	exposition__double(x, value);
}

static void put_seconds(const struct overhead_figures *f, struct exposition *x)
{
	exposition__family(x, "pmutrace_overhead_seconds_total", METRIC_COUNTER,
			   "CPU time that measuring took, of BPF programs, and of processes after "
			   "the first 20 s");
	exposition__label(x, "part", "bpf");
	exposition__double(x, (double)f->bpf_ns / 1e9);
	exposition__label(x, "part", "user");
	exposition__double(x, (double)f->user_ns / 1e9);
}

static void put_steps(const struct overhead_figures *f, struct exposition *x)
{
	exposition__family(x, "pmutrace_overhead_steps", METRIC_GAUGE,
			   "Steps that are taken now to keep the budget, by what is made less of");
	for (enum budget_kind kind = 0; kind < BUDGET_KINDS; kind++) {
		exposition__label(x, "kind", budget_kind__name(kind));
		exposition__u64(x, f->steps[kind]);
	}
	exposition__family(x, "pmutrace_overhead_steps_taken_total", METRIC_COUNTER,
			   "Steps that were taken, each of them once more when it is taken again");
	exposition__u64(x, f->nr_down);
	exposition__family(x, "pmutrace_overhead_steps_taken_back_total", METRIC_COUNTER,
			   "Steps that were taken back, since there was room");
	exposition__u64(x, f->nr_up);
}

void overhead_metrics__put(const struct overhead_figures *f, struct exposition *x)
{
	put_double(x, "pmutrace_overhead_limit_ratio", METRIC_GAUGE,
		   "Part of one CPU that measuring may take", f->limit);
	put_double(x, "pmutrace_overhead_used_ratio", METRIC_GAUGE,
		   "Part of one CPU that measuring has taken lately", f->used);
	put_seconds(f, x);
	put_steps(f, x);
	put_double(x, "pmutrace_overhead_paused_seconds_total", METRIC_COUNTER,
		   "Time for which nothing was measured, to keep the budget",
		   (double)f->paused_ns / 1e9);
}
