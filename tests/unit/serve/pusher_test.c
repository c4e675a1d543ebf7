// SPDX-License-Identifier: BSD-2-Clause
/* Profiles are pushed to a backend that answers as it is told (tests/push_peer.pl). */
#include "profiles.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/parse.h"
#include "debug_server.h"
#include "descriptors.h"
#include "pushing.h"
#include "serve/pusher.h"

static const uint64_t SECOND = 1000000000;

struct peer {
	char dir[64];
	pid_t pid;
	unsigned port;
	unsigned nr_open;
	struct profile *profile;
};

static void path_in(const struct peer *p, const char *name, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s", p->dir, name);
}

/* Text of a file; "" if it is not there. */
static const char *text_of(const struct peer *p, const char *name)
{
	static char text[65536];
	char path[PATH_MAX];
	size_t n = 0;
	FILE *f;

	path_in(p, name, path);
	f = fopen(path, "r");
	if (f) {
		n = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
	}
	text[n] = '\0';
	return text;
}

/* From now on it answers so. */
static void answers(const struct peer *p, const char *how)
{
	char path[PATH_MAX], fresh[PATH_MAX];

	path_in(p, "how", path);
	path_in(p, "how.fresh", fresh);
	write_to(fresh, how, strlen(how));
	assert_int_equal(rename(fresh, path), 0);
}

static void start_peer(struct peer *p)
{
	const char *top = getenv("TOP");
	char script[PATH_MAX], path[PATH_MAX];

	snprintf(script, sizeof(script), "%s/tests/push_peer.pl", top ? top : ".");
	path_in(p, "port", path);
	unlink(path);
	p->pid = fork();
	if (!p->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		execlp("perl", "perl", script, p->dir, NULL);
		_exit(127);
	}
	for (unsigned i = 0; i < 500 && sscanf(text_of(p, "port"), "%u", &p->port) != 1; i++)
		usleep(10000);
	assert_true(p->port);
}

static void stop_peer(struct peer *p)
{
	kill(p->pid, SIGKILL);
	waitpid(p->pid, NULL, 0);
	p->pid = 0;
}

