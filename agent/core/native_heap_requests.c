/* What clients of this server ask the other one. */
#include "native_heap_internal.h"

#include <stdio.h>
#include <string.h>

#include <gcspy/profile.h>

enum { ANSWER_MS = 10000, TURN_MS = 100 };

/* False, and nothing is queued, if too many wait. */
static bool enqueue(struct native_heap *n, const struct native_request *r)
{
	pthread_mutex_lock(&n->lock);
	const bool room = n->count < NATIVE_REQUESTS && !n->ending;
	if (room)
		n->requests[(n->first + n->count++) % NATIVE_REQUESTS] = *r;
	pthread_cond_signal(&n->wake);
	pthread_mutex_unlock(&n->lock);
	return room;
}

void native_reject(struct native_heap *n, const struct native_request *r, const char *why)
{
	if (r->kind != NATIVE_UNZOOM)
		gcs_server_answer(n->server, r->ticket, GCS_STATE, why, NULL, 0);
}

bool native_heap_query(struct native_heap *n, const struct gcs_query *query)
{
	const char *where = gcs_query_value(query, "where"), *kind = gcs_query_value(query, "kind");
	const char *size = gcs_query_value(query, "min-size");
	struct native_request r = {.kind = NATIVE_SITES, .ticket = query->ticket};
	if (n == NULL || strcmp(query->topic, "sites") != 0 || where == NULL ||
	    strcmp(where, "native") != 0)
		return false;
	snprintf(r.profile, sizeof r.profile, "%s", kind == NULL ? "" : kind);
	snprintf(r.min_size, sizeof r.min_size, "%s", size == NULL ? "" : size);
	if (!enqueue(n, &r))
		native_reject(n, &r, "too many queries wait");
	return true;
}

bool native_heap_zoom(struct native_heap *n, const struct gcs_zoom *zoom)
{
	struct native_request r = {.kind = NATIVE_ZOOM,
	    .ticket = zoom->ticket,
	    .source = GCS_NONE,
	    .start = zoom->start,
	    .end = zoom->end,
	    .block_bytes = zoom->block_bytes};
	if (n == NULL)
		return false;
	pthread_mutex_lock(&n->lock);
	for (uint32_t i = 0; i < n->space_count; i++)
		if (n->spaces[i].source != GCS_NONE && n->spaces[i].space == zoom->space)
			r.source = n->spaces[i].source;
	pthread_mutex_unlock(&n->lock);
	if (r.source == GCS_NONE)
		return false;
	if (!enqueue(n, &r))
		native_reject(n, &r, "too many queries wait");
	return true;
}

bool native_heap_unzoom(struct native_heap *n, uint32_t space)
{
	struct native_request r = {.kind = NATIVE_UNZOOM, .source = GCS_NONE};
	if (n == NULL)
		return false;
	struct native_space *place = NULL;
	pthread_mutex_lock(&n->lock);
	for (uint32_t i = 0; i < n->space_count; i++)
		if (n->spaces[i].zoom && n->spaces[i].source != GCS_NONE &&
		    n->spaces[i].space == space)
			place = &n->spaces[i];
	r.source = place == NULL ? GCS_NONE : place->source;
	pthread_mutex_unlock(&n->lock);
	if (place == NULL)
		return false;
	(void)gcs_server_remove_space(n->server, space, NULL);
	pthread_mutex_lock(&n->lock);
	place->source = GCS_NONE; /* from now on it may be used again */
	pthread_mutex_unlock(&n->lock);
	(void)enqueue(n, &r); /* else it goes with the connection */
	return true;
}

/* The answer, or NULL if there is none in time. */
static struct gcs_answer *wait_for(struct native_heap *n, uint32_t id)
{
	struct gcs_answer *answer = NULL;
	bool ending = false;
	for (int ms = 0; ms < ANSWER_MS && !ending && answer == NULL; ms += TURN_MS) {
		answer = gcs_client_answer(n->client, id, TURN_MS);
		pthread_mutex_lock(&n->lock);
		ending = n->ending;
		pthread_mutex_unlock(&n->lock);
	}
	return answer;
}

static void ask_sites(struct native_heap *n, const struct native_request *r)
{
	struct gcs_info parameters[NATIVE_PARAMETERS];
	uint32_t count = 0, id;
	if (r->profile[0] != '\0')
		parameters[count++] = (struct gcs_info){.key = "kind", .value = r->profile};
	if (r->min_size[0] != '\0')
		parameters[count++] = (struct gcs_info){.key = "min-size", .value = r->min_size};
	struct gcs_answer *a =
	    gcs_client_query(n->client, "sites", count, parameters, &id) == GCS_OK ? wait_for(n, id)
										   : NULL;
	if (a == NULL)
		native_reject(n, r, "the server of the native heap does not answer");
	else
		gcs_server_answer(n->server, r->ticket, a->status, a->message, a->bytes, a->length);
	gcs_answer_free(a);
}

static void release(struct native_heap *n, uint32_t source)
{
	uint32_t id;
	if (gcs_client_unzoom(n->client, source, &id) == GCS_OK)
		gcs_answer_free(wait_for(n, id));
}

static void zoom(struct native_heap *n, const struct native_request *r)
{
	uint32_t id;
	struct gcs_answer *a =
	    gcs_client_zoom(n->client, r->source, r->start, r->end, r->block_bytes, &id) == GCS_OK
		? wait_for(n, id)
		: NULL;
	const uint32_t source = a == NULL ? GCS_NONE : gcs_answer_space(a);
	const uint32_t space = source == GCS_NONE ? GCS_NONE : native_add_zoom(n, source);
	if (a != NULL && a->status != GCS_OK)
		gcs_server_answer(n->server, r->ticket, a->status, a->message, NULL, 0);
	else if (space == GCS_NONE)
		native_reject(n, r, "the native heap cannot be zoomed into at present");
	else if (!gcs_server_zoomed(n->server, r->ticket, space))
		(void)native_heap_unzoom(n, space);
	gcs_answer_free(a);
}

void native_serve(struct native_heap *n, const struct native_request *r)
{
	if (n->client == NULL || gcs_client_state(n->client) != GCS_CLIENT_LIVE)
		native_reject(n, r, "the server of the native heap has ended, or does not answer");
	else if (r->kind == NATIVE_SITES)
		ask_sites(n, r);
	else if (r->kind == NATIVE_ZOOM)
		zoom(n, r);
	else
		release(n, r->source);
}
