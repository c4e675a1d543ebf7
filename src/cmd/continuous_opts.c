// SPDX-License-Identifier: BSD-2-Clause
/* Checks where windows are to go, and opens that. */
#include "cmd/continuous_opts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/why.h"
#include "serve/continuous.h"
#include "serve/push_header.h"

static const uint64_t LEAST_EVERY_NS = 1000000000;

/* The first option that is given and means nothing without another one; NULL: there is none. */
static const char *homeless(const struct continuous_opts_given *o, const char **home)
{
	const struct {
		bool is_given;
		const char *name;
		bool has_home;
		const char *home;
	} all[] = {
		{ o->push, "push", o->is_on, "continuous" },
		{ o->dir, "out-dir", o->is_on, "continuous" },
		{ o->every_ns, "every", o->is_on, "continuous" },
		{ o->metrics, "metrics", o->is_on, "continuous" },
		{ o->token, "push-token", o->push, "push URL" },
		{ o->headers.nr, "push-header", o->push, "push URL" },
		{ o->ca, "push-ca", o->push, "push URL" },
		{ o->spool, "spool", o->push, "push URL" },
		{ o->spool_bytes, "spool-size", o->push, "push URL" },
		{ o->labels.nr, "label", o->push, "push URL" },
		{ o->dir_bytes, "out-size", o->dir, "out-dir DIR" },
		{ o->dir_age_ns, "out-age", o->dir, "out-dir DIR" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i].is_given && !all[i].has_home) {
			*home = all[i].home;
			return all[i].name;
		}
	return NULL;
}

static int check_labels(const struct continuous_opts_given *o, struct buf *why)
{
	for (size_t i = 0; i < o->labels.nr; i++) {
		const char *equals = strchr(o->labels.items[i], '=');

		if (!equals || equals == o->labels.items[i] || !equals[1])
			return why__refuse(why, -EINVAL,
					   "--label is NAME=VALUE, such as env=prod, not '%s'",
					   o->labels.items[i]);
	}
	return 0;
}

int continuous_opts__check(const struct continuous_opts_given *o, struct buf *why)
{
	const char *home, *name = homeless(o, &home);
	int err;

	if (name)
		return why__refuse(why, -EINVAL, "--%s means nothing without --%s", name, home);
	if (!o->is_on)
		return 0;
	if (!o->push && !o->dir)
		return why__refuse(
			why, -EINVAL,
			"--continuous: where to? say --push URL, --out-dir DIR, or both");
	if (o->every_ns && o->every_ns < LEAST_EVERY_NS)
		return why__refuse(why, -EINVAL, "--every: at least 1s");
	err = push_headers__check(o->headers.items, o->headers.nr, why);
	return err ? err : check_labels(o, why);
}

/* Where this host's requests are in a window: the same each time, others elsewhere. */
static uint64_t place_of_host(void)
{
	struct buf id = {};
	uint64_t place = 0;

	if (!buf__read_file(&id, "/etc/machine-id", 4096) && id.len)
		place = hash_bytes(0, id.data, id.len);
	buf__free(&id);
	return place;
}

/* "NAME=VALUE" as labels, whose names are copied into @names, one after the other. */
static int make_labels(const struct opt_strs *given, struct push_label *labels, struct buf *names)
{
	size_t bytes = 0;
	int err;

	for (size_t i = 0; i < given->nr; i++)
		bytes += strlen(given->items[i]) + 1;
	/* They do not move then. */
	err = buf__reserve(names, bytes);
	for (size_t i = 0; i < given->nr && !err; i++) {
		const char *equals = strchr(given->items[i], '=');

		labels[i].value = equals + 1;
		labels[i].name = names->data + names->len;
		err = buf__put(names, given->items[i], equals - given->items[i]);
		if (!err)
			err = buf__put(names, "", 1);
	}
	return err;
}

/* Below what a service manager gives for such files, or where that would be. */
static int default_spool(struct buf *path, struct buf *why)
{
	const char *given = getenv("STATE_DIRECTORY");
	const bool is_given = given && *given == '/';
	int err = is_given ? buf__put(path, given, strcspn(given, ":"))
			   : buf__puts(path, "/var/lib/pmutrace");

	if (!err && !is_given && mkdir(path->data, 0755) && errno != EEXIST)
		err = why__refuse(why, -errno,
				  "%s, where profiles are to wait, cannot be made: %s; say --spool "
				  "DIR",
				  path->data, strerror(errno));
	return err ? err : buf__puts(path, "/spool");
}

int continuous_opts__open(struct continuous **out, const struct continuous_opts_given *o,
			  const struct continuous_run *run, struct buf *spool, struct buf *why)
{
	struct push_label *labels = calloc(o->labels.nr + 1, sizeof(*labels));
	struct buf names = {};
	struct continuous_opts opts = {
		.push = {
			.url = o->push,
			.spool = o->spool,
			.token_file = o->token,
			.ca_file = o->ca,
			.headers = o->headers.items,
			.nr_headers = o->headers.nr,
			.spool_bytes = o->spool_bytes,
			.window_ns = o->every_ns,
			.place = place_of_host(),
		},
		.dir = o->dir,
		.dir_bytes = o->dir_bytes ? o->dir_bytes : 1000000000,
		.dir_age_ns = o->dir_age_ns,
		.metrics = o->metrics,
		.labels = labels,
		.nr_labels = o->labels.nr,
		.command = run->command,
		.jail = run->jail,
		.keeps_pids = run->keeps_pids,
	};
	int err = labels ? make_labels(&o->labels, labels, &names) : -ENOMEM;

	*out = NULL;
	if (!err && o->push && !o->spool) {
		err = default_spool(spool, why);
		opts.push.spool = spool->data;
	}
	if (!err)
		err = continuous__open(out, &opts, why);
	free(labels);
	buf__free(&names);
	return err;
}

void continuous_opts__free(struct continuous_opts_given *o)
{
	free((void *)o->labels.items);
	free((void *)o->headers.items);
}
