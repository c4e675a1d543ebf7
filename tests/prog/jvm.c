// SPDX-License-Identifier: BSD-2-Clause
/*
 * jvm - fact: to those who want to attach it looks like a JVM, as far as its MODE says; all of its
 * CPU time is in code made at run time, java_fn, called by run_java.
 *
 * usage: jvm LIBJVM MODE [-XX:+DisableAttachMechanism]
 *
 * LIBJVM is a file that it maps as code. It runs until SIGTERM. For each SIGQUIT it prints "quit";
 * when /tmp/.attach_pidPID is there, it then listens at /tmp/.java_pidPID, as HotSpot does, and
 * answers whoever is its own user and group as MODE says:
 *
 *	map		"0", after it has written /tmp/perf-PID.map
 *	refuse		"1", and why
 *	garbage		10,000 bytes that are no answer
 *	mute		nothing at all
 *	silent		it does not listen
 *	uncaught	SIGQUIT ends it
 *	other		a child of it listens there, from the start on
 *	link		a link is there, to a socket of its own
 */
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <fcntl.h>

#include "jit_code.h"

static char map_path[64], attach_path[64], socket_path[64], other_path[80];
static volatile sig_atomic_t quit, over;

static void on_signal(int sig)
{
	if (sig == SIGQUIT)
		quit = 1;
	else
		over = 1;
}

static int listen_at(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) || chmod(path, 0600) ||
	    listen(fd, 5))
		die(path);
	return fd;
}

static void write_map(const void *page)
{
	FILE *map = fopen(map_path, "we");

	if (!map)
		die(map_path);
	fprintf(map, "%lx %zx java_fn\n", (unsigned long)page, sizeof(code));
	if (fclose(map))
		die(map_path);
}

static void answer(int fd, const char *mode, const void *page)
{
	static const char want[] = "1\0jcmd\0Compiler.perfmap\0\0";
	static char garbage[10000];
	const char *text = "0\nCommand executed successfully\n";
	char got[sizeof(want)];
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (recv(fd, got, sizeof(got), MSG_WAITALL) != sizeof(got) ||
	    memcmp(got, want, sizeof(got)))
		text = "101\nwhat is that?\n";
	else if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) || peer.uid != geteuid() ||
		 peer.gid != getegid())
		text = "1\nno user of mine\n";
	else if (!strcmp(mode, "refuse"))
		text = "1\njava.lang.IllegalArgumentException: Unknown diagnostic command\nat ..\n";
	else
		write_map(page);
	if (!strcmp(mode, "garbage")) {
		memset(garbage, 0xff, sizeof(garbage));
		(void)!write(fd, garbage, sizeof(garbage));
	} else {
		(void)!write(fd, text, strlen(text));
	}
}

/* @sock: -1: it does not listen yet. */
static void serve(int *sock, const char *mode, const void *page)
{
	struct pollfd p = { .fd = *sock, .events = POLLIN };
	int fd;

	if (quit) {
		quit = 0;
		puts("quit");
		fflush(stdout);
		if (*sock < 0 && strcmp(mode, "silent") && !access(attach_path, F_OK))
			*sock = listen_at(socket_path);
	}
	if (*sock < 0 || poll(&p, 1, 0) <= 0 || !strcmp(mode, "mute"))
		return;
	fd = accept4(*sock, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return;
	answer(fd, mode, page);
	close(fd);
}

static pid_t start_other(void)
{
	pid_t child = fork();
	int sock;

	if (child < 0)
		die("fork");
	if (child)
		return child;
	sock = listen_at(socket_path);
	while (getppid() != 1) {
		struct pollfd p = { .fd = sock, .events = POLLIN };

		if (poll(&p, 1, 50) > 0)
			(void)!write(accept4(sock, NULL, NULL, SOCK_CLOEXEC), "0\n", 2);
	}
	_exit(0);
}

KNOWN_FRAME void run_java(void (*fn)(unsigned long n))
{
	fn(1000000);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[2] : "";
	const int lib = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	int sock = -1, pid = getpid();
	pid_t other = 0;
	void *page;

	if (lib < 0 || mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, lib, 0) == MAP_FAILED)
		die("LIBJVM");
	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", pid);
	snprintf(attach_path, sizeof(attach_path), "/tmp/.attach_pid%d", pid);
	snprintf(socket_path, sizeof(socket_path), "/tmp/.java_pid%d", pid);
	snprintf(other_path, sizeof(other_path), "%s.other", socket_path);
	signal(SIGTERM, on_signal);
	if (strcmp(mode, "uncaught"))
		signal(SIGQUIT, on_signal);
	if (!strcmp(mode, "other"))
		other = start_other();
	if (!strcmp(mode, "link")) {
		sock = listen_at(other_path);
		if (symlink(other_path, socket_path))
			die(socket_path);
	}
	page = load_code();
	puts("ready");
	fflush(stdout);
	while (!over) {
		run_java((void (*)(unsigned long))page);
		serve(&sock, mode, page);
	}
	if (other)
		kill(other, SIGKILL);
	unlink(map_path);
	unlink(socket_path);
	unlink(other_path);
	return 0;
}
