// SPDX-License-Identifier: BSD-2-Clause
/* Reads lists of CPUs and their topology from sysfs, and checks typed lists against them. */
#include "machine/cpus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/parse.h"

enum { CPUS_MAX = 1 << 16 };

static int read_list(const char *root, const char *name, uint32_t **cpus, size_t *nr)
{
	struct buf text = {};
	char path[4096];
	int err;

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/%s", root, name);
	err = buf__read_file(&text, path, 65536);
	if (!err) {
		while (text.len && text.data[text.len - 1] == '\n')
			text.data[--text.len] = '\0';
		err = parse__list(text.data, CPUS_MAX, cpus, nr);
	}
	buf__free(&text);
	return err;
}

int cpus__online(const char *root, uint32_t **cpus, size_t *nr)
{
	return read_list(root, "online", cpus, nr);
}

int cpus__tickless(const char *root, uint32_t **cpus, size_t *nr)
{
	int err = read_list(root, "nohz_full", cpus, nr);

	/* Without such CPUs it is empty, or "(null)". */
	if (err == -ENOENT || err == -EINVAL) {
		*cpus = NULL;
		*nr = 0;
		err = 0;
	}
	return err;
}

int cpus__are_online(const char *root, bool *online, size_t nr)
{
	uint32_t *cpus;
	size_t listed;
	int err = cpus__online(root, &cpus, &listed);

	memset(online, 0, nr * sizeof(*online));
	if (err)
		return err;
	for (size_t i = 0; i < listed; i++)
		if (cpus[i] < nr)
			online[cpus[i]] = true;
	free(cpus);
	return 0;
}

int cpus__possible(const char *root, uint32_t *nr)
{
	uint32_t *cpus;
	size_t n;
	int err = read_list(root, "possible", &cpus, &n);

	if (err)
		return err;
	*nr = n ? cpus[n - 1] + 1 : 1;
	free(cpus);
	return 0;
}

/* *bad: the first of @cpus that is not online. Both lists are sorted. */
static int check_online(const char *root, const uint32_t *cpus, size_t nr, uint32_t *bad)
{
	uint32_t *online;
	size_t nr_online, k = 0;
	int err = cpus__online(root, &online, &nr_online);

	if (err)
		return err;
	for (size_t i = 0; i < nr && !err; i++) {
		while (k < nr_online && online[k] < cpus[i])
			k++;
		if (k < nr_online && online[k] == cpus[i])
			continue;
		*bad = cpus[i];
		err = -ENODEV;
	}
	free(online);
	return err;
}

int cpus__parse(const char *root, const char *text, uint32_t **cpus, size_t *nr, uint32_t *bad)
{
	uint32_t possible;
	int err = cpus__possible(root, &possible);

	*cpus = NULL;
	*nr = 0;
	*bad = 0;
	if (err)
		return err;
	err = parse__list(text, possible - 1, cpus, nr);
	if (err == -ERANGE)
		*bad = possible - 1;
	if (err)
		return err;
	err = check_online(root, *cpus, *nr, bad);
	if (err) {
		free(*cpus);
		*cpus = NULL;
		*nr = 0;
	}
	return err;
}

static int read_number(const char *root, uint32_t cpu, const char *name, uint32_t *out)
{
	struct buf text = {};
	char path[4096];
	int err;

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%u/topology/%s", root, cpu,
		 name);
	err = buf__read_file(&text, path, 64);
	/* -1 where the firmware does not say. */
	if (!err)
		*out = text.len && text.data[0] != '-' ? strtoul(text.data, NULL, 10) : 0;
	buf__free(&text);
	return err;
}

int cpus__topology(const char *root, uint32_t cpu, uint32_t *core, uint32_t *socket)
{
	int err = read_number(root, cpu, "core_id", core);

	return err ? err : read_number(root, cpu, "physical_package_id", socket);
}
