// SPDX-License-Identifier: BSD-2-Clause
/*
 * A line of a format file, one of an event's, and the terms that somebody typed: whatever is
 * accepted stays inside its fields.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "event/pmu.h"
#include "event/pmu_terms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_field(const char *text, uint64_t value)
{
	uint64_t configs[PMU_CONFIGS] = {}, back = 0;
	struct pmu_field f;
	unsigned bit = 0;

	if (pmu_field__parse(&f, text))
		return;
	if (!f.bits || f.word >= PMU_CONFIGS || pmu_field__width(&f) > 64)
		abort();
	if (pmu_field__width(&f) < 64)
		value &= (1ull << pmu_field__width(&f)) - 1;
	if (pmu_field__set(&f, value, configs) || configs[f.word] & ~f.bits)
		abort();
	for (uint64_t left = f.bits; left; left &= left - 1, bit++)
		if (configs[f.word] & left & -left)
			back |= 1ull << bit;
	if (back != value)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), *format = text, *event, *terms, none[] = "";
	struct pmu_format formats[] = {
		{ "event", "config:0-7,32-35" },
		{ "field", NULL },
		{ "inv", "config:23" },
	};
	struct pmu_event events[] = { { "alias", NULL, "MiB", 0.5 } };
	struct pmu_words words = {
		.pmu = "cpu",
		.formats = formats,
		.nr_formats = ARRAY_SIZE(formats),
		.events = events,
		.nr_events = ARRAY_SIZE(events),
	};
	struct pmu_terms out;
	size_t len;
	struct buf why = {};
	int err;

	if (!text)
		abort();
	event = strchr(format, '\n');
	if (event)
		*event++ = '\0';
	terms = event ? strchr(event, '\n') : NULL;
	if (terms)
		*terms++ = '\0';
	formats[1].bits = format;
	events[0].terms = event ? event : none;
	check_field(format, size * 0x9e3779b97f4a7c15);
	if (!terms)
		terms = format;
	len = strlen(terms);
	/* Failing is fine; failing without a reason is not. */
	err = pmu_terms__parse(&out, &words, terms, len, &why);
	if (err && (!why.len || out.bad + out.bad_len > len))
		abort();
	if (!err && out.period && out.hz)
		abort();
	if (*format && strlen(format) < 100 && !strpbrk(format, "*?") &&
	    !pmu__matches(format, format, strlen(format)))
		abort();
	buf__free(&why);
	free(text);
	return 0;
}
