/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_files.c - see report_files.h
 */
#include "report_files.h"

#include <stdlib.h>

#include "folder.h"

void report_files_begin(void)
{
	setenv("TZ", "UTC", 1);
	setenv("SLURM_CONF", "/nonexistent/slurm.conf", 1);
	folder_make();
}
