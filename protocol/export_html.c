/* A page with the flame graph, a table of sites that sorts itself, and what the figures mean. */

#include <stdio.h>

#include "flame.h"

/* A browser that shows more rows than this is no pleasure; JSON has all of them. */
enum { LARGEST_TABLE = 1000 };

static const char style[] =
    "body { font: 14px system-ui, 'DejaVu Sans', sans-serif; margin: 24px auto; max-width: "
    "1400px;\n"
    "  padding: 0 16px; color: #202428; background: #ffffff; }\n"
    "h1 { font-size: 22px; margin: 0 0 8px; } h2 { font-size: 17px; margin: 28px 0 8px; }\n"
    "p { margin: 4px 0; } svg#flame { width: 100%; height: auto; margin-top: 12px; }\n"
    "table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }\n"
    "th, td { padding: 4px 8px; text-align: right; vertical-align: top; white-space: nowrap;\n"
    "  border-bottom: 1px solid #d8dce2; }\n"
    "th { cursor: pointer; } th.up::after { content: ' \\2191'; }\n"
    "th.down::after { content: ' \\2193'; }\n"
    "th.words, td.words { text-align: left; white-space: normal; overflow-wrap: anywhere;\n"
    "  font-family: 'DejaVu Sans Mono', Menlo, Consolas, monospace; font-size: 12px; }\n"
    "details pre { margin: 4px 0 4px 16px; white-space: pre-wrap; }\n"
    "#words { font: inherit; padding: 4px 8px; width: 24em; } .spark rect { fill: #4f86c6; }\n"
    "th.words, td.words { min-width: 14em; } li { margin: 4px 0; }\n"
    "@media (prefers-color-scheme: dark) { body { color: #e4e7eb; background: #16181c; }\n"
    "th, td { border-color: #353b45; } #words { color: inherit; background: #23272f; } }\n";

static const char script[] =
    "(function () {\n"
    "'use strict';\n"
    "var table = document.getElementById('sites'), body = table.tBodies[0];\n"
    "var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);\n"
    "function value(row, i) {\n"
    "  var cell = row.cells[i], v = cell.getAttribute('data-value');\n"
    "  return v === null ? cell.textContent : +v;\n"
    "}\n"
    "heads.forEach(function (head, i) {\n"
    "  head.addEventListener('click', function () {\n"
    "    var down = !head.classList.contains('down');\n"
    "    heads.forEach(function (h) { h.classList.remove('up', 'down'); });\n"
    "    head.classList.add(down ? 'down' : 'up');\n"
    "    Array.prototype.slice.call(body.rows).sort(function (a, b) {\n"
    "      var x = value(a, i), y = value(b, i), order = x > y ? -1 : x < y ? 1 : 0;\n"
    "      return down ? order : -order;\n"
    "    }).forEach(function (row) { body.appendChild(row); });\n"
    "  });\n"
    "});\n"
    "var field = document.getElementById('words');\n"
    "field.parentNode.hidden = false;\n"
    "field.addEventListener('input', function () {\n"
    "  var test = window.gcspySearch(field.value);\n"
    "  Array.prototype.forEach.call(body.rows, function (row) {\n"
    "    row.hidden = test !== null && !test.test(row.textContent);\n"
    "  });\n"
    "});\n"
    "}());\n";

/* Bars of the bytes by collections survived. */
static void put_spark(struct text *t, const struct gcs_site *s)
{
	enum { BAR = 7, HIGH = 16 };
	char size[32];
	double most = 0;
	for (uint32_t i = 0; i < GCS_SURVIVAL_BUCKETS; i++)
		most = s->survival[i] > most ? s->survival[i] : most;
	text_format(t, "<svg class=\"spark\" width=\"%u\" height=\"%d\"><title>",
	    GCS_SURVIVAL_BUCKETS * BAR, HIGH);
	for (uint32_t i = 0; i < GCS_SURVIVAL_BUCKETS; i++)
		text_format(t, "%s collections: %s\n", gcs_survival_text(i),
		    text_size(size, sizeof size, s->survival[i]));
	text_raw(t, "</title>");
	for (uint32_t i = 0; i < GCS_SURVIVAL_BUCKETS; i++) {
		double high = most > 0 ? s->survival[i] / most * HIGH : 0;
		high = high < 1 ? 1 : high;
		text_format(t, "<rect x=\"%u\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>", i * BAR,
		    HIGH - high, BAR - 1, high);
	}
	text_raw(t, "</svg>");
}

