// SPDX-License-Identifier: BSD-2-Clause
#include "hits.h"

#include <errno.h>

#include "base/utf8.h"
#include "print/count_table.h"

static char *table(const struct profile *p, struct count_table_opts o)
{
	return WRITTEN(print__count_table(f, p, &o));
}

static void shows(struct profile *p, struct count_table_opts o, const char *expected)
{
	char *text = table(p, o);

	assert_string_equal(text, expected);
	free(text);
	profile__free(p);
}

/* redis in process 42 reads 1000 times, bash in 1042 41 times. */
static struct profile *reads(void)
{
	struct profile *p = new_hits(BY_COMM | BY_PID, "kprobe:vfs_read");

	add_hits(p, (struct hit){ .pid = 1042, .stack = add_stack(p, "cbash", NULL), .n = 41 });
	add_hits(p, (struct hit){ .pid = 42, .stack = add_stack(p, "credis", NULL), .n = 1000 });
	return p;
}

static void has_a_line_for_each_key(void **state)
{
	shows(reads(), (struct count_table_opts){},
	      "kprobe:vfs_read: 1041 hits, 5.00 s\n"
	      "\n"
	      "COMM    PID  COUNT\n"
	      "redis    42   1000\n"
	      "bash   1042     41\n"
	      "\n"
	      "hits: 1041 seen, 1041 kept, nothing lost\n");
}

static void tells_how_much_is_not_shown(void **state)
{
	struct profile *p = reads();

	add_hits(p, (struct hit){ .pid = 7, .stack = add_stack(p, "csh", NULL), .n = 1 });
	losses__add(&p->losses, &(struct loss){ "full", "table full", "use --keys N", false, 10 });
	p->losses.seen += 10;
	shows(p, (struct count_table_opts){ .rows = 1 },
	      "kprobe:vfs_read: 1042 hits, 5.00 s\n"
	      "\n"
	      "COMM   PID  COUNT\n"
	      "redis   42   1000\n"
	      "… and 2 more: 42 hits\n"
	      "\n"
	      "hits: 1052 seen, 1042 kept, 10 lost: 10 table full (use --keys N)\n");
}

static void a_few_events_have_columns(void **state)
{
	struct profile *p = reads();

	add_event(p, "kprobe:vfs_write");
	add_event(p, "tracepoint:syscalls:sys_enter_openat");
	add_hits(p, (struct hit){ 1, 42, add_stack(p, "credis", NULL), 5, {}, {} });
	add_hits(p, (struct hit){ 2, 9, add_stack(p, "cls", NULL), 1, {}, {} });
	shows(p, (struct count_table_opts){},
	      "kprobe:vfs_read: 1041 hits, 5.00 s\n"
	      "kprobe:vfs_write: 5 hits, 5.00 s\n"
	      "tracepoint:syscalls:sys_enter_openat: 1 hit, 5.00 s\n"
	      "\n"
	      "COMM    PID  kprobe:vfs_read  kprobe:vfs_write  …scalls:sys_enter_openat\n"
	      "redis    42             1000                 5                         0\n"
	      "bash   1042               41                 0                         0\n"
	      "ls        9                0                 0                         1\n"
	      "\n"
	      "hits: 1047 seen, 1047 kept, nothing lost\n");
}

static void many_events_have_lines(void **state)
{
	struct profile *p = new_hits(BY_PID, "raw_tp:a");

	for (const char *name = "bcdef"; *name; name++)
		add_event(p, (char[]){ *name, '\0' });
	add_hits(p, (struct hit){ .event = 0, .pid = 1, .n = 3 });
	add_hits(p, (struct hit){ .event = 4, .pid = 1, .n = 20 });
	add_hits(p, (struct hit){ .event = 5, .pid = 22, .n = 1 });
	shows(p, (struct count_table_opts){},
	      "raw_tp:a: 3 hits, 5.00 s\n"
	      "b: 0 hits, 5.00 s\n"
	      "c: 0 hits, 5.00 s\n"
	      "d: 0 hits, 5.00 s\n"
	      "… and 2 more: 21 hits\n"
	      "\n"
	      "PROBE     PID  COUNT\n"
	      "e           1     20\n"
	      "raw_tp:a    1      3\n"
	      "f          22      1\n"
	      "\n"
	      "hits: 24 seen, 24 kept, nothing lost\n");
}

