# SPDX-License-Identifier: GPL-2.0-or-later
#
# The table of contrib/bench, from lines "MEASURE WAITING UNIT SIDE VALUE"
# separated by tabs: medians of the rounds, least and most if there are several,
# and ours divided by stock's.

BEGIN {
	FS = "\t"
	printf "%-20s %8s  %-14s %22s %22s %8s\n", "MEASURE", "WAITING",
		"UNIT", "STOCK", "OURS", "RATIO"
}

{
	# The queue's length differs a little between the sides.
	key = $1 FS sprintf("%d", log($2 + 1) / log(10) + .5)
	if (!(key in unit)) {
		order[++rows] = key
		unit[key] = $3
		waits[key] = $2
	}
	n = ++count[key, $4]
	value[key, $4, n] = $5
}

function median(key, side,	n, i, j, x, v)
{
	n = count[key, side]
	if (!n)
		return "-"
	for (i = 1; i <= n; i++)
		v[i] = value[key, side, i] + 0
	for (i = 1; i <= n; i++)
		for (j = i + 1; j <= n; j++)
			if (v[j] < v[i]) {
				x = v[i]
				v[i] = v[j]
				v[j] = x
			}
	least = v[1]
	most = v[n]
	return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}

function cell(key, side,	m)
{
	m = median(key, side)
	if (m == "-")
		return m
	if (count[key, side] < 2)
		return sprintf("%g", m)
	return sprintf("%g (%g to %g)", m, least, most)
}

function ratio(ours, stock)
{
	if (ours == "-" || stock == "-" || stock <= 0)
		return "-"
	return sprintf("%.2f", ours / stock)
}

END {
	for (i = 1; i <= rows; i++) {
		key = order[i]
		split(key, part, FS)
		stock = median(key, "stock")
		ours = median(key, "ours")
		printf "%-20s %8d  %-14s %22s %22s %8s\n", part[1],
			waits[key], unit[key], cell(key, "stock"),
			cell(key, "ours"), ratio(ours, stock)
	}
}
