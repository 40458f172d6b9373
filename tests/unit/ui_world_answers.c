/* The answers of the made-up server; declared in ui_world.h. */
#include <gcspy/memory.h>
#include <string.h>

#include "ui_world.h"

struct gcs_answer *world_make_answer(
    uint32_t id, enum gcs_status status, const char *message, const void *bytes, size_t length)
{
	size_t n = strlen(message) + 1;
	struct gcs_answer *answer = gcs_zalloc(sizeof *answer + n);
	void *copy = gcs_alloc(length + 1);
	world_must(answer != NULL && copy != NULL, "answer");
	memcpy(answer + 1, message, n);
	if (length > 0)
		memcpy(copy, bytes, length);
	*answer = (struct gcs_answer){.id = id,
	    .status = status,
	    .message = (char *)(answer + 1),
	    .length = length,
	    .bytes = copy};
	return answer;
}

void world_answer_bytes(
    struct world *w, enum gcs_status status, const char *message, const void *bytes, size_t length)
{
	world_must(w->source.answer == NULL, "one answer at a time");
	w->source.answer = world_make_answer(w->source.id, status, message, bytes, length);
	app_poll(&w->app);
	app_frame(&w->app);
}

void world_answer_zoom(struct world *w, enum gcs_status status, const char *message, uint8_t space)
{
	world_must(w->source.zoom_answer == NULL && space < 128, "one answer at a time");
	w->source.zoom_answer =
	    world_make_answer(w->source.zoom_id, status, message, &space, status == GCS_OK ? 1 : 0);
	app_poll(&w->app);
	app_frame(&w->app);
}

void world_answer(
    struct world *w, enum gcs_status status, const char *message, struct gcs_profile *profile)
{
	void *bytes = NULL;
	size_t length = 0;
	struct gcs_error err = {.text = ""};
	if (profile != NULL)
		world_must(gcs_profile_encode(profile, &bytes, &length, &err) == GCS_OK, err.text);
	world_answer_bytes(w, status, message, bytes, length);
	gcs_free(bytes);
	gcs_profile_free(profile);
}

void world_answer_tiles(struct world *w, const struct gcs_site_tiles *tiles)
{
	struct gcs_error err;
	void *bytes = NULL;
	size_t length = 0;
	world_must(
	    gcs_site_tiles_encode(tiles, &bytes, &length, &err) == GCS_OK, "gcs_site_tiles_encode");
	world_answer_bytes(w, GCS_OK, "", bytes, length);
	gcs_free(bytes);
}
