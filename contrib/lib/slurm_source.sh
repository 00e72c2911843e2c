# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Slurm's source, configured, of the version that is installed: once, kept in
# the cache folder. Nothing of it is compiled; our plugins need its headers.
#
# /etc/apt is not changed and the machine's package lists are not touched: the
# machine's own sources of Slurm's packages, read once more as deb-src, go to a
# file and lists of our own.

# What Debian builds Slurm with, as far as its headers notice.
CB_SLURM_OPTIONS=(--prefix=/usr --sysconfdir=/etc/slurm
	--enable-multiple-slurmd --disable-debug)

cb_slurm_version()
{
	slurmctld -V 2>/dev/null </dev/null | sed -n 's/^.* \([0-9][0-9.]*\)$/\1/p'
}

# The sources of the machine that offer slurmctld, as deb-src, to folder $1.
cb_apt_sources()
{
	local dir=$1 file uris out=0

	# Its addresses, as apt itself understands them.
	uris=$(apt-cache madison slurmctld 2>/dev/null |
		awk -F' *[|] *' '{ split($3, w, " "); print w[1] }' | sort -u)
	mkdir -p "$dir"
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
		[ -f "$file" ] || continue
		out=$((out + 1))
		case $file in
		*.sources)
			awk -v uris="$uris" -v RS= -v ORS='\n\n' '
			BEGIN { n = split(uris, u, "\n") }
			{
				keep = n == 0
				for (i = 1; i <= n; i++)
					if (index($0, u[i]))
						keep = 1
				if (!keep)
					next
				sub(/(^|\n)Types:[^\n]*/, "\nTypes: deb-src")
				sub(/^\n/, "")
				print
			}' "$file" >"$dir/$out.sources"
			;;
		*.list)
			awk -v uris="$uris" '
			BEGIN { n = split(uris, u, "\n") }
			$1 == "deb" {
				keep = n == 0
				for (i = 1; i <= n; i++)
					if (index($0, u[i]))
						keep = 1
				if (keep) {
					sub(/deb/, "deb-src")
					print
				}
			}' "$file" >"$dir/$out.list"
			;;
		esac
	done
	find "$dir" -empty -type f -delete
	[ -n "$(ls -A "$dir")" ] && return
	echo "No package source in /etc/apt offers slurmctld."
	return 1
}

# Fetches the tar file of Slurm $1 into folder $2.
cb_slurm_fetch()
{
	local version=$1 dir=$2 apt=$2/apt package debian try options

	command -v apt-get >/dev/null || {
		echo "There is no apt-get here: unpack Slurm's source" \
			"slurm-$version.tar.bz2 somewhere, run its configure," \
			"and give that folder to --with-slurm-source."
		return 1
	}
	mkdir -p "$apt/lists/partial" || return 1
	cb_apt_sources "$apt/sources" || return 1
	options=(-o "Dir::Etc::sourcelist=/dev/null"
		-o "Dir::Etc::sourceparts=$apt/sources"
		-o "Dir::State::lists=$apt/lists"
		-o "Dir::Cache::srcpkgcache=$apt/srcpkgcache.bin"
		-o "Dir::Cache::pkgcache=$apt/pkgcache.bin"
		-o "Acquire::Languages=none"
		-o "APT::Sandbox::User=$(id -un)")
	apt-get "${options[@]}" update || return 1

	package=$(dpkg-query -W -f '${source:Package}' slurmctld 2>/dev/null)
	debian=$(dpkg-query -W -f '${source:Version}' slurmctld 2>/dev/null)
	[[ $debian == "$version"[-+~]* ]] || debian=
	# The packaging may have had another revision since: the tar file of
	# the same Slurm is as good.
	for try in "${debian:+=$debian}" ""; do
		(cd "$dir" && apt-get "${options[@]}" source --download-only \
			--tar-only "${package:-slurm-wlm}$try") && break
	done
	cb_slurm_tar "$version" "$dir" >/dev/null && return
	echo "The package sources of this machine have no source of Slurm" \
		"$version: fetch slurm-$version.tar.bz2 elsewhere, unpack it," \
		"run its configure, and give that folder to" \
		"--with-slurm-source."
	return 1
}

cb_slurm_tar()
{
	local file

	for file in "$2"/*_"$1".orig.tar.* "$2/slurm-$1".tar.*; do
		case $file in
		*.asc | *.sig) continue ;;
		esac
		[ -f "$file" ] && echo "$file" && return
	done
	return 1
}

# Unpacks and configures beside the place, then moves: a tree that is there is
# whole.
cb_slurm_configure()
{
	local version=$1 dir=$2 tar

	tar=$(cb_slurm_tar "$version" "$dir") || return 1
	rm -rf "$dir/new"
	mkdir "$dir/new" &&
		tar -xf "$tar" -C "$dir/new" --strip-components=1 &&
		(cd "$dir/new" && ./configure "${CB_SLURM_OPTIONS[@]}") &&
		mv "$dir/new" "$dir/src"
}

# cb_slurm_source VERSION: sets CB_SLURM_SOURCE. QS_SLURM_SOURCE=DIR skips it
# all: configure judges that folder.
cb_slurm_source()
{
	local version=$1 dir lock

	if [ -n "${QS_SLURM_SOURCE:-}" ]; then
		CB_SLURM_SOURCE=$QS_SLURM_SOURCE
		cb_say "  ok   Slurm's source: QS_SLURM_SOURCE=$CB_SLURM_SOURCE"
		return
	fi
	[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] ||
		cb_die "no version of Slurm: '$version'"
	dir=$(cb_cache)/slurm-$version || exit 1
	mkdir -p "$dir" || cb_die "cannot make the folder $dir"
	CB_SLURM_SOURCE=$dir/src
	exec {lock}>"$dir/lock"
	flock "$lock"
	if [ -f "$CB_SLURM_SOURCE/config.h" ]; then
		cb_say "  ok   Slurm's source of $version is there"
	else
		cb_slurm_tar "$version" "$dir" >/dev/null ||
			cb_must "Is there a network?" \
				"fetching Slurm's source of $version" \
				"$dir/fetch.log" \
				cb_slurm_fetch "$version" "$dir"
		cb_must "See the log; run this again after it is put right." \
			"configuring Slurm's source of $version" \
			"$dir/configure.log" \
			cb_slurm_configure "$version" "$dir"
	fi
	exec {lock}>&-
}
