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

int other(int n);

#endif
