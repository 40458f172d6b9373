#include "server_internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/memory.h>

#include "inside.h"
#include "model_internal.h"
#include "net.h"
#include "own_files.h"
#include "reserved.h"
#include "server_fork.h"
#include "server_ring.h"
#include "thread.h"

enum { DEFAULT_CLIENTS = 16, DEFAULT_KEEP_ALIVE_MS = 10000, DEFAULT_QUEUE_BYTES = 2 << 20 };

static enum gcs_status check_options(const struct gcs_server_options *o, struct gcs_error *err)
{
	if (RESERVED_CHECK("the options of a server", o, err) != GCS_OK)
		return GCS_ARGUMENT;
	if ((o->zoom == NULL) != (o->unzoom == NULL))
		return gcs_fail(err, GCS_ARGUMENT, "zoom and unzoom: give both or neither");
	if (o->name == NULL || strlen(o->name) > GCS_MAX_NAME)
		return gcs_fail(
		    err, GCS_ARGUMENT, "the server needs a name of at most %u bytes", GCS_MAX_NAME);
	if (o->fork != GCS_FORK_OFF && o->fork != GCS_FORK_OWN)
		return gcs_fail(err, GCS_ARGUMENT, "fork %d: must be GCS_FORK_OFF or GCS_FORK_OWN",
		    (int)o->fork);
	if (o->port < -1 || o->port > 65535)
		return gcs_fail(err, GCS_ARGUMENT, "port %d: must be 0 to 65535", o->port);
	if (o->max_clients > GCS_MAX_CLIENTS)
		return gcs_fail(err, GCS_ARGUMENT, "%u clients: must be at most %u", o->max_clients,
		    GCS_MAX_CLIENTS);
	if (o->keep_alive_ms > CODEC_MAX_INTERVAL_MS)
		return gcs_fail(err, GCS_ARGUMENT, "keep-alive limit %u ms: must be at most %u",
		    o->keep_alive_ms, CODEC_MAX_INTERVAL_MS);
	if (o->token != NULL && (o->token[0] == '\0' || strlen(o->token) > CODEC_MAX_TOKEN))
		return gcs_fail(
		    err, GCS_ARGUMENT, "the token must have 1 to %u bytes", CODEC_MAX_TOKEN);
	if (o->port != -1 && o->host != NULL && o->token == NULL)
		return net_check_loopback(o->host, err);
	return GCS_OK;
}

static bool copy_text(char **to, const char *from)
{
	*to = from == NULL ? NULL : gcs_strdup(from);
	return from == NULL || *to != NULL;
}

static struct gcs_server *create(const struct gcs_server_options *options, struct gcs_error *err)
{
	if (check_options(options, err) != GCS_OK)
		return NULL;
	struct gcs_server *s = gcs_zalloc(sizeof *s);
	if (s == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory for a server");
		return NULL;
	}
	s->options = *options;
	s->listeners[0] = s->listeners[1] = s->port = -1;
	if (!net_pipe(s->wake)) {
		gcs_fail(err, GCS_IO, "cannot make a pipe: %s", strerror(errno));
		gcs_free(s);
		return NULL;
	}
	for (int i = 0; i < 2; i++)
		s->wake[i] = own_files_add(s->wake[i]);
	if (!gate_init(&s->gate, s->wake[1]) || pthread_mutex_init(&s->lock, NULL) != 0 ||
	    pthread_mutex_init(&s->describing, NULL) != 0 ||
	    pthread_mutex_init(&s->updates_lock, NULL) != 0 || !triggers_init(&s->triggers)) {
		gcs_fail(err, GCS_NOMEM, "cannot make a lock");
		own_files_close(s->wake[0]);
		own_files_close(s->wake[1]);
		gcs_free(s);
		return NULL;
	}
	bool ok = copy_text(&s->token, options->token) &&
		  copy_text(&s->host, options->host == NULL ? "127.0.0.1" : options->host) &&
		  copy_text(&s->socket_path, options->socket_path);
	if (s->options.max_clients == 0)
		s->options.max_clients = DEFAULT_CLIENTS;
	if (s->options.keep_alive_ms == 0)
		s->options.keep_alive_ms = DEFAULT_KEEP_ALIVE_MS;
	if (s->options.queue_bytes == 0)
		s->options.queue_bytes = DEFAULT_QUEUE_BYTES;
	s->model = gcs_model_create(options->name);
	if (!ok || s->model == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory for a server");
		gcs_server_destroy(s);
		return NULL;
	}
	return s;
}

