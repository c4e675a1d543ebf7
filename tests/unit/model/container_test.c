// SPDX-License-Identifier: BSD-2-Clause
/* Containers by the paths of their cgroups, and their names in files of runtimes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "live/containers.h"

#define ID  "1a2b3c4d5e6f00000000000000000000000000000000000000000000000000ff"
#define ID2 "ffffffffffff00000000000000000000000000000000000000000000000000ff"
#define UID "1234abcd-0000-1111-2222-333344445555"

static void assert_shown(const char *path, const char *shown)
{
	struct container c;
	struct buf text = {};

	assert_true(container__parse(path, &c));
	assert_int_equal(container__put(&text, &c, NULL), 0);
	assert_string_equal(text.data, shown);
	buf__free(&text);
}

static void paths_tell_runtime_and_id(void **state)
{
	(void)state;
	assert_shown("/system.slice/docker-" ID ".scope", "docker:1a2b3c4d5e6f");
	assert_shown("/docker/" ID, "docker:1a2b3c4d5e6f");
	assert_shown("/machine.slice/libpod-" ID ".scope", "podman:1a2b3c4d5e6f");
	assert_shown("/machine.slice/libpod-" ID ".scope/container",
		     "podman:1a2b3c4d5e6f/container");
	assert_shown("/machine.slice/crio-" ID ".scope", "crio:1a2b3c4d5e6f");
	assert_shown("/else/" ID, "container:1a2b3c4d5e6f");
	assert_shown("/lxc.payload.web/init.scope", "lxc:web/init.scope");
	assert_shown("/lxc/db", "lxc:db");
	assert_shown("/machine.slice/machine-vm1.scope", "machine:vm1");
	/* The innermost. */
	assert_shown("/docker/" ID "/docker/" ID2, "docker:ffffffffffff");
}

static void pods_are_told_by_their_uid(void **state)
{
	(void)state;
	assert_shown("/kubepods.slice/kubepods-burstable.slice/"
		     "kubepods-burstable-pod1234abcd_0000_1111_2222_333344445555.slice/"
		     "cri-containerd-" ID ".scope",
		     "pod:1234abcd/1a2b3c4d5e6f");
	assert_shown("/kubelet.slice/kubelet-kubepods.slice/"
		     "kubelet-kubepods-pod1234abcd_0000_1111_2222_333344445555.slice/"
		     "cri-containerd-" ID ".scope",
		     "pod:1234abcd/1a2b3c4d5e6f");
	assert_shown("/kubepods/besteffort/pod" UID "/" ID, "pod:1234abcd/1a2b3c4d5e6f");
	assert_shown("/podracer/" ID, "container:1a2b3c4d5e6f");
}

static void others_are_no_containers(void **state)
{
	static const char *const paths[] = {
		"/",
		"/system.slice/ssh.service",
		"/docker/1a2b3c4d5e6f",
		"/docker/" ID "00",
		"/kubepods.slice/kubepods-pod1234abcd.slice",
		"",
	};
	struct container c;
	size_t len;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		assert_false(container__parse(paths[i], &c));
		assert_null(container__of_path(paths[i], &len));
	}
	/* What rows of `count --by container` show. */
	assert_string_equal(container__of_path("/docker/" ID, &len), ID);
	assert_int_equal(len, 12);
}

static int make_root(void **state)
{
	char *root = strdup("/tmp/container_test.XXXXXX");

	*state = root;
	return root && mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", (char *)*state);
	free(*state);
	return system(command);
}

static FILE *make_file(const char *root, const char *path)
{
	char full[PATH_MAX];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0777);
		*slash = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	return f;
}

static void put(const char *root, const char *path, const char *text)
{
	FILE *f = make_file(root, path);

	fputs(text, f);
	fclose(f);
}

static void assert_named(const char *root, const char *path, const char *name)
{
	struct container c;
	struct buf text = {};

	assert_true(container__parse(path, &c));
	assert_int_equal(containers__name(&text, root, &c), name ? 0 : -ENOENT);
	if (name)
		assert_string_equal(text.data, name);
	buf__free(&text);
}

