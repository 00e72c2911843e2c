/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - bounded sentences; private to src/engine
 */
#ifndef QS_TEXT_H
#define QS_TEXT_H

#include <stddef.h>

/* Append to a text that ends within size; what does not fit is cut. */
__attribute__((format(printf, 3, 4))) void qs_text_say(char *text, size_t size,
						       const char *format, ...);

#endif
