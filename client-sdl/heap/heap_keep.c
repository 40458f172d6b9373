/* What the heap map keeps: its looks, the active space, and what is chosen in each space. Declared
 * in heap_view.h; the names of words are those of docs/visualiser.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/format.h>

#include "heap_view.h"
#include "words.h"

const char *const heap_shape_names[HEAP_SHAPES] = {"wrapped", "proportional"};
const char *const heap_order_names[ORDER_KINDS] = {"address", "falling", "rising"};

/* The space that is active when nobody has chosen one, as app_settle has it. */
static uint32_t usual(const struct app *app)
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

/* What is chosen in a space, "" for nothing. */
static void space_words(
    const struct heap_prefs *p, const struct app *app, uint32_t space, struct textbuf *out)
{
	const struct gcs_space *s = app_space(app, space);
	const uint32_t stream = app->stream_of[space];
	char number[16];
	if (p->pinned)
		words_put_flag(out, "pinned", true);
	if (p->hidden)
		words_put_flag(out, "hidden", true);
	snprintf(number, sizeof number, "%u", p->columns);
	if (p->columns > 0)
		words_put(out, "columns", number);
	if (p->order_kind != ORDER_ADDRESS)
		words_put(out, "order", heap_order_names[p->order_kind]);
	if (stream != s->default_stream && stream < s->stream_count)
		words_put(out, "stream", s->streams[stream].name);
	for (uint32_t i = 0; i < p->parts; i++)
		words_put(out, "split", p->part[i]);
	if (p->text[0] != 0)
		words_put(out, "expression", p->text);
	if (p->text[0] != 0 && heap_by_text(p, app, space))
		words_put_flag(out, "coloured", true);
}

static uint64_t hash_of(const char *words)
{
	uint64_t hash = 14695981039346656037u;
	for (; *words != 0; words++)
		hash = (hash ^ (unsigned char)*words) * 1099511628211u;
	return hash;
}

static bool take_name(char *name, const char *value)
{
	if (strlen(value) > GCS_MAX_NAME || *value == 0)
		return false;
	snprintf(name, GCS_MAX_NAME + 1, "%s", value);
	return true;
}

static bool take_columns(struct heap_prefs *p, const char *value)
{
	uint64_t columns;
	if (!gcs_parse_number(value, &columns) || columns > HEAP_COLUMNS)
		return false;
	p->columns = (uint32_t)columns;
	return true;
}

/* A stream that the space does not have now is no mistake: programs differ in what they run
 * with. */
static bool take_stream(struct app *app, uint32_t space, const char *value)
{
	const uint32_t stream = gcs_space_find_stream(app_space(app, space), value);
	if (stream != GCS_NONE && app_space(app, space)->streams[stream].role == GCS_ROLE_DATA)
		app_set_stream(app, space, stream);
	return true;
}

static bool take_text(struct heap_prefs *p, const char *value)
{
	if (strlen(value) >= sizeof p->text)
		return false;
	snprintf(p->text, sizeof p->text, "%s", value);
	return true;
}

/* A space that is met, and its choices. */
struct meeting {
	struct heap_prefs *prefs;
	uint32_t space;
};

static bool take_word(void *context, struct app *app, const char *key, const char *value)
{
	const struct meeting *meeting = context;
	struct heap_prefs *p = meeting->prefs;
	const uint32_t space = meeting->space;
	int kind;
	if (strcmp(key, "pinned") == 0)
		return words_flag(value, &p->pinned);
	if (strcmp(key, "hidden") == 0)
		return words_flag(value, &p->hidden);
	if (strcmp(key, "columns") == 0)
		return take_columns(p, value);
	if (strcmp(key, "stream") == 0)
		return take_stream(app, space, value);
	if (strcmp(key, "expression") == 0)
		return take_text(p, value);
	if (strcmp(key, "split") == 0)
		return p->parts < TILE_PARTS - 1 && take_name(p->part[p->parts], value) &&
		       ++p->parts > 0;
	if (strcmp(key, "coloured") == 0) {
		p->over_stream = app->stream_of[space];
		return words_flag(value, &p->by_text);
	}
	if (strcmp(key, "order") != 0 || !words_choice(value, heap_order_names, ORDER_KINDS, &kind))
		return false;
	p->order_kind = (enum tileorder_kind)kind;
	return true;
}