static void by_nothing_the_headline_is_enough(void **state)
{
	struct profile *p = new_hits(0, "kprobe:a");

	add_hits(p, (struct hit){ .n = 12 });
	shows(p, (struct count_table_opts){},
	      "kprobe:a: 12 hits, 5.00 s\n\nhits: 12 seen, 12 kept, nothing lost\n");
	shows(new_hits(BY_PID, "kprobe:a"), (struct count_table_opts){},
	      "kprobe:a: 0 hits, 5.00 s\n\nhits: 0 seen, 0 kept, nothing lost\n");
}

static void by_nothing_each_event_has_a_line(void **state)
{
	struct profile *p = new_hits(0, "kprobe:a");

	add_event(p, "kprobe:bb");
	add_hits(p, (struct hit){ .event = 0, .n = 1 });
	add_hits(p, (struct hit){ .event = 1, .n = 12 });
	shows(p, (struct count_table_opts){},
	      "kprobe:a: 1 hit, 5.00 s\n"
	      "kprobe:bb: 12 hits, 5.00 s\n"
	      "\n"
	      "PROBE      COUNT\n"
	      "kprobe:bb     12\n"
	      "kprobe:a       1\n"
	      "\n"
	      "hits: 13 seen, 13 kept, nothing lost\n");
}

/* The terminal is too narrow by far: headings give way, digits do not. */
static void numbers_are_never_cut(void **state)
{
	struct profile *p = new_hits(0, "kprobe:a");

	add_field(p, "a_long_name", FIELD_UNSIGNED);
	add_hits(p, (struct hit){ .n = 12345678901, .words = { 1234567890 } });
	shows(p, (struct count_table_opts){ .width = 10 },
	      "kprobe:a: 12345678901 hits, 5.00 s\n"
	      "\n"
	      "A_LONG…AME        COUNT\n"
	      "1234567890  12345678901\n"
	      "\n"
	      "hits: 12345678901 seen, 12345678901 kept, nothing lost\n");
}

static void fields_are_shown_as_what_they_are(void **state)
{
	struct profile *p = new_hits(0, "kprobe:a");

	add_field(p, "fd", FIELD_UNSIGNED);
	add_field(p, "ret", FIELD_SIGNED);
	add_field(p, "sk", FIELD_HEX);
	add_field(p, "name", FIELD_TEXT);
	add_hits(p, (struct hit){ .n = 9, .words = { 3, -11, 0xffff8880abcd, 0 } });
	add_hits(p, (struct hit){ .n = 8, .words = { UINT64_MAX, 0, 0, text_word(p, "a\nb") } });
	shows(p, (struct count_table_opts){},
	      "kprobe:a: 17 hits, 5.00 s\n"
	      "\n"
	      "                  FD  RET              SK  NAME  COUNT\n"
	      "                   3  -11  0xffff8880abcd  \"\"        9\n"
	      "18446744073709551615    0             0x0  a�b       8\n"
	      "\n"
	      "hits: 17 seen, 17 kept, nothing lost\n");
}

static struct profile *sizes(bool is_signed)
{
	struct profile *p = new_hits(BY_PID, "kprobe:a");

	add_metric(p, "ret", is_signed ? "" : "ns", is_signed);
	/* 7 / 3 = 2.33; -1 - 4 = -5, -5 / 2 = -2.5 */
	add_hits(p, (struct hit){ .pid = 1, .n = 3, .value = { 7, 1, 4 } });
	add_hits(p, (struct hit){ .pid = 2, .n = 2, .value = { -5, -4, -1 } });
	return p;
}

static void shows_the_measures_asked_for(void **state)
{
	shows(sizes(true),
	      (struct count_table_opts){ .shown = MEASURE_SUM | MEASURE_AVG | MEASURE_MIN |
						  MEASURE_MAX },
	      "kprobe:a: 5 hits, 5.00 s\n"
	      "\n"
	      "PID  COUNT  SUM(ret)  AVG(ret)  MIN(ret)  MAX(ret)\n"
	      "  1      3         7      2.33         1         4\n"
	      "  2      2        -5     -2.50        -4        -1\n"
	      "\n"
	      "hits: 5 seen, 5 kept, nothing lost\n");
	shows(sizes(false), (struct count_table_opts){ .shown = MEASURE_MAX, .rows = 1 },
	      "kprobe:a: 5 hits, 5.00 s\n"
	      "\n"
	      "PID  COUNT  MAX(ret, ns)\n"
	      "  1      3             4\n"
	      "… and 1 more: 2 hits\n"
	      "\n"
	      "hits: 5 seen, 5 kept, nothing lost\n");
}

