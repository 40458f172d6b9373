/* One JSON document for each profile or comparison; docs/sites.md lists the keys. */

#include <inttypes.h>

#include "comparison.h"
#include "export_internal.h"

/* Grows when a key changes its meaning. */
enum { DOCUMENT = 1 };

static const char *const frame_kinds[GCS_FRAME_KIND_COUNT] = {
    [GCS_FRAME_JAVA] = "java",
    [GCS_FRAME_NATIVE_METHOD] = "native method",
    [GCS_FRAME_NATIVE] = "native",
    [GCS_FRAME_VM] = "vm",
    [GCS_FRAME_NOTE] = "note",
};

static void put_text(struct text *t, const char *key, const char *value)
{
	text_format(t, "\"%s\": ", key);
	text_json(t, value);
	text_raw(t, ", ");
}

static void put_unsigned(struct text *t, const char *key, uint64_t value)
{
	text_format(t, "\"%s\": %llu, ", key, (unsigned long long)value);
}

/* A mean that is none is null. */
static void put_mean(struct text *t, const char *key, double value)
{
	if (value < 0)
		text_format(t, "\"%s\": null, ", key);
	else
		text_format(t, "\"%s\": %.6g, ", key, value);
}

void export_json_head(struct text *t, const struct gcs_profile_head *h)
{
	text_raw(t, "{");
	put_text(t, "kind", gcs_profile_kind_word(h->kind));
	put_text(t, "server", h->server);
	put_text(t, "as_of", h->as_of);
	text_format(t, "\"time\": %lld, \"since\": %lld, ", (long long)h->wall_ns,
	    (long long)h->since_wall_ns);
	put_unsigned(t, "interval", h->interval);
	put_unsigned(t, "collections", h->collections);
	put_unsigned(t, "allocated_bytes", text_rounded(h->allocated_bytes));
	put_unsigned(t, "allocated_objects", text_rounded(h->allocated_objects));
	put_unsigned(t, "samples_taken", h->samples);
	put_unsigned(t, "tracked", h->tracked);
	put_unsigned(t, "died", h->died);
	put_unsigned(t, "dropped", h->dropped);
	put_unsigned(t, "lost", h->lost);
	put_unsigned(t, "elsewhere", h->elsewhere);
	text_format(t, "\"garbage_seen\": %llu}", (unsigned long long)h->garbage_seen);
}

static void put_figures(struct text *t, const struct gcs_site *s)
{
	put_unsigned(t, "bytes", text_rounded(s->bytes));
	put_unsigned(t, "bytes_error", text_rounded(s->bytes_error));
	put_unsigned(t, "objects", text_rounded(s->objects));
	put_unsigned(t, "objects_error", text_rounded(s->objects_error));
	put_unsigned(t, "samples", s->samples);
	put_mean(t, "mean_age", s->mean_age);
	put_mean(t, "mean_lifetime_bytes", s->mean_lifetime);
	put_unsigned(t, "live_bytes", text_rounded(s->live_bytes));
	put_unsigned(t, "live_objects", text_rounded(s->live_objects));
	text_raw(t, "\"survival\": [");
	for (uint32_t i = 0; i < GCS_SURVIVAL_BUCKETS; i++)
		text_format(t, "%s%llu", i == 0 ? "" : ", ",
		    (unsigned long long)text_rounded(s->survival[i]));
	text_raw(t, "]");
}

static void put_frames(struct text *t, const struct gcs_sites *sites, const struct gcs_site *s)
{
	uint32_t stack = s->stack;
	const struct gcs_frame *f;
	const char *gap = "";
	text_raw(t, "\"frames\": [");
	while ((f = gcs_sites_caller(sites, &stack)) != NULL) {
		text_format(t, "%s{", gap);
		put_text(t, "class", f->class_name);
		put_text(t, "method", f->method);
		put_text(t, "file", f->file);
		put_unsigned(t, "line", f->line);
		text_format(t, "\"frame_kind\": \"%s\"}", frame_kinds[f->kind]);
		gap = ", ";
	}
	text_raw(t, "]");
}

