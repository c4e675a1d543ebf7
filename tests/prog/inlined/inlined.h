/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions for both units to inline. */
#ifndef INLINED_H
#define INLINED_H

static inline int once(int x)
{
	return x * 3 + 1;
}

static inline int twice(int x)
{
	return once(once(x)) + x;
}

struct shape {
	virtual ~shape() = default;
	virtual int area(int side) const = 0;
};

template <int factor> struct scaled : shape {
	int area(int side) const override
	{
		return side * factor + twice(side);
	}
};

/* Members that type units declare: static, of a nested class, of a template, an operator. */
struct account {
	struct entry {
		int amount;
		int with_tax(int percent) const
		{
			return amount + amount * percent / 100;
		}
	};
	entry entries[4];
	static int rounded(int v)
	{
		return once(v) & ~7;
	}
	template <class F> int each(F f) const
	{
		int s = 0;

		for (auto &e : entries)
			s += f(e.with_tax(s));
		return s;
	}
	int operator()(int k) const
	{
		struct local {
			int k;
			int twist(int v) const
			{
				return v * k ^ rounded(v);
			}
		} l{ k };

		return each([&](int v) { return l.twist(v); });
	}
};

int other(int n);

#endif
