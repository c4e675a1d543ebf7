// SPDX-License-Identifier: BSD-2-Clause
/* Encodes and lists events by way of libpfm4; without it, returns -EOPNOTSUPP. */
#include "event/vendor.h"

#include <errno.h>

#ifdef HAVE_PFM

#include <perfmon/pfmlib_perf_event.h> /* behind linux/perf_event.h, or it brings its own */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/parse.h"
#include "base/why.h"
#include "event/pmu.h"

struct vendor_names {
	const char **items;
	size_t nr, cap;
};

/*
 * The first call fills tables, and a second one that comes meanwhile fills them again: libpfm4 has
 * no lock of its own. Afterwards it only reads them.
 */
static int initialize(void)
{
	static pthread_mutex_t filling = PTHREAD_MUTEX_INITIALIZER;
	int ret;

	pthread_mutex_lock(&filling);
	ret = pfm_initialize();
	pthread_mutex_unlock(&filling);
	return ret;
}

/* What the machine has, not perf's generic names, which need no library. */
static bool is_here(pfm_pmu_t id, pfm_pmu_info_t *pmu)
{
	*pmu = (pfm_pmu_info_t){ .size = sizeof(*pmu) };
	return pfm_get_pmu_info(id, pmu) == PFM_SUCCESS && pmu->is_present &&
	       pmu->type != PFM_PMU_TYPE_OS_GENERIC;
}

static bool has_core_table(void)
{
	pfm_pmu_info_t pmu;
	pfm_pmu_t id;

	for (id = PFM_PMU_NONE; id < PFM_PMU_MAX; id++)
		if (is_here(id, &pmu) && pmu.type == PFM_PMU_TYPE_CORE)
			return true;
	return false;
}

static int list_event(const char *pmu, int index,
		      int (*fn)(void *arg, const struct vendor_event *ev), void *arg)
{
	pfm_event_info_t event = { .size = sizeof(event) };
	struct vendor_event ev = { .pmu = pmu };
	int i, err;

	if (pfm_get_event_info(index, PFM_OS_PERF_EVENT, &event) != PFM_SUCCESS)
		return 0;
	ev.name = event.name;
	ev.desc = event.desc ? event.desc : "";
	for (i = 0; i < event.nattrs; i++) {
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };

		if (pfm_get_event_attr_info(index, i, PFM_OS_PERF_EVENT, &attr) != PFM_SUCCESS ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		ev.umask = attr.name;
		ev.umask_desc = attr.desc ? attr.desc : "";
		err = fn(arg, &ev);
		if (err)
			return err;
	}
	return ev.umask ? 0 : fn(arg, &ev);
}

int vendor__list(int (*fn)(void *arg, const struct vendor_event *ev), void *arg)
{
	pfm_pmu_info_t pmu;
	pfm_pmu_t id;
	int index, err;

	if (initialize() != PFM_SUCCESS || !has_core_table())
		return -EOPNOTSUPP;
	for (id = PFM_PMU_NONE; id < PFM_PMU_MAX; id++) {
		if (!is_here(id, &pmu))
			continue;
		for (index = pmu.first_event; index != -1; index = pfm_get_event_next(index)) {
			err = list_event(pmu.name, index, fn, arg);
			if (err)
				return err;
		}
	}
	return 0;
}

/* Each name once; an event's unit masks come one after another. */
static int keep_name(void *arg, const struct vendor_event *ev)
{
	struct vendor_names *names = arg;

	if (names->nr && names->items[names->nr - 1] == ev->name)
		return 0;
	if (array__grow(&names->items, &names->cap, names->nr + 1))
		return -ENOMEM;
	names->items[names->nr++] = ev->name;
	return 0;
}

/* "hsw::NAME" where the CPU is another: its tables, or -EEXIST: it is that one. */
static int explain_pmu(const char *name, size_t len, struct buf *why)
{
	struct vendor_names names = {};
	pfm_pmu_info_t pmu;
	pfm_pmu_t id;
	int err = 0;

	for (id = PFM_PMU_NONE; id < PFM_PMU_MAX && !err; id++) {
		if (!is_here(id, &pmu))
			continue;
		if (strlen(pmu.name) == len && !strncasecmp(pmu.name, name, len))
			err = -EEXIST;
		else
			err = array__grow(&names.items, &names.cap, names.nr + 1);
		if (!err)
			names.items[names.nr++] = pmu.name;
	}
	if (!err)
		err = buf__printf(why, "libpfm4 knows no events of '%.*s' on this CPU, which has ",
				  (int)len, name);
	if (!err)
		err = pmu__put_names(why, names.items, names.nr, sizeof(*names.items));
	free(names.items);
	return err ? err : -ENOENT;
}

