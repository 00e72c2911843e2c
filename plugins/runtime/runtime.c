/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runtime.c - the one instance: how it comes up and goes down
 *
 * init and fini are called by each plugin when slurmctld loads or drops it,
 * load and reconfig by burst_buffer/quota_share. On 22.05 init may come in the
 * middle of reading the job state, so nothing of Slurm's is looked at there;
 * the thread starts only when slurmctld's main loop asks for the first time.
 * Its surprise: which plugin comes first differs between versions and
 * configurations, and a backup controller goes through all of it several times.
 */
#include "runtime/inner.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/answer.h"
#include "runtime/events.h"
#include "runtime/whatif.h"

#define GATE_PLUGIN "burst_buffer/quota_share"

struct qs_rt qs_rt = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void make_cond(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&qs_rt.wake, &attr);
	pthread_condattr_destroy(&attr);
}

int qs_runtime_init(const char *plugin)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	bool first;

	pthread_once(&once, make_cond);
	slurm_mutex_lock(&qs_rt.lock);
	first = !qs_rt.users++;
	qs_health_plugin(plugin, 1);
	slurm_mutex_unlock(&qs_rt.lock);
	if (first)
		info("quota_share: version " QS_VERSION
		     " for Slurm " SLURM_VERSION_STRING);
	debug("quota_share: %s loaded", plugin);
	if (first)
		qs_policy_load(true);
	return SLURM_SUCCESS;
}

static void forget_all(void)
{
	struct qs_view *view;

	slurm_mutex_lock(&qs_rt.lock);
	qs_claim_clear();
	qs_stop_clear();
	qs_jobrec_clear();
	view = qs_rt.view == qs_rt.noted ? NULL : qs_rt.view;
	qs_rt.view = NULL;
	qs_whatif_clear();
	qs_events_clear();
	qs_rt.ready = qs_rt.state_loaded = qs_rt.ledger_valid = false;
	qs_rt.closing = qs_rt.abrupt = false;
	slurm_mutex_unlock(&qs_rt.lock);
	qs_view_free(view);
}

/* slurmctld has saved its jobs by now. One that never was in charge has
 * nothing to say. */
static void close_state(void)
{
	bool save;

	slurm_mutex_lock(&qs_rt.lock);
	save = qs_rt.closing = qs_rt.ready;
	slurm_mutex_unlock(&qs_rt.lock);
	if (save)
		(void)qs_state_save();
}

void qs_runtime_fini(const char *plugin)
{
	bool last, gate = !strcmp(plugin, GATE_PLUGIN);

	if (gate) {
		qs_thread_stop();
		close_state();
		forget_all();
	}
	slurm_mutex_lock(&qs_rt.lock);
	last = !--qs_rt.users;
	qs_health_plugin(plugin, -1);
	slurm_mutex_unlock(&qs_rt.lock);
	if (last)
		qs_policy_drop();
	debug("quota_share: %s unloaded", plugin);
}

/* slurmctld's table of nodes as it was when slurm.conf was last read. */
static node_record_t *const *node_table;

void qs_runtime_load(bool at_start)
{
	bool load, start;

	slurm_mutex_lock(&qs_rt.lock);
	if (at_start)
		node_table = node_record_table_ptr;
	load = !qs_rt.state_loaded;
	qs_rt.state_loaded = true;
	start = !at_start && !qs_rt.ready;
	if (start)
		qs_rt.ready = true;
	slurm_mutex_unlock(&qs_rt.lock);
	/* Now it takes over. */
	if (at_start && qs_compat_stood_by())
		(void)qs_policy_load(false);
	if (load)
		qs_state_load();
	if (start)
		qs_thread_start();
}

/* slurmctld has rebuilt its nodes and with them all node bitmaps of jobs. */
static void forget_fences(void)
{
	for (uint32_t i = 0; i < qs_rt.hash_size; i++)
		for (struct qs_jobrec *rec = qs_rt.hash[i]; rec;
		     rec = rec->next)
			rec->fenced = false;
}

/*
 * slurmctld calls a burst_buffer plugin's reconfigure also when an association
 * or a QOS was removed, or accounting is there again (_remove_assoc(),
 * _remove_qos(), _assoc_cache_mgr() in controller.c). Then no file was read, and
 * no lock is held. Where the same slurmctld reads slurm.conf anew it makes a
 * new table of nodes while it still has the old one, and at no other time.
 */
static bool is_reread(void)
{
	bool reread;

	slurm_mutex_lock(&qs_rt.lock);
	reread = !QS_RECONF_REPLACES && node_table &&
		 node_table != node_record_table_ptr;
	if (reread)
		node_table = node_record_table_ptr;
	slurm_mutex_unlock(&qs_rt.lock);
	return reread;
}

void qs_runtime_reconfig(void)
{
	if (!is_reread()) {
		/* A waiting job may be another share's now. */
		qs_runtime_wake();
		return;
	}
	(void)qs_policy_load(false);
	slurm_mutex_lock(&qs_rt.lock);
	qs_rt.state_lost[0] = '\0';
	qs_rt.reconfigs++;
	forget_fences();
	slurm_mutex_unlock(&qs_rt.lock);
	qs_runtime_wake();
}

char *qs_runtime_status(uint32_t argc, char **argv, const uint32_t *uid)
{
	/* Only where it matters: slurmctld holds its burst buffer mutex around
	 * us, and an operator is told by the association manager's lock. */
	bool open = !(slurm_conf.private_data & PRIVATE_DATA_JOBS);
	struct qs_asker asker = { .known = uid,
				  .all = open ||
					 (uid && validate_operator(*uid)),
				  .uid = uid ? *uid : 0 };
	struct qs_words words;
	char *text;

	qs_words_read(argc, argv, &words);
	slurm_mutex_lock(&qs_rt.lock);
	text = qs_answer(&words, &asker);
	slurm_mutex_unlock(&qs_rt.lock);
	return text;
}
