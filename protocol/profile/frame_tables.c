#include "frame_tables.h"

#include <string.h>

#include <gcspy/memory.h>

#include "sites.h"
#include "protobuf.h"
#include "text.h"

void frame_tables_begin(struct frame_tables *t, const struct gcs_profile *profile)
{
	gcs_free(t->known);
	t->known = gcs_zalloc(((size_t)gcs_profile_frame_count(profile) + 1) * sizeof *t->known);
	t->profile = profile;
	t->failed = t->failed || t->known == NULL;
	frame_tables_text(t, "");
}

void frame_tables_fini(struct frame_tables *t)
{
	intern_texts_fini(&t->texts);
	intern_keys_fini(&t->functions);
	intern_keys_fini(&t->locations);
	arena_fini(&t->arena);
	gcs_free(t->known);
}

uint32_t frame_tables_text(struct frame_tables *t, const char *text)
{
	const uint32_t number = intern_text(&t->texts, text);
	t->failed = t->failed || number == UINT32_MAX;
	return number;
}

static uint32_t add_location(struct frame_tables *t, const char *name, const struct gcs_frame *f)
{
	const struct intern_key function = {
	    {frame_tables_text(t, name), frame_tables_text(t, f->file)}};
	const struct intern_key location = {
	    {intern_key(&t->functions, &function), f->line, (uint32_t)f->kind}};
	const uint32_t number = intern_key(&t->locations, &location);
	t->failed = t->failed || location.words[0] == UINT32_MAX || number == UINT32_MAX;
	return number;
}

uint32_t frame_tables_location(struct frame_tables *t, uint32_t frame)
{
	enum { LONGEST = 2 * GCS_MAX_TEXT + 2 };
	char name[LONGEST];
	if (t->known == NULL || t->known[frame] != 0)
		return t->known == NULL ? 0 : t->known[frame] - 1;
	const struct gcs_frame *f = gcs_profile_frame(t->profile, frame);
	gcs_frame_text(name, sizeof name, f);
	const char *kept = arena_text(&t->arena, name, strlen(name));
	t->failed = t->failed || kept == NULL;
	const uint32_t number = kept == NULL ? 0 : add_location(t, kept, f);
	t->known[frame] = number + 1;
	return number;
}

uint32_t frame_tables_no_frames(struct frame_tables *t)
{
	const struct gcs_frame none = {.file = "", .kind = GCS_FRAME_NOTE};
	return add_location(t, "[no Java frames]", &none);
}

void frame_tables_write_texts(const struct frame_tables *t, struct wr *message, uint32_t field)
{
	struct wr part;
	struct gcs_sink sink = {.write = wr_take, .context = &part};
	struct text clean;
	wr_init(&part, message->limit);
	for (uint32_t i = 0; i < t->texts.count; i++) {
		text_begin(&clean, &sink);
		text_line(&clean, t->texts.items[i]);
		text_end(&clean, NULL);
		pb_message(message, field, &part);
	}
	wr_fini(&part);
}
