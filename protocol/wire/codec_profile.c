/*
 * A profile as bytes; docs/protocol.md, section 11. The body of an answer and, deflated, of a file.
 * Numbers that rarely have more than two bytes are varints, estimates are IEEE doubles.
 */

#include <string.h>

#include <gcspy/memory.h>

#include "bytes.h"
#include "profile_tables.h"

enum { VERSION = 1, SUPPLEMENT = 1 };

/* Bits of the last byte, which may be missing. */
enum { EXPLICIT_FREE = 1 };

/* Least sizes of a frame, a stack and an entry, to check counts before memory is allocated. */
enum { LEAST_NAME = 1, LEAST_FRAME = 5, LEAST_STACK = 2, LEAST_ENTRY = 42 };

static double get_double(struct rd *r)
{
	const double value = rd_double(r);
	if (profile_is_estimate(value))
		return value;
	rd_fail(r, GCS_MALFORMED);
	return 0;
}

static void put_head(struct wr *w, const struct gcs_profile_head *h)
{
	wr_u8(w, VERSION);
	wr_u8(w, (uint8_t)h->kind);
	wr_text(w, h->server);
	wr_text(w, h->as_of);
	wr_zigzag(w, h->wall_ns);
	wr_zigzag(w, h->since_wall_ns);
	wr_varint(w, h->interval);
	wr_varint(w, h->collections);
	wr_double(w, h->allocated_bytes);
	wr_double(w, h->allocated_objects);
	wr_varint(w, h->samples);
	wr_varint(w, h->tracked);
	wr_varint(w, h->died);
	wr_varint(w, h->dropped);
	wr_varint(w, h->lost);
	wr_varint(w, h->elsewhere);
	wr_varint(w, h->garbage_seen);
}

static void put_entry(struct wr *w, const struct gcs_profile_entry *e, bool totals)
{
	wr_varint(w, e->stack == GCS_NONE ? 0 : (uint64_t)e->stack + 1);
	wr_varint(w, e->class_name);
	wr_varint(w, e->thread);
	wr_varint(w, e->samples);
	wr_double(w, e->bytes);
	wr_double(w, e->bytes_variance);
	wr_double(w, e->objects);
	wr_double(w, e->objects_variance);
	wr_varint(w, e->age);
	wr_varint(w, e->lifetime_bytes);
	if (totals) {
		wr_double(w, e->live_bytes);
		wr_double(w, e->live_objects);
		for (uint32_t i = 0; i < GCS_SURVIVAL_BUCKETS; i++)
			wr_double(w, e->died_bytes[i]);
		return;
	}
	wr_varint(w, e->id);
	wr_varint(w, e->size);
	wr_zigzag(w, e->wall_ns);
	wr_varint(w, e->context);
}

static void put_judge(struct wr *w, const struct gcs_profile_judge *j)
{
	wr_varint(w, j->number);
	wr_zigzag(w, j->wall_ns);
	wr_text(w, j->kind);
}

/* What version 1 did not have: after the last entry, where its readers ignore it. */
static void put_supplement(struct wr *w, const struct gcs_profile *p)
{
	wr_u8(w, SUPPLEMENT);
	put_judge(w, &p->head.judged);
	put_judge(w, &p->head.judged_old);
	wr_varint(w, p->head.used_bytes);
	for (uint32_t i = 0; i < p->entries.count; i++) {
		const struct gcs_profile_entry *e = gcs_profile_entry(p, i);
		wr_varint(w, e->region);
		if (p->head.kind == GCS_PROFILE_ALLOCATED) {
			wr_varint(w, e->size);
			wr_double(w, e->new_bytes);
			wr_double(w, e->new_objects);
		} else {
			wr_varint(w, e->address);
			wr_u8(w, e->approximate);
		}
	}
	if (p->head.explicit_free)
		wr_u8(w, EXPLICIT_FREE);
}

