/* Moves a sample store to another stack table: sites in use and big sites are kept, the others are
 * merged by class. In effect a copying collector for call sites. */

#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

#include "sample_store_internal.h"

/* Percentages of the new table. The biggest sites get some room before those that samples need, and
 * those do not get so much that the new table is crowded at once. */
enum { CROWDED_PERCENT = 85, BIGGEST_PERCENT = 40, NEEDED_PERCENT = 70, KEPT_PERCENT = 50 };

bool sample_store_crowded(const struct sample_store *t)
{
	return (uint64_t)t->sites.count * 100 >= (uint64_t)t->sites.limit * CROWDED_PERCENT ||
	       stack_table_fill(t->stack_table) >= CROWDED_PERCENT;
}

/* One move. `to` is the resulting sample store; `renumbered` maps old sites to new ones. */
struct move {
	struct sample_store *from;
	struct sample_store to;
	struct stack_table_copy copy;
	uint32_t *renumbered;
	uint32_t *order;
	bool *needed;
};

/* The site's key in the new table; false if a part of it does not fit. */
static bool move_key(struct move *m, const struct site_key *old, struct site_key *key)
{
	*key = *old;
	key->stack = stack_table_copy_stack(&m->copy, old->stack);
	key->class_name = stack_table_copy_text(&m->copy, old->class_name);
	key->group = stack_table_copy_text(&m->copy, old->group);
	return (key->stack != STACK_TABLE_NONE) == (old->stack != STACK_TABLE_NONE) &&
	       key->class_name != STACK_TABLE_NONE && key->group != STACK_TABLE_NONE;
}

static void move_site(struct move *m, uint32_t old)
{
	const struct site *site = &m->from->sites.items[old];
	struct site_key key;
	bool whole = move_key(m, &site->key, &key);
	uint32_t number = whole ? sites_find(&m->to.sites, &key) : GCS_NONE;
	if (number == GCS_NONE)
		return;
	m->renumbered[old] = number;
	sites_merge(&m->to.sites.items[number], site);
	m->to.sites.items[m->to.sites.items[number].head].tile =
	    m->from->sites.items[site->head].tile;
}

/* Merges the site into that of its class. */
static void fold_site(struct move *m, uint32_t old)
{
	const struct site *site = &m->from->sites.items[old];
	struct site_key key = site->key;
	uint32_t number = GCS_NONE;
	key.stack = m->to.other_stack;
	key.class_name = stack_table_copy_text(&m->copy, site->key.class_name);
	key.group = m->to.other_group;
	if (key.class_name != STACK_TABLE_NONE)
		number = sites_find(&m->to.sites, &key);
	m->renumbered[old] = number == GCS_NONE ? 0 : number;
	if (site->key.stack != m->from->other_stack)
		m->from->counts.elsewhere += site->samples;
	sites_merge(&m->to.sites.items[m->renumbered[old]], site);
}

static const struct sites *sorted_sites; /* for qsort, which passes no context; one thread moves */

static int by_bytes(const void *a, const void *b)
{
	double x = sorted_sites->items[*(const uint32_t *)a].allocated.bytes;
	double y = sorted_sites->items[*(const uint32_t *)b].allocated.bytes;
	return x < y ? 1 : x > y ? -1 : 0;
}

static bool prepare(struct move *m)
{
	struct sample_store *t = m->from;
	uint32_t count = t->sites.count;
	m->renumbered = gcs_alloc((count + (size_t)1) * sizeof m->renumbered[0]);
	m->order = gcs_alloc((count + (size_t)1) * sizeof m->order[0]);
	m->needed = gcs_zalloc((count + (size_t)1) * sizeof m->needed[0]);
	if (m->renumbered == NULL || m->order == NULL || m->needed == NULL ||
	    !sites_init(&m->to.sites, t->sites.limit))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		m->renumbered[i] = GCS_NONE;
		m->order[i] = i;
	}
	for (uint32_t i = 0; i < t->live_count; i++)
		m->needed[t->live[i].site] = true;
	for (uint32_t i = 0; i < t->recent_count; i++)
		m->needed[t->recent[i].was.site] = true;
	for (uint32_t i = 0; i < t->frequent_count; i++)
		m->needed[t->frequent[i].was.site] = true;
	sorted_sites = &t->sites;
	qsort(m->order, count, sizeof m->order[0], by_bytes);
	return true;
}

static bool has_room(const struct move *m, uint32_t percent)
{
	const struct sites *s = &m->to.sites;
	return (uint64_t)s->count * 100 < (uint64_t)s->limit * percent &&
	       stack_table_fill(m->to.stack_table) < percent;
}

/* Moves the biggest sites first, all or only those that samples need, up to that percentage. */
static void move_biggest(struct move *m, bool only_needed, uint32_t percent)
{
	uint32_t count = m->from->sites.count;
	for (uint32_t i = 0; i < count && has_room(m, percent); i++)
		if (m->renumbered[m->order[i]] == GCS_NONE &&
		    (!only_needed || m->needed[m->order[i]]))
			move_site(m, m->order[i]);
}

static void move_tracked(struct move *m, struct tracked *l)
{
	uint32_t thread = stack_table_copy_text(&m->copy, l->thread);
	l->site = m->renumbered[l->site];
	l->thread = thread == STACK_TABLE_NONE ? m->to.other_group : thread;
}

static void move_all(struct move *m)
{
	struct sample_store *t = m->from;
	sample_store_name_others(&m->to);
	move_biggest(m, false, BIGGEST_PERCENT);
	move_biggest(m, true, NEEDED_PERCENT);
	move_biggest(m, false, KEPT_PERCENT);
	for (uint32_t i = 0; i < t->sites.count; i++)
		if (m->renumbered[i] == GCS_NONE)
			fold_site(m, i);
	for (uint32_t i = 0; i < t->live_count; i++)
		move_tracked(m, &t->live[i]);
	for (uint32_t i = 0; i < t->recent_count; i++)
		move_tracked(m, &t->recent[i].was);
	for (uint32_t i = 0; i < t->frequent_count; i++)
		move_tracked(m, &t->frequent[i].was);
}

bool sample_store_move(struct sample_store *t, struct stack_table *to)
{
	struct move m = {.from = t, .to = {.stack_table = to}};
	bool ready = stack_table_copy_begin(&m.copy, t->stack_table, to) && prepare(&m);
	if (ready) {
		move_all(&m);
		sites_fini(&t->sites);
		t->sites = m.to.sites;
		t->stack_table = to;
		t->other_class = m.to.other_class;
		t->other_group = m.to.other_group;
		t->other_stack = m.to.other_stack;
	} else {
		sites_fini(&m.to.sites);
	}
	stack_table_copy_end(&m.copy);
	gcs_free(m.renumbered);
	gcs_free(m.order);
	gcs_free(m.needed);
	return ready;
}
