// SPDX-License-Identifier: BSD-2-Clause
// A unit of a large program: templates of the standard library, inlined into each other. run.sh
// makes as many of it as it is told to, each in a namespace of its own.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

namespace unit0000 {

template <int N> struct key {
	std::string name;
	int numbers[N];
	bool operator<(const key &o) const { return std::tie(name, numbers[0]) < std::tie(o.name, o.numbers[0]); }
	bool operator==(const key &o) const { return name == o.name && numbers[0] == o.numbers[0]; }
};

template <int N> struct hash {
	size_t operator()(const key<N> &k) const { return std::hash<std::string>()(k.name) ^ k.numbers[0]; }
};

template <int N> int turn(unsigned seed)
{
	std::map<key<N>, std::vector<key<N>>> ordered;
	std::unordered_map<key<N>, std::shared_ptr<key<N>>, hash<N>> hashed;
	std::deque<std::variant<int, key<N>, std::vector<key<N>>>> mixed;
	std::set<key<N>> seen;
	std::list<key<N>> row;
	std::mt19937 gen(seed);
	std::function<int(const key<N> &)> weigh = [&](const key<N> &k) {
		return std::accumulate(k.numbers, k.numbers + N, int(gen() % 7));
	};
	int sum = 0;

	for (int i = 0; i < 100; i++) {
		key<N> k{ std::to_string(gen() % 50), {} };

		std::iota(k.numbers, k.numbers + N, i);
		ordered[k].push_back(k);
		hashed[k] = std::make_shared<key<N>>(k);
		mixed.emplace_back(k);
		seen.insert(k);
		row.push_front(k);
	}
	for (auto &o : ordered) {
		std::sort(o.second.begin(), o.second.end());
		std::stable_sort(o.second.begin(), o.second.end(), [](auto &a, auto &b) { return b < a; });
		sum += weigh(o.first);
	}
	row.sort();
	row.unique();
	for (auto &m : mixed)
		sum += std::visit([](auto &x) { return int(sizeof(x)); }, m);
	for (auto &h : hashed)
		sum += h.second.use_count() + weigh(h.first);
	return sum + seen.size();
}

int all(const char *text)
{
	std::ostringstream out;
	std::regex words("[a-z]+(x|y)*");
	std::cmatch found;
	int sum = std::regex_search(text, found, words) ? found.length() : 0;

	sum += turn<1>(sum) + turn<2>(sum) + turn<3>(sum) + turn<4>(sum) + turn<5>(sum) + turn<6>(sum);
	out << sum << text;
	return out.str().size();
}

} // namespace unit0000