struct gcs_server *gcs_server_create(
    const struct gcs_server_options *options, struct gcs_error *err)
{
	inside_begin();
	struct gcs_server *s = create(options, err);
	inside_end();
	return s;
}

static void close_listeners(struct gcs_server *s)
{
	if (s->listeners[1] != -1)
		unlink(s->socket_path);
	own_files_close(s->listeners[0]);
	own_files_close(s->listeners[1]);
	s->listeners[0] = s->listeners[1] = s->port = -1;
}

void gcs_server_destroy(struct gcs_server *s)
{
	if (s == NULL)
		return;
	gcs_server_stop(s);
	close_listeners(s);
	zoom_spaces_fini(s);
	gcs_snapshot_unref(s->latest);
	gcs_model_unref(s->model);
	triggers_fini(&s->triggers);
	gate_fini(&s->gate);
	pthread_mutex_destroy(&s->lock);
	pthread_mutex_destroy(&s->describing);
	pthread_mutex_destroy(&s->updates_lock);
	own_files_close(s->wake[0]);
	own_files_close(s->wake[1]);
	gcs_free(s->host);
	gcs_free(s->socket_path);
	gcs_free(s->token);
	gcs_free(s);
}

/* Snapshots and sessions hold the model, so a change replaces it by a changed copy. */
static struct gcs_model *begin_change(struct gcs_server *s, struct gcs_error *err)
{
	pthread_mutex_lock(&s->describing);
	pthread_mutex_lock(&s->lock);
	struct gcs_model *copy = gcs_model_copy(s->model);
	pthread_mutex_unlock(&s->lock);
	if (copy == NULL) {
		pthread_mutex_unlock(&s->describing);
		gcs_fail(err, GCS_NOMEM, "no memory for the description");
	}
	return copy;
}

static enum gcs_status end_change(
    struct gcs_server *s, struct gcs_model *changed, enum gcs_status status)
{
	struct gcs_model *old = changed;
	if (status == GCS_OK) {
		pthread_mutex_lock(&s->lock);
		old = s->model;
		s->model = changed;
		pthread_mutex_unlock(&s->lock);
		net_wake(s->wake[1]);
	}
	pthread_mutex_unlock(&s->describing);
	gcs_model_unref(old);
	return status;
}

enum gcs_status gcs_server_set_name(struct gcs_server *s, const char *name, struct gcs_error *err)
{
	if (s->running)
		return gcs_fail(
		    err, GCS_STATE, "cannot set the name \"%.60s\": the server has started", name);
	struct gcs_model *m = begin_change(s, err);
	return m == NULL ? GCS_NOMEM : end_change(s, m, model_set_server_name(m, name, err));
}

/* Commands, triggers and conditions choose by name. What comes from a file or another server is shown as it
 * is; a missing name is found later. */
static enum gcs_status check_unique(const struct gcs_space *space, struct gcs_error *err)
{
	for (uint32_t i = 0; space != NULL && space->streams != NULL && i < space->stream_count;
	     i++)
		for (uint32_t k = 0; k < i && i < GCS_MAX_STREAMS; k++)
			if (space->streams[i].name != NULL && space->streams[k].name != NULL &&
			    strcmp(space->streams[i].name, space->streams[k].name) == 0)
				return gcs_fail(err, GCS_ARGUMENT,
				    "a space has two streams \"%.60s\"", space->streams[i].name);
	return GCS_OK;
}

enum gcs_status gcs_server_add_event(
    struct gcs_server *s, const struct gcs_event *event, uint32_t *id, struct gcs_error *err)
{
	if (GIVEN("an event", event, err) != GCS_OK)
		return GCS_ARGUMENT;
	if (s->running)
		return gcs_fail(err, GCS_STATE,
		    "cannot add event \"%.60s\": the server has started", event->name);
	struct gcs_model *m = begin_change(s, err);
	return m == NULL ? GCS_NOMEM : end_change(s, m, gcs_model_add_event(m, event, id, err));
}

enum gcs_status gcs_server_add_group(
    struct gcs_server *s, const struct gcs_group *group, uint32_t *id, struct gcs_error *err)
{
	struct gcs_model *m = begin_change(s, err);
	return m == NULL ? GCS_NOMEM : end_change(s, m, gcs_model_add_group(m, group, id, err));
}

