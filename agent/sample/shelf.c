#include "shelf.h"

static bool fill(struct shelf *shelf, size_t depot_bytes)
{
	shelf->depot = depot_create(depot_bytes);
	if (shelf->depot == NULL)
		return false;
	shelf->names = names_create(shelf->depot);
	if (shelf->names != NULL)
		return true;
	shelf_empty(shelf);
	return false;
}

bool shelves_init(struct shelves *s, size_t depot_bytes)
{
	return fill(&s->two[atomic_load(&s->generation) & 1], depot_bytes);
}

void shelves_fini(struct shelves *s)
{
	shelf_empty(&s->two[0]);
	shelf_empty(&s->two[1]);
}

struct shelf *shelf_enter(struct shelves *s, uint32_t *generation)
{
	for (;;) {
		uint32_t now = atomic_load(&s->generation);
		struct shelf *shelf = &s->two[now & 1];
		atomic_fetch_add(&shelf->inside, 1);
		if (atomic_load(&s->generation) == now) {
			*generation = now;
			return shelf;
		}
		atomic_fetch_sub(&shelf->inside, 1);
	}
}

void shelf_leave(struct shelf *shelf)
{
	atomic_fetch_sub(&shelf->inside, 1);
}

struct shelf *shelf_before(struct shelves *s)
{
	return &s->two[~atomic_load(&s->generation) & 1];
}

bool shelf_turn(struct shelves *s, size_t depot_bytes)
{
	if (!fill(shelf_before(s), depot_bytes))
		return false;
	atomic_fetch_add(&s->generation, 1);
	return true;
}

bool shelf_deserted(struct shelf *shelf)
{
	return atomic_load(&shelf->inside) == 0;
}

void shelf_empty(struct shelf *shelf)
{
	names_destroy(shelf->names);
	depot_destroy(shelf->depot);
	shelf->names = NULL;
	shelf->depot = NULL;
}
