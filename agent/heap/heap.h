/*
 * A heap driver: the only code that knows both a collector and GCspy's spaces and streams. One
 * file per kind of heap; the table below is all that the rest of the agent sees. To add a stream,
 * touch one driver.
 *
 * capture() and capture_start() run in the VM thread inside a pause: they copy raw words into
 * memory prepared for it, and nothing else. All other functions run on the agent's own threads and
 * work on such copies, so that they can be tested without a JVM.
 */
#ifndef GCSPY_AGENT_HEAP_H
#define GCSPY_AGENT_HEAP_H

#include <gcspy/server.h>

#include "heap_walk.h"
#include "vm_tlab.h"

struct heap_limits {
	uint64_t block_bytes; /* wanted by the user; 0: choose */
	uint32_t max_tiles;   /* of one space */
};

/* Bytes of the whole heap in one capture. */
struct heap_totals {
	uint64_t used;
	uint64_t committed;
};

/* What happened between the capture at a collection's start and that at its finish. */
struct heap_change {
	bool old_freed; /* old regions were emptied: a young pause that did that was a mixed one */
};

/* Parts of a heap that people ask for, whatever the collector calls them. */
#define HEAP_PARTS(X)                                                                              \
	X(OLD, "old")                                                                              \
	X(YOUNG, "young")                                                                          \
	X(EDEN, "eden")                                                                            \
	X(SURVIVOR, "survivor")                                                                    \
	X(HUMONGOUS, "humongous")

enum heap_part_index {
#define X(id, word) HEAP_INDEX_##id,
	HEAP_PARTS(X)
#undef X
	    HEAP_PART_COUNT
};

enum heap_part {
#define X(id, word) HEAP_##id = 1 << HEAP_INDEX_##id,
	HEAP_PARTS(X)
#undef X
};

/* What places() of a driver can tell: names as the map shows them, and parts, as bits. */
struct heap_words {
	const char *const *types;
	uint32_t type_count;
	unsigned parts;
};

/* What lies at an address: the tile of the map (unless a client zooms), and its type. */
struct heap_place {
	uint64_t low, high;
	const char *type; /* one of the words, or the space's name where there are none; static */
	unsigned parts;   /* bits */
	/* It is being emptied, and a reference does not tell whether its object has been copied. */
	bool moving;
};

/* One capture to be mapped to tiles. */
struct heap_event {
	const void *raw;
	const void *before; /* the capture at the same collection's start, or NULL */
	const struct vm_tlab *tlabs;
	size_t tlab_count;
	struct gcs_server *server;
	const struct gcs_ticket *ticket;          /* for gcs_server_wants_space */
	bool heavy;                               /* the volume */
	const struct heap_walk_result *heap_walk; /* of this event, or NULL */
};

/* What a region, page or space is called: its type, generation, age. */
enum { HEAP_REGION_ATTRIBUTES = 3 };

/* A region, a page, a space or the memory behind it, for zooms (heap_zoom.h). */
struct heap_extent {
	uint64_t start, end; /* of all of it */
	uint64_t top;        /* below it is used: start <= top <= end */
	bool committed;
	bool one_object; /* an object, or a part of one, fills it … */
	bool follows;    /* … which began before it … */
	bool goes_on;    /* … and goes on behind it */
	int64_t region_attributes[HEAP_REGION_ATTRIBUTES];
};

typedef void heap_visitor(void *context, const struct heap_extent *extent);

struct heap_driver {
	const char *name;

	/* True if the JVM has this kind of heap. */
	bool (*fits)(const struct vm *vm);

	/* The capability without which the driver has nothing to show. */
	enum vm_capability needs;

	/* A driver's own state, or NULL without memory. */
	void *(*open)(const struct vm *vm, const struct heap_limits *limits, struct gcs_error *err);

	/* Adds the spaces to the server, in the group; and lines of general information. */
	enum gcs_status (*describe)(
	    void *self, struct gcs_server *server, uint32_t group, struct gcs_error *err);

	size_t (*raw_bytes)(const void *self); /* memory that one capture takes at the most */
	size_t (*raw_length)(const void *self, const void *raw); /* NULL: raw_bytes */
	void (*capture)(const void *self, void *raw);

	/*
	 * For a collector in whose short pauses the heap changes so little that the finish shows
	 * all of it: what is captured at the start instead, enough for totals() and for a map()
	 * that leaves the spaces as they were. NULL: capture() also at the start.
	 */
	void (*capture_start)(const void *self, void *raw);

	/* The same as capture(), from the worker thread at any time, also while the JVM frees
	 * what is read; then capture_start() is there too. NULL: capture() may be called there. */
	void (*look)(const void *self, void *raw);

	/* True if the heap is so large that a pause is too short for capture(): look() is called
	 * behind it instead. NULL: never. */
	bool (*large)(const void *self);

	void (*totals)(const void *self, const void *raw, struct heap_totals *totals);
	void (*compare)(
	    const void *self, const void *before, const void *after, struct heap_change *change);
	bool (*map)(void *self, const struct heap_event *event, struct gcs_snapshot *snapshot);

	/* For zooms: streams, at most HEAP_REGION_ATTRIBUTES, whose values every part of a region
	 * has from it; returns how many. 0 means that there is nothing. */
	uint32_t (*region_attributes)(const void *self, struct gcs_stream *streams);

	/* Shows the visitor what overlaps [start, end) in a capture, in any order, nothing twice.
	 */
	void (*visit)(const void *self, const void *raw, uint64_t start, uint64_t end,
	    heap_visitor *visitor, void *context);

	/* False if the capture is one of capture_start(). NULL: never. */
	bool (*has_heap)(const void *self, const void *raw);
	/* Which words place() uses. */
	void (*words)(const void *self, struct heap_words *words);

	/* What lies at an address, by a capture of capture() or look(); false outside of what is in
	 * use. Any thread that owns the capture. */
	bool (*place)(
	    const void *self, const void *raw, uint64_t address, struct heap_place *place);

	void (*close)(void *self);

	/*
	 * Heavy volume: how many ranges and cells a sweep has to have room for, and which they are
	 * in a capture (heap_walk.h). NULL: this heap cannot be swept.
	 */
	enum vm_capability heap_walk_needs; /* beside VM_OBJECTS */
	struct heap_walk_size (*heap_walk_size)(const void *self);
	heap_walk_ranges_fn *heap_walk_ranges;
	/* There are no pauses to sweep in: the clock's event stops the program for it. */
	bool stops_at_clock;
	/* True if one of this event's clients looks at a space that the sweep fills. */
	bool (*heap_walk_wanted)(
	    const void *self, struct gcs_server *server, const struct gcs_ticket *ticket);
};

extern const struct heap_driver heap_generations; /* Serial and Parallel */
extern const struct heap_driver heap_g1;
extern const struct heap_driver heap_z;
extern const struct heap_driver heap_shenandoah;
extern const struct heap_driver heap_epsilon;

/* The sweep of the driver's heap; NULL, with the reason in `why`, if it cannot be swept. */
struct heap_walk *heap_open_walk(const struct vm *vm, const struct heap_driver *driver,
    const void *heap, const struct volume *volume, const char **why);

/* The driver for this JVM; NULL when there is none or the JVM lacks what it needs, with the reason
 * in `why`. */
const struct heap_driver *heap_choose(const struct vm *vm, char *why, size_t size);

#endif
