/*
 * The JVMs that `gcspy serve` follows (E3). The main thread looks for them (scan.c), one more thread takes
 * their snapshots and profiles (follow_targets.c), and the threads of HTTP read what is known. A reader
 * waits for a JVM only for a profile that it asks for by name.
 *
 * A target belongs to its references: one of the list, and one of each reader. All fields but those marked
 * otherwise are under the lock of struct targets.
 */
#ifndef GCSPY_SERVE_TARGETS_H
#define GCSPY_SERVE_TARGETS_H

#include <pthread.h>
#include <regex.h>

#include <gcspy/client.h>
#include <gcspy/profile.h>

#include "container.h"
#include "process_usage.h"
#include "push_queue.h"
#include "running_figures.h"

enum {
	TARGETS_MOST = 1000,
	TARGET_CLASSES = 100, /* --top-classes at most */
	TARGET_POINTS = 60,   /* of a sparkline */
	RECORDING_NAME = 112
};

enum target_state {
	TARGET_CONNECTING,
	TARGET_LIVE,
	TARGET_FAILED /* `error` says why; tried again at `retry_ms` */
};

/* Bytes of sampled live objects of one class. */
struct target_class {
	char name[160];
	double bytes;
};

/* What the samples of a target say; does not change, but for the references, which the targets' lock guards. */
struct target_samples {
	unsigned references;
	bool known;
	uint64_t interval;
	int64_t wall_ns;        /* when the agent told it */
	double allocated_bytes; /* since sampling began */
	double live_bytes;      /* of all classes; 0: not known, for a heap is never empty */
	double other_bytes;     /* of those that are not listed */
	uint32_t class_count;
	struct target_class classes[];
};

/* Under the lock; NULL has no effect. */
void target_samples_release(struct target_samples *samples);

/* A point of the sparklines: the state at the end of a few seconds, and pauses within them. */
struct target_point {
	uint64_t used, pause_ns;
	bool known;
};

/* What `gcspy push` sends to receivers of their own: name, path of the request, type of media. */
#define TARGETS_RECEIVERS(X)                                                                       \
	X(OTLP, "otlp", "/v1/metrics", "application/x-protobuf")                                   \
	X(OTLP_PROFILES, "otlp-profiles", "/v1development/profiles", "application/x-protobuf")     \
	X(PYROSCOPE, "pyroscope", "/ingest", "application/octet-stream")

enum {
#define X(id, name, path, type) PUSH_##id,
	TARGETS_RECEIVERS(X)
#undef X
	    TARGETS_PUSHES
};

/* What does not change after a target is in the list. One that is known by its socket alone (scan_sockets.c) has
 * the PID 0, and the socket's name as its program. */
struct target_identity {
	uint64_t number; /* in the order of discovery, from 1 */
	long pid;
	char program[512]; /* as the agent names it: without folder or module */
	char full[512];    /* and with them, as `gcspy list` shows it */
	char java[64];
	char container[CONTAINER_ID]; /* "": none, or not known */
	char socket[256];
};

struct target {
	struct target *next;
	unsigned references;
	struct target_identity is;
	enum target_state state;
	char error[400];
	char address[640], collector[40]; /* as known once it is live */
	uint32_t failures;
	uint64_t retry_ms;
	int64_t connected_ns; /* since 1970; the figures count from then */
	bool seen;            /* by the present scan */
	bool loaded;          /* by us, not before */
	struct running_values values;
	struct target_samples *samples; /* NULL: not asked for yet */
	struct process_usage usage;
	/* The last recording of it that we have made (recordings.h), and from when to when it certainly goes. */
	struct running_mark mark;
	char recording[RECORDING_NAME];
	struct target_point points[TARGET_POINTS];
	uint32_t point_count;
	/* Set once; its functions may be called by any thread that has a reference. */
	struct gcs_client *client;
	/* The following thread's alone. */
	struct running_figures *figures;
	struct gcs_model *prepared; /* the description of which spaces are collapsed */
	uint32_t query;             /* of a profile; 0: none */
	uint64_t query_ms, profile_ms, point_ms, point_pause_ns;
	uint64_t query_full; /* full collections before it */
	struct usage_threads threads;
	/* Of each pushing thread alone: the last profile of allocations. */
	struct gcs_profile *pushed[TARGETS_PUSHES];
};

