/* QUERY, ZOOM, SET and ANSWER as bytes and back; whatever bytes come, an error at most (Q2). */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "kit.h"

static struct wr w;
static struct arena arena;
static char long_text[GCS_MAX_TEXT + 2];

static void setup(void)
{
	kit_count_memory(0);
	wr_init(&w, 2 << 20);
	memset(long_text, 'x', sizeof long_text - 1);
}

static void teardown(void)
{
	kit_fail_after(SIZE_MAX);
	wr_fini(&w);
	arena_fini(&arena);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define QueryTest(name) Test(codec_query, name, .init = setup, .fini = teardown)

static struct rd payload(enum gcs_wire_kind kind)
{
	struct frame f;
	cr_assert_eq(w.status, GCS_OK);
	cr_assert_eq(frame_next(w.data, w.length, GCS_WIRE_MAX_TO_CLIENT, NULL, &f), GCS_OK);
	cr_assert(f.kind == kind && f.bytes == w.length);
	return f.payload;
}

/* The whole of a decoder, with what it must hold of anything that it accepts. */
static bool decode(unsigned kind, struct rd *r)
{
	struct query_message query;
	struct set_message set;
	struct zoom_message zoom;
	struct answer_message answer;
	switch (kind) {
	case GCS_WIRE_ZOOM:
		if (!get_zoom(r, &zoom))
			return false;
		cr_assert_lt(zoom.space, GCS_MAX_SPACES);
		return true;
	case GCS_WIRE_QUERY:
		if (!get_query(r, &arena, &query))
			return false;
		cr_assert(query.topic[0] != '\0' && strlen(query.topic) <= GCS_MAX_NAME);
		cr_assert_leq(query.count, GCS_MAX_PARAMETERS);
		for (uint32_t i = 0; i < query.count; i++)
			cr_assert(strlen(query.parameters[i].key) <= GCS_MAX_NAME &&
				  strlen(query.parameters[i].value) <= GCS_MAX_TEXT);
		return true;
	case GCS_WIRE_SET:
		if (!get_set(r, &arena, &set))
			return false;
		cr_assert(set.key[0] != '\0' && strlen(set.key) <= GCS_MAX_NAME);
		cr_assert_leq(strlen(set.value), GCS_MAX_TEXT);
		return true;
	default:
		if (!get_answer(r, &arena, &answer))
			return false;
		cr_assert(answer.length <= CODEC_ANSWER_PER_FRAME &&
			  answer.length <= answer.total && answer.total <= GCS_MAX_ANSWER &&
			  strlen(answer.message) <= GCS_MAX_TEXT);
		for (size_t i = 0; i < answer.length; i++)
			(void)*(volatile const uint8_t *)&answer.bytes[i];
		return true;
	}
}

/* Every prefix is refused; every changed byte is refused or understood, in an exact buffer. */
static void torment(enum gcs_wire_kind kind)
{
	struct rd r = payload(kind);
	size_t length = rd_left(&r);
	uint8_t *copy = malloc(length);
	cr_assert_not_null(copy);
	for (size_t cut = 0; cut < length; cut++) {
		memcpy(copy, r.at, cut);
		struct rd part = rd_over(copy, cut);
		cr_assert_not(decode(kind, &part), "a prefix of %zu bytes", cut);
		cr_assert_neq(part.status, GCS_OK);
	}
	for (size_t at = 0; at < length; at++)
		for (unsigned value = 0; value < 256; value++) {
			memcpy(copy, r.at, length);
			copy[at] = (uint8_t)value;
			struct rd changed = rd_over(copy, length);
			bool good = decode(kind, &changed);
			cr_assert_eq(good, changed.status == GCS_OK);
			arena_fini(&arena);
		}
	free(copy);
	/* Bytes of a later minor version after the last field are no matter. */
	wr_text(&w, "later");
	wr_put_u32(&w, 0, (uint32_t)(w.length - GCS_WIRE_HEADER));
	r = payload(kind);
	cr_assert(decode(kind, &r));
}

QueryTest(a_query_comes_back)
{
	const struct gcs_info parameters[] = {{"kind", "live"}, {"", ""}, {"kind", "again"}};
	struct query_message in, out = {.id = UINT32_MAX, .topic = "sites"};
	for (out.count = 0; out.count <= 3; out.count++) {
		w.length = 0;
		out.parameters = out.count == 0 ? NULL : parameters;
		put_query(&w, &out);
		struct rd r = payload(GCS_WIRE_QUERY);
		cr_assert(get_query(&r, &arena, &in));
		cr_assert(in.id == UINT32_MAX && in.count == out.count);
		cr_assert_str_eq(in.topic, "sites");
		for (uint32_t i = 0; i < in.count; i++) {
			cr_assert_str_eq(in.parameters[i].key, parameters[i].key);
			cr_assert_str_eq(in.parameters[i].value, parameters[i].value);
		}
	}
	torment(GCS_WIRE_QUERY);
}

static enum gcs_status query_status(const char *topic, uint32_t count, const struct gcs_info *p)
{
	struct query_message in;
	w.length = 0;
	put_query(
	    &w, &(struct query_message){.id = 1, .topic = topic, .count = count, .parameters = p});
	struct rd r = payload(GCS_WIRE_QUERY);
	cr_assert_eq(get_query(&r, &arena, &in), r.status == GCS_OK);
	return r.status;
}

QueryTest(a_query_has_limits)
{
	struct gcs_info p[GCS_MAX_PARAMETERS + 1];
	const char *name = long_text + sizeof long_text - 1 - GCS_MAX_NAME;
	const char *text = long_text + sizeof long_text - 1 - GCS_MAX_TEXT;
	for (uint32_t i = 0; i <= GCS_MAX_PARAMETERS; i++)
		p[i] = (struct gcs_info){.key = "k", .value = "v"};
	cr_assert_eq(query_status(name, 0, NULL), GCS_OK);
	cr_assert_eq(query_status(name - 1, 0, NULL), GCS_LIMIT);
	cr_assert_eq(query_status("", 0, NULL), GCS_MALFORMED);
	cr_assert_eq(query_status("t", GCS_MAX_PARAMETERS, p), GCS_OK);
	cr_assert_eq(query_status("t", GCS_MAX_PARAMETERS + 1, p), GCS_LIMIT);
	p[0] = (struct gcs_info){.key = name, .value = text};
	cr_assert_eq(query_status("t", 1, p), GCS_OK);
	p[0] = (struct gcs_info){.key = name - 1, .value = ""};
	cr_assert_eq(query_status("t", 1, p), GCS_LIMIT);
	p[0] = (struct gcs_info){.key = "k", .value = text - 1};
	cr_assert_eq(query_status("t", 1, p), GCS_LIMIT);
	cr_assert_eq(query_status("topic", 0, NULL), GCS_OK);
	*(char *)memchr(w.data, 'p', w.length) = '\0';
	struct rd r = payload(GCS_WIRE_QUERY);
	cr_assert_not(decode(GCS_WIRE_QUERY, &r));
	cr_assert_eq(r.status, GCS_MALFORMED, "a NUL in a text");
	w.length = 0;
	size_t at = frame_begin(&w, GCS_WIRE_QUERY);
	wr_varint(&w, UINT64_C(1) << 32);
	wr_text(&w, "t");
	wr_varint(&w, 0);
	frame_end(&w, at, NULL);
	r = payload(GCS_WIRE_QUERY);
	cr_assert_not(decode(GCS_WIRE_QUERY, &r));
	cr_assert_eq(r.status, GCS_LIMIT, "an id of more than 32 bits");
}

/* F16 */
QueryTest(a_zoom_comes_back)
{
	struct zoom_message in, out = {.id = UINT32_MAX,
				    .space = GCS_MAX_SPACES - 1,
				    .start = 0x7f0000000000,
				    .end = UINT64_MAX,
				    .block = 4096};
	put_zoom(&w, &out);
	struct rd r = payload(GCS_WIRE_ZOOM);
	cr_assert(get_zoom(&r, &in));
	cr_assert(in.id == out.id && in.space == out.space && in.start == out.start &&
		  in.end == out.end && in.block == out.block);
	torment(GCS_WIRE_ZOOM);
	w.length = 0;
	out.space++;
	put_zoom(&w, &out);
	r = payload(GCS_WIRE_ZOOM);
	cr_assert_not(get_zoom(&r, &in));
	cr_assert_eq(r.status, GCS_LIMIT);
}

QueryTest(a_setting_comes_back)
{
	struct set_message in, out = {.id = 7, .key = "interval", .value = "64k"};
	put_set(&w, &out);
	struct rd r = payload(GCS_WIRE_SET);
	cr_assert(get_set(&r, &arena, &in));
	cr_assert_eq(in.id, 7);
	cr_assert_str_eq(in.key, "interval");
	cr_assert_str_eq(in.value, "64k");
	torment(GCS_WIRE_SET);
	w.length = 0;
	put_set(&w, &(struct set_message){.id = 7, .key = "", .value = "1"});
	r = payload(GCS_WIRE_SET);
	cr_assert_not(get_set(&r, &arena, &in));
	cr_assert_eq(r.status, GCS_MALFORMED);
	w.length = 0;
	put_set(&w, &(struct set_message){.id = 7, .key = "k", .value = long_text});
	r = payload(GCS_WIRE_SET);
	cr_assert_not(get_set(&r, &arena, &in));
	cr_assert_eq(r.status, GCS_LIMIT);
}

static struct answer_message back(const struct answer_message *out)
{
	struct answer_message in;
	w.length = 0;
	put_answer(&w, out, NULL);
	struct rd r = payload(GCS_WIRE_ANSWER);
	cr_assert(get_answer(&r, &arena, &in), "%s", gcs_status_name(r.status));
	cr_assert(in.id == out->id && in.last == out->last && in.total == out->total &&
		  in.length == out->length);
	cr_assert_str_eq(in.message, out->message);
	cr_assert(in.length == 0 || memcmp(in.bytes, out->bytes, in.length) == 0);
	return in;
}

QueryTest(an_answer_comes_back)
{
	static const enum gcs_status told[] = {
	    GCS_OK, GCS_UNSUPPORTED, GCS_ARGUMENT, GCS_STATE, GCS_NOMEM, GCS_LIMIT};
	static uint8_t body[CODEC_ANSWER_PER_FRAME];
	struct answer_message out = {.id = 3, .message = "words", .total = 9, .length = 5};
	out.bytes = (const uint8_t *)"a\0b\xff";
	for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
		out.status = told[i];
		cr_assert_eq(back(&out).status, told[i]);
		cr_assert_eq(w.data[GCS_WIRE_HEADER + 1], i, "its number on the wire");
	}
	out.status = GCS_CLOSED;
	cr_assert_eq(back(&out).status, GCS_UNSUPPORTED, "what a server must not say");
	out.status = GCS_OK;
	torment(GCS_WIRE_ANSWER);
	for (size_t i = 0; i < sizeof body; i++)
		body[i] = (uint8_t)(i * 7 >> 3);
	out = (struct answer_message){.id = UINT32_MAX,
	    .last = true,
	    .total = GCS_MAX_ANSWER,
	    .message = long_text + 1,
	    .length = sizeof body,
	    .bytes = body};
	(void)back(&out);
	out = (struct answer_message){.last = true, .message = ""};
	(void)back(&out);
}

