/* HotSpot's file of counters (H1, Q2). */
#include <criterion/criterion.h>
#include <string.h>

#include "bytes.h"
#include "perfdata.h"

static char text[64];

/* The prologue as HotSpot writes it, for `count` entries. */
static void put_prologue(struct wr *w, uint32_t count)
{
	wr_init(w, 1 << 16);
	wr_u32(w, 0xc0c0feca);
	wr_u8(w, 1); /* little-endian */
	wr_u8(w, 2);
	wr_u8(w, 0);
	wr_u8(w, 1);
	wr_u32(w, 0); /* used, overflow, time */
	wr_u32(w, 0);
	wr_u32(w, 0);
	wr_u32(w, 0);
	wr_u32(w, 32);
	wr_u32(w, count);
}

/* One entry of `vector` bytes, or a number; the name is padded to 8 bytes, as HotSpot does. */
static void put_entry(struct wr *w, const char *name, char type, const char *value, uint32_t vector)
{
	uint32_t data = (uint32_t)(20 + strlen(name) + 1 + 7) & ~7u;
	wr_u32(w, data + vector);
	wr_u32(w, 20);
	wr_u32(w, type == 'J' ? 0 : vector);
	wr_u8(w, (uint8_t)type);
	wr_u8(w, 0);
	wr_u8(w, 5);
	wr_u8(w, 1);
	wr_u32(w, data);
	wr_bytes(w, name, strlen(name) + 1);
	for (uint32_t at = (uint32_t)(20 + strlen(name) + 1); at < data; at++)
		wr_u8(w, 0);
	char bytes[64] = {0};
	memcpy(bytes, value, strlen(value) < vector ? strlen(value) : vector);
	wr_bytes(w, bytes, vector);
}

static void put_file(struct wr *w)
{
	put_prologue(w, 4);
	put_entry(w, "sun.rt.safepoints", 'J', "12345678", 8);
	put_entry(w, "java.property.java.version", 'B', "17.0.15", 8);
	put_entry(w, "sun.rt.javaCommand", 'B', "com.example.Main secret", 40);
	put_entry(w, "java.rt.vmArgs", 'B', "", 1);
}

static bool find(const struct wr *w, const char *name)
{
	memset(text, 'x', sizeof text);
	return perfdata_text(w->data, w->length, name, text, sizeof text);
}

Test(perfdata, texts_by_name)
{
	struct wr w;
	put_file(&w);
	cr_assert(find(&w, "java.property.java.version"));
	cr_assert_str_eq(text, "17.0.15");
	cr_assert(find(&w, "sun.rt.javaCommand"));
	cr_assert_str_eq(text, "com.example.Main secret");
	cr_assert(find(&w, "java.rt.vmArgs"));
	cr_assert_str_eq(text, "");
	cr_assert_not(find(&w, "sun.rt.safepoints"), "a number is no text");
	cr_assert_not(find(&w, "sun.rt.javaComman"));
	cr_assert_not(find(&w, "sun.rt.javaCommandX"));
	cr_assert_not(find(&w, ""));
	cr_assert_str_eq(text, "");
	cr_assert(perfdata_text(w.data, w.length, "sun.rt.javaCommand", text, 5));
	cr_assert_str_eq(text, "com.", "cut to its place");
	wr_fini(&w);
}

Test(perfdata, numbers_by_name)
{
	struct wr w;
	int64_t n = 0;
	put_file(&w);
	cr_assert(perfdata_number(w.data, w.length, "sun.rt.safepoints", &n));
	cr_assert_eq(n, 0x3837363534333231);
	cr_assert_not(perfdata_number(w.data, w.length, "java.rt.vmArgs", &n), "a text");
	cr_assert_not(perfdata_number(w.data, w.length, "sun.rt.safepoint", &n));
	for (size_t length = 0; length < w.length; length++)
		(void)perfdata_number(w.data, length, "sun.rt.safepoints", &n);
	cr_assert_not(perfdata_number(w.data, 60, "sun.rt.safepoints", &n), "cut off");
	wr_fini(&w);
}

Test(perfdata, of_a_jvm_that_has_started)
{
	struct wr w;
	put_file(&w);
	cr_assert(perfdata_is_live(w.data, w.length));
	w.data[7] = 0;
	cr_assert_not(perfdata_is_live(w.data, w.length));
	cr_assert(find(&w, "sun.rt.javaCommand"), "what is there can be read before");
	w.data[7] = 1;
	w.data[0] = 0;
	cr_assert_not(perfdata_is_live(w.data, w.length));
	cr_assert_not(perfdata_is_live(w.data, 20));
	wr_fini(&w);
}

Test(perfdata, other_files)
{
	struct wr w;
	put_file(&w);
	for (size_t i = 0; i < 6; i++) {
		w.data[i] ^= 0x80;
		/* The minor version does not count. */
		cr_assert_eq(find(&w, "sun.rt.javaCommand"), false, "byte %zu", i);
		w.data[i] ^= 0x80;
	}
	w.data[4] = 0;
	cr_assert_not(find(&w, "sun.rt.javaCommand"), "big-endian");
	wr_fini(&w);
	cr_assert_not(perfdata_text((const uint8_t *)"", 0, "x", text, sizeof text));
}

/* Every cut, and every byte set to extremes: bounds are those of a buffer of exactly that size,
 * which the address sanitizer watches. */
Test(perfdata, broken_files)
{
	struct wr w;
	put_file(&w);
	size_t whole = 0;
	for (size_t length = 0; length <= w.length; length++) {
		struct wr part;
		wr_init(&part, 1 << 16);
		wr_bytes(&part, w.data, length);
		whole += find(&part, "sun.rt.javaCommand");
		wr_fini(&part);
	}
	cr_assert_eq(whole, 41 + 1, "with the whole entry, and any part of the one after it");
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
	for (size_t i = 0; i < w.length; i++)
		for (size_t k = 0; k < sizeof values; k++) {
			uint8_t before = w.data[i];
			w.data[i] = values[k];
			find(&w, "sun.rt.javaCommand");
			cr_assert_lt(strlen(text), sizeof text);
			w.data[i] = before;
		}
	wr_fini(&w);
}

Test(perfdata, endless_entries)
{
	struct wr w;
	put_prologue(&w, UINT32_MAX);
	put_entry(&w, "a", 'B', "1", 2);
	wr_put_u32(&w, 32, 0); /* an entry of no bytes does not move on */
	cr_assert_not(find(&w, "b"));
	wr_put_u32(&w, 32, UINT32_MAX);
	cr_assert_not(find(&w, "b"));
	wr_fini(&w);
}
