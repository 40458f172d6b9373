/* A page with the flame graph, a table of sites that sorts itself, and what the figures mean. */

#include "flame_layout.h"
#include "sites_table.h"

/* A browser that shows more rows than this is no pleasure; JSON has all of them. */
enum { LARGEST_TABLE = 1000 };

static const char style[] =
    "body { font: 14px system-ui, 'DejaVu Sans', sans-serif; margin: 24px auto; max-width: "
    "1400px;\n"
    "  padding: 0 16px; color: #202428; background: #ffffff; }\n"
    "h1 { font-size: 22px; margin: 0 0 8px; } h2 { font-size: 17px; margin: 28px 0 8px; }\n"
    "p { margin: 4px 0; } svg.flame { width: 100%; height: auto; margin-top: 12px; }\n"
    "li { margin: 4px 0; }\n"
    "@media (prefers-color-scheme: dark) { body { color: #e4e7eb; background: #16181c; } }\n";

static void put_notes(struct text *t, enum gcs_profile_kind kind)
{
	static const char *const ages[GCS_PROFILE_KIND_COUNT] = {
	    [GCS_PROFILE_LIVE] = "Age is the mean number of collections that the objects have "
				 "survived so far; lifetime what the program has allocated since.",
	    [GCS_PROFILE_RECENT] = "Age is the mean number of collections that the objects "
				   "survived; lifetime what the program allocated meanwhile.",
	    [GCS_PROFILE_FREQUENT] = "Age is the mean number of collections that the objects "
				     "survived; lifetime what the program allocated meanwhile.",
	    [GCS_PROFILE_ALLOCATED] = "Age is the mean number of collections that the dead "
				      "objects survived; lifetime what the program allocated "
				      "meanwhile. Survival counts only the dead.",
	};
	text_raw(t, "<h2>What the figures mean</h2>\n<ul>\n"
		    "<li>The JVM samples an allocation about once in each interval of allocated "
		    "bytes. Each sample stands for as many objects of its size as its "
		    "probability says; bytes and objects are estimates.</li>\n"
		    "<li>\302\261 is the standard error: two times out of three the true value is "
		    "that near, nineteen times out of twenty within twice as much. A site with "
		    "few samples is known only roughly.</li>\n<li>");
	text_raw(t, ages[kind]);
	text_raw(t, "</li>\n<li>Survival shows the bytes by collections survived: 0, 1, 2, 3-4, "
		    "5-8, 9-16, 17-64, more.</li>\n"
		    "<li>Frames that only connect others are left out unless all were asked "
		    "for.</li>\n</ul>\n");
}

static void put_flame(struct text *t, const struct flame *f)
{
	uint32_t height = flame_height(f);
	flame_open(t, f, "", height);
	flame_draw(t, f, 0);
	text_raw(t, "</svg>\n");
}

static void put_page(const struct export *e, const struct export_head *head, const struct flame *f)
{
	struct text *t = e->text;
	text_raw(t, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n"
		    "<head><meta charset=\"utf-8\"/><title>");
	text_xml(t, head->title);
	text_raw(t, "</title>\n<style>");
	flame_style(t);
	text_raw(t, "</style>\n<style>");
	text_raw(t, style);
	sites_table_style(t);
	text_raw(t, "</style></head>\n<body>\n<h1>");
	text_xml(t, head->title);
	text_raw(t, "</h1>\n");
	for (uint32_t i = 0; i < head->count; i++) {
		text_raw(t, "<p>");
		text_xml(t, head->lines[i]);
		text_raw(t, "</p>\n");
	}
	put_flame(t, f);
	text_raw(t, "<p hidden=\"hidden\"><input id=\"words\" type=\"search\" "
		    "placeholder=\"Search in graph and table\"/></p>\n");
	text_raw(t, "<h2>Call sites</h2>\n");
	sites_table(t, e->sites, "sites", LARGEST_TABLE);
	put_notes(t, gcs_profile_head(gcs_sites_profile(e->sites))->kind);
	text_raw(t, "<script>");
	flame_script(t);
	text_raw(t, "</script>\n<script>");
	sites_table_script(t);
	text_raw(t, "</script>\n</body></html>\n");
}

enum gcs_status export_html(const struct export *e)
{
	struct export_head head;
	struct flame f;
	enum gcs_status status = flame_init(&f, e->sites, e->options.icicle, e->err);
	export_head(e, &head);
	if (status == GCS_OK)
		put_page(e, &head, &f);
	flame_fini(&f);
	return status;
}
