/*
 * A pprof profile (proto/profile.proto of github.com/google/pprof).
 *
 * A sample is a site of one thread. Frames are locations, with method and line; the class of the
 * allocated objects and the thread are labels.
 */

#include "export_internal.h"
#include "frame_tables.h"
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
	PROFILE_DURATION_NANOS = 10,
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
	struct wr part;  /* the message being written */
	struct wr inner; /* a message or packed field in it */
	struct frame_tables tables;
	bool allocations_only;
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
	return frame_tables_text(&p->tables, text);
}

/* ValueType: type, unit. */
static void put_type(struct pprof *p, uint32_t field, const char *type, const char *unit)
{
	pb_varint(&p->part, 1, string_of(p, type));
	pb_varint(&p->part, 2, string_of(p, unit));
	put_part(p, field);
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
		wr_varint(&p->inner,
		    1ull + frame_tables_location(&p->tables, sites->stacks.items[at].words[1]));
	if (p->inner.length == 0)
		wr_varint(&p->inner, 1ull + frame_tables_no_frames(&p->tables));
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
	for (uint32_t i = 0; i < p->tables.locations.count; i++) {
		const uint32_t *words = p->tables.locations.items[i].words;
		pb_varint(&p->inner, 1, (uint64_t)words[0] + 1); /* Line: function, line */
		pb_varint(&p->inner, 2, words[1]);
		pb_varint(&p->part, 1, (uint64_t)i + 1); /* Location: id, mapping, line */
		pb_varint(&p->part, 2, 1);
		put_inner(p, 4);
		put_part(p, PROFILE_LOCATION);
	}
	for (uint32_t i = 0; i < p->tables.functions.count; i++) {
		const uint32_t *words = p->tables.functions.items[i].words;
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

/* As Go's: a difference has its start and duration, all others the moment of the profile. */
static void put_time(struct pprof *p, const struct gcs_profile_head *h)
{
	const bool lasts = p->allocations_only && h->since_wall_ns < h->wall_ns;
	const int64_t from = lasts ? h->since_wall_ns : h->wall_ns;
	pb_varint(&p->out, PROFILE_TIME_NANOS, (uint64_t)from);
	pb_varint(&p->out, PROFILE_DURATION_NANOS, (uint64_t)(h->wall_ns - from));
}

static void put_profile(struct pprof *p, const struct export *e)
{
	const struct gcs_profile_head *h = gcs_profile_head(gcs_sites_profile(e->sites));
	frame_tables_begin(&p->tables, gcs_sites_profile(e->sites));
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
	put_time(p, h);
	put_type(p, PROFILE_PERIOD_TYPE, "space", "bytes");
	pb_varint(&p->out, PROFILE_PERIOD, h->interval);
	pb_varint(&p->out, PROFILE_COMMENT,
	    string_of(p, "GCspy: sampled allocations; counts and bytes are estimates"));
	pb_varint(&p->out, PROFILE_DEFAULT_TYPE,
	    string_of(p, h->kind == GCS_PROFILE_LIVE ||
				 (e->options.in_use_first && has_live(gcs_sites_profile(e->sites)))
			     ? "inuse_space"
			     : "alloc_space"));
	frame_tables_write_texts(&p->tables, &p->out, PROFILE_STRING);
}

static enum gcs_status outcome(const struct pprof *p)
{
	return p->tables.failed ? GCS_NOMEM : p->out.status;
}

enum gcs_status export_pprof(const struct export *e)
{
	struct pprof p = {.allocations_only = e->options.allocations_only};
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
	frame_tables_fini(&p.tables);
	return status;
}
