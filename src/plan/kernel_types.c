// SPDX-License-Identifier: BSD-2-Clause
/* A cache of BTF objects, vmlinux and modules, freed when the last user puts it back. */
#include "plan/kernel_types.h"

#include <bpf/btf.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The kernel itself has an empty name, and comes first. */
struct module {
	char *name;
	struct btf *btf;
};

static struct {
	pthread_mutex_t lock;
	struct module *modules;
	size_t nr, cap;
	unsigned users;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct btf *find(const char *name)
{
	for (size_t i = 0; i < all.nr; i++)
		if (!strcmp(all.modules[i].name, name))
			return all.modules[i].btf;
	return NULL;
}

static int load(const char *name)
{
	struct module m = { .name = strdup(name) };
	int err = m.name ? array__grow(&all.modules, &all.cap, all.nr + 1) : -ENOMEM;

	if (!err) {
		/* libbpf returns ESRCH if the kernel has no BTF. */
		m.btf = *name ? btf__load_module_btf(name, all.modules[0].btf)
			      : btf__load_vmlinux_btf();
		err = m.btf ? 0 : errno == ESRCH ? -ENOENT : -errno;
	}
	if (err) {
		free(m.name);
		return err;
	}
	all.modules[all.nr++] = m;
	return 0;
}

static void forget(void)
{
	/* Modules' BTF is split BTF, based on the kernel's: freed before it. */
	while (all.nr) {
		btf__free(all.modules[--all.nr].btf);
		free(all.modules[all.nr].name);
	}
	free(all.modules);
	all.modules = NULL;
	all.cap = 0;
}

int kernel_types__get(const char *module, struct btf **out)
{
	int err = 0;

	if (!module)
		module = "";
	pthread_mutex_lock(&all.lock);
	if (!find(""))
		err = load("");
	if (!err && !find(module))
		err = load(module);
	*out = err ? NULL : find(module);
	if (!err)
		all.users++;
	else if (!all.users)
		forget();
	pthread_mutex_unlock(&all.lock);
	return err;
}

void kernel_types__put(void)
{
	pthread_mutex_lock(&all.lock);
	if (!--all.users)
		forget();
	pthread_mutex_unlock(&all.lock);
}
