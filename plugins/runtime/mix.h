/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mix.h - one number of many, to see at little cost whether any of them changed
 *
 * Not for anything an adversary could profit from: equal sums are taken as equal
 * numbers, which 64 bits make as good as certain where nobody chooses them.
 */
#ifndef QS_RUNTIME_MIX_H
#define QS_RUNTIME_MIX_H

#include <stdint.h>

/*
 * The sum so far and one more number, whose order counts. The factor is 2^64
 * divided by the golden ratio (Knuth, The Art of Computer Programming, volume 3,
 * 6.4); a product changes higher bits only, so these are folded back.
 */
static inline uint64_t qs_mix(uint64_t sum, uint64_t value)
{
	sum = (sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return sum ^ sum >> 29;
}

#endif
