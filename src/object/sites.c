// SPDX-License-Identifier: BSD-2-Clause
/* Attaches a program by trampoline, multi link, raw tracepoint or perf event, and detaches it. */
#include "object/sites.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "object/attach.h"
#include "object/multi.h"

bool site__is_user(const struct perf_site *site)
{
	return site->kind == SITE_UPROBE || site->kind == SITE_URETPROBE || site->kind == SITE_USDT;
}

bool site__is_kernel(const struct perf_site *site)
{
	return site->kind == SITE_KPROBE || site->kind == SITE_KRETPROBE;
}

bool sites__has_cookies(enum sites_way way)
{
	return way == SITES_SESSION || way == SITES_MULTI || way == SITES_LINKS;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool sites__are_function(const struct perf_site *entry, const struct perf_site *leave)
{
	return ((entry->kind == SITE_KPROBE && leave->kind == SITE_KRETPROBE) ||
		(entry->kind == SITE_UPROBE && leave->kind == SITE_URETPROBE)) &&
	       same_text(entry->home, leave->home) && same_text(entry->name, leave->name) &&
	       entry->offset == leave->offset;
}

/* The entry of a kernel function; a place inside of one can have a kprobe only. */
static bool is_kernel_function(const struct perf_site *site)
{
	return site__is_kernel(site) && site->name && !site->offset;
}

bool site__has_way(const struct perf_site *site, enum sites_way way)
{
	switch (way) {
	case SITES_RAW:
		return site->kind == SITE_RAW_TRACEPOINT || site->kind == SITE_TRACEPOINT;
	case SITES_TRAMPOLINE:
	case SITES_SESSION:
		return false;
	case SITES_MULTI:
		return site__is_user(site) || is_kernel_function(site);
	case SITES_LINKS:
		return site__is_user(site) || site__is_kernel(site);
	default:
		return site->kind != SITE_RAW_TRACEPOINT;
	}
}

static bool is_kernel_since(int major, int minor)
{
	struct utsname name;
	int has_major, has_minor;

	if (uname(&name) || sscanf(name.release, "%d.%d", &has_major, &has_minor) != 2)
		return false;
	return has_major > major || (has_major == major && has_minor >= minor);
}

bool sites__has_function_way(const struct perf_site *entry, const struct perf_site *leave,
			     enum sites_way way)
{
	if (!sites__are_function(entry, leave))
		return false;
	if (way == SITES_TRAMPOLINE)
		return is_kernel_function(entry) && is_kernel_since(5, 17);
	if (way == SITES_SESSION)
		return is_kernel_function(entry) ? is_kernel_since(6, 10)
						 : site__is_user(entry) && is_kernel_since(6, 13);
	return false;
}

unsigned site__multi_type(const struct perf_site *site, enum sites_way way)
{
	if (way == SITES_SESSION)
		return site__is_user(site) ? MULTI_UPROBE_SESSION : MULTI_KPROBE_SESSION;
	return site__is_user(site) ? MULTI_UPROBE : MULTI_KPROBE;
}

bool sites__preempts_users(void)
{
	return is_kernel_since(5, 12);
}

bool sites__calls_have_frame(void)
{
#if defined(__x86_64__)
	return is_kernel_since(6, 13);
#else
	return false;
#endif
}

static int add_fd(struct sites *s, int fd)
{
	int err = array__grow(&s->fds, &s->cap_fds, s->nr_fds + 1);

	if (err) {
		close(fd);
		return err;
	}
	s->fds[s->nr_fds++] = fd;
	return 0;
}

int sites__attach_raw(struct sites *s, const char *tracepoint, int prog_fd, struct buf *why)
{
	int fd = bpf_raw_tracepoint_open(tracepoint, prog_fd);

	if (fd >= 0) {
		s->nr_places++;
		return add_fd(s, fd);
	}
	return buf__printf(why, "'%s': the kernel has no such raw tracepoint: %s", tracepoint,
			   strerror(-fd))
		       ? -ENOMEM
		       : fd;
}

/* The program's function was set before it was loaded. */
static int attach_trampoline(struct sites *s, int prog_fd, const struct sites_probe *p,
			     struct buf *why)
{
	int fd = bpf_raw_tracepoint_open(NULL, prog_fd);

	if (fd >= 0) {
		s->nr_places = 1;
		return add_fd(s, fd);
	}
	return buf__printf(why, "'%s': the kernel has no trampoline for it: %s", p->event->name,
			   strerror(-fd))
		       ? -ENOMEM
		       : fd;
}

/* Errors of a single place, which must not keep the others from being probed. */
static bool is_of_place(int err)
{
	return err == -EINVAL || err == -ENOENT || err == -ESRCH || err == -EADDRNOTAVAIL ||
	       err == -EILSEQ || err == -EOPNOTSUPP;
}

/* Places to attach one program to; errs: by place, why it cannot be probed, 0: it can. */
struct joint_places {
	int prog_fd;
	unsigned type; /* site__multi_type() */
	const struct sites_probe *probes;
	struct multi_place *items;
	int *errs;
};

/* Attaches to @nr places from @from on by one link; halves them where some cannot be probed. */
static int attach_range(struct sites *s, struct joint_places *p, size_t from, size_t nr)
{
	const struct perf_site *site = &p->probes->event->site;
	bool returns = site->kind == SITE_KRETPROBE || site->kind == SITE_URETPROBE;
	int fd, err = multi__attach(p->prog_fd, p->type, site__is_user(site) ? site->home : NULL,
				    returns, p->items + from, nr, &fd);

	if (!err) {
		s->nr_places += nr;
		return add_fd(s, fd);
	}
	if (!is_of_place(err) || (nr == 1 && !p->probes[from].optional))
		return err;
	if (nr == 1) {
		p->errs[from] = err;
		return 0;
	}
	err = attach_range(s, p, from, nr / 2);
	return err ? err : attach_range(s, p, from + nr / 2, nr - nr / 2);
}

static int attach_places(struct sites *s, struct joint_places *p, size_t nr,
			 const struct sites_opts *opts)
{
	int err;

	for (size_t i = 0; i < nr; i++) {
		const struct perf_site *site = &p->probes[i].event->site;

		p->items[i] = (struct multi_place){
			.symbol = site->name,
			.offset = site->offset,
			.counter_offset = site->counter_offset,
			.cookie = p->probes[i].cookie,
		};
	}
	err = attach_range(s, p, 0, nr);
	if (!err && !s->nr_places)
		err = p->errs[0];
	for (size_t i = 0; i < nr && !err; i++)
		if (p->errs[i] && opts->skipped)
			opts->skipped(opts->arg, p->probes[i].event, p->errs[i]);
	return err;
}

static int attach_multi(struct sites *s, enum sites_way way, int prog_fd,
			const struct sites_probe *probes, size_t nr, const struct sites_opts *opts,
			struct buf *why)
{
	struct joint_places p = {
		.prog_fd = prog_fd,
		.type = site__multi_type(&probes->event->site, way),
		.probes = probes,
		.items = calloc(nr, sizeof(*p.items)),
		.errs = calloc(nr, sizeof(*p.errs)),
	};
	int err = p.items && p.errs ? attach_places(s, &p, nr, opts) : -ENOMEM;

	free(p.items);
	free(p.errs);
	s->by_link = true;
	if (err && buf__printf(why, "'%s': the kernel does not let BPF programs attach to it: %s",
			       probes->event->name, strerror(-err)))
		return -ENOMEM;
	return err;
}

/* The kernel knows the function but forbids probes: the kprobe blacklist, notrace code. */
static int explain_forbidden(const struct perf_event_spec *ev, struct buf *why)
{
	buf__clear(why);
	return buf__printf(why, "'%s': the kernel does not allow a probe there", ev->name)
		       ? -ENOMEM
		       : -EOPNOTSUPP;
}

/* A function that the kernel does not know is the user's mistake: told with the nearest names. */
static int explain_function(const struct perf_event_spec *ev, const struct sites_opts *opts,
			    int err, struct buf *why)
{
	struct buf nearest = {};
	uint64_t addr;
	bool is_known = true;

	if ((err != -ENOENT && err != -EINVAL) || !site__is_kernel(&ev->site))
		return err;
	if (ev->site.name && opts->env && opts->env->kernel_address)
		is_known = opts->env->kernel_address(ev->site.name, &addr, &nearest) != -ENOENT;
	if (!is_known) {
		buf__clear(why);
		err = buf__puts(why, nearest.data) ? -ENOMEM : -EINVAL;
	} else if (err == -EINVAL) {
		err = explain_forbidden(ev, why);
	}
	buf__free(&nearest);
	return err;
}

/* Events that sample are opened on each CPU; one of another kind serves all CPUs. */
static int attach_event(struct sites *s, int prog_fd, bool overflows, const struct sites_probe *p,
			const struct sites_opts *opts, struct buf *why)
{
	size_t nr = overflows ? opts->target->nr_cpus : 1;
	int fd, err = 0;

	if (!overflows)
		err = perf_event__make(p->event, opts->env, why);
	for (size_t i = 0; i < nr && !err; i++) {
		int cpu = opts->target->cpus[i];

		if (overflows)
			err = attach__event(p->event, cpu, prog_fd, &fd, why);
		else
			err = attach__probe(p->event, cpu, prog_fd, &fd, why);
		if (fd >= 0)
			err = add_fd(s, fd) ? -ENOMEM : err;
	}
	s->nr_places += !err;
	return explain_function(p->event, opts, err, why);
}

static int attach_link(struct sites *s, int prog_fd, const struct sites_probe *p,
		       const struct sites_opts *opts, struct buf *why)
{
	int fd, err = perf_event__make(p->event, opts->env, why);

	if (!err)
		err = attach__link(p->event, opts->target->cpus[0], prog_fd, p->cookie, &fd, why);
	if (err)
		return err;
	s->nr_places++;
	return add_fd(s, fd);
}

/* Leaves out functions that cannot be probed, but fails if the first one already cannot. */
static int attach_links(struct sites *s, int prog_fd, const struct sites_probe *probes, size_t nr,
			const struct sites_opts *opts, struct buf *why)
{
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++) {
		buf__clear(why);
		err = attach_link(s, prog_fd, &probes[i], opts, why);
		if (!err || !is_of_place(err) || !probes[i].optional || !s->nr_places)
			continue;
		if (opts->skipped)
			opts->skipped(opts->arg, probes[i].event, err);
		err = 0;
	}
	return err;
}

