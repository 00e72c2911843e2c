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

# For a private cluster with accounting, and for tests that kill slurmctld in
# the middle of a system call or set its clock.
CB_PACKAGES_CLUSTER=(
	iproute2
	libfaketime
	jq
	mariadb-client
	mariadb-server
	slurm-wlm-mysql-plugin
	slurmdbd
	strace
)

cb_checkout_clean()
{
	[ ! -f "$CB_TOP/config.status" ] || cb_die "this checkout was" \
		"configured in place, so it cannot be built elsewhere too:" \
		"run 'make distclean' in $CB_TOP first"
}

# A changed Makefile.am is seen by make itself, but not where the checkout is
# read-only and automake another (root.sh).
cb_autogen_due()
{
	local file

	[ -x "$CB_TOP/configure" ] || return 0
	[ -z "$(find "$CB_TOP/configure.ac" "$CB_TOP"/m4/qs_*.m4 \
		-newer "$CB_TOP/configure")" ] || return 0
	while read -r file; do
		[ "$file" -nt "${file%.am}.in" ] && return
	done < <(find "$CB_TOP" -path "$CB_TOP/build" -prune -o \
		-name Makefile.am -print)
	return 1
}

cb_autogen()
{
	! cb_autogen_due || "$CB_TOP/autogen.sh"
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
