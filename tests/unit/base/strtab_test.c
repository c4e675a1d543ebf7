// SPDX-License-Identifier: BSD-2-Clause
#include "collide.h"
#include "profiles.h"

static uint32_t add(struct strtab *t, const char *s)
{
	uint32_t id;

	assert_int_equal(strtab__add(t, s, strlen(s), &id), 0);
	return id;
}

static void equal_strings_have_equal_ids(void **state)
{
	struct strtab *t = strtab__new();
	uint32_t a = add(t, "main"), b = add(t, "mainly");

	assert_int_not_equal(a, b);
	assert_int_equal(add(t, "main"), a);
	assert_string_equal(strtab__get(t, a), "main");
	assert_string_equal(strtab__get(t, b), "mainly");
	assert_int_equal(strtab__len(t, b), 6);
	assert_int_equal(strtab__nr(t), 3);
	strtab__free(t);
}

static void id_0_is_the_empty_string(void **state)
{
	struct strtab *t = strtab__new();

	assert_int_equal(add(t, ""), 0);
	assert_string_equal(strtab__get(t, 0), "");
	strtab__free(t);
}

static void the_input_need_not_be_terminated(void **state)
{
	struct strtab *t = strtab__new();
	const char bytes[3] = { 'a', 'b', 'c' };
	uint32_t id;

	assert_int_equal(strtab__add(t, bytes, 2, &id), 0);
	assert_string_equal(strtab__get(t, id), "ab");
	strtab__free(t);
}

static void addresses_do_not_move(void **state)
{
	struct strtab *t = strtab__new();
	const char *first = strtab__get(t, add(t, "first"));
	char s[32];
	uint32_t ids[20000];

	for (int i = 0; i < 20000; i++) {
		snprintf(s, sizeof(s), "function_%d", i);
		ids[i] = add(t, s);
	}
	assert_ptr_equal(strtab__get(t, add(t, "first")), first);
	assert_string_equal(first, "first");
	assert_string_equal(strtab__get(t, ids[12345]), "function_12345");
	assert_int_equal(strtab__nr(t), 20002);
	strtab__free(t);
}

static void a_string_may_be_larger_than_a_chunk(void **state)
{
	struct strtab *t = strtab__new();
	size_t len = 1000000;
	char *big = malloc(len + 1);
	uint32_t id;

	memset(big, 'x', len);
	big[len] = '\0';
	id = add(t, big);
	assert_int_equal(add(t, big), id);
	assert_int_equal(strtab__len(t, id), len);
	assert_string_equal(strtab__get(t, add(t, "small")), "small");
	free(big);
	strtab__free(t);
}

/* Sixteen bytes, the second half of which cancels the hash of the first. */
static void strings_that_were_chosen_do_not_share_a_hash(void **state)
{
	struct strtab *t = strtab__new();
	unsigned from = cpu_ms();
	uint64_t words[2];
	uint32_t id;

	for (uint64_t i = 0; i < MANY_KEYS; i++) {
		words[0] = i;
		words[1] = hash_u64(16 * 0x9e3779b97f4a7c15ull ^ i);
		assert_int_equal(strtab__add(t, (const char *)words, sizeof(words), &id), 0);
		assert_int_equal(id, i + 1);
	}
	assert_true(cpu_ms() - from < QUICK_MS);
	strtab__free(t);
}

static void free_accepts_null(void **state)
{
	strtab__free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_strings_have_equal_ids),
		cmocka_unit_test(id_0_is_the_empty_string),
		cmocka_unit_test(the_input_need_not_be_terminated),
		cmocka_unit_test(addresses_do_not_move),
		cmocka_unit_test(a_string_may_be_larger_than_a_chunk),
		cmocka_unit_test(strings_that_were_chosen_do_not_share_a_hash),
		cmocka_unit_test(free_accepts_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
