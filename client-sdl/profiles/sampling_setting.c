#include "sampling_setting.h"

#include <stdlib.h>
#include <string.h>

#include "app.h"

static void take_settings(struct app *app, uint32_t tag, const struct gcs_answer *answer)
{
	static const char key[] = "interval=";
	struct sampling *s = &app->profiles.sampling;
	const char *at = answer->status == GCS_OK ? answer->bytes : NULL;
	const char *end = at != NULL ? at + answer->length : NULL;
	const size_t n = sizeof key - 1;
	(void)tag;
	s->state = SAMPLING_UNTOLD;
	while (at < end) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		const size_t length = (size_t)((feed != NULL ? feed : end) - at);
		char digits[24] = "";
		if (length > n && length - n < sizeof digits && memcmp(at, key, n) == 0) {
			memcpy(digits, at + n, length - n);
			s->interval = strtoull(digits, NULL, 10);
			s->state = s->interval > 0 ? SAMPLING_ON : SAMPLING_OFF;
		}
		at += feed != NULL ? length + 1 : length;
	}
	app_dirty(app, PANEL_VIEW);
}

void sampling_tick(struct app *app)
{
	struct sampling *s = &app->profiles.sampling;
	if (requests_refusal(app) != NULL || s->connection == app->connection ||
	    requests_are_pending(app, take_settings))
		return;
	*s = (struct sampling){.connection = app->connection};
	if (requests_query(app, "settings", 0, NULL, take_settings, 0) != GCS_OK)
		s->state = SAMPLING_UNTOLD;
	app_dirty(app, PANEL_VIEW);
}

void sampling_ask_again(struct app *app)
{
	app->profiles.sampling.connection = 0;
}

enum sampling_state sampling_state(const struct app *app, uint64_t *interval)
{
	const struct sampling *s = &app->profiles.sampling;
	if (requests_refusal(app) != NULL)
		return SAMPLING_UNTOLD;
	if (s->connection != app->connection)
		return SAMPLING_ASKED;
	if (s->state == SAMPLING_ON)
		*interval = s->interval;
	return s->state;
}
