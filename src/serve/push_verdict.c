// SPDX-License-Identifier: BSD-2-Clause
/* Statuses of HTTP, and reasons of losses. */
#include "serve/push_verdict.h"

enum push_verdict push_verdict(unsigned status)
{
	if (status >= 200 && status < 300)
		return PUSH_ARRIVED;
	switch (status) {
	case 401:
	case 403:
	case 404:
	case 407:
	case 408:
	case 429:
	case 503:
		return PUSH_LATER;
	}
	return status >= 400 && status < 500 ? PUSH_DROP : PUSH_LATER_OTHERS;
}

static const struct {
	const char *name, *text;
} losses[PUSH_LOSSES] = {
	[PUSH_LOST_FULL] = { "full", "profiles made room for newer ones in the spool" },
	[PUSH_LOST_DISK] = { "disk", "profiles could not be written into the spool" },
	[PUSH_LOST_OLD] = { "old", "profiles became older than the backend takes" },
	[PUSH_LOST_REFUSED] = { "refused", "profiles refused by the backend" },
	[PUSH_LOST_REJECTED] = { "rejected", "profiles not taken, or not all of them" },
	[PUSH_LOST_DAMAGED] = { "damaged", "profiles in the spool were damaged" },
};

const char *push_loss__text(enum push_loss loss)
{
	return losses[loss].text;
}

const char *push_loss__name(enum push_loss loss)
{
	return losses[loss].name;
}
