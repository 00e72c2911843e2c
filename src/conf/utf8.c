/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * utf8.c - is it UTF-8?
 *
 * Called by the readers and for their messages. No locale.
 */
#include "conf/utf8.h"

#include <stdint.h>

size_t qs_utf8_length(const char *text)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *at = (const unsigned char *)text;
	uint32_t c = *at;
	size_t n;

	if (c < 0x80)
		return c ? 1 : 0;
	if (c >= 0xc2 && c < 0xe0)
		n = 2;
	else if (c >= 0xe0 && c < 0xf0)
		n = 3;
	else if (c >= 0xf0 && c < 0xf5)
		n = 4;
	else
		return 0;
	c &= 0x7fu >> n;
	for (size_t i = 1; i < n; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (at[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	return n;
}

size_t qs_utf8_span(const char *text)
{
	size_t n = 0, more;

	while ((more = qs_utf8_length(text + n)))
		n += more;
	return n;
}
