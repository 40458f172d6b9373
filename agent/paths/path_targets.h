/*
 * Which sampled live objects a search for reference chains begins with: at most 50 of a call site, and
 * 1,000 in all, of the sites with most bytes. Each stands for its share of all that match.
 */
#ifndef GCSPY_AGENT_PATH_TARGETS_H
#define GCSPY_AGENT_PATH_TARGETS_H

#include <gcspy/profile.h>

#include "climb.h"

enum { PATH_TARGETS_SITE = 50, PATH_TARGETS_MOST = 1000 };

/* What a client asks for. */
struct path_question {
	uint64_t ticket;
	bool histogram; /* instead of chains: all else has no meaning */
	bool estimate;  /* only what the search would cost */
	bool raw;
	bool sites;       /* the first row of each chain is its call site */
	bool record;      /* the answer is for the recorder, and there is no ticket */
	bool uncollected; /* no collection will ever tell what is alive: Epsilon */
	uint32_t min_age;
	uint64_t limit_ms; /* of a single pause; 0: the agent's option */
	char site[16];     /* "": any */
	char class_name[GCS_MAX_NAME + 1];
	char where[GCS_MAX_NAME + 1]; /* heap_filter.h */
};

struct path_target {
	uint64_t id;   /* of the sample */
	uint64_t site; /* its number */
	double objects, bytes;
	uint32_t node; /* of the climb; TAG_NONE: it is no longer tracked */
};

struct path_targets {
	struct path_target *items;
	uint32_t count;
	bool loaders;          /* they are class loaders, or none at all, which the search finds */
	struct gcs_error none; /* with `loaders`: why there is no sample */
	/* Of all that match. */
	uint64_t samples;
	uint32_t sites;
	double objects, bytes;
};

/* Chooses among the entries of a live profile; ARGUMENT, STATE with the reason if none matches. */
enum gcs_status path_targets_choose(const struct gcs_profile *profile,
    const struct path_question *question, struct path_targets *targets, struct gcs_error *err);

/* Tags the class loaders of the name that have loaded classes, in place of the
 * targets; ARGUMENT if there are neither. On a thread of the JVM, before a climb. */
enum gcs_status path_targets_of_loaders(const struct path_question *question, struct climb *climb,
    struct path_targets *targets, struct gcs_error *err);

/* Whether the name is wanted: the whole one, or its end after a dot or dollar sign. */
bool path_is_class(const char *name, const char *wanted);

/* Room for the class loaders of the name, at most 50, where `none` says why there is no sample. False,
 * and nothing, if the question is about more than a class. */
bool path_targets_loaders(const struct path_question *question, const struct gcs_error *none,
    struct path_targets *targets);

void path_targets_free(struct path_targets *targets);

/* What is known of the heap at the end of the last collection, or now if there was none. */
struct path_heap {
	double used;           /* bytes */
	double objects, bytes; /* what samples stand for */
};

/* What a histogram has counted, garbage too; 0: there was none. */
struct path_counted {
	double objects, bytes;
};

/* Of a live profile of the whole heap; `used_bytes`: now. */
struct path_heap path_heap_of(const struct gcs_profile *profile, uint64_t used_bytes);

/* Objects in the heap: those that samples stand for, and in the bytes that they do not account for, as
 * before sampling began, small ones, within what was counted. */
double path_heap_objects(const struct path_heap *heap, const struct path_counted *counted);

#endif
