/* Profiles and their documents (S2 to S6); any bytes are a profile or an error (Q2). */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

#include "bytes.h"
#include "kit.h"
#include "kit_profile.h"
#include "profile_tables.h"

static struct gcs_error err;
static void *document;
static size_t length;

static void setup(void)
{
	kit_count_memory(0);
}

static void teardown(void)
{
	kit_fail_after(SIZE_MAX);
	gcs_free(document);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define ProfileTest(name) Test(profile, name, .init = setup, .fini = teardown)

/* The document of the kit's profile of this kind. */
static void write_document(enum gcs_profile_kind kind)
{
	struct gcs_profile *p = kit_profile(kind);
	gcs_free(document);
	document = NULL;
	cr_assert_not_null(p);
	cr_assert_eq(gcs_profile_encode(p, &document, &length, &err), GCS_OK);
	gcs_profile_free(p);
}

ProfileTest(kinds_have_words_and_titles)
{
	enum gcs_profile_kind kind;
	for (unsigned i = 0; i < GCS_PROFILE_KIND_COUNT; i++) {
		const char *word = gcs_profile_kind_word((enum gcs_profile_kind)i);
		cr_assert(gcs_profile_find_kind(word, &kind) && kind == i, "%s", word);
		cr_assert_gt(strlen(gcs_profile_kind_title(kind)), 3);
	}
	cr_assert_str_eq(gcs_profile_kind_word(GCS_PROFILE_LIVE), "live");
	cr_assert_str_eq(gcs_profile_kind_title(GCS_PROFILE_FREQUENT), "Frequent garbage");
	cr_assert_str_eq(gcs_profile_kind_word(GCS_PROFILE_KIND_COUNT), "?");
	cr_assert_str_eq(gcs_profile_kind_title(GCS_PROFILE_KIND_COUNT), "?");
	cr_assert_not(gcs_profile_find_kind("Live", &kind));
	cr_assert_not(gcs_profile_find_kind("", &kind));
}

/* S8: each age is in the bucket whose text says so. */
ProfileTest(ages_have_buckets)
{
	for (uint64_t age = 0; age < 100; age++) {
		unsigned long from = 0, to = 0;
		char end;
		const char *text = gcs_survival_text(gcs_survival_bucket(age));
		int read = sscanf(text, "%lu-%lu", &from, &to);
		if (read == 1)
			to = sscanf(text, "%*u%c", &end) == 1 && end == '+' ? UINT32_MAX : from;
		cr_assert(from <= age && age <= to, "age %u is in %s", (unsigned)age, text);
	}
	cr_assert_eq(gcs_survival_bucket(UINT64_MAX), GCS_SURVIVAL_BUCKETS - 1);
	cr_assert_str_eq(gcs_survival_text(GCS_SURVIVAL_BUCKETS), "");
}

ProfileTest(readers_find_what_was_added)
{
	struct gcs_profile *p = kit_profile(GCS_PROFILE_LIVE);
	const struct gcs_profile_head *head = gcs_profile_head(p);
	cr_assert(head->kind == GCS_PROFILE_LIVE && head->interval == 524288);
	cr_assert_str_eq(head->server, "Kit, pid 4711");
	uint32_t names = gcs_profile_name_count(p), frames = gcs_profile_frame_count(p);
	uint32_t stacks = gcs_profile_stack_count(p), entries = gcs_profile_entry_count(p);
	cr_assert(names == 4 && frames == 6 && stacks == 5 && entries == 3);
	cr_assert_str_eq(gcs_profile_name(p, 1), "byte[]");
	cr_assert_str_eq(gcs_profile_frame(p, 0)->method, "resize");
	cr_assert_str_eq(gcs_profile_frame(p, 1)->file, "");
	cr_assert_eq(gcs_profile_stack(p, 3)->parent, 2);
	cr_assert_eq(gcs_profile_stack(p, 0)->parent, GCS_NONE);
	cr_assert_eq(gcs_profile_entry(p, 0)->stack, GCS_NONE);
	cr_assert_eq(gcs_profile_entry(p, 1)->stack, 4);
	const uint32_t outside[] = {entries + names + frames, GCS_NONE};
	for (size_t i = 0; i < 2; i++) {
		cr_assert_str_eq(gcs_profile_name(p, outside[i]), "");
		cr_assert_null(gcs_profile_frame(p, outside[i]));
		cr_assert_null(gcs_profile_stack(p, outside[i]));
		cr_assert_null(gcs_profile_entry(p, outside[i]));
	}
	gcs_profile_free(p);
	gcs_profile_free(NULL);
}

ProfileTest(a_head_that_cannot_be_is_refused)
{
	const struct gcs_profile_head bad[] = {{.kind = GCS_PROFILE_KIND_COUNT},
	    {.allocated_bytes = -1}, {.allocated_objects = NAN}, {.allocated_bytes = INFINITY}};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		cr_assert_null(gcs_profile_create(&bad[i]), "case %zu", i);
	struct gcs_profile *p = gcs_profile_create(&(struct gcs_profile_head){.as_of = NULL});
	cr_assert_str_eq(gcs_profile_head(p)->server, "", "no text is an empty one");
	cr_assert_str_eq(gcs_profile_head(p)->as_of, "");
	gcs_profile_free(p);
}

ProfileTest(what_refers_to_nothing_is_refused)
{
	struct gcs_profile *p = kit_profile(GCS_PROFILE_ALLOCATED);
	const struct gcs_stack stacks[] = {{GCS_NONE, 6}, {5, 0}, {GCS_NONE, GCS_NONE}};
	for (size_t i = 0; i < 3; i++)
		cr_assert_eq(gcs_profile_add_stack(p, &stacks[i]), GCS_NONE, "case %zu", i);
	const struct gcs_frame frame = {"a", "b", "c", 1, GCS_FRAME_KIND_COUNT};
	cr_assert_eq(gcs_profile_add_frame(p, &frame), GCS_NONE);
	const struct gcs_profile_entry entries[] = {{.stack = 5}, {.class_name = 4}, {.thread = 4},
	    {.thread = GCS_NONE}, {.bytes = NAN}, {.bytes_variance = INFINITY}, {.objects = -0.5},
	    {.objects_variance = 2e300}, {.live_bytes = -1}, {.live_objects = NAN},
	    {.died_bytes = {[GCS_SURVIVAL_BUCKETS - 1] = -1}}};
	for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
		cr_assert_not(gcs_profile_add_entry(p, &entries[i]), "case %zu", i);
	cr_assert(gcs_profile_stack_count(p) == 5 && gcs_profile_frame_count(p) == 6 &&
		  gcs_profile_entry_count(p) == 3);
	cr_assert_eq(gcs_profile_add_stack(p, &(struct gcs_stack){4, 5}), 5);
	cr_assert(gcs_profile_add_entry(p, &(struct gcs_profile_entry){.stack = 5}));
	gcs_profile_free(p);
}

ProfileTest(every_kind_comes_back_from_its_document)
{
	for (unsigned kind = 0; kind < GCS_PROFILE_KIND_COUNT; kind++) {
		struct gcs_profile *p = kit_profile((enum gcs_profile_kind)kind);
		write_document((enum gcs_profile_kind)kind);
		struct gcs_profile *back = gcs_profile_decode(document, length, &err);
		cr_assert_not_null(back, "%s", err.text);
		const char *what = kit_profile_difference(p, back);
		cr_assert_null(what, "%s", what);
		gcs_profile_free(p);
		gcs_profile_free(back);
	}
}

/* Texts are cut where they are taken, so that a document never has one that is too long. */
ProfileTest(long_names_are_cut)
{
	static char name[3 * GCS_MAX_TEXT];
	memset(name, 'n', sizeof name - 1);
	struct gcs_profile *p = gcs_profile_create(&(struct gcs_profile_head){.server = name});
	const char *kept = name + sizeof name - 1 - GCS_MAX_TEXT;
	cr_assert_str_eq(gcs_profile_head(p)->server, kept);
	for (size_t extra = 0; extra < 2; extra++) {
		const char *text = kept - extra;
		struct gcs_frame frame = {text, text, text, 1, GCS_FRAME_JAVA};
		uint32_t number = gcs_profile_add_name(p, text);
		cr_assert_str_eq(gcs_profile_name(p, number), kept);
		number = gcs_profile_add_frame(p, &frame);
		cr_assert_str_eq(gcs_profile_frame(p, number)->file, kept);
	}
	cr_assert_eq(gcs_profile_encode(p, &document, &length, &err), GCS_OK);
	struct gcs_profile *back = gcs_profile_decode(document, length, &err);
	cr_assert_not_null(back, "%s", err.text);
	cr_assert_null(kit_profile_difference(p, back));
	gcs_profile_free(p);
	gcs_profile_free(back);
}

ProfileTest(a_large_profile_comes_back)
{
	enum { ITEMS = 20000 };
	struct gcs_profile *p = gcs_profile_create(&(struct gcs_profile_head){.server = "large"});
	uint64_t state = 1;
	for (uint32_t i = 0; i < ITEMS; i++) {
		char text[32];
		snprintf(text, sizeof text, "Class%u", i);
		struct gcs_frame frame = {text, "m", "f", i, GCS_FRAME_JAVA};
		struct gcs_stack stack = {i == 0 ? GCS_NONE : kit_below(&state, i), i};
		struct gcs_profile_entry e = {.stack = i, .class_name = i, .thread = 0, .id = i};
		e.bytes = (double)kit_random(&state);
		cr_assert_eq(gcs_profile_add_name(p, text), i);
		cr_assert_eq(gcs_profile_add_frame(p, &frame), i);
		cr_assert_eq(gcs_profile_add_stack(p, &stack), i);
		cr_assert(gcs_profile_add_entry(p, &e));
	}
	cr_assert_eq(gcs_profile_encode(p, &document, &length, &err), GCS_OK);
	struct gcs_profile *back = gcs_profile_decode(document, length, &err);
	cr_assert_not_null(back, "%s", err.text);
	cr_assert_null(kit_profile_difference(p, back));
	gcs_profile_free(p);
	gcs_profile_free(back);
}

/* Decodes from a buffer of exactly that size; what is accepted must be sound. */
static bool decodes(const void *bytes, size_t count)
{
	uint8_t *exact = malloc(count == 0 ? 1 : count);
	void *again = NULL;
	size_t again_length;
	cr_assert_not_null(exact);
	memcpy(exact, bytes, count);
	err.text[0] = '\0';
	struct gcs_profile *p = gcs_profile_decode(exact, count, &err);
	if (p == NULL)
		cr_assert(err.status != GCS_OK && strlen(err.text) > 20);
	for (uint32_t i = 0; p != NULL && i < gcs_profile_stack_count(p); i++) {
		const struct gcs_stack *s = gcs_profile_stack(p, i);
		cr_assert(s->frame < gcs_profile_frame_count(p));
		cr_assert(s->parent == GCS_NONE || s->parent < i, "no circles");
	}
	if (p != NULL) {
		cr_assert_eq(gcs_profile_encode(p, &again, &again_length, NULL), GCS_OK);
		struct gcs_profile *back = gcs_profile_decode(again, again_length, &err);
		cr_assert_not_null(back, "%s", err.text);
		cr_assert_null(kit_profile_difference(p, back));
		gcs_profile_free(back);
		gcs_free(again);
	}
	gcs_profile_free(p);
	free(exact);
	return p != NULL;
}

/* Where the supplement begins, which older servers do not send. */
static size_t length_without_supplement(enum gcs_profile_kind kind)
{
	struct gcs_profile *p = kit_profile(kind);
	struct gcs_profile_head *head = (struct gcs_profile_head *)gcs_profile_head(p);
	void *older = NULL;
	size_t older_length = 0;
	head->live_includes_new = true;
	cr_assert_eq(gcs_profile_encode(p, &older, &older_length, &err), GCS_OK);
	cr_assert_arr_eq(older, document, older_length);
	gcs_free(older);
	gcs_profile_free(p);
	return older_length;
}

ProfileTest(every_truncation_is_refused)
{
	for (unsigned kind = 0; kind < GCS_PROFILE_KIND_COUNT; kind++) {
		write_document((enum gcs_profile_kind)kind);
		const size_t older = length_without_supplement((enum gcs_profile_kind)kind);
		for (size_t cut = 0; cut < length; cut++)
			cr_assert_eq(
			    decodes(document, cut), cut == older, "%zu of %zu bytes", cut, length);
		cr_assert(decodes(document, length));
	}
}

/* Of an older document everything else is known. */
ProfileTest(a_document_without_supplement)
{
	for (unsigned kind = 0; kind < GCS_PROFILE_KIND_COUNT; kind++) {
		write_document((enum gcs_profile_kind)kind);
		struct gcs_profile *p = gcs_profile_decode(
		    document, length_without_supplement((enum gcs_profile_kind)kind), &err);
		const struct gcs_profile_head *head = gcs_profile_head(p);
		cr_assert(head->live_includes_new);
		cr_assert_eq(head->judged.number, 0);
		cr_assert_str_eq(head->judged.kind, "");
		cr_assert_str_eq(head->judged_old.kind, "");
		cr_assert_eq(head->used_bytes, 0);
		const struct gcs_profile_entry *e = gcs_profile_entry(p, 1);
		cr_assert(e->region == 0 && e->address == 0 && e->new_bytes == 0);
		cr_assert_eq(e->age, UINT32_MAX - 1);
		gcs_profile_free(p);
	}
}

/* As decoding all of it says. */
ProfileTest(the_times_alone)
{
	int64_t made, judged;
	for (unsigned kind = 0; kind < GCS_PROFILE_KIND_COUNT; kind++) {
		write_document((enum gcs_profile_kind)kind);
		struct gcs_profile *p = gcs_profile_decode(document, length, &err);
		cr_assert(profile_decode_times(document, length, &made, &judged));
		cr_assert_eq(made, gcs_profile_head(p)->wall_ns);
		cr_assert_eq(judged, KIT_PROFILE_JUDGED);
		gcs_profile_free(p);
		const size_t older = length_without_supplement((enum gcs_profile_kind)kind);
		cr_assert(profile_decode_times(document, older, &made, &judged));
		cr_assert_eq(judged, 0);
		for (size_t cut = 0; cut < older; cut++) {
			cr_assert_not(profile_decode_times(document, cut, &made, &judged));
			cr_assert(made == INT64_MAX && judged == 0);
		}
	}
}

/* Of a program that frees by itself: one byte at the end, without which there are collections. */
ProfileTest(an_explicit_free_is_a_flag_at_the_end)
{
	struct gcs_profile *p = kit_profile(GCS_PROFILE_LIVE);
	void *bytes = NULL;
	size_t count = 0;
	((struct gcs_profile_head *)gcs_profile_head(p))->explicit_free = true;
	cr_assert_eq(gcs_profile_encode(p, &bytes, &count, &err), GCS_OK);
	gcs_profile_free(p);
	for (size_t cut = 0; cut < 2; cut++) {
		p = gcs_profile_decode(bytes, count - cut, &err);
		cr_assert_eq(gcs_profile_head(p)->explicit_free, cut == 0);
		gcs_profile_free(p);
	}
	gcs_free(bytes);
}

ProfileTest(every_changed_byte_is_harmless)
{
	const unsigned kinds[] = {GCS_PROFILE_LIVE, GCS_PROFILE_ALLOCATED};
	unsigned refused = 0, accepted = 0;
	for (size_t k = 0; k < 2; k++) {
		write_document((enum gcs_profile_kind)kinds[k]);
		for (size_t at = 0; at < length; at++)
			for (unsigned flip = 1; flip < 256; flip += 1 + (unsigned)(at % 3)) {
				((uint8_t *)document)[at] ^= (uint8_t)flip;
				decodes(document, length) ? accepted++ : refused++;
				((uint8_t *)document)[at] ^= (uint8_t)flip;
			}
	}
	cr_assert(refused > 1000 && accepted > 1000, "%u refused, %u accepted", refused, accepted);
}

/* The head, written by hand as docs/protocol.md, section 11, has it. */
static void put_head(struct wr *w, unsigned version, unsigned kind, double allocated)
{
	uint64_t bits;
	memcpy(&bits, &allocated, sizeof bits);
	wr_u8(w, (uint8_t)version);
	wr_u8(w, (uint8_t)kind);
	wr_text(w, "server");
	wr_text(w, "now");
	wr_zigzag(w, -2);
	wr_zigzag(w, -3);
	wr_varint(w, 4);
	wr_varint(w, 5);
	for (unsigned i = 0; i < 2; i++) {
		wr_u32(w, (uint32_t)bits);
		wr_u32(w, (uint32_t)(bits >> 32));
	}
	for (unsigned i = 0; i < 7; i++)
		wr_varint(w, 10 + i);
}

ProfileTest(the_head_is_what_the_document_says)
{
	struct wr w;
	wr_init(&w, 1000);
	put_head(&w, 1, GCS_PROFILE_RECENT, 6.5);
	for (unsigned i = 0; i < 4; i++)
		wr_varint(&w, 0);
	wr_text(&w, "of a later version");
	struct gcs_profile *p = gcs_profile_decode(w.data, w.length, &err);
	cr_assert_not_null(p, "%s", err.text);
	const struct gcs_profile_head *h = gcs_profile_head(p);
	cr_assert(h->kind == GCS_PROFILE_RECENT && h->wall_ns == -2 && h->since_wall_ns == -3);
	cr_assert(h->interval == 4 && h->collections == 5 && h->allocated_bytes == 6.5 &&
		  h->allocated_objects == 6.5);
	cr_assert(h->samples == 10 && h->tracked == 11 && h->died == 12 && h->dropped == 13 &&
		  h->lost == 14 && h->elsewhere == 15 && h->garbage_seen == 16);
	cr_assert_str_eq(h->server, "server");
	cr_assert_str_eq(h->as_of, "now");
	gcs_profile_free(p);
	wr_fini(&w);
}

static enum gcs_status refusal(unsigned version, unsigned kind, double allocated)
{
	struct wr w;
	wr_init(&w, 1000);
	put_head(&w, version, kind, allocated);
	for (unsigned i = 0; i < 4; i++)
		wr_varint(&w, 0);
	struct gcs_profile *p = gcs_profile_decode(w.data, w.length, &err);
	wr_fini(&w);
	if (p == NULL)
		return err.status;
	gcs_profile_free(p);
	return GCS_OK;
}

ProfileTest(heads_that_cannot_be_are_refused)
{
	cr_assert_eq(refusal(1, 0, 1e300), GCS_OK);
	cr_assert_eq(refusal(2, 0, 1), GCS_VERSION);
	cr_assert_eq(refusal(0, 0, 1), GCS_VERSION);
	cr_assert_eq(refusal(1, GCS_PROFILE_KIND_COUNT, 1), GCS_MALFORMED);
	cr_assert_eq(refusal(1, 0, -1), GCS_MALFORMED);
	cr_assert_eq(refusal(1, 0, NAN), GCS_MALFORMED);
	cr_assert_eq(refusal(1, 0, INFINITY), GCS_MALFORMED);
	cr_assert_eq(refusal(1, 0, 1.1e300), GCS_MALFORMED);
}

/* A count is limited by what the remaining bytes can hold; little is allocated. */
ProfileTest(counts_that_promise_too_much_are_refused)
{
	static const uint8_t least_name[] = {0}, least_frame[5], least_stack[2], least_entry[42];
	static const struct {
		const uint8_t *bytes;
		size_t length;
	} least[] = {{least_name, 1}, {least_frame, 5}, {least_stack, 2}, {least_entry, 42}};
	for (unsigned table = 0; table < 4; table++) {
		for (unsigned excess = 0; excess < 3; excess++) {
			struct wr w;
			wr_init(&w, 10000);
			put_head(&w, 1, 0, 1);
			for (unsigned i = 0; i < table; i++) {
				wr_varint(&w, 1);
				wr_bytes(&w, least[i].bytes, least[i].length);
			}
			/* Of three items: three, four, and the largest number. */
			wr_varint(&w, excess == 0 ? 3 : excess == 1 ? 4 : 16777216);
			for (unsigned i = 0; i < 3; i++)
				wr_bytes(&w, least[table].bytes, least[table].length);
			for (unsigned i = table; excess == 0 && i < 3; i++)
				wr_varint(&w, 0);
			size_t before = kit_peak_bytes();
			struct gcs_profile *p = gcs_profile_decode(w.data, w.length, &err);
			cr_assert_eq(p != NULL, excess == 0, "table %u: %s", table, err.text);
			if (excess != 0)
				cr_assert_eq(err.status, GCS_TRUNCATED);
			cr_assert_lt(kit_peak_bytes() - before, 100000);
			gcs_profile_free(p);
			wr_fini(&w);
		}
	}
}

ProfileTest(without_memory_it_says_so)
{
	struct gcs_profile *p = NULL;
	size_t count = 0;
	for (; p == NULL; count++) {
		kit_fail_after(count);
		p = kit_profile(GCS_PROFILE_LIVE);
	}
	cr_assert_gt(count, 5);
	enum gcs_status status = GCS_NOMEM;
	for (count = 0; status != GCS_OK; count++) {
		kit_fail_after(count);
		status = gcs_profile_encode(p, &document, &length, &err);
		cr_assert(status == GCS_OK || status == GCS_NOMEM);
	}
	cr_assert_gt(count, 1);
	struct gcs_profile *back = NULL;
	for (count = 0; back == NULL; count++) {
		kit_fail_after(count);
		back = gcs_profile_decode(document, length, &err);
		cr_assert(back != NULL || err.status == GCS_NOMEM, "%s", err.text);
	}
	cr_assert_gt(count, 5);
	kit_fail_after(SIZE_MAX);
	cr_assert_null(kit_profile_difference(p, back));
	gcs_profile_free(p);
	gcs_profile_free(back);
}
