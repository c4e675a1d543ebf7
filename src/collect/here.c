// SPDX-License-Identifier: BSD-2-Clause
/* Asks uname(2) and /proc/cpuinfo what this machine is. */
#include "collect/here.h"

#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "model/profile.h"

enum { TEXT = 1024 }; /* the first CPU's part is shorter; the file of all may be megabytes */

/* "model name : Intel..": x86 has that line. Returns "" where there is none. */
static const char *find_model(char *text)
{
	char *at = strstr(text, "\nmodel name"), *end;

	at = at ? strchr(at, ':') : NULL;
	end = at ? strchr(at, '\n') : NULL;
	if (!end)
		return "";
	*end = '\0';
	at++;
	return at + strspn(at, " \t");
}

static void read_cpuinfo(char text[TEXT])
{
	int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? 0 : read(fd, text, TEXT - 1);

	text[len > 0 ? len : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

int here__describe(struct profile *p)
{
	struct utsname name = {};
	struct profile_about about = p->about;
	char text[TEXT];

	read_cpuinfo(text);
	if (!uname(&name)) {
		about.host = name.nodename;
		about.kernel = name.release;
		about.machine = name.machine;
	}
	about.cpu = find_model(text);
	return profile__set_about(p, &about);
}

uint64_t here__now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}
