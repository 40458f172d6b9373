#include "agent_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/format.h>

static void reject_setting(
    const struct settings_parts *q, uint64_t ticket, enum gcs_status status, const char *message)
{
	gcs_server_answer(q->server, ticket, status, message, NULL, 0);
}

static void set_clock(const struct settings_parts *q, const struct gcs_setting *setting)
{
	char message[200], *end;
	const unsigned long ms = strtoul(setting->value, &end, 10);
	const size_t length = strlen(setting->value);
	if (length == 0 || length > 7 || strspn(setting->value, "0123456789") != length ||
	    ms > CLOCK_MAX_MS) {
		snprintf(message, sizeof message,
		    "clock=\"%.60s\": expected milliseconds from 0 (off) to %d", setting->value,
		    CLOCK_MAX_MS);
		reject_setting(q, setting->ticket, GCS_ARGUMENT, message);
		return;
	}
	clock_set_period(q->clock, (uint32_t)ms);
	snprintf(message, sizeof message,
	    ms == 0 ? "the heap is no longer read between collections"
		    : "the heap is read every %lu ms between collections, as the event Clock",
	    ms);
	gcs_server_answer(q->server, setting->ticket, GCS_OK, message, NULL, 0);
}

static void set_volume(const struct settings_parts *q, const struct gcs_setting *setting)
{
	char message[200] = "light: the heavy volume is not available";
	struct gcs_error err;
	/* Without the heavy volume, light is the state anyway. */
	if (q->volume == NULL && strcmp(setting->key, "volume") == 0 &&
	    strcmp(setting->value, "light") == 0)
		gcs_server_answer(q->server, setting->ticket, GCS_OK, message, NULL, 0);
	else if (q->volume == NULL)
		reject_setting(q, setting->ticket, GCS_UNSUPPORTED,
		    "the heavy volume is not available; the general information says why");
	else if (volume_set(q->volume, setting->key, setting->value, &err) != GCS_OK)
		reject_setting(q, setting->ticket, err.status, err.text);
	else {
		volume_describe(q->volume, message, sizeof message);
		gcs_server_answer(q->server, setting->ticket, GCS_OK, message, NULL, 0);
	}
}

void settings_set(const struct settings_parts *q, const struct gcs_setting *setting)
{
	char message[400];
	uint64_t interval;
	if (volume_has(setting->key)) {
		set_volume(q, setting);
	} else if (strcmp(setting->key, "clock") == 0) {
		set_clock(q, setting);
	} else if (strcmp(setting->key, "interval") != 0) {
		snprintf(message, sizeof message,
		    "unknown setting \"%.60s\"; available: interval, clock, volume, heavy-events, "
		    "heavy-budget",
		    setting->key);
		reject_setting(q, setting->ticket, GCS_UNSUPPORTED, message);
	} else if (!gcs_parse_size(setting->value, &interval) || interval > SAMPLER_MAX_INTERVAL) {
		snprintf(message, sizeof message,
		    "interval=\"%.60s\": expected bytes from 0 (off) to 2147483647, such as 512k",
		    setting->value);
		reject_setting(q, setting->ticket, GCS_ARGUMENT, message);
	} else if (!sampler_request(q->sampler, interval, setting->ticket)) {
		reject_setting(q, setting->ticket, GCS_LIMIT, "too many setting changes wait");
	}
}
