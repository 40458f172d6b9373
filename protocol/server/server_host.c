/* The callbacks of a server's sessions, each for its client. All on the I/O thread. */

#include "server_internal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model_internal.h"
#include "net.h"
#include "session_2002.h"
#include "session_native.h"

uint32_t server_bit(uint32_t slot)
{
	return (uint32_t)1 << slot;
}

static void set_bit(atomic_uint *word, uint32_t slot, bool on)
{
	if (on)
		atomic_fetch_or(word, server_bit(slot));
	else
		atomic_fetch_and(word, ~server_bit(slot));
}

/* Compares in constant time, so that the time does not reveal how much of the token is right. */
static bool same_token(const char *ours, const char *theirs)
{
	size_t length = strlen(ours);
	size_t given = strlen(theirs);
	unsigned difference = length != given;
	for (size_t i = 0; i < length; i++)
		difference |= (unsigned)(unsigned char)ours[i] ^
			      (unsigned char)theirs[given == 0 ? 0 : i % given];
	return difference == 0;
}

/* Without a token, only processes of our own user and of root are admitted. */
static bool admits_user(struct peer *p)
{
	struct gcs_server *s = p->server;
	char admitted[40] = "root", client[60] = " and cannot determine the user of this client";
	if (s->token != NULL || s->options.allow_any_user)
		return true;
	if (!p->identified)
		server_identify(p);
	if (p->trusted)
		return true;
	if (geteuid() != 0)
		snprintf(admitted, sizeof admitted, "user %u and root", (unsigned)geteuid());
	if (p->known)
		snprintf(client, sizeof client, ", not user %u", (unsigned)p->uid);
	snprintf(p->rejection, sizeof p->rejection,
	    "this server admits only %s%s; allow=any or token-file= admits others", admitted,
	    client);
	return false;
}

static bool host_admit(
    void *context, const struct hello *hello, enum bye_reason *reason, const char **message)
{
	struct peer *p = context;
	struct gcs_server *s = p->server;
	if (s->token != NULL && !same_token(s->token, hello->token)) {
		*reason = BYE_TOKEN;
		*message =
		    hello->token[0] == '\0' ? "this server needs a token" : "the token is wrong";
		return false;
	}
	if (!admits_user(p)) {
		*reason = BYE_USER;
		*message = p->rejection;
		return false;
	}
	/* A client that only resumes needs no slot and stays pending. */
	p->resumes = (hello->flags & GCS_HELLO_RESUME) != 0;
	if (p->resumes)
		return true;
	if (atomic_load(&s->attached) - s->recording >= s->options.max_clients ||
	    !server_take_slot(p)) {
		*reason = BYE_FULL;
		*message = "this server has as many clients as it allows";
		return false;
	}
	bool recorder = (hello->flags & GCS_HELLO_EVERY) != 0;
	p->queue_limit = s->options.queue_bytes * (recorder ? 4 : 1);
	return true;
}

static void host_filter(void *context, uint32_t event, const struct gcs_filter *f)
{
	struct peer *p = context;
	struct gcs_server *s = p->server;
	if (!peer_has_slot(p))
		return;
	atomic_store(&s->filters[event][p->slot].period, f->period);
	atomic_store(&s->filters[event][p->slot].delay_ms, f->delay_ms);
	set_bit(&s->periodic[event], p->slot, f->period > 1);
	set_bit(&s->delayed[event], p->slot, f->delay_ms != 0);
	set_bit(&s->pausing[event], p->slot, f->pause);
	set_bit(&s->wanted[event], p->slot, f->enabled);
}

void server_request_state(struct peer *p)
{
	struct gcs_server *s = p->server;
	if (s->options.state_request != NULL) {
		struct gcs_ticket ticket = {.event = GCS_NONE, .audience = server_bit(p->slot)};
		s->options.state_request(s->options.context, &ticket);
		return;
	}
	if (server_request_update(
		s, &(struct gcs_ticket){.event = GCS_NONE, .audience = server_bit(p->slot)}))
		return;
	pthread_mutex_lock(&s->lock);
	if (s->latest != NULL)
		peer_push(p, s->latest);
	pthread_mutex_unlock(&s->lock);
}

