// SPDX-License-Identifier: BSD-2-Clause
/* Holds a run against the first one: event, rate, machine. */
#include "model/comparable.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/why.h"

enum fact { FACT_EVENT, FACT_RATE, FACT_HOST, FACT_KERNEL, FACT_MACHINE, FACT_CPU, FACT_CPUS };

/* Of a file that is none of ours, and none of perf script. */
static bool is_untold(const struct profile_event *e)
{
	return !strcmp(e->name, "samples");
}

static bool find(const struct profile *p, const char *name, const char *unit, uint32_t *event)
{
	for (*event = 0; *event < p->nr_events; ++*event)
		if (!p->events[*event].is_member && !strcmp(p->events[*event].name, name) &&
		    (!unit || !strcmp(p->events[*event].unit, unit)))
			return true;
	return false;
}

/* "cycles:u, faults" */
static int refuse_event(const struct profile *p, const char *file, const char *name,
			struct buf *why)
{
	int err = buf__printf(why, "%s has no event %s", file, name);

	for (size_t i = 0; i < p->nr_events && !err; i++)
		if (!p->events[i].is_member)
			err = buf__printf(why, "%s%s", i ? ", " : ", but ", p->events[i].name);
	if (!err)
		err = buf__puts(why, ": different events cannot be compared; --event NAME chooses");
	return err ? err : -EPROTO;
}

int comparable__event(struct comparable *c, const struct profile *p, const char *file,
		      const char *name, uint32_t *event, struct buf *why)
{
	const struct profile_event *first = c->file ? &c->event : NULL;
	const char *wanted = name ? name : first ? first->name : NULL;
	const char *unit = first && !is_untold(first) ? first->unit : NULL;

	*event = 0;
	if (!p->nr_events)
		return why__refuse(why, -EPROTO, "%s has no samples", file);
	if (!wanted)
		return 0;
	if (find(p, wanted, unit, event))
		return 0;
	*event = 0;
	if (p->nr_events == 1 && (is_untold(&p->events[0]) || (first && is_untold(first)))) {
		if (!c->told[FACT_EVENT])
			log__notice("%s does not tell its event: it is taken for that of the other "
				    "side",
				    is_untold(&p->events[0]) ? file : c->file);
		c->told[FACT_EVENT] = true;
		return 0;
	}
	return refuse_event(p, file, wanted, why);
}

/* Texts that are not known are no difference. */
static void tell_text(struct comparable *c, enum fact fact, const char *file, const char *first,
		      const char *other, const char *what)
{
	if (c->told[fact] || !first || !other || !*first || !*other || !strcmp(first, other))
		return;
	c->told[fact] = true;
	log__notice("%s is of another %s than %s: %s, not %s", file, what, c->file, other, first);
}

static void put_rate(char text[64], const struct profile_event *e)
{
	if (e->hz)
		snprintf(text, 64, "at %llu Hz", (unsigned long long)e->hz);
	else
		snprintf(text, 64, "one in %llu", (unsigned long long)e->period);
}

static bool has_rate(const struct profile_event *e)
{
	return e->hz || e->period;
}

static int look_at_rate(struct comparable *c, const char *file, const struct profile_event *e,
			bool absolute, struct buf *why)
{
	char first[64], other[64];

	if (!has_rate(e) || !has_rate(&c->event) ||
	    (e->hz == c->event.hz && e->period == c->event.period))
		return 0;
	put_rate(first, &c->event);
	put_rate(other, e);
	if (absolute && !(e->weight && c->event.weight))
		return why__refuse(why, -EPROTO,
				   "%s was sampled %s, %s %s: --absolute needs the same rate", file,
				   other, c->file, first);
	if (!c->told[FACT_RATE])
		log__notice("%s was sampled %s, %s %s", file, other, c->file, first);
	c->told[FACT_RATE] = true;
	return 0;
}

int comparable__look(struct comparable *c, const struct profile *p, const char *file,
		     uint32_t event, bool absolute, struct buf *why)
{
	const struct profile_about *a = &c->about, *b = &p->about;

	if (!c->file) {
		c->file = file;
		c->event = p->events[event];
		c->about = p->about;
		c->nr_cpus = p->nr_cpus;
		return 0;
	}
	tell_text(c, FACT_HOST, file, a->host, b->host, "machine");
	tell_text(c, FACT_KERNEL, file, a->kernel, b->kernel, "kernel");
	tell_text(c, FACT_MACHINE, file, a->machine, b->machine, "architecture");
	tell_text(c, FACT_CPU, file, a->cpu, b->cpu, "CPU");
	if (!c->told[FACT_CPUS] && p->nr_cpus && c->nr_cpus && p->nr_cpus != c->nr_cpus) {
		c->told[FACT_CPUS] = true;
		log__notice("%s was sampled on %u CPUs, %s on %u", file, p->nr_cpus, c->file,
			    c->nr_cpus);
	}
	return look_at_rate(c, file, &p->events[event], absolute, why);
}
