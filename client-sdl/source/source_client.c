/* A connection as a source. The client library does its own locking. */
#include "source.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "resolve.h"

struct connection {
	struct gcs_client *client;
	struct resolved resolved;
	const struct source_options *options;
	bool asked; /* its state has been queried */
};

static struct gcs_client *client_of(void *self)
{
	const struct connection *connection = self;
	return connection->client;
}

/* A connection may be refused before its state is first queried. The first state is "connecting"
 * all the same: after another lost connection the failure would not be a change of state. */
static bool is_connecting(struct connection *connection)
{
	if (connection->asked)
		return false;
	connection->asked = true;
	if (connection->options->wake != NULL)
		connection->options->wake(connection->options->context);
	return true;
}

/* The process in the usual name of an agent's socket, "unix:/tmp/.gcspy_4711"; 0: none. */
static long process_of(const char *address)
{
	static const char mark[] = "/.gcspy_";
	const char *at = strncmp(address, "unix:", 5) == 0 ? strstr(address, mark) : NULL;
	const char *digits = at != NULL ? at + sizeof mark - 1 : "";
	const size_t n = strspn(digits, "0123456789");
	return n > 0 && n <= 10 && digits[n] == 0 ? strtol(digits, NULL, 10) : 0;
}

/* What is lost with its process will not come back. */
static void note_end(const struct connection *connection, struct gcs_error *why)
{
	const long process = process_of(connection->resolved.address);
	if (process > 0 && kill((pid_t)process, 0) != 0 && errno == ESRCH)
		gcs_fail(why, GCS_ENDED, "process %ld has ended", process);
}

static enum source_state client_state(void *self, struct gcs_error *why)
{
	struct connection *connection = self;
	switch (gcs_client_state(connection->client)) {
	case GCS_CLIENT_CONNECTING:
		connection->asked = true;
		return SOURCE_CONNECTING;
	case GCS_CLIENT_LIVE:
		connection->asked = true;
		return SOURCE_LIVE;
	case GCS_CLIENT_LOST:
		break;
	}
	if (is_connecting(connection))
		return SOURCE_CONNECTING;
	gcs_client_error(connection->client, why);
	const char *hint = connection->resolved.hint;
	size_t used = strlen(why->text);
	if (why->status == GCS_UNREACHABLE && hint[0] != 0)
		snprintf(why->text + used, sizeof why->text - used, "; %s", hint);
	note_end(connection, why);
	return SOURCE_LOST;
}

static struct gcs_snapshot *client_next(void *self)
{
	return gcs_client_next(client_of(self), 0);
}

static enum gcs_run_state client_run_state(void *self, bool *own, uint32_t *others)
{
	return gcs_client_run_state(client_of(self), own, others);
}

static enum gcs_status client_pause(void *self)
{
	return gcs_client_pause(client_of(self));
}

static enum gcs_status client_resume(void *self)
{
	return gcs_client_resume(client_of(self), true);
}

static enum gcs_status client_step(void *self)
{
	return gcs_client_step(client_of(self));
}

static void client_collapse(void *self, uint32_t group, bool collapsed)
{
	gcs_client_collapse_group(client_of(self), group, collapsed);
}

static enum gcs_status client_set_filter(
    void *self, uint32_t event, const struct gcs_filter *filter)
{
	return gcs_client_set_filter(client_of(self), event, filter);
}

static enum gcs_status client_set_interval(void *self, uint32_t ms)
{
	return gcs_client_set_pace(
	    client_of(self), ms == 0 ? GCS_PACE_EVENTS : GCS_PACE_INTERVAL, ms);
}

static uint32_t client_notice(void *self, char *text, size_t size)
{
	return gcs_client_notice(client_of(self), text, size);
}

static uint64_t client_received(void *self)
{
	return gcs_client_received(client_of(self));
}

static uint64_t client_overrun(void *self)
{
	return gcs_client_overrun(client_of(self));
}

static enum gcs_status client_query(
    void *self, const char *topic, uint32_t count, const struct gcs_info *parameters, uint32_t *id)
{
	return gcs_client_query(client_of(self), topic, count, parameters, id);
}

static enum gcs_status client_set(void *self, const char *key, const char *value, uint32_t *id)
{
	return gcs_client_set(client_of(self), key, value, id);
}

static enum gcs_status client_set_trigger(
    void *self, const struct gcs_trigger *trigger, uint32_t *id)
{
	return gcs_client_set_trigger(client_of(self), trigger, id);
}

static enum gcs_status client_remove_trigger(void *self, const char *name, uint32_t *id)
{
	return gcs_client_remove_trigger(client_of(self), name, id);
}

static enum gcs_status client_zoom(
    void *self, uint32_t space, uint64_t start, uint64_t end, uint64_t block, uint32_t *id)
{
	return gcs_client_zoom(client_of(self), space, start, end, block, id);
}

static enum gcs_status client_unzoom(void *self, uint32_t space, uint32_t *id)
{
	return gcs_client_unzoom(client_of(self), space, id);
}

static struct gcs_answer *client_answer(void *self, uint32_t id)
{
	return gcs_client_answer(client_of(self), id, 0);
}

static bool client_position(void *self, struct gcs_position *position)
{
	return gcs_client_position(client_of(self), position);
}

static enum gcs_status client_seek(void *self, const struct gcs_seek *request)
{
	return gcs_client_seek(client_of(self), request);
}

static void client_close(void *self)
{
	gcs_client_close(client_of(self));
	free(self);
}

static const struct source_ops client_ops = {
    .state = client_state,
    .next = client_next,
    .run_state = client_run_state,
    .pause = client_pause,
    .resume = client_resume,
    .step = client_step,
    .collapse = client_collapse,
    .set_filter = client_set_filter,
    .set_interval = client_set_interval,
    .notice = client_notice,
    .received = client_received,
    .overrun = client_overrun,
    .query = client_query,
    .set = client_set,
    .answer = client_answer,
    .set_trigger = client_set_trigger,
    .remove_trigger = client_remove_trigger,
    .zoom = client_zoom,
    .unzoom = client_unzoom,
    .position = client_position,
    .seek = client_seek,
    .close = client_close,
};

bool source_client_open(void *context, const char *address, bool pause_at_start,
    struct source *source, struct gcs_error *err)
{
	const struct source_options *options = context;
	struct connection *self = calloc(1, sizeof *self);
	*source = (struct source){0};
	if (self == NULL) {
		gcs_fail(err, GCS_NOMEM, "out of memory");
		return false;
	}
	self->options = options;
	struct gcs_client_options client = {
	    .address = self->resolved.address,
	    .token = options->token,
	    .name = "gcspy-view " GCS_VERSION_STRING,
	    .pause_at_start = pause_at_start,
	    .compress = true,
	    .changed = options->wake,
	    .context = options->context,
	};
	if (resolve(address, &self->resolved, err) == GCS_OK)
		self->client = gcs_client_open(&client, err);
	if (self->client == NULL) {
		free(self);
		return false;
	}
	*source = (struct source){.self = self, .ops = &client_ops};
	/* Later the same number may be taken for a port. */
	if (address[strspn(address, "0123456789")] == 0 &&
	    strcmp(address, self->resolved.address) != 0)
		source->process = strtol(address, NULL, 10);
	return true;
}
