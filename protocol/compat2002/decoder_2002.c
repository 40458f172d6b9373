/* A connection to a server of 2002: hello, bootstrap, then frames of commands. */
#include "decoder_2002.h"

#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "compat2002_client.h"
#include "model_internal.h"

static struct compat_client *compat_client_of(struct decoder *m)
{
	return m->own;
}

static void on_hello(struct decoder *m, struct rd *r)
{
	struct arena arena = {0};
	const char *magic = w2002_get_text(r, &arena, GCS_MAX_NAME);
	int32_t endianness = w2002_get_int(r);
	const char *name = w2002_get_text(r, &arena, GCS_MAX_NAME);
	if (strcmp(magic, W2002_MAGIC) != 0 || r->status != GCS_OK) {
		decoder_end(m, GCS_FOREIGN,
		    "the peer is not a GCspy server of 2002: it answered with something else");
	} else if (endianness != W2002_ENDIANNESS) {
		decoder_end(m, GCS_VERSION, "the server has a different byte order");
	} else {
		m->model = gcs_model_create(name);
		m->phase = DECODER_BOOTSTRAP;
		compat_client_of(m)->introduced = true;
		if (m->model == NULL)
			decoder_end(m, GCS_NOMEM, "no memory for the server's description");
	}
	arena_fini(&arena);
}

/* General information is lines of text, many of the form "key: value". */

static bool add_line(
    const char *line, size_t length, uint32_t *count, struct gcs_info *info, struct arena *a)
{
	const char *colon = memchr(line, ':', length);
	/* "[12:30:11] Collector: mark-sweep" */
	for (const char *at = colon; at != NULL && at + 1 < line + length; at++)
		if (at[0] == ':' && at[1] == ' ') {
			colon = at;
			break;
		}
	size_t key = colon == NULL ? 0 : (size_t)(colon - line);
	size_t value = 0;
	if (key != 0 && key <= GCS_MAX_NAME)
		value = key + 1;
	while (value < length && line[value] == ' ')
		value++;
	if (length == 0 || value == length || *count == GCS_MAX_INFO)
		return true;
	size_t rest = w2002_cut(line + value, length - value, GCS_MAX_TEXT);
	info[*count].key =
	    key != 0 && key <= GCS_MAX_NAME ? arena_text(a, line, key) : "Information";
	info[*count].value = arena_text(a, line + value, rest);
	if (info[*count].key == NULL || info[*count].value == NULL)
		return false;
	(*count)++;
	return true;
}

static bool set_information(struct decoder *m, const char *text, struct arena *a)
{
	struct gcs_info *info = arena_alloc(a, GCS_MAX_INFO, sizeof *info);
	uint32_t count = 0;
	if (info == NULL)
		return false;
	while (*text != '\0') {
		size_t length = strcspn(text, "\n");
		if (!add_line(text, length, &count, info, a))
			return false;
		text += length + (text[length] == '\n');
	}
	return model_replace_info(m->model, count, info, NULL) == GCS_OK;
}

static bool take_events(struct decoder *m, struct rd *r, struct arena *a)
{
	int16_t count = w2002_get_short(r);
	if (r->status != GCS_OK)
		return false;
	if (count < 0 || count > W2002_MAX_ID + 1)
		return compat_client_reject(m, r, GCS_LIMIT, "describes %d events, the limit is %d",
		    count, W2002_MAX_ID + 1);
	compat_client_of(m)->event_count = (uint32_t)count;
	for (int16_t i = 0; i < count; i++) {
		char made[40];
		const char *name = w2002_get_text(r, a, GCS_MAX_NAME);
		if (r->status != GCS_OK)
			return false;
		snprintf(made, sizeof made, "Event %d", i);
		struct gcs_event event = {.name = name[0] == '\0' ? made : name};
		/* Further events are shown as no event. */
		if (i < (int16_t)GCS_MAX_EVENTS &&
		    gcs_model_add_event(m->model, &event, NULL, NULL) != GCS_OK)
			return compat_client_reject(
			    m, r, GCS_NOMEM, "has more events than fit in memory");
	}
	return true;
}

/* Tiles and names are set last, because the snapshot needs the whole model. */
static bool place_tiles(struct decoder *m)
{
	struct compat_client *e = compat_client_of(m);
	for (uint32_t i = 0; i < W2002_MAX_SPACES; i++) {
		struct compat_client_space *s = &e->spaces[i];
		if (!s->known)
			continue;
		struct rd names = rd_over(s->names.data, s->names.length);
		if (!compat_client_clear_tiles(m, s->space, s->tiles) ||
		    !compat_client_get_names(m, &names, s->space, s->tiles))
			return false;
		wr_fini(&s->names);
	}
	return true;
}

/* The bootstrap is complete; data come with the first event. */
static void complete(struct decoder *m)
{
	m->phase = DECODER_LIVE;
	m->model_changed = false;
	m->model_shared = true;
	if (!place_tiles(m))
		return;
	m->events->ready(m->context, m->model);
	m->events->state(m->context, &(struct state_message){.run = GCS_RUNNING});
}

