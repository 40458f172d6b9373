#include "volume.h"

#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>

static const char *const volumes[] = {"light", "heavy", NULL};
static const char *const events[] = {"finish", "start", "both", NULL};

enum setting { VOLUME, HEAVY_EVENTS, HEAVY_BUDGET, SETTING_COUNT };

static const char *const keys[SETTING_COUNT] = {"volume", "heavy-events", "heavy-budget"};

static const char *const allowed[SETTING_COUNT] = {"light and heavy are allowed",
    "finish, start and both are allowed",
    "a whole number of milliseconds from 1 to 1000 is allowed"};

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

static bool set_word(atomic_uint *to, const char *const *words, const char *value)
{
	for (unsigned i = 0; words[i] != NULL; i++) {
		if (strcmp(words[i], value) == 0) {
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
		good = set_word(&v->heavy, volumes, value);
	else if (setting == HEAVY_EVENTS)
		good = set_word(&v->events, events, value);
	else if (setting == HEAVY_BUDGET)
		good = set_budget(&v->budget_ms, value);
	else
		return gcs_fail(err, GCS_UNSUPPORTED, "there is no setting \"%.60s\"", key);
	return good ? GCS_OK
		    : gcs_fail(err, GCS_ARGUMENT, "%s=\"%.60s\": %s", key, value, allowed[setting]);
}

size_t volume_tell(const struct volume *v, char *text, size_t size)
{
	int length = snprintf(text, size, "%s=%s\n%s=%s\n%s=%u\n", keys[VOLUME],
	    volumes[atomic_load(&v->heavy)], keys[HEAVY_EVENTS], events[atomic_load(&v->events)],
	    keys[HEAVY_BUDGET], atomic_load(&v->budget_ms));
	return length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
}

size_t volume_describe(const struct volume *v, char *text, size_t size)
{
	static const char *const when[] = {"the finish", "the start", "the start and the finish"};
	int length;
	if (atomic_load(&v->heavy) == 0 && v->at_clock)
		length = snprintf(text, size,
		    "light: objects are not counted; heavy would count for at most %u ms",
		    atomic_load(&v->budget_ms));
	else if (atomic_load(&v->heavy) == 0)
		length = snprintf(text, size,
		    "light: objects are not counted; heavy would count at %s of each collection, "
		    "for at most %u ms",
		    when[atomic_load(&v->events)], atomic_load(&v->budget_ms));
	else if (v->at_clock)
		length = snprintf(text, size,
		    "heavy: objects are counted at each strike of the clock, for at most %u ms",
		    atomic_load(&v->budget_ms));
	else
		length = snprintf(text, size,
		    "heavy: objects are counted at %s of each collection, for at most %u ms",
		    when[atomic_load(&v->events)], atomic_load(&v->budget_ms));
	return length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
}
