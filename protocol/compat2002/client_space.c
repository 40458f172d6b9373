/* Descriptions of spaces by a server of 2002. */
#include "compat2002_client.h"

#include <stdio.h>
#include <string.h>

#include "hash.h"

bool compat_client_reject(
    struct decoder *m, struct rd *r, enum gcs_status status, const char *format, ...)
{
	char words[240];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(words, sizeof words, format, arguments);
	va_end(arguments);
	if (r != NULL)
		rd_fail(r, status);
	/* Keep the first reason. */
	if (m->phase != DECODER_ENDED) {
		gcs_fail(&m->error, status, "the server %s", words);
		m->phase = DECODER_ENDED;
	}
	return false;
}

/* A text that a model requires. */
static const char *name_or(struct rd *r, struct arena *a, const char *instead, int number)
{
	char made[40];
	const char *name = w2002_get_text(r, a, GCS_MAX_NAME);
	if (name[0] != '\0' || r->status != GCS_OK)
		return name;
	snprintf(made, sizeof made, "%s %d", instead, number);
	name = arena_text(a, made, strlen(made));
	if (name == NULL)
		rd_fail(r, GCS_NOMEM);
	return name == NULL ? "" : name;
}

static void get_names_of_values(struct rd *r, struct arena *a, struct gcs_stream *t)
{
	int8_t count = w2002_get_byte(r);
	if (count < 0)
		rd_fail(r, GCS_LIMIT);
	if (r->status != GCS_OK || count == 0)
		return;
	const char **names = arena_alloc(a, (size_t)count, sizeof *names);
	if (names == NULL) {
		rd_fail(r, GCS_NOMEM);
		return;
	}
	for (int i = 0; i < count; i++)
		names[i] = name_or(r, a, "Value", i);
	t->enum_names = names;
	t->enum_count = (uint32_t)count;
}

/* The presentation, with the summary that belongs to it. */
static void set_presentation(struct gcs_stream *t, int8_t presentation, uint32_t max_stream)
{
	t->summary = GCS_SUMMARY_TOTAL;
	switch (presentation) {
	case W2002_PLUS:
		t->presentation = GCS_PLUS;
		break;
	case W2002_MAX_VAR:
		t->maximum = GCS_MAX_OF_EVENT;
		break;
	case W2002_PERCENT:
	case W2002_PERCENT_VAR:
		t->presentation = GCS_PERCENT;
		t->summary = GCS_SUMMARY_SHARE;
		break;
	case W2002_ENUM:
		if (t->enum_count != 0) {
			t->presentation = GCS_ENUM;
			t->summary = GCS_SUMMARY_COUNTS;
			t->max = t->min + t->enum_count - 1;
		}
		break;
	default:
		break;
	}
	if (presentation == W2002_PERCENT_VAR) {
		t->maximum = GCS_MAX_OF_STREAM;
		t->max_stream = max_stream;
	}
	if (t->presentation != GCS_ENUM)
		t->enum_count = 0;
}

/* The prefix of an original server repeats the name, because its client shows nothing else. */
static const char *get_prefix(struct rd *r, struct arena *a, const char *name)
{
	const char *prefix = w2002_get_text(r, a, 3 * GCS_MAX_NAME);
	const size_t length = strlen(name);
	if (strncmp(prefix, name, length) == 0 && strchr(": ", prefix[length]) != NULL) {
		prefix += length + (prefix[length] == ':');
		prefix += strspn(prefix, " ");
	}
	const size_t rest = strlen(prefix), kept = w2002_cut(prefix, rest, GCS_MAX_NAME);
	prefix = kept == rest ? prefix : arena_text(a, prefix, kept);
	if (prefix == NULL)
		rd_fail(r, GCS_NOMEM);
	return prefix;
}

