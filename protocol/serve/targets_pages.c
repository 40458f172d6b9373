/* The two pages about all targets. */
#include "targets_pages.h"

#include <gcspy/version.h>

#include "json.h"

enum { FORMAT = 1, WIDTH = 180, HEIGHT = 28 };

static const char *state_name(enum target_state state)
{
	static const char *const names[] = {"connecting", "live", "failed"};
	return names[state];
}

bool targets_write_json(struct targets *t, struct text *text)
{
	struct json json = {.text = text};
	size_t count;
	struct target **all = targets_all(t, &count);
	json_object(&json, NULL);
	json_integer(&json, "format", FORMAT);
	json_array(&json, "targets");
	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; all != NULL && i < count; i++) {
		const struct target *target = all[i];
		json_object(&json, NULL);
		json_integer(&json, "pid", target->is.pid);
		json_text(&json, "program", target->is.program);
		json_text(&json, "container", target->is.container);
		json_text(&json, "socket", target->is.socket);
		json_text(&json, "java", target->is.java);
		json_text(&json, "collector", target->collector);
		json_text(&json, "state", state_name(target->state));
		json_text(&json, "error", target->error);
		json_text(&json, "address", target->address);
		json_bool(&json, "loaded", target->loaded);
		json_unsigned(
		    &json, "interval", target->samples == NULL ? 0 : target->samples->interval);
		json_unsigned(&json, "events", target->values.events);
		json_end(&json);
	}
	pthread_mutex_unlock(&t->lock);
	json_end(&json);
	json_end(&json);
	text_raw(text, "\n");
	targets_release_all(t, all, count);
	return all != NULL;
}

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"refresh\" content=\"10\"><title>GCspy</title><style>\n"
    "body{font:14px system-ui,sans-serif;margin:2em;color:#222;background:#fff}\n"
    "table{border-collapse:collapse}th,td{text-align:left;padding:.3em 1em .3em 0;"
    "border-bottom:1px solid #ddd}\ncode{font-size:13px}svg{vertical-align:middle}\n"
    "polyline{fill:none;stroke:#0072b2}polyline.p{stroke:#d55e00}.e{color:#a00}\n"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#1a1a1a}th,td{border-color:#444}"
    ".e{color:#f88}}\n</style></head><body>\n<h1>GCspy</h1>\n";

/* A line of 60 points from the left; the largest value is at the top. */
static void sparkline(struct text *t, const struct target *target, bool pauses)
{
	uint64_t most = 1;
	for (uint32_t i = 0; i < target->point_count; i++) {
		const struct target_point *p = &target->points[i];
		const uint64_t value = pauses ? p->pause_ns : p->used;
		most = value > most ? value : most;
	}
	text_format(t, "<svg width=\"%d\" height=\"%d\"><polyline%s points=\"", WIDTH, HEIGHT,
	    pauses ? " class=\"p\"" : "");
	for (uint32_t i = 0; i < target->point_count; i++) {
		const struct target_point *p = &target->points[i];
		const double value = (double)(pauses ? p->pause_ns : p->used);
		if (p->known)
			text_format(t, "%.1f,%.1f ", (double)i * WIDTH / (TARGET_POINTS - 1),
			    (HEIGHT - 2) * (1 - value / (double)most) + 1);
	}
	text_raw(t, "\"/></svg>");
}

static void write_row(struct text *t, const struct target *target, const char *through, bool token)
{
	char size[32];
	text_raw(t, "<tr><td>");
	if (target->is.pid != 0)
		text_format(t, "%ld", target->is.pid);
	text_raw(t, "<td>");
	text_xml(t, target->is.program);
	text_raw(t, "<td>");
	text_xml(t, target->is.java);
	text_raw(t, " ");
	text_xml(t, target->collector);
	if (target->state != TARGET_LIVE) {
		text_raw(t, "<td colspan=\"3\" class=\"e\">");
		text_xml(t, target->error[0] == '\0' ? state_name(target->state) : target->error);
		text_raw(t, "</tr>\n");
		return;
	}
	text_raw(t, "<td>");
	sparkline(t, target, false);
	if (target->values.has_used)
		text_format(t, " %s", text_size(size, sizeof size, (double)target->values.used));
	text_raw(t, "<td>");
	sparkline(t, target, true);
	text_raw(t, "<td><code>gcspy-view ");
	text_xml(t, through);
	if (target->is.pid != 0)
		text_format(t, "%ld", target->is.pid);
	else
		text_xml(t, through[0] != '\0' ? target->is.program : target->address);
	text_raw(
	    t, token && through[0] != '\0' ? " --token-file FILE</code></tr>\n" : "</code></tr>\n");
}

bool targets_write_page(struct targets *t, const char *through, bool token, struct text *text)
{
	size_t count;
	struct target **all = targets_all(t, &count);
	text_raw(text, page_head);
	text_format(text,
	    "<p>%zu JVM%s. <a href=\"metrics\">metrics</a> <a "
	    "href=\"targets\">targets</a></p>\n<table>"
	    "<tr><th>PID<th>Program<th>JVM<th>Heap used, 5 min<th>Time in pauses<th>Open</tr>\n",
	    count, count == 1 ? "" : "s");
	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; all != NULL && i < count; i++)
		write_row(text, all[i], through, token);
	pthread_mutex_unlock(&t->lock);
	text_format(text, "</table>\n<p>GCspy %s</p></body></html>\n", GCS_VERSION_STRING);
	targets_release_all(t, all, count);
	return all != NULL;
}
