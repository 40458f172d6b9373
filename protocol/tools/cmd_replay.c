/* Serves a trace as if its program were running: gcs_player shows, gcs_server relays. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gcspy/memory.h>
#include <gcspy/server.h>

#include "player.h"
#include "thread.h"
#include "tool.h"

/* With --once: checks, 50 ms apart, that find nothing left to send before the replay ends. */
enum { QUIET = 10 };

/* Snapshots that may wait for a client at the fastest speed. */
enum { BACKLOG = 16, BACKLOG_WAITS = 1000 };

/* Pending queries: more than all clients together may have. */
enum { QUERIES = GCS_MAX_CLIENTS * GCS_MAX_QUERIES };

struct query {
	uint64_t ticket;
	enum gcs_profile_kind kind;
};

struct replay {
	struct gcs_server *server;
	struct gcs_player *player; /* NULL at first; under the lock */
	double speed;              /* once a client has connected */
	bool once;
	bool waits;          /* for the first client */
	atomic_bool fastest; /* at the fastest speed */
	atomic_bool failed;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool ending;
	struct query queries[QUERIES];
	uint32_t query_count;
};

static bool jumps(struct replay *r)
{
	pthread_mutex_lock(&r->lock);
	const bool yes = r->player == NULL || gcs_player_jumps(r->player);
	pthread_mutex_unlock(&r->lock);
	return yes;
}

/* On the player's thread. */
static void on_show(
    void *context, struct gcs_snapshot *snapshot, const struct gcs_position *position)
{
	struct replay *r = context;
	struct gcs_ticket ticket;
	struct gcs_error err;
	const double size = position->speed < 0 ? -position->speed : position->speed;
	atomic_store(&r->fastest, size >= GCS_SPEED_FASTEST);
	gcs_server_set_position(r->server, position);
	if (gcs_server_relay(r->server, snapshot, &ticket, &err) != GCS_OK) {
		if (!atomic_exchange(&r->failed, true))
			cli_warn("%s", err.text);
		return;
	}
	/* Wait for slow clients, but not for one that reads nothing. */
	for (int i = 0; i < BACKLOG_WAITS && atomic_load(&r->fastest) &&
			gcs_server_backlog(r->server) > BACKLOG;
	     i++)
		thread_sleep_us(1000);
	const bool steps_over = gcs_server_steps_over(r->server, &ticket);
	/* A jump that is asked for from here on also interrupts; an interrupt alone may belong to a jump
	 * that has been shown already. */
	while (!jumps(r) && !gcs_server_relay_leave(r->server, &ticket))
		continue;
	/* A step skips events that its client does not get. */
	pthread_mutex_lock(&r->lock);
	if (r->player != NULL && steps_over)
		gcs_player_move(r->player, position->speed < 0 ? -1 : 1);
	pthread_mutex_unlock(&r->lock);
}

