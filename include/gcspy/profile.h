/*
 * A profile: sampled allocations with their call sites, sent by a server on request (S2 to S6, S8;
 * JEP 331 and its draft of 2016).
 *
 * A profile has tables of frames and of stacks, and entries that refer to them. An entry is either
 * one sample (live, recent and frequent garbage) or the totals of one call site (allocated). All
 * numbers of bytes and objects are unbiased estimates with their variance: HotSpot's geometric
 * sampler (threadHeapSampler.cpp) takes an object of s bytes at interval R with the probability
 * p = 1 - exp(-s / R), so a sample represents 1 / p objects, times the samples that downsampling
 * discarded for it.
 *
 * A sampled object is "live" once it has survived a collection that could have freed it; until then it
 * is "new": whether it is garbage is not known. Live and new bytes are never added up.
 *
 * A profile is built by one thread; after that it does not change, and any thread may read it.
 */
#ifndef GCSPY_PROFILE_H
#define GCSPY_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"

GCS_BEGIN_DECLS

/* Identifier, name in queries and on command lines, title. */
#define GCS_PROFILE_KINDS(X)                                                                       \
	X(LIVE, "live", "Live")                                                                    \
	X(RECENT, "recent", "Recent garbage")                                                      \
	X(FREQUENT, "frequent", "Frequent garbage")                                                \
	X(ALLOCATED, "allocated", "Allocated")

enum gcs_profile_kind {
#define X(id, word, title) GCS_PROFILE_##id,
	GCS_PROFILE_KINDS(X)
#undef X
	    GCS_PROFILE_KIND_COUNT
};

enum gcs_frame_kind {
	GCS_FRAME_JAVA,          /* a Java method */
	GCS_FRAME_NATIVE_METHOD, /* a Java method declared native */
	GCS_FRAME_NATIVE,        /* a C function; the class is its library */
	GCS_FRAME_VM,            /* a function of the JVM itself */
	GCS_FRAME_NOTE,          /* not a frame: "[more frames]", "[other call sites]" */
	GCS_FRAME_KIND_COUNT
};

/*
 * A native frame whose name its server does not look up has the method "+0x1a2b", the offset of the call in
 * the library's file, and as `file` the file's path, with "#" and its build id: "/usr/lib/libz.so.1#5f2e".
 * gcspy and gcspy-view put in the names (docs/sites.md).
 */
struct gcs_frame {
	const char *class_name; /* "java.util.HashMap", never NULL; of a native frame its library */
	const char *method;     /* "resize", without signature; never NULL */
	const char *file;       /* "HashMap.java", or "" if not known */
	uint32_t line;          /* 0: not known */
	enum gcs_frame_kind kind;
};

/* Stacks form a tree: a stack is its youngest frame and the stack of that frame's caller. */
struct gcs_stack {
	uint32_t parent; /* the caller's stack, a smaller number; GCS_NONE at the root */
	uint32_t frame;
};

/* Ages in collections at which objects of a site died: 0, 1, 2, 3-4, 5-8, 9-16, 17-64, more. */
#define GCS_SURVIVAL_BUCKETS 8u

struct gcs_profile_entry {
	uint32_t stack;      /* GCS_NONE: no Java frames */
	uint32_t class_name; /* a name: of the allocated class, "java.lang.String", "byte[]" */
	uint32_t thread;     /* a name; in totals, a number at the end of a thread's name is "*" */
	uint64_t samples;    /* 1 for a sample */
	double bytes;        /* estimates for this entry */
	double bytes_variance;
	double objects;
	double objects_variance;
	/* Collections survived so far, or until death; totals: rounded mean at death. A sample of
	 * age 0 in a live profile is new: no collection has judged it yet. */
	uint32_t age;
	/* The number of a name, plus 1: the type of region as the heap map shows it, for ZGC
	 * with generations with its part ("Small, old"); of a live sample where the object is,
	 * otherwise where it was allocated. 0: not known. */
	uint32_t region;
	/* Estimated bytes that the program has allocated since this allocation, or until the
	 * collection that found the object dead; totals: mean at death. */
	uint64_t lifetime_bytes;
	/* Samples only, else 0. */
	uint64_t id;      /* unique, in the order of allocation */
	uint64_t size;    /* bytes of the sampled object */
	int64_t wall_ns;  /* when it was allocated, since 1970 UTC */
	uint64_t context; /* gcs_sampling_set_context */
	uint64_t address; /* live samples: of the object when the profile was made; 0: not known */
	bool approximate; /* the address may have changed since it was known */
	/* Totals only, else 0. A call site has an entry for each range of sizes, which begins at
	 * `size` and ends below twice that (the first one begins at 0 and ends below 1 KiB), and
	 * for each type of region. Estimates of what is live, of what is new, and of what died at
	 * each age. */
	double live_bytes;
	double live_objects;
	double new_bytes;
	double new_objects;
	double died_bytes[GCS_SURVIVAL_BUCKETS];
};

