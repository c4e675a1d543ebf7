// SPDX-License-Identifier: BSD-2-Clause
/* Names in ELF files and where files are; compared with nm, readelf, the shell and ldconfig. */
#include "elf_fixture.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sys/stat.h>

#include "lookup/lookup.h"

/* As nm prints it, through the LOAD lines of `readelf -lW`. */
static uint64_t want_offset(const struct dir *d, const char *file, const char *name)
{
	unsigned long long offset, vaddr, bytes;
	uint64_t addr = nm_address(d, file, name), found = 0;
	char cmd[256];
	FILE *f;

	snprintf(cmd, sizeof(cmd), "cd %s && readelf -lW %s | sed -n 's/^ *LOAD *//p'", d->path,
		 file);
	f = popen(cmd, "r");
	assert_non_null(f);
	while (fscanf(f, "%llx %llx %*x %llx %*[^\n]", &offset, &vaddr, &bytes) == 3)
		if (addr >= vaddr && addr < vaddr + bytes)
			found = addr - vaddr + offset;
	pclose(f);
	assert_int_not_equal(found, 0);
	return found;
}

static void assert_found(const char *path, const char *symbol, uint64_t want)
{
	struct buf why = {};
	struct lookup_function found;
	int err = lookup__function(NULL, path, symbol, &found, &why);

	if (err)
		print_error("%s\n", why.data);
	assert_int_equal(err, 0);
	assert_int_equal(found.offset, want);
	buf__free(&why);
}

static void assert_says(const struct buf *why, const char *sentence)
{
	assert_non_null(why->data);
	if (!strstr(why->data, sentence))
		assert_string_equal(why->data, sentence);
}

static void assert_refused(const char *path, const char *symbol, int err, const char *sentence)
{
	struct buf why = {};
	struct lookup_function found;

	assert_int_equal(lookup__function(NULL, path, symbol, &found, &why), err);
	assert_says(&why, sentence);
	buf__free(&why);
}

static void functions_are_where_nm_says(void **state)
{
	static const char *const names[] = { "hidden", "visible", "weak_one", "asm_label" };
	struct dir *d = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		assert_found(d->lib, names[i], want_offset(d, "full.so", names[i]));
}

/* Addresses and offsets are different things in both. */
static void addresses_become_offsets(void **state)
{
	struct dir *d = *state;
	char address[32], told[64];

	must(sh(d, "echo 'int main(void) { return 0; }' > m.c && "
		   "cc -no-pie -Wl,-Ttext-segment=0x700000 -o lib.so m.c"));
	assert_true(nm_address(d, "lib.so", "main") > 0x700000);
	assert_found(d->lib, "main", want_offset(d, "lib.so", "main"));
	snprintf(address, sizeof(address), "0x%" PRIx64, nm_address(d, "lib.so", "main"));
	snprintf(told, sizeof(told), "its offset in the file, 0x%" PRIx64,
		 want_offset(d, "lib.so", "main"));
	assert_refused(d->lib, address, -EINVAL, told);
	must(sh(d, "clang -fuse-ld=lld -o lib.so m.c"));
	assert_int_not_equal(nm_address(d, "lib.so", "main"), want_offset(d, "lib.so", "main"));
	assert_found(d->lib, "main", want_offset(d, "lib.so", "main"));
}

static void a_stripped_file_has_what_it_exports(void **state)
{
	struct dir *d = *state;

	must(sh(d, "strip lib.so"));
	assert_found(d->lib, "visible", want_offset(d, "full.so", "visible"));
	assert_refused(d->lib, "hidden", -ENOENT, "no function 'hidden' in ");
}

static void separate_debug_files_are_used(void **state)
{
	struct dir *d = *state;

	must(sh(d, "objcopy --only-keep-debug lib.so lib.debug && strip lib.so && "
		   "objcopy --add-gnu-debuglink=lib.debug lib.so"));
	assert_found(d->lib, "hidden", want_offset(d, "full.so", "hidden"));
}

