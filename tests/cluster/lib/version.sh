# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What differs between Slurm's versions, as far as tests see it. Each
# difference has a function here, or asks slurm_at_least with the reason
# beside it.

# slurm_at_least 23.11: is the slurmctld of the test that release or later?
slurm_at_least()
{
	[ -n "${CL_SLURM:-}" ] || CL_SLURM=$(PATH=$CL_PATH slurmctld -V |
		sed -n 's/^.* \([0-9]*\.[0-9]*\).*/\1/p')
	[ "$(printf '%s\n' "$1" "$CL_SLURM" | sort -V | head -n 1)" = "$1" ]
}

# gres_shown gpu:h100:1: how scontrol shows what a job asks for
gres_shown()
{
	if slurm_at_least 23.11; then
		echo "gres/$1"
	else
		echo "gres:$1"
	fi
}
