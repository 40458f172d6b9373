#include "heap_stats.h"

#include <gcspy/format.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tilecode.h"

static int64_t add(int64_t a, int64_t b)
{
	if (b > 0 && a > INT64_MAX - b)
		return INT64_MAX;
	if (b < 0 && a < INT64_MIN - b)
		return INT64_MIN;
	return a + b;
}

void heap_stats_of(struct heap_stats *st, const struct gcs_snapshot *snapshot, uint32_t space,
    uint32_t stream, const struct tilemarks *marks)
{
	memset(st, 0, sizeof *st);
	const struct gcs_stream *s = &gcs_snapshot_model(snapshot)->spaces[space].streams[stream];
	const int64_t *v = gcs_snapshot_values(snapshot, space, stream);
	const int64_t *control = tilecode_column(snapshot, space, GCS_ROLE_CONTROL);
	const int64_t *counted = tilecode_counted(snapshot, space, stream);
	const bool names = v != NULL && s->presentation == GCS_ENUM;
	const int64_t *errors = gcs_snapshot_errors(snapshot, space, stream);
	double sum = 0, squares = 0;
	uint32_t run = 0;
	for (uint32_t i = 0; v != NULL && i < gcs_snapshot_tiles(snapshot, space); i++) {
		if (marks != NULL && run == 0) /* the next marked tile */
			i = tilemarks_run(marks, i, &run);
		if (i >= gcs_snapshot_tiles(snapshot, space))
			break;
		run -= marks != NULL;
		if (!tilecode_used(control, i))
			continue;
		if (counted != NULL && counted[i] == 0) {
			st->uncounted++;
			continue;
		}
		st->min = st->tiles == 0 || v[i] < st->min ? v[i] : st->min;
		st->max = st->tiles == 0 || v[i] > st->max ? v[i] : st->max;
		st->sum = add(st->sum, v[i]);
		sum += (double)v[i];
		if (errors != NULL) /* The tiles' objects were sampled independently. */
			squares += (double)errors[i] * (double)errors[i];
		st->tiles++;
		const uint64_t index = (uint64_t)v[i] - (uint64_t)s->min;
		if (names && index < GCS_MAX_ENUM)
			st->names[index]++;
	}
	const double error = sqrt(squares) + 0.5;
	st->error = error < (double)INT64_MAX ? (int64_t)error : INT64_MAX;
	const double mean = st->tiles > 0 ? sum / st->tiles : 0;
	st->mean = mean >= (double)INT64_MAX   ? INT64_MAX
		   : mean <= (double)INT64_MIN ? INT64_MIN
					       : (int64_t)(mean + (mean < 0 ? -0.5 : 0.5));
	/* Rounding must not move the mean beyond the values. */
	st->mean = st->mean < st->min ? st->min : st->mean > st->max ? st->max : st->mean;
}

char *heap_stats_value(char *text, size_t size, const struct gcs_stream *stream, int64_t value)
{
	char number[64];
	const bool unit = stream->format == GCS_BYTES || stream->format == GCS_NANOSECONDS;
	gcs_format_number(number, sizeof number, value, stream->format);
	snprintf(text, size, "%.60s%s%.60s", stream->prefix, number, unit ? "" : stream->suffix);
	return text;
}

char *heap_stats_sum(
    char *text, size_t size, const struct heap_stats *st, const struct gcs_stream *stream)
{
	char error[64];
	text[0] = 0;
	if (st->tiles == 0 || stream->presentation == GCS_ENUM)
		return text;
	heap_stats_value(text, size, stream, st->sum);
	const size_t used = strlen(text);
	if (st->error != 0)
		snprintf(text + used, size - used, " \xc2\xb1 %s (95 %%)%s",
		    gcs_format_number(error, sizeof error, st->error, stream->format),
		    gcs_uncertain(st->sum, st->error) ? ": uncertain" : "");
	return text;
}

char *heap_put_tiles(char *text, size_t size, uint32_t tiles)
{
	char number[48];
	gcs_format_number(number, sizeof number, tiles, GCS_DECIMAL);
	snprintf(text, size, "%s tile%s", number, tiles == 1 ? "" : "s");
	return text;
}

bool heap_put_event(char *text, size_t size, const struct gcs_snapshot *snapshot)
{
	const struct gcs_model *m = gcs_snapshot_model(snapshot);
	const uint32_t event = gcs_snapshot_occurrence(snapshot)->event;
	char number[48];
	if (event >= m->event_count)
		return false;
	gcs_format_count(number, sizeof number, gcs_snapshot_counter(snapshot, event));
	snprintf(text, size, "%s #%s", m->events[event].name, number);
	return true;
}

char *heap_stats_real(char *text, size_t size, double value, bool percent)
{
	char number[64];
	if (isnan(value)) {
		snprintf(text, size, "no value");
		return text;
	}
	if (fabs(value) < 1e15 && value == floor(value))
		gcs_format_number(number, sizeof number, (int64_t)value, GCS_DECIMAL);
	else
		snprintf(number, sizeof number, fabs(value) < 1e6 ? "%.3f" : "%.6g", value);
	snprintf(text, size, "%s%s", number, percent ? " %" : "");
	return text;
}

static void names_text(
    char *text, size_t size, const struct heap_stats *st, const struct gcs_stream *stream)
{
	size_t used = 0;
	for (uint32_t i = 0; i < stream->enum_count && i < GCS_MAX_ENUM && used < size; i++) {
		char number[48];
		if (st->names[i] == 0)
			continue;
		gcs_format_number(number, sizeof number, st->names[i], GCS_DECIMAL);
		int n = snprintf(text + used, size - used, "%s%.60s %s", used > 0 ? ", " : "",
		    stream->enum_names[i], number);
		used += n > 0 ? (size_t)n : 0;
	}
}

char *heap_stats_text(
    char *text, size_t size, const struct heap_stats *st, const struct gcs_stream *stream)
{
	char low[160], mean[160], high[160];
	text[0] = 0;
	if (st->tiles == 0) {
		snprintf(text, size, st->uncounted > 0 ? "not counted" : "no used tile");
	} else if (stream->presentation == GCS_ENUM) {
		names_text(text, size, st, stream);
	} else {
		heap_stats_value(low, sizeof low, stream, st->min);
		heap_stats_value(mean, sizeof mean, stream, st->mean);
		heap_stats_value(high, sizeof high, stream, st->max);
		snprintf(text, size, "min %s \xc2\xb7 mean %s \xc2\xb7 max %s", low, mean, high);
	}
	return text;
}
