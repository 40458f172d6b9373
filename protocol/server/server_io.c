/* The I/O thread of a server: one poll loop for the listeners and all clients. What clients ask for
 * is in server_host.c. */

#include "server_internal.h"

#include <poll.h>
#include <string.h>

#include <gcspy/memory.h>

#include "model_internal.h"
#include "net.h"
#include "now.h"

/* A client that does not take what waits for it is dropped after so many keep-alive limits. */
enum { SLOW_LIMITS = 3 };

/* How long a closing session may take to accept its goodbye. */
#define LINGER_NS 1000000000u

/* How long the clients together may take to accept what still waits when the server ends. */
#define FAREWELL_NS 200000000u

/* A sent snapshot's memory is given back when it was larger than this. */
enum { KEEP_OUT_BYTES = 256 * 1024 };

/* Coming and going. */

/* The slots' peers, then the pending ones; NULL where there is none. */
static struct peer *peer_at(const struct gcs_server *s, uint32_t i)
{
	return i < GCS_MAX_CLIENTS ? s->peers[i] : s->pending[i - GCS_MAX_CLIENTS];
}

enum { PEERS = GCS_MAX_CLIENTS + SERVER_PENDING };

static void forget_pending(struct gcs_server *s, const struct peer *p)
{
	for (uint32_t i = 0; i < SERVER_PENDING; i++)
		if (s->pending[i] == p)
			s->pending[i] = NULL;
}

void server_drop(struct gcs_server *s, struct peer *p)
{
	const bool was_in = p->counted || p->resumes;
	forget_pending(s, p);
	server_detach(s, p);
	server_drop_zooms(p);
	pthread_mutex_lock(&s->lock);
	if (peer_has_slot(p))
		s->peers[p->slot] = NULL;
	if (!was_in)
		s->stats.clients_refused++;
	const bool last = p->counted && atomic_fetch_sub(&s->attached, 1) == 1;
	const bool forget = last && !atomic_load(&s->relays);
	struct gcs_snapshot *latest = forget ? s->latest : NULL;
	if (forget)
		s->latest = NULL;
	pthread_mutex_unlock(&s->lock);
	gcs_snapshot_unref(latest);
	if (p->session.why[0] != '\0' && !was_in)
		server_log_refusal(s, p->session.why);
	else if (p->session.why[0] != '\0' && p->session.blamed)
		server_log(s, "a client was dropped: %s", p->session.why);
	peer_destroy(p);
	if (last && s->options.attached != NULL)
		s->options.attached(s->options.context, false);
}

/* One client's turn. Each returns false when the connection is over. */

