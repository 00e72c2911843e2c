/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * auth.h - who sends a message: Slurm's interface, wherever it is kept
 */
#ifndef QS_COMPAT_AUTH_H
#define QS_COMPAT_AUTH_H

#include "compat/compat.h"

#if QS_SLURM_AT_LEAST(23, 2)
#include "src/interfaces/auth.h"
#else
#include "src/common/slurm_auth.h"
#endif

#endif
