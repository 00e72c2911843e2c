# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# slurmdbd with a MariaDB of its own, for tests that need account trees or
# sacct. Without it accounts need no declaration: slurmctld takes any -A name
# as it is (in lower case) when AccountingStorageType is none.

# cluster_account NAME [PARENT], parents first
cluster_account()
{
	CL_ACCOUNTS+="Parent - '${2:-root}'"$'\n'"Account - '$1'"$'\n'
}

# cluster_member USER ACCOUNT: ACCOUNT becomes the default account of USER
cluster_member()
{
	CL_ACCOUNTS+="Parent - '$2'"$'\n'"User - '$1':DefaultAccount='$2'"$'\n'
}

dbd_start()
{
	local db=$CL_DIR/db

	mkdir -p "$db"
	mariadb-install-db --no-defaults --datadir="$db/data" --user=root \
		--auth-root-authentication-method=normal --skip-test-db \
		--force --innodb-log-file-size=8M --performance-schema=0 \
		>"$CL_DIR/log/mariadb-install-db.out" 2>&1 || {
		say "mariadb-install-db failed"
		return 1
	}
	daemon mariadbd mariadbd --no-defaults --user=root \
		--datadir="$db/data" --socket="$db/socket" \
		--pid-file="$db/pid" --skip-networking --skip-log-bin \
		--skip-name-resolve --performance-schema=0 \
		--innodb-buffer-pool-size=32M --innodb-log-file-size=8M \
		--innodb-flush-log-at-trx-commit=0 --innodb-doublewrite=0 \
		--innodb-fast-shutdown=2 \
		--loose-innodb-snapshot-isolation=OFF
	# The database first: some slurmdbd die at a start without it.
	wait_for 20 "MariaDB to make the database" timeout 5 mariadb \
		--no-defaults --socket="$db/socket" -u root \
		-e 'create database if not exists slurm_acct' || return 1
	dbd_conf || return 1
	daemon slurmdbd slurmdbd -D
	wait_for 20 "slurmdbd to answer" dbd_answers
}

dbd_conf()
{
	local conf=$CL_DIR/etc/slurmdbd.conf

	cat >"$conf" <<EOF
AuthType=auth/munge
AuthInfo=socket=$CL_DIR/munge/socket
DbdHost=$CL_HOST
DbdAddr=127.0.0.1
DbdPort=$((CL_PORT + 1))
SlurmUser=root
LogFile=$CL_DIR/log/slurmdbd.log
PidFile=$CL_DIR/pid/slurmdbd.own
PluginDir=$(slurm_plugin_dir)
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc=slurm_acct
EOF
	chmod 600 "$conf"
}

dbd_answers()
{
	cluster_cmd sacctmgr -nP show cluster
}

dbd_registered()
{
	cluster_cmd sacctmgr -nP show cluster format=Cluster |
		grep -qx "qs$CL_PORT"
}

# After slurmctld has registered its cluster. One file, not a call a line:
# sacctmgr of 22.05 takes half a second a call.
dbd_accounts()
{
	[ -n "$CL_ACCOUNTS" ] || return 0
	printf "Cluster - 'qs%s'\nParent - 'root'\n%s" "$CL_PORT" \
		"$CL_ACCOUNTS" >"$CL_DIR/etc/accounts"
	cluster_cmd sacctmgr -i load "file=$CL_DIR/etc/accounts" \
		>"$CL_DIR/log/accounts.out" 2>&1
}
