/*
 * A heap driver: the only code that knows both a collector and GCspy's spaces and streams. One file
 * per kind of heap; the rest of the agent sees the table of functions below. To add a stream, touch
 * one driver.
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
	uint64_t block_bytes; /* from the options; 0: choose */
	uint32_t max_tiles;   /* of one space */
};

/* Bytes of the whole heap in one capture. */
struct heap_totals {
	uint64_t used;
	uint64_t committed;
	uint64_t old;       /* used by the old generation, without humongous objects */
	uint64_t humongous; /* regions */
	bool has_old, has_humongous;
};

/* Parts of a heap that people ask for, whatever the collector calls them. */
#define HEAP_PARTS(X)                                                                              \
	X(OLD, "old")                                                                              \
	X(YOUNG, "young")                                                                          \
	X(EDEN, "eden")                                                                            \
	X(SURVIVOR, "survivor")                                                                    \
	X(HUMONGOUS, "humongous")

enum heap_part_index {
#define X(id, name) HEAP_INDEX_##id,
	HEAP_PARTS(X)
#undef X
	    HEAP_PART_COUNT
};

enum heap_part {
#define X(id, name) HEAP_##id = 1 << HEAP_INDEX_##id,
	HEAP_PARTS(X)
#undef X
};

/* What locate() of a driver can return: types as the map shows them, and parts, as bits. */
struct heap_names {
	const char *const *types;
	uint32_t type_count;
	unsigned parts;
};

/* An address in the heap: its tile of the map (unless a client zooms), and its type. */
struct heap_location {
	uint64_t low, high;
	const char *type; /* one of heap_names, or the space's name if there are none; static */
	/* What profiles call the region: the type, with the part if that does not tell it ("Small,
	 * old"); NULL: the type; static. */
	const char *region;
	unsigned parts; /* bits */
	/* It is being evacuated, and a reference does not tell whether its object has been copied. */
	bool moving;
	bool marked; /* an old page of ZGC, older than a marking of its generation */
};

/* Where objects are allocated: a type of region as in heap_names, and its parts. */
struct heap_birthplace {
	const char *type;
	const char *region; /* as in heap_location */
	unsigned parts;
	bool old; /* outside the young generation, so that young collections do not judge it */
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

/* Such as type, generation, age. */
enum { HEAP_REGION_ATTRIBUTES = 3 };

/* A region, a page, a space or the memory after it, for zooms (heap_zoom.h). */
struct heap_extent {
	uint64_t start, end; /* of all of it */
	uint64_t top;        /* below it is used: start <= top <= end */
	bool committed;
	bool one_object; /* an object, or a part of one, fills it … */
	bool follows;    /* … which begins before it … */
	bool goes_on;    /* … and goes on after it */
	int64_t region_attributes[HEAP_REGION_ATTRIBUTES];
};

typedef void heap_visitor(void *context, const struct heap_extent *extent);

/* The beginning of every driver's state. */
enum { HEAP_SPACES = 4 };
struct heap_base {
	const struct vm *vm;
	uint32_t space_count, spaces[HEAP_SPACES]; /* ids in the server */
};

struct heap_driver {
	unsigned collectors; /* 1 << enum vm_collector for each that has this kind of heap */

	/* The capability without which the driver has nothing to show. */
	enum vm_capability needs;

	/* A driver's own state, which begins with a heap_base and is freed with gcs_free; or NULL
	 * without memory. */
	void *(*open)(const struct vm *vm, const struct heap_limits *limits, struct gcs_error *err);

	/* Adds the spaces to the server, in the group; and lines of general information. */
	enum gcs_status (*describe)(
	    void *self, struct gcs_server *server, uint32_t group, struct gcs_error *err);

	size_t (*raw_bytes)(const void *self); /* maximum size of a capture */
	size_t (*raw_length)(const void *raw); /* of this capture; NULL: raw_bytes */
	void (*capture)(const void *self, void *raw);