static int set_up(void **state)
{
	const struct profile_event e = { .name = "cpu-clock", .unit = "ns", .hz = 99 };
	struct peer *p = calloc(1, sizeof(*p));
	uint32_t id;

	p->nr_open = nr_open();
	strcpy(p->dir, "/tmp/pusher_test.XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	start_peer(p);
	p->profile = new_profile();
	assert_int_equal(profile__event(p->profile, &e, &id), 0);
	add_row(p->profile, id, 1, add_stack(p->profile, "csh", "umain", NULL), 3);
	*state = p;
	return 0;
}

static int tear_down(void **state)
{
	struct peer *p = *state;
	char command[128];

	if (p->pid)
		stop_peer(p);
	profile__free(p->profile);
	snprintf(command, sizeof(command), "rm -rf '%s'", p->dir);
	assert_int_equal(system(command), 0);
	assert_int_equal(nr_open(), p->nr_open);
	free(p);
	return 0;
}

/* Strings for pusher__open(), of which there is one at a time. */
struct words {
	char url[128], spool[PATH_MAX], token[PATH_MAX];
};

static struct pusher_opts opts_of(const struct peer *p, const char *scheme, struct words *w)
{
	snprintf(w->url, sizeof(w->url), "%s://127.0.0.1:%u", scheme, p->port);
	path_in(p, "spool", w->spool);
	return (struct pusher_opts){ .url = w->url, .spool = w->spool };
}

static struct pusher *open_pusher(const struct pusher_opts *o)
{
	struct buf why = {};
	struct pusher *pusher;

	if (pusher__open(&pusher, o, &why))
		fail_msg("%s", why.data);
	buf__free(&why);
	return pusher;
}

static struct pusher *open_plain(const struct peer *p)
{
	static struct words w;
	const struct pusher_opts o = opts_of(p, "pyroscope+http", &w);

	return open_pusher(&o);
}

static int put_at(struct pusher *pusher, const struct peer *p, const char *whose, uint64_t begin_ns)
{
	const struct push_label labels[] = { { "service_name", "web" }, { "container", whose } };
	const struct push_profile one = { .profile = p->profile,
					  .pprof = { .command = "profile", .weights = true },
					  .begin_ns = begin_ns,
					  .duration_ns = SECOND,
					  .labels = labels,
					  .nr_labels = 2,
					  .whose = whose };

	return pusher__put(pusher, &one);
}

static void put(struct pusher *pusher, const struct peer *p, const char *whose)
{
	assert_int_equal(put_at(pusher, p, whose, clock__wall_ns()), 0);
}

static uint64_t nr_in_spool(const struct peer *p)
{
	char path[PATH_MAX];
	uint64_t nr = 0;
	DIR *dir;

	path_in(p, "spool", path);
	dir = opendir(path);
	assert_non_null(dir);
	for (struct dirent *e; (e = readdir(dir));)
		nr += e->d_name[0] != '.';
	closedir(dir);
	return nr;
}

static uint64_t nr_requests(const struct peer *p)
{
	uint64_t nr = 0;

	for (const char *c = text_of(p, "log"); *c; c++)
		nr += *c == '\n';
	return nr;
}

static uint64_t nr_lost(const struct pusher_counts *c)
{
	uint64_t nr = 0;

	for (unsigned i = 0; i < PUSH_LOSSES; i++)
		nr += c->lost[i];
	return nr;
}

/* The directory is the witness of what is waiting. */
static void assert_account(const struct peer *p, const struct pusher_counts *c)
{
	assert_int_equal(c->found + c->put, c->sent + nr_lost(c) + c->waiting);
	assert_int_equal(c->waiting, nr_in_spool(p));
}

/* Until all is sent or lost, or so many requests have failed. */
static struct pusher_counts wait_until(struct pusher *pusher, uint64_t done, uint64_t failures)
{
	const uint64_t until_ns = clock__now_ns() + 20 * SECOND;
	struct pusher_counts c;

	do {
		assert_int_equal(pusher__poll(pusher, &c), 0);
		if (c.sent + nr_lost(&c) >= done && c.nr_failures >= failures)
			return c;
		usleep(5000);
	} while (clock__now_ns() < until_ns);
	fail_msg("%llu sent, %llu lost, %llu failures: %s", (unsigned long long)c.sent,
		 (unsigned long long)nr_lost(&c), (unsigned long long)c.nr_failures, c.error);
	return c;
}

static void assert_pushed(const struct peer *p, const char *kind, unsigned number,
			  const char *whose)
{
	char command[PATH_MAX], want[128];

	snprintf(command, sizeof(command), "tests/pushed.pl %s %s/%06u.body labels", kind, p->dir,
		 number);
	snprintf(want, sizeof(want), "__name__=process_cpu\ncontainer=%s\nservice_name=web\n",
		 whose);
	assert_output(command, want);
}

static void what_is_put_arrives(void **state)
{
	struct peer *p = *state;
	struct pusher *pusher = open_plain(p);
	struct pusher_counts c;

	for (unsigned i = 0; i < 3; i++)
		put(pusher, p, i == 1 ? "b" : "a");
	c = wait_until(pusher, 3, 0);
	assert_int_equal(c.sent, 3);
	assert_string_equal(c.error, "");
	assert_account(p, &c);
	assert_pushed(p, "pyroscope", 0, "a");
	assert_pushed(p, "pyroscope", 1, "b");
	assert_pushed(p, "pyroscope", 2, "a");
	assert_non_null(strstr(text_of(p, "log"), "POST /push.v1.PusherService/Push"));
	assert_non_null(strstr(text_of(p, "log"), " application/proto -\n"));
	pusher__close(pusher, 0, NULL);
}

static void each_kind_is_asked_in_its_own_way(void **state)
{
	struct peer *p = *state;
	struct pusher *pusher;
	struct words w;
	struct pusher_opts o = opts_of(p, "parca+http", &w);
	struct pusher_counts c;

	pusher = open_pusher(&o);
	put(pusher, p, "a");
	pusher__close(pusher, 10000, &c);
	assert_int_equal(c.sent, 1);
	assert_pushed(p, "parca", 0, "a");
	assert_non_null(strstr(text_of(p, "log"), "POST /api/profiles/writeraw"));
	o = opts_of(p, "otlp+http", &w);
	pusher = open_pusher(&o);
	put(pusher, p, "b");
	pusher__close(pusher, 10000, &c);
	assert_int_equal(c.sent, 1);
	assert_non_null(strstr(text_of(p, "log"), "POST /v1development/profiles"));
	assert_non_null(strstr(text_of(p, "log"), " application/x-protobuf -\n"));
	pusher = NULL;
	{
		char command[PATH_MAX];

		snprintf(command, sizeof(command), "tests/pushed.pl otlp %s/000001.body folded cpu",
			 p->dir);
		assert_output(command, "sh;main 3000\n");
	}
}

/* "TIME "how" .." of the i-th line of the log. */
static double time_of(const struct peer *p, unsigned i)
{
	const char *line = text_of(p, "log");

	while (i-- && line)
		line = strchr(line, '\n') + 1;
	return strtod(line, NULL);
}

static void a_pause_that_is_asked_for_is_kept(void **state)
{
	struct peer *p = *state;
	struct pusher *pusher = open_plain(p);
	struct pusher_counts c;

	answers(p, "1 429 after 2\n200\n");
	put(pusher, p, "a");
	c = wait_until(pusher, 0, 1);
	assert_string_equal(c.error, "HTTP 429");
	assert_account(p, &c);
	c = wait_until(pusher, 1, 1);
	assert_int_equal(c.sent, 1);
	assert_int_equal(nr_requests(p), 2);
	assert_true(time_of(p, 1) - time_of(p, 0) >= 2);
	assert_true(time_of(p, 1) - time_of(p, 0) < 4);
	pusher__close(pusher, 0, NULL);
}

/* What a backend cannot digest does not keep others waiting, and is tried again behind them. */
static void after_a_failure_the_next_one_is_tried(void **state)
{
	struct peer *p = *state;
	struct pusher *pusher;
	struct pusher_counts c;

	answers(p, "1 500 broken\n200\n");
	pusher = open_plain(p);
	put(pusher, p, "a");
	put(pusher, p, "b");
	c = wait_until(pusher, 2, 1);
	assert_int_equal(c.sent, 2);
	assert_int_equal(c.nr_failures, 1);
	assert_string_equal(c.error, "HTTP 500: broken");
	assert_account(p, &c);
	assert_int_equal(nr_requests(p), 3);
	assert_pushed(p, "pyroscope", 0, "b");
	assert_pushed(p, "pyroscope", 1, "a");
	pusher__close(pusher, 0, NULL);
}

static void what_is_refused_is_dropped_and_told(void **state)
{
	struct peer *p = *state;
	struct pusher *pusher = open_plain(p);
	struct pusher_counts c;

	answers(p, "1 400 no such \033[31mlabel\n200\n");
	put(pusher, p, "a");
	put(pusher, p, "b");
	c = wait_until(pusher, 2, 0);
	assert_int_equal(c.sent, 1);
	assert_int_equal(c.lost[PUSH_LOST_REFUSED], 1);
	assert_string_equal(c.error, "HTTP 400: no such  [31mlabel");
	assert_account(p, &c);
	pusher__close(pusher, 0, NULL);
}

/* Once a minute, with all that has been lost until then. */
static void people_are_told_once_a_minute(void **state)
{
	struct peer *p = *state;
	struct pusher *pusher = open_plain(p);
	struct pusher_counts c;
	struct buf said = {};
	char want[256];

	answers(p, "2 400 no\n1 410\n200\n");
	put(pusher, p, "a");
	c = wait_until(pusher, 1, 0);
	assert_int_equal(pusher__tell(pusher, &c, 1000 * SECOND, &said), 0);
	snprintf(want, sizeof(want),
		 "pushing to http://127.0.0.1:%u/push.v1.PusherService/Push: 1 profiles refused by "
		 "the backend, 0 are waiting: HTTP 400: no",
		 p->port);
	assert_string_equal(said.data, want);
	buf__clear(&said);
	put(pusher, p, "a");
	put(pusher, p, "a");
	c = wait_until(pusher, 3, 0);
	assert_int_equal(pusher__tell(pusher, &c, 1059 * SECOND, &said), 0);
	assert_int_equal(said.len, 0);
	assert_int_equal(pusher__tell(pusher, &c, 1060 * SECOND, &said), 0);
	assert_non_null(strstr(said.data, ": 3 profiles refused by the backend, 0 are waiting: "));
	buf__clear(&said);
	assert_int_equal(pusher__tell(pusher, &c, UINT64_MAX, &said), 0);
	assert_int_equal(said.len, 0);
	buf__free(&said);
	pusher__close(pusher, 0, NULL);
}

/* Of a spool that no body fits into, as of a disk that is full. */
static void what_cannot_be_written_is_lost_and_counted(void **state)
{
	struct peer *p = *state;
	struct words w;
	struct pusher_opts o = opts_of(p, "pyroscope+http", &w);
	struct pusher *pusher;
	struct pusher_counts c;

	o.spool_bytes = 10;
	pusher = open_pusher(&o);
	assert_int_equal(put_at(pusher, p, "a", clock__wall_ns()), -EFBIG);
	assert_int_equal(pusher__poll(pusher, &c), 0);
	assert_int_equal(c.put, 1);
	assert_int_equal(c.lost[PUSH_LOST_DISK], 1);
	assert_account(p, &c);
	pusher__close(pusher, 0, NULL);
}

/* Somebody has removed the directory: what is put then is lost, and counted. */
static void what_is_put_into_a_spool_that_is_gone_is_lost(void **state)
{
	struct peer *p = *state;
	struct pusher *pusher = open_plain(p);
	struct pusher_counts c;
	char path[PATH_MAX];

	path_in(p, "spool", path);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(put_at(pusher, p, "a", clock__wall_ns()), -ENOENT);
	assert_int_equal(pusher__poll(pusher, &c), 0);
	assert_int_equal(c.lost[PUSH_LOST_DISK], 1);
	assert_int_equal(c.waiting, 0);
	pusher__close(pusher, 0, NULL);
}

static void who_answers_nonsense_is_asked_again(void **state)
{
	static const char *const bad[] = { "1 garbage\n", "1 close\n", "1 503 full\n" };
	struct peer *p = *state;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct pusher *pusher = open_plain(p);
		struct pusher_counts c;

		answers(p, bad[i]);
		put(pusher, p, "a");
		c = wait_until(pusher, 1, 1);
		assert_int_equal(c.sent, 1);
		assert_string_not_equal(c.error, "");
		assert_account(p, &c);
		pusher__close(pusher, 0, NULL);
	}
	assert_int_equal(nr_requests(p), 6);
}

