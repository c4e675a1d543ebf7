// SPDX-License-Identifier: BSD-2-Clause
/* Debug files from servers that have them, have not got them, hang, and send too much. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

#include "debug_server.h"

#include "base/buf.h"
#include "base/log.h"
#include "jail/cage.h"
#include "sym/debuginfod.h"

static const unsigned char id[] = { 0x01, 0x23, 0xab }, other_id[] = { 0x01, 0x23, 0xac };
static const char body[] = "what a server has sent";

/* What one test needs, made anew for each. */
struct fixture {
	char dir[64], cache[96];
	char notices[1024];
	bool has_library;
	struct debug_server server;
};

static void keep_notice(void *arg, enum log_level level, const char *text)
{
	struct fixture *x = arg;
	size_t len = strlen(x->notices);

	if (level == LOG_NOTICE)
		snprintf(x->notices + len, sizeof(x->notices) - len, "%s\n", text);
}

static void put(const struct fixture *x, const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", x->dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static int set_up(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));
	void *library = dlopen("libdebuginfod.so.1", RTLD_LAZY);

	if (!x)
		return -1;
	x->has_library = library;
	if (library)
		dlclose(library);
	snprintf(x->dir, sizeof(x->dir), "/tmp/debuginfod-test.XXXXXX");
	if (!mkdtemp(x->dir) || chmod(x->dir, 0755))
		return -1;
	snprintf(x->cache, sizeof(x->cache), "%s/cache", x->dir);
	setenv("DEBUGINFOD_TIMEOUT", "1", true);
	setenv("DEBUGINFOD_MAXTIME", "20", true);
	setenv("DEBUGINFOD_MAXSIZE", "1000000", true);
	log__set_sink(keep_notice, x);
	put(x, "0123ab", body);
	*state = x;
	return start_server(&x->server, x->dir);
}

static int tear_down(void **state)
{
	struct fixture *x = *state;
	char cmd[128];

	stop_server(&x->server);
	log__set_sink(NULL, NULL);
	snprintf(cmd, sizeof(cmd), "rm -r %s", x->dir);
	if (system(cmd))
		return -1;
	free(x);
	return 0;
}

static struct debuginfod_opts options(const struct fixture *x, const char *urls)
{
	return (struct debuginfod_opts){ .urls = urls,
					 .cache_path = x->cache,
					 .library = "libdebuginfod.so.1" };
}

/* Servers of the fixture by what they are to do: "ok silent". */
static struct debuginfod *open_servers(const struct fixture *x, const char *kinds)
{
	char urls[512] = "", all[128], *rest, *kind;
	struct debuginfod_opts opts = options(x, urls);
	struct buf why = {};
	struct debuginfod *d;

	snprintf(all, sizeof(all), "%s", kinds);
	if (!x->has_library)
		skip();
	for (kind = strtok_r(all, " ", &rest); kind; kind = strtok_r(NULL, " ", &rest))
		snprintf(urls + strlen(urls), sizeof(urls) - strlen(urls),
			 "http://127.0.0.1:%u/%s ", x->server.port, kind);
	if (debuginfod__open(&d, &opts, &why))
		fail_msg("%s", why.data);
	return d;
}

static int fetch(struct debuginfod *d, const unsigned char *build_id)
{
	const char *server;

	return debuginfod__fetch(d, build_id, sizeof(id), &server);
}

static void assert_body(int fd)
{
	char bytes[64] = "";

	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_int_equal(pread(fd, bytes, sizeof(bytes), 0), sizeof(body) - 1);
	assert_string_equal(bytes, body);
	close(fd);
}

/* Lines of the server's log. */
static unsigned nr_asked(const struct fixture *x)
{
	char path[128], line[256];
	unsigned nr = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/log", x->dir);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		nr++;
	if (f)
		fclose(f);
	return nr;
}

