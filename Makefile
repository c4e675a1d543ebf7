# pmutrace - `make help` lists the targets; no configure step, no recursion.

O       ?= build
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
DESTDIR ?=
CC      ?= cc
CLANG   ?= clang
PROTOC_C ?= protoc-c
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool /sbin/bpftool) bpftool)
CLANG_FORMAT ?= clang-format
PKG_CONFIG   ?= pkg-config
OBJCOPY      ?= objcopy

VERSION := 0.1.0
ARCH    := $(patsubst x86_64,x86,$(patsubst aarch64,arm64,$(shell uname -m)))

# V=1 shows the commands, SANITIZE=address,undefined builds with sanitizers, WERROR=1 is CI's.
Q    := $(if $(filter 1,$(V)),,@)
say   = $(if $(filter 1,$(V)),,@printf '  %-7s %s\n' '$(1)' '$(2:$(O)/%=%)')

WARN := -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wshadow \
	-Wformat=2 -Wno-unused-parameter $(if $(filter 1,$(WERROR)),-Werror)
SAN  := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer)

# Optional libraries: used when pkg-config knows them, shown by `pmutrace -V`. libpfm4 is not known
# to it: the compiler looks for its header. Of libdw and libcurl only the headers are: they are loaded
# when asked for.
# Of ISA-L there is no archive everywhere, and libmicrohttpd's wants a TLS library: a static build does
# without them, and without libyaml, which only the exporter needs.
OPTIONAL := $(shell $(PKG_CONFIG) --exists liblzma && echo lzma) \
	$(shell $(PKG_CONFIG) --exists libzstd && echo zstd) \
	$(if $(STATIC),,$(shell $(PKG_CONFIG) --exists libdw && echo dw)) \
	$(if $(STATIC),,$(shell $(PKG_CONFIG) --exists libcurl && echo curl)) \
	$(if $(STATIC),,$(shell $(PKG_CONFIG) --exists libisal && echo isal)) \
	$(if $(STATIC),,$(shell $(PKG_CONFIG) --exists libmicrohttpd && echo microhttpd)) \
	$(if $(STATIC),,$(shell $(PKG_CONFIG) --exists yaml-0.1 && echo yaml)) \
	$(shell $(CC) -E -include perfmon/pfmlib_perf_event.h -x c /dev/null >/dev/null 2>&1 && echo pfm)
DEFS := -DPMUTRACE_VERSION='"$(VERSION)"' $(if $(filter lzma,$(OPTIONAL)),-DHAVE_LZMA) \
	$(if $(filter zstd,$(OPTIONAL)),-DHAVE_ZSTD) $(if $(filter pfm,$(OPTIONAL)),-DHAVE_PFM) \
	$(if $(filter dw,$(OPTIONAL)),-DHAVE_DW) $(if $(filter curl,$(OPTIONAL)),-DHAVE_CURL) \
	$(if $(STATIC),-DPMUTRACE_STATIC,$(if $(filter isal,$(OPTIONAL)),-DHAVE_ISAL) \
	$(if $(filter microhttpd,$(OPTIONAL)),-DHAVE_MICROHTTPD) $(if $(filter yaml,$(OPTIONAL)),-DHAVE_YAML))
LIBS := $(if $(STATIC),-static) -lbpf -lelf -lz -liberty -ljson-c -lprotobuf-c -lcapstone -lm -pthread \
	$(if $(filter lzma,$(OPTIONAL)),-llzma) $(if $(filter zstd,$(OPTIONAL)),-lzstd) \
	$(if $(filter pfm,$(OPTIONAL)),-lpfm) $(if $(STATIC),,-ldl $(if $(filter isal,$(OPTIONAL)),-lisal) \
	$(if $(filter microhttpd,$(OPTIONAL)),-lmicrohttpd) $(if $(filter yaml,$(OPTIONAL)),-lyaml))
# The command's alone: nothing else has a screen.
CURSES ?= $(or $(shell $(PKG_CONFIG) $(if $(STATIC),--static) --libs ncursesw 2>/dev/null),-lncursesw -ltinfo)

CFLAGS  ?= -O2 -g
# Position-independent and hidden: the same objects make the shared library.
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -Isrc -Ibpf -I$(O)/skel -I$(O)/gen $(DEFS) $(WARN) $(SAN) \
	-fPIC -fvisibility=hidden -fno-omit-frame-pointer -MMD -MP $(CFLAGS)
ALL_LDFLAGS = $(SAN) $(LDFLAGS)