/* Who has said 200 has taken it, whatever comes then. */
static void what_comes_behind_a_good_status_is_as_it_may(void **state)
{
	struct peer *p = *state;
	struct pusher *pusher = open_plain(p);
	struct pusher_counts c;

	answers(p, "1 half\n1 endless\n1 slow 1\n200\n");
	for (unsigned i = 0; i < 4; i++)
		put(pusher, p, "a");
	c = wait_until(pusher, 4, 0);
	assert_int_equal(c.sent, 4);
	assert_int_equal(c.nr_failures, 0);
	assert_int_equal(nr_requests(p), 4);
	pusher__close(pusher, 0, NULL);
}

static void a_redirection_is_not_followed(void **state)
{
	struct peer *p = *state;
	struct pusher *pusher = open_plain(p);
	struct pusher_counts c;
	char how[64];

	snprintf(how, sizeof(how), "1 moved http://127.0.0.1:%u/elsewhere\n200\n", p->port);
	answers(p, how);
	put(pusher, p, "a");
	c = wait_until(pusher, 1, 1);
	assert_string_equal(c.error, "HTTP 302");
	assert_null(strstr(text_of(p, "log"), "T /elsewhere"));
	pusher__close(pusher, 0, NULL);
}

static void otlp_may_take_a_request_and_not_its_profiles(void **state)
{
	struct peer *p = *state;
	struct words w;
	const struct pusher_opts o = opts_of(p, "otlp+http", &w);
	struct pusher *pusher = open_pusher(&o);
	struct pusher_counts c;

	answers(p, "1 partial 1 too many\n200\n");
	put(pusher, p, "a");
	put(pusher, p, "b");
	c = wait_until(pusher, 2, 0);
	assert_int_equal(c.sent, 1);
	assert_int_equal(c.lost[PUSH_LOST_REJECTED], 1);
	assert_string_equal(c.error, "profiles were rejected: too many");
	assert_account(p, &c);
	pusher__close(pusher, 0, NULL);
}

