# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Looks at the cluster again and again while a test goes on.

# sample_start NAME COMMAND [ARG...]: COMMAND in an endless loop, each look in
# CL_DIR/samples/NAME as a line "@ MILLISECONDS" and what COMMAND printed.
sample_start()
{
	local name=$1

	shift
	mkdir -p "$CL_DIR/samples"
	sample_loop "$@" >"$CL_DIR/samples/$name" \
		2>"$CL_DIR/samples/$name.err" &
	echo $! >"$CL_DIR/pid/sample-$name"
	disown $!
}

# It ends by a word in a file, not by a signal, so that the last look is whole.
sample_loop()
{
	trap - EXIT HUP INT TERM
	until [ -e "$CL_DIR/samples/$name.stop" ]; do
		clock
		echo "@ $MS"
		"$@" || echo "! $?"
	done
}

# sample_stop NAME: ends the loop; sets SAMPLES to the number of good looks.
sample_stop()
{
	: >"$CL_DIR/samples/$1.stop"
	wait_for 20 "the last look" daemon_gone "sample-$1"
	rm -f "$CL_DIR/pid/sample-$1" "$CL_DIR/samples/$1.stop"
	SAMPLES=$(awk '/^@/ { n++ } /^!/ { n-- } END { print n + 0 }' \
		"$(sample_file "$1")")
	say "$SAMPLES looks at $1"
}

sample_file()
{
	echo "$CL_DIR/samples/$1"
}