static void on_information(struct decoder *m, struct rd *r)
{
	struct arena arena = {0};
	struct compat_client *e = compat_client_of(m);
	int16_t spaces = w2002_get_short(r);
	const char *text = w2002_get_text(r, &arena, 1 << 20);
	if (r->status == GCS_OK && (spaces < 0 || spaces > W2002_MAX_SPACES))
		compat_client_reject(m, r, GCS_LIMIT, "describes %d spaces, the limit is %d",
		    spaces, W2002_MAX_SPACES);
	if (r->status == GCS_OK && !set_information(m, text, &arena))
		compat_client_reject(m, r, GCS_NOMEM, "has more information than fits in memory");
	if (r->status == GCS_OK && take_events(m, r, &arena)) {
		e->informed = true;
		e->space_count = (uint32_t)spaces;
		if (spaces == 0)
			complete(m);
	}
	arena_fini(&arena);
}

static void on_space(struct decoder *m, struct rd *r)
{
	struct arena arena = {0};
	struct compat_client *e = compat_client_of(m);
	struct compat_client_description d;
	e->bootstrap_bytes += rd_left(r);
	if (e->bootstrap_bytes > COMPAT_CLIENT_MAX_BOOTSTRAP)
		compat_client_reject(m, r, GCS_LIMIT, "has a description of more than %zu bytes",
		    COMPAT_CLIENT_MAX_BOOTSTRAP);
	if (r->status == GCS_OK && compat_client_get_space(m, r, &arena, &d)) {
		struct compat_client_space *s = &e->spaces[d.id];
		uint32_t space = m->model->space_count;
		if (s->known)
			compat_client_reject(m, r, GCS_MALFORMED, "describes space %d twice", d.id);
		else if (gcs_model_add_space(m->model, &d.space, NULL, &m->error) != GCS_OK)
			compat_client_reject(m, r, m->error.status,
			    "sent an invalid description: %s", gcs_status_text(m->error.status));
		if (r->status == GCS_OK) {
			compat_client_note(s, &d, space);
			s->tiles = d.tiles;
			wr_init(&s->names, COMPAT_CLIENT_MAX_BOOTSTRAP);
			wr_bytes(&s->names, r->at, rd_left(r));
			if (s->names.status != GCS_OK)
				compat_client_reject(
				    m, r, GCS_NOMEM, "has more names than memory can hold");
			else if (m->model->space_count == e->space_count)
				complete(m);
		}
	}
	arena_fini(&arena);
}

static void on_frame(struct decoder *m, struct rd *r)
{
	struct compat_client *e = compat_client_of(m);
	if (!e->introduced)
		on_hello(m, r);
	else if (!e->informed)
		on_information(m, r);
	else if (m->phase == DECODER_BOOTSTRAP)
		on_space(m, r);
	else
		compat_client_commands(m, r);
	if (r->status != GCS_OK && m->phase != DECODER_ENDED)
		compat_client_reject(
		    m, r, r->status, "sent a bad description: %s", gcs_status_text(r->status));
}

/* Another kind of server is recognised by the length of its first frame. */
static bool looks_foreign(struct decoder *m)
{
	static const uint8_t zeros[2] = {0, 0};
	size_t known = m->in.length < 2 ? m->in.length : 2;
	return !compat_client_of(m)->introduced && memcmp(m->in.data, zeros, known) != 0;
}

static size_t input_2002(struct decoder *m)
{
	size_t used = 0;
	if (m->own == NULL && (m->own = gcs_zalloc(sizeof(struct compat_client))) == NULL) {
		decoder_end(m, GCS_NOMEM, "no memory to decode the server's messages");
		return 0;
	}
	if (looks_foreign(m))
		decoder_end(m, GCS_FOREIGN,
		    "the peer is not a GCspy server of 2002: it answered with something else");
	while (m->phase != DECODER_ENDED) {
		struct rd payload;
		size_t taken = 0;
		enum gcs_status status = w2002_next(m->in.data + used, m->in.length - used,
		    GCS_WIRE_MAX_TO_CLIENT, &payload, &taken);
		if (status == GCS_TRUNCATED)
			break;
		used += taken;
		if (status == GCS_CLOSED)
			decoder_end(m, GCS_CLOSED, "the server ended the connection");
		else if (status != GCS_OK)
			compat_client_reject(m, NULL, GCS_LIMIT,
			    "sent a message over the limit of %u bytes", GCS_WIRE_MAX_TO_CLIENT);
		else
			on_frame(m, &payload);
	}
	return used;
}

static void fini_2002(struct decoder *m)
{
	struct compat_client *e = compat_client_of(m);
	for (uint32_t i = 0; e != NULL && i < W2002_MAX_SPACES; i++)
		wr_fini(&e->spaces[i].names);
	gcs_free(e);
	m->own = NULL;
}

const struct decoder_dialect decoder_2002 = {
    .name = "GCspy of 2002", .input = input_2002, .fini = fini_2002};