enum gcs_status gcs_profile_encode(
    const struct gcs_profile *p, void **bytes, size_t *length, struct gcs_error *err)
{
	struct wr w;
	wr_init(&w, GCS_MAX_ANSWER);
	put_head(&w, &p->head);
	wr_varint(&w, p->names.count);
	for (uint32_t i = 0; i < p->names.count; i++)
		wr_text(&w, gcs_profile_name(p, i));
	wr_varint(&w, p->frames.count);
	for (uint32_t i = 0; i < p->frames.count; i++) {
		const struct gcs_frame *f = gcs_profile_frame(p, i);
		wr_u8(&w, (uint8_t)f->kind);
		wr_text(&w, f->class_name);
		wr_text(&w, f->method);
		wr_text(&w, f->file);
		wr_varint(&w, f->line);
	}
	wr_varint(&w, p->stacks.count);
	for (uint32_t i = 0; i < p->stacks.count; i++) {
		const struct gcs_stack *s = gcs_profile_stack(p, i);
		wr_varint(&w, s->parent == GCS_NONE ? 0 : (uint64_t)s->parent + 1);
		wr_varint(&w, s->frame);
	}
	wr_varint(&w, p->entries.count);
	for (uint32_t i = 0; i < p->entries.count; i++)
		put_entry(&w, gcs_profile_entry(p, i), p->head.kind == GCS_PROFILE_ALLOCATED);
	if (!p->head.live_includes_new)
		put_supplement(&w, p);
	if (w.status != GCS_OK) {
		enum gcs_status status = w.status;
		wr_fini(&w);
		return gcs_fail(
		    err, status, "the profile cannot be written: %s", gcs_status_text(status));
	}
	*bytes = w.data;
	*length = w.length;
	return GCS_OK;
}

/* A text, terminated in `buffer`. */
static const char *get_text(struct rd *r, char buffer[static GCS_MAX_TEXT + 1])
{
	size_t length;
	const char *bytes = rd_text(r, GCS_MAX_TEXT, &length);
	if (bytes != NULL)
		memcpy(buffer, bytes, length);
	buffer[bytes == NULL ? 0 : length] = '\0';
	return buffer;
}

static uint32_t get_items(struct rd *r, size_t least)
{
	uint32_t count = rd_count(r, PROFILE_MAX_ITEMS);
	if (r->status == GCS_OK && count > rd_left(r) / least)
		rd_fail(r, GCS_TRUNCATED);
	return r->status == GCS_OK ? count : 0;
}

static struct gcs_profile *get_head(struct rd *r)
{
	char server[GCS_MAX_TEXT + 1], as_of[GCS_MAX_TEXT + 1];
	struct gcs_profile_head h = {0};
	if (rd_u8(r) != VERSION)
		rd_fail(r, GCS_VERSION);
	h.kind = (enum gcs_profile_kind)rd_enum(r, GCS_PROFILE_KIND_COUNT);
	h.server = get_text(r, server);
	h.as_of = get_text(r, as_of);
	h.wall_ns = rd_zigzag(r);
	h.since_wall_ns = rd_zigzag(r);
	h.interval = rd_varint(r);
	h.collections = rd_varint(r);
	h.allocated_bytes = get_double(r);
	h.allocated_objects = get_double(r);
	h.samples = rd_varint(r);
	h.tracked = rd_varint(r);
	h.died = rd_varint(r);
	h.dropped = rd_varint(r);
	h.lost = rd_varint(r);
	h.elsewhere = rd_varint(r);
	h.garbage_seen = rd_varint(r);
	if (r->status != GCS_OK)
		return NULL;
	struct gcs_profile *p = gcs_profile_create(&h);
	if (p == NULL)
		rd_fail(r, GCS_NOMEM);
	return p;
}