enum gcs_status gcs_server_add_space(
    struct gcs_server *s, const struct gcs_space *space, uint32_t *id, struct gcs_error *err)
{
	struct gcs_model *m = begin_change(s, err);
	if (m == NULL)
		return GCS_NOMEM;
	enum gcs_status status = check_unique(space, err);
	if (status == GCS_OK)
		status = gcs_model_add_space(m, space, id, err);
	if (status == GCS_OK)
		status = server_describe_fragmentation(m, err);
	return end_change(s, m, status);
}

enum gcs_status gcs_server_add_plugin(
    struct gcs_server *s, const struct gcs_plugin *plugin, uint32_t *id, struct gcs_error *err)
{
	if (GIVEN("a plugin", plugin, err) != GCS_OK ||
	    GIVEN_ARRAY("the parameters of a plugin", plugin->parameters, plugin->parameter_count,
		err) != GCS_OK)
		return GCS_ARGUMENT;
	for (uint32_t i = 0; i < plugin->parameter_count && i < GCS_MAX_PARAMETERS; i++) {
		const struct gcs_parameter *p = &plugin->parameters[i];
		if (p->initial != NULL && p->name != NULL &&
		    model_check_value(p, p->initial, NULL, err) != GCS_OK)
			return GCS_ARGUMENT;
	}
	struct gcs_model *m = begin_change(s, err);
	if (m == NULL)
		return GCS_NOMEM;
	enum gcs_status status = GCS_OK;
	if (plugin->name != NULL && strcmp(plugin->name, "fragmentation") == 0)
		status = server_replace_fragmentation(m, err);
	if (status == GCS_OK)
		status = gcs_model_add_plugin(m, plugin, id, err);
	return end_change(s, m, status);
}

enum gcs_status gcs_server_set_space(
    struct gcs_server *s, uint32_t id, const struct gcs_space *space, struct gcs_error *err)
{
	struct gcs_model *m = begin_change(s, err);
	if (m == NULL)
		return GCS_NOMEM;
	enum gcs_status status = check_unique(space, err);
	if (status == GCS_OK)
		status = gcs_model_set_space(m, id, space, err);
	if (status == GCS_OK)
		status = server_describe_fragmentation(m, err);
	return end_change(s, m, status);
}

enum gcs_status gcs_server_remove_space(struct gcs_server *s, uint32_t id, struct gcs_error *err)
{
	struct gcs_model *m = begin_change(s, err);
	return m == NULL ? GCS_NOMEM : end_change(s, m, gcs_model_remove_space(m, id, err));
}

enum gcs_status gcs_server_set_info(
    struct gcs_server *s, const char *key, const char *value, struct gcs_error *err)
{
	struct gcs_model *m = begin_change(s, err);
	return m == NULL ? GCS_NOMEM : end_change(s, m, gcs_model_set_info(m, key, value, err));
}

static enum gcs_status open_sockets(struct gcs_server *s, struct gcs_error *err)
{
	struct gcs_error local;
	if (err == NULL)
		err = &local;
	if (s->listeners[0] != -1 || s->listeners[1] != -1)
		return gcs_fail(err, GCS_STATE, "the server is listening already");
	err->status = GCS_OK;
	if (s->options.port != -1)
		s->listeners[0] = net_listen_tcp(s->host, s->options.port, &s->port, err);
	if (s->listeners[0] != -1)
		net_lookup_init(&s->lookup, s->listeners[0]);
	s->listeners[0] = own_files_add(s->listeners[0]);
	if (err->status == GCS_OK && s->socket_path != NULL)
		s->listeners[1] = own_files_add(net_listen_unix(s->socket_path, err));
	if (err->status != GCS_OK)
		close_listeners(s);
	return err->status;
}

enum gcs_status gcs_server_listen(struct gcs_server *s, struct gcs_error *err)
{
	inside_begin();
	enum gcs_status status = open_sockets(s, err);
	inside_end();
	return status;
}

