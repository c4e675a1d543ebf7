/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/demangle.h - C++, Rust (legacy and v0) and D names as people write them.
 */
#ifndef PMUTRACE_ELF_DEMANGLE_H
#define PMUTRACE_ELF_DEMANGLE_H

#include "base/array.h"
#include "base/buf.h"

/**
 * demangle() - append the readable form of a symbol's name
 *
 * Names that are not mangled are appended as they are; so are those that a stranger may have
 * made up to keep us busy: of more than 64 KiB (C++ and Rust 4 KiB, D 1 KiB), nested too deep,
 * or with a readable form of more than 64 KiB. A version ("@GLIBC_2.34") or suffix
 * (".isra.0", ".cold", "@plt") is kept; a Rust hash ("::h0123456789abcdef") is dropped.
 *
 * Return: 0 or -ENOMEM.
 */
int demangle(struct buf *out, const char *name) must_check;

#endif
