# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# A munged of our own: own key, own socket, nothing of the host's is read.

munge_start()
{
	local dir=$CL_DIR/munge

	mkdir -p "$dir"
	chmod 755 "$dir"
	(
		umask 077
		head -c 128 /dev/urandom >"$dir/key"
	)
	daemon munged munged --foreground --force --key-file="$dir/key" \
		--socket="$dir/socket" --pid-file="$dir/pid" \
		--seed-file="$dir/seed" --log-file="$CL_DIR/log/munged.log" \
		--num-threads=4
	wait_for 10 "munged" munge_answers
}

munge_answers()
{
	[ -S "$CL_DIR/munge/socket" ] &&
		timeout 5 munge -n --socket="$CL_DIR/munge/socket" -o /dev/null
}
