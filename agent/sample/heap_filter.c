#include "heap_filter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const part_words[HEAP_PART_COUNT] = {
#define X(id, word) word,
    HEAP_PARTS(X)
#undef X
};

/* "0x7f00": as clients write addresses. Moves on behind it. */
static bool read_address(const char **text, uint64_t *address)
{
	char *end;
	if (strncmp(*text, "0x", 2) != 0 || strspn(*text + 2, "0123456789abcdefABCDEF") == 0)
		return false;
	errno = 0;
	*address = strtoull(*text + 2, &end, 16);
	*text = end;
	return errno == 0;
}

static bool read_tile(const char *text, struct where *where)
{
	where->kind = WHERE_TILE;
	return read_address(&text, &where->low) && *text == '\0';
}

static bool read_range(const char *text, struct where *where)
{
	where->kind = WHERE_RANGE;
	return read_address(&text, &where->low) && *text++ == '-' &&
	       read_address(&text, &where->high) && *text == '\0' && where->low < where->high;
}

static bool read_word(const char *text, const struct heap_words *words, struct where *where)
{
	where->kind = WHERE_WORD;
	for (uint32_t i = 0; i < words->type_count; i++)
		if (strcasecmp(text, words->types[i]) == 0)
			where->type = words->types[i];
	for (unsigned i = 0; i < HEAP_PART_COUNT; i++)
		if (strcasecmp(text, part_words[i]) == 0)
			where->parts = words->parts & 1u << i;
	return where->type != NULL || where->parts != 0;
}

/* A word of the list, unless it is there already in other letters. */
static void add_word(char *list, size_t size, const char *word)
{
	const size_t length = strlen(word), used = strlen(list);
	for (const char *at = list; *at != '\0'; at += strcspn(at, ",") + 2)
		if (strncasecmp(at, word, length) == 0 && at[length] == ',')
			return;
	snprintf(list + used, size - used, "%s, ", word);
}

static enum gcs_status refuse(
    const char *text, const struct heap_words *words, struct gcs_error *err)
{
	char list[320] = "";
	for (unsigned i = 0; i < HEAP_PART_COUNT; i++)
		if ((words->parts & 1u << i) != 0)
			add_word(list, sizeof list, part_words[i]);
	for (uint32_t i = 0; i < words->type_count; i++)
		add_word(list, sizeof list, words->types[i]);
	return gcs_fail(err, GCS_ARGUMENT,
	    "where=%.60s: with this heap %stile=0xADDRESS and range=0xSTART-0xEND are allowed",
	    text, list);
}

enum gcs_status where_parse(
    const char *text, const struct heap_words *words, struct where *where, struct gcs_error *err)
{
	*where = (struct where){0};
	bool known = strncmp(text, "tile=", 5) == 0    ? read_tile(text + 5, where)
		     : strncmp(text, "range=", 6) == 0 ? read_range(text + 6, where)
						       : read_word(text, words, where);
	return known ? GCS_OK : refuse(text, words, err);
}

bool where_holds(const struct where *where, uint64_t address, const struct heap_place *place)
{
	switch (where->kind) {
	case WHERE_WORD:
		return place->type == where->type || (place->parts & where->parts) != 0;
	case WHERE_TILE:
		return where->low >= place->low && where->low < place->high;
	case WHERE_RANGE:
		return address >= where->low && address < where->high;
	default:
		return true;
	}
}
