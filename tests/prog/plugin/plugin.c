// SPDX-License-Identifier: BSD-2-Clause
/*
 * libplugin.so - fact: plugin_work burns as much CPU time as it is told to, in itself.
 * Opened by dlopen_mid after half of its run; and by bare, which is called back.
 */
#define _GNU_SOURCE
#include "../prog.h"

KNOWN_FRAME void plugin_work(uint64_t ns)
{
	burn_here(ns);
}

/* Calls back, for bare: by the rules of this file alone that is known. */
KNOWN_FRAME __attribute__((optimize("omit-frame-pointer"))) void plugin_calls(void (*fn)(void))
{
	fn();
	__asm__ volatile("" ::: "memory");
}
