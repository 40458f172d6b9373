/* The list of events by kind, pause or attributes. Declared in events_view.h. */
#include <stdlib.h>
#include <string.h>

#include "events_view.h"

/* What qsort compares; the window's thread only. */
static const struct events_view *compared;

static const char *kind_name(const struct event_header *m)
{
	const struct gcs_model *model = app_model(compared->app);
	return model != NULL && m->event < model->event_count ? model->events[m->event].name
							      : EVENTS_NO_EVENT;
}

/* Equal ones stay in order of time. */
static int by_column(const void *a, const void *b)
{
	const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct event_header *x = events_list_at(&compared->lines, i);
	const struct event_header *y = events_list_at(&compared->lines, k);
	int order = 0;
	if (compared->list.sort == LIST_PAUSE)
		order = (x->pause_ns > y->pause_ns) - (x->pause_ns < y->pause_ns);
	else if (compared->list.sort == LIST_EVENT)
		order = strcmp(kind_name(x), kind_name(y));
	else
		order = strcmp(x->text, y->text);
	return order != 0 ? order : (i > k) - (i < k);
}

static bool order_has_room(struct events_order *order, uint32_t count)
{
	if (count <= order->room)
		return true;
	uint32_t *row = realloc(order->row, count * 2 * sizeof *row);
	if (row == NULL)
		return false;
	order->row = row;
	order->room = count * 2;
	return true;
}

bool events_order_sync(struct events_view *view)
{
	struct events_order *order = &view->by;
	const uint32_t count = view->lines.count;
	const int sort = view->list.sort;
	if (sort == LIST_NUMBER || sort == LIST_TIME || count == 0 ||
	    !order_has_room(order, count)) {
		order->count = 0;
		return false;
	}
	if (!view->anew && order->count == count && order->column == sort)
		return true;
	for (uint32_t i = 0; i < count; i++)
		order->row[i] = i;
	order->count = count;
	order->column = sort;
	compared = view;
	qsort(order->row, count, sizeof *order->row, by_column);
	return true;
}

void events_order_fini(struct events_order *order)
{
	free(order->row);
	*order = (struct events_order){.row = NULL};
}