static void packed_symbols_are_used(void **state)
{
#ifdef HAVE_LZMA
	struct dir *d = *state;

	must(sh(d, "objcopy -S lib.so mini -j .symtab -j .strtab && "
		   "objcopy --only-keep-debug lib.so mini && strip -g mini && xz mini && "
		   "strip lib.so && objcopy --add-section .gnu_debugdata=mini.xz lib.so"));
	assert_found(d->lib, "hidden", want_offset(d, "full.so", "hidden"));
	assert_found(d->lib, "visible", want_offset(d, "full.so", "visible"));
#else
	(void)state;
	skip();
#endif
}

static void an_offset_is_taken_as_it_is_if_it_is_code(void **state)
{
	struct dir *d = *state;
	uint64_t offset = want_offset(d, "full.so", "visible");
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, offset);
	assert_found(d->lib, text, offset);
	assert_refused(d->lib, "0x1", -EINVAL, "is not code");
	assert_refused(d->lib, "0xffffffffffffffff", -EINVAL, "is not code");
}

static void demangled_names_are_names(void **state)
{
	struct dir *d = *state;

	must(sh(d, "cat > m.c <<'E'\n"
		   "int f(int x) __asm__(\"_ZN2ns1fEi\");\n"
		   "int f(int x) { return x; }\n"
		   "int g(int x) __asm__(\"_ZN2ns1gEi\");\n"
		   "int g(int x) { return x + 1; }\n"
		   "int h(long x) __asm__(\"_ZN2ns1gEl\");\n"
		   "int h(long x) { return x + 2; }\n"
		   "int c(int x) __asm__(\"_ZN2ns1fEi.cold\");\n"
		   "int c(int x) { return x + 3; }\nE\n"
		   "cc -O1 -fPIC -shared -o lib.so m.c"));
	assert_found(d->lib, "_ZN2ns1fEi", want_offset(d, "lib.so", "_ZN2ns1fEi"));
	assert_found(d->lib, "ns::f(int)", want_offset(d, "lib.so", "_ZN2ns1fEi"));
	assert_found(d->lib, "ns::f", want_offset(d, "lib.so", "_ZN2ns1fEi"));
	assert_found(d->lib, "ns::g(long)", want_offset(d, "lib.so", "_ZN2ns1gEl"));
	assert_refused(d->lib, "ns::g", -ENOTUNIQ, "'ns::g' is 2 functions in");
	assert_refused(d->lib, "ns::g", -ENOTUNIQ, "(ns::g(long))");
	assert_refused(d->lib, "ns::ff", -ENOENT, "did you mean ns::");
}

static void local_functions_of_one_name_are_not_guessed(void **state)
{
	struct dir *d = *state;
	struct buf why = {};
	char want[128];
	struct lookup_function found;

	must(sh(d,
		"for i in 1 2 3; do echo \"static __attribute__((noinline, used)) int twin(int x) "
		"{ return x * $i; } int user$i(int x) { return twin(x); }\" > m$i.c; done; "
		"cc -O1 -fPIC -shared -o lib.so m1.c m2.c m3.c"));
	assert_int_equal(lookup__function(NULL, d->lib, "twin", &found, &why), -ENOTUNIQ);
	assert_says(&why, "'twin' is 3 functions in");
	/* nm_address() takes the first that nm prints, which sorts by name only. */
	snprintf(want, sizeof(want), "0x%" PRIx64, want_offset(d, "lib.so", "twin"));
	assert_says(&why, want);
	buf__free(&why);

	must(sh(d, "echo 'int twin(int x) { return x; }' > m2.c && "
		   "cc -O1 -fPIC -shared -o lib.so m1.c m2.c m3.c && "
		   "nm lib.so | grep 'T twin' > global"));
	snprintf(want, sizeof(want), "%s/global", d->path);
	assert_int_equal(buf__read_file(&why, want, 4096), 0);
	assert_found(d->lib, "twin", strtoull(why.data, NULL, 16));
	buf__free(&why);
}

