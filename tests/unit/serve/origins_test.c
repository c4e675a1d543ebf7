// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "model/profile.h"
#include "serve/origins.h"

#define ID     "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define POD_ID "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define PODS   "/kubepods.slice/kubepods-pod1111.slice/cri-containerd-" POD_ID ".scope"

static const struct origins_opts nowhere = { .root = "/nowhere" };

static void write_file(const char *path, const char *text)
{
	char dir[512];
	FILE *f;

	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path);
		(void)mkdir(dir, 0777);
	}
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* A row of a command in a cgroup, and of a process. */
static void add_of(struct profile *p, const char *comm, const char *cgroup, uint32_t pid,
		   uint64_t samples)
{
	struct frame frame = { .kind = FRAME_COMM };
	struct row_key key = { .pid = pid };
	uint32_t id;

	assert_int_equal(profile__string(p, comm, strlen(comm), &frame.name), 0);
	assert_int_equal(profile__frame(p, &frame, &id), 0);
	assert_int_equal(profile__child(p, 0, id, &key.stack), 0);
	assert_int_equal(profile__string(p, cgroup, strlen(cgroup), &key.cgroup), 0);
	assert_int_equal(profile__add(p, &key, samples, samples * 10, NULL), 0);
	p->losses.seen += samples;
	p->losses.kept += samples;
}

static void add(struct profile *p, const char *comm, const char *cgroup, uint64_t samples)
{
	add_of(p, comm, cgroup, 0, samples);
}

static struct profile *new_profile(void)
{
	const struct profile_event event = { .name = "cycles", .unit = "", .hz = 99 };
	struct profile *p = profile__new();
	uint32_t id;

	assert_non_null(p);
	assert_int_equal(profile__event(p, &event, &id), 0);
	p->by = BY_COMM | BY_CGROUP;
	p->duration_ns = 7;
	return p;
}

/* "name=value ..", and what its profile has: "=SAMPLES/WEIGHT in ROWS, seen SEEN". */
static const char *described(const struct origin *o)
{
	static char text[1024];
	size_t len = snprintf(text, sizeof(text), "%s:", o->whose);

	for (size_t i = 0; i < o->nr_labels; i++)
		len += snprintf(text + len, sizeof(text) - len, " %s=%s", o->labels[i].name,
				o->labels[i].value);
	snprintf(text + len, sizeof(text) - len, " %llu/%llu in %zu, seen %llu",
		 (unsigned long long)o->profile->events[0].samples,
		 (unsigned long long)o->profile->events[0].weight, o->profile->nr_rows,
		 (unsigned long long)o->profile->losses.seen);
	return text;
}

static void each_has_its_own(void **state)
{
	const struct loss loss = { .name = "table_full", .text = "t", .n = 5 };
	struct profile *p = new_profile();
	const struct origin *parts;
	struct origins *o;
	size_t nr;

	add(p, "nginx", "/system.slice/nginx.service", 3);
	add(p, "sh", "/system.slice/nginx.service/sub", 4);
	add(p, "getty", "/system.slice/system-getty.slice/getty@tty1.service", 1);
	add(p, "bash", "/user.slice/user-0.slice/user@0.service/x", 2);
	add(p, "kworker", "/", 6);
	add(p, "gone", "[cgroup 17]", 1);
	add(p, "web", "/system.slice/docker-" ID ".scope", 7);
	add(p, "web", "/system.slice/docker-" ID ".scope/init.scope", 8);
	losses__add(&p->losses, &loss);
	p->losses.seen += 5;

	assert_int_equal(origins__open(&o, &nowhere), 0);
	assert_int_equal(origins__split(o, p, &parts, &nr), 0);
	assert_int_equal(nr, 4);
	/* All losses are the host's. */
	assert_string_equal(described(&parts[0]), "host: service_name=host 9/90 in 3, seen 14");
	assert_int_equal(parts[0].profile->losses.by[0].n, 5);
	assert_string_equal(described(&parts[1]),
			    "nginx.service: unit=nginx.service service_name=nginx 7/70 in 2, seen "
			    "7");
	assert_string_equal(described(&parts[2]), "getty@tty1.service: unit=getty@tty1.service "
						  "service_name=getty@tty1 1/10 in 1, seen 1");
	/* Of cgroups of one container the rows of one command are one. */
	assert_string_equal(described(&parts[3]), "docker:0123456789ab: container=0123456789ab "
						  "service_name=0123456789ab 15/150 in 1, seen 15");
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(parts[i].profile->by, BY_COMM);
		assert_int_equal(parts[i].profile->duration_ns, 7);
		assert_int_equal(parts[i].profile->losses.nr, i == 0);
	}
	profile__free(p);

	/* Whoever has no samples in a window is not there, but for the host's losses. */
	p = new_profile();
	add(p, "nginx", "/system.slice/nginx.service", 3);
	assert_int_equal(origins__split(o, p, &parts, &nr), 0);
	assert_int_equal(nr, 1);
	assert_string_equal(parts[0].whose, "nginx.service");
	profile__free(p);
	p = new_profile();
	add(p, "nginx", "/system.slice/nginx.service", 3);
	losses__add(&p->losses, &loss);
	assert_int_equal(origins__split(o, p, &parts, &nr), 0);
	assert_int_equal(nr, 2);
	assert_string_equal(described(&parts[0]), "host: service_name=host 0/0 in 0, seen 5");
	profile__free(p);
	p = new_profile();
	assert_int_equal(origins__split(o, p, &parts, &nr), 0);
	assert_int_equal(nr, 0);
	profile__free(p);
	origins__close(o);
}

