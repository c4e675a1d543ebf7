// SPDX-License-Identifier: BSD-2-Clause
/* Finds the kernel's tables of unwind rules by their symbols. */
#include "probe/kernel_rules.h"

#include <errno.h>
#include <stdint.h>

#include "sym/kernel_data.h"

/* The last ones stand in for return addresses of functions that are traced or probed. */
enum { TEXT, TEXT_END, IPS, IPS_END, RULES, RULES_END, TRAMPOLINES };

static const char *const names[TRAMPOLINES + ORC_TRAMPOLINES] = {
	[TEXT] = "_stext",
	[TEXT_END] = "_etext",
	[IPS] = "__start_orc_unwind_ip",
	[IPS_END] = "__stop_orc_unwind_ip",
	[RULES] = "__start_orc_unwind",
	[RULES_END] = "__stop_orc_unwind",
	[TRAMPOLINES] = "return_to_handler", /* function graphs */
	"arch_rethook_trampoline",	     /* since Linux 6.1 */
	"__kretprobe_trampoline",	     /* since 5.16 */
	"kretprobe_trampoline",
};

enum { IP_BYTES = 4, RULE_BYTES = 6 };

/* One rule for each address that one begins at. */
static uint64_t nr_of(const uint64_t *at)
{
	const uint64_t nr = (at[IPS_END] - at[IPS]) / IP_BYTES;

	if (!at[TEXT] || !at[TEXT_END] || !at[IPS] || !at[RULES] || at[IPS_END] < at[IPS])
		return 0;
	return at[RULES_END] - at[RULES] == nr * RULE_BYTES && nr < ORC_RULES_MAX ? nr : 0;
}

int kernel_rules__find(const char *kallsyms, struct orc_cfg *out)
{
	uint64_t at[ARRAY_SIZE(names)];
	int err = kernel_data__find_some(kallsyms, names, at, ARRAY_SIZE(names));

	*out = (struct orc_cfg){};
	if (err)
		return err == -ENOMEM ? err : 0;
	out->nr = nr_of(at);
	out->text = at[TEXT];
	out->text_end = at[TEXT_END];
	out->ips = at[IPS];
	out->rules = at[RULES];
	for (size_t i = 0; i < ORC_TRAMPOLINES; i++)
		out->trampolines[i] = at[TRAMPOLINES + i];
	return 0;
}