static const char versions[] =
	"cat > m.c <<'E'\n"
	"int old(int x) { return x; }\n"
	"int new(int x) { return x + 1; }\n"
	"int gone(int x) { return x + 2; }\n"
	"__asm__(\".symver old, foo@V1\\n.symver new, foo@@V2\\n.symver gone, bar@V1\");\nE\n"
	"echo 'V1 { global: foo; bar; local: old; new; gone; }; V2 { global: foo; } V1;' > map && "
	"cc -O1 -fPIC -shared -Wl,--version-script=map -o full.so m.c && cp full.so lib.so";

static void the_default_version_of_a_symbol_is_meant(void **state)
{
	struct dir *d = *state;
	uint64_t v1, v2, bar;
	int stripped;

	must(sh(d, "%s", versions));
	v1 = want_offset(d, "full.so", "foo@V1");
	v2 = want_offset(d, "full.so", "foo@@V2");
	bar = want_offset(d, "full.so", "bar@V1");
	assert_int_not_equal(v1, v2);
	for (stripped = 0; stripped < 2; stripped++) {
		assert_found(d->lib, "foo", v2);
		assert_found(d->lib, "foo@V1", v1);
		assert_found(d->lib, "foo@V2", v2);
		assert_found(d->lib, "foo@@V2", v2);
		assert_found(d->lib, "bar", bar);
		assert_refused(d->lib, "foo@V3", -ENOENT, "no function 'foo@V3'");
		must(sh(d, "strip lib.so"));
	}
}

static void what_is_no_function_is_refused(void **state)
{
	struct dir *d = *state;

	must(sh(d, "cat > m.c <<'E'\n"
		   "#include <stdio.h>\n"
		   "int number = 5;\n"
		   "static __attribute__((noinline)) int one(void) { return 1; }\n"
		   "static int (*resolve(void))(void) { return one; }\n"
		   "int pick(void) __attribute__((ifunc(\"resolve\")));\n"
		   "int use(void) { puts(\"x\"); return pick(); }\nE\n"
		   "cc -O1 -fPIC -shared -o lib.so m.c"));
	assert_refused(d->lib, "number", -EINVAL, "is data, not a function");
	assert_refused(d->lib, "pick", -EINVAL, "indirect function (IFUNC)");
	assert_refused(d->lib, "puts", -EINVAL, "calls 'puts', but does not have it");
	assert_refused(d->lib, "us", -ENOENT, "did you mean use?");
	must(sh(d, "strip lib.so"));
	assert_refused(d->lib, "number", -EINVAL, "is data, not a function");
	assert_refused(d->lib, "pick", -EINVAL, "indirect function (IFUNC)");
	assert_refused(d->lib, "puts", -EINVAL, "calls 'puts', but does not have it");
}

static void what_is_no_program_is_refused(void **state)
{
	struct dir *d = *state;
	char path[128];

	snprintf(path, sizeof(path), "%s/lib.c", d->path);
	assert_refused(path, "f", -ENOEXEC, "neither an ELF program nor a shared library");
	must(sh(d, "cc -c lib.c && mkfifo pipe"));
	snprintf(path, sizeof(path), "%s/lib.o", d->path);
	assert_refused(path, "visible", -ENOEXEC, "neither an ELF program nor a shared library");
	snprintf(path, sizeof(path), "%s/pipe", d->path);
	assert_refused(path, "f", -EPERM, "not a regular file");
	snprintf(path, sizeof(path), "%s/nothing", d->path);
	assert_refused(path, "f", -ENOENT, "No such file");
}

static int list(const struct lookup_function *f, void *arg)
{
	fprintf(arg, "%s %" PRIx64 " %" PRIx64 " %d\n", f->name, f->offset, f->size, f->is_alias);
	return 0;
}

