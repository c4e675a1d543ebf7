// SPDX-License-Identifier: BSD-2-Clause
/* completion: a bash script made from the option tables. */
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/outputs.h"
#include "columns/column_defs.h"
#include "event/event.h"

static void print_options(const struct cmd *cmd)
{
	printf("\t%s) words=\"--help", cmd->name);
	for (const struct opt *o = cmd->opts; o && o->type != OPT_END; o++)
		if (o->name)
			printf(" --%s", o->name);
	printf("\" ;;\n");
}

/* The sets and columns of the live view, but for the user's. */
static void print_columns(void)
{
	struct column_defs *defs = column_defs__new();

	printf("\" ;;\n\t--columns|--sort) words=\"");
	for (size_t i = 0; defs && column_defs__set_at(defs, i); i++)
		printf("%s ", column_defs__set_at(defs, i)->name);
	for (size_t i = 0; defs && column_defs__column_at(defs, i); i++)
		printf("%s ", column_defs__column_at(defs, i)->name);
	column_defs__free(defs);
}

static int run(void *opts, const struct cmd_words *words)
{
	if (words->nr != 1 || strcmp(words->word[0], "bash")) {
		complain("usage: pmutrace completion bash");
		return PMUTRACE_USAGE;
	}
	printf("# bash completion of pmutrace; source it or install it as completions/pmutrace\n"
	       "_pmutrace() {\n"
	       "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
	       "\tcase $prev in\n\t-e|--event|--events) words=\"");
	for (size_t i = 0; perf_event__name(i); i++)
		printf("%s%s", i ? " " : "", perf_event__name(i)->name);
	print_columns();
	printf("\" ;;\n\t-f|--format) words=\"");
	for (unsigned i = 0; i < FORMAT_NR; i++)
		printf("%s%s", i ? " " : "", format__name(i));
	printf("\" ;;\n"
	       "\t--call-graph) words=\"eh fp none\" ;;\n"
	       "\t--source) words=\"tick cpu-clock\" ;;\n"
	       "\t--rows) words=\"all\" ;;\n"
	       "\t--unit) words=\"runs windows threads samples\" ;;\n"
	       "\t-o|--output) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n"
	       "\t-p|--pid) words=\"$(cd /proc && echo [0-9]*)\" ;;\n"
	       "\t-u|--uid) COMPREPLY=($(compgen -u -- \"$cur\")); return ;;\n"
	       "\t*) case ${COMP_CWORD}:${COMP_WORDS[1]} in\n\t1:*) words=\"");
	for (const struct cmd *const *c = words->cmds; *c; c++)
		printf("%s%s", c == words->cmds ? "" : " ", (*c)->name);
	printf("\" ;;\n\t*) case ${COMP_WORDS[1]} in\n");
	for (const struct cmd *const *c = words->cmds; *c; c++)
		print_options(*c);
	printf("\tesac ;;\n\tesac ;;\n\tesac\n"
	       "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\n"
	       "complete -o default -F _pmutrace pmutrace\n"
	       "_pmutop() {\n"
	       "\tCOMP_WORDS=(pmutrace top \"${COMP_WORDS[@]:1}\") COMP_CWORD=$((COMP_CWORD + 1))\n"
	       "\t_pmutrace\n}\n"
	       "complete -o default -F _pmutop pmutop\n");
	return PMUTRACE_OK;
}

const struct cmd cmd_completion = {
	.name = "completion",
	.args = "bash",
	.summary = "print the completion script of a shell",
	.run = run,
};