static void measures_of_two_events_are_apart(void **state)
{
	struct profile *p = sizes(true);

	add_event(p, "kprobe:b");
	add_hits(p, (struct hit){ .event = 1, .pid = 1, .n = 9, .value = { 90, 10, 10 } });
	shows(p, (struct count_table_opts){ .shown = MEASURE_SUM },
	      "kprobe:a: 5 hits, 5.00 s\n"
	      "kprobe:b: 9 hits, 5.00 s\n"
	      "\n"
	      "PROBE     PID  COUNT  SUM(ret)\n"
	      "kprobe:b    1      9        90\n"
	      "kprobe:a    1      3         7\n"
	      "kprobe:a    2      2        -5\n"
	      "\n"
	      "hits: 14 seen, 14 kept, nothing lost\n");
}

static void stacks_follow_their_line(void **state)
{
	struct profile *p = new_hits(BY_COMM | BY_KSTACK | BY_USTACK, "kprobe:vfs_read");
	uint32_t stack = add_stack(p, "csh", "umain", "uread", "kksys_read", "kvfs_read", NULL);

	add_hits(p, (struct hit){ .stack = stack, .n = 2 });
	add_hits(p, (struct hit){ .stack = add_stack(p, "cnode", "jrun", NULL), .n = 1 });
	add_hits(p, (struct hit){ .stack = add_stack(p, "ckthread", NULL), .n = 1 });
	shows(p, (struct count_table_opts){},
	      "kprobe:vfs_read: 4 hits, 5.00 s\n"
	      "\n"
	      "COMM     COUNT\n"
	      "sh           2\n"
	      "    vfs_read [k]\n"
	      "    ksys_read [k]\n"
	      "    read  prog\n"
	      "    main  prog\n"
	      "\n"
	      "node         1\n"
	      "    run [j]\n"
	      "\n"
	      "kthread      1\n"
	      "    -\n"
	      "\n"
	      "hits: 4 seen, 4 kept, nothing lost\n");
}

static void what_is_bold_and_what_the_kernels(void **state)
{
	struct profile *p = new_hits(BY_COMM | BY_KSTACK, "kprobe:a");

	add_hits(p, (struct hit){ .stack = add_stack(p, "csh", "umain", "ka", NULL), .n = 1 });
	shows(p, (struct count_table_opts){ .color = true },
	      "\033[1mkprobe:a\033[0m: 1 hit, 5.00 s\n"
	      "\n"
	      "\033[1mCOMM  COUNT\033[0m\n"
	      "sh        1\n"
	      "    \033[36ma [k]\033[0m\n"
	      "    main  \033[2mprog\033[0m\n"
	      "\n"
	      "hits: 1 seen, 1 kept, nothing lost\n");
}

/* A name of a template between ordinary ones, in a pipe: only its own line is long, and not very.
 */
static void a_huge_name_buries_nothing(void **state)
{
	struct profile *p = new_hits(BY_COMM, "uprobe:a");
	char name[10001], *text, *line;

	memset(name, 'x', sizeof(name));
	memcpy(name, "uBEGIN", 6);
	memcpy(name + sizeof(name) - 4, "END", 4);
	add_field(p, "func", FIELD_TEXT);
	add_hits(p, (struct hit){ .stack = add_stack(p, "csh", name, NULL),
				  .n = 6,
				  .words = { text_word(p, name + 1) } });
	add_hits(p, (struct hit){ .stack = add_stack(p, "csh", "umain", NULL),
				  .n = 2,
				  .words = { text_word(p, "main") } });
	p->by |= BY_USTACK;
	text = table(p, (struct count_table_opts){});
	/* 64 columns for names, then the number. */
	line = strstr(text, "COMM  FUNC");
	assert_non_null(line);
	assert_int_equal(strcspn(line, "\n"), strlen("COMM  ") + 64 + strlen("  COUNT"));
	line = strstr(text, "\nsh    main ");
	assert_non_null(line);
	assert_int_equal(strcspn(line + 1, "\n"), strlen("COMM  ") + 64 + strlen("  COUNT"));
	/* 256 columns, of which the ellipsis has one of 3 bytes. */
	line = strstr(text, "\nsh    BEGINxxx");
	assert_non_null(line);
	assert_int_equal(strcspn(line + 1, "\n"), strlen("sh    ") + 258 + strlen("      6"));
	assert_non_null(strstr(line, "xx…xx"));
	assert_non_null(strstr(line, "xxEND      6\n"));
	/* Its frame too. */
	line = strstr(text, "\n    BEGINxxx");
	assert_non_null(line);
	assert_int_equal(strcspn(line + 1, "\n"), strlen("    ") + 258 + strlen("  prog"));
	free(text);
	profile__free(p);
}