/* What is called: "NAME OFFSET SIZE IS_ALIAS" lines. The caller frees it. */
static char *list_of(const char *path, const char *glob)
{
	struct buf why = {};
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	assert_int_equal(lookup__each_function(NULL, path, glob, list, f, &why), 0);
	assert_int_equal(why.len, 0);
	fclose(f);
	return text;
}

/* Everything that nm calls code, of a file whose addresses are its offsets. */
static void assert_listed_as_nm_does(const char *path, const char *nm)
{
	char cmd[512], want[256], got[256], *text = list_of(path, "*"), *at = text;
	unsigned long long addr;
	size_t nr = 0;
	FILE *f;

	snprintf(cmd, sizeof(cmd),
		 "LC_ALL=C; export LC_ALL; %s %s | "
		 "awk '$2 ~ /^[tTwW]$/ { sub(/@@.*/, \"\", $3); print $3, $1 }' | sort -u",
		 nm, path);
	f = popen(cmd, "r");
	assert_non_null(f);
	for (; fscanf(f, "%200s %llx", want, &addr) == 2; nr++) {
		int n = snprintf(want + strlen(want), 40, " %llx ", addr);

		assert_true(n > 0);
		snprintf(got, sizeof(got), "%.*s", (int)strlen(want), at);
		assert_string_equal(got, want);
		at = strchr(at, '\n') + 1;
	}
	pclose(f);
	assert_int_equal(*at, '\0');
	assert_true(nr >= 3);
	free(text);
}

static void listed_is_what_nm_lists(void **state)
{
	struct dir *d = *state;
	struct buf path = {}, why = {};

	assert_listed_as_nm_does(d->lib, "nm");
	assert_int_equal(lookup__path("libz", &path, &why), 0);
	assert_listed_as_nm_does(path.data, "nm -D");
	buf__free(&path);
	must(sh(d, "%s", versions));
	assert_listed_as_nm_does(d->lib, "nm");
	must(sh(d, "strip lib.so"));
	assert_listed_as_nm_does(d->lib, "nm -D");
}

static void a_glob_selects_functions(void **state)
{
	struct dir *d = *state;
	char want[256], *text;

	snprintf(want, sizeof(want), "visible %" PRIx64 " ", want_offset(d, "full.so", "visible"));
	text = list_of(d->lib, "vis*le");
	assert_memory_equal(text, want, strlen(want));
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	free(text);
	text = list_of(d->lib, "visible");
	assert_memory_equal(text, want, strlen(want));
	free(text);
	text = list_of(d->lib, "nothing*");
	assert_string_equal(text, "");
	free(text);
}

static void aliases_are_marked(void **state)
{
	struct dir *d = *state;
	char *text, *at;

	must(sh(d, "echo 'int __main_name(int x) { return x; } "
		   "int alias(int) __attribute__((alias(\"__main_name\"))); "
		   "int weaker(int) __attribute__((weak, alias(\"__main_name\")));' > m.c && "
		   "cc -O1 -fPIC -shared -o lib.so m.c"));
	text = list_of(d->lib, "*a*");
	for (at = text; at && *at; at = strchr(at, '\n') + 1) {
		bool is_alias = strchr(at, '\n')[-1] == '1';

		if (!strncmp(at, "alias ", 6))
			assert_false(is_alias);
		if (!strncmp(at, "__main_name ", 12) || !strncmp(at, "weaker ", 7))
			assert_true(is_alias);
	}
	assert_non_null(strstr(text, "__main_name "));
	assert_non_null(strstr(text, "\nweaker "));
	free(text);
	/* Alone it is no alias of anything that is asked for. */
	text = list_of(d->lib, "weaker");
	assert_int_equal(text[strlen(text) - 2], '0');
	free(text);
}

static void a_pattern_without_a_match_has_neighbours(void **state)
{
	struct dir *d = *state;
	struct buf why = {};

	assert_int_equal(lookup__explain_no_function(NULL, d->lib, "visibel?", &why), -ENOENT);
	assert_says(&why, "matches 'visibel?'; did you mean visible");
	buf__free(&why);
}