static bool receive(struct peer *p, uint64_t now)
{
	enum { PORTIONS = 16 }; /* the rest at its next turn: the others have theirs too */
	uint8_t bytes[4096];
	long n = 0;
	for (int i = 0; i < PORTIONS && (n = net_read(p->fd, bytes, sizeof bytes)) > 0; i++) {
		session_input(&p->session, bytes, (size_t)n);
		/* Until it has introduced itself the whole limit counts from its coming, so that
		 * nobody keeps a place by sending a byte now and then. */
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
		server_log(s, "a client was dropped: %s", "no memory for what it is to be sent");
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

/* The next snapshot for the client if its turn has come, with the model it is to know by then. */
static struct gcs_snapshot *next_snapshot(
    struct gcs_server *s, struct peer *p, uint64_t now, struct gcs_model **model, uint64_t *missed)
{
	bool paced = p->pace == GCS_PACE_INTERVAL;
	struct gcs_snapshot *snapshot = NULL;
	pthread_mutex_lock(&s->lock);
	if (!paced || now >= p->due_ns)
		snapshot = peer_pop(p, paced);
	*model = snapshot == NULL && p->queue_count == 0 ? gcs_model_ref(s->model) : NULL;
	*missed = p->missed;
	pthread_mutex_unlock(&s->lock);
	if (snapshot != NULL)
		*missed += snapshot->occurrence.missed; /* by whoever relays it */
	if (snapshot != NULL && paced)
		p->due_ns = now + p->interval_ns;
	if (snapshot != NULL)
		*model = gcs_model_ref(snapshot->model);
	return snapshot;
}

static void describe(struct peer *p, struct gcs_model *model)
{
	/* A snapshot may have been begun before the description that the client has was made. */
	if (model == NULL || model_serial(model) <= model_serial(p->session.model))
		return;
	session_model(&p->session, model);
	server_note_hidden(p, model);
}

/* Tells the client whether the program runs; "paused" only once the data of the event at which it
 * stands are on their way. These come into the queue before they are settled, so that is looked at in
 * the reverse order: a queue that was empty before the program stood says nothing. */
static void tell_state(struct gcs_server *s, struct peer *p)
{
	struct gate_view view;
	gate_look(&s->gate, &view);
	const bool settled =
	    atomic_load(&s->relays) || atomic_load(&s->settled) >= view.parked_sequence;
	pthread_mutex_lock(&s->lock);
	const bool drained = p->queue_count == 0;
	const bool stands =
	    s->position_number != 0 && (s->position.ended || s->position.speed == 0);
	pthread_mutex_unlock(&s->lock);
	const bool parked = view.parked || stands;
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

/* One part of an answer behind what the output has: a long answer does not hold up snapshots. */
static void feed_answer(struct gcs_server *s, struct peer *p)
{
	struct answer_slot *slot;
	struct answer_message part;
	pthread_mutex_lock(&s->lock);
	bool any = answers_next(&p->answers, &slot, &part);
	uint64_t behind = any ? slot->behind : 0;
	struct gcs_model *model = behind == 0 ? NULL : gcs_model_ref(s->model);
	pthread_mutex_unlock(&s->lock);
	if (!any)
		return;
	/* It names a space: first that is described, then it is answered, then it is shown. */
	describe(p, model);
	gcs_model_unref(model);
	session_answer(&p->session, &part);
	pthread_mutex_lock(&s->lock);
	answers_sent(slot, &part);
	pthread_mutex_unlock(&s->lock);
	if (behind != 0)
		server_request_state(p);
}

/* Fills an empty output: one snapshot at a time, so that a slow client is thinned in its queue and
 * not here. */
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

/* When a client that says nothing is given up. One that has nothing to say is watched by the
 * system. */
static uint64_t silence_ends(const struct gcs_server *s, const struct peer *p)
{
	if (p->session.phase == SESSION_READY && p->session.dialect->quiet)
		return UINT64_MAX;
	return p->heard_ns + (uint64_t)s->options.keep_alive_ms * 1000000u;
}

/* When a client that takes nothing is given up. */
static uint64_t slowness_ends(const struct gcs_server *s, const struct peer *p)
{
	if (p->out_sent >= p->session.out.length)
		return UINT64_MAX;
	return p->progress_ns + SLOW_LIMITS * (uint64_t)s->options.keep_alive_ms * 1000000u;
}

static void check_limits(struct gcs_server *s, struct peer *p, uint64_t now)
{
	if (p->session.phase == SESSION_CLOSING)
		return;
	if (now >= silence_ends(s, p)) {
		pthread_mutex_lock(&s->lock);
		s->stats.clients_silent++;
		pthread_mutex_unlock(&s->lock);
		session_bye(&p->session, BYE_SILENT,
		    "nothing was heard from the client for the keep-alive limit");
	} else if (now >= slowness_ends(s, p)) {
		session_bye(&p->session, BYE_SLOW, "the client does not take what it is sent");
	}
}

/* Rounds of output in a client's turn. One that takes a long answer as fast as it comes would keep
 * the others waiting. */
enum { ROUNDS = 4 };

static bool serve(struct gcs_server *s, struct peer *p, bool readable, uint64_t now)
{
	if (readable && p->session.phase != SESSION_CLOSING && !receive(p, now))
		return false;
	check_limits(s, p, now);
	for (int round = 1;; round++) {
		feed(s, p, now);
		size_t before = p->session.out.length;
		if (!transmit(s, p, now))
			return false;
		atomic_store(&p->unsent, p->session.out.length != 0);
		/* Once more if all went out: more may wait in the queue. */
		if (before == 0 || p->session.out.length != 0 || p->session.phase != SESSION_READY)
			break;
		if (round == ROUNDS) {
			net_wake(s->wake[1]); /* goes on after the others */
			break;
		}
	}
	if (p->session.phase != SESSION_CLOSING)
		return true;
	if (p->closing_ns == 0) {
		p->closing_ns = now;
		server_detach(s, p);
	}
	return p->session.out.length != 0 && now - p->closing_ns < LINGER_NS;
}

/* Milliseconds until something is due without any descriptor becoming ready; -1: never. */
static int patience(struct gcs_server *s, uint64_t now)
{
	uint64_t next = s->accept_backoff_until_ns > now ? s->accept_backoff_until_ns : UINT64_MAX;
	for (uint32_t i = 0; i < PEERS; i++) {
		const struct peer *p = peer_at(s, i);
		if (p == NULL)
			continue;
		uint64_t at = silence_ends(s, p);
		uint64_t slow = slowness_ends(s, p);
		at = slow < at ? slow : at;
		if (p->session.phase == SESSION_CLOSING)
			at = p->closing_ns + LINGER_NS;
		if (p->pace == GCS_PACE_INTERVAL && p->due_ns > now && p->due_ns < at)
			at = p->due_ns;
		next = at < next ? at : next;
	}
	if (next == UINT64_MAX)
		return -1;
	return next <= now ? 0 : (int)((next - now) / 1000000u) + 1;
}

/* Waits for anything to do. Notes which peers can be read, and at which listeners somebody
 * waits. */
static void wait_for_work(struct gcs_server *s, bool knocked[2])
{
	struct pollfd p[3 + PEERS];
	struct peer *peers[PEERS];
	nfds_t count = 3;
	p[0] = (struct pollfd){.fd = s->wake[0], .events = POLLIN};
	uint64_t now = now_ns();
	bool deaf = s->accept_backoff_until_ns > now;
	p[1] = (struct pollfd){.fd = deaf ? -1 : s->listeners[0], .events = POLLIN};
	p[2] = (struct pollfd){.fd = deaf ? -1 : s->listeners[1], .events = POLLIN};
	for (uint32_t i = 0; i < PEERS; i++) {
		struct peer *peer = peer_at(s, i);
		if (peer == NULL)
			continue;
		short events = peer->session.phase == SESSION_CLOSING ? 0 : POLLIN;
		if (peer->out_sent < peer->session.out.length)
			events |= POLLOUT;
		peer->readable = false;
		peers[count - 3] = peer;
		p[count++] = (struct pollfd){.fd = peer->fd, .events = events};
	}
	knocked[0] = knocked[1] = false;
	if (poll(p, count, patience(s, now)) <= 0)
		return;
	if (p[0].revents != 0)
		net_drain(s->wake[0]);
	for (nfds_t i = 3; i < count; i++)
		peers[i - 3]->readable = (p[i].revents & ~POLLOUT) != 0;
	for (int i = 0; i < 2; i++)
		knocked[i] = (p[i + 1].revents & POLLIN) != 0;
}

static void serve_all(struct gcs_server *s)
{
	const uint64_t now = now_ns();
	for (uint32_t i = 0; i < PEERS; i++) {
		struct peer *p = peer_at(s, i);
		if (p == NULL)
			continue;
		const bool goes_on = serve(s, p, p->readable, now);
		if (i >= GCS_MAX_CLIENTS && peer_has_slot(p))
			forget_pending(s, p); /* it has just been let in */
		if (!goes_on)
			server_drop(s, p);
	}
}

void server_end(struct gcs_server *s, struct peer *p, enum bye_reason reason, const char *words)
{
	session_bye(&p->session, reason, words);
	transmit(s, p, now_ns());
	server_drop(s, p);
}

/* The server ends: everybody gets what waits for it, if it takes it soon, and a goodbye. */
static void say_goodbye(struct gcs_server *s, struct peer *p, uint64_t deadline)
{
	bool ok = true;
	while (ok && p->session.phase == SESSION_READY) {
		uint64_t now = now_ns();
		p->due_ns = now; /* whatever its pace */
		feed(s, p, now);
		if (p->session.out.length == 0)
			break;
		ok = transmit(s, p, now) && now < deadline;
		if (ok && p->session.out.length != 0) {
			struct pollfd wait = {.fd = p->fd, .events = POLLOUT};
			(void)poll(&wait, 1, 10);
		}
	}
	server_end(s, p, BYE_ENDED, "the server ends");
}

void *server_io_run(void *context)
{
	struct gcs_server *s = context;
	while (!atomic_load(&s->stopping)) {
		bool knocked[2];
		wait_for_work(s, knocked);
		server_record_check(s);
		serve_all(s);
		/* After those that left have made room. */
		for (int i = 0; i < 2; i++)
			if (knocked[i])
				server_accept(s, s->listeners[i]);
	}
	uint64_t deadline = now_ns() + FAREWELL_NS;
	for (uint32_t i = 0; i < PEERS; i++)
		if (peer_at(s, i) != NULL)
			say_goodbye(s, peer_at(s, i), deadline);
	return NULL;
}