QueryTest(an_answer_has_limits)
{
	static const uint8_t body[CODEC_ANSWER_PER_FRAME + 1];
	static const struct {
		struct answer_message answer;
		enum gcs_status status;
	} bad[] = {
	    {{.message = "", .total = GCS_MAX_ANSWER, .length = sizeof body, .bytes = body},
		GCS_LIMIT},
	    {{.message = "", .total = 4, .length = 5, .bytes = body}, GCS_MALFORMED},
	    {{.message = "", .total = GCS_MAX_ANSWER + 1}, GCS_LIMIT},
	    {{.message = long_text}, GCS_LIMIT},
	};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct answer_message in;
		w.length = 0;
		put_answer(&w, &bad[i].answer, NULL);
		struct rd r = payload(GCS_WIRE_ANSWER);
		cr_assert_not(get_answer(&r, &arena, &in), "case %zu", i);
		cr_assert_eq(r.status, bad[i].status, "case %zu", i);
	}
	/* A later status is read as UNSUPPORTED. */
	for (unsigned number = 6; number < 256; number++) {
		struct answer_message in, out = {.message = ""};
		w.length = 0;
		put_answer(&w, &out, NULL);
		w.data[GCS_WIRE_HEADER + 1] = (uint8_t)number;
		struct rd r = payload(GCS_WIRE_ANSWER);
		cr_assert(get_answer(&r, &arena, &in));
		cr_assert_eq(in.status, GCS_UNSUPPORTED);
	}
	/* The length alone promises more than there is. */
	struct answer_message in, out = {.message = "", .total = 100};
	w.length = 0;
	put_answer(&w, &out, NULL);
	wr_put_u32(&w, w.length - 4, 100);
	struct rd r = payload(GCS_WIRE_ANSWER);
	cr_assert_not(get_answer(&r, &arena, &in));
	cr_assert_eq(r.status, GCS_TRUNCATED);
}

