#include "table_epoch.h"

static bool fill(struct table_epoch *table_epoch, size_t stack_table_bytes)
{
	table_epoch->stack_table = stack_table_create(stack_table_bytes);
	if (table_epoch->stack_table == NULL)
		return false;
	table_epoch->symbolizer = symbolizer_create(table_epoch->stack_table);
	if (table_epoch->symbolizer != NULL)
		return true;
	table_epoch_empty(table_epoch);
	return false;
}

bool table_epochs_init(struct table_epochs *s, size_t stack_table_bytes)
{
	return fill(&s->two[atomic_load(&s->generation) & 1], stack_table_bytes);
}

void table_epochs_fini(struct table_epochs *s)
{
	table_epoch_empty(&s->two[0]);
	table_epoch_empty(&s->two[1]);
}

struct table_epoch *table_epoch_enter(struct table_epochs *s, uint32_t *generation)
{
	for (;;) {
		uint32_t now = atomic_load(&s->generation);
		struct table_epoch *table_epoch = &s->two[now & 1];
		atomic_fetch_add(&table_epoch->inside, 1);
		if (atomic_load(&s->generation) == now) {
			*generation = now;
			return table_epoch;
		}
		atomic_fetch_sub(&table_epoch->inside, 1);
	}
}

void table_epoch_leave(struct table_epoch *table_epoch)
{
	atomic_fetch_sub(&table_epoch->inside, 1);
}

struct table_epoch *table_epoch_before(struct table_epochs *s)
{
	return &s->two[~atomic_load(&s->generation) & 1];
}

bool table_epoch_rotate(struct table_epochs *s, size_t stack_table_bytes)
{
	if (!fill(table_epoch_before(s), stack_table_bytes))
		return false;
	atomic_fetch_add(&s->generation, 1);
	return true;
}

bool table_epoch_quiescent(struct table_epoch *table_epoch)
{
	return atomic_load(&table_epoch->inside) == 0;
}

void table_epoch_empty(struct table_epoch *table_epoch)
{
	symbolizer_destroy(table_epoch->symbolizer);
	stack_table_destroy(table_epoch->stack_table);
	table_epoch->symbolizer = NULL;
	table_epoch->stack_table = NULL;
}
