#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# install-deps.sh [--test] [--lint] [--bench] [--programs] [--fuzz] [--vm] - installs what building
# needs, and what testing, checking, measuring, fuzzing and the kernel lab need on top. --programs
# are those whose stacks tests/bench/completeness.sh looks at: 2 GB, and servers (nginx, PostgreSQL,
# Redis) that some distributions start when they are installed.
#
# Looks for the commands, headers and files themselves, not for packages, so that what came from
# elsewhere counts too. Installs only what is missing, with the system's package manager, and says
# so before. Without root it prints the command to run and exits 1.
set -u

usage() {
	echo "usage: scripts/install-deps.sh [--test] [--lint] [--bench] [--programs] [--fuzz] [--vm]" >&2
	exit 2
}

groups=' base '
for arg; do
	case $arg in
	--test | --lint | --bench | --programs | --fuzz | --vm) groups="$groups${arg#--} " ;;
	*) usage ;;
	esac
done

# What each group needs: how to see that it is there, then the package of each distribution
# ("-": no such package, the need is left unmet there).
#   cmd:NAME   a command          hdr:PATH   a header below an include directory
#   file:PATH  a file, * allowed          A|B        either
needs() {
	cat <<-'END'
		#group check                    apt                dnf                 pacman            zypper               apk
		base  cmd:gcc                   gcc                gcc                 gcc               gcc                  gcc
		base  hdr:stdio.h               libc6-dev          glibc-devel         glibc             glibc-devel          musl-dev
		base  hdr:linux/perf_event.h    linux-libc-dev     kernel-headers      linux-api-headers linux-glibc-devel    linux-headers
		base  cmd:make                  make               make                make              make                 make
		base  cmd:clang                 clang              clang               clang             clang                clang
		base  cmd:bpftool               bpftool            bpftool             bpf               bpftool              bpftool
		base  cmd:pkg-config            pkg-config         pkgconf-pkg-config  pkgconf           pkg-config           pkgconf
		base  hdr:bpf/libbpf.h          libbpf-dev         libbpf-devel        libbpf            libbpf-devel         libbpf-dev
		base  hdr:libelf.h              libelf-dev         elfutils-libelf-devel libelf          libelf-devel         elfutils-dev
		base  hdr:zlib.h                zlib1g-dev         zlib-devel          zlib              zlib-devel           zlib-dev
		base  hdr:lzma.h                liblzma-dev        xz-devel            xz                xz-devel             xz-dev
		base  hdr:zstd.h                libzstd-dev        libzstd-devel       zstd              libzstd-devel        zstd-dev
		base  hdr:isa-l/igzip_lib.h     libisal-dev        isa-l-devel         isa-l             -                    isa-l-dev
		base  hdr:microhttpd.h          libmicrohttpd-dev  libmicrohttpd-devel libmicrohttpd     libmicrohttpd-devel  libmicrohttpd-dev
		base  hdr:yaml.h                libyaml-dev        libyaml-devel       libyaml           libyaml-devel        yaml-dev
		base  hdr:curl/curl.h           libcurl4-openssl-dev libcurl-devel     curl              libcurl-devel        curl-dev
		base  hdr:perfmon/pfmlib_perf_event.h libpfm4-dev  libpfm-devel        -                 libpfm-devel         -
		base  hdr:libiberty/demangle.h  libiberty-dev      binutils-devel      binutils          binutils-devel       binutils-dev
		base  hdr:json-c/json.h         libjson-c-dev      json-c-devel        json-c            libjson-c-devel      json-c-dev
		base  hdr:ncurses.h             libncurses-dev     ncurses-devel       ncurses           ncurses-devel        ncurses-dev
		base  hdr:protobuf-c/protobuf-c.h libprotobuf-c-dev protobuf-c-devel    protobuf-c        libprotobuf-c-devel  protobuf-c-dev
		base  cmd:protoc-c              protobuf-c-compiler protobuf-c-compiler protobuf-c       protobuf-c           protobuf-c-compiler
		base  hdr:capstone/capstone.h   libcapstone-dev    capstone-devel      capstone          libcapstone-devel    capstone-dev
		test  hdr:elfutils/libdw.h      libdw-dev          elfutils-devel      libelf            libdw-devel          elfutils-dev
		test  file:/usr/lib*/libdebuginfod.so.1|file:/usr/lib/*/libdebuginfod.so.1 libdebuginfod1 elfutils-debuginfod-client libelf libdebuginfod1 -
		test  cmd:dwz                   dwz                dwz                 -                 dwz                  -
		test  hdr:cmocka.h              libcmocka-dev      libcmocka-devel     cmocka            libcmocka-devel      cmocka-dev
		test  cmd:c++                   g++                gcc-c++             gcc               gcc-c++              g++
		test  cmd:go                    golang-go          golang              go                go                   go
		test  cmd:openssl               openssl            openssl             openssl           openssl              openssl
		test  cmd:promtool              prometheus         -                   prometheus        -                    prometheus
		test  cmd:systemd-analyze       systemd            systemd             systemd           systemd              -
		test  cmd:node                  nodejs             nodejs              nodejs            nodejs               nodejs
		test  cmd:prove                 perl               perl-Test-Harness   perl              perl                 perl-utils
		test  cmd:jq                    jq                 jq                  jq                jq                   jq
		test  cmd:json_pp               perl               perl-JSON-PP        perl              perl                 perl-utils
		test  cmd:objcopy               binutils           binutils            binutils          binutils             binutils
		test  cmd:xz                    xz-utils           xz                  xz                xz                   xz
		test  cmd:ld.lld                lld                lld                 lld               lld                  lld
		test  cmd:llvm-objdump|file:/usr/bin/llvm-objdump-* llvm llvm           llvm              llvm                 llvm
		base  cmd:bash                  bash               bash                bash              bash                 bash
		test  cmd:setpriv               util-linux         util-linux          util-linux        util-linux           setpriv
		test  cmd:unshare               util-linux         util-linux          util-linux        util-linux           util-linux-misc
		test  cmd:tmux                  tmux               tmux                tmux              tmux                 tmux
		test  file:/usr/share/perl5/Devel/NYTProf/flamegraph.pl libdevel-nytprof-perl perl-Devel-NYTProf - perl-Devel-NYTProf -
		test  cmd:chromium|cmd:chromium-browser chromium   chromium            chromium          chromium             chromium
		lint  cmd:git                   git                git                 git               git                  git
		lint  cmd:clang-format          clang-format       clang-tools-extra   clang             clang                clang-extra-tools
		lint  cmd:cppcheck              cppcheck           cppcheck            cppcheck          cppcheck             cppcheck
		lint  cmd:shellcheck            shellcheck         ShellCheck          shellcheck        ShellCheck           shellcheck
		lint  cmd:mandoc                mandoc             mandoc              mandoc            mandoc               mandoc
		bench cmd:perf                  linux-perf         perf                perf              perf                 perf
		bench cmd:llvm-symbolizer       llvm               llvm                llvm              llvm                 llvm
		bench cmd:bpftrace              bpftrace           bpftrace            bpftrace          bpftrace             bpftrace
		bench cmd:profile-bpfcc|file:/usr/share/bcc/tools/profile bpfcc-tools        bcc-tools           bcc-tools         bcc-tools            bcc-tools
		bench cmd:biostacks             libbpf-tools       libbpf-tools        libbpf-tools      libbpf-tools         libbpf-tools
		bench file:/usr/share/perl5/Devel/NYTProf/flamegraph.pl libdevel-nytprof-perl perl-Devel-NYTProf - perl-Devel-NYTProf -
		bench cmd:htop                  htop               htop                htop              htop                 htop
		bench cmd:tmux                  tmux               tmux                tmux              tmux                 tmux
		programs cmd:zstd               zstd               zstd                zstd              zstd                 zstd
		programs cmd:openssl            openssl            openssl             openssl           openssl              openssl
		programs cmd:sqlite3            sqlite3            sqlite              sqlite            sqlite3              sqlite
		programs cmd:python3            python3            python3             python            python3              python3
		programs cmd:php                php-cli            php-cli             php               php8                 php83
		programs cmd:ruby               ruby               ruby                ruby              ruby                 ruby
		programs cmd:git                git                git                 git               git                  git
		programs cmd:curl               curl               curl                curl              curl                 curl
		programs cmd:redis-server       redis-server       redis               redis             redis                redis
		programs cmd:nginx              nginx              nginx               nginx             nginx                nginx
		programs file:/usr/lib/postgresql/*/bin/initdb postgresql        -                   -                 -                    -
		programs cmd:c++                g++                gcc-c++             gcc               gcc-c++              g++
		programs cmd:rustc              rustc              rust                rust              rust                 rust
		programs cmd:go                 golang-go          golang              go                go                   go
		programs cmd:ocamlopt           ocaml-nox          ocaml               ocaml             ocaml                ocaml
		programs cmd:ghc                ghc                ghc                 ghc               ghc                  ghc
		programs cmd:javac              default-jdk-headless java-devel         jdk-openjdk       java-devel           openjdk17
		programs cmd:node               nodejs             nodejs              nodejs            nodejs               nodejs
		programs cmd:luajit             luajit             luajit              luajit            luajit               luajit
		programs cmd:x264               x264               -                   x264              -                    x264
		fuzz  file:/usr/lib*/llvm*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a libclang-rt-14-dev compiler-rt compiler-rt clang compiler-rt
		vm    cmd:qemu-system-x86_64    qemu-system-x86    qemu-system-x86-core qemu-system-x86  qemu-x86             qemu-system-x86_64
		vm    cmd:qemu-system-aarch64   qemu-system-arm    qemu-system-aarch64-core qemu-system-aarch64 qemu-arm      qemu-system-aarch64
		vm    cmd:cpio                  cpio               cpio                cpio              cpio                 cpio
		vm    cmd:ld.lld                lld                lld                 lld               lld                  lld
		vm    cmd:llvm-ar               llvm               llvm                llvm              llvm                 llvm
		vm    cmd:apt-get               apt                apt                 -                 -                    -
		vm    cmd:dpkg-deb              dpkg               dpkg                dpkg              dpkg                 dpkg
		vm    file:/usr/share/keyrings/debian-archive-keyring.gpg debian-archive-keyring debian-keyring debian-archive-keyring debian-keyring debian-archive-keyring
	END
}

