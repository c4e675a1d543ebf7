// SPDX-License-Identifier: BSD-2-Clause
/* Finds libcurl's functions. */
#include "serve/libcurl.h"

#ifdef HAVE_CURL

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

/* The second name is Debian's, of the one with another TLS library. */
static void *load_library(void)
{
	void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);

	return library ? library : dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
}

int libcurl__load(struct libcurl *out)
{
	*out = (struct libcurl){ .library = load_library() };
	if (!out->library)
		return -ENOENT;
#define FIND(name)                                                                                 \
	out->name = (__typeof__(out->name))dlsym(out->library, "curl_" #name);                     \
	if (!out->name)                                                                            \
		return -ENOSYS;
	FIND(global_init)
	FIND(easy_init)
	FIND(easy_setopt)
	FIND(easy_getinfo)
	FIND(easy_perform)
	FIND(easy_strerror)
	FIND(slist_append)
	FIND(slist_free_all)
#undef FIND
	return out->global_init(CURL_GLOBAL_DEFAULT) ? -ENOSYS : 0;
}

#endif
