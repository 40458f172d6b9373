/* Profiles and comparisons as JSON documents; docs/sites.md lists the keys. */

#include <inttypes.h>
#include <string.h>

#include "comparison.h"
#include "export_internal.h"
#include "intern_table.h"
#include "json.h"
#include "live_profile.h"

/* Grows when a key changes its meaning. */
enum { DOCUMENT = 2 };

/* Most bytes of texts in the table of stacks. */
enum { MOST_STACK_TEXT = 64 << 20 };

static const char *const frame_kinds[GCS_FRAME_KIND_COUNT] = {
    [GCS_FRAME_JAVA] = "java",
    [GCS_FRAME_NATIVE_METHOD] = "native method",
    [GCS_FRAME_NATIVE] = "native",
    [GCS_FRAME_VM] = "vm",
    [GCS_FRAME_NOTE] = "note",
};

static void put_rounded(struct json *json, const char *key, double value)
{
	json_unsigned(json, key, text_rounded(value));
}

/* Negative means are null: there were no values. */
static void put_mean(struct json *json, const char *key, double value)
{
	if (value < 0)
		json_null(json, key);
	else
		json_format(json, key, "%.6g", value);
}

/* A collection; null where none is known. */
static void put_judge(struct json *json, const char *key, const struct gcs_profile_judge *j)
{
	if (j->number == 0) {
		json_null(json, key);
		return;
	}
	json_object(json, key);
	json_unsigned(json, "number", j->number);
	json_integer(json, "time", j->wall_ns);
	json_text(json, "collection", j->kind);
	json_end(json);
}

static void put_head(struct json *json, const char *key, const struct gcs_sites *sites)
{
	const struct gcs_profile_head *h = gcs_profile_head(gcs_sites_profile(sites));
	json_object(json, key);
	json_text(json, "kind", gcs_profile_kind_word(h->kind));
	json_text(json, "server", h->server);
	json_text(json, "as_of", h->as_of);
	json_integer(json, "time", h->wall_ns);
	json_integer(json, "since", h->since_wall_ns);
	json_unsigned(json, "interval", h->interval);
	json_unsigned(json, "collections", h->collections);
	put_rounded(json, "allocated_bytes", h->allocated_bytes);
	put_rounded(json, "allocated_objects", h->allocated_objects);
	json_unsigned(json, "samples_taken", h->samples);
	json_unsigned(json, "tracked", h->tracked);
	json_unsigned(json, "died", h->died);
	json_unsigned(json, "dropped", h->dropped);
	json_unsigned(json, "lost", h->lost);
	json_unsigned(json, "elsewhere", h->elsewhere);
	json_unsigned(json, "garbage_seen", h->garbage_seen);
	put_judge(json, "judged", &h->judged);
	put_judge(json, "judged_old", &h->judged_old);
	json_unsigned(json, "used_bytes", h->used_bytes);
	json_bool(json, "live_includes_new", h->live_includes_new);
	json_bool(json, "explicit_free", h->explicit_free);
	json_end(json);
}

static void put_known(struct json *json, const char *key, double value, bool known)
{
	if (known)
		put_rounded(json, key, value);
	else
		json_null(json, key);
}

static void put_figures(struct json *json, const struct gcs_sites *sites, const struct gcs_site *s)
{
	const bool known = gcs_profile_knows_live(gcs_sites_profile(sites));
	put_rounded(json, "bytes", s->bytes);
	put_rounded(json, "bytes_error", s->bytes_error);
	put_rounded(json, "objects", s->objects);
	put_rounded(json, "objects_error", s->objects_error);
	json_unsigned(json, "samples", s->samples);
	put_mean(json, "mean_age", s->mean_age);
	put_mean(json, "mean_lifetime_bytes", s->mean_lifetime);
	put_known(json, "live_bytes", s->live_bytes, known);
	put_known(json, "live_objects", s->live_objects, known);
	put_known(json, "new_bytes", s->new_bytes, known);
	put_known(json, "new_objects", s->new_objects, known);
	json_array(json, "survival");
	for (uint32_t i = 0; i < GCS_SURVIVAL_BUCKETS; i++)
		put_rounded(json, NULL, s->survival[i]);
	json_end(json);
}

