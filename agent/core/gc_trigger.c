/*
 * Triggers at collections (F17), in the VM thread: the attributes are known there as soon as the heap
 * has been captured.
 */
#include "gc_events_internal.h"

void gc_keep_start(struct gc_events *e, const struct capture *c)
{
	const struct heap_driver *driver = e->parts.driver;
	e->start = NULL;
	if (c == NULL || driver == NULL || !gcs_server_triggered(e->parts.server, GC_EVENT_FINISH))
		return;
	driver->totals(e->parts.heap, c->raw, &e->start_totals);
	e->start = c;
}

/*
 * As the worker's. The start's slot has not been written to again: there are more of them than a
 * collection has events.
 */
static enum gc_kind kind_of(const struct gc_events *e, const struct capture *c)
{
	const struct heap_driver *driver = e->parts.driver;
	return c->kind == GC_YOUNG && e->start != NULL && driver->old_freed != NULL &&
		       driver->old_freed(e->start->raw, c->raw)
		   ? GC_MIXED
		   : c->kind;
}

bool gc_check(struct gc_events *e, const struct capture *c, struct gcs_ticket *ticket)
{
	const struct heap_driver *driver = e->parts.driver;
	const bool finish = ticket->event == GC_EVENT_FINISH;
	struct gc_values known;
	struct gc_sizes sizes = {NULL, NULL};
	struct heap_totals now;
	if (driver != NULL) {
		driver->totals(e->parts.heap, c->raw, &now);
		sizes.now = &now;
		sizes.before = finish && e->start != NULL ? &e->start_totals : NULL;
	}
	gc_attributes_of(&known, c, finish ? kind_of(e, c) : GC_OTHER, &sizes);
	const struct gcs_values values = {
	    .known = known.known, .numbers = known.numbers, .texts = known.texts};
	return gcs_server_check(e->parts.server, ticket, &values);
}
