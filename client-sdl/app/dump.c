#include "dump.h"

#include <gcspy/format.h>
#include <inttypes.h>
#include <string.h>

#include "app.h"
#include "export.h"
#include "tilecode.h"

enum dump_kind dump_find(const char *word)
{
	static const char *const words[] = {
#define X(id, word) word,
	    DUMPS(X)
#undef X
	};
	int i = 0;
	while (i < DUMP_KINDS && strcmp(words[i], word) != 0)
		i++;
	return (enum dump_kind)i;
}

static void put_spaces(const struct app *app, struct textbuf *out)
{
	const struct gcs_model *model = app_model(app);
	char text[1024];
	for (uint32_t i = 0; i < model->space_count; i++) {
		const struct gcs_space *s = &model->spaces[i];
		if (s->gone)
			continue;
		textbuf_printf(out, "space\t%s\t%" PRIu32 " tiles\t%s\n", s->name,
		    gcs_snapshot_tiles(app->snapshot, i),
		    gcs_snapshot_space_info(app->snapshot, i));
		for (uint32_t k = 0; k < s->stream_count; k++) {
			*text = 0;
			tilecode_summary(text, sizeof text, app->snapshot, i, k);
			if (s->streams[k].role == GCS_ROLE_DATA)
				textbuf_printf(out, "stream\t%s\t%s\t%s\n", s->name,
				    s->streams[k].name, *text != 0 ? text : "-");
		}
	}
}

static void put_summary(struct app *app, struct textbuf *out)
{
	const struct gcs_model *model = app_model(app);
	textbuf_printf(out, "server\t%s\n", model->server_name);
	footer_text(app, out);
	header_text(app, out);
	for (uint32_t i = 0; i < model->event_count; i++)
		textbuf_printf(out, "count\t%s\t%" PRIu64 "\n", model->events[i].name,
		    (uint64_t)gcs_snapshot_counter(app->snapshot, i));
	put_spaces(app, out);
}

static void put_tile(const struct app *app, uint32_t space, uint32_t tile, struct textbuf *out)
{
	const struct gcs_space *s = app_space(app, space);
	char name[512];
	gcs_format_tile_name(name, sizeof name, app->snapshot, space, tile);
	textbuf_printf(out, "%s\t%" PRIu32 "\t%s", s->name, tile, name);
	for (uint32_t k = 0; k < s->stream_count; k++) {
		const int64_t *values = gcs_snapshot_values(app->snapshot, space, k);
		if (s->streams[k].role != GCS_ROLE_DATA)
			continue;
		if (values != NULL)
			textbuf_printf(out, "\t%" PRId64, values[tile]);
		else
			textbuf_puts(out, "\t-");
	}
	textbuf_puts(out, "\n");
}

/* Raw values. Each space has its own columns, and therefore its own header line. */
static void put_tiles(const struct app *app, struct textbuf *out)
{
	const struct gcs_model *model = app_model(app);
	for (uint32_t i = 0; i < model->space_count; i++) {
		const struct gcs_space *s = &model->spaces[i];
		if (s->gone)
			continue;
		textbuf_puts(out, "space\ttile\tname");
		for (uint32_t k = 0; k < s->stream_count; k++) {
			if (s->streams[k].role == GCS_ROLE_DATA)
				textbuf_printf(out, "\t%s", s->streams[k].name);
		}
		textbuf_puts(out, "\n");
		const uint32_t tiles = gcs_snapshot_tiles(app->snapshot, i);
		for (uint32_t tile = 0; tile < tiles; tile++)
			put_tile(app, i, tile, out);
	}
}

static bool put_stacks(struct app *app, struct textbuf *out)
{
	const struct gcs_profile *profile = profiles_profile(app);
	struct gcs_error err = {.status = GCS_OK};
	struct gcs_site_filter filter = {.all_frames = app->profiles.runtime_frame};
	if (profile == NULL) {
		const char *words = app->profiles.data[app->profiles.kind].message;
		app_toast(app, "no %s call sites%s%s", gcs_profile_kind_word(app->profiles.kind),
		    *words != 0 ? ": " : "", words);
		return false;
	}
	profiles_ages(app, &filter.min_age, &filter.below_age);
	struct gcs_sites *sites = gcs_sites_create(profile, &filter, &err);
	const struct gcs_sink sink = textbuf_sink(out);
	const bool ok = sites != NULL &&
			gcs_sites_export(sites, GCS_EXPORT_COLLAPSED, NULL, &sink, &err) == GCS_OK;
	gcs_sites_free(sites);
	if (!ok)
		app_toast(app, "%s", err.text);
	return ok;
}

bool dump_ready(struct app *app, enum dump_kind kind)
{
	if (app->snapshot == NULL)
		return false;
	if (kind != DUMP_STACKS)
		return true;
	if (!profiles_are_shown(app)) /* the source is queried only then */
		app_set_view(app, VIEW_SITES);
	app_tick_view(app);
	return profiles_settled(app);
}

bool dump_text(struct app *app, enum dump_kind kind, struct textbuf *out)
{
	if (kind != DUMP_ALL && app->snapshot == NULL) {
		app_toast(app, "no snapshot");
		return false;
	}
	switch (kind) {
	case DUMP_SUMMARY:
		put_summary(app, out);
		return true;
	case DUMP_TILES:
		put_tiles(app, out);
		return true;
	case DUMP_STACKS:
		return put_stacks(app, out);
	default:
		app_dump(app, out);
		return true;
	}
}