static void a_token_is_read_anew(void **state)
{
	struct peer *p = *state;
	struct words w;
	struct pusher_opts o = opts_of(p, "pyroscope+http", &w);
	struct pusher *pusher;
	struct pusher_counts c;

	path_in(p, "token", w.token);
	o.token_file = w.token;
	write_to(w.token, "first\n", 6);
	pusher = open_pusher(&o);
	put(pusher, p, "a");
	wait_until(pusher, 1, 0);
	write_to(w.token, "second\n", 7);
	put(pusher, p, "a");
	wait_until(pusher, 2, 0);
	assert_non_null(strstr(text_of(p, "log"), " Bearer first\n"));
	assert_non_null(strstr(text_of(p, "log"), " Bearer second\n"));
	unlink(w.token);
	put(pusher, p, "a");
	c = wait_until(pusher, 2, 1);
	assert_non_null(strstr(c.error, "token: No such file"));
	assert_account(p, &c);
	pusher__close(pusher, 0, NULL);
}

static void assert_refused(const struct pusher_opts *o, int want, const char *text)
{
	struct buf why = {};
	struct pusher *pusher;

	assert_int_equal(pusher__open(&pusher, o, &why), want);
	if (!strstr(why.data, text))
		fail_msg("%s", why.data);
	buf__free(&why);
}

