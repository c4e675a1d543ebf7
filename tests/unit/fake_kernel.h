/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel of the test's own, for sessions as a whole: bpf(2), perf_event_open(2), what is done
 * with descriptors of these, and uname(2). Behind cmocka.h; a test that includes it is linked with
 * -ldl.
 *
 * The functions below stand before those of libc, for libbpf too. Objects are descriptors of real
 * files, so that close(2) needs no help and nr_open() sees what is left; a map that can be mapped
 * is a file of that size. Programs are taken as they are, and run only when a test says what they
 * do. BTF, /proc and /sys are those of the machine.
 */
#ifndef TESTS_UNIT_FAKE_KERNEL_H
#define TESTS_UNIT_FAKE_KERNEL_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"

/* What is asked of the kernel: a command of bpf(2), or one of these. */
enum fake_call {
	FAKE_OPEN = 64, /* perf_event_open(2) */
	FAKE_IOCTL,	/* of an event */
	FAKE_READ,	/* likewise */
	FAKE_MMAP,	/* of a map, or of an event's ring */
	FAKE_CALLS,
};

struct fake_call_args {
	enum fake_call call;
	const union bpf_attr *bpf;	     /* commands of bpf(2) */
	const struct perf_event_attr *event; /* FAKE_OPEN */
	int cpu;			     /* FAKE_OPEN, BPF_PROG_TEST_RUN; else -1 */
	int group_fd;			     /* FAKE_OPEN; else -1 */
	const char *name;		     /* of the map or program; or "" */
};

/* Set by tests. */
static struct {
	unsigned fail_at; /* which call fails, from 1 on; 0: none */
	int fail_errno;
	bool fail_alike;				  /* with it all later ones of its kind */
	int (*refuse)(const struct fake_call_args *args); /* NULL, or an errno, 0: it works */
	const char *release;				  /* of uname(2); NULL: the machine's */
	uint64_t missed;				  /* by each program, and by each link */
	uint64_t count;					  /* of each event */
	bool no_counter;				  /* is free for a pinned event */
	uint64_t times_ns; /* of each event, enabled and on a counter; 0: by the clock */
} fake;

/* Seen by tests. */
static struct {
	unsigned nr_calls, nr_of[FAKE_CALLS];
	enum fake_call failed;	  /* the kind of the call fail_at */
	enum fake_call log[1024]; /* the first calls */
	long nr_mapped;
} fake_seen;

/* As it was at first: all works. */
static inline void fake_reset(void)
{
	const long nr_mapped = fake_seen.nr_mapped;

	memset(&fake, 0, sizeof(fake));
	memset(&fake_seen, 0, sizeof(fake_seen));
	fake_seen.nr_mapped = nr_mapped;
	fake_seen.failed = FAKE_CALLS;
}

enum fake_kind { FAKE_NOTHING, FAKE_MAP, FAKE_PROGRAM, FAKE_LINK, FAKE_EVENT, FAKE_BTF };

/* How many descriptors and entries, and the largest; a test that wants others says so before. */
#ifndef FAKE_OBJECTS
#define FAKE_OBJECTS	 4096
#define FAKE_ENTRIES	 128
#define FAKE_VALUE_BYTES 16384
#endif

static struct fake_object {
	enum fake_kind kind;
	char name[BPF_OBJ_NAME_LEN];
	unsigned serial;
	struct bpf_map_info map;
	bool enabled;
	uint64_t since_ns, enabled_ns;
} fake_objects[FAKE_OBJECTS]; /* by descriptor */
static unsigned fake_serial;

/* Of all maps that are no arrays. */
static struct fake_entry {
	unsigned serial; /* of the map; 0: free */
	int fd;		 /* the map's */
	uint8_t key[32], value[FAKE_VALUE_BYTES];
} fake_entries[FAKE_ENTRIES];

#define FAKE_REAL(fn) ((__typeof__(&fn))dlsym(RTLD_NEXT, #fn))

static inline struct fake_object *fake_object(int fd, enum fake_kind kind)
{
	bool known = fd >= 0 && (size_t)fd < ARRAY_SIZE(fake_objects);

	return known && fake_objects[fd].kind == kind ? &fake_objects[fd] : NULL;
}

/* 0 or the errno with which a call fails. */
static inline int fake_enter(struct fake_call_args args)
{
	unsigned n = ++fake_seen.nr_calls;

	fake_seen.nr_of[args.call]++;
	if (n <= ARRAY_SIZE(fake_seen.log))
		fake_seen.log[n - 1] = args.call;
	if (n == fake.fail_at)
		fake_seen.failed = args.call;
	if (fake.fail_at && (n == fake.fail_at || (fake.fail_alike && n > fake.fail_at &&
						   args.call == fake_seen.failed)))
		return fake.fail_errno;
	return fake.refuse ? fake.refuse(&args) : 0;
}

