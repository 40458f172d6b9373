#include "columns.h"

#include <string.h>

#include <gcspy/memory.h>
#include <gcspy/snapshot.h>

#include "buffer_pool.h"

enum { TILES_PER_WORD = 64 * GCS_CHANGED_TILES }; /* of a map */

static atomic_uint_least64_t next_column = 1;

static struct text *text_new(const char *chars)
{
	size_t length = chars == NULL ? 0 : strlen(chars);
	if (length == 0)
		return NULL;
	if (length > GCS_MAX_TEXT)
		length = GCS_MAX_TEXT;
	struct text *t = gcs_alloc(sizeof *t + length + 1);
	if (t == NULL)
		return NULL;
	atomic_init(&t->references, 1);
	memcpy(t->chars, chars, length);
	t->chars[length] = '\0';
	return t;
}

void text_unref(struct text *t)
{
	if (t != NULL && atomic_fetch_sub(&t->references, 1) == 1)
		gcs_free(t);
}

bool text_set(struct text **to, const char *chars)
{
	struct text *fresh = text_new(chars);
	if (fresh == NULL && chars != NULL && chars[0] != '\0')
		return false;
	text_unref(*to);
	*to = fresh;
	return true;
}

struct text *text_ref(struct text *t)
{
	if (t != NULL)
		atomic_fetch_add(&t->references, 1);
	return t;
}

const char *text_chars(const struct text *t)
{
	return t == NULL ? "" : t->chars;
}

size_t column_bytes(uint32_t count, uint32_t map_words)
{
	return sizeof(struct column) + count * sizeof(int64_t) + map_words * sizeof(uint64_t);
}

uint64_t *column_map(struct column *c)
{
	return (uint64_t *)(c->values + c->count);
}

void column_renew(struct column *c)
{
	c->id = atomic_fetch_add(&next_column, 1);
}

struct column *column_new(uint32_t count, uint32_t map_words)
{
	const size_t bytes = column_bytes(count, map_words);
	struct column *c = buffer_pool_take(bytes);
	if (c == NULL)
		c = gcs_alloc(bytes);
	if (c == NULL)
		return NULL;
	*c = (struct column){.count = count, .map_words = map_words};
	atomic_init(&c->references, 1);
	column_renew(c);
	memset(column_map(c), 0, map_words * sizeof(uint64_t));
	return c;
}

struct column *column_ref(struct column *c)
{
	if (c != NULL)
		atomic_fetch_add(&c->references, 1);
	return c;
}

void column_unref(struct column *c)
{
	if (c != NULL && atomic_fetch_sub(&c->references, 1) == 1)
		buffer_pool_give(c, column_bytes(c->count, c->map_words));
}

uint32_t column_map_words(uint32_t tiles)
{
	return (tiles + TILES_PER_WORD - 1) / TILES_PER_WORD;
}

const uint64_t *column_changes(const struct column *c, const struct column *before)
{
	const bool known = c != NULL && before != NULL && c->base != 0 && c->base == before->id;
	return known ? (const uint64_t *)(c->values + c->count) : NULL;
}

/* True if both have the same GCS_CHANGED_TILES values of the group. */
static bool same_group(const struct column *a, const struct column *b, uint32_t group)
{
	const size_t first = (size_t)group * GCS_CHANGED_TILES;
	const int64_t *x = a->values + first, *y = b->values + first;
	int64_t differ = 0;
	if (a->count - first < GCS_CHANGED_TILES)
		return memcmp(x, y, (a->count - first) * sizeof *x) == 0;
	for (int i = 0; i < GCS_CHANGED_TILES; i++) /* faster than a call */
		differ |= x[i] ^ y[i];
	return differ == 0;
}

/* The first group from `group` on whose bit is set, or UINT32_MAX. */
static uint32_t next_group(const uint64_t *map, uint32_t words, uint32_t group)
{
	uint32_t w = group / 64;
	uint64_t left = w < words ? map[w] >> group % 64 << group % 64 : 0;
	while (left == 0 && ++w < words)
		left = map[w];
	return left == 0 ? UINT32_MAX : w * 64 + (uint32_t)__builtin_ctzll(left);
}

void column_copy_changed(struct column *to, const struct column *from, const uint64_t *map)
{
	const uint32_t words = column_map_words(to->count);
	for (uint32_t g = next_group(map, words, 0); g != UINT32_MAX;
	     g = next_group(map, words, g + 1)) {
		const size_t first = (size_t)g * GCS_CHANGED_TILES, left = to->count - first;
		if (left < GCS_CHANGED_TILES)
			memcpy(to->values + first, from->values + first, left * sizeof *to->values);
		else
			memcpy(to->values + first, from->values + first,
			    GCS_CHANGED_TILES * sizeof *to->values);
	}
}

bool column_equal(const struct column *c, const struct column *before)
{
	if (c == before)
		return true;
	if (c == NULL || before == NULL || c->count != before->count)
		return false;
	const uint64_t *map = column_changes(c, before);
	if (map == NULL)
		return memcmp(c->values, before->values, c->count * sizeof c->values[0]) == 0;
	for (uint32_t g = next_group(map, c->map_words, 0); g != UINT32_MAX;
	     g = next_group(map, c->map_words, g + 1))
		if (!same_group(c, before, g))
			return false;
	return true;
}

struct names *names_new(uint32_t count)
{
	struct names *n = gcs_zalloc(sizeof *n + count * sizeof n->texts[0]);
	if (n == NULL)
		return NULL;
	atomic_init(&n->references, 1);
	n->count = count;
	return n;
}

struct names *names_copy(const struct names *n)
{
	struct names *copy = names_new(n->count);
	for (uint32_t i = 0; copy != NULL && i < n->count; i++)
		copy->texts[i] = text_ref(n->texts[i]);
	return copy;
}

struct names *names_ref(struct names *n)
{
	if (n != NULL)
		atomic_fetch_add(&n->references, 1);
	return n;
}

void names_unref(struct names *n)
{
	if (n == NULL || atomic_fetch_sub(&n->references, 1) != 1)
		return;
	for (uint32_t i = 0; i < n->count; i++)
		text_unref(n->texts[i]);
	gcs_free(n);
}
