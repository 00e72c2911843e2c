# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
#
# Another Debian in a folder of the cache, for tests with the Slurm that it
# has. Made once with debootstrap, from the mirror that this machine's apt uses.
#
# What runs in it has mounts and processes of its own (see enter_root): when
# its first process is gone, however that came, so are all of them. Nothing is
# ever mounted where this script, or an rm, could see it.
#
#	cb_root_make SUITE PACKAGE...    sets CB_ROOT; cb_root_error if it fails
#	cb_root_run BUILD COMMAND...     in a copy that is thrown away, without
#	                                 network; the checkout is /src (read-only),
#	                                 folder BUILD is /build

# Raise it when what is done to a root changes.
CB_ROOT_RECIPE=1

# The mirror from which this machine has its own Debian.
cb_root_mirror()
{
	local uri

	command -v apt-get >/dev/null || return 1
	uri=$(apt-get indextargets --format '$(REPO_URI)' \
		'Created-By: Packages' 'Origin: Debian' 2>/dev/null |
		grep -v security | head -n 1)
	# No lists yet: read what apt would read.
	[ -n "$uri" ] || uri=$(cat /etc/apt/sources.list \
		/etc/apt/sources.list.d/*.list \
		/etc/apt/sources.list.d/*.sources 2>/dev/null |
		sed -n 's/^URIs: *\([^ ]*\).*/\1/p
			s/^deb  *\(\[[^]]*\] *\)\{0,1\}\([^ ]*\).*/\2/p' |
		grep -E '/debian/?$' | head -n 1)
	[ -n "$uri" ] && echo "$uri"
}

# A proxy of apt's is for debootstrap and for the new root, too.
cb_root_proxy()
{
	apt-config dump 2>/dev/null | grep -iE '^Acquire::https?::Proxy '
}

cb_root_bootstrap()
{
	local suite=$1 dir=$2 mirror proxy

	mirror=$(cb_root_mirror) || {
		echo "No Debian mirror is found in /etc/apt: put one there."
		return 1
	}
	proxy=$(cb_root_proxy | sed -n 's/^Acquire::http::Proxy "\(.*\)";$/\1/Ip')
	[ -z "$proxy" ] || export http_proxy=${http_proxy:-$proxy}
	rm -rf --one-file-system "$dir/new"
	# Its own mounts end with it, too.
	unshare --mount --pid --fork --kill-child \
		debootstrap --variant=minbase "$suite" "$dir/new" "$mirror" ||
		return 1
	# No daemon starts in there; a power cut may cost the cache.
	printf '#!/bin/sh\nexit 101\n' >"$dir/new/usr/sbin/policy-rc.d" &&
		chmod 755 "$dir/new/usr/sbin/policy-rc.d" &&
		echo force-unsafe-io >"$dir/new/etc/dpkg/dpkg.cfg.d/quota-share" &&
		cb_root_proxy >"$dir/new/etc/apt/apt.conf.d/90quota-share-proxy"
	mv "$dir/new" "$dir/root"
}

cb_root_enter()
{
	unshare --mount --pid --fork --kill-child \
		bash "$CB_LIB/enter_root" "$@"
}

cb_root_install()
{
	local dir=$1

	shift
	cp -L /etc/resolv.conf "$dir/root/etc/resolv.conf" 2>/dev/null
	cb_root_enter keep "$dir" "" sh -c 'apt-get update &&
		apt-get install -y --no-install-recommends \
			-o Dpkg::Use-Pty=0 "$@" && apt-get clean' install "$@"
}

cb_root_slurm()
{
	cb_root_enter keep "$1" "" /src/contrib/slurm-source
}

# cb_root_make SUITE LOGS PACKAGE...: 1 with what was wrong in CB_ROOT_ERROR.
# Two runs do not make it twice: the second waits for the first. Whoever uses
# it holds the lock shared, so that nobody changes it meanwhile.
cb_root_make()
{
	local suite=$1 logs=$2 wanted

	shift 2
	CB_ROOT=$(cb_cache)/debian-$suite || exit 1
	wanted=$(printf '%s\n' "recipe $CB_ROOT_RECIPE" "$@")
	CB_ROOT_ERROR=
	[ "$(id -u)" = 0 ] || CB_ROOT_ERROR="it needs root"
	unshare --mount --pid --fork true 2>/dev/null ||
		CB_ROOT_ERROR="unshare is not allowed here: give the container"
	CB_ROOT_ERROR=${CB_ROOT_ERROR/%container/container CAP_SYS_ADMIN}
	[ -z "$CB_ROOT_ERROR" ] || return 1
	mkdir -p "$CB_ROOT" || cb_die "cannot make the folder $CB_ROOT"
	exec {CB_ROOT_LOCK}>"$CB_ROOT/lock"
	flock -s "$CB_ROOT_LOCK"
	[ "$(cat "$CB_ROOT/made" 2>/dev/null)" = "$wanted" ] && {
		cb_say "  ok   Debian $suite is there"
		return 0
	}
	flock -u "$CB_ROOT_LOCK"
	flock "$CB_ROOT_LOCK"
	cb_root_make_locked "$suite" "$logs" "$wanted" "$@" || return 1
	flock -s "$CB_ROOT_LOCK"
}

cb_root_make_locked()
{
	local suite=$1 logs=$2 wanted=$3

	shift 3
	# Another run made it while this one waited.
	[ "$(cat "$CB_ROOT/made" 2>/dev/null)" = "$wanted" ] && return
	rm -f "$CB_ROOT/made"
	[ "$(head -n 1 "$CB_ROOT/begun" 2>/dev/null)" = \
		"recipe $CB_ROOT_RECIPE" ] ||
		rm -rf --one-file-system "$CB_ROOT/root"
	echo "recipe $CB_ROOT_RECIPE" >"$CB_ROOT/begun"
	[ -d "$CB_ROOT/root" ] ||
		cb_root_step "making Debian $suite in $CB_ROOT" \
			"$logs/$suite-debootstrap.log" \
			cb_root_bootstrap "$suite" "$CB_ROOT" || return
	cb_root_step "installing $# packages in it" \
		"$logs/$suite-packages.log" \
		cb_root_install "$CB_ROOT" "$@" || return
	cb_root_step "Slurm's source in it" "$logs/$suite-source.log" \
		cb_root_slurm "$CB_ROOT" || return
	echo "$wanted" >"$CB_ROOT/made"
}

cb_root_step()
{
	cb_step "$@" && return
	cb_tail "$2"
	CB_ROOT_ERROR="$1 failed (is there a network? see $2)"
	return 1
}

cb_root_run()
{
	local build=$1

	shift
	unshare --mount --pid --net --fork --kill-child \
		bash "$CB_LIB/enter_root" throw "$CB_ROOT" "$build" "$@"
}
