// SPDX-License-Identifier: BSD-2-Clause
/* Gives up its privileges, loads libdebuginfod, and asks one server after the other. */
#include "sym/debuginfod_fetcher.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/parse.h"
#include "jail/cage.h"
#include "jail/message.h"

/* debuginfod_find_debuginfo(3): what of the library is used; it is there when programs are run. */
typedef struct debuginfod_client debuginfod_client;
typedef int progress_fn(debuginfod_client *client, long a, long b);

struct library {
	debuginfod_client *(*begin)(void);
	void (*end)(debuginfod_client *client);
	int (*find_debuginfo)(debuginfod_client *client, const unsigned char *id, int len,
			      char **path);
	void (*set_progressfn)(debuginfod_client *client, progress_fn *fn);
};

static const char TIMEOUT[] = "DEBUGINFOD_TIMEOUT", MAXTIME[] = "DEBUGINFOD_MAXTIME",
		  MAXSIZE[] = "DEBUGINFOD_MAXSIZE";

enum { TIMEOUT_S = 10, MAXTIME_S = 120, SILENCE_S = 30, MEMORY_BYTES = 512 << 20 };

#define MAXSIZE_BYTES (2ull << 30)

static const uint64_t PROGRESS_NS = 200 * 1000000;

struct server {
	const char *url, *name;
	char dir[NAME_MAX + 1];
	debuginfod_client *client; /* NULL: it was not asked yet */
	bool lost;
};

struct fetcher {
	int sock, cache;
	struct library library;
	struct server *servers;
	size_t nr;
	/* Of the download under way. */
	struct fetcher_answer answer;
	uint64_t begun_ns, told_ns, timeout_ns;
	bool stalled;
};

/* The library calls back without an argument of ours in all of its versions. */
static struct fetcher *running;

static uint64_t number_of(const char *variable, uint64_t otherwise)
{
	const char *value = getenv(variable);
	uint64_t n;

	return value && !parse__u64(value, 1, INT64_MAX, &n) ? n : otherwise;
}

uint64_t fetcher__silence_ns(void)
{
	uint64_t s = number_of(MAXTIME, MAXTIME_S);

	return ((s < UINT32_MAX ? s : UINT32_MAX) + SILENCE_S) * 1000000000;
}

static void tell(struct fetcher *f, int fd)
{
	if (message__send(f->sock, &f->answer, sizeof(f->answer), fd))
		_exit(EXIT_FAILURE);
}

static _Noreturn void refuse(struct fetcher *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void refuse(struct fetcher *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->answer.text, sizeof(f->answer.text), fmt, ap);
	va_end(ap);
	f->answer.what = FETCHER_REFUSES;
	tell(f, -1);
	_exit(EXIT_FAILURE);
}

/* A directory, made if it is not there, below @at. */
static int open_dir(struct fetcher *f, int at, const char *path, int flags)
{
	int fd;

	if (mkdirat(at, path, 0700) && errno != EEXIST)
		refuse(f, "no directory %s for debug files: %s", path, strerror(errno));
	fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
	if (fd < 0)
		refuse(f, "no directory %s for debug files: %s", path, strerror(errno));
	return fd;
}

/*
 * As root: a directory of nobody's in one of root's own that nobody else can write to. Whoever can
 * put files there says what functions are called.
 */
static void open_roots_cache(struct fetcher *f, const char *path)
{
	const char *mine = "debuginfod";
	int base = open_dir(f, AT_FDCWD, path, O_NOFOLLOW);
	struct stat st;

	if (fstat(base, &st) || st.st_uid || st.st_mode & (S_IWGRP | S_IWOTH))
		refuse(f, "debug files are not put into %s: others may write to it", path);
	f->cache = open_dir(f, base, mine, O_NOFOLLOW);
	if (!fstat(f->cache, &st) && !st.st_uid && fchown(f->cache, CAGE_UID, CAGE_UID))
		refuse(f, "%s/%s cannot be given to nobody's user: %s", path, mine,
		       strerror(errno));
	if (fstat(f->cache, &st) || st.st_uid != CAGE_UID || st.st_mode & (S_IWGRP | S_IWOTH))
		refuse(f, "debug files are not put into %s/%s: others may write to it", path, mine);
	close(base);
}