static inline long fake_answer(int err)
{
	if (!err)
		return 0;
	errno = err;
	return -1;
}

static inline int fake_new(enum fake_kind kind, const char *name, uint64_t bytes)
{
	int fd = FAKE_REAL(syscall)(SYS_memfd_create, "fake", MFD_CLOEXEC);

	if (fd < 0 || (size_t)fd >= ARRAY_SIZE(fake_objects) || ftruncate(fd, (off_t)bytes))
		abort();
	fake_objects[fd] = (struct fake_object){ .kind = kind, .serial = ++fake_serial };
	snprintf(fake_objects[fd].name, BPF_OBJ_NAME_LEN, "%s", name);
	return fd;
}

/* The descriptor of the map, or of the program, that was made last by this name. */
static inline int fake_find(enum fake_kind kind, const char *name)
{
	int found = -1;

	for (size_t fd = 0; fd < ARRAY_SIZE(fake_objects); fd++) {
		struct fake_object *o = fake_object((int)fd, kind);

		if (o && !strcmp(o->name, name) &&
		    (found < 0 || o->serial > fake_objects[found].serial))
			found = (int)fd;
	}
	if (found < 0)
		fail_msg("there is no %s", name);
	return found;
}

static inline bool fake_is_array(const struct fake_object *o)
{
	return o->map.type == BPF_MAP_TYPE_ARRAY || o->map.type == BPF_MAP_TYPE_PERCPU_ARRAY;
}

static inline uint64_t fake_stride(const struct fake_object *o)
{
	return (o->map.value_size + 7) / 8 * 8;
}

static inline struct fake_entry *fake_entry(const struct fake_object *o, const void *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(fake_entries); i++)
		if (fake_entries[i].serial == o->serial &&
		    (!key || !memcmp(fake_entries[i].key, key, o->map.key_size)))
			return &fake_entries[i];
	return NULL;
}

/* Of a map that there still is. */
static inline bool fake_is_alive(const struct fake_entry *e)
{
	return e->serial && fake_objects[e->fd].serial == e->serial;
}

static inline struct fake_entry *fake_add_entry(const struct fake_object *o, const void *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(fake_entries); i++) {
		struct fake_entry *e = &fake_entries[i];

		if (fake_is_alive(e))
			continue;
		e->serial = o->serial;
		e->fd = (int)(o - fake_objects);
		memcpy(e->key, key, o->map.key_size);
		return e;
	}
	abort();
}

static inline long fake_make_map(const union bpf_attr *a)
{
	struct fake_object o = { .map = { .type = a->map_type,
					  .key_size = a->key_size,
					  .value_size = a->value_size,
					  .max_entries = a->max_entries,
					  .map_flags = a->map_flags } };
	struct fake_entry *e = fake_entries;
	uint64_t bytes = fake_is_array(&o) ? a->max_entries * fake_stride(&o) : 0;
	int fd;

	if (!bytes && (a->key_size > sizeof(e->key) || a->value_size > sizeof(e->value)))
		abort();
	fd = fake_new(FAKE_MAP, a->map_name, (bytes + 4095) / 4096 * 4096);

	fake_objects[fd].map = o.map;
	return fd;
}

static inline long fake_element(enum bpf_cmd cmd, const union bpf_attr *a)
{
	const int fd = (int)a->map_fd;
	struct fake_object *o = fake_object(fd, FAKE_MAP);
	const void *key = (void *)(uintptr_t)a->key;
	void *value = (void *)(uintptr_t)a->value;
	struct fake_entry *e;

	if (!o)
		return fake_answer(EBADF);
	if (fake_is_array(o)) {
		off_t at = (off_t)(*(const uint32_t *)key * fake_stride(o));
		ssize_t n = (ssize_t)o->map.value_size;

		if (*(const uint32_t *)key >= o->map.max_entries)
			return fake_answer(cmd == BPF_MAP_UPDATE_ELEM ? E2BIG : ENOENT);
		if (cmd == BPF_MAP_LOOKUP_ELEM)
			return fake_answer(pread(fd, value, (size_t)n, at) == n ? 0 : EIO);
		if (cmd == BPF_MAP_UPDATE_ELEM)
			return fake_answer(pwrite(fd, value, (size_t)n, at) == n ? 0 : EIO);
		return fake_answer(EINVAL);
	}
	if (cmd == BPF_MAP_GET_NEXT_KEY) {
		e = key ? fake_entry(o, key) : NULL;
		for (e = e ? e + 1 : fake_entries; e < fake_entries + ARRAY_SIZE(fake_entries); e++)
			if (e->serial == o->serial)
				break;
		if (e == fake_entries + ARRAY_SIZE(fake_entries))
			return fake_answer(ENOENT);
		memcpy((void *)(uintptr_t)a->next_key, e->key, o->map.key_size);
		return 0;
	}
	e = fake_entry(o, key);
	if (!e && cmd != BPF_MAP_UPDATE_ELEM)
		return fake_answer(ENOENT);
	if (!e)
		e = fake_add_entry(o, key);
	if (cmd == BPF_MAP_LOOKUP_ELEM)
		memcpy(value, e->value, o->map.value_size);
	else if (cmd == BPF_MAP_UPDATE_ELEM)
		memcpy(e->value, value, o->map.value_size);
	else
		e->serial = 0;
	return 0;
}

