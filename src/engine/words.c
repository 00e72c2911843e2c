/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.c - the words of the scenario format for the planner's enums
 */
#include "explain.h"
#include "plan.h"

const char *qs_verdict_name(enum qs_verdict verdict)
{
	switch (verdict) {
	case QS_VERDICT_START:
		return "START";
	case QS_VERDICT_WAIT:
		return "WAIT";
	case QS_VERDICT_NEVER:
		return "NEVER";
	}
	return "";
}

const char *qs_how_name(enum qs_how how)
{
	switch (how) {
	case QS_HOW_NONE:
		return "";
	case QS_HOW_OWN:
		return "OWN";
	case QS_HOW_BORROW:
		return "BORROW";
	case QS_HOW_RECLAIM:
		return "RECLAIM";
	case QS_HOW_IN_SHARE:
		return "IN_SHARE";
	}
	return "";
}

const char *qs_code_name(enum qs_code code)
{
	static const char *const names[] = {
		[QS_CODE_NONE] = "",
		[QS_CODE_QUOTA] = "QUOTA",
		[QS_CODE_PLACEMENT] = "PLACEMENT",
		[QS_CODE_PRIORITY] = "PRIORITY",
		[QS_CODE_LIMIT] = "LIMIT",
		[QS_CODE_NOTHING_LENDABLE] = "NOTHING_LENDABLE",
		[QS_CODE_ORDER] = "ORDER",
		[QS_CODE_ENDING] = "ENDING",
		[QS_CODE_CLAIMED] = "CLAIMED",
		[QS_CODE_PROTECTED] = "PROTECTED",
		[QS_CODE_NODES_DOWN] = "NODES_DOWN",
		[QS_CODE_HELD] = "HELD",
		[QS_CODE_SHARE_DISABLED] = "SHARE_DISABLED",
		[QS_CODE_SHARE_REMOVED] = "SHARE_REMOVED",
		[QS_CODE_IN_SHARE_OFF] = "IN_SHARE_OFF",
		[QS_CODE_UNKNOWN_TYPE] = "UNKNOWN_TYPE",
		[QS_CODE_OVER_QUEUE] = "OVER_QUEUE",
		[QS_CODE_OVER_LIMIT] = "OVER_LIMIT",
		[QS_CODE_OVER_BORROW_LIMIT] = "OVER_BORROW_LIMIT",
		[QS_CODE_OVER_LENDABLE] = "OVER_LENDABLE",
	};

	if ((size_t)code >= sizeof(names) / sizeof(*names))
		return "";
	return names[code];
}

const char *qs_chosen_name(enum qs_chosen chosen)
{
	switch (chosen) {
	case QS_CHOSEN_ONLY:
		return "the only candidate";
	case QS_CHOSEN_SHARE:
		return "its share borrows most for its capacity";
	case QS_CHOSEN_PRIORITY:
		return "lowest priority";
	case QS_CHOSEN_FIT:
		return "fits best what was owed";
	case QS_CHOSEN_DURATION:
		return "shortest run, least work lost";
	case QS_CHOSEN_JOB_ID:
		return "highest job id among equals";
	case QS_CHOSEN_PLACE:
		return "its node costs least to clear";
	}
	return "";
}
