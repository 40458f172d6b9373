/* A page with the flame graph, a sortable table of sites, and the meaning of the figures. */
#include "export_internal.h"
#include "flame_graph.h"
#include "page.h"
#include "sites_table.h"

/* Browsers are slow with larger tables; JSON has all sites. */
enum { LARGEST_TABLE = 1000 };

static void put_notes(struct text *t, enum gcs_profile_kind kind)
{
	static const char *const ages[GCS_PROFILE_KIND_COUNT] = {
	    [GCS_PROFILE_LIVE] = "Age is the mean number of collections that the objects have "
				 "survived so far; lifetime the bytes allocated since.",
	    [GCS_PROFILE_RECENT] = "Age is the mean number of collections that the objects "
				   "survived; lifetime what the program allocated meanwhile.",
	    [GCS_PROFILE_FREQUENT] = "Age is the mean number of collections that the objects "
				     "survived; lifetime what the program allocated meanwhile.",
	    [GCS_PROFILE_ALLOCATED] = "Age is the mean number of collections that the dead "
				      "objects survived; lifetime what the program allocated "
				      "meanwhile. Survival counts only the dead.",
	};
	text_raw(t,
	    "<h2>What the figures mean</h2>\n<ul>\n"
	    "<li>The JVM samples an allocation about once per interval of allocated bytes. A "
	    "sample stands for a number of objects of its size, the inverse of its "
	    "probability; bytes and objects are estimates.</li>\n"
	    "<li>\302\261 is the standard error: the true value is within it in two cases "
	    "out of three, within twice as much in nineteen out of twenty. Figures of a "
	    "site with few samples are rough.</li>\n<li>");
	text_raw(t, ages[kind]);
	text_raw(t,
	    "</li>\n<li>Survival shows the bytes by collections survived: 0, 1, 2, 3-4, "
	    "5-8, 9-16, 17-64, more.</li>\n"
	    "<li>Runtime frames are hidden unless all frames were requested.</li>\n</ul>\n");
}

static void put_page(const struct export *e, const struct export_head *head, const struct flame *f)
{
	struct text *t = e->text;
	page_put(t,
	    "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n"
	    "<head><meta charset=\"utf-8\"/><title>{}</title>\n",
	    head->title);
	page_style(t, page_flame_css);
	page_style(t, page_sites_css);
	page_style(t, page_table_css);
	page_put(t, "</head>\n<body>\n<h1>{}</h1>\n", head->title);
	for (uint32_t i = 0; i < head->count; i++)
		page_put(t, "<p>{}</p>\n", head->lines[i]);
	flame_put(t, f);
	text_raw(t, "<p hidden=\"hidden\"><input id=\"words\" type=\"search\" "
		    "placeholder=\"Search in graph and table\"/></p>\n<h2>Call sites</h2>\n");
	sites_table(t, e->sites, "sites", LARGEST_TABLE);
	put_notes(t, gcs_profile_head(gcs_sites_profile(e->sites))->kind);
	page_script(t, page_flame_js);
	page_script(t, page_table_js);
	text_raw(t, "</body></html>\n");
}

enum gcs_status export_html(const struct export *e)
{
	struct export_head head;
	struct gcs_tree *tree = gcs_tree_create(e->sites, e->err);
	struct flame f = {.tree = tree, .id = "flame", .icicle = e->options.icicle};
	if (tree == NULL)
		return GCS_NOMEM;
	export_head(e, &head);
	flame_lay_out(&f, UINT32_MAX);
	put_page(e, &head, &f);
	gcs_tree_free(tree);
	return GCS_OK;
}