static void host_ready(void *context)
{
	struct peer *p = context;
	struct gcs_server *s = p->server;
	static const struct gcs_filter initial = {.enabled = true, .period = 1};
	if (!peer_has_slot(p))
		return;
	pthread_mutex_lock(&s->lock);
	p->counted = true;
	s->stats.clients_ever++;
	pthread_mutex_unlock(&s->lock);
	set_bit(&s->everybody, p->slot, true);
	if (atomic_fetch_add(&s->attached, 1) == 0 && s->options.attached != NULL)
		s->options.attached(s->options.context, true);
	if (p->session.dialect->quiet)
		net_keep_alive(p->fd, s->options.keep_alive_ms);
	for (uint32_t i = 0; i < GCS_MAX_EVENTS; i++)
		host_filter(p, i, &initial);
	if (p->session.model != NULL)
		server_note_hidden(p, p->session.model);
	server_request_state(p);
}

static void host_pause(void *context)
{
	struct peer *p = context;
	if (!peer_has_slot(p))
		return;
	gate_hold(&p->server->gate, p->slot);
	net_wake(
	    p->server->wake[1]); /* notify all clients, also those already served in this round */
}

static void host_resume(void *context, bool everyone)
{
	struct peer *p = context;
	if (!everyone && !peer_has_slot(p))
		return;
	gate_release(&p->server->gate, everyone ? UINT32_MAX : server_bit(p->slot));
	net_wake(p->server->wake[1]);
}

/* One event, in the direction of play. */
static int64_t step_of(struct gcs_server *s)
{
	pthread_mutex_lock(&s->lock);
	const bool backwards = s->position.speed < 0;
	pthread_mutex_unlock(&s->lock);
	return backwards ? -1 : 1;
}

static void host_step(void *context)
{
	struct peer *p = context;
	bool own = false;
	if (!peer_has_slot(p))
		return;
	for (uint32_t i = 0; i < GCS_MAX_EVENTS; i++)
		own = own || (atomic_load(&p->server->wanted[i]) & server_bit(p->slot)) != 0;
	if (p->server->options.seek != NULL) {
		/* A step through a recording does not wait for the recorded time. */
		gate_step_replay(&p->server->gate, p->slot, own);
		p->server->options.seek(p->server->options.context,
		    &(struct gcs_seek){.action = GCS_SEEK_MOVE, .value = step_of(p->server)});
	} else {
		gate_step(&p->server->gate, p->slot, own);
	}
	net_wake(p->server->wake[1]);
}

static void host_seek(void *context, const struct gcs_seek *seek)
{
	struct peer *p = context;
	if (p->server->options.seek != NULL && peer_has_slot(p))
		p->server->options.seek(p->server->options.context, seek);
}

static void host_pace(void *context, enum gcs_pace pace, uint32_t interval_ms)
{
	struct peer *p = context;
	if (!peer_has_slot(p))
		return;
	server_set_pace(p->server, p, pace, (uint64_t)interval_ms * 1000000u);
	gate_set_lockstep(&p->server->gate, p->slot, pace == GCS_PACE_LOCKSTEP);
}

static void host_ack(void *context, uint64_t sequence)
{
	struct peer *p = context;
	if (peer_has_slot(p))
		gate_ack(&p->server->gate, p->slot, sequence);
}

void server_note_hidden(struct peer *p, const struct gcs_model *model)
{
	for (uint32_t i = 0; peer_has_slot(p) && i < model->space_count; i++)
		set_bit(&p->server->hidden[i], p->slot, session_hides(&p->session, model, i));
}

static void host_collapsed(void *context, bool opened)
{
	struct peer *p = context;
	server_note_hidden(p, p->session.model);
	if (opened && peer_has_slot(p))
		server_request_state(p);
}

/* Unsent bytes above which queries beyond the limit are no longer answered, so that the rejections
 * for a client that only sends do not accumulate. */
enum { REJECT_UP_TO = 64 * 1024 };

static void reject_query(struct peer *p, uint32_t id, enum gcs_status status, const char *message)
{
	if (p->session.out.length >= REJECT_UP_TO)
		return;
	struct answer_message answer = {
	    .id = id, .status = status, .last = true, .message = message};
	session_answer(&p->session, &answer);
}

/* A ticket for a query of this client, or 0 if it was rejected. An unsupported query is answered in
 * turn like any other, so that the answer is not dropped when much is unsent. */
static uint64_t ask(struct peer *p, uint32_t id, bool known, const char *otherwise)
{
	struct gcs_server *s = p->server;
	if (!peer_has_slot(p)) {
		reject_query(p, id, GCS_UNSUPPORTED, "this client may only resume the program");
		return 0;
	}
	uint64_t ticket = atomic_fetch_add(&s->asked, 1) + 1;
	pthread_mutex_lock(&s->lock);
	bool room = answers_ask(&p->answers, ticket, id);
	pthread_mutex_unlock(&s->lock);
	if (!room)
		reject_query(p, id, GCS_LIMIT, "this client has too many unanswered queries");
	else if (!known)
		gcs_server_answer(s, ticket, GCS_UNSUPPORTED, otherwise, NULL, 0);
	return room && known ? ticket : 0;
}