static void on_changed(void *context)
{
	struct replay *r = context;
	struct gcs_position position;
	pthread_mutex_lock(&r->lock);
	if (r->player != NULL) {
		gcs_player_position(r->player, &position);
		gcs_server_set_position(r->server, &position);
	}
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

/* On the server's thread. */

static void on_seek(void *context, const struct gcs_seek *seek)
{
	struct replay *r = context;
	gcs_player_control(r->player, seek);
	/* A client that holds the program sees the other place at once, and still holds it. */
	if (seek->action != GCS_SEEK_SPEED && seek->action != GCS_SEEK_LOOP)
		gcs_server_interrupt(r->server);
}

/* A client has connected: the first one starts the replay. */
static void on_state_request(void *context, const struct gcs_ticket *ticket)
{
	struct replay *r = context;
	gcs_server_relay_again(r->server, ticket);
	if (r->waits) {
		r->waits = false;
		gcs_player_set_speed(r->player, r->speed);
	}
}

static void on_query(void *context, const struct gcs_query *query)
{
	struct replay *r = context;
	enum gcs_profile_kind kind = GCS_PROFILE_LIVE;
	const char *name = gcs_query_value(query, "kind");
	bool known = strcmp(query->topic, "sites") == 0 &&
		     (name == NULL || gcs_profile_find_kind(name, &kind));
	if (known && gcs_query_value(query, "where") != NULL) {
		gcs_server_answer(r->server, query->ticket, GCS_ARGUMENT,
		    "where: a recording has no locations of sampled objects", NULL, 0);
		return;
	}
	if (!known) {
		gcs_server_answer(r->server, query->ticket, GCS_UNSUPPORTED,
		    "a replay only answers queries for recorded sites", NULL, 0);
		return;
	}
	pthread_mutex_lock(&r->lock);
	const bool room = r->query_count < QUERIES;
	if (room)
		r->queries[r->query_count++] =
		    (struct query){.ticket = query->ticket, .kind = kind};
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	if (!room)
		gcs_server_answer(
		    r->server, query->ticket, GCS_LIMIT, "too many pending queries", NULL, 0);
}

static void on_set(void *context, const struct gcs_setting *setting)
{
	struct replay *r = context;
	gcs_server_answer(r->server, setting->ticket, GCS_STATE,
	    "a recording has no settings to change", NULL, 0);
}

static void on_log(void *context, const char *line)
{
	(void)context;
	cli_warn("%s", line);
}

/* Answers on a thread of their own, because profiles are read from the file. */

static void answer(struct replay *r, const struct query *q)
{
	struct gcs_error err;
	void *bytes = NULL;
	size_t length = 0;
	struct gcs_profile *profile = gcs_player_profile(r->player, q->kind, &err);
	enum gcs_status status = profile == NULL ? err.status : GCS_OK;
	if (profile != NULL)
		status = gcs_profile_encode(profile, &bytes, &length, &err);
	gcs_profile_free(profile);
	gcs_server_answer(
	    r->server, q->ticket, status, status == GCS_OK ? "" : err.text, bytes, length);
	gcs_free(bytes);
}

static void *answer_all(void *context)
{
	struct replay *r = context;
	pthread_mutex_lock(&r->lock);
	while (!r->ending) {
		if (r->query_count == 0) {
			pthread_cond_wait(&r->changed, &r->lock);
			continue;
		}
		const struct query first = r->queries[0];
		memmove(r->queries, r->queries + 1, --r->query_count * sizeof r->queries[0]);
		pthread_mutex_unlock(&r->lock);
		answer(r, &first);
		pthread_mutex_lock(&r->lock);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* The server, described as the trace begins. */

static struct gcs_server *make_server(
    struct replay *r, const struct cli_arguments *a, const struct gcs_model *model)
{
	struct gcs_error err;
	const struct gcs_server_options options = {
	    .name = model->server_name,
	    .host = a->host,
	    .port = a->socket == NULL ? (int)a->port : -1,
	    .socket_path = a->socket,
	    .token = a->token,
	    .allow_any_user = a->allow_any_user,
	    .query = on_query,
	    .set = on_set,
	    .seek = on_seek,
	    .state_request = on_state_request,
	    .log = on_log,
	    .context = r,
	};
	struct gcs_server *server = gcs_server_create(&options, &err);
	enum gcs_status status = server == NULL ? err.status : GCS_OK;
	for (uint32_t i = 0; status == GCS_OK && i < model->event_count; i++)
		status = gcs_server_add_event(server, &model->events[i], NULL, &err);
	if (status == GCS_OK)
		status = gcs_server_listen(server, &err);
	if (status == GCS_OK)
		return server;
	cli_fail("%s", err.text);
	gcs_server_destroy(server);
	return NULL;
}

static void say_what(const struct cli_arguments *a, const struct gcs_trace *trace, int port)
{
	struct gcs_trace_info info;
	gcs_trace_get_info(trace, &info);
	const double seconds = (double)(info.last_time_ns - info.first_time_ns) / 1e9;
	char where[320];
	if (a->socket != NULL)
		snprintf(where, sizeof where, "%s", a->socket);
	else
		snprintf(
		    where, sizeof where, "%s:%d", a->host == NULL ? "127.0.0.1" : a->host, port);
	cli_warn("%s: %llu events over %.1f s, served at %s", a->address,
	    (unsigned long long)info.events, seconds, where);
	if (!info.complete)
		cli_warn("%s was not finished by its writer: its last %llu bytes are ignored",
		    a->address, (unsigned long long)info.stray_bytes);
}

/* Until a signal comes or, with --once, everything has been shown. */
static void wait_for_end(struct replay *r, const sigset_t *signals)
{
	struct gcs_position position;
	struct gcs_server_stats stats;
	bool anybody = false;
	unsigned quiet = 0;
	for (;;) {
		const struct timespec soon = {.tv_nsec = 50000000};
		if (sigtimedwait(signals, NULL, &soon) > 0)
			return;
		gcs_player_position(r->player, &position);
		gcs_server_stats(r->server, &stats);
		anybody = anybody || stats.clients != 0;
		const bool shown = position.ended && gcs_server_backlog(r->server) == 0;
		quiet = shown ? quiet + 1 : 0;
		if (r->once && anybody && position.ended && (stats.clients == 0 || quiet > QUIET))
			return;
	}
}

static int serve(struct replay *r, const struct cli_arguments *a, struct gcs_trace *trace)
{
	struct gcs_error err;
	pthread_t answers;
	sigset_t signals;
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	const struct gcs_player_options options = {.speed = 0,
	    .loop = a->loop,
	    .longest_ms = a->gap_ms,
	    .show = on_show,
	    .changed = on_changed,
	    .context = r};
	struct gcs_player *player = gcs_player_create(trace, &options, &err);
	if (player == NULL) {
		gcs_trace_close(trace);
		return cli_fail("%s", err.text);
	}
	pthread_mutex_lock(&r->lock);
	r->player = player;
	pthread_mutex_unlock(&r->lock);
	int code = CLI_DONE;
	if (pthread_create(&answers, NULL, answer_all, r) != 0) {
		code = cli_fail("cannot start a thread");
	} else {
		if (gcs_server_start(r->server, &err) != GCS_OK)
			code = cli_fail("%s", err.text);
		else
			wait_for_end(r, &signals);
		pthread_mutex_lock(&r->lock);
		r->ending = true;
		pthread_cond_broadcast(&r->changed);
		pthread_mutex_unlock(&r->lock);
		pthread_join(answers, NULL);
	}
	gcs_server_stop(r->server); /* the player is not used any more */
	gcs_player_destroy(player);
	return code;
}

int cmd_replay(const struct cli_arguments *a, struct out *out)
{
	(void)out;
	struct gcs_error err;
	struct gcs_trace *trace = gcs_trace_open(a->address, &err);
	if (trace == NULL)
		return cli_fail("%s", err.text);
	struct replay r = {.speed = a->speed,
	    .once = a->once,
	    .waits = true,
	    .lock = PTHREAD_MUTEX_INITIALIZER,
	    .changed = PTHREAD_COND_INITIALIZER};
	struct gcs_model *model = gcs_trace_model(trace);
	r.server = make_server(&r, a, model);
	gcs_model_unref(model);
	if (r.server == NULL) {
		gcs_trace_close(trace);
		return CLI_FAILED;
	}
	say_what(a, trace, gcs_server_port(r.server));
	const int code = serve(&r, a, trace);
	gcs_server_destroy(r.server);
	return code;
}
