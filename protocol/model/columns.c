#include "columns.h"

#include <string.h>

#include <gcspy/memory.h>
#include <gcspy/model.h>

#include "buffer_pool.h"

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

bool column_equal(const struct column *a, const struct column *b)
{
	if (a == b)
		return true;
	if (a == NULL || b == NULL || a->count != b->count)
		return false;
	return memcmp(a->values, b->values, a->count * sizeof a->values[0]) == 0;
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
