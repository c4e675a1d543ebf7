/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/readable.h - a number as people like to read it: three digits and a unit, rounded.
 */
#ifndef PMUTRACE_BASE_READABLE_H
#define PMUTRACE_BASE_READABLE_H

enum { READABLE_CHARS = 24 };

/* @ns: 0 or more: "0ns", "812ns", "1.21us", "12.3ms", "1.5s", "4000s". */
void readable__time(double ns, char text[READABLE_CHARS]);

/* @n: 0 or more: "0", "0.25", "812", "1.21k", "12.3M", "1.5G", "4000G". */
void readable__number(double n, char text[READABLE_CHARS]);

#endif
