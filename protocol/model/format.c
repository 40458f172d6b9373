#include <gcspy/format.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A text under construction in the caller's buffer. */
struct words {
	char *buffer;
	size_t size;
	size_t length;
};

static struct words words_in(char *buffer, size_t size)
{
	if (size != 0)
		buffer[0] = '\0';
	return (struct words){.buffer = buffer, .size = size};
}

static void add(struct words *w, const char *text)
{
	size_t length = strlen(text);
	if (w->size == 0)
		return;
	size_t room = w->size - 1 - w->length;
	if (length > room)
		length = room;
	memcpy(w->buffer + w->length, text, length);
	w->length += length;
	w->buffer[w->length] = '\0';
}

/* A whole number with thousands separators. */
static void add_count(struct words *w, uint64_t size)
{
	char digits[24];
	char grouped[32];
	int n = snprintf(digits, sizeof digits, "%" PRIu64, size);
	size_t at = 0;
	for (int i = 0; i < n; i++) {
		if (i != 0 && (n - i) % 3 == 0)
			grouped[at++] = ',';
		grouped[at++] = digits[i];
	}
	grouped[at] = '\0';
	add(w, grouped);
}

static void add_grouped(struct words *w, int64_t value)
{
	if (value < 0)
		add(w, "-");
	add_count(w, value < 0 ? (uint64_t)0 - (uint64_t)value : (uint64_t)value);
}

/* At least three significant digits: "1.25", "12.5", "125". */
static void add_scaled(struct words *w, double value, const char *unit)
{
	char text[48];
	double size = value < 0 ? -value : value;
	int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
	snprintf(text, sizeof text, "%.*f", decimals, value);
	if (strchr(text, '.') != NULL) {
		size_t end = strlen(text);
		while (text[end - 1] == '0')
			end--;
		text[text[end - 1] == '.' ? end - 1 : end] = '\0';
	}
	add(w, text);
	add(w, unit);
}

static void add_bytes(struct words *w, int64_t value)
{
	static const char *const units[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
	double size = (double)value;
	size_t unit = 0;
	while ((size >= 1024 || size <= -1024) && unit + 1 < sizeof units / sizeof units[0]) {
		size /= 1024;
		unit++;
	}
	if (unit == 0) {
		add_grouped(w, value);
		add(w, units[0]);
	} else {
		add_scaled(w, size, units[unit]);
	}
}

static void add_nanoseconds(struct words *w, int64_t value)
{
	static const char *const units[] = {" ns", " µs", " ms", " s"};
	double size = (double)value;
	size_t unit = 0;
	while ((size >= 1000 || size <= -1000) && unit + 1 < sizeof units / sizeof units[0]) {
		size /= 1000;
		unit++;
	}
	if (unit == 3 && size >= 1000) {
		add_grouped(w, (int64_t)size);
		add(w, " s");
	} else {
		add_scaled(w, size, units[unit]);
	}
}

static void add_number(struct words *w, int64_t value, enum gcs_format format)
{
	char hex[24];
	switch (format) {
	case GCS_HEX:
		snprintf(hex, sizeof hex, "0x%" PRIx64, (uint64_t)value);
		add(w, hex);
		break;
	case GCS_BYTES:
		add_bytes(w, value);
		break;
	case GCS_NANOSECONDS:
		add_nanoseconds(w, value);
		break;
	default:
		add_grouped(w, value);
		break;
	}
}

char *gcs_format_number(char *buffer, size_t size, int64_t value, enum gcs_format format)
{
	struct words w = words_in(buffer, size);
	add_number(&w, value, format);
	return buffer;
}

char *gcs_format_count(char *buffer, size_t size, uint64_t count)
{
	struct words w = words_in(buffer, size);
	add_count(&w, count);
	return buffer;
}

/* " (79 %)", or nothing without a whole. */
static void add_share(struct words *w, int64_t value, int64_t whole)
{
	char text[40];
	if (whole <= 0)
		return;
	double percent = 100.0 * (double)value / (double)whole;
	snprintf(text, sizeof text,
	    percent != 0 && percent < 9.95 && percent > -9.95 ? " (%.1f %%)" : " (%.0f %%)",
	    percent);
	add(w, text);
}

/* Bytes and durations include their unit, so the suffix is omitted. */
static bool has_unit(enum gcs_format format)
{
	return format == GCS_BYTES || format == GCS_NANOSECONDS;
}

static void add_with_units(
    struct words *w, const struct gcs_stream *t, int64_t value, const char *more)
{
	add(w, t->prefix);
	add_number(w, value, t->format);
	add(w, more);
	if (!has_unit(t->format))
		add(w, t->suffix);
}

static const char *enum_name(const struct gcs_stream *t, int64_t value)
{
	uint64_t index = (uint64_t)value - (uint64_t)t->min;
	return value >= t->min && index < t->enum_count ? t->enum_names[index] : NULL;
}

static const struct gcs_stream *stream_of(
    const struct gcs_snapshot *s, uint32_t space, uint32_t stream)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	if (space >= m->space_count || stream >= m->spaces[space].stream_count)
		return NULL;
	return &m->spaces[space].streams[stream];
}

