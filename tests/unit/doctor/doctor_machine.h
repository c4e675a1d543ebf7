/* SPDX-License-Identifier: BSD-2-Clause */
/* doctor_machine.h - a machine for the doctor: a tree with what /proc and /sys say, and tries. */
#ifndef PMUTRACE_TESTS_UNIT_DOCTOR_DOCTOR_MACHINE_H
#define PMUTRACE_TESTS_UNIT_DOCTOR_DOCTOR_MACHINE_H

#include <ctype.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/doctor.h"
#include "lookup/lookup_reader.h"

#define ALL_CAPS "000001ffffffffff"
#define NO_CAPS	 "0000000000000000"

struct machine {
	char root[64];
	struct doctor_tries tries; /* all work, until a test says otherwise */
	struct lookup_reader *glances;
	struct findings f;
};

static void put(const struct machine *m, const char *path, const char *text)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", m->root, path);
	for (char *p = full + strlen(m->root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static inline void take(const struct machine *m, const char *path)
{
	char full[512];

	snprintf(full, sizeof(full), "%s%s", m->root, path);
	assert_int_equal(remove(full), 0);
}

static inline void link_to(const struct machine *m, const char *path, const char *to)
{
	char full[512];

	put(m, path, "");
	take(m, path);
	snprintf(full, sizeof(full), "%s%s", m->root, path);
	assert_int_equal(symlink(to, full), 0);
}

static inline void put_status(const struct machine *m, const char *caps, const char *more)
{
	char text[512];

	snprintf(text, sizeof(text), "Name:\tpmutrace\nCapInh:\t%s\nCapEff:\t%s\nCapBnd:\t%s\n%s",
		 NO_CAPS, caps, ALL_CAPS, more);
	put(m, "/proc/self/status", text);
}

/* A machine where nothing is missing, 2 CPUs, and root. */
static int setup(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));

	strcpy(m->root, "/tmp/doctor_test.XXXXXX");
	assert_non_null(mkdtemp(m->root));
	put(m, "/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
	put(m, "/proc/sys/kernel/perf_event_paranoid", "2\n");
	put(m, "/proc/sys/kernel/kptr_restrict", "0\n");
	put(m, "/proc/sys/kernel/unprivileged_bpf_disabled", "2\n");
	put(m, "/proc/sys/kernel/perf_event_max_sample_rate", "100000\n");
	put(m, "/proc/sys/kernel/perf_event_max_stack", "127\n");
	put(m, "/proc/sys/kernel/perf_event_mlock_kb", "516\n");
	put(m, "/proc/sys/kernel/nmi_watchdog", "0\n");
	put(m, "/proc/sys/net/core/bpf_jit_enable", "1\n");
	put(m, "/proc/kallsyms",
	    "0000000000000000 A fixed_percpu_data\nffffffff81000000 T _text\n");
	put(m, "/proc/mounts", "tracefs /sys/kernel/tracing tracefs rw 0 0\n");
	put(m, "/proc/self/limits",
	    "Limit                     Soft Limit           Hard Limit           Units     \n"
	    "Max open files            1024                 1048576              files     \n"
	    "Max locked memory         8388608              8388608              bytes     \n");
	put_status(m, ALL_CAPS, "NSpid:\t42\nSeccomp:\t0\n");
	link_to(m, "/proc/self/ns/pid", "pid:[4026531836]");
	link_to(m, "/proc/self/ns/user", "user:[4026531837]");
	put(m, "/sys/devices/system/cpu/online", "0-1\n");
	put(m, "/sys/kernel/btf/vmlinux", "");
	put(m, "/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	put(m, "/sys/kernel/security/lsm", "lockdown,capability\n");
	put(m, "/sys/kernel/tracing/events/enable", "0\n");
	put(m, "/sys/bus/event_source/devices/cpu/type", "4\n");
	put(m, "/sys/bus/event_source/devices/kprobe/type", "6\n");
	put(m, "/sys/bus/event_source/devices/uprobe/type", "7\n");
	m->tries.stacks = (struct doctor_stacks){
		.by_rules = true,
		.ns = 300000000,
		.losses = { .seen = 1000, .kept = 1000 },
	};
	*state = m;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static int teardown(void **state)
{
	struct machine *m = *state;
	int err = nftw(m->root, remove_one, 8, FTW_DEPTH | FTW_PHYS);

	findings__free(&m->f);
	lookup_reader__free(m->glances);
	buf__free(&m->tries.profile_why);
	free(m);
	return err;
}

static void examine(struct machine *m)
{
	const struct doctor_opts opts = { .root = m->root,
					  .program = "/usr/bin/pmutrace",
					  .tries = &m->tries,
					  .glances = m->glances };

	findings__free(&m->f);
	assert_int_equal(doctor__examine(&m->f, &opts), 0);
}

static const struct finding *find(const struct machine *m, const char *name)
{
	for (size_t i = 0; i < m->f.nr; i++)
		if (!strcmp(m->f.items[i].name, name))
			return &m->f.items[i];
	fail_msg("no finding %s", name);
	return NULL;
}

static inline void assert_state(const struct machine *m, const char *name, const char *state)
{
	const struct finding *x = find(m, name);

	if (strcmp(finding_state__name(x->state), state) != 0)
		fail_msg("%s is %s (%s), not %s", name, finding_state__name(x->state), x->found,
			 state);
}

static inline void assert_fix(const struct machine *m, const char *name, const char *fix)
{
	const struct finding *x = find(m, name);

	assert_non_null(x->fix);
	assert_string_equal(x->fix, fix);
}

/* Puts the text there, looks again, and says what the finding is then. */
static inline const char *with(struct machine *m, const char *path, const char *text,
			       const char *name)
{
	put(m, path, text);
	examine(m);
	return finding_state__name(find(m, name)->state);
}

static bool is_kebab(const char *s)
{
	for (; *s; s++)
		if (!islower((unsigned char)*s) && *s != '-')
			return false;
	return true;
}

/* The rules of model/findings.h, whatever the machine. */
static inline void assert_sane(const struct machine *m)
{
	assert_true(m->f.nr > 20);
	for (size_t i = 0; i < m->f.nr; i++) {
		const struct finding *x = &m->f.items[i];

		assert_true(is_kebab(x->name) && is_kebab(x->area));
		assert_true(*x->found);
		if (x->state != FINDING_OK && !(x->cost && *x->cost && x->fix && *x->fix))
			fail_msg("%s (%s) does not say what it costs and what the fix is", x->name,
				 x->found);
		for (size_t j = 0; j < i; j++) {
			const struct finding *y = &m->f.items[j];

			if (strcmp(x->name, y->name) == 0)
				assert_true(x->subject && y->subject &&
					    strcmp(x->subject, y->subject) != 0);
		}
	}
}

#endif