/* A space is seen for the first time. */
static void meet(struct heap_prefs *p, struct app *app, uint32_t space)
{
	struct meeting meeting = {p, space};
	keep_take_line(app, "space", keep_space(app, p->name), take_word, &meeting);
	struct textbuf now = {0};
	space_words(p, app, space, &now);
	p->kept = hash_of(textbuf_text(&now));
	p->met = true;
	textbuf_fini(&now);
}

/* Lines of spaces in which something else is chosen than before. */
static void keep_spaces(struct heap *heap, struct app *app)
{
	for (uint32_t i = 0; i < app->space_count; i++) {
		struct textbuf now = {0};
		struct heap_prefs *p = heap_prefs_of(heap, app, i);
		if (p == NULL || !p->met)
			continue;
		space_words(p, app, i, &now);
		uint64_t hash = hash_of(textbuf_text(&now));
		if (hash != p->kept && !now.failed) {
			p->kept = hash;
			keep_put_space(app, p->name, textbuf_text(&now));
		}
		textbuf_fini(&now);
	}
}

void heap_keep(void *self, struct app *app, enum keep_scope scope, struct textbuf *out)
{
	struct heap *heap = self;
	if (scope == KEEP_STYLE) {
		words_put(out, "layout", heap_shape_names[heap->shape]);
		words_put_flag(out, "recency", heap->recency);
		return;
	}
	if (app->snapshot == NULL || app->keep.target[0] == 0)
		return;
	keep_spaces(heap, app);
	const struct gcs_space *active = app_space(app, app->active_space);
	if (active != NULL && app->active_space != usual(app))
		words_put(out, "active", active->name);
}

static void forget(struct heap *heap, struct app *app)
{
	heap_clear(heap);
	heap_prefs_fini(heap);
	heap->mark.space = GCS_NONE;
	heap->drag = DRAG_NONE;
	for (uint32_t i = 0; i < app->space_count; i++)
		app->stream_of[i] = app_space(app, i)->default_stream;
}

static bool take_target(struct heap *heap, struct app *app, const char *key, const char *value)
{
	if (key == NULL)
		forget(heap, app);
	else if (strcmp(key, "active") != 0)
		return false;
	else if (app->snapshot != NULL) {
		uint32_t space = gcs_model_find_space(app_model(app), value);
		if (space != GCS_NONE && app_shows(app, space))
			app_activate(app, space);
	}
	return true;
}

bool heap_keep_take(
    void *self, struct app *app, enum keep_scope scope, const char *key, const char *value)
{
	struct heap *heap = self;
	int shape;
	if (scope == KEEP_STYLE && strcmp(key, "recency") == 0 &&
	    !words_flag(value, &heap->recency))
		return false;
	if (scope == KEEP_STYLE && strcmp(key, "layout") == 0) {
		if (!words_choice(value, heap_shape_names, HEAP_SHAPES, &shape))
			return false;
		heap->shape = (enum heap_shape)shape;
	}
	heap->area.w = 0; /* Nothing fits any more. */
	heap_restyle(heap, app);
	return scope == KEEP_STYLE || take_target(heap, app, key, value);
}

void heap_described(void *self, struct app *app)
{
	struct heap *heap = self;
	for (uint32_t i = 0; i < app->space_count; i++) {
		struct heap_prefs *p = heap_prefs_of(heap, app, i);
		if (p != NULL && !p->met)
			meet(p, app, i);
	}
}