/* The value's error where one is known: " ± 12 KiB (95 %): uncertain". */
static void add_with_error(struct words *w, const struct gcs_stream *t, int64_t value,
    const int64_t *error, const char *more)
{
	char text[96] = "";
	struct words around = words_in(text, sizeof text);
	add(&around, more);
	if (error == NULL || *error == 0) {
		add_with_units(w, t, value, text);
		return;
	}
	add(&around, " \xc2\xb1 ");
	add_number(&around, *error, t->format);
	add_with_units(w, t, value, text);
	add(w, " (95 %)");
	if (gcs_uncertain(value, *error))
		add(w, ": uncertain");
}

char *gcs_format_tile(char *buffer, size_t size, const struct gcs_snapshot *s, uint32_t space,
    uint32_t stream, uint32_t tile)
{
	struct words w = words_in(buffer, size);
	const struct gcs_stream *t = stream_of(s, space, stream);
	const int64_t *values = gcs_snapshot_values(s, space, stream);
	if (t == NULL || values == NULL || tile >= gcs_snapshot_tiles(s, space)) {
		add(&w, "-");
		return buffer;
	}
	int64_t value = values[tile];
	if (t->presentation == GCS_ENUM) {
		const char *name = enum_name(t, value);
		if (name != NULL)
			add(&w, name);
		else
			add_grouped(&w, value);
		return buffer;
	}
	const int64_t *errors = gcs_snapshot_errors(s, space, stream);
	add_with_error(&w, t, value, errors == NULL ? NULL : &errors[tile],
	    t->presentation == GCS_PLUS && value >= t->max ? " or more" : "");
	if (t->presentation == GCS_PERCENT) {
		int64_t whole = gcs_snapshot_maximum(s, space, stream, tile);
		if (t->maximum == GCS_MAX_OF_STREAM) {
			const int64_t *wholes = gcs_snapshot_values(s, space, t->max_stream);
			whole = wholes == NULL ? 0 : wholes[tile];
		}
		add_share(&w, value, whole);
	}
	return buffer;
}

char *gcs_format_tile_name(
    char *buffer, size_t size, const struct gcs_snapshot *s, uint32_t space, uint32_t tile)
{
	struct words w = words_in(buffer, size);
	const struct gcs_model *m = gcs_snapshot_model(s);
	const char *name = gcs_snapshot_name(s, space, tile);
	if (space >= m->space_count)
		return buffer;
	if (name[0] != '\0') {
		add(&w, name);
		return buffer;
	}
	const int64_t *start =
	    gcs_snapshot_values(s, space, gcs_space_role(&m->spaces[space], GCS_ROLE_RANGE_START));
	const int64_t *end =
	    gcs_snapshot_values(s, space, gcs_space_role(&m->spaces[space], GCS_ROLE_RANGE_END));
	if (start != NULL && end != NULL && tile < gcs_snapshot_tiles(s, space) &&
	    end[tile] != start[tile]) {
		add_number(&w, start[tile], GCS_HEX);
		add(&w, "-");
		add_number(&w, end[tile], GCS_HEX);
		return buffer;
	}
	const char *title = m->spaces[space].tile_title;
	add(&w, title[0] != '\0' ? title : "Tile");
	add(&w, " ");
	add_grouped(&w, tile);
	return buffer;
}

