/*
 * The inside of dlmalloc, for drivers: what libgcspydlmalloc.so offers besides malloc and its kin.
 *
 * The library exports one symbol, a pointer to a table of functions:
 *
 *	const struct dlmalloc_inside *const *symbol = dlsym(RTLD_DEFAULT, DLMALLOC_INSIDE_SYMBOL);
 *	if (symbol != NULL && (*symbol)->version == DLMALLOC_INSIDE_VERSION)
 *		…
 *
 * Unless a function says otherwise, it may be called by any thread at any time, takes the allocator's
 * lock for what it reads, and allocates nothing. The lock is held for as long as the walk takes, so that
 * the program's allocations wait: bounds are given with each function. Visitors run under the lock; they
 * must not allocate from the program's heap, nor wait for a thread that does.
 *
 * The main heap is meant, not mspaces, unless a name says so. Chunks that are directly mapped are in no
 * segment and in no bin, and unknown here.
 */
#ifndef DLMALLOC_INSIDE_H
#define DLMALLOC_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DLMALLOC_INSIDE_SYMBOL  "gcspy_dlmalloc_inside"
#define DLMALLOC_INSIDE_VERSION 2u

enum {
	DLMALLOC_SMALL_BINS = 32, /* the bins 0 .. 31: lists of chunks of one size */
	DLMALLOC_TREE_BINS = 32,  /* the bins 32 .. 63: tries of chunks by size */
	DLMALLOC_BINS = DLMALLOC_SMALL_BINS + DLMALLOC_TREE_BINS,
	DLMALLOC_BIN_ROOM = 4096,       /* chunks of a bin that a driver asks for */
	DLMALLOC_SAME_LIMIT = 4096,     /* chunks of one size that are counted in a tree */
	DLMALLOC_TOUCHED_BYTES = 65536, /* of memory, per mark of take_touched */
	DLMALLOC_MSPACES = 256          /* mspaces at a time */
};

/* A free chunk in a bin. Sizes are those of chunks, with the allocator's header of 8 bytes. */
struct dlmalloc_chunk {
	uint64_t address; /* of the chunk, 16 bytes before what malloc returns */
	uint64_t size;
	uint32_t
	    same; /* of a tree's node: further chunks of this size, up to DLMALLOC_SAME_LIMIT */
	uint32_t depth; /* of a tree's node: 0 for the root */
};

/* A whole bin, also where a walk was cut short. */
struct dlmalloc_bin {
	uint64_t chunks; /* in the bin, as counted when they were put in and taken out */
	uint64_t bytes;  /* in them, likewise */
	uint64_t
	    more; /* small bin: chunks, tree: 1 if there are nodes, after those that were written */
};

/* A part of the address space that the allocator has from the system. */
struct dlmalloc_segment {
	uint64_t start, end;
};

enum dlmalloc_use {
	DLMALLOC_USED,
	DLMALLOC_FREE,   /* in a bin */
	DLMALLOC_PARKED, /* freed by the program, and kept as it is (deferred coalescing) */
	DLMALLOC_DV,     /* the designated victim */
	DLMALLOC_TOP     /* the chunk at the end of the heap, from which the rest is cut */
};

/* A chunk of a segment, in address order; false ends the walk. */
typedef bool dlmalloc_visit(void *context, uint64_t address, uint64_t size, enum dlmalloc_use use);

struct dlmalloc_state {
	uint64_t dv, dv_size;   /* 0: none */
	uint64_t top, top_size; /* likewise */
	uint64_t footprint;     /* bytes from the system, with directly mapped chunks */
	uint64_t max_footprint;
	uint64_t parked_chunks, parked_bytes;
};

/* An mspace of mspace_create. */
struct dlmalloc_mspace {
	uint64_t start, end; /* its first segment */
	uint64_t footprint, max_footprint;
	uint64_t free_bytes; /* in its bins, dv and top */
	uint64_t number;     /* counts the mspaces from 1 */
};

/* Parked chunks of one size. */
struct dlmalloc_parked {
	uint64_t size, chunks;
};

/* What check finds. All mismatches are 0 in a sound heap. */
struct dlmalloc_check {
	uint64_t used, used_bytes, parked; /* chunks by the segment walk */
	uint64_t free, free_bytes;         /* likewise, without top */
	uint64_t small, nodes, same, dv; /* chunks in small bins, in trees, behind nodes; 0 or 1 */
	uint64_t free_mismatch;          /* free - (small + nodes + same + dv), as a distance */
	uint64_t length_mismatch;        /* bins whose count differs from their walk */
	uint64_t stale; /* empty bins whose pointers are not those of an empty bin */
};

struct dlmalloc_inside {
	uint32_t version; /* DLMALLOC_INSIDE_VERSION: of all that follows */
	uint32_t bytes;   /* sizeof(struct dlmalloc_inside) */

	/* The sizes of the chunks that a bin can have, `most` included; false for a bin that can have none. */
	bool (*bin_sizes)(uint32_t bin, uint64_t *least, uint64_t *most);

	/* A bit for each bin that has changed since the last call. One caller. No lock. */
	uint64_t (*take_dirty)(void);

	/*
	 * Writes the first `room` chunks of a bin: of a small bin in the order of its list, in which
	 * allocations take the first one; of a tree its nodes, each before its smaller and then its larger
	 * children. Returns how many. Reads no more than it writes, and the chunks behind nodes up to their limit.
	 */
	uint32_t (*walk_bin)(uint32_t bin, struct dlmalloc_chunk *chunks, uint32_t room,
	    struct dlmalloc_bin *bin_state);

	/* Writes the first `room` segments in the order of their addresses. Returns how many. */
	uint32_t (*segments)(struct dlmalloc_segment *segments, uint32_t room);

	/*
	 * Visits the chunks that overlap low .. high - 1. The walk begins at a used chunk in the block of
	 * DLMALLOC_TOUCHED_BYTES that has `low`, or in one before it: its time is that of the range, not of the heap.
	 */
	void (*walk)(uint64_t low, uint64_t high, dlmalloc_visit *visit, void *context);

	/*
	 * True if since the last call for it bytes have become used, free or parked, or borders of chunks have
	 * moved, in the block of DLMALLOC_TOUCHED_BYTES with this address. That a free chunk becomes or ceases
	 * to be dv, and a new end of top, are not told. Ask before walking. One caller. No lock.
	 */
	bool (*take_touched)(uint64_t address);

	void (*state)(struct dlmalloc_state *state);

	/* The size of the largest free chunk, in the bins or dv: the largest gap. Parked chunks and top do not count. */
	uint64_t (*largest_gap)(void);

	/* Writes the mspaces, oldest first; returns how many. */
	uint32_t (*mspaces)(struct dlmalloc_mspace *mspaces, uint32_t room);

	/* Writes the sizes of which there are parked chunks, smallest first; returns how many. */
	uint32_t (*parked)(struct dlmalloc_parked *sizes, uint32_t room);

	/* Walks everything under one lock, without bound: for tests. */
	void (*check)(struct dlmalloc_check *result);

	/*
	 * Deferred coalescing: chunks that the program frees are parked by size and used again for requests
	 * of exactly this size. All are given back once they are more than `percent` of the footprint;
	 * 0: coalesce at once, and give all back now.
	 */
	void (*defer)(uint32_t percent);

	/* Mspaces of the program (2.8.3's create_mspace …), which `mspaces` lists. NULL without memory. */
	void *(*mspace_create)(size_t capacity);
	size_t (*mspace_destroy)(void *mspace);
	void *(*mspace_allocate)(void *mspace, size_t bytes);
	void (*mspace_release)(void *mspace, void *block);
};

#endif