static int attach(struct sites *s, enum sites_way way, int prog_fd, bool overflows,
		  const struct sites_probe *probes, size_t nr, const struct sites_opts *opts,
		  struct buf *why)
{
	int err = 0;

	if (way == SITES_RAW)
		return sites__attach_raw(s, probes->event->site.name, prog_fd, why);
	if (way == SITES_TRAMPOLINE)
		return attach_trampoline(s, prog_fd, probes, why);
	if (way == SITES_SESSION || way == SITES_MULTI)
		return attach_multi(s, way, prog_fd, probes, nr, opts, why);
	if (way == SITES_LINKS)
		return attach_links(s, prog_fd, probes, nr, opts, why);
	for (size_t i = 0; i < nr && !err; i++)
		err = attach_event(s, prog_fd, overflows, &probes[i], opts, why);
	return err;
}

int sites__attach(struct sites *s, enum sites_way way, int prog_fd, bool overflows,
		  const struct sites_probe *probes, size_t nr, const struct sites_opts *opts,
		  struct buf *why)
{
	static const char *const words[SITES_WAYS] = {
		[SITES_RAW] = "raw tracepoint", [SITES_TRAMPOLINE] = "trampoline",
		[SITES_SESSION] = "session",	[SITES_MULTI] = "link",
		[SITES_LINKS] = "place's link", [SITES_EVENT] = "perf event",
	};
	uint64_t start_ns = clock__now_ns();
	int err = attach(s, way, prog_fd, overflows, probes, nr, opts, why);

	log__debug("%s: attached to %zu of %zu places by %zu %s%s in %.1f ms", probes->event->name,
		   s->nr_places, nr, s->nr_fds, words[way], s->nr_fds == 1 ? "" : "s",
		   (clock__now_ns() - start_ns) / 1e6);
	return err;
}

void sites__detach(struct sites *s)
{
	for (size_t i = 0; i < s->nr_fds; i++)
		close(s->fds[i]);
	free(s->fds);
	*s = (struct sites){};
}

uint64_t sites__missed(const struct sites *s)
{
	uint64_t nr, sum = 0;

	for (size_t i = 0; i < s->nr_fds && s->by_link; i++)
		if (!multi__missed(s->fds[i], &nr))
			sum += nr;
	return sum;
}
