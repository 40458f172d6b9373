/*
 * A recorder (F21) has the highest slot, like a client without a connection. It gets every event and
 * all spaces, and never holds the program. A flight ring shares the slot.
 */

#include "reserved.h"
#include "server_internal.h"
#include "server_ring.h"
#include "trace_format.h"

enum { RECORD_SLOT = GCS_MAX_CLIENTS - 1 };

static const uint32_t record_bit = (uint32_t)1 << RECORD_SLOT;

uint32_t server_record_audience(const struct gcs_server *s)
{
	return s->recording ? record_bit : 0;
}

uint32_t server_slots(const struct gcs_server *s)
{
	return s->recording ? RECORD_SLOT : GCS_MAX_CLIENTS;
}

enum gcs_status gcs_server_record(
    struct gcs_server *s, struct gcs_recorder *recorder, struct gcs_error *err)
{
	if (s->running)
		return gcs_fail(err, GCS_STATE, "cannot record: the server has started");
	if (s->recorder != NULL)
		return gcs_fail(err, GCS_STATE, "the server has a recorder already");
	if (GIVEN("a recorder", recorder, err) != GCS_OK)
		return GCS_ARGUMENT;
	s->recorder = recorder;
	return GCS_OK;
}

static void want(struct gcs_server *s, bool all)
{
	for (uint32_t i = 0; i < GCS_MAX_EVENTS; i++)
		if (all)
			atomic_fetch_or(&s->wanted[i], record_bit);
		else
			atomic_fetch_and(&s->wanted[i], ~record_bit);
}

void server_record_begin(struct gcs_server *s)
{
	const struct gcs_ticket ticket = {.event = GCS_NONE, .audience = record_bit};
	if (s->recorder == NULL && s->ring == NULL)
		return;
	pthread_mutex_lock(&s->lock);
	s->recording = true;
	atomic_store(&s->record_over, false);
	pthread_mutex_unlock(&s->lock);
	atomic_fetch_add(&s->attached, 1);
	atomic_fetch_or(&s->everybody, record_bit);
	if (s->options.attached != NULL)
		s->options.attached(s->options.context, true);
	want(s, true);
	if (s->options.state_request != NULL)
		s->options.state_request(s->options.context, &ticket);
}

void server_record_end(struct gcs_server *s)
{
	if (!s->recording)
		return;
	want(s, false);
	atomic_fetch_and(&s->everybody, ~record_bit);
	pthread_mutex_lock(&s->lock);
	s->recording = false;
	const bool last = atomic_fetch_sub(&s->attached, 1) == 1;
	const bool forget = last && !atomic_load(&s->relays);
	const struct gcs_snapshot *latest = forget ? s->latest : NULL;
	if (forget)
		s->latest = NULL;
	pthread_mutex_unlock(&s->lock);
	gcs_snapshot_unref(latest);
	if (last && s->options.attached != NULL)
		s->options.attached(s->options.context, false);
}

/* A recorder with a callback of its own reports by itself. */
static void report(struct gcs_server *s, const struct gcs_error *err, bool by_itself)
{
	if (err->status != GCS_OK && !by_itself && !s->record_reported)
		server_log(s, "%s", err->text);
	s->record_reported = err->status != GCS_OK;
}

void server_record_check(struct gcs_server *s)
{
	struct gcs_recorder_stats stats;
	if (!atomic_load_explicit(&s->record_over, memory_order_relaxed) || !s->recording)
		return;
	server_record_end(s);
	if (s->recorder == NULL)
		return;
	gcs_recorder_get_stats(s->recorder, &stats);
	report(s, &stats.error, recorder_reports(s->recorder));
}

void server_record_finish(struct gcs_server *s)
{
	server_record_end(s);
	pthread_mutex_lock(&s->lock);
	struct gcs_recorder *recorder = s->recorder;
	s->recorder = NULL;
	pthread_mutex_unlock(&s->lock);
	struct gcs_error err = {.status = GCS_OK};
	const bool by_itself = recorder != NULL && recorder_reports(recorder);
	gcs_recorder_finish(recorder, &err);
	report(s, &err, by_itself);
	server_ring_finish(s);
}

void server_record_put(struct gcs_server *s, uint32_t audience, const struct gcs_snapshot *snapshot)
{
	if (!s->recording || (audience & record_bit) == 0)
		return;
	server_ring_put(s, snapshot);
	const bool open = s->recorder != NULL && gcs_recorder_put(s->recorder, snapshot);
	if (!open && s->ring == NULL)
		atomic_store(&s->record_over, true);
}

void server_record_miss(struct gcs_server *s, uint32_t audience)
{
	if (!s->recording || (audience & record_bit) == 0)
		return;
	server_ring_miss(s);
	if (s->recorder != NULL)
		gcs_recorder_miss(s->recorder, 1);
}

bool gcs_server_record_profile(struct gcs_server *s, const void *bytes, size_t length)
{
	pthread_mutex_lock(&s->lock);
	bool taken = s->recording && s->recorder != NULL &&
		     gcs_recorder_put_profile(s->recorder, bytes, length);
	taken = (s->recording && server_ring_put_profile(s, bytes, length)) || taken;
	pthread_mutex_unlock(&s->lock);
	return taken;
}

bool gcs_server_record_answer(struct gcs_server *s, const struct gcs_trace_answer *answer)
{
	pthread_mutex_lock(&s->lock);
	bool taken =
	    s->recording && s->recorder != NULL && gcs_recorder_put_answer(s->recorder, answer);
	taken = (s->recording && server_ring_put_answer(s, answer)) || taken;
	pthread_mutex_unlock(&s->lock);
	return taken;
}
