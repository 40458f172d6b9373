/*
 * Zooms (F16): requests go to the target, and the space that it describes belongs to the client until
 * the client releases it or disconnects. zooms.c keeps the table of zooms.
 */

#include "server_internal.h"

#include "bytes.h"
#include "model_internal.h"
#include "net.h"

static void reject_zoom(struct gcs_server *s, uint64_t ticket, const struct gcs_error *err)
{
	gcs_server_answer(s, ticket, err->status, err->text, NULL, 0);
}

static void release(struct peer *p, uint64_t ticket, uint32_t space)
{
	struct gcs_server *s = p->server;
	struct gcs_error err;
	pthread_mutex_lock(&s->lock);
	enum gcs_status status = zooms_release(&s->zooms, p->slot, space, &err);
	pthread_mutex_unlock(&s->lock);
	if (status != GCS_OK) {
		reject_zoom(s, ticket, &err);
		return;
	}
	server_end_zoom(s, space);
	gcs_server_answer(s, ticket, GCS_OK, "", NULL, 0);
}

void server_zoom(struct peer *p, uint64_t ticket, const struct zoom_message *m)
{
	struct gcs_server *s = p->server;
	struct gcs_error err;
	if (m->block == 0) {
		release(p, ticket, m->space);
		return;
	}
	pthread_mutex_lock(&s->lock);
	struct gcs_model *model = gcs_model_ref(s->model);
	struct gcs_snapshot *latest = gcs_snapshot_ref(s->latest);
	pthread_mutex_unlock(&s->lock);
	/* The newest snapshot may have another description of the space. */
	bool same = latest != NULL && model_edition(gcs_snapshot_model(latest), m->space) ==
					  model_edition(model, m->space);
	enum gcs_status status = zooms_check(model, same ? latest : NULL, m, &err);
	pthread_mutex_lock(&s->lock);
	if (status == GCS_OK)
		status = zooms_ask(&s->zooms, p->slot, ticket, &err);
	pthread_mutex_unlock(&s->lock);
	if (status == GCS_OK) {
		struct gcs_zoom zoom = {
		    .ticket = ticket,
		    .space = m->space,
		    .of = &model->spaces[m->space],
		    .start = m->start,
		    .end = m->end,
		    .block_bytes = m->block,
		};
		server_begin_zoom(s, &zoom);
		server_show_zoom(s, (uint32_t)1 << p->slot);
	} else {
		reject_zoom(s, ticket, &err);
	}
	gcs_snapshot_unref(latest);
	gcs_model_unref(model);
}

void server_drop_zooms(struct peer *p)
{
	struct gcs_server *s = p->server;
	uint32_t space;
	if (!peer_has_slot(p))
		return;
	do {
		pthread_mutex_lock(&s->lock);
		space = zooms_leave(&s->zooms, p->slot);
		pthread_mutex_unlock(&s->lock);
		if (space != GCS_NONE)
			server_end_zoom(s, space);
	} while (space != GCS_NONE);
}

bool gcs_server_zoomed(struct gcs_server *s, uint64_t ticket, uint32_t space)
{
	struct wr body;
	wr_init(&body, 16);
	wr_varint(&body, space);
	if (body.status != GCS_OK)
		gcs_server_answer(s, ticket, GCS_NOMEM, "no memory for the answer", NULL, 0);
	pthread_mutex_lock(&s->lock);
	struct answer_slot *slot = server_find_question(s, ticket);
	bool wanted = slot != NULL && zooms_made(&s->zooms, ticket, space);
	if (wanted) {
		slot->answered = true;
		slot->status = GCS_OK;
		slot->bytes = body.data;
		slot->length = body.length;
		/* The description of the space must be sent before the answer. */
		slot->after_model = model_serial(s->model);
		body.data = NULL;
	}
	pthread_mutex_unlock(&s->lock);
	wr_fini(&body);
	net_wake(s->wake[1]);
	return wanted;
}
