/* The commands of a server of 2002 at an event, which become a snapshot. */
#include "compat2002_client.h"

#include "now.h"
#include "paranoid.h"

static struct compat_client *compat_client_of(struct decoder *m)
{
	return m->own;
}

struct gcs_snapshot *compat_client_building(struct decoder *m)
{
	if (m->building == NULL) {
		m->model_shared = true;
		m->building = gcs_snapshot_begin(m->model, m->last);
		if (m->building == NULL)
			decoder_end(m, GCS_NOMEM, "no memory for the server's data");
	}
	return m->building;
}

bool compat_client_clear_tiles(struct decoder *m, uint32_t space, uint32_t tiles)
{
	struct gcs_snapshot *s = compat_client_building(m);
	if (s == NULL)
		return false;
	if (gcs_snapshot_resize(s, space, 0) && gcs_snapshot_resize(s, space, tiles))
		return true;
	return compat_client_reject(m, NULL, GCS_LIMIT,
	    "describes space \"%.60s\" with %u tiles: too many for all spaces together",
	    m->model->spaces[space].name, tiles);
}

/* The space of a command, or NULL. */
static struct compat_client_space *get_space_id(struct decoder *m, struct rd *r)
{
	int8_t id = w2002_get_byte(r);
	if (r->status != GCS_OK)
		return NULL;
	if (id < 0 || !compat_client_of(m)->spaces[id].known) {
		compat_client_reject(
		    m, r, GCS_MALFORMED, "sent data of space %d, which it has not described", id);
		return NULL;
	}
	return &compat_client_of(m)->spaces[id];
}

/* The number of values that follow, of `size` bytes each. */
static uint32_t get_length(struct decoder *m, struct rd *r, uint32_t most, size_t size)
{
	int32_t count = w2002_get_int(r);
	if (r->status != GCS_OK)
		return 0;
	if (count < 0 || (uint32_t)count > most || (size_t)count * size > rd_left(r)) {
		compat_client_reject(
		    m, r, GCS_LIMIT, "sent %d values, the limit is %u", (int)count, most);
		return 0;
	}
	return (uint32_t)count;
}

static int64_t get_value(struct rd *r, uint8_t type)
{
	return type == W2002_BYTE    ? w2002_get_byte(r)
	       : type == W2002_SHORT ? w2002_get_short(r)
				     : w2002_get_int(r);
}

/* Values of the first tiles; the others keep theirs. Sets the bits of changed tiles (V11). */
static void get_values(struct decoder *m, struct rd *r, uint32_t space, uint32_t stream,
    uint8_t type, uint32_t count, int64_t mask)
{
	uint64_t *changed = NULL;
	int64_t *values = count == 0 ? NULL : snapshot_amend(m->building, space, stream, &changed);
	if (values == NULL && count != 0)
		decoder_end(m, GCS_NOMEM, "no memory for the server's data");
	for (uint32_t i = 0; values != NULL && i < count; i++) {
		int64_t value = get_value(r, type) & mask;
		if (values[i] == value)
			continue;
		values[i] = value;
		uint32_t bit = i / GCS_CHANGED_TILES;
		if (changed != NULL)
			changed[bit / 64] |= (uint64_t)1 << bit % 64;
	}
}

static void on_stream(struct decoder *m, struct rd *r)
{
	static const size_t sizes[W2002_TYPES] = {1, 2, 4};
	struct compat_client_space *s = get_space_id(m, r);
	int8_t id = w2002_get_byte(r);
	if (r->status != GCS_OK || compat_client_building(m) == NULL)
		return;
	uint8_t stream = id < 0 ? COMPAT_CLIENT_UNKNOWN : s->streams[id];
	if (stream == COMPAT_CLIENT_UNKNOWN) {
		compat_client_reject(m, r, GCS_MALFORMED,
		    "sent data of stream %d of \"%.60s\", which it has not described", id,
		    m->model->spaces[s->space].name);
		return;
	}
	size_t size = sizes[s->types[id]];
	uint32_t count = get_length(m, r, gcs_snapshot_tiles(m->building, s->space), size);
	if (stream == COMPAT_CLIENT_LEFT_OUT)
		(void)rd_bytes(r, count * size);
	else
		get_values(m, r, s->space, stream, s->types[id], count, -1);
	s->gathered = true;
}

