#include "events_filter.h"

#include <gcspy/format.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "app.h"

static const struct gcs_filter plain = {.enabled = true, .period = 1};

bool events_filter_is_default(const struct gcs_filter *f)
{
	return f->enabled && f->delay_ms == 0 && !f->pause && f->period == 1;
}

const char *events_filters_unavailable(const struct app *app)
{
	if (app->source.ops == NULL || app->state == SOURCE_NONE)
		return "Not connected: filters need a running program.";
	if (app->source.ops->set_filter == NULL)
		return "A recording shows every event; filters need a running program.";
	return NULL;
}

/* The filters in the order of the server's events; new events get the default. */
static void arrange(struct events_filters *f, const struct gcs_model *model)
{
	bool same = f->count == model->event_count;
	for (uint32_t i = 0; same && i < f->count; i++)
		same = strcmp(f->request[i].name, model->events[i].name) == 0;
	if (same)
		return;
	struct events_request before[GCS_MAX_EVENTS];
	const uint32_t n = f->count;
	memcpy(before, f->request, sizeof before);
	f->count = model->event_count < GCS_MAX_EVENTS ? model->event_count : GCS_MAX_EVENTS;
	for (uint32_t i = 0; i < f->count; i++) {
		struct events_request *w = &f->request[i];
		snprintf(w->name, sizeof w->name, "%s", model->events[i].name);
		w->filter = plain;
		for (uint32_t k = 0; k < n; k++) {
			if (strcmp(before[k].name, w->name) == 0)
				w->filter = before[k].filter;
		}
	}
}

static bool send(struct app *app, uint32_t event, const struct gcs_filter *filter)
{
	enum gcs_status status = app->source.ops->set_filter(app->source.self, event, filter);
	if (status != GCS_OK)
		app_toast(app, "Cannot set the filter: %s", gcs_status_text(status));
	return status == GCS_OK;
}

void events_filters_meet(struct events_filters *f, struct app *app, const struct gcs_model *model)
{
	if (strcmp(f->address, app->address) != 0) {
		f->count = 0;
		snprintf(f->address, sizeof f->address, "%s", app->address);
	}
	arrange(f, model);
	if (f->sent_to == app->connection)
		return;
	f->sent_to = app->connection;
	if (events_filters_unavailable(app) != NULL)
		return;
	for (uint32_t i = 0; i < f->count; i++) {
		if (!events_filter_is_default(&f->request[i].filter))
			send(app, i, &f->request[i].filter);
	}
}

bool events_filters_set(
    struct events_filters *f, struct app *app, uint32_t event, const struct gcs_filter *filter)
{
	const char *unavailable = events_filters_unavailable(app);
	if (unavailable != NULL || event >= f->count) {
		app_toast(app, "%s", unavailable != NULL ? unavailable : "No such event");
		return false;
	}
	f->request[event].filter = *filter;
	return f->sent_to != app->connection || app->state != SOURCE_LIVE ||
	       send(app, event, filter);
}

static bool parse_yes(const char *value, bool *yes)
{
	static const char *const words[][2] = {
	    {"no", "yes"}, {"off", "on"}, {"false", "true"}, {"0", "1"}};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		for (int k = 0; k < 2; k++) {
			if (strcasecmp(value, words[i][k]) == 0) {
				*yes = k == 1;
				return true;
			}
		}
	}
	return false;
}

bool events_filter_parse(
    struct gcs_filter *filter, const char *key, const char *value, char *wrong, size_t size)
{
	uint64_t n = 0;
	char digits[40];
	size_t used = 0;
	/* Accepts the thousands separators that the table shows. */
	for (const char *p = value; *p != 0 && used + 1 < sizeof digits; p++) {
		if (*p != ',')
			digits[used++] = *p;
	}
	digits[used] = 0;
	const bool is_number = strlen(value) < sizeof digits && gcs_parse_number(digits, &n);
	const char *allowed = NULL;
	if (strcmp(key, "enabled") == 0 || strcmp(key, "pause") == 0) {
		if (!parse_yes(value, *key == 'e' ? &filter->enabled : &filter->pause))
			allowed = "expected yes or no";
	} else if (strcmp(key, "delay") == 0) {
		if (is_number && n <= EVENTS_MAX_DELAY_MS)
			filter->delay_ms = (uint32_t)n;
		else
			allowed = "expected 0 to 10,000 ms";
	} else if (strcmp(key, "period") == 0) {
		if (is_number && n >= 1 && n <= EVENTS_MAX_PERIOD)
			filter->period = (uint32_t)n;
		else
			allowed = "expected 1 to 1,000,000";
	} else {
		snprintf(wrong, size,
		    "%.40s: expected enabled, delay, pause or period, such as delay=50", key);
		return false;
	}
	if (allowed != NULL)
		snprintf(wrong, size, "%s %.40s: %s", key, value, allowed);
	return allowed == NULL;
}

uint32_t events_filters_find(const struct events_filters *f, const char *name, size_t length)
{
	uint32_t found = GCS_NONE;
	for (uint32_t i = f->count; i-- > 0;) {
		if (strlen(f->request[i].name) == length &&
		    strncasecmp(f->request[i].name, name, length) == 0)
			found = i;
	}
	for (uint32_t i = 0; i < f->count; i++) {
		if (strlen(f->request[i].name) == length &&
		    memcmp(f->request[i].name, name, length) == 0)
			return i;
	}
	return found;
}

/* The start of the first word with '=': the event's name is before it. */
static const char *first_setting(const char *text)
{
	for (const char *p = text; *p != 0;) {
		size_t n = strcspn(p, " ");
		if (memchr(p, '=', n) != NULL)
			return p;
		p += n;
		p += strspn(p, " ");
	}
	return NULL;
}

bool events_filters_parse(const struct events_filters *f, const char *text, uint32_t *event,
    struct gcs_filter *filter, char *wrong, size_t size)
{
	const char *p = first_setting(text);
	if (p == NULL) {
		snprintf(wrong, size,
		    "filter: expected an event and enabled=, delay=, pause= or period=");
		return false;
	}
	size_t length = (size_t)(p - text);
	while (length > 0 && text[length - 1] == ' ')
		length--;
	*event = events_filters_find(f, text, length);
	if (*event == GCS_NONE) {
		snprintf(
		    wrong, size, "No event named \"%.*s\"", (int)(length < 80 ? length : 80), text);
		return false;
	}
	*filter = f->request[*event].filter;
	while (*p != 0) {
		size_t n = strcspn(p, " ");
		char word[80], *value;
		snprintf(word, sizeof word, "%.*s", (int)(n < 79 ? n : 79), p);
		value = strchr(word, '=');
		if (value == NULL) {
			snprintf(wrong, size, "%s: expected KEY=VALUE, such as delay=50", word);
			return false;
		}
		*value++ = 0;
		if (!events_filter_parse(filter, word, value, wrong, size))
			return false;
		p += n;
		p += strspn(p, " ");
	}
	return true;
}
