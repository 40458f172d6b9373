/*
 * Zooms that the library describes (<gcspy/zoom.h>). The I/O thread describes and withdraws them, the
 * target's publishing thread fills them from a copy of the list: a space that has been described again
 * meanwhile is recognised by its name, which has the range and the blocks.
 */
#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>
#include <gcspy/zoom.h>

#include "reserved.h"
#include "server_internal.h"

struct zoom_space {
	uint32_t space; /* GCS_NONE: never described */
	bool there;
	uint32_t root; /* the space that is zoomed into */
	uint64_t start, end, block;
	char name[GCS_MAX_NAME + 1];
};

struct zoom_spaces {
	struct gcs_zoom_options options;
	pthread_mutex_t lock; /* of the list, which only the I/O thread changes; innermost */
	struct zoom_space list[GCS_MAX_ZOOMS];
};

enum gcs_status gcs_zooms_enable(
    struct gcs_server *s, const struct gcs_zoom_options *options, struct gcs_error *err)
{
	if (RESERVED_CHECK("the options of zooms", options, err) != GCS_OK)
		return GCS_ARGUMENT;
	if (options->read == NULL)
		return gcs_fail(err, GCS_ARGUMENT, "zooms need a function that reads blocks");
	if (s->running || s->zoom_spaces != NULL || s->options.zoom != NULL)
		return gcs_fail(err, GCS_STATE, "the server has %s",
		    s->running ? "started already" : "zooms already");
	struct zoom_spaces *z = gcs_zalloc(sizeof *z);
	if (z == NULL || pthread_mutex_init(&z->lock, NULL) != 0) {
		gcs_free(z);
		return gcs_fail(err, GCS_NOMEM, "no memory for zooms");
	}
	z->options = *options;
	for (uint32_t i = 0; i < GCS_MAX_ZOOMS; i++)
		z->list[i].space = GCS_NONE;
	s->zoom_spaces = z;
	return GCS_OK;
}

void zoom_spaces_fini(struct gcs_server *s)
{
	if (s->zoom_spaces != NULL)
		pthread_mutex_destroy(&s->zoom_spaces->lock);
	gcs_free(s->zoom_spaces);
	s->zoom_spaces = NULL;
}

void zoom_spaces_forget(struct gcs_server *s)
{
	struct zoom_spaces *z = s->zoom_spaces;
	if (z == NULL)
		return;
	pthread_mutex_init(&z->lock, NULL);
	for (uint32_t i = 0; i < GCS_MAX_ZOOMS; i++)
		if (z->list[i].there) {
			z->list[i].there = false;
			(void)gcs_server_remove_space(s, z->list[i].space, NULL);
		}
}

bool server_zooms(const struct gcs_server *s)
{
	return s->options.zoom != NULL || s->zoom_spaces != NULL;
}

/* Describing. */

static enum gcs_status describe_zoom(struct gcs_server *s, const struct gcs_zoom *zoom,
    struct zoom_space *place, struct gcs_error *err)
{
	struct gcs_stream streams[GCS_MAX_STREAMS];
	char block[32], info[80];
	const struct gcs_space *of = zoom->of;
	/* A zoom of a zoom is named after the space that both show. */
	const char *range = strstr(of->name, " 0x");
	const int length = (int)(range == NULL ? strlen(of->name) : (size_t)(range - of->name));
	gcs_format_number(block, sizeof block, (int64_t)zoom->block_bytes, GCS_BYTES);
	snprintf(info, sizeof info, "Blocks of %s", block);
	snprintf(place->name, sizeof place->name, "%.*s 0x%llx-0x%llx at %s",
	    length < 150 ? length : 150, of->name, (unsigned long long)zoom->start,
	    (unsigned long long)zoom->end, block);
	for (uint32_t k = 0; k < of->stream_count; k++) {
		streams[k] = of->streams[k];
		if (streams[k].format == GCS_BYTES && streams[k].max == (int64_t)of->block_bytes)
			streams[k].max = (int64_t)zoom->block_bytes; /* of the bytes of a block */
	}
	struct gcs_space space = *of;
	space.name = place->name;
	space.block_info = info;
	space.block_bytes = zoom->block_bytes;
	space.main = space.gone = false;
	space.streams = streams;
	return place->space != GCS_NONE ? gcs_server_set_space(s, place->space, &space, err)
					: gcs_server_add_space(s, &space, &place->space, err);
}

static uint32_t root_of(const struct zoom_spaces *z, uint32_t space)
{
	for (uint32_t i = 0; i < GCS_MAX_ZOOMS; i++)
		if (z->list[i].there && z->list[i].space == space)
			return z->list[i].root;
	return space;
}

static void begin_zoom(struct gcs_server *s, const struct gcs_zoom *zoom)
{
	struct zoom_spaces *z = s->zoom_spaces;
	struct gcs_error err = {.status = GCS_LIMIT, .text = "there are too many zooms"};
	uint32_t i = 0;
	while (i < GCS_MAX_ZOOMS && z->list[i].there)
		i++;
	struct zoom_space place;
	if (i < GCS_MAX_ZOOMS) {
		place = z->list[i];
		place.root = root_of(z, zoom->space);
		place.start = zoom->start;
		place.end = zoom->end;
		place.block = zoom->block_bytes;
	}
	if (i == GCS_MAX_ZOOMS || describe_zoom(s, zoom, &place, &err) != GCS_OK) {
		gcs_server_answer(s, zoom->ticket, err.status, err.text, NULL, 0);
		return;
	}
	place.there = true;
	pthread_mutex_lock(&z->lock);
	z->list[i] = place;
	pthread_mutex_unlock(&z->lock);
	if (!gcs_server_zoomed(s, zoom->ticket, place.space))
		server_end_zoom(s, place.space);
}

void server_begin_zoom(struct gcs_server *s, const struct gcs_zoom *zoom)
{
	if (s->zoom_spaces != NULL)
		begin_zoom(s, zoom);
	else
		s->options.zoom(s->options.context, zoom);
}

void server_end_zoom(struct gcs_server *s, uint32_t space)
{
	struct zoom_spaces *z = s->zoom_spaces;
	if (z == NULL) {
		s->options.unzoom(s->options.context, space);
		return;
	}
	for (uint32_t i = 0; i < GCS_MAX_ZOOMS; i++)
		if (z->list[i].there && z->list[i].space == space) {
			pthread_mutex_lock(&z->lock);
			z->list[i].there = false;
			pthread_mutex_unlock(&z->lock);
			(void)gcs_server_remove_space(s, space, NULL);
		}
}

/* Filling. */

static bool fill(const struct zoom_spaces *z, const struct zoom_space *zoom, struct gcs_snapshot *s)
{
	const struct gcs_model *model = gcs_snapshot_model(s);
	const struct gcs_blocks blocks = {
	    .low = zoom->start, .high = zoom->end, .block = zoom->block};
	const uint32_t count = gcs_blocks_count(&blocks);
	if (zoom->space >= model->space_count || model->spaces[zoom->space].gone ||
	    strcmp(model->spaces[zoom->space].name, zoom->name) != 0)
		return true; /* described later than the snapshot was begun */
	const struct gcs_space *space = &model->spaces[zoom->space];
	if (!gcs_snapshot_resize(s, zoom->space, count))
		return false;
	for (uint32_t k = 0; k < space->stream_count; k++) {
		int64_t *values = gcs_snapshot_write(s, zoom->space, k);
		if (values == NULL)
			return false;
		const enum gcs_role role = space->streams[k].role;
		for (uint32_t i = 0; i < count; i++)
			values[i] = space->streams[k].initial;
		if (role == GCS_ROLE_RANGE_START || role == GCS_ROLE_RANGE_END)
			gcs_blocks_ranges(&blocks, 0, count,
			    role == GCS_ROLE_RANGE_START ? values : NULL,
			    role == GCS_ROLE_RANGE_END ? values : NULL);
		else
			z->options.read(z->options.context, zoom->root, k, &blocks, count, values);
	}
	return gcs_blocks_summarize(s, zoom->space, zoom->end - zoom->start) &&
	       gcs_snapshot_set_gathered(s, zoom->space, true);
}

bool gcs_zooms_gather(
    struct gcs_server *s, const struct gcs_ticket *ticket, struct gcs_snapshot *snapshot)
{
	struct zoom_spaces *z = s->zoom_spaces;
	bool ok = true;
	for (uint32_t i = 0; z != NULL && ok && i < GCS_MAX_ZOOMS; i++) {
		pthread_mutex_lock(&z->lock);
		const struct zoom_space zoom = z->list[i];
		pthread_mutex_unlock(&z->lock);
		if (zoom.there && gcs_server_wants_space(s, ticket, zoom.space))
			ok = fill(z, &zoom, snapshot);
	}
	return ok;
}