static void open_users_cache(struct fetcher *f, const struct debuginfod_opts *o)
{
	char path[PATH_MAX];

	if (o->cache_path) {
		f->cache = open_dir(f, AT_FDCWD, o->cache_path, 0);
		return;
	}
	if (o->xdg_cache && *o->xdg_cache == '/')
		snprintf(path, sizeof(path), "%s", o->xdg_cache);
	else if (o->home && *o->home == '/')
		snprintf(path, sizeof(path), "%s/.cache", o->home);
	else
		refuse(f, "no place for debug files: HOME is not set; set DEBUGINFOD_CACHE_PATH");
	f->cache = open_dir(f, AT_FDCWD, path, 0);
	f->cache = open_dir(f, f->cache, "pmutrace", 0);
	f->cache = open_dir(f, f->cache, "debuginfod", 0);
}

static void set_limits(struct fetcher *f)
{
	const uint64_t max = number_of(MAXSIZE, MAXSIZE_BYTES);
	const struct rlimit size = { max, max };

	(void)signal(SIGXFSZ, SIG_IGN); /* write(2) says it */
	if (setrlimit(RLIMIT_FSIZE, &size) || cage__limit_memory(MEMORY_BYTES))
		refuse(f, "no limits for downloads: %s", strerror(errno));
}