# The architecture's own headers; scripts/vm builds for another one.
BPF_SYS ?= -idirafter /usr/include/$(shell $(CC) -dumpmachine)
BPF_CC = $(CLANG) -target bpf -mcpu=v3 -O2 -g -Wall -Werror -D__TARGET_ARCH_$(ARCH) \
	-Ivmlinux -Ibpf $(BPF_SYS) \
	-MMD -MP -MF $(@:.o=.d) -MT $@

BPF_SRC := $(wildcard bpf/*.bpf.c)
SKELS   := $(BPF_SRC:bpf/%.bpf.c=$(O)/skel/%.skel.h)
CMD_SRC := $(wildcard src/cmd/*.c) src/main.c
LIB_SRC := $(filter-out $(CMD_SRC),$(wildcard src/*/*.c src/*/*/*.c))
# Messages of others' formats: their code is generated.
MESSAGES := $(patsubst src/%.proto,$(O)/gen/%.pb-c.c,$(wildcard src/proto/*.proto))
LIB_OBJ := $(LIB_SRC:%.c=$(O)/%.o) $(MESSAGES:.c=.o)
CMD_OBJ := $(CMD_SRC:%.c=$(O)/%.o)

UNIT  := $(patsubst tests/unit/%.c,$(O)/tests/unit/%,$(wildcard tests/unit/*/*_test.c))
PROGS := $(patsubst tests/prog/%.c,$(O)/tests/prog/%,$(filter-out tests/prog/truth.c,$(wildcard tests/prog/*.c)))
# Programs in other languages, where there is a compiler: tests that want one are skipped without it.
MACHINE := $(shell $(CC) -dumpmachine)
has_cxx := $(shell echo 'int main() { throw 1; }' | $(CXX) -x c++ -o /dev/null - 2>/dev/null && \
	$(CXX) -dumpmachine | grep -qx '$(MACHINE)' && echo yes)
has_go := $(shell go env GOARCH 2>/dev/null | sed 's/amd64/x86_64/;s/arm64/aarch64/' | \
	grep -qx '$(firstword $(subst -, ,$(MACHINE)))' && echo yes)
# Debug information of many kinds: one program, built in many ways, each with these flags.
inlined_flags_gcc-2 := -gdwarf-2
inlined_flags_gcc-4 := -gdwarf-4
inlined_flags_gcc-5 := -gdwarf-5
inlined_flags_gcc-64 := -gdwarf-5 -gdwarf64
inlined_flags_gcc-types-4 := -gdwarf-4 -fdebug-types-section
inlined_flags_gcc-types := -gdwarf-5 -fdebug-types-section
inlined_flags_gcc-sections := -ffunction-sections
inlined_flags_gcc-silent := -ffunction-sections
inlined_flags_gcc-lto := -flto
inlined_flags_gcc-packed := -gz
inlined_flags_gcc-packed-old := -gz=zlib-gnu
inlined_flags_gcc-split-4 := -gdwarf-4 -gsplit-dwarf
inlined_flags_gcc-split-5 := -gdwarf-5 -gsplit-dwarf
inlined_flags_gcc-split-types-4 := -gdwarf-4 -gsplit-dwarf -fdebug-types-section
inlined_flags_gcc-split-types-5 := -gdwarf-5 -gsplit-dwarf -fdebug-types-section
inlined_flags_gcc-apart := -gdwarf-5
inlined_flags_gcc-shared-4 := -gdwarf-4
inlined_flags_gcc-shared-5 := -gdwarf-5
inlined_flags_clang-2 := -gdwarf-2
inlined_flags_clang-4 := -gdwarf-4
inlined_flags_clang-5 := -gdwarf-5
inlined_flags_clang-types-4 := -gdwarf-4 -fdebug-types-section
inlined_flags_clang-types := -gdwarf-5 -fdebug-types-section
inlined_flags_clang-sections := -gdwarf-5 -ffunction-sections
inlined_flags_clang-split-4 := -gdwarf-4 -gsplit-dwarf
inlined_flags_clang-split-5 := -gdwarf-5 -gsplit-dwarf
inlined_flags_clang-split-types-5 := -gdwarf-5 -gsplit-dwarf -fdebug-types-section
# What is done with the program $@ then.
inlined_apart = $(OBJCOPY) --only-keep-debug $@ $@.debug && \
	$(OBJCOPY) -g --add-gnu-debuglink=$@.debug $@
inlined_shared = cp $@ $@.twin && dwz -m $@.alt -M $(@F).alt $@ $@.twin
inlined_then_gcc-silent = $(OBJCOPY) -R .debug_aranges --dump-section .debug_abbrev=$@.abbrev $@ && \
	perl tests/prog/inlined/silence.pl $@.abbrev && $(OBJCOPY) --update-section .debug_abbrev=$@.abbrev $@
inlined_then_gcc-apart = $(inlined_apart)
inlined_then_gcc-shared-4 = $(inlined_shared)
inlined_then_gcc-shared-5 = $(inlined_shared)
INLINED := $(if $(has_cxx),$(patsubst inlined_flags_%,$(O)/tests/inlined/%,$(filter inlined_flags_%,$(.VARIABLES))))
# One program, whose stacks are known, built in many ways; and others in other languages.
truth_flags_pie := -O2 -fomit-frame-pointer -fPIE -pie
truth_flags_size := -Os -fomit-frame-pointer
truth_flags_no-plt := -O2 -fomit-frame-pointer -fno-plt -fPIE -pie
truth_flags_lazy := -O2 -fomit-frame-pointer -no-pie -fno-pic -Wl,-z,lazy
truth_flags_static := -O2 -fomit-frame-pointer -static
truth_flags_static-pie := -O2 -fomit-frame-pointer -static-pie -fPIE
truth_flags_branches := -O2 -fomit-frame-pointer $(if $(filter x86_64-%,$(MACHINE)),-fcf-protection=full,-mbranch-protection=standard)
has_static := $(shell echo 'int main(void) { return 0; }' | $(CC) -static-pie -fPIE -x c -o /dev/null - 2>/dev/null && echo yes)
TRUTH := $(patsubst truth_flags_%,$(O)/tests/truth/%,$(filter-out $(if $(has_static),,truth_flags_static%),\
	$(filter truth_flags_%,$(.VARIABLES))))
has_rust := $(shell rustc -vV 2>/dev/null | grep -q '^host: $(firstword $(subst -, ,$(MACHINE)))-' && \
	echo yes)
TRUTHS := $(TRUTH) $(if $(has_cxx),$(O)/tests/truth/cxx) \
	$(if $(has_rust),$(O)/tests/truth/rust $(O)/tests/truth/rust-abort)
PLUGINS := $(patsubst tests/prog/plugin/%.c,$(O)/tests/prog/lib%.so,$(wildcard tests/prog/plugin/*.c))
ROWS  := $(patsubst %,$(O)/tests/prog/rows_%,1 2 3 4 5 6)
has_32bit := $(if $(filter x86_64-%,$(MACHINE)),$(shell echo 'void _start(void) { }' | \
	$(CC) -m32 -nostdlib -static -x c -o /dev/null - 2>/dev/null && echo yes))
PROGS := $(filter-out $(O)/tests/prog/rows $(if $(has_32bit),,$(O)/tests/prog/code_32bit),$(PROGS)) $(ROWS)
PROGS += $(if $(has_cxx),$(O)/tests/prog/throws) $(if $(has_go),$(O)/tests/prog/goroutines $(O)/tests/prog/hot \
	$(O)/tests/prog/calls_c)
BENCH := $(patsubst tests/bench/%.c,$(O)/tests/bench/%,$(filter-out %.bpf.c,$(wildcard tests/bench/*.c))) \
	$(O)/tests/bench/floor.bpf.o
VM    := $(patsubst tests/vm/%.c,$(O)/tests/vm/%,$(wildcard tests/vm/*.c))
FUZZ  := $(patsubst tests/fuzz/%.c,$(O)/tests/fuzz/%,$(wildcard tests/fuzz/*_fuzz.c))

# What is installed for programs of others; a static build is for the command alone.
SONAME := libpmutrace.so.$(firstword $(subst ., ,$(VERSION)))
LIBRARY := $(addprefix $(O)/lib/,libpmutrace.a libpmutrace.so.$(VERSION) pmutrace.pc)

all: $(O)/pmutrace $(O)/pmutop $(if $(STATIC),,$(LIBRARY)) ## build pmutrace and its library

$(O)/pmutrace: $(CMD_OBJ) $(O)/libpmutrace.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS) $(CURSES)

# The live view by a name of its own.
$(O)/pmutop: $(O)/pmutrace
	$(Q)ln -sf pmutrace $@

# A fresh archive each time: `ar` replaces members by base name, and folders reuse nouns.
$(O)/libpmutrace.a: $(LIB_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# One object of all that the public functions need. Names of ours that are hidden become local in
# it, or a program that links the archive could not have a function of the name.
$(O)/lib/pmutrace.o: $(patsubst %.c,$(O)/%.o,$(wildcard src/api/*.c)) $(O)/libpmutrace.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) -r -nostdlib -o $@ $^ && $(OBJCOPY) --localize-hidden $@
$(O)/lib/libpmutrace.a: $(O)/lib/pmutrace.o
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
$(O)/lib/libpmutrace.so.$(VERSION): $(O)/lib/pmutrace.o src/api/pmutrace.map
	$(call say,LINK,$@)
	$(Q)$(CC) -shared $(ALL_LDFLAGS) -Wl,-soname,$(SONAME) -Wl,--version-script=src/api/pmutrace.map \
		-Wl,--exclude-libs,ALL -Wl,--as-needed $(if $(SAN),,-Wl,-z,defs) -o $@ $< $(LIBS)
	$(Q)ln -sf $(@F) $(@D)/$(SONAME) && ln -sf $(SONAME) $(@D)/libpmutrace.so

# Anew each time: PREFIX is another for `make install`.
.PHONY: $(O)/lib/pmutrace.pc
$(O)/lib/pmutrace.pc:
	$(Q)mkdir -p $(@D) && printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' \
		'includedir=$${prefix}/include' '' 'Name: pmutrace' 'Version: $(VERSION)' \
		'Description: performance events of Linux: count, sample, measure functions' \
		'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -lpmutrace' \
		'Libs.private: $(filter-out -static -lbpf -ljson-c -lprotobuf-c -lisal -lmicrohttpd -lyaml,$(LIBS))' >$@

$(O)/skel/%.tmp.o: bpf/%.bpf.c
	$(call say,BPF,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(BPF_CC) -c $< -o $@
$(O)/skel/%.bpf.o: $(O)/skel/%.tmp.o
	$(Q)$(BPFTOOL) gen object $@ $<
$(O)/skel/%.skel.h: $(O)/skel/%.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

$(O)/gen/%.pb-c.c: src/%.proto
	$(call say,PROTOC,$@)
	$(Q)mkdir -p $(@D) && $(PROTOC_C) --proto_path=src --c_out=$(O)/gen $<
$(O)/gen/%.o: $(O)/gen/%.c
	$(call say,CC,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -c $< -o $@

# Any source may include a skeleton: order-only here, -MMD records the real edges.
# Other flags make other objects.
$(LIB_OBJ) $(CMD_OBJ) $(MESSAGES): Makefile
$(O)/%.o: %.c | $(SKELS) $(MESSAGES)
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -c $< -o $@

# The flame graph's script is embedded as a string: its parts in one function, draw first.
FLAME_JS := $(addprefix src/print/flame/,draw.js label.js point.js search.js page.js)
$(O)/src/print/flame/svg.o: $(O)/src/print/flame/flame_js.h $(O)/src/print/flame/flame_css.h
$(O)/src/print/flame/svg.o: private ALL_CFLAGS += -I$(O)/src/print/flame
$(O)/src/print/flame/flame_js.h: $(FLAME_JS) scripts/embed.sh
	$(call say,EMBED,$@)
	$(Q)mkdir -p $(@D)
	$(Q){ echo '(function () {'; cat $(FLAME_JS); echo '})();'; } | scripts/embed.sh flame_js > $@

# So are the style and the scripts of the page: what computes first, then what draws.
HTML_JS := $(addprefix src/print/flame/,html_data.js html_trees.js html_functions.js html_ratio.js label.js \
	html_page.js html_canvas.js html_graph.js html_table.js html_time.js html_filters.js html_keys.js)
$(O)/src/print/flame/html.o: $(O)/src/print/flame/html_js.h $(O)/src/print/flame/html_css.h
$(O)/src/print/flame/html.o: private ALL_CFLAGS += -I$(O)/src/print/flame
$(O)/src/print/flame/html_js.h: $(HTML_JS) scripts/embed.sh
	$(call say,EMBED,$@)
	$(Q)mkdir -p $(@D)
	$(Q){ echo '(function () {'; cat $(HTML_JS); echo '})();'; } | scripts/embed.sh html_js > $@
$(O)/src/print/flame/html_css.h: src/print/flame/html.css scripts/embed.sh
	$(call say,EMBED,$@)
	$(Q)mkdir -p $(@D)
	$(Q)scripts/embed.sh html_css < src/print/flame/html.css > $@

# What the file says about itself is for those who read it here.
$(O)/src/print/flame/flame_css.h: src/print/flame/style.css scripts/embed.sh
	$(call say,EMBED,$@)
	$(Q)mkdir -p $(@D)
	$(Q)sed '/^\/\*/,/\*\//d' $< | scripts/embed.sh flame_css > $@

$(O)/tests/unit/%: tests/unit/%.c $(O)/libpmutrace.a
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -Itests/unit -MF $@.d -o $@ $< $(O)/libpmutrace.a $(LIBS) -lcmocka

$(O)/tests/unit/sym/inlines_test: private LIBS += -ldw
$(O)/tests/unit/sym/inlines_test: private ALL_CFLAGS += -DINLINED_NR=$(words $(INLINED))u
$(O)/tests/unit/sym/inlines_test: | $(INLINED)
# A kernel of the test's own answers to perf_event_open(2).
$(O)/tests/unit/api/refused_test: private ALL_LDFLAGS += -Wl,--wrap=syscall,--wrap=perf_sysctl
# File systems of the test's own.
$(O)/tests/unit/base/sink_test: private ALL_LDFLAGS += -Wl,--wrap=openat,--wrap=close,--wrap=getrandom
# .. and programs that are under way when a table is switched, or that it has kept hits from.
$(O)/tests/unit/object/tables_test $(O)/tests/unit/probe/flush_test \
	$(O)/tests/unit/collect/unwind_tables_test: private ALL_LDFLAGS += -Wl,--wrap=grace__wait
$(O)/tests/unit/probe/missed_test: private ALL_LDFLAGS += -Wl,--wrap=grace__wait,--wrap=bpf__missed \
	-Wl,--wrap=sites__missed,--wrap=bpf_program__fd,--wrap=targets__dropped
# A hypervisor's stealing, and time to wait for it.
$(O)/tests/unit/probe/stolen_test: private ALL_LDFLAGS += -Wl,--wrap=clock_gettime,--wrap=nanosleep \
	-Wl,--wrap=cputime__read,--wrap=sampler__read_cpu
# The oracle: elfutils' own unwind rules.
$(O)/tests/unit/unwind/oracle_test: private LIBS += -ldw
# A whole kernel of bpf(2) and perf events: tests/unit/fake_kernel.h.
$(O)/tests/unit/probe/sessions_test $(O)/tests/unit/probe/intervals_test \
	$(O)/tests/unit/collect/collector_test $(O)/tests/unit/probe/large_hosts_test: private LIBS += -ldl
# .. of a machine with as many CPUs as a test wants.
$(O)/tests/unit/probe/large_hosts_test: private ALL_LDFLAGS += -Wl,--wrap=cpus__possible \
	-Wl,--wrap=cpus__online,--wrap=cpus__are_online
$(O)/tests/unit/object/grace_test: private ALL_LDFLAGS += -Wl,--wrap=syscall
$(O)/tests/unit/event/vendor_test: private ALL_LDFLAGS += -Wl,--wrap=pfm_initialize

# Ground truth: frame pointers, symbols, no inlining, so that every frame is known; nor debug
# information, which tells of what is inlined nevertheless (prog.h).
$(O)/tests/prog/%: tests/prog/%.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -O1 -fno-omit-frame-pointer \
		-fno-optimize-sibling-calls -fno-inline -Wall -MMD -MP -MF $@.d -o $@ $< -pthread -ldl
# Its inlined functions are the facts.
$(O)/tests/prog/inlines: tests/prog/inlines.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -O2 -g -Wl,--build-id -Wall -MMD -MP -MF $@.d -o $@ $<
# As distributions build: stacks are to be had by unwind rules alone.
$(O)/tests/prog/bare: tests/prog/bare.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -O2 -fomit-frame-pointer -fasynchronous-unwind-tables \
		-Wall -MMD -MP -MF $@.d -o $@ $< -pthread -ldl
$(TRUTH): $(O)/tests/truth/%: tests/prog/truth.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(truth_flags_$*) -fasynchronous-unwind-tables -Wall \
		-MMD -MP -MF $@.d -o $@ $< -pthread
$(O)/tests/truth/cxx: tests/prog/truth_cxx.cc
	$(call say,CXX,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CXX) -O2 -fomit-frame-pointer -Wall -MMD -MP -MF $@.d -o $@ $<
$(O)/tests/truth/rust: tests/prog/truth_rust.rs
	$(call say,RUSTC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)MAKEFLAGS= rustc -O --edition 2021 -o $@ $<
$(O)/tests/truth/rust-abort: tests/prog/truth_rust.rs
	$(call say,RUSTC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)MAKEFLAGS= rustc -O --edition 2021 -C panic=abort -C force-unwind-tables=yes -o $@ $<
# Without a C library, which need not be here for 32 bits.
$(O)/tests/prog/code_32bit: tests/prog/code_32bit.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -m32 -std=gnu11 -O2 -fno-omit-frame-pointer -fno-pic -no-pie -nostdlib -static -Wall -o $@ $<
# Several that differ in all of their unwind rows.
$(ROWS): $(O)/tests/prog/rows_%: tests/prog/rows.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -O2 -fomit-frame-pointer -fasynchronous-unwind-tables \
		-DROWS_NR=$* -Wall -MMD -MP -MF $@.d -o $@ $<
$(O)/tests/prog/%: tests/prog/%.cc
	$(call say,CXX,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CXX) -O2 -fno-inline -Wall -MMD -MP -MF $@.d -o $@ $<
$(O)/tests/prog/calls_c: with_c := 1
$(O)/tests/prog/%: tests/prog/%.go
	$(call say,GO,$@)
	$(Q)mkdir -p $(@D)
	$(Q)GO111MODULE=off CGO_ENABLED=$(or $(with_c),0) GOCACHE=$(abspath $(O))/go-cache go build -o $@ $<
$(PLUGINS): $(O)/tests/prog/lib%.so: tests/prog/plugin/%.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -O1 -fPIC -shared -fno-omit-frame-pointer -MMD -MP -MF $@.d -o $@ $<

inlined_cxx = $(if $(filter clang-%,$*),$(CLANG) --driver-mode=g++,$(CXX)) -O2 -g $(inlined_flags_$*)
$(O)/tests/inlined/%: tests/prog/inlined/main.cc tests/prog/inlined/other.cc tests/prog/inlined/inlined.h
	$(call say,CXX,$@)
	$(Q)mkdir -p $@.d
	$(Q)cd $@.d && $(inlined_cxx) -c $(abspath $<) && $(inlined_cxx) -c $(abspath $(word 2,$^)) && \
		$(inlined_cxx) main.o other.o -o $(abspath $@)
	$(Q)$(inlined_then_$*)

$(O)/tests/bench/alone: tests/bench/alone.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -O2 -g -fomit-frame-pointer -fno-stack-protector -ffreestanding -nostdlib -static -o $@ $<

$(O)/tests/bench/%: tests/bench/%.c $(O)/libpmutrace.a
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -MF $@.d -o $@ $< $(O)/libpmutrace.a $(LIBS)
$(O)/tests/bench/%.bpf.o: tests/bench/%.bpf.c
	$(call say,BPF,$@)
	$(Q)mkdir -p $(@D) && $(BPF_CC) -c $< -o $@

$(O)/tests/vm/%: tests/vm/%.c $(O)/libpmutrace.a
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -MF $@.d -o $@ $< $(O)/libpmutrace.a $(LIBS)

# Parsers know no skeletons: probe/ and what stands on it is left out.
FUZZ_ROOMS := base dwarf elf event import jail machine model columns perf sym unwind lookup
FUZZ_OBJ := $(patsubst %.c,$(O)/fuzz/%.o,$(wildcard $(FUZZ_ROOMS:%=src/%/*.c))) \
	$(MESSAGES:$(O)/gen/%.c=$(O)/fuzz/gen/%.o)
FUZZ_CC   = $(CLANG) -std=gnu11 -Werror=incompatible-pointer-types -D_GNU_SOURCE \
	-DFIXED_HASH_SEED=0x5eed -Isrc -Ibpf -I$(O)/gen $(DEFS) -g -O1 -MMD -MP
$(O)/fuzz/gen/%.o: $(O)/gen/%.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(FUZZ_CC) -fsanitize=fuzzer-no-link,address,undefined -c $< -o $@
$(O)/fuzz/%.o: %.c | $(MESSAGES)
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(FUZZ_CC) -fsanitize=fuzzer-no-link,address,undefined -c $< -o $@
$(O)/tests/fuzz/%: tests/fuzz/%.c $(FUZZ_OBJ)
	$(call say,FUZZ,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(FUZZ_CC) -fsanitize=fuzzer,address,undefined -MF $@.d -o $@ $< $(filter %.o,$^) $(LIBS)

# A parser of plan/, whose fields are the target's own.
$(O)/tests/fuzz/filter_fuzz: $(patsubst %,$(O)/fuzz/src/plan/%.o,filter filter_term)

# A server that is sent what a stranger sends.
$(O)/tests/fuzz/config_fuzz: $(O)/fuzz/src/serve/config.o
$(O)/tests/fuzz/http_request_fuzz: $(patsubst %,$(O)/fuzz/src/serve/%.o,http_server listening exposition profile_wish)

# What is read is printed, too.
$(O)/tests/fuzz/capture_fuzz: $(patsubst %,$(O)/fuzz/src/tape/%.o,capture_read capture_tables capture_write reading cursor block) \
	$(O)/fuzz/src/print/writer.o
$(O)/tests/fuzz/folded_fuzz $(O)/tests/fuzz/perf_script_fuzz: \
	$(patsubst %,$(O)/fuzz/src/print/%.o,folded frame_text escape writer)
$(O)/tests/fuzz/pprof_fuzz: $(patsubst %,$(O)/fuzz/src/print/%.o,pprof pprof_tables pprof_locations pprof_mappings gzip \
	event_line frame_text lossline range sampled series_name writer)
$(O)/tests/fuzz/liveread_fuzz: $(patsubst %.c,$(O)/fuzz/%.o,$(wildcard src/tape/liveread*.c) \
	src/tape/cursor.c src/tape/block.c src/tape/reading.c src/tape/recorded.c) $(patsubst %,$(O)/fuzz/src/print/%.o,top_page top_table top_json top_csv \
	cell csvfield escape json lossline text_grid writer)

.PHONY: all demo check check-all check-unit check-cli check-live check-vm check-large check-nohz fuzz mutants lint fmt bench soak soak-vm static \
	install uninstall clean help deps tests progs vm-progs

deps:
	$(Q)scripts/install-deps.sh

progs: $(PROGS) $(PLUGINS)

vm-progs: $(VM)

tests: all $(UNIT) progs $(TRUTHS) ## build the tests without running them

# A second make, so that the compilers just installed are looked up again.
demo: deps ## install what is missing, build, profile this machine for 5 s, write flame.svg
	$(Q)$(MAKE) --no-print-directory all progs
	$(Q)O=$(O) scripts/demo.sh

check: ## install what is missing, build, run unit + cli + live tests
	$(Q)scripts/install-deps.sh --test
	$(Q)$(MAKE) --no-print-directory tests
	$(Q)O=$(O) scripts/run-tests.sh unit cli live

check-all: ## everything: also with sanitizers, all kernels in guests, fuzzers; takes more than an hour
	$(Q)env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL .ci/run all

check-vm: ## live tests in guests: KERNELS="amd64-6.1 arm64-6.12" (or all), ARCH=amd64|arm64
	$(Q)scripts/install-deps.sh --vm
	$(Q)O=$(O) KERNELS="$(KERNELS)" ARCH="$(if $(filter command,$(origin ARCH)),$(ARCH))" scripts/vm/check.sh

check-unit check-cli check-live: check-%: tests ## one kind of tests (unit, cli, live)
	$(Q)O=$(O) scripts/run-tests.sh $*

check-large: $(O)/pmutrace ## growth with CPUs in a guest with VM_CPUS=64 of them; takes ten minutes or more
	$(Q)scripts/install-deps.sh --vm
	$(Q)O=$(O) scripts/vm/large.sh

check-nohz: ## samples in the tick beside a CPU of nohz_full, in a guest; takes a minute and two CPUs
	$(Q)scripts/install-deps.sh --vm
	$(Q)O=$(O) scripts/vm/nohz.sh

fuzz: $(FUZZ) ## fuzz every parser, FUZZ_SECONDS (default 60) each
	$(Q)O=$(O) scripts/run-fuzz.sh $(FUZZ)

mutants: ## put faults into the source and see whether the tests catch them; MUTANTS="bpf probe/NAME"
	$(Q)O=$(O) MUTANTS="$(MUTANTS)" scripts/mutate.sh

lint: ## formatting, layers, static analysis, shell scripts, man pages
	$(Q)scripts/lint.sh

fmt: ## format all C files
	$(Q)$(CLANG_FORMAT) -i $$(git ls-files '*.c' '*.h')

bench: all progs $(BENCH) $(O)/tests/vm/load ## measure ours beside perf, bpftrace and bcc; prints ratios
	$(Q)O=$(O) tests/bench/run.sh

soak: $(if $(PMUTRACE),,$(O)/pmutrace) ## an exporter and a profiler for HOURS (1): memory, descriptors, losses over time into build/soak
	$(Q)O=$(O) HOURS="$(HOURS)" SOAK_ARGS="$(SOAK_ARGS)" SOAK_DIR="$(SOAK_DIR)" PMUTRACE="$(PMUTRACE)" scripts/soak.sh

soak-vm: $(O)/pmutrace ## the same for HOURS (8) by the clock of a guest, which skips idle time: an hour takes eleven minutes
	$(Q)scripts/install-deps.sh --vm
	$(Q)O=$(O) HOURS="$(HOURS)" SOAK_ARGS="$(SOAK_ARGS)" SOAK_DIR="$(SOAK_DIR)" scripts/vm/soak.sh

static: ## build/static/pmutrace: one file that runs on any distribution
	$(Q)$(MAKE) --no-print-directory O=$(O)/static STATIC=1 OPTIONAL="$(OPTIONAL)" all

install: all ## install into $(DESTDIR)$(PREFIX), libraries into $(DESTDIR)$(LIBDIR)
	install -d $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/share/man/man3 \
		$(DESTDIR)$(LIBDIR)/pkgconfig
	install -m 644 src/pmutrace.h $(DESTDIR)$(PREFIX)/include/
	install -m 644 man/*.3 $(DESTDIR)$(PREFIX)/share/man/man3/
	scripts/man-links.sh | while read -r page name; do \
		ln -sf $$page $(DESTDIR)$(PREFIX)/share/man/man3/$$name || exit 1; done
	install -m 644 $(O)/lib/libpmutrace.a $(DESTDIR)$(LIBDIR)/
	install -m 755 $(O)/lib/libpmutrace.so.$(VERSION) $(DESTDIR)$(LIBDIR)/
	ln -sf libpmutrace.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libpmutrace.so
	install -m 644 $(O)/lib/pmutrace.pc $(DESTDIR)$(LIBDIR)/pkgconfig/
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/man/man7 \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions
	install -m 755 $(O)/pmutrace $(DESTDIR)$(PREFIX)/bin/pmutrace
	ln -sf pmutrace $(DESTDIR)$(PREFIX)/bin/pmutop
	install -m 644 man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	ln -sf pmutrace-top.1 $(DESTDIR)$(PREFIX)/share/man/man1/pmutop.1
	install -m 644 man/*.7 $(DESTDIR)$(PREFIX)/share/man/man7/
	$(O)/pmutrace completion bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/pmutrace
	ln -sf pmutrace $(DESTDIR)$(PREFIX)/share/bash-completion/completions/pmutop

uninstall: ## remove what install wrote
	rm -f $(DESTDIR)$(PREFIX)/include/pmutrace.h $(DESTDIR)$(LIBDIR)/pkgconfig/pmutrace.pc \
		$(addprefix $(DESTDIR)$(LIBDIR)/,libpmutrace.a libpmutrace.so $(SONAME) libpmutrace.so.$(VERSION)) \
		$(addprefix $(DESTDIR)$(PREFIX)/share/man/man3/,$(notdir $(wildcard man/*.3)))
	scripts/man-links.sh | while read -r page name; do \
		rm -f $(DESTDIR)$(PREFIX)/share/man/man3/$$name; done
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/bin/,pmutrace pmutop) $(DESTDIR)$(PREFIX)/share/man/man1/pmutop.1 \
		$(addprefix $(DESTDIR)$(PREFIX)/share/man/man1/,$(notdir $(wildcard man/*.1))) \
		$(addprefix $(DESTDIR)$(PREFIX)/share/man/man7/,$(notdir $(wildcard man/*.7))) \
		$(addprefix $(DESTDIR)$(PREFIX)/share/bash-completion/completions/,pmutrace pmutop)

clean: ## remove $(O)
	rm -rf $(O)

help: ## this list
	@awk -F ':.*## ' '/^[a-z][a-z -]*:.*## / { split($$1, t, " "); printf "  %-12s %s\n", t[1], $$2 }' Makefile
	@echo 'Variables: V=1 O=dir SANITIZE=address,undefined WERROR=1 DESTDIR= PREFIX= CC= CLANG= BPFTOOL='

-include $(shell find $(O)/src $(O)/skel $(O)/gen $(O)/fuzz $(O)/tests -name '*.d' -type f 2>/dev/null)
.DELETE_ON_ERROR:
.SECONDARY:
