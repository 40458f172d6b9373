/*
 * A profile: sampled allocations with their call sites, as a server tells them on request (rows S2
 * to S6, S8; JEP 331 and its draft of 2016).
 *
 * A profile has tables of frames and of stacks, and entries that refer to them. An entry is either
 * one sample (live, recent and frequent garbage) or the totals of one call site (allocated). All
 * counts of bytes and objects are estimates: a sample of an object of s bytes at interval R stands
 * for 1 / (1 - exp(-s / R)) objects, because that is the probability with which HotSpot's
 * geometric sampler takes it (threadHeapSampler.cpp), times what subsampling left out; the
 * estimate is unbiased and its variance is carried beside it.
 *
 * A profile is built by one thread and does not change afterwards; then any thread may read it.
 */
#ifndef GCSPY_PROFILE_H
#define GCSPY_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"

GCS_BEGIN_DECLS

/* Identifier, the word that names it in queries and command lines, a title for people. */
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
	GCS_FRAME_NOTE,          /* no frame: "[more frames]", "[other call sites]" */
	GCS_FRAME_KIND_COUNT
};

struct gcs_frame {
	const char *class_name; /* "java.util.HashMap", never NULL; of a native frame its library */
	const char *method;     /* "resize", without signature; never NULL */
	const char *file;       /* "HashMap.java", or "" when not known */
	uint32_t line;          /* 0: not known */
	enum gcs_frame_kind kind;
};

/* Stacks are a tree: a stack is its youngest frame and the stack of that frame's caller. */
struct gcs_stack {
	uint32_t parent; /* the caller's stack, smaller than its own number; GCS_NONE at the root */
	uint32_t frame;
};

/* Ages in collections at which objects of a site died: 0, 1, 2, 3-4, 5-8, 9-16, 17-64, more. */
#define GCS_SURVIVAL_BUCKETS 8u

struct gcs_profile_entry {
	uint32_t stack;      /* GCS_NONE: no Java frames */
	uint32_t class_name; /* of the names: the allocated class, "java.lang.String", "byte[]" */
	/* of the names: the thread; in totals, a number at the end of threads' names is "*" */
	uint32_t thread;
	uint64_t samples; /* 1 for a sample */
	double bytes;     /* estimate of what this entry stands for … */
	double bytes_variance;
	double objects;
	double objects_variance;
	/* Samples: collections survived so far, or at death. Totals: mean at death, rounded. */
	uint32_t age;
	/* Estimate of the bytes that the program allocated since the object's birth, or between
	 * its birth and the collection that found it dead; totals: mean at death. */
	uint64_t lifetime_bytes;
	/* Samples only, else 0. */
	uint64_t id;      /* unique in the server, in the order of allocation */
	uint64_t size;    /* bytes of the sampled object */
	int64_t wall_ns;  /* when it was allocated, since 1970 UTC */
	uint64_t context; /* what the embedding code attached to it */
	/* Totals only, else 0: estimated bytes that are live, and that died at each age. */
	double live_bytes;
	double live_objects;
	double died_bytes[GCS_SURVIVAL_BUCKETS];
};

/* What holds of the whole profile. Strings never NULL. */
struct gcs_profile_head {
	enum gcs_profile_kind kind;
	const char *server;     /* its name */
	const char *as_of;      /* for people: what "live" means here, "at the last collection" */
	int64_t wall_ns;        /* when it was made */
	int64_t since_wall_ns;  /* since when samples were taken */
	uint64_t interval;      /* bytes between samples at present; 0: sampling is off */
	uint64_t collections;   /* counted since sampling began */
	double allocated_bytes; /* estimate for everything since sampling began */
	double allocated_objects;
	uint64_t samples; /* taken so far */
	uint64_t tracked; /* whose object is watched now */
	uint64_t died;    /* whose object was found dead */
	/* Not watched, or no more, because of the memory budget; what is watched stands for them.
	 */
	uint64_t dropped;
	/* Taken but not recorded, because the buffer was full; counted in `allocated_bytes`. */
	uint64_t lost;
	uint64_t elsewhere;    /* recorded without their call site: no memory for more of them */
	uint64_t garbage_seen; /* died while the ring or reservoir watched */
};

struct gcs_profile;

/* Building. A new profile without entries; NULL without memory, or for a kind or an estimate that
 * cannot be. Estimates are 0 to 1e300. Texts are copied everywhere, and cut at GCS_MAX_TEXT bytes.
 */
GCS_API struct gcs_profile *gcs_profile_create(const struct gcs_profile_head *head);

/*
 * Each adds one item and returns its number, from 0 for each table; GCS_NONE (false) without
 * memory, for a reference to what is not there, or for an estimate that cannot be. Equal items are
 * not recognised: that is the caller's.
 */
GCS_API uint32_t gcs_profile_add_name(struct gcs_profile *profile, const char *name);
GCS_API uint32_t gcs_profile_add_frame(struct gcs_profile *profile, const struct gcs_frame *frame);
GCS_API uint32_t gcs_profile_add_stack(struct gcs_profile *profile, const struct gcs_stack *stack);
GCS_API bool gcs_profile_add_entry(
    struct gcs_profile *profile, const struct gcs_profile_entry *entry);

/* NULL is fine. */
GCS_API void gcs_profile_free(struct gcs_profile *profile);

/* Readers; what they return lives as long as the profile. Numbers out of range give NULL or "". */
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
 * The profile as bytes: the body of the answer to the query "sites" (docs/protocol.md, section 11).
 * `*bytes` is the caller's, to be given to gcs_free; NOMEM, or LIMIT when they would be more than
 * GCS_MAX_ANSWER.
 */
GCS_API enum gcs_status gcs_profile_encode(
    const struct gcs_profile *profile, void **bytes, size_t *length, struct gcs_error *err);

/* The profile in these bytes, or NULL with the reason. Total: any bytes are safe. */
GCS_API struct gcs_profile *gcs_profile_decode(
    const void *bytes, size_t length, struct gcs_error *err);

/* The kind's word ("live") and title ("Live"); "?" for a number that is none. */
GCS_API const char *gcs_profile_kind_word(enum gcs_profile_kind kind);
GCS_API const char *gcs_profile_kind_title(enum gcs_profile_kind kind);

/* The kind of that word; false when there is none. */
GCS_API bool gcs_profile_find_kind(const char *word, enum gcs_profile_kind *kind);

/* The bucket of died_bytes for an age, and the bucket's text ("3-4"). */
GCS_API uint32_t gcs_survival_bucket(uint64_t age);
GCS_API const char *gcs_survival_text(uint32_t bucket);

GCS_END_DECLS

#endif
