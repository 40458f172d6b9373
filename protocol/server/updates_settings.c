/* The setting `update` of a server with updates. */
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

bool gcs_updates_set(struct gcs_updates *u, const struct gcs_setting *setting)
{
	char message[200];
	const char *value = setting->value;
	if (strcmp(setting->key, "update") != 0)
		return false;
	const size_t digits = strspn(value, "0123456789");
	const unsigned long ms = strtoul(value, NULL, 10);
	const bool ok = digits != 0 && digits <= 5 && ms <= GCS_MAX_UPDATE_MS &&
			(value[digits] == '\0' || strcmp(value + digits, "ms") == 0);
	if (!ok)
		snprintf(message, sizeof message,
		    "update=\"%.60s\": expected milliseconds from 0 (each event) to %u", value,
		    GCS_MAX_UPDATE_MS);
	else if (ms == 0)
		snprintf(message, sizeof message, "each event is an update");
	else
		snprintf(message, sizeof message, "an update every %lu ms", ms);
	if (ok)
		gcs_updates_set_interval(u, (uint32_t)ms);
	gcs_server_answer(u->server, setting->ticket, ok ? GCS_OK : GCS_ARGUMENT, message, NULL, 0);
	return true;
}
