# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
#
# The part "trixie" of contrib/test: the project on Debian 13, with the Slurm
# that it has, in a root of its own (root.sh). Uses contrib/test's step,
# cannot and cluster_counts.

# The tests that go where Slurm's versions differ. All of them were tried on
# 24.11 (doc/design.md); the others show our own logic, which is the same.
TRIXIE_TESTS=(walk)

test_trixie()
{
	local build=$BUILD/test-trixie log=$LOGS/trixie.log
	local tests=("${trixie_words[@]}")

	[ ${#tests[@]} -gt 0 ] || tests=("${TRIXIE_TESTS[@]}")
	[ "${tests[*]}" = all ] && tests=()
	cb_root_make trixie "$LOGS" "${CB_PACKAGES_BUILD[@]}" \
		"${CB_PACKAGES_SLURM[@]}" "${CB_PACKAGES_CLUSTER[@]}" || {
		cannot trixie "$CB_ROOT_ERROR"
		return
	}
	mkdir -p "$build"
	step "build with gcc on Debian trixie" trixie-build.log \
		cb_root_run "$build" bash /src/contrib/lib/build_in_root ||
		return
	CB_STEP_SHOW='^=== '
	cb_step "cluster tests on Debian trixie" "$log" \
		cb_root_run "$build" env QS_BUILD_DIR=/build QS_REQUIRE=1 \
		bash /src/tests/cluster/run -j "$jobs" -n "$repeat" "${tests[@]}"
	cluster_counts $? "$log"
	CB_STEP_SHOW=
}
