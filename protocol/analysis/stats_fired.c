/* The triggers that fired, and the events that were counted between updates. */
#include "stats_internal.h"

#include <stdio.h>
#include <string.h>

static struct gcs_stats_trigger *trigger_of(
    struct stats_fired *s, struct arena *texts, const struct gcs_fired *f)
{
	for (uint32_t i = 0; i < s->count; i++) {
		struct gcs_stats_trigger *t = &s->items[i];
		if (strcmp(t->name, f->trigger) == 0 && strcmp(t->condition, f->condition) == 0 &&
		    strcmp(t->plugin, f->plugin) == 0 && t->actions == f->actions)
			return t;
	}
	if (s->count == STATS_MAX_TRIGGERS)
		return NULL;
	struct gcs_stats_trigger t = {.actions = f->actions};
	t.name = arena_text(texts, f->trigger, strlen(f->trigger));
	t.condition = arena_text(texts, f->condition, strlen(f->condition));
	t.plugin = arena_text(texts, f->plugin, strlen(f->plugin));
	if (t.name == NULL || t.condition == NULL || t.plugin == NULL) {
		s->failed = true;
		return NULL;
	}
	s->items[s->count] = t;
	return &s->items[s->count++];
}

bool stats_fired_add(struct stats_fired *s, struct arena *texts, const struct stats_view *v)
{
	const int64_t wall_ns = gcs_snapshot_occurrence(v->snapshot)->wall_ns;
	for (uint32_t i = 0; i < gcs_snapshot_fired_count(v->snapshot); i++) {
		struct gcs_stats_trigger *t =
		    trigger_of(s, texts, gcs_snapshot_fired(v->snapshot, i));
		if (t == NULL) {
			s->left_out++;
			continue;
		}
		if (t->fires++ == 0) {
			t->first_place = v->when.place;
			t->first_wall_ns = wall_ns;
		}
		t->last_place = v->when.place;
		t->last_wall_ns = wall_ns;
	}
	return !s->failed;
}

bool stats_fired_give(const struct stats_fired *s, struct arena *texts, struct gcs_stats *result)
{
	struct gcs_stats_trigger *list = arena_alloc(texts, s->count + 1, sizeof *list);
	if (list == NULL)
		return false;
	memcpy(list, s->items, s->count * sizeof *list);
	result->trigger_count = s->count;
	result->triggers = list;
	result->fires_left_out = s->left_out;
	return true;
}

static void add_words(char *text, size_t size, const char *words)
{
	const size_t used = strlen(text);
	snprintf(text + used, size - used, "%s%s", used == 0 ? "" : ", ", words);
}

char *gcs_trigger_did_text(char *text, size_t size, const struct gcs_stats_trigger *t)
{
	char words[GCS_MAX_NAME + 8];
	text[0] = '\0';
	if ((t->actions & GCS_TRIGGER_PAUSE) != 0)
		add_words(text, size, "paused the program");
	if ((t->actions & GCS_TRIGGER_RECORD) != 0)
		add_words(text, size, "saved the flight ring");
	snprintf(words, sizeof words, "asked %s", t->plugin);
	if (t->plugin[0] != '\0')
		add_words(text, size, words);
	if (text[0] == '\0')
		add_words(text, size, "marked the event");
	return text;
}
