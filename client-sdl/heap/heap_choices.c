/* Commands for the map and its spaces: layout, pins, columns, order, parts, expressions. Declared
 * in heap_view.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <gcspy/format.h>

#include "heap_view.h"

const char *const heap_shapes[HEAP_SHAPES] = {"wrapped", "proportional"};
const char *const heap_orders[ORDER_KINDS] = {"address", "falling", "rising"};

static struct heap_prefs *active(struct heap *heap, struct app *app)
{
	struct heap_prefs *p = heap_prefs_of(heap, app, app->active_space);
	if (p == NULL)
		app_toast(app, "No active space");
	return p;
}

static bool find_name(const char *name, const char *const *names, int count, int *found)
{
	for (int i = 0; i < count; i++) {
		if (strcmp(name, names[i]) == 0) {
			*found = i;
			return true;
		}
	}
	return false;
}

static void relayout(struct heap *heap, struct app *app)
{
	heap->area.w = 0; /* forces a new layout */
	heap_restyle(heap, app);
}

static bool choose_layout(struct heap *heap, struct app *app, const char *name)
{
	int shape = ((int)heap->shape + 1) % HEAP_SHAPES;
	if (name != NULL && !find_name(name, heap_shapes, HEAP_SHAPES, &shape)) {
		app_toast(app, "%.100s: expected wrapped or proportional", name);
		return false;
	}
	heap->shape = (enum heap_shape)shape;
	heap->rows_of = heap->slack_x = heap->slack_y = 0;
	app_toast(app, "%s",
	    shape == HEAP_PROPORTIONAL ? "Space widths proportional to their size"
				       : "Spaces wrapped to the window width");
	relayout(heap, app);
	return true;
}

static bool pin(struct heap *heap, struct app *app, const char *argument)
{
	struct heap_prefs *p = active(heap, app);
	if (p == NULL || !view_state_switch(app, COMMAND_pin, argument, &p->pinned))
		return false;
	relayout(heap, app);
	app_toast(app, p->pinned ? "%.200s pinned to the top" : "%.200s unpinned", p->name);
	return true;
}

/* Activates another space, so that keys keep working. Showing the space restores what was selected
 * and active. */
static void leave_space(struct heap *heap, struct app *app, struct heap_prefs *p, uint32_t space)
{
	p->lost = app->selected.space == space ? app->selected.tile + 1 : 0;
	p->left = ++heap->leaves;
	if (app->selected.space == space)
		app_select(app, GCS_NONE, 0);
	for (uint32_t i = 0; i < heap->count; i++) {
		if (heap->item[i].kind == HEAP_SPACE && heap->item[i].id != space) {
			app_activate(app, heap->item[i].id);
			break;
		}
	}
	heap->stand_in = app->active_space;
}

static bool hide(struct heap *heap, struct app *app, const char *argument)
{
	struct heap_prefs *p = active(heap, app);
	if (p != NULL && app->view_state.running)
		return view_state_switch(app, COMMAND_hide, argument, &p->hidden);
	if (p == NULL || p->hidden) {
		app_toast(app, "The active space is already hidden");
		return false;
	}
	p->hidden = true;
	leave_space(heap, app, p, app->active_space);
	relayout(heap, app);
	app_toast(app, "%.200s hidden; listed at the end of the map", p->name);
	return true;
}

/* Activates the space that was hidden first, unless the user has activated another one since. */
static void return_active(struct heap *heap, struct app *app, uint32_t space)
{
	if (app->active_space == heap->stand_in || !app_shows(app, app->active_space))
		app_activate(app, space);
}

/* Selects the tile that was selected, unless another one is. */
static void return_selected(struct app *app, struct heap_prefs *p, uint32_t space)
{
	const uint32_t active = app->active_space, tile = p->lost - 1;
	p->lost = 0;
	if (app->selected.space != GCS_NONE || tile >= gcs_snapshot_tiles(app->snapshot, space))
		return;
	app_select(app, space, tile);
	if (active != GCS_NONE)
		app_activate(app, active);
}

static bool show_hidden(struct heap *heap, struct app *app, const char *name)
{
	uint32_t shown = 0, first = GCS_NONE, last = GCS_NONE;
	struct heap_prefs *earliest = NULL, *latest = NULL;
	for (uint32_t i = 0; i < app_model(app)->space_count; i++) {
		struct heap_prefs *p = heap_prefs_of(heap, app, i);
		if (p == NULL || !p->hidden || (name != NULL && strcmp(name, p->name) != 0))
			continue;
		p->hidden = false;
		shown++;
		if (earliest == NULL || p->left < earliest->left) {
			earliest = p;
			first = i;
		}
		if (p->lost > 0 && (latest == NULL || p->left > latest->left)) {
			latest = p;
			last = i;
		}
	}
	if (shown == 0) {
		if (name != NULL)
			app_toast(app, "No hidden space named \"%.200s\"", name);
		else
			app_toast(app, "No hidden spaces");
		return false;
	}
	return_active(heap, app, first);
	if (latest != NULL)
		return_selected(app, latest, last);
	relayout(heap, app);
	return true;
}

