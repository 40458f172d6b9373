#include "volume.h"

#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>

static const char *const volumes[] = {"light", "heavy", NULL};
static const char *const events[] = {"finish", "start", "both", NULL};

enum setting { VOLUME, HEAVY_EVENTS, HEAVY_BUDGET, SETTING_COUNT };

static const char *const keys[SETTING_COUNT] = {"volume", "heavy-events", "heavy-budget"};

static const char *const expected[SETTING_COUNT] = {
    "light or heavy", "finish, start or both", "a whole number of milliseconds from 1 to 1000"};

static int setting_of(const char *key)
{
	int i = 0;
	while (i < SETTING_COUNT && strcmp(keys[i], key) != 0)
		i++;
	return i;
}

bool volume_has(const char *key)
{
	return setting_of(key) != SETTING_COUNT;
}

static bool set_name(atomic_uint *to, const char *const *names, const char *value)
{
	for (unsigned i = 0; names[i] != NULL; i++) {
		if (strcmp(names[i], value) == 0) {
			atomic_store(to, i);
			return true;
		}
	}
	return false;
}

static bool set_budget(atomic_uint *to, const char *value)
{
	uint64_t number;
	if (!gcs_parse_number(value, &number) || number < VOLUME_MIN_MS || number > VOLUME_MAX_MS)
		return false;
	atomic_store(to, (unsigned)number);
	return true;
}

enum gcs_status volume_set(
    struct volume *v, const char *key, const char *value, struct gcs_error *err)
{
	int setting = setting_of(key);
	bool good = false;
	if (setting == VOLUME)
		good = set_name(&v->heavy, volumes, value);
	else if (setting == HEAVY_EVENTS)
		good = set_name(&v->events, events, value);
	else if (setting == HEAVY_BUDGET)
		good = set_budget(&v->budget_ms, value);
	else
		return gcs_fail(err, GCS_UNSUPPORTED, "unknown setting \"%.60s\"", key);
	return good ? GCS_OK
		    : gcs_fail(err, GCS_ARGUMENT, "%s=\"%.60s\": expected %s", key, value,
			  expected[setting]);
}

size_t volume_list(const struct volume *v, char *text, size_t size)
{
	int length = snprintf(text, size, "%s=%s\n%s=%s\n%s=%u\n", keys[VOLUME],
	    volumes[atomic_load(&v->heavy)], keys[HEAVY_EVENTS], events[atomic_load(&v->events)],
	    keys[HEAVY_BUDGET], atomic_load(&v->budget_ms));
	return length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
}

size_t volume_describe(const struct volume *v, char *text, size_t size)
{
	static const char *const pauses[] = {"the finish of each collection",
	    "the start of each collection", "the start and the finish of each collection"};
	const char *when = v->at_clock ? "each clock tick" : pauses[atomic_load(&v->events)];
	const int length = snprintf(text, size, "%s at %s, for at most %u ms",
	    atomic_load(&v->heavy) == 0 ? "light: object counting is off; heavy would count objects"
					: "heavy: objects are counted",
	    when, atomic_load(&v->budget_ms));
	return length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
}
