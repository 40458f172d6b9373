/* The I/O thread of a server: one poll loop for the listeners and all clients. The callbacks of
 * sessions are in server_host.c. */

#include "server_internal.h"

#include <poll.h>

#include <gcspy/memory.h>

#include "model_internal.h"
#include "net.h"
#include "now.h"
#include "own_files.h"

/* Maximum wait for all clients to take what is queued when the server stops. */
#define FAREWELL_NS 200000000u

/* Larger output buffers are freed once they have been sent. */
enum { KEEP_OUT_BYTES = 256 * 1024 };

/* Events that follow each other within BUSY_NS are looked for every SERVER_POLL_MS. */
#define BUSY_NS 3000000u

/* Coming and going. */

static void forget_pending(struct gcs_server *s, const struct peer *p)
{
	for (uint32_t i = 0; i < SERVER_PENDING; i++)
		if (s->pending[i] == p)
			s->pending[i] = NULL;
}

/* Closes a connection and frees its peer. */
static void drop_peer(struct gcs_server *s, struct peer *p)
{
	const bool was_in = p->counted || p->resumes;
	forget_pending(s, p);
	server_detach(s, p);
	server_drop_zooms(p);
	pthread_mutex_lock(&s->lock);
	if (peer_has_slot(p))
		s->peers[p->slot] = NULL;
	if (!was_in)
		s->stats.clients_rejected++;
	const bool last = p->counted && atomic_fetch_sub(&s->attached, 1) == 1;
	const bool forget = last && !atomic_load(&s->relays);
	struct gcs_snapshot *latest = forget ? s->latest : NULL;
	if (forget)
		s->latest = NULL;
	pthread_mutex_unlock(&s->lock);
	gcs_snapshot_unref(latest);
	if (p->session.why[0] != '\0' && !was_in)
		server_log_rejection(s, p->session.why);
	else if (p->session.why[0] != '\0' && p->session.blamed)
		server_log(s, "a client was dropped: %s", p->session.why);
	peer_destroy(p);
	if (last && s->options.attached != NULL)
		s->options.attached(s->options.context, false);
}

/* One client's turn. Functions return false when the connection is closed. */

static bool receive(struct peer *p, uint64_t now)
{
	enum { PORTIONS = 16 }; /* the rest in the next round, after the other clients */
	uint8_t bytes[4096];
	long n = 0;
	for (int i = 0; i < PORTIONS && (n = net_read(p->fd, bytes, sizeof bytes)) > 0; i++) {
		session_input(&p->session, bytes, (size_t)n);
		/* Until the hello the limit counts from the start of the connection, so that a client
		 * cannot stay pending by sending a byte now and then. */
		if (p->session.phase == SESSION_READY)
			p->heard_ns = now;
		if ((size_t)n < sizeof bytes)
			break;
	}
	return n >= 0;
}

static bool transmit(struct gcs_server *s, struct peer *p, uint64_t now)
{
	struct wr *out = &p->session.out;
	if (out->status != GCS_OK) {
		server_log(s, "a client was dropped: %s", "no memory for its output");
		return false;
	}
	while (p->out_sent < out->length) {
		long n = net_write(p->fd, out->data + p->out_sent, out->length - p->out_sent);
		if (n < 0)
			return false;
		if (n == 0)
			return true;
		p->out_sent += (size_t)n;
		p->progress_ns = now;
		pthread_mutex_lock(&s->lock);
		s->stats.sent_bytes += (uint64_t)n;
		pthread_mutex_unlock(&s->lock);
	}
	p->progress_ns = now;
	p->out_sent = 0;
	out->length = 0;
	if (out->capacity > KEEP_OUT_BYTES) {
		size_t limit = out->limit;
		wr_fini(out);
		wr_init(out, limit);
	}
	return true;
}

/* The client's next snapshot if it is due, with the model to be sent before it. */
static struct gcs_snapshot *next_snapshot(
    struct gcs_server *s, struct peer *p, uint64_t now, struct gcs_model **model, uint64_t *missed)
{
	bool paced = p->pace == GCS_PACE_INTERVAL;
	struct gcs_snapshot *snapshot = NULL;
	pthread_mutex_lock(&s->lock);
	if (!paced || now >= p->due_ns || peer_has_fired(p))
		snapshot = peer_pop(p, paced);
	*model = snapshot == NULL && p->queue_count == 0 ? gcs_model_ref(s->model) : NULL;
	*missed = p->missed;
	pthread_mutex_unlock(&s->lock);
	if (snapshot != NULL)
		*missed += snapshot->occurrence.missed; /* before it was relayed */
	if (snapshot != NULL && paced)
		p->due_ns = now + p->interval_ns;
	if (snapshot != NULL)
		*model = gcs_model_ref(snapshot->model);
	return snapshot;
}