	/*
	 * For a collector in whose short pauses the heap changes so little that the finish shows
	 * all of it: the capture at the start, enough for totals() and for a map() that leaves the
	 * spaces as they were. NULL: capture() also at the start.
	 */
	void (*capture_start)(const void *self, void *raw);

	/* The same as capture(), on the worker thread at any time, even while the JVM frees what is
	 * read; requires capture_start(). NULL: capture() may be called there. */
	void (*capture_safely)(const void *self, void *raw);

	/* True if the heap is so large that a pause is too short for capture(): capture_safely() is
	 * called after it instead. NULL: never. */
	bool (*large)(const void *self);

	void (*totals)(const void *self, const void *raw, struct heap_totals *totals);
	/* True if old regions were emptied between two captures. NULL: unknown. */
	bool (*old_freed)(const void *before, const void *after);
	bool (*map)(void *self, const struct heap_event *event, struct gcs_snapshot *snapshot);

	/* For zooms: streams, at most HEAP_REGION_ATTRIBUTES, whose values every part of a region
	 * has from it; returns how many. NULL: none. */
	uint32_t (*region_attributes)(const void *self, struct gcs_stream *streams);

	/* Calls the visitor once for everything in a capture that overlaps [start, end), in any
	 * order. */
	void (*visit)(const void *self, const void *raw, uint64_t start, uint64_t end,
	    heap_visitor *visitor, void *context);

	/* False if the capture is one of capture_start(). NULL: never. */
	bool (*has_heap)(const void *raw);

	/* What locate() may return; the parts in `aged_parts` only if the JVM has `ages`. */
	struct heap_names names;
	enum vm_capability ages;
	unsigned aged_parts;

	/* Looks an address up in a capture of capture() or capture_safely(); false if it is not in
	 * use. Any thread that owns the capture. */
	bool (*locate)(
	    const void *self, const void *raw, uint64_t address, struct heap_location *location);

	/* Where objects of that size are allocated at present; static. Any thread. */
	const struct heap_birthplace *(*birthplace)(const void *self, uint64_t size);

	/* Heavy volume: how many ranges and cells a heap walk needs at most, and the ranges in a
	 * capture (heap_walk.h). NULL: this heap cannot be walked. */
	enum vm_capability heap_walk_needs; /* besides VM_OBJECTS */
	struct heap_walk_size (*heap_walk_size)(const void *self);
	heap_walk_ranges_fn *heap_walk_ranges;
	/* There are no pauses to walk in: a clock tick stops the program for it. */
	bool stops_at_clock;
};

extern const struct heap_driver heap_generations; /* Serial and Parallel */
extern const struct heap_driver heap_g1;
extern const struct heap_driver heap_z;
extern const struct heap_driver heap_shenandoah;
extern const struct heap_driver heap_epsilon;

/* The driver for this JVM; NULL, with the reason in `why`, when there is none or the JVM lacks what
 * it needs. */
const struct heap_driver *heap_choose(const struct vm *vm, char *why, size_t size);

/* True if one of the ticket's clients looks at a space of the heap. */
bool heap_wanted(const void *heap, struct gcs_server *server, const struct gcs_ticket *ticket);

/* Captures the heap at any time, on the agent's own threads. */
void heap_capture_off_pause(const struct heap_driver *driver, const void *heap, void *raw);

/* What locate() may return in this JVM. */
struct heap_names heap_names_of(const struct heap_driver *driver, const struct vm *vm);

/* What a walk over the driver's heap needs; false, with the reason in `why`, if it cannot be walked. */
bool heap_walk_driver_of(const struct vm *vm, const struct heap_driver *driver, const void *heap,
    struct heap_walk_driver *walk, const char **why);

/* The walk over the driver's heap; NULL, with the reason in `why`, if it cannot be walked. */
struct heap_walk *heap_open_walk(const struct vm *vm, const struct heap_driver *driver,
    const void *heap, const struct volume *volume, const char **why);

#endif
