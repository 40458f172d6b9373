/* Call sites: what grew, and flame graphs and tables of live and of allocated bytes. */
#include <math.h>

#include "export_internal.h"
#include "flame_graph.h"
#include "report_page.h"
#include "sites_table.h"

/* `gcspy sites` has the rest. */
enum { MOST_FRAMES = 3000, MOST_SITES = 30, MOST_CHANGES = 15 };

static void put_bytes(struct report *r, double bytes)
{
	FILL(r, "<td data-value=\"{}\">{}{}</td>", say(r, "%.6g", bytes), bytes < 0 ? "-" : "",
	    say_figure(r, fabs(bytes), GCS_UNIT_BYTES));
}

static void put_change(struct report *r, const struct gcs_change *c)
{
	const struct gcs_comparison *growth = r->stats->growth;
	const struct gcs_site *site = c->after != NULL ? c->after : c->before;
	PUT(r, "<tr>");
	put_bytes(r, c->bytes);
	put_bytes(r, c->bytes_error);
	put_bytes(r, c->before == NULL ? 0 : c->before->bytes);
	put_bytes(r, c->after == NULL ? 0 : c->after->bytes);
	FILL(r, "<td class=\"words\">{}</td><td class=\"words\">", site->class_name);
	sites_stack(r->text,
	    c->after != NULL ? gcs_comparison_after(growth) : gcs_comparison_before(growth), site);
	PUT(r, "</td></tr>\n");
}

static void put_growth(struct report *r)
{
	const struct gcs_comparison *changes = r->stats->growth;
	PUT(r, "<h3>What grew</h3>\n");
	if (changes == NULL) {
		FILL(r, "<p>Not known: {}.</p>\n", r->stats->no_growth.text);
		return;
	}
	uint32_t count = 0;
	while (count < MOST_CHANGES && count < gcs_comparison_count(changes) &&
	       gcs_comparison_at(changes, count)->bytes > 0)
		count++;
	if (count == 0) {
		PUT(r, "<p>No call site grew.</p>\n");
		return;
	}
	FILL(r,
	    "<p>From the first profile of live objects to the last one, {} later; the {} that "
	    "grew most.</p>\n<table class=\"sites\" id=\"growth\"><thead><tr><th>Change</th>"
	    "<th>\302\261</th><th>Before</th><th>After</th><th class=\"words\">Class</th>"
	    "<th class=\"words\">Call site</th></tr></thead>\n<tbody>\n",
	    say_duration(r, r->stats->growth_seconds), say_count(r, count));
	for (uint32_t i = 0; i < count; i++)
		put_change(r, gcs_comparison_at(changes, i));
	PUT(r, "</tbody></table>\n");
}

static enum gcs_status put_sites(struct report *r, const char *title, const char *id,
    const struct gcs_sites *sites, const char *why, struct gcs_error *err)
{
	FILL(r, "<h3>{}</h3>\n", title);
	if (sites == NULL || gcs_sites_count(sites) == 0) {
		FILL(r, "<p>Not known: {}.</p>\n",
		    sites != NULL ? "the profile has no samples" : why);
		return GCS_OK;
	}
	const struct export e = {.sites = sites, .options = {.selection = ""}, .text = r->text};
	struct export_head head;
	export_head(&e, &head);
	for (uint32_t i = 0; i < head.count; i++)
		FILL(r, i == 0 ? "<p>{}</p>\n" : "<p class=\"small\">{}</p>\n", head.lines[i]);
	struct gcs_tree *tree = gcs_tree_create(sites, err);
	struct flame f = {.tree = tree, .id = id};
	if (tree == NULL)
		return GCS_NOMEM;
	flame_lay_out(&f, MOST_FRAMES);
	flame_put(r->text, &f);
	gcs_tree_free(tree);
	sites_table(r->text, sites, say(r, "%s-table", id), MOST_SITES);
	return GCS_OK;
}

enum gcs_status report_sites(struct report *r, struct gcs_error *err)
{
	const struct gcs_stats *s = r->stats;
	PUT(r, "<section id=\"sites\"><h2>Call sites</h2>\n"
	       "<p hidden=\"hidden\"><input id=\"words\" type=\"search\" "
	       "placeholder=\"Search in graphs and tables\"/></p>\n");
	put_growth(r);
	enum gcs_status status = put_sites(r, "Live", "live", s->live, s->no_live.text, err);
	if (status == GCS_OK)
		status =
		    put_sites(r, "Allocated", "allocated", s->allocated, s->no_allocated.text, err);
	PUT(r, "</section>\n");
	return status;
}