/* Properties of the whole profile. Strings are never NULL. */
struct gcs_profile_head {
	enum gcs_profile_kind kind;
	const char *server; /* its name */
	const char *as_of;  /* what "live" means here: "at the last collection" */
	int64_t wall_ns;    /* when it was made */
	/* The collections that told live from dead: the last one, and the last one of the old
	 * generation or of the whole heap. Number 0: none yet. */
	struct gcs_profile_judge {
		uint64_t number;  /* the JVM's, as in GC events */
		int64_t wall_ns;  /* its end */
		const char *kind; /* "Young", "Full"; never NULL in a profile */
	} judged, judged_old;
	uint64_t used_bytes; /* in the heap at the end of `judged`; 0: not known */
	/* From a server that does not distinguish new from live: totals' live bytes include new ones. */
	bool live_includes_new;
	/* The program frees its blocks itself, as with malloc: there are no collections, what is live
	 * is known at any time and has the age 1, and what was freed has the age 0. `judged` is then the
	 * time of the profile. */
	bool explicit_free;
	int64_t since_wall_ns; /* when sampling began */
	uint64_t interval;    /* present mean number of bytes between samples; 0: sampling is off */
	uint64_t collections; /* since sampling began */
	double allocated_bytes; /* estimates, since sampling began */
	double allocated_objects;
	uint64_t samples; /* taken so far */
	uint64_t tracked; /* samples whose object is tracked now */
	uint64_t died;    /* samples whose object was found dead */
	uint64_t dropped; /* samples not tracked, or no longer, for lack of memory; the tracked ones
			     represent them */
	uint64_t lost;    /* samples lost in a full buffer, but counted in `allocated_bytes` */
	uint64_t elsewhere;    /* samples without a call site, for lack of memory */
	uint64_t garbage_seen; /* dead samples that the ring or reservoir was offered */
};

struct gcs_profile;

/* Building. A new profile without entries; NULL without memory, or for an invalid kind or estimate.
 * Estimates are 0 to 1e300. Texts are copied, and truncated to GCS_MAX_TEXT bytes. */
GCS_API struct gcs_profile *gcs_profile_create(const struct gcs_profile_head *head);

/*
 * Each function adds one item and returns its number, from 0 in each table; GCS_NONE (false) without
 * memory, for an unknown reference, or for an invalid estimate. Equal items are not merged.
 */
GCS_API uint32_t gcs_profile_add_name(struct gcs_profile *profile, const char *name);
GCS_API uint32_t gcs_profile_add_frame(struct gcs_profile *profile, const struct gcs_frame *frame);
GCS_API uint32_t gcs_profile_add_stack(struct gcs_profile *profile, const struct gcs_stack *stack);
GCS_API bool gcs_profile_add_entry(
    struct gcs_profile *profile, const struct gcs_profile_entry *entry);

/* NULL has no effect. */
GCS_API void gcs_profile_free(struct gcs_profile *profile);

/* Readers. Results are valid as long as the profile; NULL or "" for numbers out of range. */
GCS_API const struct gcs_profile_head *gcs_profile_head(const struct gcs_profile *profile);
GCS_API uint32_t gcs_profile_name_count(const struct gcs_profile *profile);
GCS_API const char *gcs_profile_name(const struct gcs_profile *profile, uint32_t name);
GCS_API uint32_t gcs_profile_frame_count(const struct gcs_profile *profile);
GCS_API const struct gcs_frame *gcs_profile_frame(
    const struct gcs_profile *profile, uint32_t frame);
GCS_API uint32_t gcs_profile_stack_count(const struct gcs_profile *profile);
GCS_API const struct gcs_stack *gcs_profile_stack(
    const struct gcs_profile *profile, uint32_t stack);
GCS_API uint32_t gcs_profile_entry_count(const struct gcs_profile *profile);
GCS_API const struct gcs_profile_entry *gcs_profile_entry(
    const struct gcs_profile *profile, uint32_t entry);

/*
 * Encodes the profile as the body of the answer to the query "sites" (docs/protocol.md, section 11).
 * The caller gives `*bytes` to gcs_free. NOMEM, or LIMIT above GCS_MAX_ANSWER bytes.
 */
GCS_API enum gcs_status gcs_profile_encode(
    const struct gcs_profile *profile, void **bytes, size_t *length, struct gcs_error *err);

/* Decodes a profile; NULL with the reason in `err`. Safe for any bytes. */
GCS_API struct gcs_profile *gcs_profile_decode(
    const void *bytes, size_t length, struct gcs_error *err);

/* The kind's name ("live") and title ("Live"); "?" for an unknown number. */
GCS_API const char *gcs_profile_kind_word(enum gcs_profile_kind kind);
GCS_API const char *gcs_profile_kind_title(enum gcs_profile_kind kind);

/* The kind with that name; false if there is none. */
GCS_API bool gcs_profile_find_kind(const char *word, enum gcs_profile_kind *kind);

/* The bucket of died_bytes for an age, and its label ("3-4"). */
GCS_API uint32_t gcs_survival_bucket(uint64_t age);
GCS_API const char *gcs_survival_text(uint32_t bucket);

GCS_END_DECLS

#endif
