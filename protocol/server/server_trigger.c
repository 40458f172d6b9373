/* Triggers of clients, and what clients are interested in. On the I/O thread. */

#include "reserved.h"
#include "server_internal.h"

#include <stdio.h>

void server_trigger(struct peer *p, uint64_t ticket, const struct trigger_message *message)
{
	struct gcs_error err = {.status = GCS_OK};
	const struct gcs_trigger *t = &message->trigger;
	const enum gcs_status status = message->remove
					   ? triggers_remove(p->server, t->name, p->slot, &err)
					   : triggers_set(p->server, t, p->slot, &err);
	if (status == GCS_OK && !message->remove)
		server_collect_counts(p->server);
	char line[sizeof err.text];
	snprintf(line, sizeof line, "%s", err.text);
	if (status == GCS_OK)
		snprintf(line, sizeof line, "trigger \"%.200s\" is %s", t->name,
		    message->remove ? "removed" : "set");
	gcs_server_answer(p->server, ticket, status, line, NULL, 0);
}

void server_trigger_list(struct peer *p, uint64_t ticket)
{
	struct wr w;
	wr_init(&w, GCS_MAX_TRIGGERS * (GCS_MAX_TEXT + 1024));
	const bool ok = triggers_list(p->server, p->slot, &w);
	gcs_server_answer(
	    p->server, ticket, ok ? GCS_OK : GCS_NOMEM, "", w.data, ok ? w.length : 0);
	wr_fini(&w);
}

void server_interest(struct peer *p, const struct interest_message *i)
{
	atomic_uint *clients = &p->server->interest[i->event][i->attribute];
	if (i->on)
		atomic_fetch_or(clients, server_bit(p->slot));
	else
		atomic_fetch_and(clients, ~server_bit(p->slot));
}

void server_drop_triggers(struct peer *p)
{
	for (uint32_t i = 0; i < GCS_MAX_EVENTS; i++)
		for (uint32_t k = 0; k < GCS_MAX_ATTRIBUTES; k++)
			atomic_fetch_and(&p->server->interest[i][k], ~server_bit(p->slot));
	triggers_leave(p->server, p->slot);
}

enum gcs_status gcs_server_set_trigger(
    struct gcs_server *s, const struct gcs_trigger *trigger, struct gcs_error *err)
{
	if (GIVEN("a trigger", trigger, err) != GCS_OK)
		return GCS_ARGUMENT;
	return triggers_set(s, trigger, GCS_NONE, err);
}

enum gcs_status gcs_server_remove_trigger(
    struct gcs_server *s, const char *name, struct gcs_error *err)
{
	if (GIVEN("the name of a trigger", name, err) != GCS_OK)
		return GCS_ARGUMENT;
	return triggers_remove(s, name, GCS_NONE, err);
}
