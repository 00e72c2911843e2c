# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# A second controller with the same StateSaveLocation, which takes over. It has a
# host name of its own, that it finds, and a folder of its own, etc-backup: the
# policy is looked for beside slurm.conf.

# cluster_backup_conf: before cluster_start; skips where it cannot be
cluster_backup_conf()
{
	need_tools unshare
	unshare --uts --mount true 2>/dev/null ||
		skip_all "no host name of its own (unshare)"
	cluster_conf <<CONF
SlurmctldHost=$CL_HOST(127.0.0.1)
SlurmctldHost=qs-backup(127.0.0.2)
CommunicationParameters=NoCtldInAddrAny
SlurmctldTimeout=5
CONF
}

backup_pings() { scontrol ping; }

# cluster_backup_start: daemon "backup"; 0 once both controllers are there
cluster_backup_start()
{
	rm -rf "$CL_DIR/etc-backup"
	cp -a "$CL_DIR/etc" "$CL_DIR/etc-backup"
	printf '127.0.0.1 localhost %s\n127.0.0.2 qs-backup\n' "$CL_HOST" \
		>"$CL_DIR/etc-backup/hosts"
	sed -i -e "s|^SlurmctldLogFile=.*|SlurmctldLogFile=$CL_DIR/log/backup.log|" \
		-e "s|^SlurmctldPidFile=.*|SlurmctldPidFile=$CL_DIR/pid/backup.own|" \
		"$CL_DIR/etc-backup/slurm.conf"
	# shellcheck disable=SC2016
	LD_LIBRARY_PATH="$CL_DIR/plugins" daemon backup unshare --uts --mount \
		sh -c 'hostname qs-backup && mount --bind "$1/hosts" /etc/hosts &&
			exec $2 slurmctld -D -f "$1/slurm.conf"' sh \
		"$CL_DIR/etc-backup" "${QS_CTLD_WRAPPER:-}"
	check_wait 20 "both controllers are there" \
		prints_match 'primary.*UP.*backup.*UP' backup_pings
}
