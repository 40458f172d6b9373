#include "path_result.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>

#include "chain_names.h"
#include "chain_tree.h"

/* A limit with room for a pause that is a quarter longer, in two digits. */
static uint64_t raised_ms(uint64_t pause_ns)
{
	const uint64_t ms = pause_ns / 800000 + 1;
	uint64_t unit = 1;
	while (ms / unit >= 100)
		unit *= 10;
	return (ms + unit - 1) / unit * unit;
}

void path_limit_text(
    const struct path_question *q, uint64_t limit_ns, uint64_t pause_ns, char *text, size_t size)
{
	snprintf(text, size, "the limit of %" PRIu64 " ms, which %s=%" PRIu64 " raises",
	    limit_ns / 1000000, q->record ? "paths-pause" : "max-pause", raised_ms(pause_ns));
}

/* Why it ended early, and what it has left out. */
static void write_missing(const struct path_result *r, char *text, size_t size)
{
	char limit[100], pause[40];
	size_t used = 0;
	text[0] = '\0';
	if (r->late) {
		path_limit_text(
		    r->question, r->limit_ns, r->climb->longest.wall_ns, limit, sizeof limit);
		snprintf(text, size, "; ended early: a pause was longer than %s", limit);
	} else if (r->ended != NULL) {
		snprintf(text, size, "; ended early: %s", r->ended);
	}
	if (r->climb->skipped_ns == 0)
		return;
	used = strlen(text);
	path_limit_text(r->question, r->limit_ns, r->climb->skipped_ns, limit, sizeof limit);
	gcs_format_number(pause, sizeof pause, (int64_t)r->climb->skipped_ns, GCS_NANOSECONDS);
	snprintf(text + used, size - used,
	    "; what holds a class loader takes a pause of about %s: more than %s", pause, limit);
}

static void write_found(const struct path_result *r, uint32_t found, char *text, size_t size)
{
	const struct path_targets *t = r->targets;
	const struct climb *c = r->climb;
	char bytes[40], longest[40], total[40], objects[40], what[240], missing[400];
	char above[60] = "";
	gcs_format_number(bytes, sizeof bytes, (int64_t)t->bytes, GCS_BYTES);
	gcs_format_number(longest, sizeof longest, (int64_t)c->longest.wall_ns, GCS_NANOSECONDS);
	gcs_format_number(total, sizeof total, (int64_t)c->total.wall_ns, GCS_NANOSECONDS);
	gcs_format_count(objects, sizeof objects, (uint64_t)(t->objects + 0.5));
	if (t->loaders)
		snprintf(what, sizeof what,
		    "%s%" PRIu32 " class loader%s: chains of %" PRIu32 " of %" PRIu32,
		    t->count == PATH_TARGETS_SITE ? "at least " : "", t->count,
		    t->count == 1 ? "" : "s", found, t->count);
	else
		snprintf(what, sizeof what,
		    "%s live in about %s object%s: chains of %" PRIu32 " of %" PRIu32
		    " sampled ones",
		    bytes, objects, t->objects < 1.5 ? "" : "s", found, t->count);
	write_missing(r, missing, sizeof missing);
	if (!r->late && c->longest.wall_ns > r->limit_ns)
		snprintf(above, sizeof above, ", above the limit of %" PRIu64 " ms",
		    r->limit_ns / 1000000);
	snprintf(text, size, "%s; %" PRIu32 " pause%s, longest %s%s, %s in all%s", what, c->passes,
	    c->passes == 1 ? "" : "s", longest, above, total, missing);
}

enum gcs_status path_result_write(const struct path_result *r, void **bytes, size_t *length,
    char *message, size_t size, struct gcs_error *err)
{
	const struct path_targets *t = r->targets;
	const bool raw = r->question->raw, sites = r->question->sites;
	struct chain_names names;
	struct chain_tree *tree = chain_tree_create(raw);
	bool ok = chain_names_begin(&names, r->climb, raw) && tree != NULL;
	uint32_t found = 0;
	for (uint32_t i = 0; ok && i < t->count; i++) {
		const struct path_target *target = &t->items[i];
		char site[40];
		chain_site_text(target->site, site, sizeof site);
		const struct chain_step gone[] = {
		    {CHAIN_TEXT, site, NULL, 1}, {CHAIN_TEXT, "(died meanwhile)", NULL, 1}};
		bool held = false;
		ok = target->node == TAG_NONE
			 ? chain_tree_add(tree, sites ? gone : gone + 1, sites ? 2 : 1,
			       target->objects, target->bytes)
			 : chain_names_add(&names, target->node, tree, sites ? site : NULL,
			       target->objects, target->bytes, &held);
		found += held;
	}
	chain_names_end(&names);
	char title[900];
	write_found(r, found, title, sizeof title);
	const enum gcs_status status = ok ? chain_tree_encode(tree, title, bytes, length, err)
					  : gcs_fail(err, GCS_NOMEM, "no memory for chains");
	chain_tree_destroy(tree);
	snprintf(message, size,
	    "pauses=%" PRIu32 " longest-us=%" PRIu64 " total-us=%" PRIu64 " tags=%" PRIu32
	    " targets=%" PRIu32 " found=%" PRIu32 " ended=%d longest-cpu-us=%" PRIu64
	    " total-cpu-us=%" PRIu64,
	    r->climb->passes, r->climb->longest.wall_ns / 1000, r->climb->total.wall_ns / 1000,
	    r->climb->count, t->count, found, r->ended != NULL || r->late,
	    r->climb->longest.cpu_ns / 1000, r->climb->total.cpu_ns / 1000);
	return status;
}