static void what_cannot_be_is_refused_before_anything_is_measured(void **state)
{
	struct peer *p = *state;
	struct words w;
	struct pusher_opts o = opts_of(p, "pyroscope+http", &w);
	char ca[PATH_MAX];

	path_in(p, "token", w.token);
	o.token_file = w.token;
	assert_refused(&o, -ENOENT, "No such file");
	write_to(w.token, "secret\n", 7);
	o.url = "pyroscope+http://10.1.2.3:4040";
	assert_refused(&o, -EINVAL, "everybody on the way could read the token");
	o = opts_of(p, "pyroscope+http", &w);
	path_in(p, "none", ca);
	o.ca_file = ca;
	assert_refused(&o, -ENOSYS, "No such file");
	o = opts_of(p, "http", &w);
	assert_refused(&o, -EINVAL, "which backend is at");
}

/* Beside those that the kind of backend asks for, in each request. */
static void headers_of_the_user_are_in_each_request(void **state)
{
	static const char *const headers[] = { "X-Scope-OrgID: team-a", "x-other:two  words" };
	static const char *const bad[] = { "X-A: 1\r\nX-B: 2" };
	struct peer *p = *state;
	struct words w;
	struct pusher_opts o = opts_of(p, "pyroscope+http", &w);
	struct pusher *pusher;
	struct pusher_counts c;
	const char *text;

	o.headers = bad;
	o.nr_headers = 1;
	assert_refused(&o, -EINVAL, "--push-header is");
	o.headers = headers;
	o.nr_headers = 2;
	pusher = open_pusher(&o);
	put(pusher, p, "a");
	put(pusher, p, "b");
	c = wait_until(pusher, 2, 0);
	assert_int_equal(c.sent, 2);
	for (int i = 0; i < 2; i++) {
		text = i ? strstr(text + 1, "\nx-scope-orgid: team-a\n")
			 : strstr(text_of(p, "headers"), "\nx-scope-orgid: team-a\n");
		assert_non_null(text);
	}
	assert_null(strstr(text + 1, "\nx-scope-orgid"));
	assert_non_null(strstr(text_of(p, "headers"), "\nx-other: two  words\n"));
	assert_non_null(strstr(text_of(p, "headers"), "content-type: application/proto\n"));
	pusher__close(pusher, 0, NULL);
}

/* When a profile last arrived, and how much waits: what the spool's files have. */
static void times_and_bytes_are_known(void **state)
{
	struct peer *p = *state;
	const uint64_t begin_ns = clock__wall_ns();
	struct pusher *pusher = open_plain(p);
	struct pusher_counts c;
	uint64_t bytes;

	assert_int_equal(pusher__waiting_bytes(pusher, &bytes), 0);
	assert_int_equal(bytes, 0);
	answers(p, "503\n");
	put(pusher, p, "a");
	put(pusher, p, "b");
	c = wait_until(pusher, 0, 1);
	assert_int_equal(c.sent_ns, 0);
	assert_int_equal(pusher__waiting_bytes(pusher, &bytes), 0);
	assert_in_range(bytes, 100, 10000);
	answers(p, "200\n");
	c = wait_until(pusher, 2, 0);
	assert_in_range(c.sent_ns, begin_ns, clock__wall_ns());
	pusher__end(pusher, 0, &c);
	assert_int_equal(c.sent, 2);
	assert_int_equal(pusher__waiting_bytes(pusher, &bytes), 0);
	assert_int_equal(bytes, 0);
	pusher__close(pusher, 0, NULL);
}

static void one_spool_has_one_pusher(void **state)
{
	struct peer *p = *state;
	struct pusher *pusher = open_plain(p);
	struct words w;
	const struct pusher_opts o = opts_of(p, "pyroscope+http", &w);

	assert_refused(&o, -EBUSY, "another pmutrace pushes what is there");
	pusher__close(pusher, 0, NULL);
	pusher__close(open_pusher(&o), 0, NULL);
}

