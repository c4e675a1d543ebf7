// SPDX-License-Identifier: BSD-2-Clause
/* Inlined functions of many kinds: built in many ways, see INLINED in the Makefile. Not run. */
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "inlined.h"

namespace outer
{
namespace
{
struct local {
	int v;
	__attribute__((noinline)) int get(int k)
	{
		auto f = [&](int q) { return v * q + k; };

		return f(k) + f(v);
	}
};
} // namespace

template <class T> static T sum(const std::vector<T> &v)
{
	T s{};

	for (auto &x : v)
		s += x;
	return s;
}

int run(int n)
{
	std::vector<int> v;
	local l{ n };

	for (int i = 0; i < n; i++)
		v.push_back(i ^ n);
	std::sort(v.begin(), v.end(), std::greater<int>());
	return sum(v) + l.get(n);
}
} // namespace outer

int main(int argc, char **argv)
{
	std::map<std::string, int> m;
	int k = other(argc);

	for (int i = 0; i < argc; i++)
		m[argv[i]] = outer::run(i + argc);
	for (auto &entry : m)
		k += twice(entry.second) + entry.first.size();
	account a{ { { k }, { argc }, { 5 }, { k - argc } } };

	return a(k) & 1;
}
