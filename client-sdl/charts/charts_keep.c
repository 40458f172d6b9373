/* What the charts keep: which one is shown, and by server the streams that were chosen beside that
 * of the space. Declared in charts.h. */
#include <string.h>

#include "charts.h"
#include "words.h"

static const char *stream_name(const struct app *app, uint32_t space, uint32_t stream)
{
	const struct gcs_space *s = app_space(app, space);
	return s != NULL && stream < s->stream_count ? s->streams[stream].name : NULL;
}

/* "line_of=SPACE line=STREAM line=STREAM", and the same for the scatter plot's other axis. */
static void put_streams(struct textbuf *out, const struct app *app, const char *of, const char *key,
    uint32_t space, const uint32_t *streams, uint32_t count)
{
	if (count == 0 || stream_name(app, space, streams[0]) == NULL)
		return;
	words_put(out, of, app_space(app, space)->name);
	for (uint32_t i = 0; i < count; i++) {
		const char *name = stream_name(app, space, streams[i]);
		if (name != NULL)
			words_put(out, key, name);
	}
}

void charts_keep(void *self, struct app *app, enum keep_scope scope, struct textbuf *out)
{
	const struct charts *c = self;
	if (scope == KEEP_STYLE) {
		words_put(out, "chart", charts_at(c->kind)->name);
		return;
	}
	put_streams(out, app, "line_of", "line", c->line.space, c->line.added, c->line.count);
	put_streams(out, app, "scatter_of", "scatter", c->scatter.space, &c->scatter.y,
	    c->scatter.y != GCS_NONE);
}

static bool take_chart(struct charts *c, const char *key, const char *value)
{
	for (int i = 0; strcmp(key, "chart") == 0 && i < CHART_COUNT; i++) {
		if (strcmp(charts_at((enum chart_kind)i)->name, value) == 0) {
			c->kind = (enum chart_kind)i;
			return true;
		}
	}
	return false;
}

static uint32_t find_stream(const struct app *app, uint32_t space, const char *name)
{
	const struct gcs_space *s = app_space(app, space);
	return s != NULL ? gcs_space_find_stream(s, name) : GCS_NONE;
}

/* What the server does not have in this run is passed over; only words that are none are told. */
static bool take_streams(
    struct charts *c, const struct app *app, const char *key, const char *value)
{
	const struct gcs_model *model = app_model(app);
	if (key == NULL) {
		c->line.space = c->scatter.space = c->scatter.y = GCS_NONE;
		c->line.count = 0;
	} else if (model == NULL) {
		return true;
	} else if (strcmp(key, "line_of") == 0) {
		c->line.space = gcs_model_find_space(model, value);
		c->line.count = 0;
	} else if (strcmp(key, "scatter_of") == 0) {
		c->scatter.space = gcs_model_find_space(model, value);
	} else if (strcmp(key, "line") == 0) {
		uint32_t stream = find_stream(app, c->line.space, value);
		if (stream != GCS_NONE && c->line.count < CHART_LINES - 1)
			c->line.added[c->line.count++] = stream;
	} else if (strcmp(key, "scatter") == 0) {
		c->scatter.y = find_stream(app, c->scatter.space, value);
	} else {
		return false;
	}
	return true;
}

bool charts_keep_take(
    void *self, struct app *app, enum keep_scope scope, const char *key, const char *value)
{
	struct charts *c = self;
	app_dirty(app, PANEL_VIEW);
	return scope == KEEP_STYLE ? take_chart(c, key, value) : take_streams(c, app, key, value);
}
