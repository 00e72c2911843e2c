/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gres.h - Slurm's generic resources, wherever a version keeps them
 */
#ifndef QS_COMPAT_GRES_H
#define QS_COMPAT_GRES_H

#include "compat/compat.h"

#if QS_SLURM_AT_LEAST(23, 2)
#include "src/interfaces/gres.h"
#else
#include "src/common/gres.h"
#endif

#endif