# True when the first of the patterns' expansions exists.
any_file() {
	for path; do
		[ -e "$path" ] && return 0
	done
	return 1
}

# is_there CHECK
is_there() {
	case $1 in
	*'|'*) is_there "${1%%'|'*}" || is_there "${1#*'|'}" ;;
	cmd:*)
		command -v "${1#*:}" >/dev/null ||
			any_file "/usr/sbin/${1#*:}" "/sbin/${1#*:}" "/usr/local/sbin/${1#*:}"
		;;
	hdr:*)
		any_file "/usr/include/${1#*:}" /usr/include/*-linux-gnu*/"${1#*:}" \
			"/usr/local/include/${1#*:}"
		;;
	file:*)
		# shellcheck disable=SC2086 # the pattern has to expand
		any_file ${1#*:}
		;;
	esac
}

# The package manager: sets $manager and the words that install and refresh with it.
find_manager() {
	update=
	for manager in apt-get dnf pacman zypper apk none; do
		command -v "$manager" >/dev/null && break
	done
	case $manager in
	apt-get)
		update='apt-get -o Acquire::Retries=3 update'
		install='env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 install -y --no-install-recommends'
		;;
	dnf) install='dnf install -y' ;;
	pacman) install='pacman -S --needed --noconfirm' ;;
	zypper) install='zypper --non-interactive install --no-recommends' ;;
	apk) install='apk add' ;;
	esac
}