static const char no_queries[] = "this server answers no queries";

/* The target's settings, with those of the server (server_settings.c). */
static void list_settings(struct peer *p, const struct gcs_query *query)
{
	struct gcs_server *s = p->server;
	pthread_mutex_lock(&s->lock);
	answers_find(&p->answers, query->ticket)->lists_settings = true;
	pthread_mutex_unlock(&s->lock);
	server_query(s, query);
}

static void host_query(void *context, const struct query_message *query)
{
	struct peer *p = context;
	struct gcs_server *s = p->server;
	const bool triggers = strcmp(query->topic, "triggers") == 0;
	const bool settings = strcmp(query->topic, "settings") == 0 && server_has_updates(s);
	struct gcs_query question = {
	    .ticket = ask(p, query->id, true, no_queries),
	    .topic = query->topic,
	    .count = query->count,
	    .parameters = query->parameters,
	};
	if (question.ticket != 0 && triggers)
		server_trigger_list(p, question.ticket);
	else if (question.ticket != 0 && settings)
		list_settings(p, &question);
	else if (question.ticket != 0)
		server_query(s, &question);
}

static void host_set(void *context, const struct set_message *set)
{
	struct peer *p = context;
	struct gcs_server *s = p->server;
	const bool update = strcmp(set->key, "update") == 0 && server_has_updates(s);
	struct gcs_setting setting = {
	    .ticket = ask(p, set->id, update || s->options.set != NULL, no_queries),
	    .key = set->key,
	    .value = set->value,
	};
	if (setting.ticket == 0 || (update && server_set_update(s, &setting)))
		return;
	if (s->options.set == NULL) /* the updates have just ended */
		gcs_server_answer(s, setting.ticket, GCS_UNSUPPORTED, no_queries, NULL, 0);
	else
		s->options.set(s->options.context, &setting);
}

static void host_zoom(void *context, const struct zoom_message *zoom)
{
	struct peer *p = context;
	bool known = server_zooms(p->server);
	uint64_t ticket = ask(p, zoom->id, known, "this server has no zooms");
	if (ticket != 0)
		server_zoom(p, ticket, zoom);
}

static void host_trigger(void *context, const struct trigger_message *message)
{
	const uint64_t ticket = ask(context, message->id, true, "");
	if (ticket != 0)
		server_trigger(context, ticket, message);
}

static void host_interest(void *context, const struct interest_message *interest)
{
	struct peer *p = context;
	if (peer_has_slot(p))
		server_interest(p, interest);
}

static struct gcs_model *host_model(void *context)
{
	struct peer *p = context;
	pthread_mutex_lock(&p->server->lock);
	struct gcs_model *model = gcs_model_ref(p->server->model);
	pthread_mutex_unlock(&p->server->lock);
	return model;
}

static uint32_t host_keep_alive_ms(void *context)
{
	struct peer *p = context;
	return p->server->options.keep_alive_ms;
}

void server_detach(struct gcs_server *s, struct peer *p)
{
	if (!peer_has_slot(p))
		return;
	set_bit(&s->everybody, p->slot, false);
	set_bit(&s->paced, p->slot, false);
	set_bit(&s->withheld, p->slot, false);
	server_drop_triggers(p);
	for (uint32_t i = 0; i < GCS_MAX_EVENTS; i++) {
		set_bit(&s->wanted[i], p->slot, false);
		set_bit(&s->periodic[i], p->slot, false);
		set_bit(&s->delayed[i], p->slot, false);
		set_bit(&s->pausing[i], p->slot, false);
	}
	for (uint32_t i = 0; i < GCS_MAX_SPACES; i++)
		set_bit(&s->hidden[i], p->slot, false);
	gate_leave(&s->gate, p->slot);
}

static const struct dialect *const dialects[] = {&native_dialect, &dialect_2002, NULL};

const struct session_host server_session_host = {
    .dialects = dialects,
    .admit = host_admit,
    .ready = host_ready,
    .pause = host_pause,
    .resume = host_resume,
    .step = host_step,
    .filter = host_filter,
    .pace = host_pace,
    .ack = host_ack,
    .collapsed = host_collapsed,
    .query = host_query,
    .zoom = host_zoom,
    .set = host_set,
    .trigger = host_trigger,
    .interest = host_interest,
    .seek = host_seek,
    .model = host_model,
    .keep_alive_ms = host_keep_alive_ms,
};
