# SPDX-License-Identifier: GPL-2.0-or-later
#
# The soak's history, made from a seed before it begins: a line "AT WHAT …" for
# each thing that is done, AT in milliseconds from the start. Sort by AT.
#
#	AT job KEY=VALUE…	for simsubmit, named j1, j2, …
#	AT reconfigure N	policy N comes into force
#	AT restart, AT kill9	of slurmctld, in the first two thirds only
#	AT still		nothing comes and nothing ends
#	AT scancel N		N of the jobs that are there
#	AT drain N, AT resume N	of node N
#
#	awk -v seed=1 -v seconds=300 -v nodes=200 -v gpus=8 -f jobs.awk
#
# Three shares ask for more than their own all the time. Five are away, and come
# back now and then with a burst of jobs for most of what is theirs. Together
# they ask for about what there is, in a pool of any size.

function between(low, high)
{
	return low + rand() * (high - low)
}

function pick(list,	n, word)
{
	n = split(list, word, " ")
	return word[1 + int(rand() * n)]
}

# A request of about so many GPUs at most; sets size to what it asks for.
function request(most,	per, n)
{
	per = pick("1 2 4 8 8 8")
	n = per == 8 ? pick("1 1 2 2 4") : 1
	while (per * n > most && (n > 1 || per > 1)) {
		if (n > 1)
			n = int(n / 2)
		else
			per = int(per / 2)
	}
	size = per * n
	return "gres=gpu:a100:" per " nodes=" n " cpus=" n
}

# How it takes being told to go, and other ways to be.
function manner(	r)
{
	r = rand()
	if (r < .05)
		return " trap=TERM"
	if (r < .10)
		return " trap=TERM exit=0"
	if (r < .20)
		return " die=" int(between(200, 2500))
	if (r < .23)
		return " requeue=0"
	return ""
}

function job(at, account, most, shortest, longest)
{
	printf "%d job name=j%d id=j%d account=%s %s sleep=%.1f%s\n", at,
		++number, number, account, request(most),
		between(shortest, longest), manner()
}

function borrower(account, own, times,	at, want)
{
	# Mean size 9, mean run 20 s.
	want = times * own / (9 * 20)
	for (at = 0; at < end; at += 1000 * -log(1 - rand()) / want)
		job(at, account, own, 5, 35)
}

function owner(account, own,	at, left)
{
	at = between(8000, 30000)
	while (at < end) {
		for (left = own * between(.5, 1); left >= 1; left -= size) {
			job(at, account, left, 5, 25)
			at += 40
		}
		at += between(20000, 50000)
	}
}

function now_and_then(what, least, most, until,	at)
{
	for (at = between(least, most); at < until; at += between(least, most))
		printf "%d %s\n", at, what
}

BEGIN {
	srand(seed)
	end = seconds * 1000
	total = nodes * gpus
	borrower("b1", total / 8, 2.2)
	borrower("b2", total / 8, 1.3)
	borrower("b3", total / 8, 2.2)
	for (i = 1; i <= 4; i++)
		owner("o" i, total / 8)
	owner("kept", total / 16)

	stir = end * 2 / 3
	now_and_then("restart", 50000, 90000, stir)
	now_and_then("kill9", 60000, 90000, stir)
	now_and_then("still", 30000, 60000, end)
	now_and_then("scancel " 1 + int(between(2, 8)), 10000, 20000, end)
	for (at = between(15000, 30000); at < end; at += between(20000, 40000))
		printf "%d reconfigure %d\n", at, rand() * 3
	for (at = between(15000, 40000); at < end; at += between(30000, 60000)) {
		i = 1 + int(rand() * nodes)
		printf "%d drain %d\n%d resume %d\n", at, i,
			at + between(5000, 15000), i
	}
}
