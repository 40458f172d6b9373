/* Queries of a client: sends QUERY, ZOOM and SET, receives ANSWER. */

#include "client_internal.h"

#include <string.h>

#include <gcspy/memory.h>

#include "now.h"
#include "thread.h"

/* With the lock held. */
static struct question *find_question(struct gcs_client *c, uint32_t id)
{
	for (uint32_t i = 0; id != 0 && i < QUESTIONS; i++)
		if (c->questions[i].id == id)
			return &c->questions[i];
	return NULL;
}

static void forget_question(struct question *q)
{
	gcs_free(q->message);
	wr_fini(&q->bytes);
	*q = (struct question){0};
}

void client_forget_questions(struct gcs_client *c)
{
	for (uint32_t i = 0; i < QUESTIONS; i++)
		forget_question(&c->questions[i]);
}

/* Completes a query without an answer. */
static void fail_question(struct question *q, enum gcs_status status)
{
	uint32_t id = q->id;
	forget_question(q);
	*q = (struct question){.id = id, .complete = true, .status = status};
}

/* Bytes of all answers held here. Lock held. */
static size_t held_bytes(const struct gcs_client *c)
{
	size_t bytes = 0;
	for (uint32_t i = 0; i < QUESTIONS; i++)
		bytes += c->questions[i].bytes.length;
	return bytes;
}

/* Appends a part to its answer; OK, or what is wrong. Memory grows with the received bytes, not with the
 * announced size. Lock held. */
static enum gcs_status add_part(
    struct gcs_client *c, struct question *q, const struct answer_message *part)
{
	if (!q->begun)
		q->total = part->total;
	q->begun = true;
	size_t length = q->bytes.length + part->length;
	if (part->total != q->total || length > q->total || (part->last && length != q->total))
		return GCS_MALFORMED;
	if (held_bytes(c) + part->length > GCS_MAX_ANSWER)
		return GCS_LIMIT;
	q->status = part->status;
	if (q->message == NULL && part->message[0] != '\0')
		q->message = gcs_strdup(part->message);
	wr_bytes(&q->bytes, part->bytes, part->length);
	q->complete = part->last;
	return q->bytes.status;
}

void client_on_answer(void *context, const struct answer_message *part)
{
	struct gcs_client *c = context;
	pthread_mutex_lock(&c->lock);
	struct question *q = find_question(c, part->id);
	bool complete = false;
	if (q != NULL && !q->complete) {
		enum gcs_status status = add_part(c, q, part);
		if (status != GCS_OK)
			fail_question(q, status);
		complete = q->complete;
	}
	if (complete)
		pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	if (complete)
		client_tell(c);
}

/* The first minor versions of the protocol that have QUERY, SET and ANSWER, and ZOOM. */
enum { MINOR_WITH_QUERIES = 1, MINOR_WITH_ZOOM = 2 };

/* A free place, or that of the oldest answer not taken; NULL if too many queries are unanswered. Lock
 * held. */
static struct question *new_question(struct gcs_client *c)
{
	struct question *free = NULL, *oldest = NULL;
	uint32_t waiting = 0;
	for (uint32_t i = 0; i < QUESTIONS; i++) {
		struct question *q = &c->questions[i];
		if (q->id == 0)
			free = q;
		else if (!q->complete)
			waiting++;
		else if (oldest == NULL || q->id < oldest->id)
			oldest = q;
	}
	if (waiting >= GCS_MAX_QUERIES)
		return NULL;
	if (free == NULL) {
		forget_question(oldest);
		free = oldest;
	}
	if (++c->last_id == 0)
		c->last_id = 1;
	free->id = c->last_id;
	wr_init(&free->bytes, GCS_MAX_ANSWER);
	return free;
}

enum gcs_status client_ask(struct gcs_client *c, unsigned minor, uint32_t *id)
{
	if (!client_begin(c))
		return GCS_STATE;
	enum gcs_status status = GCS_OK;
	struct question *q = NULL;
	if (c->minor < minor)
		status = GCS_UNSUPPORTED;
	else if ((q = new_question(c)) == NULL)
		status = GCS_LIMIT;
	if (status == GCS_OK)
		*id = q->id;
	else
		pthread_mutex_unlock(&c->lock);
	return status;
}

static bool fits(const char *text, size_t least, size_t most)
{
	size_t length = text == NULL ? SIZE_MAX : strlen(text);
	return least <= length && length <= most;
}

