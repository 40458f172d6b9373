/* The messages of a snapshot, BEGIN to END. */

#include "decoder.h"
#include "paranoid.h"

static enum gcs_status on_begin(struct decoder *m, struct rd *r)
{
	if (m->building != NULL)
		return GCS_STATE;
	decoder_report_model(m);
	m->model_shared = true;
	if (m->in_place && snapshot_reopen(m->last, m->model)) {
		m->building = m->last;
		m->last = NULL;
	} else {
		m->building = gcs_snapshot_begin(m->model, m->last);
	}
	if (m->building == NULL)
		return GCS_NOMEM;
	get_begin(r, m->building);
	return r->status;
}

static enum gcs_status on_end(struct decoder *m, struct rd *r)
{
	if (!get_end(r, m->building))
		return r->status;
	snapshot_settle(m->building, m->last);
	paranoid_snapshot(m->building);
	gcs_snapshot_unref(m->last);
	m->last = m->building;
	m->building = NULL;
	m->events->snapshot(m->context, m->last);
	return GCS_OK;
}

enum gcs_status decoder_snapshot(struct decoder *m, struct frame *frame, struct arena *a)
{
	struct rd *r = &frame->payload;
	if (frame->kind == GCS_WIRE_BEGIN)
		return on_begin(m, r);
	if (m->building == NULL)
		return GCS_STATE;
	switch (frame->kind) {
	case GCS_WIRE_TILES:
		get_tiles(r, m->building);
		break;
	case GCS_WIRE_NAMES:
		get_names(r, m->building);
		break;
	case GCS_WIRE_STREAM:
	case GCS_WIRE_INCR_STREAM:
		get_stream(r, m->building, frame->kind == GCS_WIRE_INCR_STREAM);
		break;
	case GCS_WIRE_SUMMARY:
		get_summary(r, m->building);
		break;
	case GCS_WIRE_SPACE_INFO:
		get_space_info(r, m->building);
		break;
	case GCS_WIRE_COUNTERS:
		get_counters(r, m->building);
		break;
	case GCS_WIRE_FIRE_TRIGGER:
		get_fired(r, a, m->building);
		break;
	default:
		return on_end(m, r);
	}
	return r->status;
}
