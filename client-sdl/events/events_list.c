#include "events_list.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void events_list_fini(struct events_list *list)
{
	free(list->row);
	memset(list, 0, sizeof *list);
}

const struct event_header *events_list_at(const struct events_list *list, uint32_t i)
{
	return &list->of->at[list->row[i]];
}

uint32_t events_list_find(const struct events_list *list, uint64_t time_ns)
{
	uint32_t low = 0, high = list->count;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (events_list_at(list, middle)->time_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int lower(char c)
{
	return tolower((unsigned char)c);
}

static bool contains(const char *text, const char *word, size_t n)
{
	for (; *text != 0; text++) {
		size_t i = 0;
		while (i < n && text[i] != 0 && lower(text[i]) == lower(word[i]))
			i++;
		if (i == n)
			return true;
	}
	return false;
}

/* As displayed, "1,234", or without separators. */
static bool is_number(const char *word, size_t n, uint64_t number)
{
	char digits[24], text[24];
	size_t used = 0;
	for (size_t i = 0; i < n; i++) {
		if (word[i] == ',')
			continue;
		if (used + 1 == sizeof digits)
			return false;
		digits[used++] = word[i];
	}
	digits[used] = 0;
	snprintf(text, sizeof text, "%llu", (unsigned long long)number);
	return strcmp(digits, text) == 0;
}

bool events_list_fits(
    const struct event_header *m, const struct gcs_model *model, const char *wanted)
{
	const char *name =
	    m->event < model->event_count ? model->events[m->event].name : EVENTS_NO_EVENT;
	for (wanted += strspn(wanted, " "); *wanted != 0; wanted += strspn(wanted, " ")) {
		const size_t n = strcspn(wanted, " ");
		if (!contains(name, wanted, n) && !contains(m->text, wanted, n) &&
		    !is_number(wanted, n, m->number))
			return false;
		wanted += n;
	}
	return true;
}

/* The events examined so far are still there, in the same places. */
static bool goes_on(const struct events_list *l, const struct overview *o,
    const struct gcs_model *model, uint64_t from_ns, uint64_t to_ns, const char *wanted)
{
	return l->of == o && l->model == model && l->changes == o->changes &&
	       l->from_ns == from_ns && l->to_ns == to_ns && strcmp(l->wanted, wanted) == 0 &&
	       l->looked <= o->count &&
	       (l->looked == 0 || (o->at[l->looked - 1].time_ns == l->last_ns &&
				      o->at[l->looked - 1].sequence == l->last_sequence));
}

static bool has_room(struct events_list *list)
{
	if (list->count < list->capacity)
		return true;
	const uint32_t capacity = list->capacity > 0 ? list->capacity * 2 : 256;
	uint32_t *row = realloc(list->row, capacity * sizeof *row);
	if (row == NULL)
		return false;
	list->row = row;
	list->capacity = capacity;
	return true;
}

bool events_list_take(struct events_list *l, const struct overview *o,
    const struct gcs_model *model, uint64_t from_ns, uint64_t to_ns, const char *wanted)
{
	const bool anew = !goes_on(l, o, model, from_ns, to_ns, wanted);
	if (anew) {
		l->of = o;
		l->model = model;
		l->changes = o->changes;
		l->from_ns = from_ns;
		l->to_ns = to_ns;
		snprintf(l->wanted, sizeof l->wanted, "%s", wanted);
		l->count = 0;
		l->looked = overview_find(o, from_ns);
	}
	for (; l->looked < o->count && o->at[l->looked].time_ns <= to_ns; l->looked++) {
		if (events_list_fits(&o->at[l->looked], model, wanted) && has_room(l))
			l->row[l->count++] = l->looked;
	}
	if (l->looked > 0) {
		l->last_ns = o->at[l->looked - 1].time_ns;
		l->last_sequence = o->at[l->looked - 1].sequence;
	}
	return anew;
}