static void a_function_has_its_size(void **state)
{
	struct dir *d = *state;
	struct lookup_function found;
	struct buf why = {};

	must(sh(d,
		"printf '%%s\\n' .text '.globl five, none' '.type five, @function' 'five: .skip 5' "
		"'.size five, 5' '.type none, @function' 'none: .skip 3' > a.s && "
		"cc -shared -nostdlib -o lib.so a.s"));
	assert_int_equal(lookup__function(NULL, d->lib, "five", &found, &why), 0);
	assert_int_equal(found.size, 5);
	assert_int_equal(lookup__function(NULL, d->lib, "none", &found, &why), 0);
	assert_int_equal(found.size, 0);
	assert_int_equal(why.len, 0);
}

static void a_pattern_is_checked(void **state)
{
	struct dir *d = *state;
	char pattern[100];
	struct buf why = {};

	assert_int_equal(lookup__each_function(NULL, d->lib, "", list, NULL, &why), -EINVAL);
	assert_says(&why, "is empty");
	memset(pattern, '?', sizeof(pattern));
	pattern[sizeof(pattern) - 1] = '\0';
	buf__clear(&why);
	assert_int_equal(lookup__each_function(NULL, d->lib, pattern, list, NULL, &why), -EINVAL);
	assert_says(&why, "too long");
	buf__free(&why);
}

/* One word of what a command prints. */
static void ask(const char *cmd, char *word)
{
	FILE *f = popen(cmd, "r");

	assert_non_null(f);
	if (fscanf(f, "%255s", word) != 1)
		*word = '\0';
	pclose(f);
}

static void assert_path(const struct lookup_places *places, const char *name, const char *want)
{
	struct buf path = {}, why = {};
	int err = places ? lookup__path_in(places, name, &path, &why)
			 : lookup__path(name, &path, &why);

	if (err)
		print_error("%s\n", why.data);
	assert_int_equal(err, 0);
	assert_string_equal(path.data, want);
	buf__free(&path);
	buf__free(&why);
}

static void assert_no_path(const struct lookup_places *places, const char *name, int err,
			   const char *sentence)
{
	struct buf path = {}, why = {};

	assert_int_equal(lookup__path_in(places, name, &path, &why), err);
	assert_int_equal(path.len, 0);
	assert_says(&why, sentence);
	buf__free(&why);
}

static void programs_are_found_where_the_shell_finds_them(void **state)
{
	static const char *const names[] = { "sh", "ls", "cc" };
	char cmd[64], want[256];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(cmd, sizeof(cmd), "command -v %s", names[i]);
		ask(cmd, want);
		assert_path(NULL, names[i], want);
	}
	assert_path(NULL, "/bin/sh", "/bin/sh");
}

static void assert_same_file(const char *a, const char *b)
{
	struct stat x, y;

	assert_int_equal(stat(a, &x), 0);
	assert_int_equal(stat(b, &y), 0);
	assert_int_equal(x.st_ino, y.st_ino);
	assert_int_equal(x.st_dev, y.st_dev);
}

static void libraries_are_those_that_the_loader_uses(void **state)
{
	static const char *const names[] = { "libc.so.6", "libc", "libc.so", "libz",
					     "libelf.so.1" };
	const struct lookup_places without_maps = { .root = "" };
	struct buf path = {}, why = {};
	char cmd[256], want[256];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(cmd, sizeof(cmd),
			 "PATH=$PATH:/sbin ldconfig -p | grep -F -e '64' | "
			 "sed -n 's/^\t%.*s\\.so\\.[^ ]* .*=> //p' | head -1",
			 (int)strcspn(names[i], "."), names[i]);
		ask(cmd, want);
		if (!*want)
			skip();
		assert_int_equal(lookup__path(names[i], &path, &why), 0);
		assert_same_file(path.data, want);
		buf__clear(&path);
		assert_int_equal(lookup__path_in(&without_maps, names[i], &path, &why), 0);
		assert_same_file(path.data, want);
		buf__clear(&path);
	}
	buf__free(&path);
}

