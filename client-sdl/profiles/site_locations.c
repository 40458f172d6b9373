/* The site or frame in focus, and the queries for its location; declared in site_locations.h. */
#include "site_locations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "sites_view.h"

void site_locations_fini(struct site_locations *l)
{
	shared_profile_unref(l->cell.before);
	for (uint32_t i = 0; i < l->answers; i++)
		gcs_site_tiles_free(l->answer[i].tiles);
	for (uint32_t i = 0; i < l->spaces; i++)
		free(l->space[i].values);
	*l = (struct site_locations){0};
}

/* The cache of answers. */

struct site_locations_answer *site_locations_find(struct site_locations *l, uint64_t number)
{
	for (uint32_t i = 0; i < l->answers; i++)
		if (l->answer[i].number == number)
			return &l->answer[i];
	return NULL;
}

uint32_t site_locations_missing(const struct site_locations *l)
{
	uint32_t missing = 0;
	for (uint32_t i = 0; i < l->count; i++)
		missing += site_locations_find((struct site_locations *)l, l->number[i]) == NULL;
	return missing;
}

static void drop_answer(struct site_locations *l, struct site_locations_answer *a)
{
	l->bytes -= a->bytes;
	gcs_site_tiles_free(a->tiles);
	*a = l->answer[--l->answers];
}

/* A free slot, or the least recently used one. */
static struct site_locations_answer *make_place(struct site_locations *l, size_t bytes)
{
	while (l->answers > 0 &&
	       (l->answers == SITE_LOCATIONS_KEPT || l->bytes + bytes > SITE_LOCATIONS_BYTES)) {
		struct site_locations_answer *oldest = &l->answer[0];
		for (uint32_t i = 1; i < l->answers; i++)
			if (l->answer[i].used < oldest->used)
				oldest = &l->answer[i];
		drop_answer(l, oldest);
	}
	l->bytes += bytes;
	return &l->answer[l->answers++];
}

/* Answers of another connection do not apply. */
static void forget_answers(struct app *app)
{
	struct site_locations *l = &app->profiles.site_locations;
	while (l->answers > 0)
		drop_answer(l, &l->answer[0]);
	site_locations_point(app, 0, 0);
	l->connection = app->connection;
	l->waiting = l->cell.waiting = false;
	l->news++;
}

/* The focus. */

/* The pointer or the selection, whichever changed last. */
static struct site_locations_look look_now(const struct app *app, bool *by_choice)
{
	const struct site_locations *l = &app->profiles.site_locations;
	const uint64_t hovered = app_look(app, false), chosen = app_look(app, true);
	*by_choice = l->by_choice;
	if (chosen != l->chosen)
		*by_choice = true;
	else if (hovered != l->hovered)
		*by_choice = false;
	const bool selected = hovered == 0 || (*by_choice && chosen != 0);
	return (struct site_locations_look){
	    .key = selected ? chosen : hovered, .selected = selected};
}

static bool is_same(const struct app *app, struct site_locations_look look)
{
	const struct site_locations *l = &app->profiles.site_locations;
	return look.key == l->look.key && look.selected == l->look.selected &&
	       l->view == (int)app->view_id &&
	       (look.key == 0 || l->version == app->profiles.version) &&
	       l->hovered == app_look(app, false) && l->chosen == app_look(app, true);
}

static void look(struct app *app)
{
	struct site_locations *l = &app->profiles.site_locations;
	bool by_choice;
	const struct site_locations_look now = look_now(app, &by_choice);
	if (is_same(app, now))
		return;
	/* The same node of a newer profile needs no delay. */
	const bool same = now.key == l->look.key && l->view == (int)app->view_id;
	if (!same)
		l->since_ms = app->now_ms;
	l->ready = false;
	l->look = now;
	l->view = (int)app->view_id;
	l->version = app->profiles.version;
	l->by_choice = by_choice;
	l->hovered = app_look(app, false);
	l->chosen = app_look(app, true);
	app_dirty(app, PANEL_SIDE);
}

/* Finds its sites after the delay. */
static void find_sites(struct app *app)
{
	struct site_locations *l = &app->profiles.site_locations;
	uint64_t numbers[PROFILES_KEPT] = {0};
	char name[400] = "";
	if (l->ready || (l->look.key != 0 && app->now_ms < l->since_ms + SITE_LOCATIONS_DWELL_MS))
		return;
	l->ready = true;
	l->all = l->look.key != 0
		     ? app_look_sites(app, l->look.selected, numbers, name, sizeof name)
		     : 0;
	l->count = l->all < SITE_LOCATIONS_SITES ? l->all : SITE_LOCATIONS_SITES;
	memcpy(l->number, numbers, sizeof l->number);
	sites_put_name(l->name, sizeof l->name, name);
	l->news++;
	app_dirty(app, PANEL_SIDE);
}

/* Queries. */

static bool can_ask(const struct app *app)
{
	return app->state == SOURCE_LIVE && app->source.ops->query != NULL &&
	       !app->event_history.back && !app->replay.on && profiles_are_shown(app);
}

/* The next site without an answer, or with an outdated one, and the earliest time of its query. */
static uint64_t next_site(const struct app *app, uint32_t *at)
{
	const struct site_locations *l = &app->profiles.site_locations;
	uint64_t due = UINT64_MAX;
	for (uint32_t i = 0; i < l->count; i++) {
		const struct site_locations_answer *a =
		    site_locations_find((struct site_locations *)l, l->number[i]);
		/* Locations are the same in the same snapshot. */
		const uint64_t when = a == NULL || l->connection != app->connection ? 0
				      : a->events == app->events                    ? UINT64_MAX
								 : a->ms + SITE_LOCATIONS_AGAIN_MS;
		if (when < due)
			*at = i;
		due = when < due ? when : due;
	}
	return due;
}

