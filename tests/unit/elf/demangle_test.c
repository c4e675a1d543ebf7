// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "elf/demangle.h"

static void assert_reads(const char *name, const char *want)
{
	struct buf b = {};

	assert_int_equal(demangle(&b, name), 0);
	assert_string_equal(b.data, want);
	buf__free(&b);
}

static void plain_names_stay(void **state)
{
	(void)state;
	assert_reads("", "");
	assert_reads("main", "main");
	assert_reads("_start", "_start");
	assert_reads("_Dtest", "_Dtest");
	assert_reads("_Z", "_Z");
	assert_reads("_Znonsense", "_Znonsense");
	assert_reads("_R", "_R");
	assert_reads("foo.isra.0", "foo.isra.0");
}

static void cpp_names_have_their_parameters(void **state)
{
	(void)state;
	assert_reads("_ZN3foo3barEi", "foo::bar(int)");
	assert_reads("_ZNK3foo4sizeEv", "foo::size() const");
	assert_reads("_ZNSt6vectorIiSaIiEE9push_backERKi",
		     "std::vector<int, std::allocator<int> >::push_back(int const&)");
	assert_reads("_ZN1AD0Ev", "A::~A()");
}

static void rust_hashes_are_dropped(void **state)
{
	(void)state;
	assert_reads("_ZN4core3ptr13drop_in_place17h0123456789abcdefE", "core::ptr::drop_in_place");
	assert_reads("_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE",
		     "std::rt::lang_start::{{closure}}");
	assert_reads("_ZN50_$LT$T$u20$as$u20$core..convert..From$LT$T$GT$$GT$4from"
		     "17h0123456789abcdefE",
		     "<T as core::convert::From<T>>::from");
	assert_reads("_RNvC7mycrate3foo", "mycrate::foo");
	assert_reads("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar");
}

static void d_names_are_read(void **state)
{
	(void)state;
	assert_reads("_D3std5stdio7writelnFZv", "std.stdio.writeln()");
	assert_reads("_Dmain", "D main");
}

/* The first four are what perf has in its own tests. */
static void ocaml_names_are_read(void **state)
{
	(void)state;
	assert_reads("camlStdlib__array__map_154", "Stdlib.array.map");
	assert_reads("camlStdlib__anon_fn$5bstdlib$2eml$3a334$2c0$2d$2d54$5d_1453",
		     "Stdlib.anon_fn[stdlib.ml:334,0--54]");
	assert_reads("camlStdlib__bytes__$2b$2b_2205", "Stdlib.bytes.++");
	assert_reads("main", "main");
	assert_reads("camlStdlib__Map.add_512", "Stdlib.Map.add");
	assert_reads("camlDune__exe__Main__fun_1021", "Dune.exe.Main.fun_1021");
	assert_reads("camlMain__entry", "Main.entry");
	assert_reads("camlMain.entry", "Main.entry");
	/* Those of the runtime are C, and nonsense stays. */
	assert_reads("caml_alloc_small", "caml_alloc_small");
	assert_reads("caml_apply2", "caml_apply2");
	assert_reads("camlStdlib__Map__add", "camlStdlib__Map__add");
	assert_reads("camlA_1", "camlA_1");
	assert_reads("caml", "caml");
	assert_reads("camlA__$2_1", "A.$2");
	assert_reads("camlA__$00_1", "A.$00");
}

static void suffixes_and_versions_are_kept(void **state)
{
	(void)state;
	assert_reads("_ZN3foo3barEi.isra.0", "foo::bar(int).isra.0");
	assert_reads("_ZN3foo3barEi.part.12.cold", "foo::bar(int).part.12.cold");
	assert_reads("_ZN3foo3barEi@plt", "foo::bar(int)@plt");
	assert_reads("_ZN3foo3barEi@@LIB_1.0", "foo::bar(int)@@LIB_1.0");
	assert_reads("_RNvC7mycrate3foo.llvm.123", "mycrate::foo.llvm.123");
	assert_reads("memcpy@GLIBC_2.14", "memcpy@GLIBC_2.14");
	/* Two dots are Rust's "::", not a suffix. */
	assert_reads("_ZN3foo4a..b17h0123456789abcdefE", "foo::a::b");
}

static void output_is_appended(void **state)
{
	struct buf b = {};

	(void)state;
	assert_int_equal(buf__puts(&b, "at "), 0);
	assert_int_equal(demangle(&b, "_Z1fv"), 0);
	assert_int_equal(demangle(&b, "_Z~"), 0);
	assert_string_equal(b.data, "at f()_Z~");
	buf__free(&b);
}

/* f(a, a, ...): libiberty alone refuses C++ names of more than 1 KiB. */
static void a_name_of_two_kilobytes_is_read(void **state)
{
	char name[2100] = "_Z1f";
	struct buf b = {};
	int i;

	(void)state;
	for (i = 0; i < 1000; i++)
		memcpy(name + 4 + 2 * i, "1a", 3);
	assert_int_equal(demangle(&b, name), 0);
	/* "f(" and ")", 1000 times "a", 999 times ", ". */
	assert_int_equal(b.len, 3 + 1000 + 2 * 999);
	assert_memory_equal(b.data, "f(a, a, ", 8);
	buf__free(&b);
}

static void endless_nesting_stays_as_it_is(void **state)
{
	const size_t lengths[] = { 3000, 60000, 70000 };
	char *name = malloc(80000);
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		memcpy(name, "_Z1f", 4);
		memset(name + 4, 'P', lengths[i]);
		memcpy(name + 4 + lengths[i], "i", 2);
		assert_reads(name, name);
	}
	free(name);
}

static void a_name_that_refers_to_itself_stays_as_it_is(void **state)
{
	(void)state;
	assert_reads("_RB_", "_RB_");
	assert_reads("_RNvB_3foo", "_RNvB_3foo");
}

/* b<X, X> of the one before, 24 times: 2^24 names, 200 MB; no name of a program is like that. */
static void a_name_that_explodes_stays_as_it_is(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[512], *end = stpcpy(name, "_Z1f1aIiiE1bIS0_S0_E");
	int i;

	(void)state;
	for (i = 2; i < 26; i++)
		end += sprintf(end, "S1_IS%c_S%c_E", digits[i], digits[i]);
	assert_reads(name, name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_names_stay),
		cmocka_unit_test(cpp_names_have_their_parameters),
		cmocka_unit_test(rust_hashes_are_dropped),
		cmocka_unit_test(d_names_are_read),
		cmocka_unit_test(ocaml_names_are_read),
		cmocka_unit_test(suffixes_and_versions_are_kept),
		cmocka_unit_test(output_is_appended),
		cmocka_unit_test(a_name_of_two_kilobytes_is_read),
		cmocka_unit_test(endless_nesting_stays_as_it_is),
		cmocka_unit_test(a_name_that_refers_to_itself_stays_as_it_is),
		cmocka_unit_test(a_name_that_explodes_stays_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