static void get_frame(struct rd *r, struct gcs_profile *p)
{
	char class_name[GCS_MAX_TEXT + 1], method[GCS_MAX_TEXT + 1], file[GCS_MAX_TEXT + 1];
	struct gcs_frame f = {.kind = (enum gcs_frame_kind)rd_enum(r, GCS_FRAME_KIND_COUNT)};
	f.class_name = get_text(r, class_name);
	f.method = get_text(r, method);
	f.file = get_text(r, file);
	f.line = rd_count(r, UINT32_MAX);
	if (r->status == GCS_OK && gcs_profile_add_frame(p, &f) == GCS_NONE)
		rd_fail(r, GCS_NOMEM);
}

static uint32_t get_reference(struct rd *r)
{
	uint32_t plus_one = rd_count(r, PROFILE_MAX_ITEMS);
	return plus_one == 0 ? GCS_NONE : plus_one - 1;
}

static struct gcs_profile_entry read_entry(struct rd *r, bool allocated)
{
	struct gcs_profile_entry e = {.stack = get_reference(r)};
	e.class_name = rd_count(r, PROFILE_MAX_ITEMS);
	e.thread = rd_count(r, PROFILE_MAX_ITEMS);
	e.samples = rd_varint(r);
	e.bytes = get_double(r);
	e.bytes_variance = get_double(r);
	e.objects = get_double(r);
	e.objects_variance = get_double(r);
	e.age = rd_count(r, UINT32_MAX);
	e.lifetime_bytes = rd_varint(r);
	if (allocated) {
		e.live_bytes = get_double(r);
		e.live_objects = get_double(r);
		for (uint32_t i = 0; i < GCS_SURVIVAL_BUCKETS; i++)
			e.died_bytes[i] = get_double(r);
	} else {
		e.id = rd_varint(r);
		e.size = rd_varint(r);
		e.wall_ns = rd_zigzag(r);
		e.context = rd_varint(r);
	}
	return e;
}

static void get_entry(struct rd *r, struct gcs_profile *p)
{
	const struct gcs_profile_entry e = read_entry(r, p->head.kind == GCS_PROFILE_ALLOCATED);
	if (!profile_entry_fits(p, &e))
		rd_fail(r, GCS_MALFORMED);
	if (r->status == GCS_OK && !gcs_profile_add_entry(p, &e))
		rd_fail(r, GCS_NOMEM);
}

static void get_tables(struct rd *r, struct gcs_profile *p)
{
	char text[GCS_MAX_TEXT + 1];
	uint32_t count = get_items(r, LEAST_NAME);
	for (uint32_t i = 0; r->status == GCS_OK && i < count; i++)
		if (gcs_profile_add_name(p, get_text(r, text)) == GCS_NONE)
			rd_fail(r, GCS_NOMEM);
	count = get_items(r, LEAST_FRAME);
	for (uint32_t i = 0; r->status == GCS_OK && i < count; i++)
		get_frame(r, p);
	count = get_items(r, LEAST_STACK);
	for (uint32_t i = 0; r->status == GCS_OK && i < count; i++) {
		struct gcs_stack s = {.parent = get_reference(r)};
		s.frame = rd_count(r, PROFILE_MAX_ITEMS);
		if (!profile_stack_fits(p, &s))
			rd_fail(r, GCS_MALFORMED);
		if (r->status == GCS_OK && gcs_profile_add_stack(p, &s) == GCS_NONE)
			rd_fail(r, GCS_NOMEM);
	}
	count = get_items(r, LEAST_ENTRY);
	for (uint32_t i = 0; r->status == GCS_OK && i < count; i++)
		get_entry(r, p);
}

static void skip_texts(struct rd *r, int count)
{
	size_t length;
	while (count-- > 0)
		(void)rd_text(r, GCS_MAX_TEXT, &length);
}