static bool set_columns(struct heap *heap, struct app *app, const char *argument)
{
	struct heap_prefs *p = active(heap, app);
	uint64_t columns;
	if (p == NULL)
		return false;
	if (argument == NULL || !gcs_parse_number(argument, &columns) || columns > HEAP_COLUMNS) {
		app_toast(app, "columns %.60s: expected 0 (as many as fit) to %u",
		    argument != NULL ? argument : "", HEAP_COLUMNS);
		return false;
	}
	p->columns = (uint32_t)columns;
	relayout(heap, app);
	return true;
}

static bool set_order(struct heap *heap, struct app *app, const char *argument)
{
	struct heap_prefs *p = active(heap, app);
	if (p == NULL)
		return false;
	int kind = ((int)p->order_kind + 1) % ORDER_KINDS;
	if (argument != NULL && !find_name(argument, heap_orders, ORDER_KINDS, &kind)) {
		app_toast(app, "order %.60s: expected address, falling or rising", argument);
		return false;
	}
	p->order_kind = (enum tileorder_kind)kind;
	heap_restyle(heap, app);
	return true;
}

static bool is_shown(
    const struct heap_prefs *p, const struct gcs_space *s, uint32_t first, uint32_t i)
{
	bool shown = i == first;
	for (uint32_t k = 0; k < p->parts; k++)
		shown = shown || strcmp(p->part[k], s->streams[i].name) == 0;
	return shown;
}

/* The next stream, after the one added last, that no part shows. */
static uint32_t next_part(const struct heap_prefs *p, const struct app *app, uint32_t space)
{
	const struct gcs_space *s = app_space(app, space);
	const uint32_t first = app->stream_of[space];
	uint32_t last = first;
	if (p->parts > 0)
		last = gcs_space_find_stream(s, p->part[p->parts - 1]);
	for (uint32_t i = 1; i < s->stream_count; i++) {
		const uint32_t at = (last + i) % s->stream_count;
		if (tilecode_is_view(s, at) && !is_shown(p, s, first, at))
			return at;
	}
	return GCS_NONE;
}

static bool split(struct heap *heap, struct app *app, const char *name)
{
	struct heap_prefs *p = active(heap, app);
	const uint32_t space = app->active_space;
	if (p == NULL || space >= app->space_count)
		return false;
	const struct gcs_space *s = app_space(app, space);
	uint32_t stream = next_part(p, app, space);
	if (app->view_state.running && p->parts < TILE_PARTS - 1) {
		/* The stream may be missing in this run. */
		snprintf(p->part[p->parts++], sizeof p->part[0], "%s", name);
		return true;
	}
	if (name != NULL && strcasecmp(name, "off") != 0) {
		stream = gcs_space_find_stream(s, name);
		if (stream == GCS_NONE || s->streams[stream].role != GCS_ROLE_DATA) {
			app_toast(app, "This space has no stream \"%.200s\"", name);
			return false;
		}
		if (is_shown(p, s, app->stream_of[space], stream)) {
			app_toast(app, "%.200s is already shown", name);
			return false;
		}
		if (p->parts == TILE_PARTS - 1) {
			app_toast(app, "Tiles show at most %d streams", TILE_PARTS);
			return false;
		}
	}
	const bool ends = (name != NULL && strcasecmp(name, "off") == 0) || stream == GCS_NONE ||
			  p->parts == TILE_PARTS - 1;
	if (ends && p->parts == 0) {
		app_toast(app, "%.200s has only one stream", s->name);
		return false;
	}
	if (ends)
		p->parts = 0;
	else
		snprintf(p->part[p->parts++], sizeof p->part[0], "%s", s->streams[stream].name);
	heap_restyle(heap, app);
	return true;
}

bool heap_set_text(struct heap *heap, struct app *app, const char *text)
{
	struct heap_prefs *p = active(heap, app);
	struct gcs_error err = {.text = ""};
	const uint32_t space = app->active_space;
	if (p == NULL || space >= app->space_count)
		return false;
	text += strspn(text, " \t");
	struct expr expr;
	if (strlen(text) >= sizeof p->text)
		return false;
	if (*text != 0 && !expr_compile(&expr, text, app_space(app, space), &err) &&
	    !app->view_state.running) {
		app_toast(app, "%s", err.text);
		return false;
	}
	p->by_text = *text != 0;
	p->over_stream = app->stream_of[space];
	snprintf(p->text, sizeof p->text, "%s", text);
	heap_restyle(heap, app);
	return true;
}

