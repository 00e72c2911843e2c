#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# qshare health on a real slurmctld: a line per queue, the reasons, the exit
# status for monitoring; and the same line before the table of shares.

. "${0%/*}/lib.sh"

cluster_init health
cluster_need_plugins
cluster_nodes "h[1-2]" h100:2
cluster_policy <<EOF
Queue=train Partitions=gpu
Share=one Accounts=a Capacity=h100:2 Strategy=LEND InSharePreemption=NO
Share=two Accounts=b Capacity=h100:2 Strategy=LEND_AND_BORROW \\
	InSharePreemption=NO
EOF
cluster_start || bail "no cluster"

# Codes of all problems, sorted, in a line; or "none".
codes()
{
	local answer list

	answer=$(qshare health --json)
	[ -n "$answer" ] || return 1
	list=$(jq -r '.[].code' <<<"$answer" | sort | xargs)
	echo "${list:-none}"
}

status_of()
{
	qshare health >/dev/null 2>&1
	echo $?
}

check_wait 10 "all is well" prints none codes
check_eq "in words" "$(qshare health)" \
	"Queue train:  ENABLED  VALID  healthy"
check_eq "and the exit status says so" "$(status_of)" 0
check_eq "the table begins with it" "$(qshare | head -n 1)" \
	"Queue train:  ENABLED  VALID  healthy"
check_eq "piped, nothing is coloured" "$(qshare | grep -c $'\033')" 0
check "asked for, it is" prints_match $'\033' qshare --color
check_eq "a queue that there is not" "$(qshare health -q nosuch 2>&1)" \
	"qshare health: there is no quota queue 'nosuch'"

say "a node is drained"
check "drain" scontrol update nodename=h2 state=drain reason=test
check_wait 10 "nodes and promises are told" \
	prints "NODES_DOWN PROMISED" codes
check_eq "exit status" "$(status_of)" 3
check_match "by name" "$(qshare health)" 'h2'
qshare health | sed 's/^/#   /'
check "resume" scontrol update nodename=h2 state=resume
check_wait 10 "well again" prints none codes

say "the policy file is broken"
cp "$CL_DIR/etc/quota_share.conf" "$CL_DIR/etc/good"
echo "Shar=three" >>"$CL_DIR/etc/quota_share.conf"
cluster_reconfigure
check_wait 10 "told" prints POLICY_REJECTED codes
check_match "INVALID, and where" "$(qshare health)" \
	'INVALID.*quota_share.conf:5'
cp "$CL_DIR/etc/good" "$CL_DIR/etc/quota_share.conf"
cluster_reconfigure
check_wait 10 "well again" prints none codes

say "the client's half is missing"
cp "$CL_DIR/etc/plugstack.conf" "$CL_DIR/etc/plugstack.good"
: >"$CL_DIR/etc/plugstack.conf"
check_eq "told" "$(codes)" SPANK_MISSING
cp "$CL_DIR/etc/plugstack.good" "$CL_DIR/etc/plugstack.conf"

say "a plugin is missing in slurmctld"
cluster_ctld_stop
sed -i '/^PrioritySiteFactorPlugin=/d' "$CL_DIR/etc/slurm.conf"
cluster_ctld_start || bail "slurmctld did not start again"
check_wait 10 "told" prints PLUGIN_MISSING codes
check_match "with the line that is missing" "$(qshare health)" \
	'PrioritySiteFactorPlugin=site_factor/quota_share'

say "slurmctld is gone"
cluster_ctld_stop
check_eq "exit status" "$(status_of)" 1
test_done