static int explain_unknown(const char *name, struct buf *why)
{
	struct vendor_names names = {};
	char word[64];
	const char *near, *colon = strstr(name, "::");
	int err = colon && has_core_table() ? explain_pmu(name, colon - name, why) : -EEXIST;

	if (err != -EEXIST)
		return err;
	err = vendor__list(keep_name, &names);
	if (!err) {
		name = colon ? colon + 2 : name;
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(name, ":"), name);
		near = nearest(word, names.items, names.nr, sizeof(*names.items));
		err = buf__printf(why, "libpfm4 knows no event '%.128s' of this CPU%s%s%s", name,
				  near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	} else if (err == -EOPNOTSUPP) {
		return why__refuse(why, -EOPNOTSUPP, "libpfm4 has no names for this CPU");
	}
	free(names.items);
	return err ? err : -ENOENT;
}

/* The event of "PMU::NAME:ATTRIBUTES.."; false: there is none. @index: for its attributes. */
static bool find_event(const char *name, pfm_event_info_t *event, int *index)
{
	const char *sep = strstr(name, "::");
	size_t len = sep ? sep + 2 - name : 0;
	char base[256];

	*event = (pfm_event_info_t){ .size = sizeof(*event) };
	snprintf(base, sizeof(base), "%.*s", (int)(len + strcspn(name + len, ":")), name);
	*index = pfm_find_event(base);
	return *index >= 0 && pfm_get_event_info(*index, PFM_OS_PERF_EVENT, event) == PFM_SUCCESS;
}

/* perf's generic names, case aside, are in a table too; those are not for here to judge. */
static bool is_generic(const char *name)
{
	pfm_pmu_info_t pmu = { .size = sizeof(pmu) };
	pfm_event_info_t event;
	int index;

	return find_event(name, &event, &index) &&
	       pfm_get_pmu_info(event.pmu, &pmu) == PFM_SUCCESS &&
	       pmu.type == PFM_PMU_TYPE_OS_GENERIC;
}

/* Appends the unit masks of an event; @name has what is wrong among its attributes. */
static int put_umasks(const char *name, struct buf *why)
{
	struct vendor_names umasks = {};
	pfm_event_info_t event;
	int index, i, err = 0;

	if (!find_event(name, &event, &index))
		return 0;
	for (i = 0; i < event.nattrs; i++) {
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };

		if (pfm_get_event_attr_info(index, i, PFM_OS_PERF_EVENT, &attr) != PFM_SUCCESS ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		err = array__grow(&umasks.items, &umasks.cap, umasks.nr + 1);
		if (err)
			goto out_free;
		umasks.items[umasks.nr++] = attr.name;
	}
	if (umasks.nr)
		err = buf__printf(why, "; unit masks of %s: ", event.name);
	if (!err)
		err = pmu__put_names(why, umasks.items, umasks.nr, sizeof(*umasks.items));
out_free:
	free(umasks.items);
	return err;
}

static int explain(int ret, const char *name, struct buf *why)
{
	bool unknown = ret == PFM_ERR_NOTFOUND || ret == PFM_ERR_NOINIT || ret == PFM_ERR_NOTSUPP;
	int err;

	if (ret == PFM_ERR_NOMEM)
		return -ENOMEM;
	if (!why)
		return unknown ? -ENOENT : -EINVAL;
	if (unknown)
		return explain_unknown(name, why);
	err = buf__printf(why, "libpfm4 refuses '%.128s': %s", name, pfm_strerror(ret));
	if (!err && (ret == PFM_ERR_ATTR || ret == PFM_ERR_UMASK || ret == PFM_ERR_FEATCOMB))
		err = put_umasks(name, why);
	return err ? err : -EINVAL;
}

int vendor__encode(const char *name, struct perf_event_attr *attr, struct buf *why)
{
	struct perf_event_attr encoded = *attr;
	pfm_perf_encode_arg_t arg = { .attr = &encoded, .size = sizeof(arg) };
	int ret = initialize();

	/* It writes no more of the struct than this says. */
	encoded.size = sizeof(encoded);
	if (ret == PFM_SUCCESS)
		ret = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3 | PFM_PLMH,
						PFM_OS_PERF_EVENT, &arg);
	if (is_generic(name))
		ret = PFM_ERR_NOTFOUND;
	if (ret != PFM_SUCCESS)
		return explain(ret, name, why);
	/* Its default leaves guests out; that of our other events does not. */
	if (!strcasestr(name, ":mh") && !strcasestr(name, ":mg"))
		encoded.exclude_guest = encoded.exclude_host = 0;
	encoded.size = attr->size;
	*attr = encoded;
	return 0;
}

#else

int vendor__encode(const char *name, struct perf_event_attr *attr, struct buf *why)
{
	if (why && buf__puts(why, "names of the CPU's manual need a pmutrace built with libpfm4"))
		return -ENOMEM;
	return -EOPNOTSUPP;
}

int vendor__list(int (*fn)(void *arg, const struct vendor_event *ev), void *arg)
{
	return -EOPNOTSUPP;
}

#endif