/* Cycles through the streams and, after the last one, the expression. */
static bool turn(struct heap *heap, struct app *app, int dir)
{
	struct heap_prefs *p = active(heap, app);
	const uint32_t space = app->active_space;
	if (p == NULL || space >= app->space_count || p->text[0] == 0)
		return false;
	const struct gcs_space *s = app_space(app, space);
	uint32_t first = GCS_NONE, last = 0;
	for (uint32_t i = 0; i < s->stream_count; i++) {
		if (!tilecode_is_view(s, i))
			continue;
		first = first == GCS_NONE ? i : first;
		last = i;
	}
	const uint32_t now = app->stream_of[space];
	if (first == GCS_NONE)
		return false;
	if (heap_by_text(p, app, space)) {
		p->by_text = false;
		app_set_stream(app, space, dir > 0 ? first : last);
	} else if (now == (dir > 0 ? last : first)) {
		p->by_text = true;
		p->over_stream = now;
	} else {
		return false;
	}
	heap_restyle(heap, app);
	return true;
}

/* Before the application sets a stream. */
static void leave_text(struct heap *heap, struct app *app)
{
	struct heap_prefs *p = heap_prefs_of(heap, app, app->active_space);
	if (p != NULL)
		p->by_text = false;
	heap_restyle(heap, app);
}

static bool frame_equal(struct heap *heap, struct app *app, const char *argument)
{
	(void)argument;
	if (!heap->equal && app->selected.space == GCS_NONE) {
		app_toast(app, "Select a tile first: click one or use the arrow keys");
		return false;
	}
	heap->equal = !heap->equal;
	heap_restyle(heap, app);
	app_toast(app, "%s",
	    heap->equal ? "Tiles with the same value are outlined"
			: "Tiles with the same value are no longer outlined");
	return true;
}

static bool fade(struct heap *heap, struct app *app, const char *argument)
{
	if (!view_state_switch(app, COMMAND_recency, argument, &heap->recency))
		return false;
	heap_restyle(heap, app);
	app_toast(app, "%s", heap->recency ? "Unchanged tiles fade" : "Tiles no longer fade");
	return true;
}

static bool choose_expression(struct heap *heap, struct app *app, const char *argument)
{
	if (argument != NULL)
		return heap_set_text(heap, app, strcmp(argument, "off") == 0 ? "" : argument);
	heap_field_open(heap, app, FIELD_EXPRESSION);
	return true;
}

static bool find(struct heap *heap, struct app *app, const char *argument)
{
	if (argument != NULL)
		return heap_find_text(heap, app, argument);
	heap_field_open(heap, app, FIELD_FIND);
	return true;
}

static bool summary(struct heap *heap, struct app *app, const char *argument)
{
	(void)heap;
	(void)argument;
	app_open_modal(app, MODAL_SUMMARY);
	return true;
}

static bool open_menu(struct app *app)
{
	app_open_modal(app, MODAL_STREAMS);
	app->modal_row = stream_menu_chosen(app);
	return true;
}

bool heap_choice_command(
    struct heap *heap, struct app *app, enum command_id id, const char *argument, bool *ok)
{
	static const struct {
		enum command_id id;
		bool (*run)(struct heap *heap, struct app *app, const char *argument);
	} choices[] = {
	    {COMMAND_layout, choose_layout},
	    {COMMAND_pin, pin},
	    {COMMAND_hide, hide},
	    {COMMAND_fold, heap_fold_command},
	    {COMMAND_show_hidden, show_hidden},
	    {COMMAND_columns, set_columns},
	    {COMMAND_tile_size, heap_fixed_command},
	    {COMMAND_order, set_order},
	    {COMMAND_split, split},
	    {COMMAND_expression, choose_expression},
	    {COMMAND_find, find},
	    {COMMAND_recency, fade},
	    {COMMAND_equal, frame_equal},
	    {COMMAND_space_colours, heap_colours_command},
	    {COMMAND_summary, summary},
	    {COMMAND_expand_all, heap_open_groups},
	    {COMMAND_compare_tiles, heap_compare_file},
	};
	for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
		if (choices[i].id != id)
			continue;
		*ok = choices[i].run(heap, app, argument);
		return true;
	}
	*ok = true;
	switch (id) {
	case COMMAND_stream:
		if (argument == NULL)
			return open_menu(app);
		leave_text(heap, app);
		return false;
	case COMMAND_stream_next:
	case COMMAND_stream_prev:
		heap_restyle(heap, app); /* An order follows the stream. */
		return turn(heap, app, id == COMMAND_stream_next ? 1 : -1);
	default:
		return false;
	}
}
