// SPDX-License-Identifier: BSD-2-Clause
/* Writes a recording: its head, then intervals as frames and compressed parts. */
#include "tape/livefile.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "print/writer.h"
#include "tape/livefile_state.h"
#include "tape/liveread.h"

static void put_about(struct livefile *l, const struct live *live)
{
	const struct live_about *about = live__interval(live);
	size_t part = begin_part(l, LIVEREAD_ABOUT);

	put_u64(l, about->at_ns);
	put_u64(l, about->interval_ns);
	put_u64(l, about->own_bpf_ns);
	put_u64(l, about->own_user_ns);
	put_u64(l, about->seen);
	put_u64(l, about->kept);
	put_u64(l, about->untold);
	put_u32(l, about->nr_cpus);
	put_text(l, about->host);
	put_text(l, about->kernel);
	put_u32(l, live__nr_cpus(live));
	end_part(l, part);
}

static enum liveread_why why_of(const struct live_event *e)
{
	if (!e->why)
		return LIVEREAD_COUNTED;
	return e->state == COUNT_NO_PERMISSION ? LIVEREAD_NO_PERMISSION
	       : e->state == COUNT_NOT_COUNTED ? LIVEREAD_NOT_COUNTED
					       : LIVEREAD_NOT_SUPPORTED;
}

static void put_events(struct livefile *l, const struct live_about *about)
{
	size_t part = begin_part(l, LIVEREAD_EVENTS);

	put_u32(l, about->nr_events);
	for (size_t i = 0; i < about->nr_events; i++) {
		const struct live_event *e = &about->events[i];

		put_text(l, e->name);
		put_text(l, e->unit);
		put_u32(l, why_of(e));
		put_text(l, e->why);
		put_u32(l, e->group);
		put_u64(l, e->enabled_ns);
		put_u64(l, e->running_ns);
	}
	for (size_t i = 0; i < about->nr_events; i++)
		put_double(l, live_event__scale(&about->events[i]));
	end_part(l, part);
}

static void put_losses(struct livefile *l, const struct losses *losses)
{
	size_t part = begin_part(l, LIVEREAD_LOSSES);

	livefile__put_losses(l, losses);
	end_part(l, part);
}

static void put_tasks(struct livefile *l, const struct live *live)
{
	size_t part = begin_part(l, LIVEREAD_TASKS);

	put_u32(l, live__nr_tasks(live));
	for (size_t i = 0; i < live__nr_tasks(live); i++) {
		unsigned ends;
		const struct live_task *t = live__task(live, i, &ends);

		put_u32(l, t->tgid);
		put_u32(l, t->tid);
		put_u64(l, t->cgroup);
		put(l, t->comm, sizeof(t->comm));
		put_u32(l, ends);
	}
	end_part(l, part);
}

static void put_uses(struct livefile *l, const struct live *live)
{
	size_t part = begin_part(l, LIVEREAD_USES);

	put_u32(l, live__nr_uses(live));
	for (size_t i = 0; i < live__nr_uses(live); i++) {
		struct live_use use = live__use(live, i);

		put_u32(l, use.task);
		put_u32(l, use.cpu);
		for (size_t k = 0; k < live__nr_values(live); k++)
			put_u64(l, use.values[k]);
	}
	end_part(l, part);
}

/* Processes that the file has, and that are not known any more. */
static void put_gone(struct livefile *l, const struct processes *p)
{
	size_t part = begin_part(l, LIVEREAD_GONE), number = l->data.len, kept = 0;

	put_u32(l, 0);
	for (size_t i = 0; i < l->nr_told; i++) {
		if (processes__find(p, l->told[i]))
			l->told[kept++] = l->told[i];
		else
			put_u32(l, l->told[i]);
	}
	set_u32(l, number, l->nr_told - kept);
	end_part(l, part);
	if (kept == l->nr_told)
		return;
	l->nr_told = kept;
	idmap__clear(&l->told_set);
	for (size_t i = 0; i < kept && !l->err; i++)
		l->err = idmap__set(&l->told_set, l->told[i], 0);
}

static int put_process(void *arg, const struct process *one)
{
	struct livefile *l = arg;
	uint32_t unused;

	put_u32(l, one->pid);
	put_u32(l, one->parent);
	put_u32(l, one->uid);
	put_u32(l, one->is_kernel);
	put(l, one->comm, sizeof(one->comm));
	put_text(l, one->command);
	l->nr_in_part++;
	if (l->err || idmap__get(&l->told_set, one->pid, &unused))
		return l->err;
	l->err = array__grow(&l->told, &l->cap_told, l->nr_told + 1);
	if (!l->err)
		l->err = idmap__set(&l->told_set, one->pid, 0);
	if (!l->err)
		l->told[l->nr_told++] = one->pid;
	return l->err;
}

