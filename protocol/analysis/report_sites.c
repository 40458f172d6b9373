/* Where the heap was filled: what grew, flame graphs and tables of live and allocated bytes. */
#include <stdio.h>

#include <gcspy/format.h>

#include "export_internal.h"
#include "flame_graph.h"
#include "report_page.h"
#include "sites_table.h"

/* A page is not an archive: the narrowest frames and the smallest sites are in `gcspy sites`. */
enum { MOST_FRAMES = 3000, MOST_SITES = 30, MOST_CHANGES = 15 };

static void put_bytes(struct text *t, double bytes)
{
	char words[32];
	text_format(t, "<td data-value=\"%.6g\">%s%s</td>", bytes, bytes < 0 ? "-" : "",
	    text_size(words, sizeof words, bytes < 0 ? -bytes : bytes));
}

static void put_change(
    struct text *t, const struct gcs_comparison *changes, const struct gcs_change *c)
{
	const struct gcs_site *site = c->after != NULL ? c->after : c->before;
	text_raw(t, "<tr>");
	put_bytes(t, c->bytes);
	put_bytes(t, c->bytes_error);
	put_bytes(t, c->before == NULL ? 0 : c->before->bytes);
	put_bytes(t, c->after == NULL ? 0 : c->after->bytes);
	text_raw(t, "<td class=\"words\">");
	text_xml(t, site->class_name);
	text_raw(t, "</td><td class=\"words\">");
	sites_stack(t,
	    c->after != NULL ? gcs_comparison_after(changes) : gcs_comparison_before(changes),
	    site);
	text_raw(t, "</td></tr>\n");
}

static void put_growth(struct report *r)
{
	const struct gcs_comparison *changes = r->stats->growth;
	char time[32];
	text_raw(r->text, "<h3>What grew</h3>\n");
	if (changes == NULL) {
		text_raw(r->text, "<p>Not known: ");
		text_xml(r->text, r->stats->no_growth.text);
		text_raw(r->text, ".</p>\n");
		return;
	}
	uint32_t count = 0;
	while (count < MOST_CHANGES && count < gcs_comparison_count(changes) &&
	       gcs_comparison_at(changes, count)->bytes > 0)
		count++;
	if (count == 0) {
		text_raw(r->text, "<p>No call site grew.</p>\n");
		return;
	}
	text_format(r->text,
	    "<p>From the first profile of live objects to the last one, %s later; the %u that grew "
	    "most.</p>\n<table class=\"sites\" id=\"growth\"><thead><tr><th>Change</th>"
	    "<th>\302\261</th><th>Before</th><th>After</th><th class=\"words\">Class</th>"
	    "<th class=\"words\">Call site</th></tr></thead>\n<tbody>\n",
	    report_duration(time, sizeof time, r->stats->growth_seconds), (unsigned)count);
	for (uint32_t i = 0; i < count; i++)
		put_change(r->text, changes, gcs_comparison_at(changes, i));
	text_raw(r->text, "</tbody></table>\n");
}

static void put_head(struct report *r, const struct gcs_sites *sites)
{
	const struct export e = {.sites = sites, .options = {.selection = ""}, .text = r->text};
	struct export_head head;
	export_head(&e, &head);
	for (uint32_t i = 0; i < head.count; i++) {
		text_raw(r->text, i == 0 ? "<p>" : "<p class=\"small\">");
		text_xml(r->text, head.lines[i]);
		text_raw(r->text, "</p>\n");
	}
}

static enum gcs_status put_sites(struct report *r, const char *title, const char *id,
    const struct gcs_sites *sites, const char *why, struct gcs_error *err)
{
	char table[32];
	text_format(r->text, "<h3>%s</h3>\n", title);
	if (sites == NULL || gcs_sites_count(sites) == 0) {
		text_raw(r->text, "<p>Not known: ");
		text_xml(r->text, sites != NULL ? "the profile has no samples" : why);
		text_raw(r->text, ".</p>\n");
		return GCS_OK;
	}
	put_head(r, sites);
	struct gcs_tree *tree = gcs_tree_create(sites, err);
	struct flame f = {.tree = tree, .id = id};
	if (tree == NULL)
		return GCS_NOMEM;
	flame_lay_out(&f, MOST_FRAMES);
	flame_put(r->text, &f);
	gcs_tree_free(tree);
	snprintf(table, sizeof table, "%s-table", id);
	sites_table(r->text, sites, table, MOST_SITES);
	return GCS_OK;
}

enum gcs_status report_sites(struct report *r, struct gcs_error *err)
{
	const struct gcs_stats *s = r->stats;
	text_raw(r->text, "<section id=\"sites\"><h2>Call sites</h2>\n"
			  "<p hidden=\"hidden\"><input id=\"words\" type=\"search\" "
			  "placeholder=\"Search in graphs and tables\"/></p>\n");
	put_growth(r);
	enum gcs_status status = put_sites(r, "Live", "live", s->live, s->no_live.text, err);
	if (status == GCS_OK)
		status =
		    put_sites(r, "Allocated", "allocated", s->allocated, s->no_allocated.text, err);
	text_raw(r->text, "</section>\n");
	return status;
}