/* The stacks of a document, each once: an entry is a frame, and its caller's entry. */
struct stacks {
	const struct gcs_sites *sites;
	struct intern_keys numbers; /* of gcs_sites_caller, in the document's order */
	size_t text;                /* bytes of all entries' texts */
	bool cut;                   /* text would exceed MOST_STACK_TEXT */
	bool no_memory;
};

static struct intern_key stack_key(uint32_t stack)
{
	return (struct intern_key){{stack}};
}

/* Adds the entries of a stack that are not there yet. */
static void add_stack(struct stacks *t, const struct gcs_site *site)
{
	uint32_t stack = site == NULL ? GCS_NONE : site->stack;
	while (stack != GCS_NONE) {
		const struct intern_key key = stack_key(stack);
		const struct gcs_frame *f = gcs_sites_caller(t->sites, &stack);
		if (f == NULL || intern_find_key(&t->numbers, &key) != UINT32_MAX)
			return;
		t->text += strlen(f->class_name) + strlen(f->method) + strlen(f->file);
		t->cut = t->cut || t->text > MOST_STACK_TEXT;
		if (t->cut)
			return;
		t->no_memory = t->no_memory || intern_key(&t->numbers, &key) == UINT32_MAX;
	}
}

static void put_stack_number(
    struct json *json, const char *key, const struct stacks *t, uint32_t stack)
{
	const struct intern_key wanted = stack_key(stack);
	const uint32_t number =
	    stack == GCS_NONE ? UINT32_MAX : intern_find_key(&t->numbers, &wanted);
	if (number == UINT32_MAX)
		json_null(json, key);
	else
		json_unsigned(json, key, number);
}

static void put_stacks(struct json *json, const char *key, struct stacks *t)
{
	json_line(json);
	json_array(json, key);
	for (uint32_t i = 0; i < t->numbers.count; i++) {
		uint32_t stack = t->numbers.items[i].words[0];
		const struct gcs_frame *f = gcs_sites_caller(t->sites, &stack);
		json_line(json);
		json_object(json, NULL);
		json_text(json, "class", f->class_name);
		json_text(json, "method", f->method);
		json_text(json, "file", f->file);
		json_unsigned(json, "line", f->line);
		json_text(json, "frame_kind", frame_kinds[f->kind]);
		put_stack_number(json, "caller", t, stack);
		json_end(json);
	}
	json_end(json);
	intern_keys_fini(&t->numbers);
}

static void put_own_frame(struct json *json, const struct gcs_frame *f)
{
	char line[1400];
	if (f == NULL)
		json_null(json, "own_frame");
	else
		json_text(json, "own_frame", gcs_frame_line(line, sizeof line, f));
}

/* A site as an object; NULL is null. */
static void put_site(
    struct json *json, const char *key, const struct stacks *stacks, const struct gcs_site *s)
{
	const struct gcs_sites *sites = stacks->sites;
	if (s == NULL) {
		json_null(json, key);
		return;
	}
	json_object(json, key);
	json_text(json, "class", s->class_name);
	json_text(json, "thread", s->thread);
	if (gcs_sites_by(sites) == GCS_SITES_BY_SITE)
		json_format(json, "site", "\"%012" PRIx64 "\"", gcs_site_number(sites, s));
	else
		json_null(json, "site");
	put_own_frame(json, gcs_sites_own_frame(sites, s));
	put_figures(json, sites, s);
	put_stack_number(json, "stack", stacks, s->stack);
	json_end(json);
}

static void begin_document(struct json *json, struct text *text)
{
	*json = (struct json){.text = text};
	json_object(json, NULL);
	json_integer(json, "format", DOCUMENT);
}