# Names that differ within one family.
local_name() {
	case $ubuntu:$1 in
	yes:bpftool) echo linux-tools-common linux-tools-generic ;;
	yes:linux-perf) echo linux-tools-generic ;;
	*) echo "$1" ;;
	esac
}

find_manager
missing=
packages=
ubuntu=no
[ -r /etc/os-release ] && grep -q '^ID=ubuntu' /etc/os-release && ubuntu=yes

while read -r group check apt dnf pacman zypper apk; do
	case $groups in
	*" $group "*) ;;
	*) continue ;;
	esac
	is_there "$check" && continue
	missing="$missing ${check##*[:/]}"
	case $manager in
	apt-get) package=$(local_name "$apt") ;;
	dnf) package=$dnf ;;
	pacman) package=$pacman ;;
	zypper) package=$zypper ;;
	apk) package=$apk ;;
	*) package=- ;;
	esac
	case " $packages " in
	*" $package "*) ;;
	*) [ "$package" = - ] || packages="$packages $package" ;;
	esac
done <<END
$(needs)
END

[ -n "$missing" ] || exit 0
echo "missing:$missing"
if [ "$manager" = none ]; then
	echo "install-deps: no apt-get, dnf, pacman, zypper or apk here: please install these by hand" >&2
	exit 1
fi
if [ -z "$packages" ]; then
	echo "install-deps: $manager has no packages for these: please install them by hand" >&2
	exit 1
fi
if [ "$(id -u)" != 0 ]; then
	echo "install-deps: this needs root; run:" >&2
	echo "  sudo sh -c '${update:+$update && }$install$packages'" >&2
	exit 1
fi

echo "installing with $manager:$packages"
if [ -n "$update" ]; then
	echo "+ $update"
	$update || echo "install-deps: '$update' failed; trying with the lists that are here" >&2
fi
echo "+ $install$packages"
# shellcheck disable=SC2086 # lists of words
if ! $install $packages; then
	echo "install-deps: $manager could not install them" >&2
	exit 1
fi
