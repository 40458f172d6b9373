#include "ui_event_history.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "event_history_store_files.h"

static char folder[64];

uint64_t event_history_step_ns(unsigned step)
{
	return UINT64_C(1000000000) + step * UINT64_C(87000000);
}

void event_history_folder(void)
{
	snprintf(folder, sizeof folder, "/tmp/gcspy-test-past-XXXXXX");
	world_must(mkdtemp(folder) != NULL && setenv("TMPDIR", folder, 1) == 0, "mkdtemp");
}

unsigned event_history_in_folder(void)
{
	unsigned n = 0;
	DIR *d = opendir(folder);
	world_must(d != NULL, "opendir");
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n - 2; /* . and .. */
}

void event_history_remove_folder(void)
{
	world_must(rmdir(folder) == 0, "rmdir: something was left behind");
	unsetenv("TMPDIR");
}

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
}

void event_history_ready(struct event_history_store *h)
{
	bool ready = false;
	for (int i = 0; i < 20000 && !ready; i++) {
		ready = event_history_store_is_ready(h);
		if (!ready)
			nap();
	}
	world_must(ready, "the files of the history");
}

/* After a failure nobody looks after the files any more. */
static bool is_idle(struct event_history_store *h)
{
	bool idle = !h->check;
	if (h->failed)
		return true;
	for (int i = 0; i < HISTORY_RINGS; i++) {
		struct gcs_recorder_stats stats = {.waiting = 0};
		if (h->ring[i].now.recorder != NULL)
			gcs_recorder_get_stats(h->ring[i].now.recorder, &stats);
		idle = idle && stats.waiting == 0;
	}
	return idle;
}

void event_history_drain(struct event_history_store *h)
{
	bool idle = false;
	for (int i = 0; i < 20000 && !idle; i++) {
		pthread_mutex_lock(&h->lock);
		idle = is_idle(h);
		pthread_mutex_unlock(&h->lock);
		if (!idle)
			nap();
	}
	world_must(idle, "the writing of the history");
}

void event_history_events(struct world *w, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct gcs_snapshot *s = world_snapshot(w->model, w->last, w->step++);
		struct gcs_occurrence o = *gcs_snapshot_occurrence(s);
		o.wall_ns = w->wall_ns == 0 ? 0 : w->wall_ns + (int64_t)o.time_ns;
		gcs_snapshot_set_occurrence(s, &o);
		gcs_snapshot_unref(w->last);
		w->last = s;
		struct world_source *q = &w->source;
		q->queue[(q->first + q->count++) % WORLD_QUEUE] = gcs_snapshot_ref(s);
		app_poll(&w->app);
		if (w->app.event_history.history == NULL)
			continue;
		if (i == 0)
			event_history_ready(w->app.event_history.history);
		if (i % 16 == 15 || i + 1 == count)
			event_history_drain(w->app.event_history.history);
	}
	app_poll(&w->app);
	app_frame(&w->app);
}

void event_history_settle(struct world *w)
{
	for (int i = 0; i < 20000 && w->app.event_history.waiting; i++) {
		app_poll(&w->app);
		nap();
	}
	world_must(!w->app.event_history.waiting, "the requested moment");
	app_poll(&w->app);
	app_frame(&w->app);
}
