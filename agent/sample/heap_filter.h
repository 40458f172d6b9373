/*
 * A part of the heap that a client asks for (S8, docs/protocol.md section 10): by a word such as
 * "old", by a type of region as the heap map shows it, or by addresses.
 */
#ifndef GCSPY_AGENT_HEAP_FILTER_H
#define GCSPY_AGENT_HEAP_FILTER_H

#include "heap.h"

enum where_kind { WHERE_EVERYWHERE, WHERE_WORD, WHERE_TILE, WHERE_RANGE };

struct where {
	enum where_kind kind;
	const char *type;   /* of the driver's words, or NULL */
	unsigned parts;     /* bits of enum heap_part */
	uint64_t low, high; /* a tile: any address in it, in `low` */
};

/* Reads the text; ARGUMENT with what is allowed for this heap. */
enum gcs_status where_parse(
    const char *text, const struct heap_words *words, struct where *where, struct gcs_error *err);

/* Whether what lies at `address`, which is in that place, is asked for. */
bool where_holds(const struct where *where, uint64_t address, const struct heap_place *place);

#endif