static void docker_keeps_names(void **state)
{
	const char *root = *state;

	assert_named(root, "/docker/" ID, NULL);
	put(root, "/var/lib/docker/containers/" ID "/config.v2.json",
	    "{\"ID\": \"" ID "\", \"Name\": \"/web-1\"}");
	assert_named(root, "/docker/" ID, "web-1");
	assert_named(root, "/system.slice/docker-" ID ".scope/init.scope", "web-1");
	assert_named(root, "/docker/" ID2, NULL);
}

static void podman_keeps_a_list(void **state)
{
	const char *root = *state;

	put(root, "/var/lib/containers/storage/overlay-containers/containers.json",
	    "[{\"id\": \"other\", \"names\": [\"x\"]}, 7, {\"id\": \"" ID
	    "\", \"names\": [\"db\", \"y\"]}]");
	put(root, "/var/lib/containers/storage/overlay-containers/volatile-containers.json",
	    "[{\"id\": \"" ID2 "\", \"names\": [\"job\"]}]");
	assert_named(root, "/machine.slice/libpod-" ID ".scope", "db");
	assert_named(root, "/machine.slice/libpod-" ID2 ".scope", "job");
}

static void kubernetes_tells_runtimes(void **state)
{
	const char *root = *state;

	put(root, "/run/containerd/io.containerd.runtime.v2.task/k8s.io/" ID "/config.json",
	    "{\"annotations\": {\"io.kubernetes.cri.container-name\": \"nginx\","
	    "\"io.kubernetes.cri.sandbox-name\": \"web-0\","
	    "\"io.kubernetes.cri.sandbox-namespace\": \"shop\"}}");
	put(root, "/run/containers/storage/overlay-containers/" ID2 "/userdata/config.json",
	    "{\"annotations\": {\"io.kubernetes.container.name\": \"POD\"}}");
	assert_named(root, "/kubepods/besteffort/pod" UID "/" ID, "shop/web-0/nginx");
	assert_named(root, "/kubepods/besteffort/pod" UID "/crio-" ID2, "POD");
}

static void files_of_strangers(void **state)
{
	static const char path[] = "/var/lib/docker/containers/" ID "/config.v2.json";
	static const char *const texts[] = {
		"",
		"{",
		"null",
		"[]",
		"\"/x\"",
		"{\"Name\": null}",
		"{\"Name\": [1]}",
		"{\"Name\": \"\"}",
		"{}",
		"{\"Name\": \"/\"}",
		"{\"name\": \"x\"}",
		"\xff\xfe",
	};
	const char *root = *state;
	char full[PATH_MAX];
	FILE *f;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		put(root, path, texts[i]);
		assert_named(root, "/docker/" ID, NULL);
	}
	put(root, path, "{\"Name\": \"/a\\u001b[2J\\u0007b\"}");
	assert_named(root, "/docker/" ID, "a [2J b");
	/* Deeper than anything that is meant. */
	f = make_file(root, path);
	for (int i = 0; i < 100000; i++)
		fputs("{\"Name\":", f);
	fclose(f);
	assert_named(root, "/docker/" ID, NULL);
	/* Larger than is looked at: the name comes first. */
	f = make_file(root, path);
	fprintf(f, "{\"Name\": \"/big\", \"x\": \"%*s\"}", 9 << 20, "");
	fclose(f);
	assert_named(root, "/docker/" ID, NULL);
	/* Neither waits for somebody to write. */
	snprintf(full, sizeof(full), "%s%s", root, path);
	assert_int_equal(remove(full), 0);
	assert_int_equal(mkfifo(full, 0666), 0);
	assert_named(root, "/docker/" ID, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_tell_runtime_and_id),
		cmocka_unit_test(pods_are_told_by_their_uid),
		cmocka_unit_test(others_are_no_containers),
		cmocka_unit_test_setup_teardown(docker_keeps_names, make_root, remove_root),
		cmocka_unit_test_setup_teardown(podman_keeps_a_list, make_root, remove_root),
		cmocka_unit_test_setup_teardown(kubernetes_tells_runtimes, make_root, remove_root),
		cmocka_unit_test_setup_teardown(files_of_strangers, make_root, remove_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