static void what_a_server_has_is_read(void **state)
{
	struct fixture *x = *state;
	struct debuginfod *d = open_servers(x, "ok");
	char text[DEBUGINFOD_PROGRESS_BYTES];
	const char *server = NULL;
	int fd = debuginfod__fetch(d, id, sizeof(id), &server);

	assert_body(fd);
	assert_non_null(strstr(server, "/ok"));
	assert_body(fetch(d, id)); /* kept: it is not asked for again */
	assert_int_equal(nr_asked(x), 1);
	debuginfod__progress(d, text);
	assert_string_equal(text, "");
	debuginfod__close(d);
	assert_string_equal(x->notices, "");
}

static void what_nobody_has_is_no_failure(void **state)
{
	struct fixture *x = *state;
	struct debuginfod *d = open_servers(x, "ok");

	assert_int_equal(fetch(d, other_id), -ENOENT);
	assert_int_equal(fetch(d, other_id), -ENOENT);
	assert_int_equal(nr_asked(x), 1);
	assert_body(fetch(d, id)); /* it is still asked */
	assert_int_equal(debuginfod__fetch(d, id, 0, NULL), -ENOENT);
	assert_int_equal(debuginfod__fetch(d, (const unsigned char *)body, 65, NULL), -ENOENT);
	debuginfod__close(d);
	assert_string_equal(x->notices, "");
}

/* The library's own memory of what is missing does not tell servers apart. */
static void the_next_server_may_have_it(void **state)
{
	struct fixture *x = *state;
	struct debuginfod *d = open_servers(x, "none ok");

	assert_body(fetch(d, id));
	assert_int_equal(nr_asked(x), 2);
	debuginfod__close(d);
	assert_string_equal(x->notices, "");
}

static void a_server_that_hangs_is_asked_no_more(void **state)
{
	struct fixture *x = *state;
	struct debuginfod *d = open_servers(x, "silent ok");
	char want[128];

	assert_body(fetch(d, id));
	assert_int_equal(fetch(d, other_id), -ENOENT);
	assert_int_equal(nr_asked(x), 3);
	debuginfod__close(d);
	snprintf(want, sizeof(want),
		 "no more debug files from http://127.0.0.1:%u/silent: it took too long\n",
		 x->server.port);
	assert_string_equal(x->notices, want);
}

/* A port that does not even refuse: its queue of connections is full. */
static void a_server_that_cannot_be_reached_is_given_up(void **state)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct fixture *x = *state;
	struct debuginfod_opts opts;
	char urls[64], want[160];
	struct buf why = {};
	struct debuginfod *d;
	int full[8];
	unsigned port;
	int listener = listen_somewhere(&port, 0);

	if (!x->has_library)
		skip();
	assert_true(listener >= 0);
	at.sin_port = htons(port);
	for (size_t i = 0; i < ARRAY_SIZE(full); i++) {
		full[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		if (connect(full[i], (struct sockaddr *)&at, sizeof(at)))
			assert_int_equal(errno, EINPROGRESS);
	}
	snprintf(urls, sizeof(urls), "http://127.0.0.1:%u", port);
	opts = options(x, urls);
	assert_int_equal(debuginfod__open(&d, &opts, &why), 0);
	assert_int_equal(fetch(d, id), -ENOENT);
	assert_int_equal(fetch(d, id), -ENOENT);
	debuginfod__close(d);
	snprintf(want, sizeof(want), "no more debug files from %s: it took too long\n", urls);
	assert_string_equal(x->notices, want);
	for (size_t i = 0; i < ARRAY_SIZE(full); i++)
		close(full[i]);
	close(listener);
}

/* Nobody listens there once the socket is closed. Names and passwords are nobody's business. */
static void a_server_that_refuses_is_named_without_its_password(void **state)
{
	struct fixture *x = *state;
	struct debuginfod_opts opts;
	char urls[128], want[160], cmd[256];
	struct buf why = {};
	struct debuginfod *d;
	unsigned port = 0;

	if (!x->has_library)
		skip();
	close(listen_somewhere(&port, 1));
	snprintf(urls, sizeof(urls), "http://me:secret@127.0.0.1:%u/a@b", port);
	opts = options(x, urls);
	assert_int_equal(debuginfod__open(&d, &opts, &why), 0);
	assert_int_equal(fetch(d, id), -ENOENT);
	debuginfod__close(d);
	snprintf(want, sizeof(want),
		 "no more debug files from http://127.0.0.1:%u/a@b: Connection refused\n", port);
	snprintf(cmd, sizeof(cmd), "test -d %s && test -z \"$(find %s -name '*secret*')\"",
		 x->cache, x->cache);
	assert_int_equal(system(cmd), 0);
	assert_string_equal(x->notices, want);
}

