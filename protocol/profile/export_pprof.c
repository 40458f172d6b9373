/*
 * A pprof profile (proto/profile.proto of github.com/google/pprof).
 *
 * A sample is a site of one thread. Frames are locations, with method and line; the class of the
 * allocated objects and the thread are labels.
 */

#include <string.h>

#include <gcspy/memory.h>

#include "arena.h"
#include "export_internal.h"
#include "intern_table.h"
#include "live_profile.h"
#include "protobuf.h"
#include "sites_internal.h"

/* Field numbers of profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME_NANOS = 9,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
	SAMPLE_LOCATION = 1,
	SAMPLE_VALUE = 2,
	SAMPLE_LABEL = 3
};

/* Most bytes of a profile, as of an answer. */
enum { LARGEST = 268435456 };

struct pprof {
	struct wr out;
	struct wr part;               /* the message being written */
	struct wr inner;              /* a message or packed field in it */
	struct intern_texts strings;  /* number 0 is "" */
	struct intern_keys functions; /* name, file */
	struct intern_keys locations; /* function, line */
	struct arena arena;           /* names of functions */
	uint64_t *known;              /* by frame of the profile: its location, or 0 */
	bool allocations_only;
	bool failed;
};

/* Adds the part as a field of the profile, and begins a new part. */
static void put_part(struct pprof *p, uint32_t field)
{
	pb_message(&p->out, field, &p->part);
}

static void put_inner(struct pprof *p, uint32_t field)
{
	pb_message(&p->part, field, &p->inner);
}

static uint64_t string_of(struct pprof *p, const char *text)
{
	uint32_t number = intern_text(&p->strings, text);
	p->failed = p->failed || number == UINT32_MAX;
	return number;
}

/* ValueType: type, unit. */
static void put_type(struct pprof *p, uint32_t field, const char *type, const char *unit)
{
	pb_varint(&p->part, 1, string_of(p, type));
	pb_varint(&p->part, 2, string_of(p, unit));
	put_part(p, field);
}

static uint64_t location_of(struct pprof *p, const char *name, const char *file, uint32_t line)
{
	const char *kept = arena_text(&p->arena, name, strlen(name));
	if (kept == NULL) {
		p->failed = true;
		return 0;
	}
	struct intern_key function = {{(uint32_t)string_of(p, kept), (uint32_t)string_of(p, file)}};
	struct intern_key location = {{intern_key(&p->functions, &function), line}};
	uint32_t number = intern_key(&p->locations, &location);
	p->failed = p->failed || location.words[0] == UINT32_MAX || number == UINT32_MAX;
	return (uint64_t)number + 1;
}

static uint64_t frame_location(struct pprof *p, const struct gcs_profile *profile, uint32_t frame)
{
	enum { LONGEST = 2 * GCS_MAX_TEXT + 2 };
	char name[LONGEST];
	if (p->known[frame] == 0) {
		const struct gcs_frame *f = gcs_profile_frame(profile, frame);
		gcs_frame_text(name, sizeof name, f);
		p->known[frame] = location_of(p, name, f->file, f->line);
	}
	return p->known[frame];
}

static void put_label(struct pprof *p, const char *key, const char *value)
{
	if (value[0] == '\0')
		return;
	pb_varint(&p->inner, 1, string_of(p, key));
	pb_varint(&p->inner, 2, string_of(p, value));
	put_inner(p, SAMPLE_LABEL);
}

static bool has_live(const struct gcs_profile *profile)
{
	const enum gcs_profile_kind kind = gcs_profile_head(profile)->kind;
	return gcs_profile_knows_live(profile) &&
	       (kind == GCS_PROFILE_LIVE || kind == GCS_PROFILE_ALLOCATED);
}

static void put_sample(struct pprof *p, const struct gcs_sites *sites, const struct gcs_site *s)
{
	enum gcs_profile_kind kind = gcs_profile_head(sites->profile)->kind;
	for (uint32_t at = s->stack; at != GCS_NONE; at = sites->stacks.items[at].words[0] - 1)
		wr_varint(
		    &p->inner, frame_location(p, sites->profile, sites->stacks.items[at].words[1]));
	if (p->inner.length == 0)
		wr_varint(&p->inner, location_of(p, "[no Java frames]", "", 0));
	put_inner(p, SAMPLE_LOCATION);
	if (kind != GCS_PROFILE_LIVE) {
		wr_varint(&p->inner, text_rounded(s->objects));
		wr_varint(&p->inner, text_rounded(s->bytes));
	}
	if (has_live(sites->profile) && !p->allocations_only) {
		wr_varint(&p->inner, text_rounded(s->live_objects));
		wr_varint(&p->inner, text_rounded(s->live_bytes));
	}
	if (gcs_sites_has_new(sites) && !p->allocations_only) {
		wr_varint(&p->inner, text_rounded(s->new_objects));
		wr_varint(&p->inner, text_rounded(s->new_bytes));
	}
	put_inner(p, SAMPLE_VALUE);
	put_label(p, "class", s->class_name);
	put_label(p, "thread", s->thread);
	put_part(p, PROFILE_SAMPLE);
}