static void on_control(struct decoder *m, struct rd *r)
{
	struct compat_client_space *s = get_space_id(m, r);
	if (s == NULL || compat_client_building(m) == NULL)
		return;
	uint32_t count = get_length(m, r, gcs_snapshot_tiles(m->building, s->space), 1);
	get_values(m, r, s->space, s->stream_count, W2002_BYTE, count, W2002_CONTROL_BITS);
}

/* Summaries with an unexpected length are ignored; the original client uses only the first values,
 * too. */
static void on_summary(struct decoder *m, struct rd *r)
{
	int64_t values[W2002_MAX_SPACES];
	struct compat_client_space *s = get_space_id(m, r);
	int8_t id = w2002_get_byte(r);
	uint32_t count = get_length(m, r, W2002_MAX_ID, 4);
	for (uint32_t i = 0; i < count; i++)
		values[i] = w2002_get_int(r);
	if (r->status != GCS_OK || compat_client_building(m) == NULL)
		return;
	uint8_t stream = id < 0 ? COMPAT_CLIENT_UNKNOWN : s->streams[id];
	if (stream == COMPAT_CLIENT_UNKNOWN)
		compat_client_reject(m, r, GCS_MALFORMED,
		    "sent data of stream %d of \"%.60s\", which it has not described", id,
		    m->model->spaces[s->space].name);
	if (stream >= s->stream_count)
		return;
	uint32_t wanted = gcs_summary_length(&m->model->spaces[s->space].streams[stream]);
	if (!gcs_snapshot_set_summary(
		m->building, s->space, stream, count < wanted ? 0 : wanted, values))
		decoder_end(m, GCS_NOMEM, "no memory for the server's data");
}

static void on_space_info(struct decoder *m, struct rd *r)
{
	struct arena arena = {0};
	struct compat_client_space *s = get_space_id(m, r);
	const char *words = w2002_get_text(r, &arena, GCS_MAX_TEXT);
	if (r->status == GCS_OK && compat_client_building(m) != NULL &&
	    !gcs_snapshot_set_space_info(m->building, s->space, words))
		decoder_end(m, GCS_NOMEM, "no memory for the server's data");
	arena_fini(&arena);
}

static void on_event_count(struct decoder *m, struct rd *r)
{
	uint32_t count = get_length(m, r, W2002_MAX_SPACES, 4);
	if (r->status != GCS_OK || compat_client_building(m) == NULL)
		return;
	for (uint32_t i = 0; i < count; i++) {
		int32_t value = w2002_get_int(r);
		(void)gcs_snapshot_set_counter(m->building, i, value < 0 ? 0 : (uint64_t)value);
	}
}

/* A new description of a known space: changes the model and continues the snapshot with it. */
static bool describe_anew(struct decoder *m, struct rd *r, struct compat_client_space *s,
    const struct compat_client_description *d)
{
	struct gcs_snapshot *before = m->building != NULL ? m->building : m->last;
	m->model_shared = true;
	if (!decoder_own_model(m) ||
	    gcs_model_set_space(m->model, s->space, &d->space, NULL) != GCS_OK)
		return compat_client_reject(
		    m, r, GCS_NOMEM, "has a description that does not fit in memory");
	compat_client_note(s, d, s->space);
	m->model_shared = true;
	m->events->model(m->context, m->model);
	struct gcs_snapshot *building = gcs_snapshot_begin(m->model, before);
	gcs_snapshot_unref(m->building);
	m->building = building;
	if (building == NULL)
		decoder_end(m, GCS_NOMEM, "no memory for the server's data");
	return building != NULL;
}

static void on_space(struct decoder *m, struct rd *r)
{
	struct arena arena = {0};
	struct compat_client_description d;
	if (compat_client_get_space(m, r, &arena, &d)) {
		struct compat_client_space *s = &compat_client_of(m)->spaces[d.id];
		bool known = s->known;
		if (!known)
			compat_client_reject(m, r, GCS_MALFORMED,
			    "described a new space %d after the bootstrap", d.id);
		else if (s->hash != d.hash)
			known = describe_anew(m, r, s, &d);
		/* All of its data follow. */
		if (known && compat_client_clear_tiles(m, s->space, d.tiles))
			(void)compat_client_get_names(m, r, s->space, d.tiles);
	}
	arena_fini(&arena);
}