bool site_locations_are_awaited(const struct app *app)
{
	const struct site_locations *l = &app->profiles.site_locations;
	return (l->waiting || l->cell.waiting) && l->connection == app->connection;
}

/* When the text must change because no answer has arrived. */
static uint64_t late_ms(const struct site_locations *l)
{
	return l->since_ms + SITE_LOCATIONS_ASKING_MS;
}

uint64_t site_locations_due_ms(const struct app *app)
{
	const struct site_locations *l = &app->profiles.site_locations;
	bool by_choice;
	uint32_t at;
	if (!profiles_are_shown(app))
		return UINT64_MAX;
	if (!is_same(app, look_now(app, &by_choice)))
		return app->now_ms;
	if (!l->ready)
		return l->since_ms + SITE_LOCATIONS_DWELL_MS;
	const uint64_t cell = site_locations_cell_due_ms(app);
	if (cell != UINT64_MAX)
		return cell;
	uint64_t due = can_ask(app) && profiles_may_ask(app) ? next_site(app, &at) : UINT64_MAX;
	due = due < l->due_ms ? l->due_ms : due;
	if (can_ask(app) && site_locations_missing(l) > 0 && app->now_ms < late_ms(l) &&
	    late_ms(l) < due)
		due = late_ms(l);
	return due;
}

static void ask(struct app *app, uint32_t at)
{
	struct site_locations *l = &app->profiles.site_locations;
	char digits[16];
	snprintf(digits, sizeof digits, "%012" PRIx64, l->number[at]);
	const struct gcs_info parameter = {"site", digits};
	l->asked = l->number[at];
	const enum gcs_status status = app_ask(app, "tiles", 1, &parameter, &l->id);
	l->waiting = status == GCS_OK;
	if (status == GCS_OK)
		return;
	/* Counts as answered, so that it is not retried endlessly. */
	struct site_locations_answer *a = site_locations_find(l, l->asked);
	if (a != NULL)
		drop_answer(l, a);
	a = make_place(l, 0);
	*a = (struct site_locations_answer){
	    .number = l->asked, .events = app->events, .ms = app->now_ms, .used = ++l->uses};
	snprintf(a->message, sizeof a->message, "%s", gcs_status_text(status));
	l->news++;
	app_dirty(app, PANEL_SIDE);
}

void site_locations_tick(struct app *app)
{
	struct site_locations *l = &app->profiles.site_locations;
	uint32_t at;
	if (!profiles_are_shown(app))
		return;
	if (l->connection != app->connection)
		forget_answers(app);
	look(app);
	find_sites(app);
	site_locations_cell_tick(app);
	if (site_locations_missing(l) > 0 && app->now_ms >= late_ms(l))
		app_dirty(app, PANEL_SIDE);
	if (l->ready && can_ask(app) && profiles_may_ask(app) && app->now_ms >= l->due_ms &&
	    next_site(app, &at) <= app->now_ms)
		ask(app, at);
}

static void take(struct app *app, const struct gcs_answer *answer)
{
	struct site_locations *l = &app->profiles.site_locations;
	struct gcs_error err = {.text = ""};
	struct gcs_site_tiles *tiles = NULL;
	if (answer->status == GCS_OK && answer->length > SITE_LOCATIONS_MOST)
		snprintf(err.text, sizeof err.text, "too many tiles to show");
	else if (answer->status == GCS_OK)
		tiles = gcs_site_tiles_decode(answer->bytes, answer->length, &err);
	l->due_ms = app->now_ms + answer->length * 1000 / SITE_LOCATIONS_SPEED;
	struct site_locations_answer *a = site_locations_find(l, l->asked);
	if (a != NULL)
		drop_answer(l, a);
	const size_t bytes =
	    tiles != NULL ? answer->length + tiles->count * sizeof *tiles->tiles : 0;
	a = make_place(l, bytes);
	*a = (struct site_locations_answer){.number = l->asked,
	    .events = app->events,
	    .ms = app->now_ms,
	    .used = ++l->uses,
	    .tiles = tiles,
	    .bytes = bytes};
	sites_put_name(a->message, sizeof a->message,
	    answer->status == GCS_OK     ? err.text
	    : answer->message[0] != '\0' ? answer->message
					 : gcs_status_text(answer->status));
	l->news++;
	app_dirty(app, PANEL_SIDE);
}

void site_locations_poll(struct app *app)
{
	struct site_locations *l = &app->profiles.site_locations;
	if (!site_locations_are_awaited(app))
		return;
	struct gcs_answer *answer = app_answer(app, l->id);
	if (answer == NULL)
		return;
	if (l->cell.waiting)
		site_locations_cell_take(app, answer);
	else if (answer->status != GCS_CLOSED)
		take(app, answer);
	l->waiting = l->cell.waiting = false;
	gcs_answer_free(answer);
}

bool site_locations_settled(const struct app *app)
{
	const struct site_locations *l = &app->profiles.site_locations;
	bool by_choice;
	uint32_t at;
	if (!is_same(app, look_now(app, &by_choice)) || !l->ready)
		return false;
	return !site_locations_are_awaited(app) &&
	       (!can_ask(app) || next_site(app, &at) > app->now_ms);
}