static void put_locations(struct pprof *p)
{
	for (uint32_t i = 0; i < p->locations.count; i++) {
		const uint32_t *words = p->locations.items[i].words;
		pb_varint(&p->inner, 1, (uint64_t)words[0] + 1); /* Line: function, line */
		pb_varint(&p->inner, 2, words[1]);
		pb_varint(&p->part, 1, (uint64_t)i + 1); /* Location: id, mapping, line */
		pb_varint(&p->part, 2, 1);
		put_inner(p, 4);
		put_part(p, PROFILE_LOCATION);
	}
	for (uint32_t i = 0; i < p->functions.count; i++) {
		const uint32_t *words = p->functions.items[i].words;
		pb_varint(&p->part, 1, (uint64_t)i + 1); /* Function: id, names, file */
		pb_varint(&p->part, 2, words[0]);
		pb_varint(&p->part, 3, words[0]);
		pb_varint(&p->part, 4, words[1]);
		put_part(p, PROFILE_FUNCTION);
	}
}

static void put_mapping(struct pprof *p, const struct gcs_profile_head *h)
{
	pb_varint(&p->part, 1, 1); /* id */
	pb_varint(&p->part, 5, string_of(p, h->server));
	for (uint32_t has = 7; has <= 9; has++) /* functions, file names, line numbers */
		pb_varint(&p->part, has, 1);
	put_part(p, PROFILE_MAPPING);
}

/* Strings of protobuf must be UTF-8. */
static void put_strings(struct pprof *p)
{
	struct gcs_sink sink = {.write = wr_take, .context = &p->part};
	struct text clean;
	for (uint32_t i = 0; i < p->strings.count; i++) {
		text_begin(&clean, &sink);
		text_line(&clean, p->strings.items[i]);
		text_end(&clean, NULL);
		put_part(p, PROFILE_STRING);
	}
}

static void put_profile(struct pprof *p, const struct export *e)
{
	const struct gcs_profile_head *h = gcs_profile_head(gcs_sites_profile(e->sites));
	string_of(p, "");
	if (h->kind != GCS_PROFILE_LIVE) {
		put_type(p, PROFILE_SAMPLE_TYPE, "alloc_objects", "count");
		put_type(p, PROFILE_SAMPLE_TYPE, "alloc_space", "bytes");
	}
	if (has_live(gcs_sites_profile(e->sites)) && !p->allocations_only) {
		put_type(p, PROFILE_SAMPLE_TYPE, "inuse_objects", "count");
		put_type(p, PROFILE_SAMPLE_TYPE, "inuse_space", "bytes");
	}
	if (gcs_sites_has_new(e->sites) && !p->allocations_only) {
		put_type(p, PROFILE_SAMPLE_TYPE, "new_objects", "count");
		put_type(p, PROFILE_SAMPLE_TYPE, "new_space", "bytes");
	}
	for (uint32_t i = 0; i < gcs_sites_count(e->sites); i++)
		put_sample(p, e->sites, gcs_sites_at(e->sites, i));
	put_mapping(p, h);
	put_locations(p);
	pb_varint(&p->out, PROFILE_TIME_NANOS, (uint64_t)h->wall_ns);
	put_type(p, PROFILE_PERIOD_TYPE, "space", "bytes");
	pb_varint(&p->out, PROFILE_PERIOD, h->interval);
	pb_varint(&p->out, PROFILE_COMMENT,
	    string_of(p, "GCspy: sampled allocations; counts and bytes are estimates"));
	pb_varint(&p->out, PROFILE_DEFAULT_TYPE,
	    string_of(p, h->kind == GCS_PROFILE_LIVE ||
				 (e->options.in_use_first && has_live(gcs_sites_profile(e->sites)))
			     ? "inuse_space"
			     : "alloc_space"));
	put_strings(p);
}

static enum gcs_status outcome(const struct pprof *p)
{
	return p->failed ? GCS_NOMEM : p->out.status;
}

enum gcs_status export_pprof(const struct export *e)
{
	const struct gcs_profile *profile = gcs_sites_profile(e->sites);
	struct pprof p = {0};
	p.allocations_only = e->options.allocations_only;
	p.known = gcs_zalloc(((size_t)gcs_profile_frame_count(profile) + 1) * sizeof *p.known);
	if (p.known == NULL)
		return gcs_fail(e->err, GCS_NOMEM, "no memory for the profile");
	wr_init(&p.out, LARGEST);
	wr_init(&p.part, LARGEST);
	wr_init(&p.inner, LARGEST);
	put_profile(&p, e);
	enum gcs_status status = outcome(&p);
	if (status == GCS_OK)
		status = export_deflated(e->text, p.out.data, p.out.length, true, e->err);
	else
		gcs_fail(
		    e->err, status, "the profile cannot be written: %s", gcs_status_text(status));
	wr_fini(&p.out);
	wr_fini(&p.part);
	wr_fini(&p.inner);
	intern_texts_fini(&p.strings);
	intern_keys_fini(&p.functions);
	intern_keys_fini(&p.locations);
	arena_fini(&p.arena);
	gcs_free(p.known);
	return status;
}
