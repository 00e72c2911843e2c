#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016,SC2119,SC2317
#
# The library itself, on plain Slurm: two clusters side by side, a job on
# typed GPUs in each, an unprivileged caller, accounts as they are given; and
# nothing left after the stop, no process, no port, no folder.

. "${0%/*}/lib.sh"

export CLUSTER_STOCK=1

one_cluster()
{
	local name=$1 type=$2 count=$3 user id

	cluster_init "$name"
	say "$name: folder $CL_DIR, ports from $CL_PORT"
	cluster_nodes "${name}[1-2]" "$type:$count"
	cluster_start || bail "cluster $name did not start"
	echo "$CL_DIR $CL_PORT" >"$WHERE/$name"

	id=$(submit -A SomeName --gres="gpu:$type:$count" \
		--wrap 'echo "sees $CUDA_VISIBLE_DEVICES"; exec sleep 60')
	check_wait 15 "$name: a job with $count $type runs" \
		job_is "$id" RUNNING
	check_eq "$name: its account, without a database" \
		"$(job_field "$id" Account)" somename
	check_eq "$name: GPUs in use" "$(job_gpus)" "$count"
	check_wait 10 "$name: its process runs" prints_match '^sees 0' \
		job_out "$id"

	user=$(cluster_user 1)
	id=$(cluster_run_as "$user" sbatch --parsable -A team \
		--gres="gpu:$type:1" --wrap 'id -un')
	check_wait 15 "$name: a job of $user ends" job_is "$id" COMPLETED
	check_eq "$name: it ran as" "$(job_out "$id")" "$user"

	if id=$(submit_sleep --gres=gpu:nosuch:1 2>&1); then
		not_ok "$name: a type that does not exist is refused" "$id"
	else
		ok "$name: a type that does not exist is refused"
	fi

	: >"$WHERE/$name.ready"
	wait_for 30 "both clusters" test -e "$WHERE/a.ready" -a \
		-e "$WHERE/b.ready" || bail "$name was alone"
	check "$name: $(cluster_pids "$CL_DIR" | wc -l) processes are seen" \
		test "$(cluster_pids "$CL_DIR" | wc -l)" -ge 6
	check "$name: the stop leaves nothing" cluster_stop
	test_done
}

WHERE=$(mktemp -d "${TMPDIR:-/tmp}/qs-stock.XXXX") || exit 1
trap 'rm -rf "$WHERE"' EXIT

(one_cluster a a10g 1) >"$WHERE/a.out" 2>&1 &
a=$!
(one_cluster b h100 8) >"$WHERE/b.out" 2>&1 &
b=$!
wait "$a"
a_rc=$?
wait "$b"
b_rc=$?
sed 's/^\(not \)\{0,1\}ok [0-9]*/# a: &/; s/^1\.\./# &/' "$WHERE/a.out"
sed 's/^\(not \)\{0,1\}ok [0-9]*/# b: &/; s/^1\.\./# &/' "$WHERE/b.out"
if [ "$a_rc" = 77 ]; then
	skip_all "$(sed -n 's/.*SKIP //p' "$WHERE/a.out")"
fi
check_eq "cluster a" "$a_rc" 0
check_eq "cluster b" "$b_rc" 0
# What listens in a block that is locked by now is another test's.
port_left()
{
	exec 9>"$PORT_LOCKS/$1"
	flock -n 9 && port_block_busy "$1"
}
for name in a b; do
	read -r dir port <"$WHERE/$name" || bail "$name did not start"
	check_eq "$name: processes left" "$(cluster_pids "$dir")" ""
	check "$name: no port is open" not port_left "$port"
	check "$name: the folder is gone" test ! -e "$dir"
done
test_done
