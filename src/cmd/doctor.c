// SPDX-License-Identifier: BSD-2-Clause
/* doctor: what this machine can do, what is missing, and the command that would fix it. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cmd/cmd.h"
#include "cmd/results.h"
#include "doctor/doctor.h"
#include "lookup/lookup_reader.h"
#include "model/findings.h"
#include "print/findings.h"
#include "object/bpf.h"
#include "plan/call_graph.h"

struct doctor_cmd_opts {
	bool json, quiet, verbose;
};

#define AT(member) offsetof(struct doctor_cmd_opts, member)

static const struct opt opts_table[] = {
	{ OPT_BOOL, 0, "json", NULL, AT(json), "for programs" },
	{ OPT_BOOL, 'q', "quiet", NULL, AT(quiet), "only what is not ok" },
	{ OPT_BOOL, 'v', "verbose", NULL, AT(verbose), "what happens inside" },
	{ .type = OPT_END },
};

static void print_log(void *arg, enum log_level level, const char *text)
{
	complain("%s", text);
}

/* Words for a shell: this very file, if its name needs no quotes. */
static void name_program(char *out, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", out, size - 1);

	if (n > 0) {
		out[n] = '\0';
		if ((size_t)n < size - 1 &&
		    !out[strspn(out, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789/._+-")])
			return;
	}
	snprintf(out, size, "$(command -v pmutrace)");
}

static struct findings_table_opts table_opts(const struct doctor_cmd_opts *o)
{
	return (struct findings_table_opts){
		.brief = o->quiet,
		.width = results__width(stdout),
		.color = results__color(stdout),
	};
}

static int print(const struct doctor_cmd_opts *o, const struct findings *f)
{
	const struct findings_table_opts table = table_opts(o);

	return o->json ? print__findings_json(stdout, f, "doctor")
		       : print__findings_table(stdout, f, &table);
}

/* The exit status. */
static int report(const struct doctor_cmd_opts *o, const struct findings *f)
{
	int err = print(o, f);

	if (err)
		return complain_unwritten("stdout", err);
	return f->ready ? PMUTRACE_OK : PMUTRACE_FAIL;
}

/* As commands unwind by default: 0: not by rules on this kernel. */
static uint64_t rule_bytes(void)
{
	const struct call_graph_opts by_default = {};
	struct call_graph graph;
	struct buf why = {};
	int err = call_graph__choose(&by_default, &graph, &why);

	buf__free(&why);
	return err ? 0 : graph.unwind_bytes;
}

static int run(void *opts, const struct cmd_words *words)
{
	const struct doctor_cmd_opts *o = opts;
	struct doctor_try_opts try = { .jail = words->jail };
	struct doctor_tries tries;
	struct findings findings = {};
	char program[PATH_MAX];
	struct doctor_opts doctor = { .root = "", .program = program, .tries = &tries };
	struct lookup_reader *glances;
	int err, ret;

	if (words->nr || words->command) {
		complain("doctor takes no arguments: unexpected '%s'",
			 words->nr ? words->word[0] : "--");
		return PMUTRACE_USAGE;
	}
	log__set_sink(o->verbose ? print_log : NULL, NULL);
	bpf__log_debug();
	name_program(program, sizeof(program));
	try.unwind_bytes = rule_bytes();
	doctor__try(&tries, &try);
	glances = lookup_reader__new(words->jail, &lookup_glance_kind);
	doctor.glances = glances;
	err = glances ? doctor__examine(&findings, &doctor) : -ENOMEM;
	lookup_reader__free(glances);
	if (err) {
		complain("%s", strerror(-err));
		ret = PMUTRACE_FAIL;
	} else {
		ret = report(o, &findings);
	}
	doctor_tries__free(&tries);
	findings__free(&findings);
	return ret;
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.args = "",
	.summary = "what this machine can do, what is missing, and what would fix it",
	.examples = "  sudo pmutrace doctor                         everything\n"
		    "  sudo pmutrace doctor -q                      only what is not ok\n"
		    "  pmutrace doctor --json | jq .ready           for programs\n",
	.opts = opts_table,
	.opts_size = sizeof(struct doctor_cmd_opts),
	.names_code = true,
	.run = run,
};
