#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Plays the walk-through with the lib.sh beside this file in place of the
# tests' own. Run by contrib/quickstart; needs QS_BUILD_DIR.

QS_WALK_TOP=$(cd "${0%/*}/../../.." && pwd)
# shellcheck source=/dev/null
. "$QS_WALK_TOP/tests/cluster/10-walkthrough.sh"
