#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHANGES 256u /* most that wait; a later one replaces an earlier one of the same key */

void settings_init(struct settings *s)
{
	memset(s, 0, sizeof *s);
}

bool settings_open(struct settings *s, const char *path, struct gcs_error *err)
{
	settings_init(s);
	s->path = strdup(path);
	return settings_read(&s->table, path, err);
}

static void free_changes(struct settings *s, uint32_t first)
{
	for (uint32_t i = 0; i < first; i++) {
		free(s->change[i].key);
		free(s->change[i].value);
	}
	memmove(s->change, s->change + first, (s->changes - first) * sizeof *s->change);
	s->changes -= first;
}

/* Joins the writer and drops what it wrote. */
static void finish(struct settings *s)
{
	pthread_join(s->thread, NULL);
	s->writing = false;
	if (s->err.status == GCS_OK)
		free_changes(s, s->taken);
	s->taken = 0;
}

bool settings_close(struct settings *s, struct gcs_error *err)
{
	bool ok = true;
	if (s->writing)
		finish(s);
	if (s->path != NULL && s->changes > 0)
		ok = settings_write(s->path, s->change, s->changes, err);
	if (s->change != NULL)
		free_changes(s, s->changes);
	free(s->change);
	free(s->path);
	settings_table_fini(&s->table);
	memset(s, 0, sizeof *s);
	return ok;
}

const char *settings_get(const struct settings *s, const char *key)
{
	for (uint32_t i = 0; i < s->table.count; i++) {
		const char *value = settings_value(s->table.line[i], key);
		if (value != NULL)
			return value;
	}
	return NULL;
}

static bool is_key(const char *key)
{
	size_t n = strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789_.-");
	return n > 0 && n <= SETTINGS_KEY && key[n] == 0;
}

static bool replaces(const struct settings_change *now, const struct settings_change *before)
{
	if (strcmp(now->key, before->key) != 0)
		return false;
	const bool put = now->kind == SETTINGS_PUT;
	return put == (before->kind == SETTINGS_PUT) && settings_concerns(now, before->value);
}

/* Takes ownership of key and value. */
static bool note(struct settings *s, struct settings_change change, uint64_t now_ms)
{
	struct settings_change *list = s->change;
	if (list == NULL)
		list = s->change = malloc(CHANGES * sizeof *list);
	if (change.key == NULL || change.value == NULL || list == NULL) {
		free(change.key);
		free(change.value);
		return false;
	}
	settings_apply(&s->table, &change);
	for (uint32_t i = s->taken; i < s->changes; i++) {
		if (!replaces(&change, &list[i]))
			continue;
		free(list[i].key);
		free(list[i].value);
		memmove(&list[i], &list[i + 1], (s->changes - i - 1) * sizeof *list);
		s->changes--;
		break;
	}
	if (s->changes == CHANGES) { /* the disk is stalled */
		free(change.key);
		free(change.value);
		return false;
	}
	list[s->changes++] = change;
	if (s->due_ms == 0)
		s->due_ms = now_ms + SETTINGS_DELAY;
	return true;
}

/* A copy without control characters, which would break the line. */
static char *clean(const char *text, size_t room)
{
	if (strlen(text) > room)
		return NULL;
	char *copy = strdup(text);
	for (char *p = copy; p != NULL && *p != 0; p++) {
		if ((unsigned char)*p < 32 || *p == 127)
			*p = ' ';
	}
	return copy;
}

bool settings_put(struct settings *s, const char *key, const char *value, uint64_t now_ms)
{
	const char *now = settings_get(s, key);
	if (!is_key(key) || (now != NULL && strcmp(now, value) == 0))
		return is_key(key);
	struct settings_change change = {
	    .kind = SETTINGS_PUT, .key = strdup(key), .value = clean(value, SETTINGS_VALUE)};
	return note(s, change, now_ms);
}

uint32_t settings_items(
    const struct settings *s, const char *key, struct settings_item *items, uint32_t most)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->table.count && n < most; i++) {
		const char *value = settings_value(s->table.line[i], key);
		size_t stamp = value != NULL ? strcspn(value, " ") : 0;
		if (value == NULL || value[stamp] == 0 || stamp >= sizeof items->stamp)
			continue;
		struct settings_item *item = &items[n];
		snprintf(item->stamp, sizeof item->stamp, "%.*s", (int)stamp, value);
		item->text = value + stamp + 1;
		item->text_length = (uint32_t)strcspn(item->text, "\t");
		const char *tab = strchr(item->text, '\t');
		item->more = tab != NULL ? tab + 1 : "";
		n += item->text_length > 0;
	}
	return n;
}

bool settings_put_item(struct settings *s, const char *key, const char *text, const char *more,
    uint32_t limit, uint64_t now_ms)
{
	char stamp[40];
	time_t now = time(NULL);
	struct tm utc;
	char *a = clean(text, SETTINGS_VALUE), *b = clean(more, SETTINGS_VALUE);
	struct settings_change change = {.kind = SETTINGS_ITEM, .limit = limit};
	gmtime_r(&now, &utc);
	strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &utc);
	bool fits = a != NULL && b != NULL && *a != 0 && is_key(key) &&
		    strlen(a) + strlen(b) + 40 < SETTINGS_VALUE;
	if (fits) {
		const size_t size = strlen(stamp) + strlen(a) + strlen(b) + 3;
		change.key = strdup(key);
		change.value = malloc(size);
		if (change.value != NULL)
			snprintf(change.value, size, "%s %s%s%s", stamp, a, *b != 0 ? "\t" : "", b);
	}
	free(a);
	free(b);
	return note(s, change, now_ms);
}

void settings_remove_item(struct settings *s, const char *key, const char *text, uint64_t now_ms)
{
	char *item = clean(text, SETTINGS_VALUE);
	const size_t size = item != NULL ? strlen(item) + 3 : 0;
	struct settings_change change = {
	    .kind = SETTINGS_REMOVE, .key = strdup(key), .value = malloc(size + 1)};
	if (item != NULL && change.value != NULL)
		snprintf(change.value, size, "- %s", item);
	if (item == NULL) {
		free(change.value);
		change.value = NULL;
	}
	note(s, change, now_ms);
	free(item);
}

static void *write_all(void *argument)
{
	struct settings *s = argument;
	s->err = (struct gcs_error){.status = GCS_OK};
	if (!settings_write(s->path, s->change, s->taken, &s->err) && s->err.status == GCS_OK)
		s->err.status = GCS_IO;
	atomic_store(&s->written, true);
	return NULL;
}

bool settings_tick(struct settings *s, uint64_t now_ms, struct gcs_error *err)
{
	if (s->writing && atomic_load(&s->written)) {
		finish(s);
		*err = s->err;
		bool first = s->err.status != GCS_OK && !s->failed;
		s->failed = s->err.status != GCS_OK;
		s->due_ms = s->changes > 0 && !s->failed ? now_ms + SETTINGS_DELAY : 0;
		return first;
	}
	if (s->writing || s->due_ms == 0 || now_ms < s->due_ms)
		return false;
	s->due_ms = 0;
	if (s->path == NULL || s->changes == 0)
		return false;
	/* The thread reads the first changes, which stay where they are until it has ended: the list
	 * has room for all and is not moved. */
	s->taken = s->changes;
	atomic_store(&s->written, false);
	s->writing = pthread_create(&s->thread, NULL, write_all, s) == 0;
	s->taken = s->writing ? s->taken : 0;
	return false;
}