static inline long fake_info(const union bpf_attr *a)
{
	enum { KPROBE_MULTI = 8 };
	const int fd = (int)a->info.bpf_fd;
	void *info = (void *)(uintptr_t)a->info.info;
	const struct {
		uint32_t type, id, prog_id, pad;
		uint64_t addrs;
		uint32_t count, flags;
		uint64_t missed;
	} link = { .type = KPROBE_MULTI, .missed = fake.missed };
	const struct bpf_prog_info program = { .id = 1, .recursion_misses = fake.missed };
	const struct fake_object *o = fake_object(fd, FAKE_MAP);
	const void *from = o				? (const void *)&o->map
			   : fake_object(fd, FAKE_LINK) ? (const void *)&link
							: (const void *)&program;
	size_t bytes = o ? sizeof(o->map) : from == &link ? sizeof(link) : sizeof(program);

	memcpy(info, from, bytes < a->info.info_len ? bytes : a->info.info_len);
	return 0;
}

static inline long fake_bpf(enum bpf_cmd cmd, const union bpf_attr *a)
{
	struct fake_call_args args = {
		.call = (enum fake_call)cmd, .bpf = a, .cpu = -1, .group_fd = -1
	};
	int err;

	args.name = cmd == BPF_MAP_CREATE ? a->map_name : cmd == BPF_PROG_LOAD ? a->prog_name : "";
	if (cmd == BPF_PROG_TEST_RUN) {
		args.cpu = (int)a->test.cpu;
		args.name = fake_objects[a->test.prog_fd].name;
	}
	err = fake_enter(args);
	if (err)
		return fake_answer(err);
	switch ((int)cmd) {
	case BPF_MAP_CREATE:
		return fake_make_map(a);
	case BPF_MAP_LOOKUP_ELEM:
	case BPF_MAP_UPDATE_ELEM:
	case BPF_MAP_DELETE_ELEM:
	case BPF_MAP_GET_NEXT_KEY:
		return fake_element(cmd, a);
	case BPF_PROG_LOAD:
		return fake_new(FAKE_PROGRAM, a->prog_name, 0);
	case BPF_BTF_LOAD:
		return fake_new(FAKE_BTF, "", 0);
	case BPF_RAW_TRACEPOINT_OPEN:
	case BPF_LINK_CREATE:
		return fake_new(FAKE_LINK, "", 0);
	case BPF_OBJ_GET_INFO_BY_FD:
		return fake_info(a);
	case BPF_MAP_FREEZE:
	case BPF_PROG_BIND_MAP:
	case BPF_PROG_TEST_RUN:
		return 0;
	default:
		return fake_answer(EINVAL);
	}
}

static inline long fake_open_event(const struct perf_event_attr *attr, int cpu, int group_fd)
{
	int err = fake_enter((struct fake_call_args){
		.call = FAKE_OPEN, .event = attr, .cpu = cpu, .group_fd = group_fd, .name = "" });
	int fd;

	if (err)
		return fake_answer(err);
	fd = fake_new(FAKE_EVENT, "", 0);
	fake_objects[fd].enabled = !attr->disabled;
	fake_objects[fd].since_ns = clock__now_ns();
	return fd;
}

static inline void fake_enable(struct fake_object *o, bool enabled)
{
	uint64_t now_ns = clock__now_ns();

	if (o->enabled)
		o->enabled_ns += now_ns - o->since_ns;
	o->enabled = enabled;
	o->since_ns = now_ns;
}

#pragma GCC visibility push(default)

