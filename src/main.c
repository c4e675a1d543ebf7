// SPDX-License-Identifier: BSD-2-Clause
/* main: finds the command, parses its options, checks that the output reached the reader. */
#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/opt.h"
#include "base/parse.h"
#include "cmd/cmd.h"
#include "cmd/readers.h"

static const struct cmd *const cmds[] = {
	&cmd_profile, &cmd_count, &cmd_func,   &cmd_top,  &cmd_stat,	   &cmd_report, &cmd_diff,
	&cmd_export,  &cmd_list,  &cmd_doctor, &cmd_help, &cmd_completion, NULL,
};

static void print_version(void)
{
	printf("pmutrace %s\n", PMUTRACE_VERSION);
#ifdef HAVE_LZMA
	printf("  with .gnu_debugdata (liblzma)\n");
#else
	printf("  without .gnu_debugdata (built without liblzma)\n");
#endif
#ifdef HAVE_ZSTD
	printf("  with debug information that is compressed with zstd (libzstd)\n");
#else
	printf("  without debug information that is compressed with zstd (built without "
	       "libzstd)\n");
#endif
#ifdef HAVE_PFM
	printf("  with the vendors' event names (libpfm4)\n");
#else
	printf("  without the vendors' event names (built without libpfm4)\n");
#endif
#ifdef HAVE_ISAL
	printf("  with quick packing of profiles (ISA-L)\n");
#else
	printf("  with packing of profiles by zlib (built without ISA-L)\n");
#endif
#ifdef HAVE_MICROHTTPD
	printf("  with export (libmicrohttpd)\n");
#else
	printf("  without export (built without libmicrohttpd)\n");
#endif
#ifdef HAVE_YAML
	printf("  with configuration files of export (libyaml)\n");
#else
	printf("  without configuration files of export (built without libyaml)\n");
#endif
#ifdef HAVE_CURL
	printf("  with pushing of profiles (libcurl, where it is installed)\n");
#else
	printf("  without pushing of profiles (built without libcurl)\n");
#endif
#ifdef HAVE_DW
	printf("  with --verify-unwind (libdw, where it is installed)\n");
#else
	printf("  without --verify-unwind (built without libdw)\n");
#endif
#ifdef PMUTRACE_STATIC
	printf("  without debug files from servers (a static build)\n");
#else
	printf("  with debug files from servers (--debuginfod loads libdebuginfod)\n");
#endif
}

/*
 * What is printed in pieces, as help is, is written once: whether it arrives is known at the end
 * then, with the reason.
 */
static void buffer_output(void)
{
	static char bytes[64 * 1024];

	if (!isatty(STDOUT_FILENO))
		(void)setvbuf(stdout, bytes, _IOFBF, sizeof(bytes));
}

/* Output that did not reach the reader is a failed run. */
static int finish(int ret)
{
	if (ret) /* said already */
		return ret;
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return PMUTRACE_OK;
	return complain_unwritten("stdout", errno ? -errno : -EIO);
}

/*
 * The next file to be opened would take the place of one that is closed (`>&-`), and get what was
 * meant for that. These refuse it with EBADF, as the closed one does.
 */
static void fill_standard_fds(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_RDONLY };

	for (int fd = 0; fd < (int)ARRAY_SIZE(modes); fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd] | O_CLOEXEC) != fd)
			return;
}

/*
 * Tables that have grown large are given back to the system when they are freed. glibc would put
 * them on its heap from the second one on, and keep them.
 */
static void keep_heap_small(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);
#endif
}

static const struct cmd *find_cmd(const char *name)
{
	for (const struct cmd *const *c = cmds; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

static int unknown_cmd(const char *name)
{
	const char *names[ARRAY_SIZE(cmds)], *near;
	size_t nr = 0;

	for (; cmds[nr]; nr++)
		names[nr] = cmds[nr]->name;
	near = nearest(name, names, nr, sizeof(*names));
	complain("unknown command '%s'%s%s%s; 'pmutrace help' lists them", name,
		 near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	return PMUTRACE_USAGE;
}

/* --help wins over everything else on the line, up to "--". */
static int wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
			return 1;
	return 0;
}

static int run_cmd(const struct cmd *cmd, int argc, char **argv)
{
	static const struct opt none[] = { { .type = OPT_END } };
	struct cmd_words words = { .cmds = cmds };
	struct buf why = {};
	int first, dashes, err, ret;
	void *opts;

	if (wants_help(argc, argv)) {
		print_help(cmd);
		return PMUTRACE_OK;
	}
	if (cmd->names_code)
		words.jail = readers__open();
	words.lookups = readers__for_lookups(words.jail);
	opts = calloc(1, cmd->opts_size + 1);
	if (!opts || !words.lookups) {
		complain("%s", strerror(ENOMEM));
		ret = PMUTRACE_FAIL;
		goto out_close;
	}
	if (cmd->defaults)
		memcpy(opts, cmd->defaults, cmd->opts_size);
	err = opt__parse(cmd->opts ? cmd->opts : none, opts, argc, argv, &first, &dashes, &why);
	if (err) {
		ret = complain_why(err, &why);
		fprintf(stderr, "Try 'pmutrace %s --help'.\n", cmd->name);
	} else {
		words.word = argv + first;
		words.nr = (dashes ? dashes - 1 : argc) - first;
		words.command = dashes ? argv + dashes : NULL;
		ret = cmd->run(opts, &words);
	}
	buf__free(&why);
out_close:
	free(opts);
	readers__close(words.jail, words.lookups);
	return ret;
}

/* A link to the program that is a command by itself; NULL: it is called by its own name. */
static const struct cmd *named_cmd(const char *program)
{
	const char *slash = strrchr(program, '/');

	return strcmp(slash ? slash + 1 : program, "pmutop") ? NULL : &cmd_top;
}

static bool wants_version(const char *word)
{
	return !strcmp(word, "-V") || !strcmp(word, "--version");
}

int main(int argc, char **argv)
{
	const struct cmd *cmd = argc ? named_cmd(argv[0]) : NULL;
	struct buf why = {};

	fill_standard_fds();
	buffer_output();
	keep_heap_small();
	if (limits__begin(&why)) {
		int status = complain_why(-ENOMEM, &why);

		buf__free(&why);
		return status;
	}
	if (cmd && !(argc > 1 && wants_version(argv[1])))
		return finish(run_cmd(cmd, argc, argv));
	if (argc < 2) {
		complain("which command? 'pmutrace help' lists them");
		return PMUTRACE_USAGE;
	}
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))
		return finish(run_cmd(&cmd_help, 1, argv + 1));
	if (wants_version(argv[1])) {
		print_version();
		return finish(PMUTRACE_OK);
	}
	cmd = find_cmd(argv[1]);
	if (!cmd)
		return finish(unknown_cmd(argv[1]));
	return finish(run_cmd(cmd, argc - 1, argv + 1));
}
