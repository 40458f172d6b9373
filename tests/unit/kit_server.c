#include "kit_server.h"

#include <stdio.h>
#include <string.h>

static void look(void *context, const struct gcs_ticket *ticket)
{
	struct target *t = context;
	(void)ticket;
	atomic_fetch_add(&t->looks, 1);
}

static void attached(void *context, bool anybody)
{
	struct target *t = context;
	atomic_fetch_add(anybody ? &t->comings : &t->goings, 1);
}

static void log_line(void *context, const char *line)
{
	struct target *t = context;
	snprintf(t->line, sizeof t->line, "%s", line);
	atomic_fetch_add(&t->lines, 1);
}

static enum gcs_status describe(struct target *t)
{
	enum gcs_status status = GCS_OK;
	for (uint32_t i = 0; status == GCS_OK && i < KIT_EVENTS; i++)
		status = gcs_server_add_event(t->server, &kit_events[i], NULL, &t->err);
	for (uint32_t i = 0; status == GCS_OK && i < 3; i++)
		status = gcs_server_add_group(t->server, &kit_groups[i], NULL, &t->err);
	for (uint32_t i = 0; status == GCS_OK && i < KIT_SPACES; i++)
		status = gcs_server_add_space(t->server, &kit_spaces[i], NULL, &t->err);
	return status;
}

bool target_init(struct target *t, const struct gcs_server_options *options)
{
	return target_init_recorded(t, options, NULL);
}

bool target_init_recorded(
    struct target *t, const struct gcs_server_options *options, struct gcs_recorder *recorder)
{
	return target_init_ring(t, options, NULL, recorder);
}

bool target_init_ring(struct target *t, const struct gcs_server_options *options,
    const struct gcs_ring_options *ring, struct gcs_recorder *recorder)
{
	*t = (struct target){.options = *options, .random = 1};
	if (t->options.name == NULL)
		t->options.name = "Target";
	t->options.state_request = look;
	t->options.attached = attached;
	t->options.log = log_line;
	t->options.context = t;
	t->server = gcs_server_create(&t->options, &t->err);
	if (t->server == NULL)
		return false;
	if (recorder != NULL)
		gcs_server_record(t->server, recorder, &t->err);
	if ((ring != NULL && gcs_server_set_ring(t->server, ring, &t->err) != GCS_OK) ||
	    describe(t) != GCS_OK || gcs_server_start(t->server, &t->err) != GCS_OK) {
		gcs_server_destroy(t->server);
		t->server = NULL;
		return false;
	}
	snprintf(t->address, sizeof t->address, "%d", gcs_server_port(t->server));
	return true;
}

void target_fini(struct target *t)
{
	gcs_server_destroy(t->server);
}

static void fill(struct target *t, struct gcs_snapshot *s, uint32_t tiles)
{
	uint64_t counts[KIT_EVENTS];
	for (uint32_t i = 0; i < KIT_EVENTS; i++)
		counts[i] = gcs_snapshot_counter(s, i);
	for (unsigned i = 0; tiles == 0 && i < 10; i++)
		kit_change(s, &t->random);
	for (uint32_t i = 0; i < KIT_EVENTS; i++) /* the server's own counts are the truth */
		gcs_snapshot_set_counter(s, i, counts[i]);
	if (tiles == 0 || !gcs_snapshot_resize(s, KIT_HEAP, tiles))
		return;
	int64_t *starts = gcs_snapshot_write(s, KIT_HEAP, KIT_START);
	int64_t *ends = gcs_snapshot_write(s, KIT_HEAP, KIT_END);
	for (uint32_t i = 0; starts != NULL && ends != NULL && i < tiles; i++) {
		starts[i] = (int64_t)(kit_random(&t->random) >> 1);
		ends[i] = starts[i] + 4096;
	}
}

uint32_t target_event(struct target *t, uint32_t event, uint32_t tiles)
{
	struct gcs_ticket ticket;
	if (gcs_server_enter(t->server, event, &ticket)) {
		struct gcs_snapshot *s = gcs_server_begin(t->server, &ticket);
		if (s == NULL) {
			gcs_server_miss(t->server, &ticket);
		} else {
			fill(t, s, tiles);
			gcs_server_publish(t->server, &ticket, s);
		}
	}
	gcs_server_leave(t->server, &ticket);
	return ticket.audience;
}

struct gcs_client *target_client(struct target *t, const struct gcs_client_options *options)
{
	struct gcs_client_options o = *options;
	if (o.address == NULL)
		o.address = t->address;
	struct gcs_client *c = gcs_client_open(&o, &t->err);
	if (c != NULL && gcs_client_wait(c, 10000) == GCS_CLIENT_LIVE)
		return c;
	if (c != NULL)
		gcs_client_error(c, &t->err);
	gcs_client_close(c);
	return NULL;
}

struct gcs_server_stats target_stats(struct target *t)
{
	struct gcs_server_stats stats;
	gcs_server_stats(t->server, &stats);
	return stats;
}