static off_t biggest_below(const char *dir)
{
	struct dirent *e;
	char path[512];
	struct stat st;
	off_t max = 0, sub;
	DIR *d = opendir(dir);

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (*e->d_name == '.' || lstat(path, &st))
			continue;
		sub = S_ISDIR(st.st_mode) ? biggest_below(path) : st.st_size;
		max = sub > max ? sub : max;
	}
	if (d)
		closedir(d);
	return max;
}

static void too_much_is_not_taken(void **state)
{
	struct fixture *x = *state;
	struct debuginfod *d = open_servers(x, "endless large ok");
	char want[160];

	assert_body(fetch(d, id));
	assert_in_range(biggest_below(x->cache), 1, 1000000);
	assert_int_equal(nr_asked(x), 3);
	assert_int_equal(fetch(d, other_id), -ENOENT);
	debuginfod__close(d);
	/* A length that is told is an answer like any other. */
	snprintf(want, sizeof(want),
		 "no more debug files from http://127.0.0.1:%u/endless: "
		 "its file is too long, or cannot be written\n",
		 x->server.port);
	assert_string_equal(x->notices, want);
}

static void *fetch_on_thread(void *arg)
{
	return (void *)(intptr_t)fetch(arg, id);
}

static void closing_ends_a_fetch(void **state)
{
	struct fixture *x = *state;
	struct debuginfod *d = open_servers(x, "held");
	pthread_t thread;
	void *result;

	assert_int_equal(pthread_create(&thread, NULL, fetch_on_thread, debuginfod__hold(d)), 0);
	while (!nr_asked(x))
		usleep(10000);
	debuginfod__close(d); /* returns although nothing comes */
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_true((intptr_t)result < 0);
	debuginfod__release(d);
	assert_string_equal(x->notices, "");
}

static void progress_names_the_server(void **state)
{
	struct fixture *x = *state;
	struct debuginfod *d = open_servers(x, "held");
	char text[DEBUGINFOD_PROGRESS_BYTES] = "", want[64];
	pthread_t thread;
	void *result;

	assert_int_equal(pthread_create(&thread, NULL, fetch_on_thread, d), 0);
	while (!nr_asked(x))
		usleep(10000);
	debuginfod__progress(d, text);
	snprintf(want, sizeof(want), "http://127.0.0.1:%u/held", x->server.port);
	assert_string_equal(text, want);
	put(x, "go", "");
	assert_int_equal(pthread_join(thread, &result), 0);
	close((int)(intptr_t)result);
	debuginfod__close(d);
}

