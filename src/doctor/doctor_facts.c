// SPDX-License-Identifier: BSD-2-Clause
/* Reads the facts that several checks need, below the root; which permissions are there. */
#include "doctor/doctor_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/cpus.h"

static int join(const struct doctor *d, const char *path, char *out, size_t size)
{
	return snprintf(out, size, "%s%s", d->root, path) < (int)size ? 0 : -ENAMETOOLONG;
}

int doctor__read_text(const struct doctor *d, const char *path, char *text, size_t size)
{
	char full[PATH_MAX];
	size_t len = 0;
	ssize_t n = 1;
	int fd, err = join(d, path, full, sizeof(full));

	text[0] = '\0';
	if (err)
		return err;
	fd = open(full, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (n > 0 && len < size - 1) {
		n = read(fd, text + len, size - 1 - len);
		if (n < 0)
			err = -errno;
		len += n > 0 ? n : 0;
	}
	close(fd);
	text[len] = '\0';
	return err ? err : (int)len;
}

int doctor__read_number(const struct doctor *d, const char *path, int64_t *out)
{
	char text[64], *end;
	int n = doctor__read_text(d, path, text, sizeof(text));

	if (n < 0)
		return n;
	errno = 0;
	*out = strtoll(text, &end, 10);
	return errno || end == text || (*end && *end != '\n') ? -EBADMSG : 0;
}

int doctor__access(const struct doctor *d, const char *path, int mode)
{
	char full[PATH_MAX];
	int err = join(d, path, full, sizeof(full));

	if (err)
		return err;
	return faccessat(AT_FDCWD, full, mode, AT_EACCESS) ? -errno : 0;
}

bool doctor__field(const char *text, const char *name, char *value, size_t size)
{
	size_t len = strlen(name);

	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (strncmp(text, name, len) || text[len] != ':')
			continue;
		text += len + 1;
		text += strspn(text, " \t");
		snprintf(value, size, "%.*s", (int)strcspn(text, "\n"), text);
		return true;
	}
	return false;
}

static uint64_t parse_limit(const char *s)
{
	return strncmp(s, "unlimited", 9) ? strtoull(s, NULL, 10) : UINT64_MAX;
}

/* "Max open files            1024                 4096                 files" */
int doctor__limit(const struct doctor *d, const char *name, uint64_t *soft, uint64_t *hard)
{
	char text[4096], *line;
	int n = doctor__read_text(d, "/proc/self/limits", text, sizeof(text));

	if (n < 0)
		return n;
	line = strstr(text, name);
	if (!line)
		return -ENOENT;
	line += strlen(name);
	line += strspn(line, " ");
	*soft = parse_limit(line);
	line += strcspn(line, " \n");
	line += strspn(line, " ");
	if (!*line || *line == '\n')
		return -EBADMSG;
	*hard = parse_limit(line);
	return 0;
}

/*
 * "pid:[4026531836]": the first namespaces have fixed numbers, include/linux/proc_ns.h.
 * *inside: another than @first. 0 or -errno.
 */
static int is_inside(const struct doctor *d, const char *path, unsigned first, bool *inside)
{
	char full[PATH_MAX], link[64], *number;
	ssize_t n;
	int err = join(d, path, full, sizeof(full));

	*inside = false;
	if (err)
		return err;
	n = readlink(full, link, sizeof(link) - 1);
	if (n < 0)
		return -errno;
	link[n] = '\0';
	number = strchr(link, '[');
	if (!number)
		return -EBADMSG;
	*inside = strtoul(number + 1, NULL, 10) != first;
	return 0;
}

static const char *find_container(const struct doctor *d)
{
	char text[64];

	if (!doctor__access(d, "/.dockerenv", F_OK))
		return "docker";
	if (!doctor__access(d, "/run/.containerenv", F_OK))
		return "podman";
	if (!doctor__access(d, "/var/run/secrets/kubernetes.io", F_OK))
		return "kubernetes";
	if (doctor__read_text(d, "/run/systemd/container", text, sizeof(text)) > 0)
		return strstr(text, "nspawn") ? "systemd-nspawn"
		       : strstr(text, "lxc")  ? "lxc"
					      : "a container";
	return NULL;
}

static void read_status(struct doctor *d)
{
	struct doctor_facts *f = &d->facts;
	char text[4096], value[128];

	if (doctor__read_text(d, "/proc/self/status", text, sizeof(text)) < 0)
		return;
	if (doctor__field(text, "CapEff", value, sizeof(value))) {
		f->caps = strtoull(value, NULL, 16);
		f->caps_known = true;
	}
	if (doctor__field(text, "CapBnd", value, sizeof(value)))
		f->bounding = strtoull(value, NULL, 16);
	if (doctor__field(text, "Seccomp", value, sizeof(value)))
		f->seccomp = strtol(value, NULL, 10);
	/* NSpid has a pid for each namespace, from that of the mounted /proc down to ours. */
	if (doctor__field(text, "NSpid", value, sizeof(value)) && strchr(value, '\t')) {
		f->pid_namespace = true;
		f->pid_namespace_err = 0;
	}
}

