// SPDX-License-Identifier: BSD-2-Clause
/* Contexts are read out of a child's memory, and out of files that stand for it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "import/context_reader.h"

struct published {
	char signature[8];
	uint32_t version, bytes;
	_Atomic uint64_t published_ns;
	uint64_t payload;
};

enum { TEXT = 200 };

/* resource { attributes { key "service.name", value { string } } }: 200 times one letter. */
static void make_payload(char out[256], char letter, uint32_t *bytes)
{
	static const char front[] =
		"\x0a\xdf\x01\x0a\xdc\x01\x0a\x0cservice.name\x12\xcb\x01\x0a\xc8\x01";

	memcpy(out, front, sizeof(front) - 1);
	memset(out + sizeof(front) - 1, letter, TEXT);
	*bytes = sizeof(front) - 1 + TEXT;
}

static struct published *map_header(void)
{
	const int fd = memfd_create("OTEL_CTX", MFD_CLOEXEC);
	struct published *h;

	assert_int_equal(ftruncate(fd, 2 * 4096), 0);
	h = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	assert_true(h != MAP_FAILED);
	close(fd);
	return h;
}

static void publish(struct published *h, const char *payload, uint32_t bytes)
{
	h->version = 2;
	h->bytes = bytes;
	h->payload = (uintptr_t)payload;
	h->published_ns = 17;
	memcpy(h->signature, "OTEL_CTX", 8);
}

static int read_pid(pid_t pid, struct context_place *place, struct process_context *out)
{
	char path[64];
	int maps, mem, err;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	mem = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(maps >= 0 && mem >= 0);
	err = context_reader__read(maps, mem, place, out);
	close(mem);
	return err;
}

static void out_of_memory_of_a_process(void **state)
{
	struct context_place place = {};
	struct process_context c;
	struct published *h;
	static char payload[256];
	uint32_t bytes;

	assert_int_equal(read_pid(getpid(), &place, &c), -ENOENT);
	h = map_header();
	assert_int_equal(read_pid(getpid(), &place, &c), -EPROTO);
	make_payload(payload, 'x', &bytes);
	publish(h, payload, bytes);
	assert_int_equal(read_pid(getpid(), &place, &c), 0);
	assert_int_equal(strlen(c.values[CONTEXT_SERVICE_NAME]), TEXT);
	assert_int_equal(place.address, (uintptr_t)h);
	assert_int_equal(place.published_ns, 17);
	assert_int_equal(read_pid(getpid(), &place, &c), -EALREADY);
	h->published_ns = 18;
	assert_int_equal(read_pid(getpid(), &place, &c), 0);
	h->published_ns = 0;
	assert_int_equal(read_pid(getpid(), &place, &c), -EAGAIN);
	h->published_ns = 19;
	/* Pointers to nowhere, and behind the end of what there is. */
	h->payload = 8;
	assert_int_equal(read_pid(getpid(), &place, &c), -EPROTO);
	h->payload = UINT64_MAX - 8;
	assert_int_equal(read_pid(getpid(), &place, &c), -EPROTO);
	h->payload = (uintptr_t)h + 4096 - 100;
	assert_int_equal(munmap((char *)h + 4096, 4096), 0);
	h->bytes = 200;
	assert_int_equal(read_pid(getpid(), &place, &c), -EPROTO);
	assert_false(process_context__has_any(&c));
	munmap(h, 4096);
	assert_int_equal(read_pid(getpid(), &place, &c), -ENOENT);
}

struct changing {
	struct published *h;
	atomic_bool ends;
};

/* By the specification: the time is 0 while anything else changes. The two have other sizes. */
static void *change(void *arg)
{
	struct changing *x = arg;
	static char payloads[2][256];
	uint32_t bytes[2];

	make_payload(payloads[0], 'a', &bytes[0]);
	make_payload(payloads[1], 'b', &bytes[1]);
	for (uint64_t i = 1; !x->ends; i++) {
		x->h->published_ns = 0;
		atomic_thread_fence(memory_order_seq_cst);
		/* What was there is overwritten, as by free(3). */
		memset(payloads[i & 1], 0, sizeof(payloads[0]));
		make_payload(payloads[!(i & 1)], i & 1 ? 'a' : 'b', &bytes[0]);
		x->h->payload = (uintptr_t)payloads[!(i & 1)];
		x->h->bytes = bytes[0];
		atomic_thread_fence(memory_order_seq_cst);
		x->h->published_ns = i;
	}
	return NULL;
}

/* What is read is one or the other, never a part of both. */
static void while_it_changes(void **state)
{
	struct changing x = { .h = map_header() };
	unsigned nr_read = 0;
	pthread_t thread;
	static char payload[256];
	uint32_t bytes;

	make_payload(payload, 'a', &bytes);
	publish(x.h, payload, bytes);
	assert_int_equal(pthread_create(&thread, NULL, change, &x), 0);
	for (int i = 0; i < 20000; i++) {
		struct context_place nowhere = {};
		struct process_context c;
		const int err = read_pid(getpid(), &nowhere, &c);
		const char *text = c.values[CONTEXT_SERVICE_NAME];

		assert_true(!err || err == -EAGAIN);
		if (err)
			continue;
		nr_read++;
		assert_int_equal(strspn(text, *text == 'a' ? "a" : "b"), TEXT);
	}
	x.ends = true;
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(nr_read > 0);
	munmap(x.h, 2 * 4096);
}

/* Memory of a process that has ended is nobody's. */
static void of_who_has_ended(void **state)
{
	struct context_place place = {};
	struct process_context c;
	char path[64];
	int maps, mem;
	pid_t pid = fork();

	if (!pid) {
		pause();
		_exit(0);
	}
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	mem = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(maps >= 0 && mem >= 0);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(context_reader__read(maps, mem, &place, &c), -ENOENT);
	close(mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(out_of_memory_of_a_process),
		cmocka_unit_test(while_it_changes),
		cmocka_unit_test(of_who_has_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