/* Our child that fetches, of which there is one at a time; 0: there is none. */
static pid_t fetcher_of(pid_t parent)
{
	char path[320], line[256], name[32] = "";
	pid_t pid = 0, its_parent;
	struct dirent *e;
	DIR *d = opendir("/proc");
	FILE *f;

	while (d && !pid && (e = readdir(d))) {
		snprintf(path, sizeof(path), "/proc/%s/stat", e->d_name);
		f = fopen(path, "r");
		if (f && fgets(line, sizeof(line), f) &&
		    sscanf(line, "%*d (%31[^)]) %*c %d", name, &its_parent) == 2 &&
		    its_parent == parent && !strcmp(name, "debuginfod-get"))
			pid = atoi(e->d_name);
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
	return pid;
}

static bool status_has(pid_t pid, const char *want)
{
	char path[64], line[256];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		found = found || !strncmp(line, want, strlen(want));
	fclose(f);
	return found;
}

static void it_has_no_privileges(void **state)
{
	struct debuginfod *d = open_servers(*state, "ok");
	pid_t pid = fetcher_of(getpid());
	char want[64];

	assert_true(pid > 0);
	snprintf(want, sizeof(want), "Uid:\t%u\t%u\t%u\t%u", CAGE_UID, CAGE_UID, CAGE_UID,
		 CAGE_UID);
	assert_true(geteuid() || status_has(pid, want));
	assert_true(status_has(pid, "CapPrm:\t0000000000000000"));
	assert_true(status_has(pid, "CapEff:\t0000000000000000"));
	assert_true(status_has(pid, "NoNewPrivs:\t1"));
	debuginfod__close(d);
	assert_int_equal(fetcher_of(getpid()), 0);
}

/* It is in the middle of a download, and has no time to look. */
static void it_ends_with_us(void **state)
{
	struct fixture *x = *state;
	int ends[2], status;
	pid_t pid, child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child) {
		struct debuginfod *d = open_servers(x, "held");
		pthread_t thread;

		pid = fetcher_of(getpid());
		if (pthread_create(&thread, NULL, fetch_on_thread, d))
			_exit(1);
		while (!nr_asked(x))
			usleep(10000);
		if (write(ends[1], &pid, sizeof(pid)) != sizeof(pid))
			_exit(1);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(read(ends[0], &pid, sizeof(pid)), sizeof(pid));
	assert_true(pid > 0);
	/* Init, or who stands for it, has to wait for it. */
	for (unsigned i = 0; i < 1000 && !kill(pid, 0) && !status_has(pid, "State:\tZ"); i++)
		usleep(10000);
	assert_true(kill(pid, 0) || status_has(pid, "State:\tZ"));
	close(ends[0]);
	close(ends[1]);
}

static void assert_refused(const struct debuginfod_opts *opts, const char *want)
{
	struct buf why = {};
	struct debuginfod *d;

	assert_true(debuginfod__open(&d, opts, &why) < 0);
	assert_null(d);
	if (!strstr(why.data, want))
		fail_msg("'%s' should be in: %s", want, why.data);
	buf__free(&why);
}

static void without_servers_or_library_it_says_so(void **state)
{
	struct debuginfod_opts opts = options(*state, NULL);

	assert_refused(&opts, "--preserve-env=DEBUGINFOD_URLS");
	opts.urls = " \n";
	assert_refused(&opts, "DEBUGINFOD_URLS, which is not set");
	opts.urls = "http://127.0.0.1:1";
	opts.library = "libno-such-thing.so.1";
	assert_refused(&opts, "install libdebuginfod1");
	opts.library = "libm.so.6";
	assert_refused(&opts, "another library");
}

static void a_place_for_all_is_no_place_for_roots_files(void **state)
{
	struct fixture *x = *state;
	struct debuginfod_opts opts = options(x, "http://127.0.0.1:1");
	char sub[128];

	if (geteuid())
		skip();
	assert_int_equal(mkdir(x->cache, 0700), 0);
	assert_int_equal(chmod(x->cache, 0777), 0);
	assert_refused(&opts, "others may write to it");
	assert_int_equal(chmod(x->cache, 0755), 0);
	assert_int_equal(chown(x->cache, 1234, 0), 0);
	assert_refused(&opts, "others may write to it");
	assert_int_equal(chown(x->cache, 0, 0), 0);
	snprintf(sub, sizeof(sub), "%s/debuginfod", x->cache);
	assert_int_equal(mkdir(sub, 0700), 0);
	assert_int_equal(chown(sub, 1234, 0), 0);
	assert_refused(&opts, "others may write to it");
	assert_int_equal(rmdir(sub), 0);
	assert_int_equal(symlink("/etc", sub), 0);
	assert_refused(&opts, "no directory");
}

#define ON(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON(what_a_server_has_is_read),
		ON(what_nobody_has_is_no_failure),
		ON(the_next_server_may_have_it),
		ON(a_server_that_hangs_is_asked_no_more),
		ON(a_server_that_cannot_be_reached_is_given_up),
		ON(a_server_that_refuses_is_named_without_its_password),
		ON(too_much_is_not_taken),
		ON(closing_ends_a_fetch),
		ON(progress_names_the_server),
		ON(it_has_no_privileges),
		ON(it_ends_with_us),
		ON(without_servers_or_library_it_says_so),
		ON(a_place_for_all_is_no_place_for_roots_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
