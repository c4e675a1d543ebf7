// SPDX-License-Identifier: BSD-2-Clause
/* Names that come late: JVMs write their maps, then all files are read once more. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "collect/collector_state.h"

/* One whose code made at run time was sampled, and that is still there, as far as is known. */
static int ask_jvm(void *arg, struct proc *proc)
{
	struct collector *c = arg;

	if (!proc->has_jit || proc->end_ns || proc->gone)
		return 0;
	return java_maps__ask(c->java, proc->pid);
}

static void ask_jvms(struct collector *c)
{
	int err = procs__each(tracker__procs(c->tracker), ask_jvm, c);

	if (err)
		log__notice("not all JVMs were asked for maps of their code: %s",
			    err == -EAGAIN ? "there are too many" : strerror(-err));
	c->asked_java = true;
}

int collector__poll_late(struct collector *c)
{
	struct namer *namer = tracker__namer(c->tracker);
	int err = 0;

	if (c->java && !c->asked_java)
		ask_jvms(c);
	if (c->java && java_maps__await(c->java))
		return 0;
	if (!c->asked_late)
		err = namer__ask_late(namer);
	c->asked_late = true;
	return err ? err : !namer__nr_late_asked(namer);
}

static const char *late_name(void *arg, uint32_t number)
{
	return namer__late(arg, number);
}

int collector__settle_late(struct collector *c)
{
	return profile__settle(c->profile, late_name, tracker__namer(c->tracker));
}
