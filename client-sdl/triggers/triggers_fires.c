/* The events at which triggers have fired. Declared in triggers_view.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "triggers_view.h"

void triggers_fires_fini(struct trigger_fires *f)
{
	free(f->at);
	memset(f, 0, sizeof *f);
}

static bool fires_go_on(const struct trigger_fires *f, const struct overview *o)
{
	return f->of == o && f->changes == o->changes && f->looked <= o->count &&
	       (f->looked == 0 || (o->at[f->looked - 1].time_ns == f->last_ns &&
				      o->at[f->looked - 1].sequence == f->last_sequence));
}

static struct trigger_fire *fire_named(struct trigger_fires *f, const char *name, size_t n)
{
	for (uint32_t i = 0; i < f->names; i++)
		if (strlen(f->by[i].name) == n && memcmp(f->by[i].name, name, n) == 0)
			return &f->by[i];
	if (f->names == TRIGGERS_ROWS)
		return NULL;
	struct trigger_fire *fire = &f->by[f->names++];
	*fire = (struct trigger_fire){.count = 0};
	snprintf(fire->name, sizeof fire->name, "%.*s", (int)n, name);
	return fire;
}

bool triggers_fires_is_earlier(
    const struct triggers_set *set, const char *name, const struct event_header *m)
{
	for (uint32_t i = 0; i < set->count; i++)
		if (strncmp(set->at[i].name, name, EVENT_HEADER_FIRED - 1) == 0)
			return m->time_ns <= set->at[i].changed_ns;
	return false;
}

static void count_fires(
    struct trigger_fires *f, const struct triggers_set *set, const struct event_header *m)
{
	for (const char *name = m->fired; *name != 0;) {
		const size_t n = strcspn(name, "\n");
		char one[EVENT_HEADER_FIRED];
		snprintf(one, sizeof one, "%.*s", (int)n, name);
		struct trigger_fire *fire =
		    triggers_fires_is_earlier(set, one, m) ? NULL : fire_named(f, one, n);
		if (fire != NULL) {
			fire->count++;
			fire->last_ns = m->time_ns;
			fire->last_wall_ns = m->wall_ns;
			fire->last_sequence = m->sequence;
		}
		name += n + (name[n] != 0);
	}
}

void triggers_fires_take(
    struct trigger_fires *f, const struct triggers_set *set, const struct overview *o)
{
	if (!fires_go_on(f, o)) {
		f->of = o;
		f->changes = o->changes;
		f->count = f->looked = f->names = 0;
	}
	for (; f->looked < o->count; f->looked++) {
		const struct event_header *m = &o->at[f->looked];
		if (m->fired[0] == 0)
			continue;
		if (f->count == f->capacity) {
			const uint32_t capacity = f->capacity > 0 ? f->capacity * 2 : 64;
			uint32_t *at = realloc(f->at, capacity * sizeof *at);
			if (at == NULL)
				return;
			f->at = at;
			f->capacity = capacity;
		}
		f->at[f->count++] = f->looked;
		count_fires(f, set, m);
	}
	if (f->looked > 0) {
		f->last_ns = o->at[f->looked - 1].time_ns;
		f->last_sequence = o->at[f->looked - 1].sequence;
	}
}

bool triggers_go_to(struct app *app, uint64_t time_ns)
{
	replay_stop(app);
	return event_history_go_to(app, time_ns);
}

bool triggers_go_fired(struct app *app, int way)
{
	const struct overview *o = event_history_overview(app);
	const uint64_t now = event_history_shown_ns(app);
	const uint32_t at = overview_find(o, now);
	for (uint32_t i = way < 0 ? at : at + 1; way < 0 ? i-- > 0 : i<o->count; i += way> 0) {
		if (o->brief[i].fired && o->brief[i].time_ns != now)
			return triggers_go_to(app, o->brief[i].time_ns);
	}
	app_toast(app, way < 0 ? "No trigger has fired earlier" : "No trigger has fired later");
	return false;
}