static enum gcs_status start(struct gcs_server *s, struct gcs_error *err)
{
	if (s->running)
		return gcs_fail(err, GCS_STATE, "the server has started already");
	if (s->listeners[0] == -1 && s->listeners[1] == -1) {
		enum gcs_status status = gcs_server_listen(s, err);
		if (status != GCS_OK)
			return status;
	}
	atomic_store(&s->stopping, false);
	s->threaded = s->listeners[0] != -1 || s->listeners[1] != -1;
	if (!server_ring_start(s)) {
		close_listeners(s);
		return gcs_fail(err, GCS_NOMEM, "cannot start the ring's thread");
	}
	server_record_begin(s);
	if (!server_fork_add(s) ||
	    (s->threaded && !thread_start(&s->thread, "gcspy-io", server_io_run, s))) {
		server_fork_remove(s);
		server_record_end(s);
		server_ring_stop(s);
		close_listeners(s);
		return gcs_fail(err, GCS_NOMEM, "cannot start the server's thread");
	}
	for (int i = 0; i < 2 && s->threaded; i++)
		own_files_leave(s->listeners[i]);
	s->running = true;
	s->process = (long)getpid();
	return GCS_OK;
}

enum gcs_status gcs_server_start(struct gcs_server *s, struct gcs_error *err)
{
	inside_begin();
	enum gcs_status status = start(s, err);
	inside_end();
	return status;
}

int gcs_server_port(const struct gcs_server *s)
{
	return s->port;
}

const char *gcs_server_socket_path(const struct gcs_server *s)
{
	return s->socket_path;
}

void gcs_server_stop_at_exit(struct gcs_server *s)
{
	if (s == NULL)
		return;
	s->program_ends = true;
	gcs_server_stop(s);
}

void gcs_server_stop(struct gcs_server *s)
{
	if (s == NULL)
		return;
	if (!s->running) {
		server_record_finish(s);
		return;
	}
	atomic_store(&s->stopping, true);
	net_wake(s->wake[1]);
	if (s->threaded)
		pthread_join(s->thread, NULL);
	server_record_finish(s);
	close_listeners(s);
	server_fork_remove(s);
	s->running = false;
}

/* Answers. */

struct answer_slot *server_find_question(struct gcs_server *s, uint64_t ticket)
{
	for (uint32_t slot = 0; slot < GCS_MAX_CLIENTS; slot++) {
		struct answer_slot *question =
		    s->peers[slot] == NULL ? NULL : answers_find(&s->peers[slot]->answers, ticket);
		if (question != NULL)
			return question;
	}
	return NULL;
}

const char *gcs_query_value(const struct gcs_query *query, const char *key)
{
	for (uint32_t i = query->count; i-- > 0;)
		if (strcmp(query->parameters[i].key, key) == 0)
			return query->parameters[i].value;
	return NULL;
}

void gcs_server_answer(struct gcs_server *s, uint64_t ticket, enum gcs_status status,
    const char *message, const void *bytes, size_t length)
{
	uint8_t *copy = NULL;
	message = message == NULL ? "" : message;
	length = bytes == NULL ? 0 : length;
	char *settings = server_list_settings(s, ticket, status, bytes, &length);
	if (settings != NULL) {
		bytes = settings;
		status = GCS_OK;
		message = "";
	}
	char *line = message[0] == '\0' ? NULL : gcs_strdup(message);
	if (line != NULL && strlen(line) > GCS_MAX_TEXT)
		line[GCS_MAX_TEXT] = '\0';
	if (length > GCS_MAX_ANSWER)
		status = GCS_LIMIT;
	else if (length != 0 && (copy = gcs_alloc(length)) == NULL)
		status = GCS_NOMEM;
	else if (length != 0)
		memcpy(copy, bytes, length);
	pthread_mutex_lock(&s->lock);
	struct answer_slot *slot = server_find_question(s, ticket);
	if (status != GCS_OK)
		zooms_reject(&s->zooms, ticket);
	if (slot != NULL) {
		slot->answered = true;
		slot->status = status;
		slot->message = line;
		slot->bytes = copy;
		slot->length = copy == NULL ? 0 : length;
		line = NULL;
		copy = NULL;
	}
	pthread_mutex_unlock(&s->lock);
	gcs_free(settings);
	gcs_free(line);
	gcs_free(copy);
	net_wake(s->wake[1]);
}

void gcs_server_stats(struct gcs_server *s, struct gcs_server_stats *stats)
{
	struct gate_view view;
	gate_read(&s->gate, &view);
	pthread_mutex_lock(&s->lock);
	*stats = s->stats;
	stats->clients = atomic_load(&s->attached) - s->recording;
	pthread_mutex_unlock(&s->lock);
	stats->held_ns = view.held_ns;
}
