// SPDX-License-Identifier: BSD-2-Clause
/*
 * stuckfs - fact: whoever reads its file behind 16 MiB waits until stuckfs ends.
 *
 * usage: stuckfs FILE DIR
 *
 * Mounts a file system on DIR with one file, "prog", that has the contents of FILE and can be run.
 * It is a disk that does not answer, a server that is gone. Says "mounted" when it is, and ends
 * with SIGTERM; then the file system is gone, too. Needs /dev/fuse and root: exit status 77 else.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { STUCK_FROM = 16 << 20, BUF_BYTES = 1 << 20, PROG_NODE = 2, CANNOT = 77 };

static const char *dir;
static int dev_fd, file_fd;
static struct stat file;

static void on_end(int signo)
{
	(void)signo;
	umount2(dir, MNT_DETACH);
	_exit(0);
}

static void reply(uint64_t unique, int err, const void *data, size_t len)
{
	struct fuse_out_header head = { .len = sizeof(head) + (err ? 0 : len),
					.error = -err,
					.unique = unique };
	struct iovec parts[] = { { &head, sizeof(head) }, { (void *)data, err ? 0 : len } };

	if (writev(dev_fd, parts, 2) < 0 && errno != ENOENT) /* it was interrupted meanwhile */
		perror("stuckfs: reply");
}

static struct fuse_attr attr_of(uint64_t node)
{
	struct fuse_attr a = { .ino = node, .nlink = 1, .blksize = 4096 };

	a.mode = node == PROG_NODE ? S_IFREG | 0755 : S_IFDIR | 0755;
	a.size = node == PROG_NODE ? file.st_size : 0;
	a.blocks = a.size / 512;
	return a;
}

static void init(const struct fuse_in_header *in, const struct fuse_init_in *arg)
{
	struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION,
		.minor = arg->minor < FUSE_KERNEL_MINOR_VERSION ? arg->minor
								: FUSE_KERNEL_MINOR_VERSION,
		.max_readahead = 65536,
		.flags = arg->flags & FUSE_ASYNC_READ, /* so that who waits can be killed */
		.max_background = 16,
		.congestion_threshold = 12,
		.max_write = 4096,
	};

	reply(in->unique, 0, &out, sizeof(out));
}

static void lookup(const struct fuse_in_header *in, const char *name)
{
	struct fuse_entry_out out = { .nodeid = PROG_NODE,
				      .entry_valid = 3600,
				      .attr_valid = 3600 };

	out.attr = attr_of(PROG_NODE);
	reply(in->unique, strcmp(name, "prog") ? ENOENT : 0, &out, sizeof(out));
}

static void get_attr(const struct fuse_in_header *in)
{
	struct fuse_attr_out out = { .attr_valid = 3600, .attr = attr_of(in->nodeid) };

	reply(in->unique, 0, &out, sizeof(out));
}

static void read_file(const struct fuse_in_header *in, const struct fuse_read_in *arg)
{
	static char bytes[BUF_BYTES];
	size_t max = arg->size < sizeof(bytes) ? arg->size : sizeof(bytes);
	ssize_t got;

	if (arg->offset >= STUCK_FROM)
		return;
	got = pread(file_fd, bytes, max, arg->offset);
	reply(in->unique, got < 0 ? errno : 0, bytes, got < 0 ? 0 : got);
}

static void handle(const struct fuse_in_header *in, const void *arg)
{
	const struct fuse_open_out opened = { .open_flags = FOPEN_KEEP_CACHE };

	switch (in->opcode) {
	case FUSE_INIT:
		init(in, arg);
		break;
	case FUSE_LOOKUP:
		lookup(in, arg);
		break;
	case FUSE_GETATTR:
		get_attr(in);
		break;
	case FUSE_OPEN:
		reply(in->unique, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		read_file(in, arg);
		break;
	case FUSE_RELEASE:
	case FUSE_FLUSH:
		reply(in->unique, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		reply(in->unique, ENOSYS, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	static char buf[BUF_BYTES + 4096] __attribute__((aligned(8)));
	char options[128];
	ssize_t n;

	if (argc != 3)
		return 2;
	dir = argv[2];
	file_fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (file_fd < 0 || fstat(file_fd, &file)) {
		perror(argv[1]);
		return 1;
	}
	dev_fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (dev_fd < 0)
		return CANNOT;
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other",
		 dev_fd);
	if (mount("stuckfs", dir, "fuse", MS_NOSUID | MS_NODEV, options))
		return CANNOT;
	signal(SIGTERM, on_end);
	signal(SIGINT, on_end);
	puts("mounted");
	fflush(stdout);
	while ((n = read(dev_fd, buf, sizeof(buf))) > 0 || errno == EINTR || errno == ENOENT)
		if (n >= (ssize_t)sizeof(struct fuse_in_header))
			handle((const void *)buf, buf + sizeof(struct fuse_in_header));
	return 0;
}