long syscall(long nr, ...)
{
	long a[6];
	va_list args;

	va_start(args, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (nr ==
	    SYS_bpf) /* as long as it was in kernels of old: libbpf hands over what it needs */
		return fake_bpf((enum bpf_cmd)a[0], (const union bpf_attr *)a[1]);
	if (nr == SYS_perf_event_open)
		return fake_open_event((const struct perf_event_attr *)a[0], (int)a[2], (int)a[3]);
	return FAKE_REAL(syscall)(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int ioctl(int fd, unsigned long request, ...)
{
	struct fake_object *o = fake_object(fd, FAKE_EVENT);
	va_list args;
	void *arg;
	int err;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (!o)
		return FAKE_REAL(ioctl)(fd, request, arg);
	err = fake_enter((struct fake_call_args){
		.call = FAKE_IOCTL, .cpu = -1, .group_fd = -1, .name = "" });
	if (err)
		return (int)fake_answer(err);
	if (request == PERF_EVENT_IOC_ENABLE || request == PERF_EVENT_IOC_DISABLE)
		fake_enable(o, request == PERF_EVENT_IOC_ENABLE);
	if (request == PERF_EVENT_IOC_ID)
		*(uint64_t *)arg = o->serial;
	return 0;
}

/* Of an event: with both times. */
ssize_t read(int fd, void *to, size_t bytes)
{
	struct fake_object *o = fake_object(fd, FAKE_EVENT);
	uint64_t value[3] = { fake.count };
	int err;

	if (!o)
		return FAKE_REAL(read)(fd, to, bytes);
	err = fake_enter((struct fake_call_args){
		.call = FAKE_READ, .cpu = -1, .group_fd = -1, .name = "" });
	if (err)
		return fake_answer(err);
	if (fake.no_counter)
		return 0;
	fake_enable(o, o->enabled);
	value[1] = value[2] = fake.times_ns ? fake.times_ns : o->enabled_ns;
	memcpy(to, value, bytes < sizeof(value) ? bytes : sizeof(value));
	return (ssize_t)(bytes < sizeof(value) ? bytes : sizeof(value));
}

void *mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	struct fake_object *map = fake_object(fd, FAKE_MAP), *event = fake_object(fd, FAKE_EVENT);
	int err = 0;
	void *mapped;

	if (map || event)
		err = fake_enter((struct fake_call_args){ .call = FAKE_MMAP,
							  .cpu = -1,
							  .group_fd = -1,
							  .name = map ? map->name : "" });
	/* An empty ring. */
	if (!err && event && ftruncate(fd, (off_t)bytes))
		err = ENOMEM;
	if (err)
		return (void *)fake_answer(err);
	mapped = FAKE_REAL(mmap)(at, bytes, prot, flags, fd, offset);
	if (event && mapped != MAP_FAILED) {
		struct perf_event_mmap_page *page = mapped;

		page->data_offset = (uint64_t)sysconf(_SC_PAGESIZE);
		page->data_size = bytes - page->data_offset;
	}
	fake_seen.nr_mapped += mapped != MAP_FAILED && !(flags & MAP_FIXED);
	return mapped;
}

/* Another name of it, on machines of 64 bits. */
void *mmap64(void *at, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	return mmap(at, bytes, prot, flags, fd, offset);
}

int munmap(void *at, size_t bytes)
{
	int failed = FAKE_REAL(munmap)(at, bytes);

	fake_seen.nr_mapped -= !failed;
	return failed;
}

int close(int fd)
{
	if (fd >= 0 && (size_t)fd < ARRAY_SIZE(fake_objects))
		fake_objects[fd].kind = FAKE_NOTHING;
	return FAKE_REAL(close)(fd);
}

int dup3(int from, int to, int flags)
{
	int fd = FAKE_REAL(dup3)(from, to, flags);

	if (fd >= 0 && (size_t)fd < ARRAY_SIZE(fake_objects))
		fake_objects[fd] = fake_objects[from];
	return fd;
}

int uname(struct utsname *name)
{
	int failed = FAKE_REAL(uname)(name);

	if (!failed && fake.release)
		strcpy(name->release, fake.release);
	return failed;
}

/* Blocks of memory that have not been freed. With a sanitizer that is its own business. */
static long fake_nr_blocks __attribute__((unused));

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ /* as gcc says it */
#endif
#endif
#if !defined(__SANITIZE_ADDRESS__)
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t nr, size_t bytes);
void *__libc_realloc(void *p, size_t bytes);
void __libc_free(void *p);

void *malloc(size_t bytes)
{
	void *p = __libc_malloc(bytes);

	__atomic_fetch_add(&fake_nr_blocks, p != NULL, __ATOMIC_RELAXED);
	return p;
}

void *calloc(size_t nr, size_t bytes)
{
	void *p = __libc_calloc(nr, bytes);

	__atomic_fetch_add(&fake_nr_blocks, p != NULL, __ATOMIC_RELAXED);
	return p;
}

void *realloc(void *p, size_t bytes)
{
	void *moved = __libc_realloc(p, bytes);

	__atomic_fetch_add(&fake_nr_blocks, (!p && moved) - (p && !bytes && !moved),
			   __ATOMIC_RELAXED);
	return moved;
}

void free(void *p)
{
	__atomic_fetch_sub(&fake_nr_blocks, p != NULL, __ATOMIC_RELAXED);
	__libc_free(p);
}
#endif

#pragma GCC visibility pop

#endif