static void describe(struct peer *p, struct gcs_model *model)
{
	/* A snapshot may have been begun before the client's description was made. */
	if (model == NULL || model_serial(model) <= model_serial(p->session.model))
		return;
	session_model(&p->session, model);
	server_note_hidden(p, model);
}

/* Sends the run state; "paused" only once the data of the event at which the program waits have been
 * sent. The data are queued before they are settled, so the queue is checked after the gate: if it is
 * empty then, nothing more will come. */
static void tell_state(struct gcs_server *s, struct peer *p)
{
	struct gate_view view;
	gate_read(&s->gate, &view);
	const bool settled =
	    atomic_load(&s->relays) || atomic_load(&s->settled) >= view.parked_sequence;
	pthread_mutex_lock(&s->lock);
	const bool drained = p->queue_count == 0;
	const bool stopped =
	    s->position_number != 0 && (s->position.ended || s->position.speed == 0);
	pthread_mutex_unlock(&s->lock);
	const bool parked = view.parked || stopped;
	uint32_t others = 0;
	for (uint32_t slot = 0; slot < GCS_MAX_CLIENTS; slot++)
		others += slot != p->slot && (view.holds >> slot & 1) != 0;
	struct state_message state = {
	    .run = view.holds == 0                ? GCS_RUNNING
		   : parked && settled && drained ? GCS_PAUSED
						  : GCS_PAUSING,
	    .own = peer_has_slot(p) && (view.holds & server_bit(p->slot)) != 0,
	    .others = others,
	};
	bool same = p->state_sent && p->state.run == state.run && p->state.own == state.own &&
		    p->state.others == state.others;
	if (same && !p->session.restate)
		return;
	p->session.restate = false;
	session_state(&p->session, &state);
	p->state = state;
	p->state_sent = true;
}

static void tell_position(struct gcs_server *s, struct peer *p)
{
	pthread_mutex_lock(&s->lock);
	const struct gcs_position position = s->position;
	const uint64_t number = s->position_number;
	pthread_mutex_unlock(&s->lock);
	if (number == p->position_number)
		return;
	p->position_number = number;
	session_position(&p->session, &position);
}

/* Appends one part of an answer, so that a long answer does not delay snapshots. */
static void feed_answer(struct gcs_server *s, struct peer *p)
{
	struct answer_slot *slot;
	struct answer_message part;
	pthread_mutex_lock(&s->lock);
	bool any = answers_next(&p->answers, &slot, &part);
	uint64_t serial = any ? slot->after_model : 0;
	struct gcs_model *model = serial == 0 ? NULL : gcs_model_ref(s->model);
	pthread_mutex_unlock(&s->lock);
	if (!any)
		return;
	/* An answer that names a space follows its description and precedes its tiles. */
	describe(p, model);
	gcs_model_unref(model);
	session_answer(&p->session, &part);
	pthread_mutex_lock(&s->lock);
	answers_sent(slot, &part);
	pthread_mutex_unlock(&s->lock);
	if (serial != 0)
		server_request_state(p);
}

/* Encodes one snapshot at a time, and only into an empty output: for a slow client, snapshots are
 * dropped from its queue. */
static void feed(struct gcs_server *s, struct peer *p, uint64_t now)
{
	if (p->session.phase != SESSION_READY)
		return;
	if (p->session.out.length == 0) {
		struct gcs_model *model;
		uint64_t missed;
		struct gcs_snapshot *snapshot = next_snapshot(s, p, now, &model, &missed);
		describe(p, model);
		if (snapshot != NULL)
			session_snapshot(&p->session, snapshot, missed);
		gcs_snapshot_unref(snapshot);
		gcs_model_unref(model);
		tell_position(s, p);
		feed_answer(s, p);
	}
	tell_state(s, p);
}

/* Rounds of output in a client's turn: a client that reads a long answer fast must not delay the
 * others. */
enum { ROUNDS = 4 };

static bool serve(struct gcs_server *s, struct peer *p, bool readable, uint64_t now)
{
	if (readable && p->session.phase != SESSION_CLOSING && !receive(p, now))
		return false;
	server_check_limits(s, p, now);
	server_catch_up(s, p, now);
	for (int round = 1;; round++) {
		feed(s, p, now);
		size_t before = p->session.out.length;
		if (!transmit(s, p, now))
			return false;
		atomic_store(&p->unsent, p->session.out.length != 0);
		/* Once more if everything was sent: the queue may have more. */
		if (before == 0 || p->session.out.length != 0 || p->session.phase != SESSION_READY)
			break;
		if (round == ROUNDS) {
			net_wake(s->wake[1]); /* continue after the others */
			break;
		}
	}
	if (p->session.phase != SESSION_CLOSING)
		return true;
	if (p->closing_ns == 0) {
		p->closing_ns = now;
		server_detach(s, p);
	}
	return p->session.out.length != 0 && now - p->closing_ns < SERVER_LINGER_NS;
}

