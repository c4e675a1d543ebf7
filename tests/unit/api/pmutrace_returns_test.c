// SPDX-License-Identifier: BSD-2-Clause
/* Return probes that would break a program: of a library that an exception may pass. */
#include "pmutrace_fixture.h"

/* What it imports is what throwing takes; it is never run. */
static const char thrown_through[] = "void _Unwind_Resume(void *); void other(void);\n"
				     "int passed(int n) { other(); return n + 1; }\n"
				     "void thrower(void *e) { _Unwind_Resume(e); }\n"
				     "int leaf(int n) { return n * 3; }\n";

struct dir {
	char path[64], lib[96];
};

static int make_thrower(void **state)
{
	struct dir *d = calloc(1, sizeof(*d));
	char command[512];
	FILE *cc;

	strcpy(d->path, "/tmp/pmutrace_returns_test.XXXXXX");
	if (!mkdtemp(d->path))
		return -1;
	*state = d;
	snprintf(d->lib, sizeof(d->lib), "%s/lib.so", d->path);
	snprintf(command, sizeof(command),
		 "cc -O1 -fno-stack-protector -shared -fPIC -nostdlib -o %s -x c -", d->lib);
	cc = popen(command, "w");
	if (!cc || fputs(thrown_through, cc) < 0)
		return -1;
	return pclose(cc);
}

static int remove_thrower(void **state)
{
	struct dir *d = *state;
	int err = unlink(d->lib) || rmdir(d->path);

	free(d);
	return err;
}

static int open_probe(void **state, const char *kind, const char *function,
		      const struct pmutrace_options *options, struct pmutrace_error *why)
{
	const struct dir *d = *state;
	struct pmutrace_events *e;
	char spec[160];
	int err;

	snprintf(spec, sizeof(spec), "%s:%s:%s", kind, d->lib, function);
	err = pmutrace_open(&e, spec, NULL, options, why);
	pmutrace_close(e);
	return err;
}

static void what_an_exception_may_pass_is_refused(void **state)
{
	struct pmutrace_error why;

	assert_int_equal(open_probe(state, "uretprobe", "passed", NULL, &why), -EINVAL);
	if (!strstr(why.text, "an exception that passes") || !strstr(why.text, "options.force") ||
	    strstr(why.text, "--force"))
		fail_msg("%s", why.text);
}

/* Without the right to open it, or without uprobes, the error is another one. */
static void force_takes_it_all_the_same(void **state)
{
	struct pmutrace_options force = { .size = sizeof(force), .force = true };
	struct pmutrace_error why;

	open_probe(state, "uretprobe", "passed", &force, &why);
	assert_null(strstr(why.text, "exception"));
}

/* Nobody looks at the stack while a function runs that calls nothing; an entry touches none. */
static void what_harms_nobody_is_not_refused(void **state)
{
	struct pmutrace_error why;

	open_probe(state, "uretprobe", "leaf", NULL, &why);
	assert_null(strstr(why.text, "exception"));
	open_probe(state, "uprobe", "passed", NULL, &why);
	assert_null(strstr(why.text, "exception"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_an_exception_may_pass_is_refused, make_thrower,
						remove_thrower),
		cmocka_unit_test_setup_teardown(force_takes_it_all_the_same, make_thrower,
						remove_thrower),
		cmocka_unit_test_setup_teardown(what_harms_nobody_is_not_refused, make_thrower,
						remove_thrower),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
