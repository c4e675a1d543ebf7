// SPDX-License-Identifier: BSD-2-Clause
/*
 * libplugin.so - fact: plugin_work burns as much CPU time as it is told to, in itself.
 * Opened by dlopen_mid after half of its run.
 */
#define _GNU_SOURCE
#include "../prog.h"

KNOWN_FRAME void plugin_work(uint64_t ns)
{
	burn_here(ns);
}
