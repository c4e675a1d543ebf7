/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * debug_server.h - a debuginfod server on 127.0.0.1, in a process of its own.
 *
 * Of "GET /HOW/buildid/ID/debuginfo" HOW says what is answered:
 *	ok	 the file DIR/ID; 404 if it is not there
 *	held	 the same, once DIR/go is there
 *	silent	 nothing
 *	endless	 zeros, without a length
 *	large	 a length of 10 GB
 *	none	 404
 * All that is asked for is in DIR/log, a line "HOW ID" each.
 */
#ifndef PMUTRACE_TESTS_DEBUG_SERVER_H
#define PMUTRACE_TESTS_DEBUG_SERVER_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct debug_server {
	pid_t pid;
	unsigned port;
};

static inline void send_text(int sock, const char *text)
{
	if (write(sock, text, strlen(text)) < 0)
		_exit(0);
}

static inline void send_file(int sock, const char *dir, const char *id)
{
	char path[256], head[128], bytes[65536];
	struct stat st;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, id);
	fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &st)) {
		send_text(sock, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n"
				"Connection: close\r\n\r\n");
		return;
	}
	snprintf(head, sizeof(head),
		 "HTTP/1.1 200 OK\r\nContent-Length: %lld\r\nConnection: close\r\n\r\n",
		 (long long)st.st_size);
	send_text(sock, head);
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		if (write(sock, bytes, n) < 0)
			_exit(0);
}

static inline void serve_request(int sock, const char *dir)
{
	static const char zeros[65536];
	char request[4096] = "", how[32] = "", id[160] = "", path[256];
	size_t len = 0;
	ssize_t n;
	FILE *log;

	while (!strstr(request, "\r\n\r\n") && len < sizeof(request) - 1 &&
	       (n = read(sock, request + len, sizeof(request) - 1 - len)) > 0)
		request[len += n] = '\0';
	if (sscanf(request, "GET /%31[a-z]/buildid/%159[0-9a-f]/debuginfo", how, id) != 2)
		return;
	snprintf(path, sizeof(path), "%s/log", dir);
	log = fopen(path, "a");
	if (log) {
		fprintf(log, "%s %s\n", how, id);
		fclose(log);
	}
	snprintf(path, sizeof(path), "%s/go", dir);
	while (!strcmp(how, "held") && access(path, F_OK))
		usleep(10000);
	if (!strcmp(how, "silent"))
		pause();
	if (!strcmp(how, "endless"))
		send_text(sock, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
	if (!strcmp(how, "large"))
		send_text(sock, "HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n");
	while (!strcmp(how, "endless") || !strcmp(how, "large"))
		if (write(sock, zeros, sizeof(zeros)) < 0)
			_exit(0);
	send_file(sock, dir, strcmp(how, "none") ? id : "none");
}

static inline void serve(int listener, const char *dir)
{
	signal(SIGCHLD, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	for (;;) {
		int sock = accept(listener, NULL, NULL);

		if (sock >= 0 && !fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
			serve_request(sock, dir);
			_exit(0);
		}
		close(sock);
	}
}

/* On a port of 127.0.0.1 that is free; the descriptor. */
static inline int listen_somewhere(unsigned *port, int backlog)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int sock = socket(AF_INET, SOCK_STREAM, 0);

	if (sock < 0 || bind(sock, (struct sockaddr *)&at, len) || listen(sock, backlog) ||
	    getsockname(sock, (struct sockaddr *)&at, &len))
		return -1;
	*port = ntohs(at.sin_port);
	return sock;
}

static inline int start_server(struct debug_server *s, const char *dir)
{
	int listener = listen_somewhere(&s->port, 20);

	if (listener < 0)
		return -1;
	s->pid = fork();
	if (!s->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		serve(listener, dir);
	}
	close(listener);
	return s->pid < 0 ? -1 : 0;
}

static inline void stop_server(struct debug_server *s)
{
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
}

#endif
