#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#SBATCH --open-mode=append
#
# A training job in small: it counts steps. On SIGTERM it writes a checkpoint
# and dies of that signal, so that a preempted run is put back into the queue
# (a run that ends with 0 counts as finished). The next run of the same job
# goes on from the checkpoint. Each line of its output begins with "train:".
#
#	sbatch --gres=gpu:a10g:1 train.sh [STEPS [SECONDS-PER-STEP]]
#
# Without STEPS it never ends by itself,
# but does end, with 0, once there is a file "finish-JOBID" in its folder.

steps=${1:-1000000000}
pace=${2:-0.2}
id=$SLURM_JOB_ID
checkpoint=train-$id.checkpoint
step=0

save()
{
	echo "$step" >"$checkpoint.new" && mv "$checkpoint.new" "$checkpoint"
	echo "train: checkpoint $step"
}

on_term()
{
	echo "train: SIGTERM at step $step"
	save
	trap - TERM
	kill -TERM $$
}
trap on_term TERM

[ ! -r "$checkpoint" ] || read -r step <"$checkpoint"
echo "train: started-from $step (job $id, run ${SLURM_RESTART_COUNT:-0}" \
	"on $SLURM_JOB_NODELIST, GPU ${CUDA_VISIBLE_DEVICES:-none})"

while ((step < steps)) && [ ! -e "finish-$id" ]; do
	# In the background: bash runs a trap at once only while it waits.
	sleep "$pace" &
	wait $!
	step=$((step + 1))
	echo "train: step $step"
done
save
echo "train: finished at step $step"
