#include "record_history.h"

#include <fcntl.h>
#include <gcspy/memory.h>
#include <gcspy/trace.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "app.h"
#include "thread.h"

/* Waits for the newest events to be in the files, which their writer flushes every 200 ms. */
enum { PART_TRIES = 40, TRY_US = 50000 };

/* A file of the history, and how far it has been read. */
struct part {
	struct event_history_file file;
	int fd; /* keeps it readable when the history closes it; -1: by its name */
	struct gcs_trace *trace;
	struct gcs_trace_info info;
	uint64_t next; /* event, or profile */
};

struct record_history {
	struct gcs_trace_writer *writer;
	atomic_bool stop;
	struct part events[EVENT_HISTORY_FILES], profiles[EVENT_HISTORY_FILES];
	uint32_t event_parts, profile_parts, profile_part;
	struct gcs_snapshot *recent[EVENT_HISTORY_RECENT];
	uint32_t recent_count;
	uint64_t newest_ns; /* of the last event written */
	uint64_t written;
};

static uint64_t event_ns(const struct gcs_snapshot *s)
{
	return gcs_snapshot_occurrence(s)->time_ns;
}

static uint32_t hold_files(
    struct part *parts, const struct event_history_file *files, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct part *p = &parts[i];
		p->file = files[i];
		p->fd = open(files[i].path, O_RDONLY | O_CLOEXEC);
		if (p->fd != -1)
			snprintf(p->file.path, sizeof p->file.path, "/proc/self/fd/%d", p->fd);
		if (p->fd != -1 && access(p->file.path, R_OK) != 0)
			p->file = files[i];
	}
	return count;
}

struct record_history *record_history_create(
    const struct app *app, const char *path, struct gcs_error *err)
{
	const struct event_history *p = &app->event_history;
	struct event_history_file files[EVENT_HISTORY_FILES];
	const struct gcs_trace_options options = {.path = path, .number = true};
	struct record_history *h = calloc(1, sizeof *h);
	if (h == NULL) {
		gcs_fail(err, GCS_NOMEM, "out of memory");
		return NULL;
	}
	h->writer = gcs_trace_create(&options, err);
	if (h->writer == NULL) {
		free(h);
		return NULL;
	}
	atomic_init(&h->stop, false);
	if (p->history != NULL) {
		h->event_parts = hold_files(
		    h->events, files, event_history_files(app, files, EVENT_HISTORY_FILES));
		h->profile_parts = hold_files(h->profiles, files,
		    event_history_profile_files(app, files, EVENT_HISTORY_FILES));
	}
	for (; h->recent_count < p->recent_count; h->recent_count++)
		h->recent[h->recent_count] = gcs_snapshot_ref(
		    p->recent[(p->recent_first + h->recent_count) % EVENT_HISTORY_RECENT]);
	return h;
}

const char *record_history_path(const struct record_history *history)
{
	return gcs_trace_writer_path(history->writer);
}

void record_history_stop(struct record_history *history)
{
	if (history != NULL)
		atomic_store(&history->stop, true);
}

/* Opens a file, again and again until it has what was put into it. */
static bool open_part(struct record_history *h, struct part *p, uint64_t profiles)
{
	for (int i = 0; p->trace == NULL && i < PART_TRIES && !atomic_load(&h->stop); i++) {
		p->trace = gcs_trace_open(p->file.path, NULL);
		if (p->trace != NULL)
			gcs_trace_get_info(p->trace, &p->info);
		const bool whole = p->trace != NULL && p->info.profiles >= profiles &&
				   p->info.last_time_ns >= p->file.to_ns;
		if (whole || i + 1 == PART_TRIES)
			break;
		gcs_trace_close(p->trace);
		p->trace = NULL;
		thread_sleep_us(TRY_US);
	}
	return p->trace != NULL;
}

static void close_part(struct part *p)
{
	gcs_trace_close(p->trace);
	p->trace = NULL;
	if (p->fd > 0)
		close(p->fd);
	p->fd = 0;
}