enum gcs_status gcs_client_query(struct gcs_client *c, const char *topic, uint32_t count,
    const struct gcs_info *parameters, uint32_t *id)
{
	size_t bytes = 64 + GCS_MAX_NAME;
	bool good = fits(topic, 1, GCS_MAX_NAME) && count <= GCS_MAX_PARAMETERS &&
		    (count == 0 || parameters != NULL);
	for (uint32_t i = 0; good && i < count; i++) {
		good = fits(parameters[i].key, 1, GCS_MAX_NAME) &&
		       fits(parameters[i].value, 0, GCS_MAX_TEXT);
		if (good)
			bytes += strlen(parameters[i].key) + strlen(parameters[i].value) + 8;
	}
	if (!good || bytes > GCS_WIRE_MAX_TO_SERVER)
		return GCS_ARGUMENT;
	enum gcs_status status = client_ask(c, MINOR_WITH_QUERIES, id);
	if (status != GCS_OK)
		return status;
	put_query(
	    &c->out, &(struct query_message){
			 .id = *id, .topic = topic, .count = count, .parameters = parameters});
	return client_end(c);
}

enum gcs_status gcs_client_set(
    struct gcs_client *c, const char *key, const char *value, uint32_t *id)
{
	if (!fits(key, 1, GCS_MAX_NAME) || !fits(value, 0, GCS_MAX_TEXT))
		return GCS_ARGUMENT;
	enum gcs_status status = client_ask(c, MINOR_WITH_QUERIES, id);
	if (status != GCS_OK)
		return status;
	put_set(&c->out, &(struct set_message){.id = *id, .key = key, .value = value});
	return client_end(c);
}

static enum gcs_status send_zoom(
    struct gcs_client *c, const struct zoom_message *zoom, uint32_t *id)
{
	enum gcs_status status = client_ask(c, MINOR_WITH_ZOOM, id);
	if (status != GCS_OK)
		return status;
	struct zoom_message message = *zoom;
	message.id = *id;
	put_zoom(&c->out, &message);
	return client_end(c);
}

enum gcs_status gcs_client_zoom(struct gcs_client *c, uint32_t space, uint64_t start, uint64_t end,
    uint64_t block_bytes, uint32_t *id)
{
	if (space >= GCS_MAX_SPACES || block_bytes == 0)
		return GCS_ARGUMENT;
	return send_zoom(c,
	    &(struct zoom_message){
		.space = space, .start = start, .end = end, .block = block_bytes},
	    id);
}

enum gcs_status gcs_client_unzoom(struct gcs_client *c, uint32_t space, uint32_t *id)
{
	if (space >= GCS_MAX_SPACES)
		return GCS_ARGUMENT;
	return send_zoom(c, &(struct zoom_message){.space = space}, id);
}

uint32_t gcs_answer_space(const struct gcs_answer *answer)
{
	struct rd r = rd_over(answer->bytes, answer->length);
	if (answer->status != GCS_OK)
		return GCS_NONE;
	uint32_t space = rd_count(&r, GCS_MAX_SPACES - 1);
	return r.status == GCS_OK ? space : GCS_NONE;
}

/* Makes the answer of a query and frees its place; NULL without memory, and the query stays. */
static struct gcs_answer *take_answer(struct question *q)
{
	size_t words = q->message == NULL ? 0 : strlen(q->message);
	struct gcs_answer *answer = gcs_alloc(sizeof *answer + words + 1);
	if (answer == NULL)
		return NULL;
	char *copy = (char *)(answer + 1);
	memcpy(copy, q->message == NULL ? "" : q->message, words + 1);
	*answer = (struct gcs_answer){
	    .id = q->id,
	    .status = q->status,
	    .message = copy,
	    .length = q->bytes.length,
	    .bytes = q->bytes.data,
	};
	q->bytes.data = NULL;
	forget_question(q);
	return answer;
}

struct gcs_answer *gcs_client_answer(struct gcs_client *c, uint32_t id, uint32_t timeout_ms)
{
	uint64_t deadline = now_ns() + (uint64_t)timeout_ms * 1000000u;
	struct gcs_answer *answer = NULL;
	struct question *q;
	pthread_mutex_lock(&c->lock);
	while ((q = find_question(c, id)) != NULL && !q->complete && c->state != GCS_CLIENT_LOST &&
	       timeout_ms != 0 && thread_cond_until(&c->changed, &c->lock, deadline))
		continue;
	if (q != NULL && !q->complete && c->state == GCS_CLIENT_LOST)
		fail_question(q, GCS_CLOSED);
	if (q != NULL && q->complete)
		answer = take_answer(q);
	pthread_mutex_unlock(&c->lock);
	return answer;
}

void gcs_answer_free(struct gcs_answer *answer)
{
	if (answer == NULL)
		return;
	gcs_free((void *)(uintptr_t)answer->bytes);
	gcs_free(answer);
}
