// SPDX-License-Identifier: BSD-2-Clause
/* A command to be measured: run/command.h as users of the library see it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/error.h"
#include "run/command.h"

struct pmutrace_command {
	struct command *command;
};

int pmutrace_command_start(struct pmutrace_command **out, char *const *argv,
			   struct pmutrace_error *why)
{
	struct pmutrace_command *c = calloc(1, sizeof(*c));
	int err;

	*out = NULL;
	if (!c)
		return error__say(why, -ENOMEM, "out of memory");
	if (!argv[0]) {
		free(c);
		return error__say(why, -EINVAL, "there is no command");
	}
	err = command__prepare(&c->command, (char **)argv);
	if (err) {
		free(c);
		return error__say(why, err, "cannot start '%s': %s", argv[0], strerror(-err));
	}
	*out = c;
	return error__none(why);
}

pid_t pmutrace_command_pid(const struct pmutrace_command *c)
{
	return command__pid(c->command);
}

int pmutrace_command_release(struct pmutrace_command *c, struct pmutrace_error *why)
{
	struct buf text = {};
	int err = command__release(c->command, &text);

	if (err)
		return error__set(why, err, &text);
	return error__none(why);
}

int pmutrace_command_fd(const struct pmutrace_command *c)
{
	return command__fd(c->command);
}

int pmutrace_command_wait(struct pmutrace_command *c)
{
	return command__status(c->command);
}

void pmutrace_command_free(struct pmutrace_command *c)
{
	if (!c)
		return;
	command__free(c->command);
	free(c);
}