enum gcs_status export_json(const struct export *e)
{
	struct stacks stacks = {.sites = e->sites};
	struct json json;
	begin_document(&json, e->text);
	put_head(&json, "profile", e->sites);
	json_line(&json);
	json_array(&json, "survival_buckets");
	for (uint32_t i = 0; i < GCS_SURVIVAL_BUCKETS; i++)
		json_text(&json, NULL, gcs_survival_text(i));
	json_end(&json);
	json_text(&json, "selection", e->options.selection);
	json_unsigned(&json, "sites_left_out", gcs_sites_omitted(e->sites));
	json_line(&json);
	json_object(&json, "total");
	put_figures(&json, e->sites, gcs_sites_total(e->sites));
	json_end(&json);
	json_line(&json);
	json_array(&json, "sites");
	for (uint32_t i = 0; i < gcs_sites_count(e->sites); i++) {
		add_stack(&stacks, gcs_sites_at(e->sites, i));
		json_line(&json);
		put_site(&json, NULL, &stacks, gcs_sites_at(e->sites, i));
	}
	json_end(&json);
	json_bool(&json, "stacks_cut", stacks.cut);
	put_stacks(&json, "stacks", &stacks);
	json_end(&json);
	text_raw(e->text, "\n");
	return stacks.no_memory ? gcs_fail(e->err, GCS_NOMEM, "no memory for the stacks") : GCS_OK;
}

static int64_t signed_rounded(double value)
{
	return value < 0 ? -(int64_t)text_rounded(-value) : (int64_t)text_rounded(value);
}

static void put_change(struct json *json, const struct gcs_change *c)
{
	json_integer(json, "bytes_change", signed_rounded(c->bytes));
	json_integer(json, "objects_change", signed_rounded(c->objects));
	put_rounded(json, "bytes_change_error", c->bytes_error);
	put_rounded(json, "objects_change_error", c->objects_error);
}

static bool comparison_json(struct text *t, const struct gcs_comparison *c)
{
	const struct gcs_sites *before = gcs_comparison_before(c);
	const struct gcs_sites *after = gcs_comparison_after(c);
	const bool known = gcs_comparison_unknown(c)[0] == '\0';
	struct stacks old = {.sites = before}, young = {.sites = after};
	struct json json;
	begin_document(&json, t);
	put_head(&json, "before", before);
	json_line(&json);
	put_head(&json, "after", after);
	json_line(&json);
	json_number(&json, "seconds", gcs_comparison_seconds(c));
	json_text(&json, "not_known", gcs_comparison_unknown(c));
	if (known) {
		json_object(&json, "total");
		put_change(&json, gcs_comparison_total(c));
		json_end(&json);
	} else {
		json_null(&json, "total");
	}
	json_line(&json);
	json_array(&json, "changes");
	for (uint32_t i = 0; known && i < gcs_comparison_count(c); i++) {
		const struct gcs_change *one = gcs_comparison_at(c, i);
		json_line(&json);
		json_object(&json, NULL);
		put_change(&json, one);
		add_stack(&old, one->before);
		add_stack(&young, one->after);
		put_site(&json, "before", &old, one->before);
		put_site(&json, "after", &young, one->after);
		json_end(&json);
	}
	json_end(&json);
	json_bool(&json, "stacks_cut", old.cut || young.cut);
	put_stacks(&json, "stacks_before", &old);
	put_stacks(&json, "stacks_after", &young);
	json_end(&json);
	text_raw(t, "\n");
	return !old.no_memory && !young.no_memory;
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
		if (!comparison_json(&text, comparison))
			return gcs_fail(err, GCS_NOMEM, "no memory for the stacks");
		break;
	default:
		return gcs_fail(err, GCS_UNSUPPORTED,
		    "a comparison cannot be written as %s; available: text, collapsed, json",
		    gcs_export_word(format));
	}
	return text_end(&text, err);
}
