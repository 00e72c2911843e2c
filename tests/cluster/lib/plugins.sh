# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Brings the project's plugins and qshare into the cluster's folder, as
# copies: a build going on beside a running test cannot change what is being
# tested, and an unprivileged user can read them wherever the checkout lies.
#
# QS_BUILD_DIR   top of the build tree (default: the checkout)
# QS_PLUGIN_DIR  one folder with all .so files, instead of the build tree's
# QS_QSHARE      the qshare binary, instead of the build tree's

QS_BUILD_DIR=${QS_BUILD_DIR:-$CL_TOP}

PLUGINS_NEEDED=(burst_buffer_quota_share.so job_submit_quota_share.so
	preempt_quota_share.so site_factor_quota_share.so
	spank_quota_share.so)

# All .so files that are built, links of shared libraries included.
plugins_list()
{
	if [ -n "${QS_PLUGIN_DIR:-}" ]; then
		find -L "$QS_PLUGIN_DIR" -maxdepth 1 -name '*.so*'
	else
		find "$QS_BUILD_DIR/plugins" "$QS_BUILD_DIR/src" \
			-path '*/.libs/*.so*' ! -name '*.so*T' ! -type d \
			2>/dev/null
	fi
}

# libtool leaves a script where a binary needs uninstalled libraries; the
# binary itself is then in .libs.
qshare_binary()
{
	local binary=${QS_QSHARE:-$QS_BUILD_DIR/src/cli/qshare}

	[ -x "${binary%/*}/.libs/qshare" ] && binary=${binary%/*}/.libs/qshare
	[ -x "$binary" ] && echo "$binary"
}

# Prints what is missing; nothing when all is built.
plugins_missing()
{
	local have name

	have=$(plugins_list)
	for name in "${PLUGINS_NEEDED[@]}"; do
		grep -q "/$name\$" <<<"$have" || echo "$name"
	done
	qshare_binary >/dev/null || echo qshare
}

plugins_collect()
{
	local file binary

	mkdir -p "$CL_DIR/plugins" "$CL_DIR/bin"
	while read -r file; do
		cp -a "$file" "$CL_DIR/plugins/" || return 1
	done < <(plugins_list)
	binary=$(qshare_binary) && cp -L "$binary" "$CL_DIR/bin/qshare"
	return 0
}

# cluster_need_plugins: a test that needs them skips, naming what is missing,
# unless QS_REQUIRE=1 (contrib/test): there a missing plugin is a failure.
cluster_need_plugins()
{
	local missing

	missing=$(plugins_missing | xargs)
	[ -z "$missing" ] && return 0
	[ "${QS_REQUIRE:-0}" = 1 ] && bail "not built: $missing"
	skip_all "not built: $missing"
}

# Where slurmctld looks for plugins, Slurm's own last.
plugins_path()
{
	local own

	own=$(slurm_plugin_dir) || return 1
	if [ "${CLUSTER_STOCK:-0}" = 1 ]; then
		echo "$own"
	else
		echo "$CL_DIR/plugins:$own"
	fi
}

# The folder compiled into Slurm's tools (there is no tool that tells it
# without a running slurmctld).
slurm_plugin_dir()
{
	local dir

	for dir in ${QS_SLURM_PLUGIN_DIR:-} /usr/lib/*/slurm-wlm \
		/usr/lib/*/slurm /usr/lib64/slurm /usr/lib/slurm \
		/usr/local/lib/slurm; do
		[ -e "$dir/select_cons_tres.so" ] && echo "$dir" && return
	done
	say "Slurm's plugin folder was not found; set QS_SLURM_PLUGIN_DIR"
	return 1
}
