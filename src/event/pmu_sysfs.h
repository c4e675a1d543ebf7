/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event/pmu_sysfs.h - files and folders below /sys/bus/event_source/devices.
 *
 * Names come from people as well as from the kernel: one with a '/' or ".." in it is -EINVAL.
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices*.
 */
#ifndef PMUTRACE_EVENT_PMU_SYSFS_H
#define PMUTRACE_EVENT_PMU_SYSFS_H

#include <stddef.h>

#include "base/array.h"
#include "base/buf.h"

/**
 * pmu_sysfs__list() - the names in a folder, sorted, numbers in them by value
 * @root: "" or a fixture tree
 * @pmu:  NULL: the folder of all PMUs
 * @dir:  NULL: the PMU's own folder; "format", "events"
 *
 * Return: 0, the caller calls pmu_sysfs__free(); -EFBIG: more than 65536; another -errno.
 */
int pmu_sysfs__list(const char *root, const char *pmu, const char *dir, char ***names,
		    size_t *nr) must_check;
void pmu_sysfs__free(char **names, size_t nr);

/* What a file says, without the newline, in place of what @out held. 0 or -errno. */
int pmu_sysfs__read(const char *root, const char *pmu, const char *dir, const char *file,
		    struct buf *out) must_check;

#endif
