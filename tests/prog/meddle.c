// SPDX-License-Identifier: BSD-2-Clause
/*
 * meddle - looks into the maps of a running pmutrace, or puts them into a state that is rare by
 * itself.
 *
 * usage: meddle PID busy 0|1	all places of its tables are in use, or none is
 *	  meddle PID fill NAME	the hash map of that name, of keys of 32 bits, has no room left
 *	  meddle PID inside	reads what the threads are inside of, by func's accounts of them
 *
 * Prints how many places, keys, or calls and stacks that were. Keys are made up: numbers that no
 * process has.
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/mman.h>

#include "../../bpf/func.wire.h"
#include "../../bpf/table.wire.h"
#include "prog.h"

enum { FIRST_KEY = 1 << 30 };

static int bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

/* The map of that name, by its id; -1: it has another. */
static int open_map(unsigned id, const char *name, struct bpf_map_info *info)
{
	union bpf_attr get = { .map_id = id }, ask = {};
	int fd = bpf(BPF_MAP_GET_FD_BY_ID, &get);

	*info = (struct bpf_map_info){};
	ask.info.bpf_fd = fd;
	ask.info.info_len = sizeof(*info);
	ask.info.info = (uintptr_t)info;
	if (fd >= 0 && !bpf(BPF_OBJ_GET_INFO_BY_FD, &ask) && !strcmp(info->name, name))
		return fd;
	close(fd);
	return -1;
}

static unsigned id_in(const char *dir, const char *file)
{
	char path[512], line[128];
	unsigned id = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "map_id: %u", &id);
	if (f)
		fclose(f);
	return id;
}

static int find_map(const char *pid, const char *name, struct bpf_map_info *info)
{
	char dir[64];
	struct dirent *d;
	int fd = -1;
	DIR *all;

	snprintf(dir, sizeof(dir), "/proc/%s/fdinfo", pid);
	all = opendir(dir);
	if (!all)
		die(dir);
	while (fd < 0 && (d = readdir(all))) {
		unsigned id = id_in(dir, d->d_name);

		if (id)
			fd = open_map(id, name, info);
	}
	closedir(all);
	if (fd < 0)
		die(name);
	return fd;
}

static unsigned set_busy(const char *pid, unsigned busy)
{
	struct bpf_map_info info;
	int fd = find_map(pid, "cpus", &info);
	size_t bytes = info.max_entries * sizeof(struct table_cpu);
	struct table_cpu *places = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (places == MAP_FAILED)
		die("mmap");
	for (unsigned i = 0; i < info.max_entries; i++)
		places[i].busy = busy;
	return info.max_entries;
}

static unsigned fill(const char *pid, const char *name)
{
	struct bpf_map_info info;
	unsigned char value[64] = {};
	uint32_t key = FIRST_KEY;
	union bpf_attr put = { .map_fd = find_map(pid, name, &info),
			       .key = (uintptr_t)&key,
			       .value = (uintptr_t)value };

	if (info.key_size != sizeof(key) || info.value_size > sizeof(value))
		die("another kind of map");
	while (!bpf(BPF_MAP_UPDATE_ELEM, &put))
		key++;
	if (errno != E2BIG)
		die("BPF_MAP_UPDATE_ELEM");
	return key - FIRST_KEY;
}

static unsigned count_inside(const char *pid)
{
	struct bpf_map_info info;
	struct func_account account;
	uint64_t key;
	union bpf_attr next = { .map_fd = find_map(pid, "accounts", &info),
				.next_key = (uintptr_t)&key };
	unsigned sum = 0;

	if (info.key_size != sizeof(key) || info.value_size != sizeof(account))
		die("another kind of map");
	for (; !bpf(BPF_MAP_GET_NEXT_KEY, &next); next.key = (uintptr_t)&key) {
		union bpf_attr get = { .map_fd = next.map_fd,
				       .key = (uintptr_t)&key,
				       .value = (uintptr_t)&account };

		if (!bpf(BPF_MAP_LOOKUP_ELEM, &get))
			sum += account.depth;
	}
	return sum;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[2], "busy"))
		printf("%u\n", set_busy(argv[1], parse_number(argv[3], 0, 1)));
	else if (argc == 4 && !strcmp(argv[2], "fill"))
		printf("%u\n", fill(argv[1], argv[3]));
	else if (argc == 3 && !strcmp(argv[2], "inside"))
		printf("%u\n", count_inside(argv[1]));
	else
		return 2;
	return 0;
}