static void no_line_is_wider_than_the_terminal(void **state)
{
	struct profile *p = new_hits(BY_COMM | BY_PID | BY_KSTACK, "kprobe:a");
	char name[200], *text, *line, *rest;
	size_t used;

	memset(name, 'x', sizeof(name));
	name[0] = 'k';
	name[sizeof(name) - 1] = '\0';
	add_field(p, "sk->__sk_common.skc_dport", FIELD_UNSIGNED);
	add_field(p, "filename", FIELD_TEXT);
	add_hits(p, (struct hit){ .pid = 12345,
				  .stack = add_stack(p, "csh", name, NULL),
				  .n = 6,
				  .words = { 443, text_word(p, name) } });
	for (unsigned width = 40; width <= 240; width += 5) {
		text = rest = table(p, (struct count_table_opts){ .width = width });
		while ((line = strsep(&rest, "\n"))) {
			utf8__fit(line, strlen(line), SIZE_MAX, &used);
			assert_true(used <= width || !strncmp(line, "hits:", 5));
		}
		free(text);
	}
	text = table(p, (struct count_table_opts){ .width = 50 });
	/* 4 + 5 + 14 + 14 + 5 columns, and four times two between. */
	assert_non_null(strstr(text, "\nCOMM    PID  SK->__SK_…PORT  FILENAME        COUNT\n"
				     "sh    12345             443  kxxxxxxxx…xxxx      6\n"));
	free(text);
	profile__free(p);
}

static void names_cannot_drive_the_terminal(void **state)
{
	struct profile *p = new_hits(BY_COMM | BY_KSTACK, HOSTILE);
	char *text;

	add_field(p, HOSTILE, FIELD_TEXT);
	add_metric(p, HOSTILE, HOSTILE, false);
	add_hits(p, (struct hit){ .stack = add_stack(p, "c" HOSTILE, "k" HOSTILE, NULL),
				  .n = 1,
				  .words = { text_word(p, HOSTILE) } });
	text = table(p, (struct count_table_opts){ .shown = MEASURE_SUM });
	assert_null(strchr(text, '\033'));
	assert_int_equal(count_of(text, "\n"), 7);
	free(text);
	profile__free(p);
}

static void a_full_disk_is_an_error(void **state)
{
	struct profile *p = reads();
	FILE *f = full_disk();

	assert_int_equal(print__count_table(f, p, &(struct count_table_opts){}), -ENOSPC);
	fclose(f);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_a_line_for_each_key),
		cmocka_unit_test(tells_how_much_is_not_shown),
		cmocka_unit_test(a_few_events_have_columns),
		cmocka_unit_test(many_events_have_lines),
		cmocka_unit_test(by_nothing_the_headline_is_enough),
		cmocka_unit_test(by_nothing_each_event_has_a_line),
		cmocka_unit_test(numbers_are_never_cut),
		cmocka_unit_test(fields_are_shown_as_what_they_are),
		cmocka_unit_test(shows_the_measures_asked_for),
		cmocka_unit_test(measures_of_two_events_are_apart),
		cmocka_unit_test(stacks_follow_their_line),
		cmocka_unit_test(what_is_bold_and_what_the_kernels),
		cmocka_unit_test(a_huge_name_buries_nothing),
		cmocka_unit_test(no_line_is_wider_than_the_terminal),
		cmocka_unit_test(names_cannot_drive_the_terminal),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