uint32_t gcs_space_counted_by(const struct gcs_space *space, uint32_t stream)
{
	static const char sampled[] = "Sampled live ";
	const uint32_t counted = gcs_space_find_stream(space, "Counted");
	if (stream < space->stream_count &&
	    strncmp(space->streams[stream].name, sampled, sizeof sampled - 1) == 0)
		return stream;
	if (counted >= stream || space->streams[counted].presentation != GCS_ENUM ||
	    stream >= space->stream_count || space->streams[stream].role != GCS_ROLE_DATA ||
	    strcmp(space->streams[counted].enum_names[0], "Not counted") != 0)
		return GCS_NONE;
	return counted;
}

const int64_t *gcs_snapshot_counted(const struct gcs_snapshot *s, uint32_t space, uint32_t stream)
{
	if (stream_of(s, space, stream) == NULL)
		return NULL;
	const uint32_t counted =
	    gcs_space_counted_by(&gcs_snapshot_model(s)->spaces[space], stream);
	const int64_t *values = gcs_snapshot_values(s, space, counted);
	const uint32_t tiles = gcs_snapshot_tiles(s, space);
	for (uint32_t i = 0; counted == stream && values != NULL && i < tiles; i++)
		if (values[i] != 0)
			return NULL;
	return values;
}

bool gcs_snapshot_any_counted(const struct gcs_snapshot *s, uint32_t space, uint32_t stream)
{
	const int64_t *counted = gcs_snapshot_counted(s, space, stream);
	const uint32_t tiles = gcs_snapshot_tiles(s, space);
	uint32_t i = 0;
	while (counted != NULL && i < tiles && counted[i] == 0)
		i++;
	return counted == NULL || i < tiles;
}

char *gcs_format_summary(
    char *buffer, size_t size, const struct gcs_snapshot *s, uint32_t space, uint32_t stream)
{
	struct words w = words_in(buffer, size);
	const struct gcs_stream *t = stream_of(s, space, stream);
	uint32_t count;
	const int64_t *values = gcs_snapshot_summary(s, space, stream, &count);
	if (t == NULL || values == NULL)
		return buffer;
	if (!gcs_snapshot_any_counted(s, space, stream)) {
		add(&w, "\xe2\x80\x93");
		return buffer;
	}
	switch (t->summary) {
	case GCS_SUMMARY_COUNTS:
		for (uint32_t i = 0; i < count; i++) {
			if (values[i] == 0)
				continue;
			add(&w, w.length == 0 ? "" : ", ");
			add(&w, t->enum_names[i]);
			add(&w, " ");
			add_grouped(&w, values[i]);
		}
		break;
	case GCS_SUMMARY_SHARE:
		add_with_units(&w, t, values[0], "");
		add(&w, " of ");
		add_with_units(&w, t, values[1], "");
		add_share(&w, values[0], values[1]);
		break;
	default: {
		const int64_t *error = gcs_snapshot_summary(s, space, t->error_stream, &count);
		add_with_error(
		    &w, t, values[0], t->error_stream == 0 || count == 0 ? NULL : error, "");
		break;
	}
	}
	return buffer;
}

char *gcs_format_attribute(
    char *buffer, size_t size, const struct gcs_snapshot *s, uint32_t attribute)
{
	struct words w = words_in(buffer, size);
	const struct gcs_model *m = gcs_snapshot_model(s);
	uint32_t event = gcs_snapshot_occurrence(s)->event;
	int64_t value;
	const char *text = gcs_snapshot_text(s, attribute);
	if (event >= m->event_count || attribute >= m->events[event].attribute_count) {
		add(&w, "-");
	} else if (text != NULL) {
		add(&w, text);
	} else if (gcs_snapshot_number(s, attribute, &value)) {
		const struct gcs_attribute *a = &m->events[event].attributes[attribute];
		if (a->kind == GCS_ATTRIBUTE_ENUM && value >= 0 && value < (int64_t)a->enum_count)
			add(&w, a->enum_names[value]);
		else
			add_number(&w, value, a->format);
	} else {
		add(&w, "-");
	}
	return buffer;
}
