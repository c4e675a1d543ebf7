// SPDX-License-Identifier: BSD-2-Clause
/*
 * publish - fact: it publishes these attributes as OpenTelemetry's process context (OTEP 4719).
 *
 * usage: publish [-a|-b] [-l LIE] [-s SECONDS] KEY=VALUE .. [then KEY=VALUE ..]
 *
 * In a memfd; with -a in anonymous memory that is named, with -b in a memfd that is named, too.
 * Says "published", and uses SECONDS (default 1) of CPU time; after half of it it changes what it
 * publishes to what stands behind "then". With -l something is not as it should be:
 *
 *	signature, version	that of the header
 *	size			the payload is said to have 4 GB
 *	beyond			so much that it ends behind what is mapped
 *	pointer			the payload is nowhere
 *	kernel			it is in the kernel's half
 *	garbage			it is no message
 *	updating		it is being changed, for ever
 *	stuck			it is in memory that nobody fills: userfaultfd(2)
 *
 * Exit status 77: this system has no such memory.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "prog.h"

#ifndef PR_SET_VMA
#define PR_SET_VMA	     0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif

enum { CANNOT = 77, PAYLOAD_MAX = 16000 };

struct header {
	char signature[8];
	uint32_t version, payload_bytes;
	uint64_t published_ns, payload;
};

struct message {
	unsigned char bytes[PAYLOAD_MAX];
	size_t len;
};

static const char *lie = "";
static struct header *header;
static struct message messages[2];

static bool lies(const char *what)
{
	return !strcmp(lie, what);
}

/* A field of bytes: its number, and its length in two bytes, also where one would do. */
static size_t field(unsigned char *out, unsigned number, const void *bytes, size_t len)
{
	out[0] = number << 3 | 2;
	out[1] = (len & 0x7f) | 0x80;
	out[2] = len >> 7;
	memcpy(out + 3, bytes, len);
	return 3 + len;
}

/* resource (1) { attributes (1) { key (1), value (2) { string_value (1) } } .. } */
static void encode(struct message *m, char *const *words, size_t nr)
{
	static unsigned char all[PAYLOAD_MAX - 8], text[PAYLOAD_MAX], pair[PAYLOAD_MAX];
	size_t len = 0;

	for (size_t i = 0; i < nr; i++) {
		const char *value = strchr(words[i], '=');
		size_t n = 0;

		if (!value || len + strlen(words[i]) + 16 > sizeof(all))
			exit(2);
		n += field(pair + n, 1, words[i], value - words[i]);
		n += field(pair + n, 2, text, field(text, 1, value + 1, strlen(value + 1)));
		len += field(all + len, 1, pair, n);
	}
	m->len = field(m->bytes, 1, all, len);
	if (lies("garbage"))
		memset(m->bytes, 0xff, m->len);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec * NS_PER_SEC + t.tv_nsec;
}

/* Memory whose pages come when this program gives them, which it does not. */
static void *stuck_memory(size_t bytes)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	const int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	reg.range.start = (uintptr_t)at;
	reg.range.len = bytes;
	if (fd < 0 || at == MAP_FAILED || ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &reg))
		exit(CANNOT);
	return at;
}

static void fill(const struct message *m)
{
	const size_t page = sysconf(_SC_PAGESIZE);

	header->version = lies("version") ? 1 : 2;
	header->payload_bytes = lies("size") ? UINT32_MAX : m->len;
	header->payload = (uintptr_t)m->bytes;
	if (lies("beyond")) {
		char *at = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				-1, 0);

		munmap(at + page, page);
		header->payload = (uintptr_t)(at + page - 8);
		memcpy(at + page - 8, m->bytes, 8);
	}
	if (lies("pointer"))
		header->payload = 16;
	if (lies("kernel"))
		header->payload = 0xffffffff81000000;
	if (lies("stuck"))
		header->payload = (uintptr_t)stuck_memory(page);
	__sync_synchronize();
	header->published_ns = lies("updating") ? 0 : now_ns();
}

static void name(size_t bytes)
{
	if (prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, header, bytes, "OTEL_CTX"))
		exit(CANNOT);
}

static void publish(bool is_named, bool is_memfd)
{
	const size_t bytes = sysconf(_SC_PAGESIZE);
	int fd = is_memfd ? memfd_create("OTEL_CTX", MFD_CLOEXEC) : -1;

	if (is_memfd && (fd < 0 || ftruncate(fd, bytes)))
		die("memfd");
	header = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		      is_memfd ? MAP_PRIVATE : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
	if (header == MAP_FAILED || madvise(header, bytes, MADV_DONTFORK))
		die("mmap");
	if (is_memfd)
		close(fd);
	fill(&messages[0]);
	__sync_synchronize();
	memcpy(header->signature, lies("signature") ? "OTEL_CTy" : "OTEL_CTX", 8);
	if (is_named)
		name(bytes);
}

static void change(void)
{
	header->published_ns = 0;
	__sync_synchronize();
	fill(&messages[1]);
}

int main(int argc, char **argv)
{
	bool is_anonymous = false, is_both = false;
	uint64_t seconds_ns = NS_PER_SEC;
	int c, first, end;

	while ((c = getopt(argc, argv, "abl:s:")) != -1) {
		if (c == 'a')
			is_anonymous = true;
		else if (c == 'b')
			is_both = true;
		else if (c == 'l')
			lie = optarg;
		else if (c == 's')
			seconds_ns = parse_number(optarg, 1, 1000) * NS_PER_SEC;
		else
			return 2;
	}
	for (first = end = optind; end < argc && strcmp(argv[end], "then"); end++)
		;
	encode(&messages[0], argv + first, end - first);
	publish(is_anonymous || is_both, !is_anonymous);
	puts("published");
	fflush(stdout);
	burn_here(seconds_ns / 2);
	if (end < argc) {
		encode(&messages[1], argv + end + 1, argc - end - 1);
		change();
	}
	burn_here(seconds_ns / 2);
	return 0;
}
