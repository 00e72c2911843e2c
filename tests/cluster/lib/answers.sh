# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What qshare, our event log and slurmctld's log say.

# share_field SHARE TYPE FIELD: a cell of qshare's table; null is "null".
share_field()
{
	qshare status --json | jq -r --arg s "$1" --arg t "$2" --arg f "$3" '
		.shares[] | select(.share == $s and .type == $t) |
		.[$f] | tostring'
}

# share_row SHARE TYPE: "used own borrowed lent idle waiting", waiting being the
# GPUs that are asked for; share_use: the first three of them.
share_row()
{
	qshare status --json | jq -r --arg s "$1" --arg t "$2" '
		.shares[] | select(.share == $s and .type == $t) |
		"\(.used) \(.own) \(.borrowed) \(.lent) \(.idle) \(.waiting)"'
}

share_use()
{
	share_row "$@" | cut -d " " -f 1-3
}

# status_field JQ-PATH: any other part of qshare's answer, as .counters.claims
status_field()
{
	qshare status --json | jq -r "$1 | tostring"
}

# health_codes: of all that qshare finds wrong, sorted, in a line; "no answer"
# where it is not answered, which is not the same as nothing.
health_codes()
{
	local answer

	answer=$(qshare health --json)
	[ -n "$answer" ] || answer='[{"code": "no answer"}]'
	jq -r '.[].code' <<<"$answer" | sort | xargs
}

# stopping_jobs: who is on the way out, in a line; "no answer" as above.
stopping_jobs()
{
	local answer

	answer=$(qshare status --json)
	[ -n "$answer" ] || answer='{"stopping": [{"job": "no answer"}]}'
	jq -r '.stopping[].job' <<<"$answer" | sort -n | xargs
}

# event_log JQ-ARGS...: jq over it
event_log()
{
	jq -r "$@" "$CL_DIR/state/quota_share.events.jsonl"
}

# times_told ID: so often did we tell it to go
times_told()
{
	event_log --argjson id "$1" 'select(.event == "preemption_started" and
		.job == $id) | .job' | wc -l
}

# Lines of slurmctld's log that match.
ctld_log()
{
	grep -E "$1" "$CL_DIR/log/slurmctld.log"
}

ctld_log_count()
{
	ctld_log "$1" | wc -l
}
