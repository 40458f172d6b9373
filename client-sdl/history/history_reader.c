#include "history_reader.h"

#include <pthread.h>
#include <stdlib.h>
#include <stdio.h>

#include <gcspy/trace.h>

#include "now.h"
#include "thread.h"

enum {
	QUEUE = 64,
	AGAIN = 20,    /* retries at the end of a growing file … */
	AGAIN_MS = 100 /* … and the time between them */
};

struct queued {
	struct hist_row row;
	struct gcs_model *model;
};

struct hist_reader {
	void (*wake)(void *context);
	void *context;
	pthread_t thread;
	bool threaded;

	pthread_mutex_t lock; /* all below */
	pthread_cond_t changed;
	bool ending;
	uint64_t number; /* of the job; 0: none yet */
	bool wanted;     /* the job has not started */
	struct hist_job job;
	struct queued queue[QUEUE];
	uint32_t first, count;
	struct hist_progress progress;
};

/* The thread's state of its job. */
struct reading {
	struct hist_reader *reader;
	uint64_t number;
	struct hist_job job;
	struct hist_maker maker;
	struct hist_graph row; /* with one row: the one being filled */
	uint64_t stride;       /* events per row */
	uint64_t all, done, skip;
	uint64_t last_ns; /* of the newest event so far */
	bool any;
	const struct gcs_model *told; /* compared only */
};

static void empty(struct hist_reader *r)
{
	for (; r->count > 0; r->count--, r->first = (r->first + 1) % QUEUE) {
		hist_row_free(&r->queue[r->first].row);
		gcs_model_unref(r->queue[r->first].model);
	}
}

static bool cancelled(struct reading *w)
{
	struct hist_reader *r = w->reader;
	pthread_mutex_lock(&r->lock);
	bool over = r->ending || r->number != w->number;
	if (!over && w->all > 0)
		r->progress.part = (double)w->done / (double)w->all;
	pthread_mutex_unlock(&r->lock);
	return over;
}

static void complain(struct reading *w, const char *message, uint64_t unreadable)
{
	struct hist_reader *r = w->reader;
	pthread_mutex_lock(&r->lock);
	if (r->number == w->number) {
		if (message != NULL)
			snprintf(r->progress.why, sizeof r->progress.why, "%s", message);
		r->progress.unreadable += unreadable;
	}
	pthread_mutex_unlock(&r->lock);
}

/* Waits for room unless the job is cancelled. Takes the row. */
static void hand_over(struct reading *w, struct hist_row *row, struct gcs_model *model)
{
	struct hist_reader *r = w->reader;
	pthread_mutex_lock(&r->lock);
	while (r->count == QUEUE && !r->ending && r->number == w->number)
		pthread_cond_wait(&r->changed, &r->lock);
	bool over = r->ending || r->number != w->number;
	bool first = r->count == 0;
	if (!over) {
		struct queued *q = &r->queue[(r->first + r->count++) % QUEUE];
		q->row = *row;
		q->model = gcs_model_ref(model);
	}
	pthread_mutex_unlock(&r->lock);
	if (over)
		hist_row_free(row);
	else if (first && r->wake != NULL)
		r->wake(r->context);
	*row = (struct hist_row){0};
}

/* Hands over the row being filled, when it is full or the last one. */
static void settle(struct reading *w)
{
	if (w->row.count == 0)
		return;
	struct hist_row row = *hist_row_at(&w->row, 0);
	w->row.count = 0;
	struct gcs_model *model = w->maker.model != w->told ? w->maker.model : NULL;
	w->told = w->maker.model;
	hand_over(w, &row, model);
	hist_graph_clear(&w->row, w->job.lane, w->job.lanes);
	w->row.stride = w->stride;
}

static void take(struct reading *w, const struct gcs_snapshot *s, uint64_t place, uint32_t stride)
{
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(s);
	struct hist_row row;
	/* Files may overlap, and the newest events are known already. */
	if (o->event == GCS_NONE || (w->any && o->time_ns <= w->last_ns) ||
	    o->time_ns >= w->job.until_ns)
		return;
	if (!hist_make(&w->maker, s, stride, &row)) {
		complain(w, "out of memory", 1);
		return;
	}
	if (w->job.recording)
		row.number = place + 1;
	w->any = true;
	w->last_ns = o->time_ns;
	hist_graph_push(&w->row, &row);
	if (hist_row_at(&w->row, 0)->events >= w->stride)
		settle(w);
}

/* Reads from a place to the end; returns the place after it. */
static uint64_t read_on(struct reading *w, struct gcs_trace *trace, uint64_t place, uint32_t stride)
{
	struct gcs_trace_info info;
	gcs_trace_get_info(trace, &info);
	while (place < info.events && !cancelled(w)) {
		struct gcs_error err = {.text = ""};
		struct gcs_snapshot *s = gcs_trace_at(trace, place, &err);
		uint64_t next = place + 1;
		if (s == NULL) {
			next = gcs_trace_readable(trace, place, 1);
			next = next > info.events ? info.events : next > place ? next : place + 1;
			complain(w, err.text, next - place);
		} else {
			take(w, s, place, stride);
		}
		gcs_snapshot_unref(s);
		w->done += next - place;
		place = next;
	}
	return place;
}

static void wait_a_little(struct reading *w)
{
	struct hist_reader *r = w->reader;
	const uint64_t until = now_ns() + AGAIN_MS * 1000000u;
	pthread_mutex_lock(&r->lock);
	/* Taking rows wakes this thread, too. */
	while (
	    !r->ending && r->number == w->number && thread_cond_until(&r->changed, &r->lock, until))
		continue;
	pthread_mutex_unlock(&r->lock);
}

