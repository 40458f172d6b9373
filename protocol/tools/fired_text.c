#include "fired_text.h"

#include "answer_text.h"
#include "report_text.h"
#include "show.h"

/* Grows when a key changes its meaning. */
enum { DOCUMENT = 1 };

/* The kind of the plugin's answers; false if the server has no such plugin. */
static bool plugin_kind(
    const struct gcs_snapshot *s, const struct gcs_fired *f, enum gcs_plugin_kind *kind)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	const uint32_t plugin = gcs_model_find_plugin(m, f->plugin);
	if (f->plugin[0] == '\0' || plugin == GCS_NONE)
		return false;
	*kind = m->plugins[plugin].kind;
	return true;
}

void fired_write_text(struct out *out, const struct gcs_snapshot *s, const struct gcs_fired *f)
{
	struct gcs_error err = {.text = ""};
	enum gcs_plugin_kind kind;
	show_occurrence(out, s);
	out_raw(out, "\n");
	show_lines(out, s);
	if (!plugin_kind(s, f, &kind))
		return;
	if (f->status == GCS_OK && answer_write_text(out, kind, f->answer, f->length, &err))
		return;
	out_text(out, f->plugin, SIZE_MAX);
	out_raw(out, ": ");
	out_text(out, f->status == GCS_OK ? err.text : f->message, SIZE_MAX);
	out_raw(out, "\n");
}

void fired_write_json(struct out *out, const struct gcs_snapshot *s, const struct gcs_fired *f)
{
	struct json json = {.text = &out->text};
	struct gcs_error err = {.text = ""};
	enum gcs_plugin_kind kind;
	json_object(&json, NULL);
	json_integer(&json, "format", DOCUMENT);
	json_text(&json, "trigger", f->trigger);
	json_text(&json, "condition", f->condition);
	json_unsigned(&json, "times", f->times);
	report_json_event(&json, s);
	if (plugin_kind(s, f, &kind)) {
		json_object(&json, "answer");
		json_text(&json, "plugin", f->plugin);
		if (f->status == GCS_OK)
			answer_write_json(&json, kind, f->answer, f->length, &err);
		json_text(&json, "message", f->status == GCS_OK ? err.text : f->message);
		json_end(&json);
	}
	json_end(&json);
	out_raw(out, "\n");
}