static void what_is_too_old_is_not_sent(void **state)
{
	struct peer *p = *state;
	struct pusher *pusher = open_plain(p);
	struct pusher_counts c;

	assert_int_equal(put_at(pusher, p, "a", clock__wall_ns() - 3602 * SECOND), 0);
	assert_int_equal(put_at(pusher, p, "b", clock__wall_ns() - 3500 * SECOND), 0);
	c = wait_until(pusher, 2, 0);
	assert_int_equal(c.sent, 1);
	assert_int_equal(c.lost[PUSH_LOST_OLD], 1);
	assert_int_equal(nr_requests(p), 1);
	assert_account(p, &c);
	pusher__close(pusher, 0, NULL);
}

/* Nobody is there: of 40 that are put those are kept that have room. */
static void a_full_spool_keeps_the_newest(void **state)
{
	struct peer *p = *state;
	struct words w;
	struct pusher_opts o = opts_of(p, "pyroscope+http", &w);
	struct pusher *pusher;
	struct pusher_counts c;

	stop_peer(p);
	o.spool_bytes = 4096;
	o.window_ns = 1000 * SECOND;
	o.place = UINT64_MAX;
	pusher = open_pusher(&o);
	for (unsigned i = 0; i < 40; i++) {
		put(pusher, p, "a");
		assert_int_equal(pusher__poll(pusher, &c), 0);
		assert_account(p, &c);
	}
	assert_int_equal(c.put, 40);
	assert_in_range(c.lost[PUSH_LOST_FULL], 10, 39);
	assert_int_equal(c.waiting + c.lost[PUSH_LOST_FULL], 40);
	pusher__close(pusher, 0, &c);
	assert_account(p, &c);
}

/* While the oldest are dropped by one process they are sent by the other: each is counted once. */
static void what_is_sent_and_dropped_at_once_is_counted_once(void **state)
{
	struct peer *p = *state;
	struct words w;
	struct pusher_opts o = opts_of(p, "pyroscope+http", &w);
	struct pusher *pusher;
	struct pusher_counts c;

	o.spool_bytes = 2000;
	pusher = open_pusher(&o);
	for (unsigned i = 0; i < 300; i++)
		put(pusher, p, "a");
	pusher__close(pusher, 20000, &c);
	assert_int_equal(c.put, 300);
	assert_int_equal(c.waiting, 0);
	assert_true(c.lost[PUSH_LOST_FULL] && c.sent);
	assert_true(nr_requests(p) >= c.sent);
	assert_account(p, &c);
}

