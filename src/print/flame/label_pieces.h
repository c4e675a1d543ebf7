/* SPDX-License-Identifier: BSD-2-Clause */
/* print/flame/label_pieces.h - what the name of a function is made of; for print/flame/label.c. */
#ifndef PMUTRACE_PRINT_FLAME_LABEL_PIECES_H
#define PMUTRACE_PRINT_FLAME_LABEL_PIECES_H

#include <stddef.h>

struct piece {
	enum piece_kind {
		PIECE_NONE, /* before the first one */
		PIECE_TEXT,
		PIECE_COLONS,	  /* :: */
		PIECE_BLANK,	  /* one */
		PIECE_OPERATOR,	  /* operator<; with the blank between that and <int> */
		PIECE_CONVERSION, /* operator std::string, operator new[] */
		PIECE_ARGUMENTS,  /* <int> */
		PIECE_PARAMETERS, /* (int, char const*) */
		PIECE_GROUP, /* brackets that are part of a name: {lambda(int)#1}, (*T), <T as U> */
		PIECE_END,
		PIECE_BROKEN, /* brackets that do not match */
	} kind;
	size_t begin, end;
};

/* The piece behind @before, which is zero at first. */
struct piece label_piece__next(const char *s, size_t len, const struct piece *before);

#endif