static void a_configured_directory_is_searched_first(void **state)
{
	struct dir *d = *state;
	const struct lookup_places there = { .root = d->path };

	must(sh(d, "mkdir -p etc/ld.so.conf.d opt/a opt/b usr/lib && "
		   "printf '# none\\ninclude ld.so.conf.d/*.conf\\n/opt/b/ # last\\n' > "
		   "etc/ld.so.conf && "
		   "echo /opt/a > etc/ld.so.conf.d/x.conf && "
		   "cp full.so opt/a/libone.so.1.2 && ln -s libone.so.1.2 opt/a/libone.so.1 && "
		   "cp full.so opt/b/libone.so.1 && cp full.so usr/lib/libone.so.1 && "
		   "cp full.so opt/b/libtwo.so.1 && cp full.so usr/lib/libtwo.so.2 && "
		   "echo 'GROUP ( x )' > opt/a/libtwo.so.1 && "
		   "cp full.so usr/lib/libtwo.so.2.debug && mkdir opt/a/libtwo.so.3"));
	assert_path(&there, "libone", "/opt/a/libone.so.1");
	assert_path(&there, "libone.so", "/opt/a/libone.so.1");
	assert_path(&there, "libone.so.1.2", "/opt/a/libone.so.1.2");
	assert_path(&there, "libtwo.so.1", "/opt/b/libtwo.so.1");
	assert_path(&there, "libtwo.so.2", "/usr/lib/libtwo.so.2");
	assert_no_path(&there, "libtwo", -ENOTUNIQ,
		       "may be /opt/b/libtwo.so.1 or /usr/lib/libtwo.so.2");
	assert_no_path(&there, "libthree", -ENOENT, "neither a program in PATH nor a library");
	assert_no_path(&there, "", -ENOENT, "neither a program in PATH nor a library");
}

static void a_program_must_be_a_file_that_may_run(void **state)
{
	struct dir *d = *state;
	char env[256], want[128];
	const struct lookup_places there = { .root = d->path, .path_env = env };

	must(sh(d, "mkdir -p a/tool b c && echo > b/tool && echo > c/tool && chmod 644 b/tool && "
		   "chmod 755 c/tool"));
	snprintf(env, sizeof(env), "/nonexistent:%s/a:%s/b::%s/c", d->path, d->path, d->path);
	snprintf(want, sizeof(want), "%s/c/tool", d->path);
	assert_path(&there, "tool", want);
	assert_no_path(&there, d->path, -EPERM, "is not a regular file");
	assert_no_path(&there, "/nonexistent/x", -ENOENT, "No such file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(functions_are_where_nm_says),
		IN_DIR(addresses_become_offsets),
		IN_DIR(a_stripped_file_has_what_it_exports),
		IN_DIR(separate_debug_files_are_used),
		IN_DIR(packed_symbols_are_used),
		IN_DIR(an_offset_is_taken_as_it_is_if_it_is_code),
		IN_DIR(demangled_names_are_names),
		IN_DIR(local_functions_of_one_name_are_not_guessed),
		IN_DIR(the_default_version_of_a_symbol_is_meant),
		IN_DIR(what_is_no_function_is_refused),
		IN_DIR(what_is_no_program_is_refused),
		IN_DIR(listed_is_what_nm_lists),
		IN_DIR(a_glob_selects_functions),
		IN_DIR(aliases_are_marked),
		IN_DIR(a_pattern_without_a_match_has_neighbours),
		IN_DIR(a_function_has_its_size),
		IN_DIR(a_pattern_is_checked),
		cmocka_unit_test(programs_are_found_where_the_shell_finds_them),
		cmocka_unit_test(libraries_are_those_that_the_loader_uses),
		IN_DIR(a_configured_directory_is_searched_first),
		IN_DIR(a_program_must_be_a_file_that_may_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
