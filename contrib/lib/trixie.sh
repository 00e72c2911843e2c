# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
#
# The part "trixie" of contrib/test: the project on Debian 13, with the Slurm
# that it has, in a root of its own (root.sh). Uses contrib/test's step,
# cannot and cluster_counts.

# The tests that go where Slurm's versions differ: the whole way of a job, GRES
# in all spellings, what Slurm is asked before a stop, signals and requeues, het
# jobs, reconfigure, resizing, what is lost in a kill. The others show logic of our
# own, which is the same; all were run on 24.11, see doc/design.md.
TRIXIE_TESTS=(array constraints cron forgotten grace het holds kinds late-words
	licences limits-together node-counts nodelist reload several-qos spellings
	stock suspend takeover-policy types walk)

test_trixie()
{
	local build=$BUILD/test-trixie log=$LOGS/trixie.log
	local tests=("${trixie_words[@]}")

	[ ${#tests[@]} -gt 0 ] || tests=("${TRIXIE_TESTS[@]}")
	[ "${tests[*]}" = all ] && tests=()
	cb_root_make trixie "$LOGS" "${CB_PACKAGES_BUILD[@]}" \
		"${CB_PACKAGES_SLURM[@]}" "${CB_PACKAGES_CLUSTER[@]}" \
		build-essential debhelper || {
		cannot trixie "$CB_ROOT_ERROR"
		return
	}
	mkdir -p "$build"
	step "build with gcc on Debian trixie" trixie-build.log \
		cb_root_run "$build" bash /src/contrib/lib/build_in_root ||
		return
	CB_STEP_SHOW='^=== '
	cb_step "cluster tests on Debian trixie" "$log" \
		cb_root_run "$build" env QS_SLOW=3 QS_BUILD_DIR=/build \
		QS_REQUIRE=1 bash /src/tests/cluster/run -j "$jobs" \
		-n "$repeat" "${tests[@]}"
	cluster_counts $? "$log"
	CB_STEP_SHOW=
	trixie_packages "$build"
}

# Built, then installed where nothing is spoiled: each run has a root anew.
trixie_packages()
{
	step "Debian packages for trixie" trixie-deb.log \
		cb_root_run "$1" bash /src/contrib/lib/packages_in_root || return
	cb_step "installing, upgrading, removing them" \
		"$LOGS/trixie-deb-test.log" \
		cb_root_run "$1" env QS_SLOW=3 \
		bash /src/tests/packages/debian /build/deb
	cluster_counts $? "$LOGS/trixie-deb-test.log"
}