/* The kernel ends this process when there is nobody any more for whom to fetch. */
static void end_with(struct fetcher *f, int life)
{
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		(void)signal(i, SIG_DFL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	if (fcntl(life, F_SETOWN, getpid()) || fcntl(life, F_SETFL, O_ASYNC | O_NONBLOCK))
		refuse(f, "fetching cannot be bound to this run: %s", strerror(errno));
}

static void set_default(const char *variable, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	if (!number_of(variable, 0))
		setenv(variable, text, true);
}

static void load(struct fetcher *f, const char *name)
{
#ifdef PMUTRACE_STATIC
	refuse(f, "this build is one file, which loads no libraries: %s", name);
#else
	void *lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	struct library *l = &f->library;

	if (!lib)
		refuse(f,
		       "libdebuginfod cannot be loaded (%s): install libdebuginfod1 (Debian) or "
		       "elfutils-debuginfod-client (Fedora)",
		       dlerror());
	l->begin = dlsym(lib, "debuginfod_begin");
	l->end = dlsym(lib, "debuginfod_end");
	l->find_debuginfo = dlsym(lib, "debuginfod_find_debuginfo");
	l->set_progressfn = dlsym(lib, "debuginfod_set_progressfn");
	if (!l->begin || !l->end || !l->find_debuginfo || !l->set_progressfn)
		refuse(f, "%s is too old, or is another library", name);
#endif
}

/* A server's directory: its name, in characters that those of files may have. */
static void name_dir(struct server *s)
{
	size_t n = 0;

	for (const char *c = s->name; *c && n < sizeof(s->dir) - 1; c++, n++) {
		bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
			     (*c >= '0' && *c <= '9') || *c == '-' || (*c == '.' && n);

		s->dir[n] = plain ? *c : '_';
	}
	s->dir[n] = '\0';
}

/*
 * Called about once a second before anything comes, and when something has come. The library's own
 * timeout does not begin before there is a connection.
 */
static int on_progress(debuginfod_client *client, long a, long b)
{
	struct fetcher *f = running;
	uint64_t now = clock__now_ns();

	(void)client;
	f->stalled = b <= 0 && now - f->begun_ns > 2 * f->timeout_ns;
	if (f->stalled)
		return 1;
	if (b > 0 && now - f->told_ns >= PROGRESS_NS) {
		f->told_ns = now;
		f->answer.what = FETCHER_RECEIVES;
		f->answer.bytes = a > 0 ? a : 0;
		f->answer.total = b;
		tell(f, -1);
	}
	return 0;
}

static int begin(struct fetcher *f, struct server *s)
{
	if (s->client)
		return 0;
	name_dir(s);
	s->client = f->library.begin();
	if (!s->client)
		return -ENOMEM;
	f->library.set_progressfn(s->client, on_progress);
	return 0;
}

/* What was given up for taking too long counts as missing to the library, which remembers that. */
static void forget_missing(const struct server *s, const struct fetcher_request *q)
{
	char path[NAME_MAX + 2 * FETCHER_ID_BYTES + 16];
	struct stat st;
	size_t n;

	n = snprintf(path, sizeof(path), "%s/", s->dir);
	for (size_t i = 0; i < q->id_len; i++)
		n += snprintf(path + n, sizeof(path) - n, "%02x", q->id[i]);
	snprintf(path + n, sizeof(path) - n, "/debuginfo");
	if (!stat(path, &st) && !st.st_size)
		unlink(path);
}

/* A download comes with the descriptor that it was written by. @fd: taken. One for reading. */
static int reopen(int fd, const char *path)
{
	const int again = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;

	close(fd);
	return again < 0 ? -ENOENT : again;
}

/* A descriptor; -ENOENT: this server has not got it; another -errno: it has failed. */
static int ask(struct fetcher *f, struct server *s, const struct fetcher_request *q)
{
	char *path = NULL;
	int fd = begin(f, s);

	if (fd)
		return fd;
	f->begun_ns = f->told_ns = clock__now_ns();
	f->stalled = false;
	f->answer = (struct fetcher_answer){ .what = FETCHER_ASKS, .server = s - f->servers };
	tell(f, -1);
	if (setenv("DEBUGINFOD_URLS", s->url, true) ||
	    setenv("DEBUGINFOD_CACHE_PATH", s->dir, true))
		return -ENOMEM;
	fd = f->library.find_debuginfo(s->client, q->id, (int)q->id_len, &path);
	if (fd >= 0)
		fd = reopen(fd, path);
	free(path);
	if (fd >= 0 || !f->stalled)
		return fd == -EFBIG ? -ENOENT : fd;
	forget_missing(s, q);
	return -ETIME;
}

static void serve(struct fetcher *f, const struct fetcher_request *q)
{
	struct server *s;
	int fd = -ENOENT;

	for (s = f->servers; s < f->servers + f->nr && fd < 0; s++) {
		if (s->lost)
			continue;
		fd = ask(f, s, q);
		if (fd >= 0 || fd == -ENOENT)
			continue;
		s->lost = true;
		f->answer.what = FETCHER_LOST;
		f->answer.err = fd;
		tell(f, -1);
	}
	f->answer.what = FETCHER_DONE;
	f->answer.err = fd < 0 ? -ENOENT : 0;
	tell(f, fd);
	if (fd >= 0)
		close(fd);
}

/* Descriptors are 3 and 4 behind this. */
static void settle(struct fetcher *f, int life, const struct debuginfod_opts *o)
{
	bool is_root = !geteuid();
	int err;

	(void)setsid(); /* signals of the terminal are the main process's */
	(void)prctl(PR_SET_NAME, "debuginfod-get", 0, 0, 0);
	err = cage__close_files(f->sock, life);
	if (err)
		_exit(EXIT_FAILURE);
	f->sock = 3;
	end_with(f, 4);
	umask(077);
	if (is_root)
		open_roots_cache(f, o->cache_path ? o->cache_path : o->root_cache);
	err = cage__be_nobody();
	if (err)
		refuse(f, "fetching cannot give up its privileges: %s", strerror(-err));
	if (!is_root)
		open_users_cache(f, o);
	if (fchdir(f->cache))
		refuse(f, "no directory for debug files: %s", strerror(errno));
}

_Noreturn void fetcher__run(int sock, int life, const struct debuginfod_opts *opts,
			    const char *const *servers, char *const *names, size_t nr)
{
	struct fetcher f = { .sock = sock, .nr = nr };
	struct fetcher_request q;

	running = &f;
	settle(&f, life, opts);
	set_limits(&f);
	set_default(TIMEOUT, TIMEOUT_S);
	set_default(MAXTIME, MAXTIME_S);
	set_default(MAXSIZE, MAXSIZE_BYTES);
	setenv("DEBUGINFOD_RETRY_LIMIT", "0", false);
	unsetenv("DEBUGINFOD_PROGRESS");
	f.timeout_ns = number_of(TIMEOUT, TIMEOUT_S) * 1000000000;
	load(&f, opts->library);
	f.servers = calloc(nr, sizeof(*f.servers));
	if (!f.servers)
		refuse(&f, "%s", strerror(ENOMEM));
	for (size_t i = 0; i < nr; i++) {
		f.servers[i].url = servers[i];
		f.servers[i].name = names[i];
	}
	f.answer.what = FETCHER_DONE;
	tell(&f, -1);
	while (message__receive(f.sock, &q, sizeof(q), NULL) == (int)sizeof(q) &&
	       q.id_len <= sizeof(q.id))
		serve(&f, &q);
	_exit(EXIT_SUCCESS);
}
