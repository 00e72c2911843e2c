# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Jobs that run train.sh, and what their output says.

# submit_train SBATCH-ARGS...
submit_train()
{
	submit "$@" "$CL_LIB/train.sh"
}

# train_last ID WORD: the number on the last line "train: WORD NUMBER".
train_last()
{
	job_out "$1" | awk -v w="$2" '
		$1 == "train:" && $2 == w { n = $3 }
		END { print n }'
}

# train_reached ID STEP
train_reached()
{
	local step

	step=$(train_last "$1" step)
	((${step:-0} >= $2))
}

# train_finish ID: it ends by itself with exit code 0.
train_finish()
{
	: >"$CL_DIR/jobs/finish-$1"
}

# train_continued ID: the last run began where the run before it had stopped:
# at a checkpoint that is not zero, and its first step is the next one.
train_continued()
{
	job_out "$1" | awk '
		$2 == "checkpoint" { saved = $3 }
		$2 == "started-from" {
			runs++
			from = $3
			good = runs > 1 && from > 0 && from == saved
			first = 0
		}
		$2 == "step" && !first {
			first = $3
			if (first != from + 1)
				good = 0
		}
		$1 == "train:" && $2 ~ /started|check/ { print }
		END { exit !(good && first) }'
}
