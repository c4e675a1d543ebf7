// SPDX-License-Identifier: BSD-2-Clause
/* help: the list of commands, or one command's options. */
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"

static int run(void *opts, const struct cmd_words *words)
{
	if (words->nr) {
		for (const struct cmd *const *c = words->cmds; *c; c++) {
			if (strcmp((*c)->name, words->word[0]))
				continue;
			print_help(*c);
			return PMUTRACE_OK;
		}
		complain("no command '%s'; 'pmutrace help' lists them", words->word[0]);
		return PMUTRACE_USAGE;
	}
	printf("Usage: pmutrace COMMAND [options]\n\n"
	       "Where do the events of this machine go? Counts and stacks are made inside the\n"
	       "kernel; nothing is written but the result.\n\nCommands:\n");
	for (const struct cmd *const *c = words->cmds; *c; c++)
		printf("  %-12s %s\n", (*c)->name, (*c)->summary);
	printf("\n'pmutrace COMMAND --help' shows a command's options.\n"
	       "A first look at a slow machine: sudo pmutrace profile -a 10 -o flame.svg\n");
	return PMUTRACE_OK;
}

const struct cmd cmd_help = {
	.name = "help",
	.args = "[COMMAND]",
	.summary = "list the commands, or show the options of one",
	.run = run,
};