/* A process with all of a pusher's is killed: what it has put is there for the next one. */
static void who_is_killed_loses_nothing(void **state)
{
	struct peer *p = *state;
	struct pusher *pusher;
	struct pusher_counts c;
	char byte;
	int pipes[2];
	pid_t pid;

	answers(p, "503\n");
	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		pusher = open_plain(p);
		for (unsigned i = 0; i < 5; i++)
			put(pusher, p, i % 2 ? "b" : "a");
		wait_until(pusher, 0, 1);
		if (write(pipes[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(pipes[0], &byte, 1), 1);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(pipes[0]);
	close(pipes[1]);
	answers(p, "200\n");
	pusher = open_plain(p);
	c = wait_until(pusher, 5, 0);
	assert_int_equal(c.found, 5);
	assert_int_equal(c.put, 0);
	assert_int_equal(c.sent, 5);
	assert_account(p, &c);
	for (unsigned i = 0; i < 5; i++)
		assert_pushed(p, "pyroscope", i, i % 2 ? "b" : "a");
	pusher__close(pusher, 0, NULL);
}

/* The process of this name that descends from this one; 0: there is none. */
static pid_t find_process(const char *name)
{
	char command[160], *out;
	uint64_t pid = 0;

	/* One that has ended, and that init has not buried yet, is none. */
	snprintf(command, sizeof(command),
		 "ps -eo pid=,sess=,stat=,comm= | awk '$2 == %d && $3 !~ /Z/ && $4 == \"%s\" "
		 "{ printf \"%%d\", $1; exit }'",
		 getsid(0), name);
	out = output_of(command);
	(void)!parse__u64(out, 1, INT32_MAX, &pid);
	free(out);
	return (pid_t)pid;
}

static void a_courier_that_is_killed_is_followed_by_another(void **state)
{
	struct peer *p = *state;
	struct pusher *pusher = open_plain(p);
	struct pusher_counts c;

	answers(p, "1 silent\n200\n");
	put(pusher, p, "a");
	for (unsigned i = 0; i < 500 && !nr_requests(p); i++)
		usleep(10000);
	assert_true(find_process("pmut-courier") > 0);
	kill(find_process("pmut-courier"), SIGKILL);
	c = wait_until(pusher, 1, 1);
	assert_int_equal(c.sent, 1);
	assert_string_equal(c.error, "the process that pushes has ended");
	assert_account(p, &c);
	pusher__close(pusher, 0, NULL);
	assert_int_equal(find_process("pmut-courier"), 0);
	assert_int_equal(find_process("pmut-pusher"), 0);
}

static void a_keeper_that_is_killed_is_told_and_the_spool_stays(void **state)
{
	struct peer *p = *state;
	struct pusher *pusher = open_plain(p);
	struct pusher_counts c;

	answers(p, "503\n");
	put(pusher, p, "a");
	wait_until(pusher, 0, 1);
	kill(find_process("pmut-pusher"), SIGKILL);
	for (unsigned i = 0; i < 500 && !pusher__poll(pusher, &c); i++)
		usleep(10000);
	assert_int_equal(pusher__poll(pusher, &c), -EPIPE);
	put(pusher, p, "b");
	pusher__close(pusher, 1000, &c);
	assert_int_equal(c.waiting, 2);
	assert_account(p, &c);
}

static void who_has_the_network_has_nothing_else(void **state)
{
	struct peer *p = *state;
	struct pusher *pusher = open_plain(p);
	char command[512];
	pid_t pid = find_process("pmut-courier");

	snprintf(command, sizeof(command),
		 "grep -c '^Cap\\(Eff\\|Prm\\|Inh\\|Amb\\):\t0*$' /proc/%d/status; "
		 "sed -n 's/^NoNewPrivs:\t//p; s/^Uid:\t//p; s/^Seccomp:\t//p' /proc/%d/status | "
		 "tr '\\n' ' '; "
		 "ls /proc/%d/fd | tr '\\n' ' '",
		 pid, pid, pid);
	if (geteuid()) {
		pusher__close(pusher, 0, NULL);
		skip();
	}
	assert_output(command, "4\n65534\t65534\t65534\t65534 1 2 0 1 2 3 ");
	pusher__close(pusher, 0, NULL);
}

static void who_ends_waits_no_longer_than_it_says(void **state)
{
	struct peer *p = *state;
	struct pusher *pusher = open_plain(p);
	uint64_t begin_ns;
	struct pusher_counts c;

	answers(p, "silent\n");
	put(pusher, p, "a");
	begin_ns = clock__now_ns();
	pusher__close(pusher, 500, &c);
	assert_in_range(clock__now_ns() - begin_ns, SECOND / 2, 3 * SECOND);
	assert_int_equal(c.waiting, 1);
	assert_account(p, &c);
}

/* The window's place is 1,000 s away: nothing is sent, until who measures ends. */
static void what_has_its_place_later_is_sent_at_the_end(void **state)
{
	struct peer *p = *state;
	struct words w;
	struct pusher_opts o = opts_of(p, "pyroscope+http", &w);
	struct pusher *pusher;
	struct pusher_counts c;

	o.window_ns = 2000 * SECOND;
	o.place = 1ull << 63;
	pusher = open_pusher(&o);
	put(pusher, p, "a");
	put(pusher, p, "b");
	usleep(300000);
	assert_int_equal(nr_requests(p), 0);
	pusher__close(pusher, 10000, &c);
	assert_int_equal(c.sent, 2);
	assert_account(p, &c);
}

static void what_is_damaged_in_the_spool_is_dropped(void **state)
{
	struct peer *p = *state;
	struct pusher *pusher;
	struct pusher_counts c;
	char path[PATH_MAX], stamp[32];
	const time_t now = time(NULL);

	path_in(p, "spool", path);
	assert_int_equal(mkdir(path, 0700), 0);
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", gmtime(&now));
	snprintf(path, sizeof(path), "%s/spool/%s-000000-a.pyroscope", p->dir, stamp);
	write_to(path, "", 0);
	pusher = open_plain(p);
	put(pusher, p, "b");
	c = wait_until(pusher, 2, 0);
	assert_int_equal(c.found, 1);
	assert_int_equal(c.lost[PUSH_LOST_DAMAGED], 1);
	assert_int_equal(c.sent, 1);
	assert_account(p, &c);
	pusher__close(pusher, 0, NULL);
}

/*
 * A server with TLS, whose certificate its own directory has: it puts what it reads into DIR/tls,
 * and says 200 when that is there. If it answered before, a client would close what it has not read
 * all of, and that resets the connection with the request on its way.
 */
static pid_t start_tls(const struct peer *p, unsigned *port)
{
	char command[PATH_MAX * 2];
	pid_t pid;

	close(listen_somewhere(port, 1));
	snprintf(command, sizeof(command),
		 "cd '%s' && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 "
		 "-nodes -keyout key -out ca -days 2 -subj /CN=x -addext "
		 "subjectAltName=IP:127.0.0.1 2>openssl.log && "
		 ": >tls; n=0; while kill -0 $PPID; do "
		 "m=$(wc -c <tls); [ $m = $n ] || "
		 "printf 'HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n'; "
		 "n=$m; sleep 0.05; done | "
		 "openssl s_server -quiet -accept 127.0.0.1:%u -cert ca -key key "
		 ">>tls 2>>openssl.log",
		 p->dir, *port);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		execlp("sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	setpgid(pid, pid);
	return pid;
}

static void over_tls_the_certificate_is_looked_at(void **state)
{
	struct peer *p = *state;
	struct words w;
	struct pusher_opts o = opts_of(p, "pyroscope+https", &w);
	struct pusher *pusher;
	struct pusher_counts c = {};
	char ca[PATH_MAX];
	unsigned port = 0;
	pid_t tls;

	if (system("command -v openssl >/dev/null"))
		skip();
	tls = start_tls(p, &port);
	snprintf(w.url, sizeof(w.url), "pyroscope+https://127.0.0.1:%u", port);
	path_in(p, "token", w.token);
	write_to(w.token, "secret\n", 7);
	o.token_file = w.token;
	pusher = open_pusher(&o);
	put(pusher, p, "a");
	do
		c = wait_until(pusher, 0, c.nr_failures + 1);
	while (!strstr(c.error, "certificate"));
	assert_int_equal(c.sent, 0);
	pusher__close(pusher, 0, NULL);
	assert_string_equal(text_of(p, "tls"), "");
	path_in(p, "ca", ca);
	o.ca_file = ca;
	pusher = open_pusher(&o);
	c = wait_until(pusher, 1, 0);
	assert_int_equal(c.sent, 1);
	assert_int_equal(c.found, 1);
	pusher__close(pusher, 0, NULL);
	kill(-tls, SIGKILL);
	waitpid(tls, NULL, 0);
	assert_non_null(strstr(text_of(p, "tls"), "Authorization: Bearer secret\r\n"));
}

#define with_peer(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_peer(what_is_put_arrives),
		with_peer(each_kind_is_asked_in_its_own_way),
		with_peer(a_pause_that_is_asked_for_is_kept),
		with_peer(after_a_failure_the_next_one_is_tried),
		with_peer(what_is_refused_is_dropped_and_told),
		with_peer(what_is_put_into_a_spool_that_is_gone_is_lost),
		with_peer(people_are_told_once_a_minute),
		with_peer(what_cannot_be_written_is_lost_and_counted),
		with_peer(who_answers_nonsense_is_asked_again),
		with_peer(what_comes_behind_a_good_status_is_as_it_may),
		with_peer(a_redirection_is_not_followed),
		with_peer(otlp_may_take_a_request_and_not_its_profiles),
		with_peer(a_token_is_read_anew),
		with_peer(what_cannot_be_is_refused_before_anything_is_measured),
		with_peer(headers_of_the_user_are_in_each_request),
		with_peer(times_and_bytes_are_known),
		with_peer(one_spool_has_one_pusher),
		with_peer(what_is_too_old_is_not_sent),
		with_peer(a_full_spool_keeps_the_newest),
		with_peer(what_is_sent_and_dropped_at_once_is_counted_once),
		with_peer(who_is_killed_loses_nothing),
		with_peer(a_courier_that_is_killed_is_followed_by_another),
		with_peer(a_keeper_that_is_killed_is_told_and_the_spool_stays),
		with_peer(who_has_the_network_has_nothing_else),
		with_peer(who_ends_waits_no_longer_than_it_says),
		with_peer(what_has_its_place_later_is_sent_at_the_end),
		with_peer(over_tls_the_certificate_is_looked_at),
		with_peer(what_is_damaged_in_the_spool_is_dropped),
	};

#ifndef HAVE_CURL
	puts("1..0 # SKIP no-curl: built without libcurl");
	return 0;
#endif
	/* Whose processes are looked for: those of this session. */
	(void)setsid();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