static enum gcs_status write_profile(
    struct record_history *h, struct gcs_trace *from, uint64_t number, struct gcs_error *err)
{
	void *bytes = NULL;
	size_t length = 0;
	struct gcs_profile *profile = gcs_trace_profile(from, number, NULL);
	enum gcs_status status = GCS_OK; /* a damaged one is left out */
	if (profile != NULL && gcs_profile_encode(profile, &bytes, &length, NULL) == GCS_OK)
		status = gcs_trace_write_profile(h->writer, bytes, length, err);
	gcs_free(bytes);
	gcs_profile_free(profile);
	return status;
}

/* The profiles that were taken before the time. */
static enum gcs_status write_profiles(
    struct record_history *h, uint64_t until_ns, struct gcs_error *err)
{
	enum gcs_status status = GCS_OK;
	while (status == GCS_OK && h->profile_part < h->profile_parts && !atomic_load(&h->stop)) {
		struct part *p = &h->profiles[h->profile_part];
		struct gcs_trace_profile_info info;
		if ((p->trace != NULL || open_part(h, p, p->file.profiles)) &&
		    gcs_trace_profile_info(p->trace, p->next, &info) &&
		    info.time_ns <= p->file.to_ns) {
			if (info.time_ns >= until_ns)
				break;
			status = write_profile(h, p->trace, p->next++, err);
		} else {
			close_part(p);
			h->profile_part++;
		}
	}
	return status;
}

static enum gcs_status write_event(
    struct record_history *h, const struct gcs_snapshot *s, struct gcs_error *err)
{
	const uint64_t time_ns = event_ns(s);
	if (h->written > 0 && time_ns <= h->newest_ns)
		return GCS_OK;
	enum gcs_status status = h->written > 0 ? write_profiles(h, time_ns, err) : GCS_OK;
	if (status == GCS_OK)
		status = gcs_trace_write(h->writer, s, err);
	h->newest_ns = time_ns;
	h->written += status == GCS_OK;
	return status;
}

static enum gcs_status write_part(struct record_history *h, struct part *p, struct gcs_error *err)
{
	enum gcs_status status = GCS_OK;
	if (!open_part(h, p, 0))
		return GCS_OK;
	for (; status == GCS_OK && p->next < p->info.events && !atomic_load(&h->stop); p->next++) {
		struct gcs_snapshot *s = gcs_trace_at(p->trace, p->next, NULL);
		const bool of_it = s != NULL && event_ns(s) <= p->file.to_ns;
		if (of_it)
			status = write_event(h, s, err);
		gcs_snapshot_unref(s);
	}
	close_part(p);
	return status;
}

enum gcs_status record_history_write(
    struct record_history *h, uint64_t *events, struct gcs_error *err)
{
	struct gcs_trace_writer *writer = h->writer;
	enum gcs_status status = GCS_OK;
	for (uint32_t i = 0; status == GCS_OK && i < h->event_parts; i++)
		status = write_part(h, &h->events[i], err);
	for (uint32_t i = 0; status == GCS_OK && i < h->recent_count; i++)
		status = write_event(h, h->recent[i], err);
	if (status == GCS_OK)
		status = write_profiles(h, UINT64_MAX, err);
	h->writer = NULL;
	*events = h->written;
	const enum gcs_status finished = gcs_trace_finish(writer, status == GCS_OK ? err : NULL);
	return status == GCS_OK ? finished : status;
}

void record_history_free(struct record_history *h)
{
	if (h == NULL)
		return;
	for (uint32_t i = 0; i < EVENT_HISTORY_FILES; i++) {
		close_part(&h->events[i]);
		close_part(&h->profiles[i]);
	}
	for (uint32_t i = 0; i < h->recent_count; i++)
		gcs_snapshot_unref(h->recent[i]);
	gcs_trace_finish(h->writer, NULL);
	free(h);
}
