# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Installs Debian packages without waking or disturbing anything on the
# machine: nothing is touched if all are there, no package that is installed
# is changed, no daemon is started or stopped.

# Said by the policy-rc.d that is ours, so that a later run knows it again.
CB_POLICY=/usr/sbin/policy-rc.d
CB_POLICY_MARK="# temporary, made by slurm-quota-share's contrib scripts"

cb_package_there()
{
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = \
		installed ]
}

# While packages are unpacked, invoke-rc.d asks policy-rc.d whether a daemon
# may be started: no. A policy-rc.d of the machine's own is set aside and put
# back, by the next run at the latest if this one was killed.
cb_daemons_quiet()
{
	cb_daemons_as_before
	if [ -e "$CB_POLICY" ] || [ -L "$CB_POLICY" ]; then
		mv "$CB_POLICY" "$CB_POLICY.before-quota-share" || return 1
	fi
	printf '#!/bin/sh\n%s\nexit 101\n' "$CB_POLICY_MARK" >"$CB_POLICY" &&
		chmod 755 "$CB_POLICY"
}

cb_daemons_as_before()
{
	grep -qsF "$CB_POLICY_MARK" "$CB_POLICY" && rm -f "$CB_POLICY"
	if [ -e "$CB_POLICY.before-quota-share" ] ||
		[ -L "$CB_POLICY.before-quota-share" ]; then
		mv "$CB_POLICY.before-quota-share" "$CB_POLICY"
	fi
	return 0
}

cb_apt_install()
{
	local changed

	changed=$(apt-get -s install --no-install-recommends "$@" |
		sed -n 's/^Inst \([^ ]*\) \[.*/\1/p' |
		grep -E '^(slurm|libslurm|munge|libmunge|mariadb)') && {
		echo "Installing $* would upgrade what is installed here:" \
			"${changed//$'\n'/ }"
		echo "That is for the machine's owner to decide: upgrade" \
			"these first, then run this again."
		return 1
	}
	DEBIAN_FRONTEND=noninteractive apt-get install -y \
		--no-install-recommends -o Dpkg::Use-Pty=0 "$@"
}

# cb_packages LOG PACKAGE...
cb_packages()
{
	local log=$1 name missing=()

	shift
	command -v dpkg-query >/dev/null || {
		cb_say "       not a Debian: its packages are taken as installed"
		return 0
	}
	for name; do
		cb_package_there "$name" || missing+=("$name")
	done
	if [ ${#missing[@]} -eq 0 ]; then
		cb_say "  ok   all packages are installed"
		return 0
	fi
	[ "$(id -u)" = 0 ] || cb_die "these packages are missing; run this as" \
		"root or install them: ${missing[*]}"
	cb_must "Is there a network and a package source in /etc/apt?" \
		"reading the package lists" "$log" apt-get update
	cb_at_exit cb_daemons_as_before
	cb_daemons_quiet || cb_die "cannot write $CB_POLICY"
	cb_must "Is there a network and a package source in /etc/apt?" \
		"installing ${#missing[@]} packages" \
		"$log" cb_apt_install "${missing[@]}"
	cb_daemons_as_before
}
