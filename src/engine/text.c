/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.c - append to a bounded text (R21, law 14); blocks on nothing
 */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void qs_text_say(char *text, size_t size, const char *format, ...)
{
	size_t have = strlen(text);
	va_list args;

	if (have + 1 >= size)
		return;
	va_start(args, format);
	vsnprintf(text + have, size - have, format, args);
	va_end(args);
}
