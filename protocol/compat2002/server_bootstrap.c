/* The bootstrap of a client of 2002: hello, general information, events and spaces. */
#include "compat2002_server.h"

#include <stdio.h>
#include <string.h>

/* The event for states without an event, such as the one on attaching. */
#define STATE_EVENT "Present state"

/* Bytes of general information, for one window of text. */
enum { GENERAL_INFO_BYTES = 60000 };

bool compat_server_choose_spaces(struct compat_server *compat_server, const struct gcs_model *model)
{
	for (uint32_t i = 0; i < model->space_count; i++) {
		if (model->spaces[i].gone || compat_server->space_count == W2002_MAX_SPACES)
			continue;
		if (!compat_server_space_plan(
			&compat_server->spaces[compat_server->space_count], model, i))
			return false;
		if (model->spaces[i].main &&
		    !model->spaces[compat_server->spaces[compat_server->main].space].main)
			compat_server->main = compat_server->space_count;
		compat_server->space_count++;
	}
	compat_server->event_count = model->event_count;
	return true;
}

static bool is_shown(const struct compat_server *compat_server, uint32_t space)
{
	for (uint32_t i = 0; i < compat_server->space_count; i++)
		if (compat_server->spaces[i].space == space)
			return true;
	return false;
}

void compat_server_list_missing(const struct compat_server *compat_server,
    const struct gcs_model *model, char *list, size_t size)
{
	size_t used = 0;
	list[0] = '\0';
	for (uint32_t i = 0; i < model->space_count && used < size - 1; i++) {
		if (model->spaces[i].gone || is_shown(compat_server, i))
			continue;
		int n = snprintf(
		    list + used, size - used, "%s%s", used == 0 ? "" : ", ", model->spaces[i].name);
		used += n < 0 ? 0 : (size_t)n;
	}
	/* The list may be truncated within a character. */
	list[w2002_cut(list, strlen(list), size - 4)] = '\0';
}

static void put_general_info(
    struct wr *w, const struct compat_server *compat_server, const struct gcs_model *model)
{
	char missing[400];
	size_t begin = w->length;
	compat_server_list_missing(compat_server, model, missing, sizeof missing);
	if (missing[0] != '\0') {
		static const char words[] =
		    "Left out, because this protocol is limited to 128 spaces: ";
		wr_bytes(w, words, sizeof words - 1);
		wr_bytes(w, missing, strlen(missing));
		wr_bytes(w, "\n", 1);
	}
	for (uint32_t i = 0; i < model->info_count; i++) {
		const struct gcs_info *line = &model->info[i];
		size_t length = strlen(line->key) + strlen(line->value) + 3;
		if (w->length - begin + length > GENERAL_INFO_BYTES)
			break;
		wr_bytes(w, line->key, strlen(line->key));
		wr_bytes(w, ": ", 2);
		wr_bytes(w, line->value, strlen(line->value));
		wr_bytes(w, "\n", 1);
	}
	wr_u8(w, 0);
}

void compat_server_put_bootstrap(
    struct wr *w, const struct compat_server *compat_server, const struct gcs_model *model)
{
	size_t at = w2002_frame_begin(w);
	w2002_put_text(w, W2002_MAGIC, sizeof W2002_MAGIC);
	w2002_put_int(w, W2002_ENDIANNESS);
	w2002_put_text(w, model->server_name, GCS_MAX_NAME);
	w2002_frame_end(w, at);

	at = w2002_frame_begin(w);
	w2002_put_short(w, (int16_t)compat_server->space_count);
	put_general_info(w, compat_server, model);
	w2002_put_short(w, (int16_t)(compat_server->event_count + 1));
	for (uint32_t i = 0; i < compat_server->event_count; i++)
		w2002_put_text(w, model->events[i].name, GCS_MAX_NAME);
	w2002_put_text(w, STATE_EVENT, GCS_MAX_NAME);
	w2002_frame_end(w, at);

	/* The number of tiles is known with the first snapshot. */
	for (uint32_t i = 0; i < compat_server->space_count; i++) {
		at = w2002_frame_begin(w);
		compat_server_put_space(w, compat_server, i, model, NULL);
		w2002_frame_end(w, at);
	}
}