static int put_user(void *arg, const struct process_user *one)
{
	struct livefile *l = arg;

	put_u32(l, one->uid);
	put_text(l, one->name);
	l->nr_in_part++;
	return l->err;
}

static int put_cgroup(void *arg, const struct process_cgroup *one)
{
	struct livefile *l = arg;

	put_u64(l, one->id);
	put_text(l, one->path);
	put_text(l, one->name);
	l->nr_in_part++;
	return l->err;
}

static void put_names(struct livefile *l, enum liveread_part kind, const struct processes *p,
		      const struct process_visitor *v)
{
	size_t part = begin_part(l, kind), number = l->data.len;

	put_u32(l, 0);
	l->nr_in_part = 0;
	if (!l->err)
		l->err = processes__each(p, l->told_at, v);
	set_u32(l, number, l->nr_in_part);
	end_part(l, part);
}

static void put_all_names(struct livefile *l, const struct processes *p, bool anew)
{
	const struct process_visitor processes = { .process = put_process, .arg = l };
	const struct process_visitor users = { .user = put_user, .arg = l };
	const struct process_visitor cgroups = { .cgroup = put_cgroup, .arg = l };

	if (!l->err && processes__bytes(p) > LIVEREAD_NAMES_MAX / 2)
		l->err = -EFBIG;
	if (anew) {
		l->told_at = 0;
		l->nr_told = 0;
		idmap__clear(&l->told_set);
	} else {
		put_gone(l, p);
	}
	put_names(l, LIVEREAD_PROCESSES, p, &processes);
	put_names(l, LIVEREAD_USERS, p, &users);
	put_names(l, LIVEREAD_CGROUPS, p, &cgroups);
	l->told_at = processes__now(p);
}

static int write_all(struct livefile *l, const void *more, size_t len)
{
	struct writer w = { .f = l->f };

	if (l->err)
		return l->err;
	writer__put(&w, l->data.data, l->data.len);
	writer__put(&w, more, len);
	return writer__end(&w);
}

int livefile__open(struct livefile **out, FILE *f, size_t nr_values, unsigned flags)
{
	struct livefile *l = calloc(1, sizeof(*l));

	*out = NULL;
	if (!l)
		return -ENOMEM;
	l->f = f;
	l->nr_values = nr_values;
	put(l, LIVEREAD_MAGIC, 8);
	put_u32(l, LIVEREAD_VERSION);
	put_u32(l, nr_values);
	put_u32(l, flags);
	put_u32(l, l->err ? 0 : crc32(0, (const Bytef *)l->data.data, l->data.len));
	l->err = write_all(l, "", 0);
	if (l->err) {
		int err = l->err;

		livefile__close(l);
		return err;
	}
	*out = l;
	return 0;
}

void livefile__close(struct livefile *l)
{
	if (!l)
		return;
	buf__free(&l->data);
	block_packer__free(&l->packer);
	free(l->told);
	idmap__free(&l->told_set);
	free(l);
}

static void put_block(struct livefile *l, uint64_t at_ns, bool anew)
{
	struct block_packer *p = &l->packer;

	p->b.flags = anew ? LIVEREAD_ANEW : 0;
	p->b.number = at_ns;
	if (!l->err)
		l->err = block__pack(p, LIVEREAD_FRAME, l->data.data, l->data.len);
	buf__clear(&l->data);
	put(l, p->head, sizeof(p->head));
}

int livefile__put(struct livefile *l, const struct live *live, const struct processes *p,
		  const struct profile *samples)
{
	const struct live_about *about = live__interval(live);
	bool anew = l->nr_intervals % LIVEREAD_ANEW_WITHIN == 0;

	if (live__nr_values(live) != l->nr_values)
		return -EINVAL;
	buf__clear(&l->data);
	put_about(l, live);
	put_events(l, about);
	put_losses(l, &about->losses);
	put_tasks(l, live);
	put_uses(l, live);
	if (samples)
		livefile__put_profile(l, samples);
	put_all_names(l, p, anew);
	put_block(l, about->at_ns, anew);
	l->err = write_all(l, l->packer.stream, l->packer.b.stream_bytes);
	l->nr_intervals++;
	return l->err;
}
