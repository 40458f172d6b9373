#include "heap_filter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const part_names[HEAP_PART_COUNT] = {
#define X(id, name) name,
    HEAP_PARTS(X)
#undef X
};

/* Reads "0x7f00" and moves after it. */
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

static bool read_tile(const char *text, struct heap_filter *filter)
{
	filter->kind = FILTER_TILE;
	return read_address(&text, &filter->low) && *text == '\0';
}

static bool read_range(const char *text, struct heap_filter *filter)
{
	filter->kind = FILTER_RANGE;
	return read_address(&text, &filter->low) && *text++ == '-' &&
	       read_address(&text, &filter->high) && *text == '\0';
}

static bool read_name(const char *text, const struct heap_names *names, struct heap_filter *filter)
{
	filter->kind = FILTER_NAME;
	for (uint32_t i = 0; i < names->type_count; i++)
		if (strcasecmp(text, names->types[i]) == 0)
			filter->type = names->types[i];
	for (unsigned i = 0; i < HEAP_PART_COUNT; i++)
		if (strcasecmp(text, part_names[i]) == 0)
			filter->parts = names->parts & 1u << i;
	return filter->type != NULL || filter->parts != 0;
}

/* Adds a name to the list, unless it is there already, ignoring case. */
static void add_name(char *list, size_t size, const char *name)
{
	const size_t length = strlen(name), used = strlen(list);
	for (const char *at = list; *at != '\0'; at += strcspn(at, ",") + 2)
		if (strncasecmp(at, name, length) == 0 && at[length] == ',')
			return;
	snprintf(list + used, size - used, "%s, ", name);
}

static enum gcs_status reject(
    const char *text, const struct heap_names *names, struct gcs_error *err)
{
	char list[320] = "";
	for (unsigned i = 0; i < HEAP_PART_COUNT; i++)
		if ((names->parts & 1u << i) != 0)
			add_name(list, sizeof list, part_names[i]);
	for (uint32_t i = 0; i < names->type_count; i++)
		add_name(list, sizeof list, names->types[i]);
	return gcs_fail(err, GCS_ARGUMENT,
	    "where=%.60s: expected one of %stile=0xADDRESS and range=0xSTART-0xEND", text, list);
}

enum gcs_status heap_filter_parse(const char *text, const struct heap_names *names,
    struct heap_filter *filter, struct gcs_error *err)
{
	*filter = (struct heap_filter){0};
	bool known = strncmp(text, "tile=", 5) == 0    ? read_tile(text + 5, filter)
		     : strncmp(text, "range=", 6) == 0 ? read_range(text + 6, filter)
						       : read_name(text, names, filter);
	if (known && filter->kind == FILTER_RANGE && filter->low >= filter->high)
		return gcs_fail(err, GCS_ARGUMENT,
		    "where=%.60s: the second address is not above the first: range=0xSTART-0xEND",
		    text);
	return known ? GCS_OK : reject(text, names, err);
}

bool heap_filter_matches(
    const struct heap_filter *filter, uint64_t address, const struct heap_location *location)
{
	switch (filter->kind) {
	case FILTER_NAME:
		return (filter->type != NULL && strcmp(location->type, filter->type) == 0) ||
		       (location->parts & filter->parts) != 0;
	case FILTER_TILE:
		return filter->low >= location->low && filter->low < location->high;
	case FILTER_RANGE:
		return address >= filter->low && address < filter->high;
	default:
		return true;
	}
}
