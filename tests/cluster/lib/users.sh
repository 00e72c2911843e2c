# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Unprivileged callers: qs_test1, qs_test2, … are system users without a home
# or a shell, made at first use and left in place (other tests running beside
# this one may be using them).

# cluster_user N: prints the name of test user N.
cluster_user()
{
	local name=qs_test$1

	if ! getent passwd "$name" >/dev/null; then
		(
			flock 9
			getent passwd "$name" >/dev/null ||
				PATH=$PATH:/usr/sbin useradd --system \
					--no-create-home --home-dir / \
					--shell /usr/sbin/nologin "$name"
		) 9>/tmp/.qs-cluster-users >&2 || return 1
	fi
	echo "$name"
}

# cluster_run_as USER COMMAND [ARG...]: one client call as USER, against this
# cluster, from the jobs' folder, with a timeout. The environment is small and
# fixed: what the caller exports reaches no job.
cluster_run_as()
{
	local user=$1

	shift
	(
		cd "$CL_DIR/jobs" || exit 1
		[ "$user" = "$(id -un)" ] || set -- setpriv \
			--reuid="$user" --regid="$(id -g "$user")" \
			--init-groups --inh-caps=-all -- "$@"
		exec timeout -k 2 "$((CL_CALL_SEC * QS_SLOW))" \
			env -i SLURM_CONF="$CL_DIR/etc/slurm.conf" HOME=/ \
			USER="$user" LOGNAME="$user" PATH="$CL_PATH" \
			LANG=C.UTF-8 ${ASAN_OPTIONS:+"ASAN_OPTIONS=$ASAN_OPTIONS"} \
			"$@"
	) {CL_PORT_FD}>&-
}
