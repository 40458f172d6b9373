/*
 * What the memory of the process is for, from its mappings and from ranges that the agent knows. Each
 * byte is of one kind. A mapping that is partly in a range is divided page by page.
 */
#ifndef GCSPY_AGENT_MEMORY_KINDS_H
#define GCSPY_AGENT_MEMORY_KINDS_H

#include "smaps.h"

/* Identifier, name, the order of the tiles. */
#define MEMORY_KINDS(X)                                                                            \
	X(JAVA_HEAP, "Java heap")                                                                  \
	X(CLASS_SPACE, "Class space")                                                              \
	X(METASPACE, "Metaspace")                                                                  \
	X(ARCHIVE, "Class data archive")                                                           \
	X(CODE, "Code cache")                                                                      \
	X(CARDS, "Card table")                                                                     \
	X(JAVA_STACKS, "Stacks of Java threads")                                                   \
	X(OTHER_STACKS, "Stacks of other threads")                                                 \
	X(MALLOC, "malloc")                                                                        \
	X(LIBRARIES, "Libraries")                                                                  \
	X(FILES, "Other files")                                                                    \
	X(OTHER, "Other anonymous")

enum memory_kind {
#define X(id, name) MEMORY_##id,
	MEMORY_KINDS(X)
#undef X
	    MEMORY_KIND_COUNT
};

const char *memory_kind_name(enum memory_kind kind);

struct memory_range {
	uint64_t low, high;
	enum memory_kind kind;
};

/* Ranges of anonymous memory. */
struct memory_ranges {
	struct memory_range *items;
	size_t count, capacity;
	bool failed; /* no memory */
};

/* Adds a range; nothing for an empty one. */
void memory_ranges_add(struct memory_ranges *r, uint64_t low, uint64_t high, enum memory_kind kind);

/* Orders them by address; of two that overlap, the higher one loses what they share. */
void memory_ranges_sort(struct memory_ranges *r);

/* The range that contains the address, or NULL. They are sorted. */
const struct memory_range *memory_ranges_find(const struct memory_ranges *r, uint64_t address);

/* Where the first range above the address begins that does not contain it, at most `high`. They are sorted. */
uint64_t memory_ranges_begin(const struct memory_ranges *r, uint64_t address, uint64_t high);

/* Pages of [low, high) that are resident, and that are swapped; false if that cannot be found out. */
typedef bool memory_pages_fn(
    void *context, uint64_t low, uint64_t high, uint64_t *resident, uint64_t *swapped);

/* Those of this process, by /proc/self/pagemap; `context` is a pointer to its descriptor. */
bool memory_pages(
    void *context, uint64_t low, uint64_t high, uint64_t *resident, uint64_t *swapped);

/* Adds up the mappings' figures by kind. `stacks` has an address in the stack of each thread, in
 * order; those in no range make their mapping a stack. */
void memory_kinds_sum(const struct smaps *smaps, const struct memory_ranges *ranges,
    const uint64_t *stacks, size_t stack_count, memory_pages_fn *pages, void *context,
    uint64_t figures[MEMORY_KIND_COUNT][SMAPS_FIGURE_COUNT]);

#endif