static void put_stack(struct text *t, const struct gcs_sites *sites, const struct gcs_site *s)
{
	uint32_t stack = s->stack;
	const struct gcs_frame *f = gcs_sites_caller(sites, &stack);
	char name[1024];
	if (f == NULL) {
		text_raw(t, "[no Java frames]");
		return;
	}
	text_raw(t, "<details><summary>");
	for (const char *end = "</summary><pre>"; f != NULL; end = "\n") {
		text_xml(t, gcs_frame_text(name, sizeof name, f));
		if (f->line != 0)
			text_format(t, ":%u", (unsigned)f->line);
		text_raw(t, end);
		f = gcs_sites_caller(sites, &stack);
	}
	text_raw(t, "</pre></details>");
}

static void put_number(struct text *t, double value, const char *words)
{
	text_format(t, "<td data-value=\"%.6g\">%s</td>", value, words);
}

static void put_row(struct text *t, const struct gcs_sites *sites, uint32_t rank)
{
	const struct gcs_site *s = gcs_sites_at(sites, rank);
	char words[32];
	double all = gcs_sites_total(sites)->bytes;
	put_number(t, rank + 1.0, text_count(words, sizeof words, rank + 1.0));
	text_raw(t, "<td class=\"words\">");
	text_xml(t, s->class_name);
	text_raw(t, "</td><td class=\"words\">");
	put_stack(t, sites, s);
	text_raw(t, "</td>");
	put_number(t, s->bytes, text_size(words, sizeof words, s->bytes));
	put_number(t, s->bytes_error, text_size(words, sizeof words, s->bytes_error));
	put_number(t, s->bytes, export_share(words, sizeof words, s->bytes, all));
	put_number(t, s->objects, text_count(words, sizeof words, s->objects));
	put_number(t, s->objects_error, text_count(words, sizeof words, s->objects_error));
	put_number(t, (double)s->samples, text_count(words, sizeof words, (double)s->samples));
	put_number(t, s->mean_age, export_mean(words, sizeof words, s->mean_age));
	put_number(t, s->mean_lifetime,
	    s->mean_lifetime < 0 ? "-" : text_size(words, sizeof words, s->mean_lifetime));
	put_number(t, s->live_bytes, text_size(words, sizeof words, s->live_bytes));
	text_format(t, "<td data-value=\"%.6g\">", s->mean_age);
	put_spark(t, s);
	text_raw(t, "</td></tr>\n");
}

static void put_table(struct text *t, const struct gcs_sites *sites)
{
	static const char *const heads[] = {"Bytes", "\302\261", "Share", "Objects", "\302\261",
	    "Samples", "Age", "Lifetime", "Live", "Survival"};
	uint32_t count = gcs_sites_count(sites);
	uint32_t shown = count < LARGEST_TABLE ? count : LARGEST_TABLE;
	text_raw(t, "<h2>Call sites</h2>\n");
	if (shown < count)
		text_format(t, "<p>The largest %u of %u; JSON has all of them.</p>\n",
		    (unsigned)shown, (unsigned)count);
	text_raw(t, "<table id=\"sites\"><thead><tr><th>Rank</th><th class=\"words\">Class</th>"
		    "<th class=\"words\">Call site</th>");
	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		text_format(t, "<th>%s</th>", heads[i]);
	text_raw(t, "</tr></thead>\n<tbody>\n");
	for (uint32_t i = 0; i < shown; i++) {
		text_raw(t, "<tr>");
		put_row(t, sites, i);
	}
	text_raw(t, "</tbody></table>\n");
}

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
	text_format(t,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"flame\" viewBox=\"0 0 %d %u\">\n",
	    FLAME_WIDTH, (unsigned)height);
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
	put_table(t, e->sites);
	put_notes(t, gcs_profile_head(gcs_sites_profile(e->sites))->kind);
	text_raw(t, "<script>");
	flame_script(t);
	text_raw(t, "</script>\n<script>/*<![CDATA[*/\n");
	text_raw(t, script);
	text_raw(t, "/*]]>*/</script>\n</body></html>\n");
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