static struct gcs_trace *open_file(struct reading *w, const struct event_history_file *file)
{
	struct gcs_error err = {.text = ""};
	struct gcs_trace *trace = gcs_trace_open(file->path, &err);
	if (trace == NULL)
		complain(w, err.text, 0);
	return trace;
}

/* True if the file is still being written and does not have the requested events yet. */
static bool expects_more(struct reading *w, uint32_t file)
{
	return file + 1 == w->job.files && w->job.until_ns != UINT64_MAX;
}

static void read_file(struct reading *w, uint32_t number)
{
	const struct event_history_file *file = &w->job.file[number];
	struct gcs_trace *trace = open_file(w, file);
	if (trace == NULL)
		return;
	struct gcs_trace_info info;
	gcs_trace_get_info(trace, &info);
	uint64_t place = w->skip < info.events ? w->skip : info.events;
	w->skip -= place;
	place = read_on(w, trace, place, file->stride);
	for (int i = 0; i < AGAIN && expects_more(w, number) && !info.complete && !cancelled(w);
	     i++) {
		if (info.events > 0 && info.last_time_ns >= w->job.until_ns)
			break;
		wait_a_little(w);
		struct gcs_trace *again = gcs_trace_open(file->path, NULL);
		if (again == NULL)
			break;
		gcs_trace_close(trace);
		trace = again;
		gcs_trace_get_info(trace, &info);
		place = read_on(w, trace, place, file->stride);
	}
	gcs_trace_close(trace);
}

/* The total number of events, so that rows are filled evenly from the start. */
static void count_events(struct reading *w)
{
	for (uint32_t i = 0; i < w->job.files && !cancelled(w); i++) {
		struct gcs_trace *trace = open_file(w, &w->job.file[i]);
		struct gcs_trace_info info = {0};
		if (trace != NULL)
			gcs_trace_get_info(trace, &info);
		gcs_trace_close(trace);
		w->all += info.events;
	}
	w->stride = 1;
	if (w->job.newest)
		w->skip = w->all > w->job.limit ? w->all - w->job.limit : 0;
	else
		w->stride = (w->all + w->job.limit - 1) / w->job.limit;
	w->stride += w->stride == 0;
	w->all -= w->skip;
}

static void work(struct hist_reader *r, uint64_t number)
{
	struct reading w = {.reader = r, .number = number};
	pthread_mutex_lock(&r->lock);
	w.job = r->job;
	pthread_mutex_unlock(&r->lock);
	count_events(&w);
	hist_maker_init(&w.maker, w.job.lane, w.job.lanes, hist_columns(w.job.limit, w.job.lanes));
	if (hist_graph_limit(&w.row, 2, false)) {
		hist_graph_clear(&w.row, w.job.lane, w.job.lanes);
		w.row.stride = w.stride;
		pthread_mutex_lock(&r->lock);
		r->progress.left_out = r->number == number ? w.skip : 0;
		pthread_mutex_unlock(&r->lock);
		for (uint32_t i = 0; i < w.job.files && !cancelled(&w); i++)
			read_file(&w, i);
		settle(&w);
	}
	hist_graph_fini(&w.row);
	hist_maker_fini(&w.maker);
	pthread_mutex_lock(&r->lock);
	if (r->number == number)
		r->progress.running = false;
	pthread_mutex_unlock(&r->lock);
	if (r->wake != NULL)
		r->wake(r->context);
}

static void *run(void *context)
{
	struct hist_reader *r = context;
	pthread_mutex_lock(&r->lock);
	while (!r->ending) {
		if (!r->wanted) {
			pthread_cond_wait(&r->changed, &r->lock);
			continue;
		}
		r->wanted = false;
		uint64_t number = r->number;
		pthread_mutex_unlock(&r->lock);
		work(r, number);
		pthread_mutex_lock(&r->lock);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

struct hist_reader *hist_reader_create(void (*wake)(void *context), void *context)
{
	struct hist_reader *r = calloc(1, sizeof *r);
	if (r == NULL)
		return NULL;
	r->wake = wake;
	r->context = context;
	pthread_mutex_init(&r->lock, NULL);
	thread_cond_init(&r->changed);
	return r;
}

void hist_reader_destroy(struct hist_reader *r)
{
	if (r == NULL)
		return;
	pthread_mutex_lock(&r->lock);
	r->ending = true;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	if (r->threaded)
		pthread_join(r->thread, NULL);
	empty(r);
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

void hist_reader_stop(struct hist_reader *r)
{
	pthread_mutex_lock(&r->lock);
	r->number++;
	r->wanted = false;
	empty(r);
	r->progress = (struct hist_progress){0};
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

bool hist_reader_start(struct hist_reader *r, const struct hist_job *job)
{
	hist_reader_stop(r);
	if (!r->threaded)
		r->threaded = pthread_create(&r->thread, NULL, run, r) == 0;
	if (!r->threaded)
		return false;
	pthread_mutex_lock(&r->lock);
	r->job = *job;
	r->wanted = true;
	r->progress.running = true;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	return true;
}

bool hist_reader_next(struct hist_reader *r, struct hist_row *row, struct gcs_model **model)
{
	pthread_mutex_lock(&r->lock);
	bool any = r->count > 0;
	if (any) {
		*row = r->queue[r->first].row;
		*model = r->queue[r->first].model;
		r->first = (r->first + 1) % QUEUE;
		r->count--;
		pthread_cond_broadcast(&r->changed);
	}
	pthread_mutex_unlock(&r->lock);
	return any;
}

void hist_reader_progress(struct hist_reader *r, struct hist_progress *progress)
{
	pthread_mutex_lock(&r->lock);
	*progress = r->progress;
	progress->running = progress->running || r->count > 0;
	pthread_mutex_unlock(&r->lock);
}