static bool take_stream(struct decoder *m, struct rd *r, struct arena *a, struct gcs_stream *t,
    struct compat_client_description *d, uint32_t index)
{
	static const enum gcs_type types[W2002_TYPES] = {GCS_TYPE_I8, GCS_TYPE_I16, GCS_TYPE_I32};
	*t = (struct gcs_stream){.description = "", .max_stream = GCS_NONE};
	int8_t id = w2002_get_byte(r);
	int8_t type = w2002_get_byte(r);
	t->name = name_or(r, a, "Stream", id);
	t->min = w2002_get_int(r);
	t->max = w2002_get_int(r);
	t->zero = w2002_get_int(r);
	t->initial = w2002_get_int(r);
	t->prefix = get_prefix(r, a, t->name);
	t->suffix = w2002_get_text(r, a, GCS_MAX_NAME);
	int8_t presentation = w2002_get_byte(r);
	int8_t paint = w2002_get_byte(r);
	int8_t max_stream = w2002_get_byte(r);
	const uint8_t *colour = rd_bytes(r, 3);
	get_names_of_values(r, a, t);
	if (r->status != GCS_OK)
		return false;
	if (id < 0 || d->streams[id] != COMPAT_CLIENT_UNKNOWN)
		return compat_client_reject(m, r, GCS_MALFORMED,
		    "describes stream %d of \"%.60s\" twice or with a negative id", id,
		    d->space.name);
	if (type < 0 || type >= W2002_TYPES || presentation < 0 ||
	    presentation >= W2002_PRESENTATIONS || paint < 0 || paint >= W2002_PAINTS)
		return compat_client_reject(m, r, GCS_MALFORMED,
		    "describes stream \"%.60s\" with an unknown type %d, presentation %d or paint "
		    "style %d",
		    t->name, type, presentation, paint);
	if (t->min > t->max)
		return compat_client_reject(m, r, GCS_MALFORMED,
		    "describes stream \"%.60s\" with a minimum above its maximum", t->name);
	t->type = types[type];
	t->paint = paint == W2002_PAINT_ZERO ? GCS_PAINT_ZERO : GCS_PAINT_PLAIN;
	t->colour = (uint32_t)colour[0] << 16 | (uint32_t)colour[1] << 8 | colour[2];
	set_presentation(t, presentation, max_stream < 0 ? GCS_NONE : (uint32_t)max_stream);
	d->types[id] = (uint8_t)type;
	d->streams[id] =
	    index < COMPAT_CLIENT_MAX_STREAMS ? (uint8_t)index : COMPAT_CLIENT_LEFT_OUT;
	return true;
}

static struct gcs_stream control_stream(void)
{
	return (struct gcs_stream){
	    .name = "Control",
	    .description = "Which tiles are used, unused, separated or linked",
	    .prefix = "",
	    .suffix = "",
	    .role = GCS_ROLE_CONTROL,
	    .type = GCS_TYPE_I8,
	    .max = W2002_CONTROL_BITS,
	    .initial = GCS_TILE_USED,
	    .max_stream = GCS_NONE,
	};
}

/* Resolves the id of the stream that a maximum comes from. */
static void resolve_maxima(struct gcs_stream *streams, const struct compat_client_description *d)
{
	for (uint32_t i = 0; i < d->stream_count; i++) {
		if (streams[i].maximum != GCS_MAX_OF_STREAM)
			continue;
		uint32_t id = streams[i].max_stream;
		uint8_t index = id < W2002_MAX_SPACES ? d->streams[id] : COMPAT_CLIENT_UNKNOWN;
		streams[i].max_stream = index;
		/* A share of an unknown stream is shown as a share of its own maximum. */
		if (index >= d->stream_count) {
			streams[i].maximum = GCS_MAX_FIXED;
			streams[i].max_stream = GCS_NONE;
		}
	}
}

static bool take_streams(
    struct decoder *m, struct rd *r, struct arena *a, struct compat_client_description *d)
{
	int16_t count = w2002_get_short(r);
	if (r->status == GCS_OK && (count < 0 || count > W2002_MAX_SPACES))
		return compat_client_reject(m, r, GCS_LIMIT,
		    "describes %d streams in \"%.60s\", the limit is %d", count, d->space.name,
		    W2002_MAX_SPACES);
	if (r->status != GCS_OK)
		return false;
	struct gcs_stream *streams = arena_alloc(a, (size_t)count + 1, sizeof *streams);
	if (streams == NULL) {
		rd_fail(r, GCS_NOMEM);
		return false;
	}
	memset(d->streams, COMPAT_CLIENT_UNKNOWN, sizeof d->streams);
	for (int16_t i = 0; i < count; i++)
		if (!take_stream(m, r, a, &streams[i], d, (uint32_t)i))
			return false;
	d->stream_count =
	    count < COMPAT_CLIENT_MAX_STREAMS ? (uint32_t)count : COMPAT_CLIENT_MAX_STREAMS;
	resolve_maxima(streams, d);
	streams[d->stream_count] = control_stream();
	d->space.streams = streams;
	d->space.stream_count = d->stream_count + 1;
	return true;
}