/* Deflated as part of a frame it comes back as well. */
QueryTest(an_answer_may_be_deflated)
{
	static const uint8_t zeros[10000];
	struct deflater *deflater = deflater_create();
	struct inflater *inflater = inflater_create();
	struct answer_message in, out = {.message = "", .total = sizeof zeros};
	struct frame f;
	out.length = sizeof zeros;
	out.bytes = zeros;
	put_answer(&w, &out, deflater);
	cr_assert_lt(w.length, 1000);
	cr_assert_eq(frame_next(w.data, w.length, GCS_WIRE_MAX_TO_CLIENT, inflater, &f), GCS_OK);
	cr_assert(get_answer(&f.payload, &arena, &in));
	cr_assert(in.length == sizeof zeros && memcmp(in.bytes, zeros, sizeof zeros) == 0);
	deflater_destroy(deflater);
	inflater_destroy(inflater);
}

QueryTest(without_memory_it_says_so)
{
	struct gcs_info p[GCS_MAX_PARAMETERS];
	struct query_message in, out = {.id = 1, .topic = "t", .count = GCS_MAX_PARAMETERS};
	for (uint32_t i = 0; i < GCS_MAX_PARAMETERS; i++)
		p[i] = (struct gcs_info){.key = "key", .value = long_text + 3000};
	out.parameters = p;
	put_query(&w, &out);
	for (size_t count = 0;; count++) {
		struct rd r = payload(GCS_WIRE_QUERY);
		kit_fail_after(count);
		bool good = get_query(&r, &arena, &in);
		kit_fail_after(SIZE_MAX);
		arena_fini(&arena);
		if (good) {
			cr_assert_gt(count, 3);
			break;
		}
		cr_assert_eq(r.status, GCS_NOMEM);
	}
}
