/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/libcurl.h - libcurl, loaded when it is wanted (dlopen(3)): it, a TLS library and some
 * twenty others that they need parse what comes over the network, so they are for a process
 * without privileges alone (serve/courier.h), and nothing else pays for them.
 */
#ifndef PMUTRACE_SERVE_LIBCURL_H
#define PMUTRACE_SERVE_LIBCURL_H

#include "base/array.h"

#ifdef HAVE_CURL
#include <curl/curl.h>

struct libcurl {
	void *library;
	__typeof__(curl_global_init) *global_init;
	CURL *(*easy_init)(void);
	CURLcode (*easy_setopt)(CURL *curl, CURLoption option, ...);
	CURLcode (*easy_getinfo)(CURL *curl, CURLINFO info, ...);
	CURLcode (*easy_perform)(CURL *curl);
	const char *(*easy_strerror)(CURLcode code);
	struct curl_slist *(*slist_append)(struct curl_slist *list, const char *text);
	void (*slist_free_all)(struct curl_slist *list);
};

/* 0; -ENOENT: it is not installed; -ENOSYS: it is too old, or cannot be used. */
int libcurl__load(struct libcurl *out) must_check;
#endif

#endif
