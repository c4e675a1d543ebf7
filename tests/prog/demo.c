// SPDX-License-Identifier: BSD-2-Clause
/*
 * demo - a small workload to look at: three processes, each with a call tree of its own shape.
 *
 *   demo-web  serves requests in bursts: parse, look up, render; sleeps in between (about half a
 * CPU) demo-db   searches a tree by recursion and reads pages from the kernel (about half a CPU)
 *   demo-zip  squeezes blocks, all in user code, deep in one place (a third of a CPU)
 *
 * usage: demo [-s SECONDS]
 *
 * Ends by itself after SECONDS of wall time (default 10), or with its parent.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "prog.h"

static uint64_t end_ns;

/* Works for @us in the calling function. */
IN_PLACE void take(unsigned us)
{
	burn_here(us * 1000ull);
}

/* demo-web: wide and shallow */

KNOWN_FRAME void split_headers(void)
{
	take(900);
}

KNOWN_FRAME void decode_url(void)
{
	take(400);
}

KNOWN_FRAME void parse_request(void)
{
	split_headers();
	decode_url();
	take(150);
}

KNOWN_FRAME void cache_lookup(void)
{
	take(600);
}

KNOWN_FRAME void escape_html(void)
{
	take(1100);
}

KNOWN_FRAME void render_row(void)
{
	escape_html();
	take(200);
}

KNOWN_FRAME void render_page(void)
{
	int i;

	for (i = 0; i < 3; i++)
		render_row();
	take(300);
}

KNOWN_FRAME void write_log(int fd)
{
	static const char line[512];
	int i;

	for (i = 0; i < 400; i++)
		syscall_in_place(SYS_write, fd, (long)line, sizeof(line));
}

KNOWN_FRAME void serve_request(int fd)
{
	parse_request();
	cache_lookup();
	render_page();
	write_log(fd);
}

static void web(void)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	while (wall_ns() < end_ns) {
		serve_request(fd);
		usleep(6000);
	}
}

/* demo-db: deep by recursion, with time in the kernel */

KNOWN_FRAME void compare_keys(void)
{
	take(120);
}

KNOWN_FRAME void read_page(int fd)
{
	static char page[256 * 1024];

	syscall_in_place(SYS_read, fd, (long)page, sizeof(page));
}

KNOWN_FRAME void btree_search(int fd, int level)
{
	compare_keys();
	if (level % 4 == 0)
		read_page(fd);
	if (level)
		btree_search(fd, level - 1);
	__asm__ volatile("");
}

KNOWN_FRAME void checksum_result(void)
{
	take(500);
}

KNOWN_FRAME void run_query(int fd, int depth)
{
	btree_search(fd, depth);
	checksum_result();
}

static void db(void)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC), n = 0;

	while (wall_ns() < end_ns) {
		run_query(fd, 6 + n++ % 13);
		usleep(2000);
	}
}

/* demo-zip: one hot function */

KNOWN_FRAME void longest_match(void)
{
	take(2600);
}

KNOWN_FRAME void deflate_block(void)
{
	longest_match();
	take(700);
}

KNOWN_FRAME void build_huffman_tree(void)
{
	take(800);
}

KNOWN_FRAME void compress_file(void)
{
	deflate_block();
	build_huffman_tree();
}

static void zip(void)
{
	while (wall_ns() < end_ns) {
		compress_file();
		usleep(8000);
	}
}

static void start(const char *name, void (*run)(void))
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_SET_NAME, name);
	run();
	_exit(0);
}

int main(int argc, char **argv)
{
	uint64_t seconds_ns = 10 * NS_PER_SEC;
	int c;

	while ((c = getopt(argc, argv, "s:")) != -1) {
		if (c != 's')
			return 2;
		seconds_ns = parse_seconds(optarg);
	}

	end_ns = wall_ns() + seconds_ns;
	start("demo-web", web);
	start("demo-db", db);
	start("demo-zip", zip);
	while (wait(NULL) > 0)
		;
	return 0;
}