/* "Block " becomes "Block". */
static const char *without_blanks(char *text)
{
	size_t length = strlen(text);
	while (length != 0 && text[length - 1] == ' ')
		text[--length] = '\0';
	return text;
}

static const char *driver_text(struct rd *r, struct arena *a, const char *driver)
{
	char words[GCS_MAX_NAME + 20];
	snprintf(words, sizeof words, "%s%s", driver[0] == '\0' ? "" : "Driver: ", driver);
	const char *text = arena_text(a, words, strlen(words));
	if (text == NULL)
		rd_fail(r, GCS_NOMEM);
	return text;
}

bool compat_client_get_space(
    struct decoder *m, struct rd *r, struct arena *a, struct compat_client_description *d)
{
	char title[GCS_MAX_NAME + 1];
	const uint8_t *begin = r->at;
	*d = (struct compat_client_description){.space = {.group = GCS_NONE, .name = ""}};
	d->id = w2002_get_short(r);
	d->space.name = name_or(r, a, "Space", d->id);
	d->space.description = driver_text(r, a, w2002_get_text(r, a, GCS_MAX_NAME));
	snprintf(title, sizeof title, "%s", w2002_get_text(r, a, GCS_MAX_NAME));
	without_blanks(title);
	d->space.tile_title = arena_text(a, title, strlen(title));
	d->space.block_info = w2002_get_text(r, a, GCS_MAX_TEXT);
	const uint8_t *before = r->at;
	int32_t tiles = w2002_get_int(r);
	const uint8_t *after = r->at;
	d->space.unused_text = w2002_get_text(r, a, GCS_MAX_NAME);
	d->space.main = rd_u8(r) != 0;
	if (r->status == GCS_OK && d->space.tile_title == NULL)
		rd_fail(r, GCS_NOMEM);
	if (r->status != GCS_OK)
		return false;
	if (d->id < 0 || d->id > W2002_MAX_ID)
		return compat_client_reject(m, r, GCS_LIMIT,
		    "describes a space with id %d: must be 0 to %d", d->id, W2002_MAX_ID);
	/* Each tile has a name of at least one byte, so the frame limits their number. */
	if (tiles < 0 || tiles > (int32_t)GCS_MAX_TILES || (size_t)tiles > rd_left(r))
		return compat_client_reject(m, r, GCS_LIMIT,
		    "describes space \"%.60s\" with %d tiles, without a name for each",
		    d->space.name, (int)tiles);
	d->tiles = (uint32_t)tiles;
	if (!take_streams(m, r, a, d))
		return false;
	d->hash = hash_bytes(HASH_BEGIN, begin, (size_t)(before - begin));
	d->hash = hash_bytes(d->hash, after, (size_t)(r->at - after));
	return true;
}

bool compat_client_get_names(struct decoder *m, struct rd *r, uint32_t space, uint32_t tiles)
{
	char name[GCS_MAX_TEXT + 1];
	struct gcs_snapshot *s = compat_client_building(m);
	for (uint32_t i = 0; s != NULL && i < tiles; i++) {
		const uint8_t *nul = rd_left(r) == 0 ? NULL : memchr(r->at, 0, rd_left(r));
		if (nul == NULL)
			return compat_client_reject(m, r, GCS_TRUNCATED,
			    "describes space \"%.60s\" without a name for each tile",
			    m->model->spaces[space].name);
		/* The original drivers indent their names. */
		while (*r->at == ' ')
			r->at++;
		size_t whole = (size_t)(nul - r->at);
		const char *bytes = (const char *)rd_bytes(r, whole + 1);
		size_t length = w2002_cut(bytes, whole, GCS_MAX_TEXT);
		memcpy(name, bytes, length);
		name[length] = '\0';
		if (length != 0 && !gcs_snapshot_set_name(s, space, i, name))
			return compat_client_reject(
			    m, r, GCS_NOMEM, "has more names than memory can hold");
	}
	return s != NULL;
}

void compat_client_note(
    struct compat_client_space *s, const struct compat_client_description *d, uint32_t space)
{
	s->known = true;
	s->space = space;
	s->hash = d->hash;
	s->stream_count = d->stream_count;
	memcpy(s->types, d->types, sizeof s->types);
	memcpy(s->streams, d->streams, sizeof s->streams);
}