/* Waits for work. Sets which peers are readable and which listeners have a connection to accept. */
static void wait_for_work(struct gcs_server *s, bool accept_ready[2])
{
	struct pollfd p[3 + SERVER_PEERS];
	struct peer *peers[SERVER_PEERS];
	nfds_t count = 3;
	p[0] = (struct pollfd){.fd = s->wake[0], .events = POLLIN};
	uint64_t now = now_ns();
	bool backoff = s->accept_backoff_until_ns > now;
	p[1] = (struct pollfd){.fd = backoff ? -1 : s->listeners[0], .events = POLLIN};
	p[2] = (struct pollfd){.fd = backoff ? -1 : s->listeners[1], .events = POLLIN};
	for (uint32_t i = 0; i < SERVER_PEERS; i++) {
		struct peer *peer = server_peer_at(s, i);
		if (peer == NULL)
			continue;
		short events = peer->session.phase == SESSION_CLOSING ? 0 : POLLIN;
		if (peer->out_sent < peer->session.out.length)
			events |= POLLOUT;
		peer->readable = false;
		peers[count - 3] = peer;
		p[count++] = (struct pollfd){.fd = peer->fd, .events = events};
	}
	accept_ready[0] = accept_ready[1] = false;
	if (server_wait(s, p, count, now) <= 0)
		return;
	if (p[0].revents != 0)
		net_drain(s->wake[0]);
	for (nfds_t i = 3; i < count; i++)
		peers[i - 3]->readable = (p[i].revents & ~POLLOUT) != 0;
	for (int i = 0; i < 2; i++)
		accept_ready[i] = (p[i + 1].revents & POLLIN) != 0;
}

/*
 * Waking this thread costs the program more than all else that an event costs. While events follow
 * each other closely it therefore looks at the queues every SERVER_POLL_MS instead, as network drivers do
 * with interrupts. What is published before `polls` becomes false is served in this round; what is
 * published later wakes.
 */
static void note_published(struct gcs_server *s, uint64_t now)
{
	pthread_mutex_lock(&s->lock);
	const bool recent = now - s->seen_ns < BUSY_NS;
	const bool more = s->stats.published != s->seen_published;
	s->polls = recent && (more || s->polls);
	if (more)
		s->seen_ns = now;
	s->seen_published = s->stats.published;
	pthread_mutex_unlock(&s->lock);
}

static void serve_all(struct gcs_server *s)
{
	const uint64_t now = now_ns();
	note_published(s, now);
	for (uint32_t i = 0; i < SERVER_PEERS; i++) {
		struct peer *p = server_peer_at(s, i);
		if (p == NULL)
			continue;
		const bool goes_on = serve(s, p, p->readable, now);
		if (i >= GCS_MAX_CLIENTS && peer_has_slot(p))
			forget_pending(s, p); /* admitted in this turn */
		if (!goes_on)
			drop_peer(s, p);
	}
}

void server_end(struct gcs_server *s, struct peer *p, enum bye_reason reason, const char *message)
{
	session_bye(&p->session, reason, message);
	transmit(s, p, now_ns());
	drop_peer(s, p);
}

/* The server stops: sends the queue, if the client reads it in time, and a goodbye. */
static void say_goodbye(struct gcs_server *s, struct peer *p, uint64_t deadline)
{
	bool ok = true;
	while (ok && p->session.phase == SESSION_READY) {
		uint64_t now = now_ns();
		p->due_ns = now; /* at any pace */
		feed(s, p, now);
		if (p->session.out.length == 0)
			break;
		ok = transmit(s, p, now) && now < deadline;
		if (ok && p->session.out.length != 0) {
			struct pollfd wait = {.fd = p->fd, .events = POLLOUT};
			(void)poll(&wait, 1, 10);
		}
	}
	if (s->program_ends)
		server_end(s, p, BYE_PROGRAM, "the program has ended");
	else
		server_end(s, p, BYE_ENDED, "the server ends");
}

void *server_io_run(void *context)
{
	struct gcs_server *s = context;
	while (!atomic_load(&s->stopping)) {
		bool accept_ready[2];
		wait_for_work(s, accept_ready);
		server_record_check(s);
		serve_all(s);
		/* Last, so that closed connections have freed their places. */
		for (int i = 0; i < 2; i++)
			if (accept_ready[i])
				server_accept(s, s->listeners[i]);
	}
	uint64_t deadline = now_ns() + FAREWELL_NS;
	for (uint32_t i = 0; i < SERVER_PEERS; i++)
		if (server_peer_at(s, i) != NULL)
			say_goodbye(s, server_peer_at(s, i), deadline);
	return NULL;
}