static void containers_have_names(void **state)
{
	char root[] = "/tmp/pmutrace-origins.XXXXXX";
	char path[512];
	struct profile *p = new_profile();
	const struct origin *parts;
	struct origins *o;
	size_t nr;

	assert_non_null(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/var/lib/docker/containers/%s/config.v2.json", root, ID);
	write_file(path, "{\"Name\":\"/shop\"}");
	snprintf(path, sizeof(path),
		 "%s/run/containerd/io.containerd.runtime.v2.task/k8s.io/%s/config.json", root,
		 POD_ID);
	write_file(path, "{\"annotations\":{\"io.kubernetes.cri.container-name\":\"app\","
			 "\"io.kubernetes.cri.sandbox-name\":\"app-5f\","
			 "\"io.kubernetes.cri.sandbox-namespace\":\"prod\"}}");
	add(p, "a", "/docker/" ID, 1);
	add(p, "b", PODS, 2);
	assert_int_equal(origins__open(&o, &(struct origins_opts){ .root = root }), 0);
	assert_int_equal(origins__split(o, p, &parts, &nr), 0);
	assert_int_equal(nr, 2);
	assert_string_equal(described(&parts[0]),
			    "docker:shop: container=shop service_name=shop 1/10 in 1, seen 1");
	assert_string_equal(described(&parts[1]),
			    "pod:prod/app-5f/app: namespace=prod pod=app-5f container=app "
			    "service_name=app 2/20 in 1, seen 2");
	origins__close(o);
	profile__free(p);
	snprintf(path, sizeof(path), "rm -r %s", root);
	assert_int_equal(system(path), 0);
}

/* Containers come and go for ever: who is not seen any more is forgotten. */
static void memory_is_of_those_that_are_there(void **state)
{
	const struct origin *parts;
	struct origins *o;
	size_t nr;

	assert_int_equal(origins__open(&o, &nowhere), 0);
	for (int i = 0; i < 500; i++) {
		struct profile *p = new_profile();
		char path[64];

		snprintf(path, sizeof(path), "/system.slice/job%d.service", i);
		add(p, "job", path, 1);
		add(p, "always", "/system.slice/always.service", 1);
		assert_int_equal(origins__split(o, p, &parts, &nr), 0);
		assert_int_equal(nr, 2);
		profile__free(p);
	}
	origins__close(o);
}

static void containers_have_a_limit(void **state)
{
	struct profile *p = new_profile();
	const struct origin *parts;
	struct origins *o;
	char path[160];
	size_t nr;

	for (int i = 0; i < ORIGINS + 20; i++) {
		snprintf(path, sizeof(path), "/system.slice/job%d.service", i);
		add(p, "job", path, 1);
	}
	assert_int_equal(origins__open(&o, &nowhere), 0);
	assert_int_equal(origins__split(o, p, &parts, &nr), 0);
	assert_int_equal(nr, ORIGINS);
	assert_string_equal(described(&parts[0]), "host: service_name=host 21/210 in 1, seen 21");
	origins__close(o);
	profile__free(p);
}

/* 1 and 2: a shop and its version; 3: another instance of it; 4: no name; others: nothing. */
static const struct process_context *says(void *arg, uint32_t pid)
{
	static struct process_context all[5];

	strcpy(all[1].values[CONTEXT_SERVICE_NAME], "shop");
	strcpy(all[1].values[CONTEXT_SERVICE_VERSION], "7");
	all[2] = all[3] = all[1];
	strcpy(all[3].values[CONTEXT_SERVICE_INSTANCE], "b");
	strcpy(all[4].values[CONTEXT_ENVIRONMENT], "prod");
	++*(unsigned *)arg;
	return pid && pid < ARRAY_SIZE(all) ? &all[pid] : NULL;
}

static struct profile *profile_of_processes(void)
{
	struct profile *p = new_profile();

	p->by |= BY_PID;
	add_of(p, "sh", "/x", 1, 1);
	add_of(p, "sh", "/y", 2, 2);
	add_of(p, "sh", "/y", 3, 3);
	add_of(p, "ls", "/", 4, 4);
	add_of(p, "a", "/docker/" ID, 1, 5);
	add_of(p, "b", "/docker/" ID, 9, 6);
	add_of(p, "c", "/docker/" ID, 9, 7);
	return p;
}

static void processes_say_what_they_are(void **state)
{
	unsigned nr_asked = 0;
	const struct origins_opts opts = { .root = "/nowhere",
					   .context_of = says,
					   .arg = &nr_asked };
	struct profile *p = profile_of_processes();
	const struct origin *parts;
	struct origins *o;
	size_t nr;

	assert_int_equal(origins__open(&o, &opts), 0);
	assert_int_equal(origins__split(o, p, &parts, &nr), 0);
	assert_int_equal(nr, 5);
	/* Of the host's cgroups those that say the same are one, and so are their rows. */
	assert_string_equal(described(&parts[0]),
			    "host/shop: service_name=shop service.version=7 3/30 in 1, seen 3");
	assert_string_equal(described(&parts[1]),
			    "host/shop: service_name=shop service.instance.id=b service.version=7 "
			    "3/30 in 1, seen 3");
	assert_string_equal(described(&parts[2]),
			    "host/: service_name=host deployment.environment.name=prod 4/40 in 1, "
			    "seen 4");
	/* What a container is called stays: a process may say what it likes. */
	assert_string_equal(described(&parts[3]), "docker:0123456789ab: container=0123456789ab "
						  "service_name=0123456789ab 13/130 in 2, seen 13");
	assert_string_equal(described(&parts[4]),
			    "docker:0123456789ab/shop: container=0123456789ab service_name=shop "
			    "service.version=7 5/50 in 1, seen 5");
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(parts[i].profile->by, BY_COMM);
	assert_int_equal(nr_asked, 6);
	profile__free(p);

	/* The next window has them as they were. */
	p = profile_of_processes();
	assert_int_equal(origins__split(o, p, &parts, &nr), 0);
	assert_int_equal(nr, 5);
	assert_string_equal(described(&parts[0]),
			    "host/shop: service_name=shop service.version=7 3/30 in 1, seen 3");
	origins__close(o);
	profile__free(p);
}

static void pids_stay_where_they_are_wanted(void **state)
{
	unsigned nr_asked = 0;
	const struct origins_opts opts = {
		.root = "/nowhere", .context_of = says, .arg = &nr_asked, .keeps_pids = true
	};
	struct profile *p = profile_of_processes();
	const struct origin *parts;
	struct origins *o;
	size_t nr;

	assert_int_equal(origins__open(&o, &opts), 0);
	assert_int_equal(origins__split(o, p, &parts, &nr), 0);
	assert_int_equal(parts[0].profile->by, BY_COMM | BY_PID);
	assert_string_equal(described(&parts[0]),
			    "host/shop: service_name=shop service.version=7 3/30 in 2, seen 3");
	assert_int_equal(parts[0].profile->rows[1].key.pid, 2);
	origins__close(o);
	profile__free(p);
}

/* A service of its own for each process. */
static const struct process_context *says_its_number(void *arg, uint32_t pid)
{
	struct process_context *all = arg;

	snprintf(all->values[CONTEXT_SERVICE_NAME], sizeof(all->values[0]), "s%u", pid);
	return all;
}

/* Anybody can publish anything: containers keep room. */
static void contexts_have_a_limit(void **state)
{
	struct process_context one = {};
	const struct origins_opts opts = { .root = "/nowhere",
					   .context_of = says_its_number,
					   .arg = &one };
	struct profile *p = new_profile();
	const struct origin *parts;
	struct origins *o;
	size_t nr;

	p->by |= BY_PID;
	for (uint32_t i = 1; i <= ORIGINS_BY_CONTEXT + 7; i++)
		add_of(p, "sh", "/", i, 1);
	add_of(p, "web", "/docker/" ID, 1000, 1);
	assert_int_equal(origins__open(&o, &opts), 0);
	assert_int_equal(origins__split(o, p, &parts, &nr), 0);
	assert_int_equal(nr, ORIGINS_BY_CONTEXT + 2);
	assert_string_equal(described(&parts[0]), "host: service_name=host 7/70 in 1, seen 7");
	assert_string_equal(described(&parts[nr - 1]),
			    "docker:0123456789ab: container=0123456789ab "
			    "service_name=0123456789ab 1/10 in 1, seen 1");
	origins__close(o);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_say_what_they_are),
		cmocka_unit_test(pids_stay_where_they_are_wanted),
		cmocka_unit_test(contexts_have_a_limit),
		cmocka_unit_test(each_has_its_own),
		cmocka_unit_test(containers_have_names),
		cmocka_unit_test(containers_have_a_limit),
		cmocka_unit_test(memory_is_of_those_that_are_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
