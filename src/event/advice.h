/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event/advice.h - what to do about an error, in the words of whom it is told to.
 *
 * A person at a command line knows options and commands; the writer of a program that uses the
 * library knows the fields and functions of pmutrace.h.
 */
#ifndef PMUTRACE_EVENT_ADVICE_H
#define PMUTRACE_EVENT_ADVICE_H

enum reader {
	READER_PERSON,
	READER_PROGRAM,
};

enum advice {
	ADVICE_LIST,	   /* see what there is */
	ADVICE_LIST_PMU,   /* see what the PMU has */
	ADVICE_FOR_CPUS,   /* ask for it on CPUs */
	ADVICE_ONLY_COUNT, /* do not sample it */
	ADVICE_NO_INHERIT, /* leave out what tasks start */
	ADVICE_OPEN_FILES, /* behind it comes " N": have so many */
};

/* Half a sentence. Never NULL. */
const char *advice(enum advice what, enum reader to);

#endif
