/*
 * A part of the heap that a client asks for (S8, docs/protocol.md section 10): by a name such as
 * "old", by a type of region as the heap map shows it, or by addresses.
 */
#ifndef GCSPY_AGENT_HEAP_FILTER_H
#define GCSPY_AGENT_HEAP_FILTER_H

#include "heap.h"

enum heap_filter_kind { FILTER_EVERYWHERE, FILTER_NAME, FILTER_TILE, FILTER_RANGE };

struct heap_filter {
	enum heap_filter_kind kind;
	const char *type;   /* one of the driver's names, or NULL */
	unsigned parts;     /* bits of enum heap_part */
	uint64_t low, high; /* a tile: any address in it, in `low` */
};

/* Parses the text; ARGUMENT with the values that this heap accepts. */
enum gcs_status heap_filter_parse(const char *text, const struct heap_names *names,
    struct heap_filter *filter, struct gcs_error *err);

/* True if the address, which has that location, passes the filter. */
bool heap_filter_matches(
    const struct heap_filter *filter, uint64_t address, const struct heap_location *location);

#endif
