// SPDX-License-Identifier: BSD-2-Clause
// work.cc - sorts, matches, throws and catches for as long as it is let: completeness.sh's C++.
#include <algorithm>
#include <map>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

static size_t words_of(int seed)
{
	std::map<std::string, int> counts;
	std::vector<std::string> all;

	for (int i = 0; i < 5000; i++)
		counts["k" + std::to_string((i * 7919 + seed) % 997)]++;
	for (const auto &c : counts)
		all.push_back(c.first);
	std::sort(all.begin(), all.end(),
		  [](const std::string &a, const std::string &b) { return a > b; });
	return all.size();
}

static size_t matches_of(int seed)
{
	static const std::regex digits("(k|j)[0-9]+5$");
	size_t n = 0;

	for (int i = 0; i < 200; i++)
		n += std::regex_match("k" + std::to_string(i * seed), digits);
	return n;
}

static void fail(int depth)
{
	if (!depth)
		throw std::runtime_error("deep enough");
	fail(depth - 1);
	asm volatile("");
}

int main()
{
	size_t n = 0;

	for (int i = 0; i < 100000000; i++) {
		n += words_of(i) + matches_of(i);
		try {
			fail(20);
		} catch (const std::exception &) {
			n++;
		}
	}
	return n == 0;
}