bool doctor__is_permissive(const struct doctor *d, int64_t level)
{
	return d->facts.paranoid != PARANOID_NOT_KNOWN && d->facts.paranoid <= level;
}

void doctor_facts__read(struct doctor *d)
{
	enum { FIRST_USER = 0xEFFFFFFD, FIRST_PID = 0xEFFFFFFC };
	struct doctor_facts *f = &d->facts;
	uint32_t *cpus;
	int n;

	*f = (struct doctor_facts){ .seccomp = -1, .nr_cpus = 1 };
	n = doctor__read_text(d, "/proc/sys/kernel/osrelease", f->release, sizeof(f->release));
	if (n > 0) {
		f->release[strcspn(f->release, "\n")] = '\0';
		if (sscanf(f->release, "%u.%u", &f->kernel_major, &f->kernel_minor) != 2)
			f->kernel_major = 0;
	}
	if (!cpus__online(d->root, &cpus, &f->nr_cpus))
		free(cpus);
	if (!f->nr_cpus)
		f->nr_cpus = 1;
	f->paranoid_err =
		doctor__read_number(d, "/proc/sys/kernel/perf_event_paranoid", &f->paranoid);
	if (f->paranoid_err)
		f->paranoid = PARANOID_NOT_KNOWN;
	f->pid_namespace_err = is_inside(d, "/proc/self/ns/pid", FIRST_PID, &f->pid_namespace);
	f->user_namespace_err = is_inside(d, "/proc/self/ns/user", FIRST_USER, &f->user_namespace);
	f->container = find_container(d);
	read_status(d);
}

bool doctor__has(const struct doctor *d, unsigned cap)
{
	return !d->facts.user_namespace && d->facts.caps >> cap & 1;
}

bool doctor__may_perf(const struct doctor *d)
{
	return doctor__has(d, CAP_PERFMON) || doctor__has(d, CAP_SYS_ADMIN);
}

bool doctor__may_bpf(const struct doctor *d)
{
	return doctor__may_perf(d) && (doctor__has(d, CAP_BPF) || doctor__has(d, CAP_SYS_ADMIN));
}

bool doctor__seccomp_blocks(const struct doctor *d)
{
	const struct doctor_tries *t = d->tries;

	if (d->facts.seccomp != 2)
		return false;
	/* The kernel itself says EACCES where perf_event_paranoid forbids it. */
	return t->perf_own == -ENOSYS || t->perf_own == -EPERM || t->bpf_load == -ENOSYS ||
	       (t->bpf_load == -EPERM && doctor__may_bpf(d));
}

/* Capabilities can be had here, by sudo or setcap: nothing around us has taken them away. */
static bool can_be_raised(const struct doctor *d)
{
	uint64_t both = 1ull << CAP_PERFMON | 1ull << CAP_BPF;

	return !d->facts.user_namespace && (d->facts.bounding & both) == both &&
	       !doctor__seccomp_blocks(d);
}

void doctor__fix_permissions(const struct doctor *d)
{
	const char *c = d->facts.container ? d->facts.container : "";

	if (can_be_raised(d) || !d->facts.caps_known)
		findings__fix(d->findings,
			      "sudo setcap cap_perfmon,cap_bpf,cap_syslog,cap_sys_ptrace,"
			      "cap_dac_read_search%s+ep %s",
			      /* Before 5.11 maps count against RLIMIT_MEMLOCK, which is raised. */
			      d->facts.kernel_major == 5 && d->facts.kernel_minor < 11
				      ? ",cap_sys_resource"
				      : "",
			      d->program);
	else if (!strcmp(c, "docker") || !strcmp(c, "podman"))
		findings__fix(d->findings,
			      "%s%s run --privileged --pid=host ..., or run --cap-add PERFMON "
			      "--cap-add BPF --cap-add SYSLOG --cap-add SYS_PTRACE --cap-add "
			      "DAC_READ_SEARCH --security-opt seccomp=unconfined --pid=host ...",
			      d->facts.user_namespace ? "sudo " : "", c);
	else if (!strcmp(c, "kubernetes"))
		findings__fix(d->findings, "in the pod's specification: hostPID: true and "
					   "securityContext: {privileged: true}");
	else
		findings__fix(d->findings, "run pmutrace outside of this container, as root");
}