static void set_times(
    struct compat_client *e, struct gcs_occurrence *o, int32_t elapsed, int32_t cost)
{
	o->elapsed_ns = elapsed < 0 ? 0 : (uint64_t)elapsed * 1000000u;
	o->compensation_ns = cost < 0 ? 0 : (uint64_t)cost * 1000000u;
	e->time_ns += o->elapsed_ns;
	e->cost_ns += o->compensation_ns;
	o->time_ns = e->time_ns;
	o->cost_ns = e->cost_ns;
	/* The protocol has no time of day: use that of the arrival. */
	o->wall_ns = now_wall_ns();
}

static void on_event(struct decoder *m, struct rd *r)
{
	struct compat_client *e = compat_client_of(m);
	int8_t event = w2002_get_byte(r);
	int32_t elapsed = w2002_get_int(r);
	int32_t compensation = w2002_get_int(r);
	if (r->status != GCS_OK || compat_client_building(m) == NULL)
		return;
	if (event < 0 || (uint32_t)event >= e->event_count) {
		compat_client_reject(
		    m, r, GCS_MALFORMED, "sent event %d, which it has not described", event);
		return;
	}
	struct gcs_occurrence o = {.sequence = ++e->sequence, .event = (uint32_t)event};
	if (o.event >= m->model->event_count)
		o.event = GCS_NONE;
	set_times(e, &o, elapsed, compensation);
	gcs_snapshot_set_occurrence(m->building, &o);
	for (uint32_t i = 0; i < W2002_MAX_SPACES; i++) {
		if (e->spaces[i].known)
			gcs_snapshot_set_gathered(
			    m->building, e->spaces[i].space, e->spaces[i].gathered);
		e->spaces[i].gathered = false;
	}
	snapshot_settle(m->building, m->last);
	paranoid_snapshot(m->building);
	gcs_snapshot_unref(m->last);
	m->last = m->building;
	m->building = NULL;
	m->events->snapshot(m->context, m->last);
}

static void on_command(struct decoder *m, unsigned command, struct rd *r)
{
	switch (command) {
	case W2002_PAUSE:
		m->events->state(
		    m->context, &(struct state_message){.run = GCS_PAUSED, .own = true});
		break;
	case W2002_SHUTDOWN:
		decoder_end(m, GCS_CLOSED, "the server ended the connection");
		break;
	case W2002_STREAM:
		on_stream(m, r);
		break;
	case W2002_EVENT:
		on_event(m, r);
		break;
	case W2002_CONTROL:
		on_control(m, r);
		break;
	case W2002_EVENT_COUNT:
		on_event_count(m, r);
		break;
	case W2002_SUMMARY:
		on_summary(m, r);
		break;
	case W2002_SPACE_INFO:
		on_space_info(m, r);
		break;
	case W2002_SPACE:
		on_space(m, r);
		break;
	default:
		compat_client_reject(
		    m, r, GCS_MALFORMED, "sent command %u, which is not a server's", command);
		break;
	}
}

void compat_client_commands(struct decoder *m, struct rd *r)
{
	if (w2002_get_int(r) != W2002_COMMANDS) {
		compat_client_reject(
		    m, r, GCS_MALFORMED, "sent a frame that does not begin like commands");
		return;
	}
	while (m->phase == DECODER_LIVE) {
		unsigned command = rd_u8(r);
		if (r->status == GCS_OK && command != W2002_END_STREAM) {
			on_command(m, command, r);
			if (r->status != GCS_OK)
				compat_client_reject(m, r, r->status, "sent a bad command %s: %s",
				    w2002_command_name(command), gcs_status_text(r->status));
			continue;
		}
		if (w2002_get_int(r) != W2002_COMMANDS_END || rd_left(r) != 0)
			compat_client_reject(
			    m, r, GCS_MALFORMED, "sent a frame that does not end like commands");
		break;
	}
}
