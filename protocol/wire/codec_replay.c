/* POSITION and SEEK. */

#include "codec.h"

enum { FLAG_LOOP = 1, FLAG_ENDED = 2 };

static int64_t thousandths(double speed)
{
	return (int64_t)(speed < 0 ? speed * 1000 - 0.5 : speed * 1000 + 0.5);
}

void put_position(struct wr *w, const struct gcs_position *p)
{
	size_t at = frame_begin(w, GCS_WIRE_POSITION);
	wr_varint(w, p->place);
	wr_varint(w, p->events);
	wr_varint(w, p->first_time_ns);
	wr_varint(w, p->last_time_ns);
	wr_varint(w, p->time_ns);
	wr_zigzag(w, thousandths(p->speed));
	wr_u8(w, (uint8_t)((p->loop ? FLAG_LOOP : 0) | (p->ended ? FLAG_ENDED : 0)));
	wr_varint(w, p->skipped);
	frame_end(w, at, NULL);
}

bool get_position(struct rd *r, struct gcs_position *p)
{
	p->place = rd_varint(r);
	p->events = rd_varint(r);
	p->first_time_ns = rd_varint(r);
	p->last_time_ns = rd_varint(r);
	p->time_ns = rd_varint(r);
	p->speed = (double)rd_zigzag(r) / 1000;
	const uint8_t flags = rd_u8(r);
	p->loop = (flags & FLAG_LOOP) != 0;
	p->ended = (flags & FLAG_ENDED) != 0;
	p->skipped = rd_varint(r);
	if (p->place >= p->events || p->speed > GCS_SPEED_FASTEST || p->speed < -GCS_SPEED_FASTEST)
		rd_fail(r, GCS_MALFORMED);
	return r->status == GCS_OK;
}

void put_seek(struct wr *w, const struct gcs_seek *seek)
{
	size_t at = frame_begin(w, GCS_WIRE_SEEK);
	wr_u8(w, (uint8_t)seek->action);
	wr_zigzag(w, seek->value);
	frame_end(w, at, NULL);
}

bool get_seek(struct rd *r, struct gcs_seek *seek)
{
	seek->action = (enum gcs_seek_action)rd_enum(r, GCS_SEEK_ACTION_COUNT);
	seek->value = rd_zigzag(r);
	return r->status == GCS_OK;
}
