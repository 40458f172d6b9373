/*
 * This process's mappings with their figures, from /proc/self/smaps. The kernel walks the page tables
 * for that: some milliseconds for a JVM of a few GiB, during which memory cannot be mapped or unmapped.
 * No locks; one thread at a time for each struct.
 */
#ifndef GCSPY_AGENT_SMAPS_H
#define GCSPY_AGENT_SMAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Figures in bytes; all but the last are lines of the file. */
#define SMAPS_FIGURES(X)                                                                           \
	X(RESIDENT, "Rss:")                                                                        \
	X(PROPORTIONAL, "Pss:")                                                                    \
	X(DIRTY, "Private_Dirty:")                                                                 \
	X(SWAPPED, "Swap:")                                                                        \
	X(RESERVED, "")

enum smaps_figure {
#define X(id, line) SMAPS_##id,
	SMAPS_FIGURES(X)
#undef X
	    SMAPS_FIGURE_COUNT
};

/* What a mapping is by its name. */
enum smaps_sort {
	SMAPS_ANONYMOUS,
	SMAPS_HEAP,      /* the C library's [heap] or an arena that it has named */
	SMAPS_STACK,     /* of the main thread, or one that the C library has named */
	SMAPS_JAVA_HEAP, /* ZGC maps its heap from a file in memory */
	SMAPS_ARCHIVE,   /* of class data */
	SMAPS_LIBRARY,   /* with the program, and what the kernel maps */
	SMAPS_FILE,
};

struct smaps_mapping {
	uint64_t start, end;
	uint64_t figures[SMAPS_FIGURE_COUNT];
	enum smaps_sort sort;
	bool accessible, writable;
};

struct smaps {
	struct smaps_mapping *mappings; /* in the order of addresses */
	uint32_t count, capacity;
	char *line; /* getline's */
	size_t line_bytes;
};

/* Reads the file in the format of smaps; replaces what was there. `program` is the path of the
 * program, "" if it is not known. False without memory, or if it has no mapping. */
bool smaps_parse(struct smaps *smaps, FILE *file, const char *program);

/* Reads those of this process. */
bool smaps_read(struct smaps *smaps);

void smaps_free(struct smaps *smaps);

#endif
