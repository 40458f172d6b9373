/* The setting `update` of a server with updates. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "updates_internal.h"

uint32_t gcs_updates_interval(struct gcs_updates *u)
{
	pthread_mutex_lock(&u->lock);
	const uint32_t ms = u->interval_ms;
	pthread_mutex_unlock(&u->lock);
	return ms;
}

/* "50", "50ms", "1s", "20000us". A part of a millisecond is none. */
static bool parse_ms(const char *value, uint32_t *ms)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} suffixes[] = {{"", 1000000}, {"ms", 1000000}, {"s", 1000000000}, {"us", 1000}, {"ns", 1}};
	enum { NS_PER_MS = 1000000, DIGITS = 11 }; /* GCS_MAX_UPDATE_MS in nanoseconds has 11 */
	const size_t digits = strspn(value, "0123456789");
	const uint64_t number = strtoull(value, NULL, 10);
	for (size_t i = 0;
	     digits != 0 && digits <= DIGITS && i < sizeof suffixes / sizeof suffixes[0]; i++) {
		const uint64_t most = (uint64_t)GCS_MAX_UPDATE_MS * NS_PER_MS / suffixes[i].ns;
		if (strcmp(value + digits, suffixes[i].name) != 0 || number > most)
			continue;
		*ms = (uint32_t)(number * suffixes[i].ns / NS_PER_MS);
		return number * suffixes[i].ns % NS_PER_MS == 0;
	}
	return false;
}

bool gcs_updates_set(struct gcs_updates *u, const struct gcs_setting *setting)
{
	char message[200];
	const char *value = setting->value;
	if (strcmp(setting->key, "update") != 0)
		return false;
	uint32_t ms = 0;
	const bool ok = parse_ms(value, &ms);
	if (!ok)
		snprintf(message, sizeof message,
		    "update=\"%.60s\": expected whole milliseconds from 0 (each event) to %u, as "
		    "50, 50ms or 1s",
		    value, GCS_MAX_UPDATE_MS);
	else if (ms == 0)
		snprintf(message, sizeof message, "each event is an update");
	else
		snprintf(message, sizeof message, "an update every %" PRIu32 " ms", ms);
	if (ok)
		gcs_updates_set_interval(u, ms);
	gcs_server_answer(u->server, setting->ticket, ok ? GCS_OK : GCS_ARGUMENT, message, NULL, 0);
	return true;
}
