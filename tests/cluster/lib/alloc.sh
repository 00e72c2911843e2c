# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Which job holds which GPUs, as slurmctld's job records have it: an account
# of our own to hold against what qshare says. (squeue's TRES know no GPU
# where there is no slurmdbd.)

# alloc_list: a line "JOB ACCOUNT STATE NODE TYPE COUNT" for each job that
# holds GPUs, node and type. The type of an untyped GPU is "gpu".
alloc_list()
{
	scontrol -o -d show job 2>/dev/null | alloc_parse
}

# scontrol gives nodes with the same share of a job together:
# "Nodes=n[1-2] CPU_IDs=0 Mem=0 GRES=gpu:a10g:1(IDX:0),gpu:h100:2(IDX:1-2)".
# A completing job's GPUs still count on the nodes that NodeList names; of one
# that is requeued slurmctld gives no more than what it asked for on each.
# A job that is being signalled is SIGNALING until its node has answered.
alloc_parse()
{
	awk "$HOSTLIST_AWK"'
	function value(field)
	{
		return substr(field, index(field, "=") + 1)
	}
	{
		job = account = state = nodes = where = asked = ""
		for (i = 1; i <= NF; i++) {
			if ($i ~ /^JobId=/)
				job = value($i)
			else if ($i ~ /^Account=/)
				account = value($i)
			else if ($i ~ /^JobState=/)
				state = value($i)
			else if ($i ~ /^NodeList=/)
				where = value($i)
			else if ($i ~ /^TresPerNode=/)
				asked = value($i)
			else if ($i ~ /^Nodes=/)
				nodes = value($i)
			else if ($i ~ /^GRES=./ && nodes != "")
				held[++groups] = nodes " " value($i)
		}
		if (state ~ /^(RUNNING|SIGNALING|CONFIGURING|RESIZING|STOPPED|SUSPENDED|COMPLETING)$/) {
			delete in_use
			n = hostlist(where, name)
			for (i = 1; i <= n; i++)
				in_use[name[i]] = 1
			if (state == "COMPLETING" && !groups && n) {
				gsub(/gres[:\/]/, "", asked)
				held[++groups] = where " " asked
			}
			for (g = 1; g <= groups; g++)
				print_group(held[g])
		}
		groups = 0
	}
	function print_group(text,	part, term, gpu, n, m, c, i, k)
	{
		split(text, part, " ")
		gsub(/\([^)]*\)/, "", part[2])
		n = hostlist(part[1], name)
		m = split(part[2], term, ",")
		for (i = 1; i <= n; i++) {
			if (!(name[i] in in_use))
				continue
			for (k = 1; k <= m; k++) {
				c = split(term[k], gpu, ":")
				if (gpu[1] == "gpu" && gpu[c] > 0)
					print job, account, state,
						name[i], (c > 2 ? \
						gpu[2] : "gpu"), gpu[c]
			}
		}
	}'
}

# job_gpus [ID...]: how many GPUs these jobs, or all, hold; all types together.
job_gpus()
{
	alloc_list | awk -v want=" $* " '
		want ~ /^ *$/ || index(want, " " $1 " ") { n += $6 }
		END { print n + 0 }'
}

# account_gpus ACCOUNT [TYPE]
account_gpus()
{
	alloc_list | awk -v a="$1" -v t="${2:-}" '
		$2 == a && (t == "" || $5 == t) { n += $6 }
		END { print n + 0 }'
}
