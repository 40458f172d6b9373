/* What is recorded, until the recorder's thread writes it. */
#include "recorder_internal.h"

#include <string.h>

#include <gcspy/memory.h>

#include "reserved.h"
#include "snapshot_internal.h"

/* The queue; lock held. */

struct item recorder_take_first(struct gcs_recorder *r)
{
	struct item item = r->queue[r->first];
	item.missed += r->stats.dropped; /* all were before it */
	r->first = (r->first + 1) % r->queue_limit;
	r->count--;
	r->bytes -= item.cost;
	return item;
}

void recorder_free_item(const struct item *item)
{
	gcs_snapshot_unref(item->snapshot);
	gcs_free(item->bytes);
	gcs_free(item->answer);
}

static bool queue_is_full(const struct gcs_recorder *r, size_t cost)
{
	return r->count == r->queue_limit ||
	       (r->count != 0 && r->bytes + cost > r->queue_bytes_limit);
}

static void append_item(struct gcs_recorder *r, const struct item *item)
{
	struct item *last = &r->queue[(r->first + r->count) % r->queue_limit];
	*last = *item;
	last->missed = r->missed;
	r->count++;
	r->bytes += item->cost;
	pthread_cond_signal(&r->wake);
}

static void drop_first(struct gcs_recorder *r)
{
	const struct item item = recorder_take_first(r);
	if (item.snapshot != NULL) {
		r->stats.dropped++;
	} else {
		r->stats.dropped_profiles++;
	}
	recorder_free_item(&item);
}

void recorder_forget_all(struct gcs_recorder *r)
{
	while (r->count != 0) {
		const struct item item = recorder_take_first(r);
		recorder_free_item(&item);
	}
}

/* Putting in. */

bool gcs_recorder_put(struct gcs_recorder *r, const struct gcs_snapshot *snapshot)
{
	pthread_mutex_lock(&r->lock);
	const bool open = !recorder_ended(r);
	if (open) {
		struct item item = {.cost = snapshot_queue_cost(snapshot, r->last_serial)};
		while (queue_is_full(r, item.cost))
			drop_first(r);
		item.snapshot = gcs_snapshot_ref(snapshot);
		r->last_serial = snapshot->serial;
		append_item(r, &item);
	}
	pthread_mutex_unlock(&r->lock);
	return open;
}

bool gcs_recorder_put_profile(struct gcs_recorder *r, const void *bytes, size_t length)
{
	struct item item = {.length = length, .cost = length};
	if (!trace_is_profile(bytes, length))
		return false;
	item.bytes = gcs_alloc(length);
	if (item.bytes != NULL)
		memcpy(item.bytes, bytes, length);
	pthread_mutex_lock(&r->lock);
	/* A profile does not displace events: there will be another one. */
	const bool taken = item.bytes != NULL && !recorder_ended(r) && !queue_is_full(r, length);
	if (taken)
		append_item(r, &item);
	else
		r->stats.dropped_profiles++;
	pthread_mutex_unlock(&r->lock);
	if (!taken)
		gcs_free(item.bytes);
	return taken;
}

bool gcs_recorder_put_answer(struct gcs_recorder *r, const struct gcs_trace_answer *answer)
{
	if (RESERVED_CHECK("an answer", answer, NULL) != GCS_OK || !trace_is_answer(answer))
		return false;
	const char *message = answer->message == NULL ? "" : answer->message;
	const struct trace_answer_head head = {
	    answer->plugin, message, strlen(answer->plugin), strlen(message), answer->wall_ns};
	const struct item item = {.answer = trace_copy_answer(&head, answer->bytes, answer->length),
	    .cost = answer->length};
	pthread_mutex_lock(&r->lock);
	const bool taken =
	    item.answer != NULL && !recorder_ended(r) && !queue_is_full(r, item.cost);
	if (taken)
		append_item(r, &item);
	else
		r->stats.dropped_profiles++;
	pthread_mutex_unlock(&r->lock);
	if (!taken)
		gcs_free(item.answer);
	return taken;
}

void gcs_recorder_miss(struct gcs_recorder *r, uint64_t count)
{
	pthread_mutex_lock(&r->lock);
	r->missed += count;
	pthread_mutex_unlock(&r->lock);
}
