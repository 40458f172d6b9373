/*
 * A program that collects, made by hand: events, attributes and spaces with the names that figures
 * of recordings know (docs/stats.md). Each snapshot goes to a function of the caller.
 */
#ifndef GCSPY_TESTS_KIT_GC_H
#define GCSPY_TESTS_KIT_GC_H

#include <gcspy/profile.h>
#include <gcspy/snapshot.h>

enum { KIT_GC_START, KIT_GC_FINISH, KIT_GC_CLOCK };
enum { KIT_GC_REGIONS, KIT_GC_TLABS, KIT_GC_SPACES };
enum { KIT_GC_TILES = 8, KIT_GC_KIB = 1024 };

/* Streams of the regions. */
enum { KIT_GC_TYPE, KIT_GC_USED, KIT_GC_CONTROL };

/* A stream of bytes, summed up. */
struct gcs_stream kit_gc_bytes(const char *name);

struct kit_gc {
	struct gcs_model *model;
	struct gcs_snapshot *last;
	uint64_t sequence, counters[3], place;
	void (*give)(void *context, const struct gcs_snapshot *snapshot, uint64_t place);
	void *context;
};

/* Names and texts of the model, which a hostile program chooses otherwise. */
struct kit_gc_names {
	const char *server, *regions, *unused, *old;
};
extern const struct kit_gc_names kit_gc_plain;

void kit_gc_begin(struct kit_gc *gc, const struct kit_gc_names *names,
    void (*give)(void *context, const struct gcs_snapshot *snapshot, uint64_t place),
    void *context);
void kit_gc_end(struct kit_gc *gc);

/* The next event, to be filled; and given. Numbers of kinds are those of GC finish. */
struct gcs_snapshot *kit_gc_event(struct kit_gc *gc, uint32_t event, uint64_t time_ms);
void kit_gc_give(struct kit_gc *gc, struct gcs_snapshot *snapshot);

/* Events that happen, and nobody sees. */
void kit_gc_miss(struct kit_gc *gc, uint32_t event, uint64_t count);

/* Eight regions of 1 MiB: F free, f free after a border, E eden, O old, - uncommitted; used KiB. */
void kit_gc_regions(
    struct gcs_snapshot *snapshot, const char types[KIT_GC_TILES + 1], const int *used_kib);

/* One buffer: bytes. */
void kit_gc_buffer(struct gcs_snapshot *snapshot, int64_t used, int64_t size, int64_t waste);

struct kit_gc_pause {
	uint64_t finish_ms;
	const char *kind, *cause;
	int64_t pause_ns; /* negative: absent */
	int64_t before, after, committed;
};

/* A finish with its attributes. */
struct gcs_snapshot *kit_gc_finish(struct kit_gc *gc, const struct kit_gc_pause *pause);

/* A profile with one site for each class: bytes, in samples of 1 KiB. */
struct kit_gc_site {
	const char *class_name, *method;
	double bytes;
};
struct gcs_profile *kit_gc_profile(enum gcs_profile_kind kind, int64_t wall_s, double allocated,
    uint32_t count, const struct kit_gc_site *sites);

#endif
