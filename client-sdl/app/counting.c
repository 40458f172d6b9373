#include "counting.h"

#include <stdio.h>
#include <string.h>

#include "app.h"
#include "side.h"
#include "tilecode.h"

/* The first stream of the space that a walk counts, or GCS_NONE. */
static uint32_t walked_stream(const struct app *app, uint32_t space)
{
	const struct gcs_space *s = app_space(app, space);
	for (uint32_t i = 0; s != NULL && i < s->stream_count; i++) {
		const uint32_t counted = tilecode_counted_by(s, i);
		if (counted != GCS_NONE && counted != i)
			return i;
	}
	return GCS_NONE;
}

bool counting_concerns(const struct app *app, uint32_t space)
{
	return walked_stream(app, space) != GCS_NONE;
}

bool counting_is_on(const struct app *app)
{
	const struct counting *c = &app->counting;
	if (c->known && c->connection == app->connection)
		return c->on;
	for (uint32_t i = 0; i < app->space_count; i++) {
		const uint32_t stream = walked_stream(app, i);
		if (stream != GCS_NONE && tilecode_any_counted(app->snapshot, i, stream))
			return true;
	}
	return false;
}

const char *counting_lacks(const struct app *app, uint32_t space, uint32_t stream)
{
	const uint32_t counted = tilecode_counted_by(app_space(app, space), stream);
	if (counted == GCS_NONE || tilecode_any_counted(app->snapshot, space, stream))
		return NULL;
	return counted == stream ? "No live object is sampled: no value is known"
				 : "Not counted: no walk over the heap has reached these tiles";
}

static void take_volume(struct app *app, uint32_t on, const struct gcs_answer *answer)
{
	if (answer->status == GCS_OK)
		app->counting = (struct counting){app->connection, true, on != 0};
	app_toast(app, "Counting objects: %.250s", requests_text(answer));
	app_dirty(app, PANEL_SIDE);
}

bool counting_command(struct app *app, const char *argument)
{
	const char *why = requests_refusal(app);
	bool on = !counting_is_on(app);
	if (argument != NULL) {
		on = strcmp(argument, "on") == 0;
		if (!on && strcmp(argument, "off") != 0)
			why = "expected on, off, or nothing";
	}
	if (why == NULL) {
		const enum gcs_status status =
		    requests_set(app, "volume", on ? "heavy" : "light", take_volume, on);
		why = status != GCS_OK ? gcs_status_text(status) : NULL;
	}
	if (why != NULL)
		app_toast(app, "Counting objects: %.200s", why);
	return why == NULL;
}

void counting_side(struct app *app, struct cv_rect *column, uint32_t space, uint32_t id)
{
	const uint32_t stream = walked_stream(app, space);
	if (stream == GCS_NONE)
		return;
	struct ui *ui = &app->ui;
	const bool on = counting_is_on(app);
	const bool lacks = counting_lacks(app, space, stream) != NULL;
	const char *why = requests_refusal(app);
	char text[300];
	cut_top(column, ui_px(ui, 6));
	if (lacks && why != NULL)
		snprintf(text, sizeof text, "Grey: not counted. %s.", why);
	else
		snprintf(text, sizeof text, "%s",
		    on ? "Objects are counted at the next collection."
		       : "Grey: not counted. Counting lengthens each collection's pause, by 20 ms "
			 "at most unless heavy-budget says otherwise.");
	if (lacks)
		side_paragraph(app, column, FONT_SMALL, ui->theme->weak, 4, text);
	struct cv_rect row = cut_top(column, ui_px(ui, 26));
	const char *label = on ? "Stop counting objects" : "Count objects";
	struct cv_rect button = cut_left(&row, ui_button_width(ui, ICON_NONE, label));
	const bool clicked =
	    ui_button(ui, id, button, ICON_NONE, label, why != NULL ? BUTTON_OFF : 0);
	ui_tip(ui, id, button,
	    on ? "Sends volume=light: pauses are no longer lengthened by counting"
	       : "Sends volume=heavy: a walk over the objects in each collection's pause, 25 to "
		 "350 ns for each, at most heavy-budget (20 ms) for a pause");
	if (clicked)
		app_command(app, COMMAND_count_objects, on ? "off" : "on");
}
