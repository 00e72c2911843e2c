# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
#
# Builds the checkout out of tree, below build/ in it. A folder is configured
# anew when it is asked for other options than it was made with.

CB_PACKAGES_BUILD=(
	autoconf
	automake
	check
	gcc
	libc6-dev
	libjson-c-dev
	libtool
	make
	pkg-config
	xz-utils
)

# For the plugins: the version is asked of slurmctld, qshare needs libslurm,
# and Slurm's own configure would go without munge's headers.
CB_PACKAGES_SLURM=(
	libmunge-dev
	libslurm-dev
	munge
	slurm-client
	slurmctld
	slurmd
)

# For a private cluster with accounting.
CB_PACKAGES_CLUSTER=(
	iproute2
	jq
	mariadb-client
	mariadb-server
	slurm-wlm-mysql-plugin
	slurmdbd
)

cb_checkout_clean()
{
	[ ! -f "$CB_TOP/config.status" ] || cb_die "this checkout was" \
		"configured in place, so it cannot be built elsewhere too:" \
		"run 'make distclean' in $CB_TOP first"
}

# A changed Makefile.am is seen by make itself.
cb_autogen()
{
	[ -x "$CB_TOP/configure" ] &&
		[ -z "$(find "$CB_TOP/configure.ac" "$CB_TOP"/m4/qs_*.m4 \
			-newer "$CB_TOP/configure")" ] && return
	"$CB_TOP/autogen.sh"
}

# cb_build DIR CONFIGURE-OPTION...
cb_build()
{
	local dir=$1

	shift
	mkdir -p "$dir" && cd "$dir" || return 1
	if [ ! -f config.status ] ||
		[ "$(cat options 2>/dev/null)" != "$*" ]; then
		"$CB_TOP/configure" "$@" || return 1
		echo "$*" >options
	fi
	make -k -j "$CB_JOBS"
}