/* How to look for JVMs and what to ask of them; constant. */
struct targets_options {
	bool all;                       /* of all users */
	const regex_t *match, *exclude; /* programs and containers; NULL: any, none */
	double min_age_s;               /* of JVMs where we load the agent */
	const char *sockets;            /* a pattern of paths; NULL: none */
	const char *agent;              /* the library to load; NULL: the one beside the program */
	uint64_t interval;              /* of sampling where we load the agent; 0: off */
	uint32_t flight_s;              /* of the flight ring there; 0: none */
	uint32_t top_classes;
	const char *program;       /* gcspy itself, which loads the agent */
	const char *const *labels; /* NAME=VALUE of `gcspy push`; NULL at the end */
};

struct targets {
	struct targets_options options;
	pthread_mutex_t lock;
	struct target *first;
	uint32_t count;
	uint64_t scans, attached, lost, added;
	uint64_t read_ms; /* when the figures were last read; 0: never */
	bool ending;
	int wake[2]; /* for the following thread */
	pthread_t follower;
	bool follows;
	struct push_counts pushes[TARGETS_PUSHES]; /* without the lock */
};

bool targets_init(
    struct targets *targets, const struct targets_options *options, struct gcs_error *err);

/* Ends the following thread and disconnects; nothing else may use the targets. */
void targets_fini(struct targets *targets);

/* Looks at all processes: new JVMs are attached to and followed, those that have ended are forgotten. May
 * take seconds for each JVM that does not answer. Main thread; `stop` ends it early. */
void targets_scan(struct targets *targets, bool (*stop)(void));

/* References to all targets, in the order of their numbers, for targets_release_all; NULL without memory.
 * Notes that the figures are being read. */
struct target **targets_all(struct targets *targets, size_t *count);
void targets_release_all(struct targets *targets, struct target **all, size_t count);

/* A reference to the target with this PID or socket, or the only one with this program or container; NULL if
 * there is none, or if there are several: `several` has their PIDs or sockets, "4711 4712", as far as they
 * fit, else "". */
struct target *targets_find(
    struct targets *targets, const char *instance, char *several, size_t size);

/* A reference to the target of a process, or of a socket that is not NULL, which is due for another attempt, or
 * NULL; `*known` says whether there is one at all. It has been seen. */
struct target *target_due(struct targets *targets, long pid, const char *socket, bool *known);

/* A reference to the target with this number of its identity; NULL if there is none. */
struct target *targets_numbered(struct targets *targets, uint64_t number);

/* "process 4711", or "socket /gcspy/shop.sock", for messages; returns the buffer. */
enum { TARGET_NAME = 280 };
const char *target_name(const struct target *target, char name[TARGET_NAME]);

/* Gives a reference back. Without the lock. */
void target_release(struct targets *targets, struct target *target);

/* Puts a target with this identity into the list, whose number is given here; a reference for the caller, or NULL:
 * without memory, or there are too many. Main thread. */
struct target *target_add(struct targets *targets, const struct target_identity *identity);

/* Notes how connecting to a target ended; without a client with the reason. */
void target_connect(struct targets *targets, struct target *target, struct gcs_client *client,
    const char *address, const char *why);

/* A client of the agent at this address. */
struct gcs_client *target_client(
    struct targets *targets, const char *address, struct gcs_error *err);

/* Fills `full` and `program` of an identity. */
void target_name_program(struct target_identity *identity, const char *full);

/* Whether --match and --exclude want it. */
bool target_is_wanted(const struct targets *targets, const struct target_identity *identity);

/* The part of targets_scan that looks at --sockets. */
void targets_scan_sockets(struct targets *targets, bool (*stop)(void));

/* Of a target in the list. Under the lock. */
void target_remove(struct targets *targets, struct target *target);
void target_fail(struct target *target, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The following thread. */
void *targets_follow(void *targets);

/* Asks a target for a profile and waits at most `timeout_ms`; NULL with the reason. */
struct gcs_profile *target_profile(
    struct target *target, enum gcs_profile_kind kind, uint32_t timeout_ms, struct gcs_error *err);

/* How a profile is written in pprof's format: with a label for each sample's thread, and which type of
 * samples readers show first. What is live is left out of the differences between two profiles. */
struct pprof_form {
	bool without_threads, in_use_first, difference;
};
bool target_pprof(const struct gcs_profile *profile, const struct pprof_form *form, struct wr *body,
    struct gcs_error *err);

#endif