/* The same without keeping anything. */
static void skip_tables(struct rd *r, bool allocated)
{
	for (uint32_t left = get_items(r, LEAST_NAME); r->status == GCS_OK && left > 0; left--)
		skip_texts(r, 1);
	for (uint32_t left = get_items(r, LEAST_FRAME); r->status == GCS_OK && left > 0; left--) {
		(void)rd_u8(r);
		skip_texts(r, 3);
		(void)rd_varint(r);
	}
	for (uint32_t left = get_items(r, LEAST_STACK); r->status == GCS_OK && left > 0; left--) {
		(void)rd_varint(r);
		(void)rd_varint(r);
	}
	for (uint32_t left = get_items(r, LEAST_ENTRY); r->status == GCS_OK && left > 0; left--)
		(void)read_entry(r, allocated);
}

static void get_judge(struct rd *r, struct gcs_profile *p, struct gcs_profile_judge *j)
{
	char kind[GCS_MAX_TEXT + 1];
	j->number = rd_varint(r);
	j->wall_ns = rd_zigzag(r);
	j->kind = profile_keep(p, get_text(r, kind));
	if (j->kind == NULL)
		rd_fail(r, GCS_NOMEM);
}

static void get_supplement(struct rd *r, struct gcs_profile *p)
{
	/* Unless it is there and known, what follows is ignored. */
	p->head.live_includes_new = rd_left(r) == 0 || rd_u8(r) != SUPPLEMENT;
	if (p->head.live_includes_new)
		return;
	get_judge(r, p, &p->head.judged);
	get_judge(r, p, &p->head.judged_old);
	p->head.used_bytes = rd_varint(r);
	for (uint32_t i = 0; r->status == GCS_OK && i < p->entries.count; i++) {
		struct gcs_profile_entry *e = &((struct gcs_profile_entry *)p->entries.items)[i];
		e->region = rd_count(r, PROFILE_MAX_ITEMS);
		if (p->head.kind == GCS_PROFILE_ALLOCATED) {
			e->size = rd_varint(r);
			e->new_bytes = get_double(r);
			e->new_objects = get_double(r);
		} else {
			e->address = rd_varint(r);
			e->approximate = rd_enum(r, 2) != 0;
		}
		if (r->status == GCS_OK && !profile_entry_fits(p, e))
			rd_fail(r, GCS_MALFORMED);
	}
	if (r->status == GCS_OK && rd_left(r) != 0)
		p->head.explicit_free = (rd_u8(r) & EXPLICIT_FREE) != 0;
}

static void (*complete)(struct gcs_profile *profile);

void profile_on_decoded(void (*then)(struct gcs_profile *profile))
{
	complete = then;
}

bool profile_decode_times(const void *bytes, size_t length, int64_t *made_ns, int64_t *judged_ns)
{
	struct rd r = rd_over(bytes, length);
	struct gcs_profile *p = get_head(&r);
	if (p != NULL)
		skip_tables(&r, p->head.kind == GCS_PROFILE_ALLOCATED);
	if (r.status == GCS_OK && rd_left(&r) != 0 && rd_u8(&r) == SUPPLEMENT)
		get_judge(&r, p, &p->head.judged);
	*made_ns = r.status != GCS_OK ? INT64_MAX : p->head.wall_ns;
	*judged_ns = r.status != GCS_OK || p->head.judged.number == 0 ? 0 : p->head.judged.wall_ns;
	gcs_profile_free(p);
	return r.status == GCS_OK;
}

struct gcs_profile *gcs_profile_decode(const void *bytes, size_t length, struct gcs_error *err)
{
	struct rd r = rd_over(bytes, length);
	struct gcs_profile *p = get_head(&r);
	if (p != NULL)
		get_tables(&r, p);
	if (r.status == GCS_OK)
		get_supplement(&r, p);
	if (r.status == GCS_OK && complete != NULL)
		complete(p);
	if (r.status == GCS_OK) {
		profile_trim(p);
		return p;
	}
	gcs_profile_free(p);
	gcs_fail(err, r.status, "the profile cannot be read: %s", gcs_status_text(r.status));
	return NULL;
}
