/*
 * What the server itself answers about settings: `update`, while it has updates (updates.h). It is set
 * without the target's help, and its value is a line in what the target answers to `settings`.
 *
 * `updates_lock` keeps the updates while they are used; it comes before all other locks, and is held
 * while a setting is answered.
 */
#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "server_internal.h"
#include "updates_internal.h"

void server_use_updates(struct gcs_server *s, struct gcs_updates *u)
{
	pthread_mutex_lock(&s->updates_lock);
	s->updates = u;
	pthread_mutex_unlock(&s->updates_lock);
}

bool server_has_updates(struct gcs_server *s)
{
	pthread_mutex_lock(&s->updates_lock);
	const bool any = s->updates != NULL;
	pthread_mutex_unlock(&s->updates_lock);
	return any;
}

bool server_set_update(struct gcs_server *s, const struct gcs_setting *setting)
{
	pthread_mutex_lock(&s->updates_lock);
	const bool done = s->updates != NULL && gcs_updates_set(s->updates, setting);
	pthread_mutex_unlock(&s->updates_lock);
	return done;
}

bool server_request_update(struct gcs_server *s, const struct gcs_ticket *ticket)
{
	pthread_mutex_lock(&s->updates_lock);
	const bool any = s->updates != NULL;
	if (any)
		gcs_updates_state_request(s->updates, ticket);
	pthread_mutex_unlock(&s->updates_lock);
	return any;
}

void server_collect_counts(struct gcs_server *s)
{
	pthread_mutex_lock(&s->updates_lock);
	if (s->updates != NULL && atomic_load(&s->updates->triggered))
		updates_collect(s->updates);
	pthread_mutex_unlock(&s->updates_lock);
}

void server_show_zoom(struct gcs_server *s, uint32_t audience)
{
	pthread_mutex_lock(&s->updates_lock);
	struct gcs_updates *u = s->updates;
	bool held = false;
	if (u != NULL) {
		pthread_mutex_lock(&u->lock);
		held = u->held != 0;
		pthread_mutex_unlock(&u->lock);
	}
	if (held)
		updates_show_state(u, audience);
	pthread_mutex_unlock(&s->updates_lock);
}

/* True if one of the lines is that of `update`. */
static bool has_update(const char *lines, size_t length)
{
	static const char key[] = "update=";
	for (const char *at = lines, *end = lines + length; at != NULL && at < end;) {
		if ((size_t)(end - at) >= sizeof key - 1 && memcmp(at, key, sizeof key - 1) == 0)
			return true;
		at = memchr(at, '\n', (size_t)(end - at));
		at = at == NULL ? NULL : at + 1;
	}
	return false;
}

char *server_list_settings(struct gcs_server *s, uint64_t ticket, enum gcs_status status,
    const void *bytes, size_t *length)
{
	char line[32];
	pthread_mutex_lock(&s->lock);
	const struct answer_slot *slot = server_find_question(s, ticket);
	const bool listing = slot != NULL && slot->lists_settings;
	pthread_mutex_unlock(&s->lock);
	if (!listing)
		return NULL;
	pthread_mutex_lock(&s->updates_lock);
	const bool any = s->updates != NULL;
	const uint32_t ms = any ? gcs_updates_interval(s->updates) : 0;
	pthread_mutex_unlock(&s->updates_lock);
	const size_t given = status == GCS_OK ? *length : 0;
	if (!any || (status != GCS_OK && status != GCS_UNSUPPORTED) ||
	    given > GCS_MAX_ANSWER - sizeof line || has_update(bytes, given))
		return NULL;
	const size_t more = (size_t)snprintf(line, sizeof line, "update=%u\n", ms);
	char *lines = gcs_alloc(given + more);
	if (lines == NULL)
		return NULL;
	if (given != 0)
		memcpy(lines, bytes, given);
	memcpy(lines + given, line, more);
	*length = given + more;
	return lines;
}
