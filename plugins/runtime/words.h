/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.h - what the words of `scontrol show bbstat WORD...` ask for
 *
 * Every user of the cluster may send these words to slurmctld, and not only
 * with scontrol: a word may be anything, NULL too (an empty string of Slurm's
 * protocol), and there may be any number of them. Free of Slurm's headers, so
 * that they can be tested and fuzzed without it. Pure: no allocation, no lock.
 */
#ifndef QS_RUNTIME_WORDS_H
#define QS_RUNTIME_WORDS_H

#include <stdint.h>

/* Longest way to write a job, with the end: 4294967295_4294967295 */
#define QS_WORDS_JOB_MAX 24

enum qs_asks {
	QS_ASKS_UNKNOWN, /* no such words */
	QS_ASKS_STATUS,  /* also without any word */
	QS_ASKS_EXPLAIN, /* of a job */
	QS_ASKS_JOBS,
	QS_ASKS_METRICS,
	QS_ASKS_POLICY,
	QS_ASKS_SCENARIO,
	QS_ASKS_WHATIF, /* "answer": what became of the question with a token */
};

enum qs_job_form {
	QS_JOB_FORM_BAD,   /* the word is no job id */
	QS_JOB_FORM_PLAIN, /* 12, and 12_[3-7] as squeue writes waiting tasks */
	QS_JOB_FORM_TASK,  /* 12_3 */
	QS_JOB_FORM_HET,   /* 12+1 */
};

struct qs_words {
	enum qs_asks asks;
	/* EXPLAIN */
	enum qs_job_form form;
	uint32_t job, part; /* part: the task, or the component */
	/* WHATIF: never NULL; borrowed from argv. */
	const char *token;
};

/* Read argc words. Words that are not needed are not looked at. */
void qs_words_read(uint32_t argc, char *const *argv, struct qs_words *words);

/* The job as its user writes it: "12", "12_3", "12+1"; "" for a bad one.
 * text has QS_WORDS_JOB_MAX bytes. Returns text. */
char *qs_words_job(const struct qs_words *words, char *text);

#endif