void export_json_site(struct text *t, const struct gcs_sites *sites, const struct gcs_site *s)
{
	text_raw(t, "{");
	put_text(t, "class", s->class_name);
	text_format(t, "\"site\": \"%012" PRIx64 "\", ", gcs_site_number(sites, s));
	put_figures(t, s);
	text_raw(t, ", ");
	put_frames(t, sites, s);
	text_raw(t, "}");
}

enum gcs_status export_json(const struct export *e)
{
	struct text *t = e->text;
	text_format(t, "{\"format\": %d, \"profile\": ", DOCUMENT);
	export_json_head(t, gcs_profile_head(gcs_sites_profile(e->sites)));
	text_raw(t, ",\n\"survival_buckets\": [");
	for (uint32_t i = 0; i < GCS_SURVIVAL_BUCKETS; i++)
		text_format(t, "%s\"%s\"", i == 0 ? "" : ", ", gcs_survival_text(i));
	text_raw(t, "], ");
	put_text(t, "selection", e->options.selection);
	put_unsigned(t, "sites_left_out", gcs_sites_omitted(e->sites));
	text_raw(t, "\n\"total\": {");
	put_figures(t, gcs_sites_total(e->sites));
	text_raw(t, "},\n\"sites\": [");
	for (uint32_t i = 0; i < gcs_sites_count(e->sites); i++) {
		text_raw(t, i == 0 ? "\n" : ",\n");
		export_json_site(t, e->sites, gcs_sites_at(e->sites, i));
	}
	text_raw(t, "]}\n");
	return GCS_OK;
}

static long long signed_rounded(double value)
{
	return value < 0 ? -(long long)text_rounded(-value) : (long long)text_rounded(value);
}

static void put_change(struct text *t, const struct gcs_change *c)
{
	text_format(t, "\"bytes_change\": %lld, \"objects_change\": %lld, ",
	    signed_rounded(c->bytes), signed_rounded(c->objects));
	put_unsigned(t, "bytes_change_error", text_rounded(c->bytes_error));
	text_format(t, "\"objects_change_error\": %llu",
	    (unsigned long long)text_rounded(c->objects_error));
}

void comparison_json(struct text *t, const struct gcs_comparison *c)
{
	const struct gcs_sites *before = gcs_comparison_before(c);
	const struct gcs_sites *after = gcs_comparison_after(c);
	text_format(t, "{\"format\": %d, \"before\": ", DOCUMENT);
	export_json_head(t, gcs_profile_head(gcs_sites_profile(before)));
	text_raw(t, ",\n\"after\": ");
	export_json_head(t, gcs_profile_head(gcs_sites_profile(after)));
	text_raw(t, ",\n\"total\": {");
	put_change(t, gcs_comparison_total(c));
	text_raw(t, "},\n\"changes\": [");
	for (uint32_t i = 0; i < gcs_comparison_count(c); i++) {
		const struct gcs_change *one = gcs_comparison_at(c, i);
		text_raw(t, i == 0 ? "\n{" : ",\n{");
		put_change(t, one);
		text_raw(t, ", \"before\": ");
		if (one->before == NULL)
			text_raw(t, "null");
		else
			export_json_site(t, before, one->before);
		text_raw(t, ", \"after\": ");
		if (one->after == NULL)
			text_raw(t, "null");
		else
			export_json_site(t, after, one->after);
		text_raw(t, "}");
	}
	text_raw(t, "]}\n");
}

enum gcs_status gcs_comparison_export(const struct gcs_comparison *comparison,
    enum gcs_export_format format, uint32_t top, const struct gcs_sink *sink, struct gcs_error *err)
{
	struct text text;
	text_begin(&text, sink);
	switch (format) {
	case GCS_EXPORT_TEXT:
		comparison_text(&text, comparison, top);
		break;
	case GCS_EXPORT_COLLAPSED:
		comparison_collapsed(&text, comparison);
		break;
	case GCS_EXPORT_JSON:
		comparison_json(&text, comparison);
		break;
	default:
		return gcs_fail(err, GCS_UNSUPPORTED,
		    "a comparison cannot be written as %s; text, collapsed and json are there",
		    gcs_export_word(format));
	}
	return text_end(&text, err);
}
