/* Reading for event_history_store.h, on its thread. */
#include "event_history_store_files.h"

#include "trace_thread.h"

void event_history_store_close_files(struct event_history_store *h)
{
	for (int i = 0; i < HISTORY_OPEN; i++) {
		gcs_trace_close(h->reading[i].trace);
		h->reading[i] = (struct reading){0};
	}
}

static struct reading *place_for(struct event_history_store *h, uint64_t number)
{
	struct reading *oldest = &h->reading[0];
	for (int i = 0; i < HISTORY_OPEN; i++) {
		struct reading *r = &h->reading[i];
		if (r->number == number)
			return r;
		if (r->used < oldest->used)
			oldest = r;
	}
	return oldest;
}

/* The file, reopened if it ends before the time and may have grown. NULL: not readable yet, or
 * gone. */
static struct reading *open_spool(
    struct event_history_store *h, const struct spool *s, uint64_t time_ns)
{
	if (s->number == 0 || s->from_ns == 0)
		return NULL;
	struct reading *r = place_for(h, s->number);
	const bool same = r->number == s->number && r->trace != NULL;
	const bool more = same && !r->info.complete &&
			  (r->info.last_time_ns < time_ns ||
			      (r->info.last_time_ns == time_ns && r->info.profiles < s->profiles));
	if (!same || more) {
		gcs_trace_close(r->trace);
		*r = (struct reading){.number = s->number};
		r->trace = gcs_trace_open(s->path, NULL);
		if (r->trace != NULL)
			gcs_trace_get_info(r->trace, &r->info);
	}
	r->used = ++h->reads;
	return r->trace != NULL ? r : NULL;
}

static uint64_t taken_at(const struct gcs_snapshot *s)
{
	return gcs_snapshot_occurrence(s)->time_ns;
}

/* True if the file does not reach the time yet although the events were put. */
static bool is_partial(const struct spool *s, const struct reading *r, uint64_t time_ns)
{
	const uint64_t last = r != NULL ? r->info.last_time_ns : 0;
	return s->from_ns != 0 && s->from_ns <= time_ns && last < time_ns && last < s->to_ns;
}

/* True if all events of the file are on the other side of the time. */
static bool is_beside(const struct spool *s, uint64_t time_ns, enum event_history_store_way way)
{
	return way == EVENT_HISTORY_STORE_FORWARD ? s->to_ns < time_ns : s->from_ns > time_ns;
}

/* The requested event in one file, or NULL. */
static struct gcs_snapshot *find_in(struct event_history_store *h, const struct spool *s,
    uint64_t time_ns, enum event_history_store_way way, bool *partial)
{
	if (is_beside(s, time_ns, way))
		return NULL; /* without reading it */
	struct reading *r = open_spool(h, s, time_ns);
	*partial = *partial || is_partial(s, r, time_ns);
	if (r == NULL)
		return NULL;
	uint64_t place = gcs_trace_find(r->trace, time_ns);
	struct gcs_snapshot *found = gcs_trace_at(r->trace, place, NULL);
	if (found == NULL)
		return NULL;
	if (way == EVENT_HISTORY_STORE_FORWARD && taken_at(found) < time_ns) {
		gcs_snapshot_unref(found);
		return place + 1 < r->info.events ? gcs_trace_at(r->trace, place + 1, NULL) : NULL;
	}
	if (way == EVENT_HISTORY_STORE_BACK && taken_at(found) > time_ns) {
		gcs_snapshot_unref(found);
		return NULL;
	}
	return found;
}

static struct gcs_snapshot *find_in_ring(struct event_history_store *h, const struct ring *ring,
    uint64_t time_ns, enum event_history_store_way way, bool *partial)
{
	const struct spool *first = way == EVENT_HISTORY_STORE_BACK ? &ring->now : &ring->before;
	const struct spool *second = way == EVENT_HISTORY_STORE_BACK ? &ring->before : &ring->now;
	struct gcs_snapshot *s = find_in(h, first, time_ns, way, partial);
	return s != NULL ? s : find_in(h, second, time_ns, way, partial);
}

static uint64_t begin_of(const struct ring *ring)
{
	const uint64_t from = ring->before.from_ns != 0 ? ring->before.from_ns : ring->now.from_ns;
	return from != 0 ? from : UINT64_MAX;
}

struct gcs_snapshot *event_history_store_read(struct event_history_store *h,
    const struct ring *rings, uint64_t time_ns, enum event_history_store_way way, bool *partial)
{
	struct gcs_snapshot *s = NULL;
	uint64_t first = UINT64_MAX;
	/* From the ring with the most events that reaches back to the time. */
	for (int i = 0; i < EVENT_HISTORY_STORE_TIERS && s == NULL; i++) {
		const uint64_t begin = begin_of(&rings[i]);
		first = begin < first ? begin : first;
		if (begin <= time_ns)
			s = find_in_ring(h, &rings[i], time_ns, way, partial);
	}
	for (int i = EVENT_HISTORY_STORE_TIERS - 1; i >= 0 && s == NULL && time_ns < first; i--)
		s = find_in_ring(h, &rings[i], first, EVENT_HISTORY_STORE_FORWARD, partial);
	return s;
}

/* The same for profiles, which follow their event. */
static bool lacks_profiles(const struct spool *s, const struct reading *r, uint64_t time_ns)
{
	if (s->from_ns == 0 || s->from_ns > time_ns)
		return false;
	return r == NULL || (r->info.last_time_ns <= time_ns && r->info.profiles < s->profiles);
}

static struct gcs_profile *profile_in(struct event_history_store *h, const struct spool *s,
    const struct event_history_store_question *q, bool *partial, struct gcs_error *err)
{
	struct reading *r = open_spool(h, s, q->time_ns);
	*partial = *partial || lacks_profiles(s, r, q->time_ns);
	if (r == NULL || r->info.first_time_ns > q->time_ns)
		return NULL;
	const uint64_t place = gcs_trace_find(r->trace, q->time_ns);
	const uint64_t number = gcs_trace_profile_before(r->trace, q->kind, place);
	return number != UINT64_MAX ? gcs_trace_profile(r->trace, number, err) : NULL;
}

struct gcs_answer *event_history_store_read_profile(struct event_history_store *h,
    const struct ring *rings, const struct event_history_store_question *q, bool *partial)
{
	struct gcs_error err = {.status = GCS_UNSUPPORTED,
	    .text = "no profile of this kind was saved before this time"};
	void *bytes = NULL;
	size_t length = 0;
	struct gcs_profile *profile = NULL;
	for (int i = HISTORY_PROFILES; profile == NULL && i < HISTORY_RINGS; i++) {
		profile = profile_in(h, &rings[i].now, q, partial, &err);
		if (profile == NULL)
			profile = profile_in(h, &rings[i].before, q, partial, &err);
	}
	if (profile != NULL)
		gcs_profile_encode(profile, &bytes, &length, &err);
	gcs_profile_free(profile);
	return trace_thread_make_answer(q->id, bytes != NULL ? GCS_OK : err.status,
	    bytes != NULL ? "" : err.text, bytes, length);
}
