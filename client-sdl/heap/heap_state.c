/* The saved state of the heap map: styles, the active space, settings of each space. Declared in
 * heap_view.h. */
#include <stdio.h>
#include <string.h>

#include "hash.h"
#include "heap_view.h"

/* The space that app_settle activates by default. */
static uint32_t default_space(const struct app *app)
{
	const struct gcs_model *model = app_model(app);
	uint32_t found = GCS_NONE;
	for (uint32_t i = model->space_count; i-- > 0;) {
		const bool better =
		    found == GCS_NONE || !model->spaces[found].main || model->spaces[i].main;
		if (app_shows(app, i) && better)
			found = i;
	}
	return found;
}

/* The commands that set up a space, "" for none. The last of stream and expression colours the
 * tiles. */
static void space_state(
    const struct heap_prefs *p, const struct app *app, uint32_t space, struct textbuf *out)
{
	const struct gcs_space *s = app_space(app, space);
	const uint32_t stream = app->stream_of[space];
	const bool by_text = p->text[0] != 0 && heap_by_text(p, app, space);
	char number[16];
	if (p->pinned)
		view_state_put_flag(out, "", COMMAND_pin, true);
	if (p->hidden)
		view_state_put_flag(out, "", COMMAND_hide, true);
	if (heap_fold_chosen(p, app, space))
		view_state_put_flag(out, "", COMMAND_fold, p->fold == FOLD_CLOSED);
	snprintf(number, sizeof number, "%u", p->columns);
	if (p->columns > 0)
		view_state_put(out, "", COMMAND_columns, number);
	snprintf(number, sizeof number, "%d", p->pitch);
	if (p->pitch > 0)
		view_state_put(out, "", COMMAND_tile_size, number);
	if (p->order_kind != ORDER_ADDRESS)
		view_state_put(out, "", COMMAND_order, heap_orders[p->order_kind]);
	if (p->text[0] != 0 && !by_text)
		view_state_put(out, "", COMMAND_expression, p->text);
	if (stream < s->stream_count &&
	    (stream != s->default_stream || (p->text[0] != 0 && !by_text)))
		view_state_put(out, "", COMMAND_stream, s->streams[stream].name);
	if (by_text)
		view_state_put(out, "", COMMAND_expression, p->text);
	for (uint32_t i = 0; i < p->parts; i++)
		view_state_put(out, "", COMMAND_split, p->part[i]);
}

/* Lists the commands that set up a space; true if they differ from the saved ones. */
static bool has_changed(
    struct heap_prefs *p, const struct app *app, uint32_t space, struct textbuf *list)
{
	struct textbuf state = {0};
	space_state(p, app, space, &state);
	view_state_list(list, textbuf_text(&state));
	const uint64_t hash = hash_text(HASH_BEGIN, textbuf_text(list));
	const bool changed = hash != p->saved && !state.failed && !list->failed;
	p->saved = changed ? hash : p->saved;
	textbuf_fini(&state);
	return changed;
}

static void save_spaces(struct heap *heap, struct app *app)
{
	for (uint32_t i = 0; i < app->space_count; i++) {
		struct textbuf list = {0};
		struct heap_prefs *p = heap_prefs_of(heap, app, i);
		if (p != NULL && p->met && has_changed(p, app, i, &list))
			view_state_put_space(app, p->name, textbuf_text(&list));
		textbuf_fini(&list);
	}
}

void heap_state(void *self, struct app *app, enum state_scope scope, struct textbuf *out)
{
	struct heap *heap = self;
	if (scope == STATE_STYLE) {
		view_state_put(out, "layout", COMMAND_layout, heap_shapes[heap->shape]);
		view_state_put_flag(out, "recency", COMMAND_recency, heap->recency);
		return;
	}
	if (app->snapshot == NULL || app->view_state.target[0] == 0)
		return;
	save_spaces(heap, app);
	const struct gcs_space *active = app_space(app, app->active_space);
	if (active != NULL && app->active_space != default_space(app))
		view_state_put(out, "", COMMAND_space, active->name);
}

void heap_forget(void *self, struct app *app)
{
	struct heap *heap = self;
	heap_clear(heap);
	heap_prefs_fini(heap);
	heap->mark.space = GCS_NONE;
	heap->drag = DRAG_NONE;
	for (uint32_t i = 0; i < app->space_count; i++)
		app->stream_of[i] = app_space(app, i)->default_stream;
	heap->area.w = 0; /* forces a new layout */
	heap_restyle(heap, app);
}

void heap_described(void *self, struct app *app)
{
	struct heap *heap = self;
	const uint32_t active = app->active_space;
	for (uint32_t i = 0; i < app->space_count; i++) {
		struct heap_prefs *p = heap_prefs_of(heap, app, i);
		struct textbuf list = {0};
		if (p == NULL || p->met)
			continue;
		app->active_space = i; /* for the commands */
		view_state_run(app, VIEW_HEAP, "space", view_state_space(app, p->name));
		p->met = true;
		has_changed(p, app, i, &list); /* notes the state as saved */
		textbuf_fini(&list);
	}
	app->active_space = active;
}
