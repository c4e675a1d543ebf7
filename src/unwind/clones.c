// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/clones.h"

#include "elf/elf_code.h"

/* Words of pt_regs (x86_64: rax), and of user_pt_regs (arm64: x0). */
enum { RESULT_X86 = 10, RESULT_ARM64 = 0 };

static bool is_stop(const struct described_code *c, const struct described *f,
		    const struct unwind_rules *rules)
{
	return f->nr && rules->all[c->rows[f->first].rule].cfa == UNWIND_CFA_STOP;
}

/*
 * The last row of the function before, which a system call leaves as it is. arm64's FDE goes on
 * behind the call, where it is right for one of both alone: it ends there.
 */
static int add(struct described_code *c, unsigned machine, struct described *before,
	       uint64_t returns, uint64_t end, struct unwind_rules *rules)
{
	const struct described_row last = c->rows[before->first + before->nr - 1];
	struct unwind_rule r = rules->all[last.rule];
	uint64_t start = before->end;
	uint32_t number;
	int err;

	if (r.cfa != UNWIND_CFA_SP || r.ra == UNWIND_SAVED_REG)
		return 0;
	if (before->end > returns) {
		if (machine != EM_AARCH64 || before->start + last.at >= returns)
			return 0;
		start = before->end = returns;
	}
	r.cfa = UNWIND_CFA_CLONE;
	r.reg = machine == EM_X86_64 ? RESULT_X86 : RESULT_ARM64;
	r.by_code = 1;
	err = unwind_rules__add(rules, &r, &number);
	if (!err)
		err = described__add_function(c, start, end);
	if (!err)
		err = described__add_row(c, 0, number);
	if (!err)
		c->functions[c->nr_functions - 1].nr = 1;
	return err;
}

int clones__add(struct described_code *c, const struct elf_from *from, unsigned machine,
		struct unwind_rules *rules)
{
	const size_t nr = c->nr_functions;
	int err = described__sort(c);

	for (size_t i = 1; i < nr && !err; i++) {
		struct described *before = &c->functions[i - 1];
		const struct described *next = &c->functions[i];
		uint64_t returns;

		if (before->nr && is_stop(c, next, rules) && before->end <= next->start &&
		    elf_code__behind_clone(from, machine, next->start, &returns))
			err = add(c, machine, before, returns, next->start, rules);
	}
	return err;
}
