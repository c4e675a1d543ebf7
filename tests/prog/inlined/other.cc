// SPDX-License-Identifier: BSD-2-Clause
/* Another unit, with functions that the first one has as well. */
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "inlined.h"

static std::vector<std::unique_ptr<shape>> all;

int other(int n)
{
	std::vector<std::string> v;
	int s = 0;

	all.emplace_back(new scaled<3>);
	all.emplace_back(new scaled<7>);
	for (auto &p : all)
		s += p->area(n);
	for (int i = 0; i < n; i++)
		v.push_back(std::to_string(i) + "x");
	std::sort(v.begin(), v.end());
	account a{ { { n }, { s }, { 3 }, { n ^ s } } };

	s += a(n);
	return s + v.size() + twice(v.back().size());
}
