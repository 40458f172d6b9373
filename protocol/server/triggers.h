/*
 * The server's triggers: trigger_slots.c sets and lists them, trigger_compile.c makes of a condition
 * what trigger_check.c evaluates.
 *
 * Each event has a program, the triggers that can fire at it; NULL without any. A program never
 * changes: setting a trigger replaces those that it concerns. Threads at an event take no lock. They
 * count themselves in one of two numbers while they use a program, and a replaced program is freed
 * once each number has been seen to be 0 since then: whoever used it has left, and whoever came later
 * has seen the new one. (All of these operations are sequentially consistent.) New readers use the
 * number that is not being waited for, so that they do not put off the end.
 *
 * A trigger keeps its place, a bit in gcs_ticket.fired, until no program has it and each of its fires
 * is published or missed. A fire's description waits in the trigger until gcs_server_begin.
 */
#ifndef GCSPY_SERVER_TRIGGERS_H
#define GCSPY_SERVER_TRIGGERS_H

#include <pthread.h>
#include <stdatomic.h>

#include <gcspy/server.h>

#include "condition.h"

struct gcs_updates;
struct interest_message;
struct peer;
struct trigger_message;
struct wr;

/* Where an operation leads to if not to another one. */
#define TRIGGER_HOLDS 0xffffu
#define TRIGGER_FAILS 0xfffeu

#define TRIGGER_SERIES 32u /* of one trigger, over all events */

/* Fires that can wait for their snapshots, without and with a plugin's answer. */
#define TRIGGER_FIRES   32u
#define TRIGGER_ANSWERS 4u

enum trigger_op_kind { OP_NUMBER, OP_COUNT, OP_DEMAND, OP_CHANGE, OP_TEXT, OP_CONTAINS };

enum { OP_TURNS = 2 };

/* A comparison: low <= value <= low + span, or not that. */
struct trigger_op {
	uint8_t kind;
	uint8_t attribute;
	uint8_t series;
	bool negated;
	/* 1: a value in the range leads to the operation before this one; 0: another value does;
	 * OP_TURNS: neither. */
	uint8_t straight;
	uint16_t yes, no; /* the next operation */
	int64_t low;
	uint64_t span;
	const struct comparison *of;
};

/* The latest values of an attribute at an event. Threads that pass at the same time may find each
 * other's places in either order: then a change is that from a neighbour of the right occurrence, or
 * not known while the place has never been filled. The time is stored last, releasing, and loaded
 * first, acquiring: a place with a time has a value. */
struct trigger_series {
	const struct comparison *of;
	uint8_t attribute;
	bool on_demand;
	atomic_uint_least64_t count; /* of values ever */
	struct {
		atomic_int_least64_t value;
		atomic_uint_least64_t time_ns; /* 0: never filled */
	} ring[GCS_MAX_TRIGGER_CHANGE];
};

/* The condition at one event. */
struct trigger_code {
	uint16_t entry; /* TRIGGER_FAILS: it cannot hold */
	uint8_t first_series, series_count;
	bool simple;         /* it compares numbers that are given, and nothing else */
	uint32_t attributes; /* a bit for each that it uses */
};

enum trigger_fire_state { FIRE_FREE, FIRE_FILLING, FIRE_READY };

/* The thread that has turned the state from free to filling owns the rest until it stores READY, which
 * releases what it has written to those who see that; they own it until FIRE_FREE, under the lock. */
struct trigger_fire {
	atomic_uint state;
	uint64_t sequence;
	uint64_t times;
	enum gcs_status status;
	size_t length;
	void *answer; /* room for GCS_MAX_FIRED_ANSWER bytes, with a plugin */
};

struct trigger {
	atomic_uint references; /* its place, its programs, its fires that wait */
	atomic_bool removed;
	uint32_t slot;
	uint32_t owner; /* a client's slot, or GCS_NONE */
	struct gcs_trigger set;
	struct condition condition;
	struct trigger_op *ops;
	uint32_t op_count;
	struct trigger_series *series;
	uint32_t series_count;
	struct trigger_code code[GCS_MAX_EVENTS];
	atomic_uint_least64_t held;  /* number of times that the condition held */
	atomic_uint_least64_t times; /* that it fired */
	struct trigger_fire fires[TRIGGER_FIRES];
	void *answers;
};

struct trigger_program {
	struct trigger_program *next; /* of the replaced ones */
	unsigned left;                /* which numbers of readers were 0 since */
	atomic_uint references;       /* of counters (event_counter.c) */
	bool simple;                  /* numbers only: `entries` suffice */
	const struct trigger_op *entries[GCS_MAX_TRIGGERS];
	uint32_t count;
	struct trigger *triggers[];
};

struct triggers {
	_Atomic(struct trigger_program *) programs[GCS_MAX_EVENTS];
	atomic_uint readers[2];
	atomic_uint side;                     /* the number that new readers use */
	atomic_uint interest[GCS_MAX_EVENTS]; /* attributes that conditions use */
	pthread_mutex_t
	    lock; /* the rest; only that over `each` (updates.h) is taken while it is held */
	struct trigger *slots[GCS_MAX_TRIGGERS];
	struct trigger_program *replaced;
	uint64_t counted; /* a bit for each event that is counted (updates.h), and its program: */
	struct trigger_program *counted_programs[GCS_MAX_EVENTS];
	struct gcs_updates *updates; /* whose counters hold references to these */
};

bool triggers_init(struct triggers *t);
void triggers_fini(struct triggers *t);

/* In the child after fork, with the lock held: clients' triggers fire no more, and no thread is in a
 * program. */
void triggers_forget(struct triggers *t);

/* A trigger with its condition compiled for each event of the model; NULL with the reason in `err`. */
struct trigger *trigger_create(const struct gcs_trigger *set, const struct gcs_model *model,
    uint64_t counted, struct gcs_error *err);
void trigger_free(struct trigger *t);

/* True if the target accepts the parameters of the trigger's comparisons, else the reason in `err`. */
bool trigger_accepted(const struct trigger *t, const struct gcs_model *model,
    const struct gcs_server_options *options, struct gcs_error *err);

/* Sets a trigger for a client's slot, or GCS_NONE for the target. */
enum gcs_status triggers_set(
    struct gcs_server *s, const struct gcs_trigger *trigger, uint32_t owner, struct gcs_error *err);

/* Removes one; a client only its own and those that are kept. */
enum gcs_status triggers_remove(
    struct gcs_server *s, const char *name, uint32_t owner, struct gcs_error *err);

/* A client leaves: its triggers go, but those that are kept. */
void triggers_leave(struct gcs_server *s, uint32_t owner);

/* The body of an answer to `triggers`, for the client `owner`; false without memory. */
bool triggers_list(struct gcs_server *s, uint32_t owner, struct wr *w);

/* Adds what has fired to the ticket's snapshot; forgets it once the ticket is published or missed. */
void triggers_write(
    struct gcs_server *s, const struct gcs_ticket *ticket, struct gcs_snapshot *snapshot);
void triggers_settle(struct gcs_server *s, const struct gcs_ticket *ticket);

/* True if one that has fired saves the ring; writes its name. Any thread, until it is settled. */
bool triggers_record(
    struct gcs_server *s, const struct gcs_ticket *ticket, char *name, size_t size);

/* Updates come, and go. */
void triggers_add_updates(struct gcs_server *s, struct gcs_updates *updates);
void triggers_drop_updates(struct gcs_server *s, struct gcs_updates *updates);

/* Takes a counter's reference to the present program of an event, or drops one; frees nothing. Lock
 * held. */
struct trigger_program *triggers_take(struct triggers *t, uint32_t event);
void triggers_drop(struct trigger_program *program);

/* With numbers only. Usually an operation is followed by the one before it: the processor need not wait
 * for what the last comparison says. */
static inline bool trigger_is_inside(const struct trigger_op *op, const int64_t *values)
{
	return (uint64_t)values[op->attribute] - (uint64_t)op->low <= op->span;
}

static inline bool trigger_holds_simply(
    const struct trigger_op *op, const struct trigger *t, const int64_t *values)
{
	for (;;) {
		bool inside;
		while ((inside = trigger_is_inside(op, values)) && op->straight == 1)
			op--; /* the usual chain of `and` */
		if (inside == op->straight) {
			op--;
			continue;
		}
		const uint32_t next = inside != op->negated ? op->yes : op->no;
		if (__builtin_expect(next >= TRIGGER_FAILS, 1))
			return next == TRIGGER_HOLDS;
		op = &t->ops[next];
	}
}

uint32_t triggers_held_of_many(const struct trigger_program *p, const int64_t *values);

/* What holds at a counted event whose numbers are `values`, in their order (NULL: not known): a bit for
 * each of the program's triggers, or all if that takes more. */
static inline uint32_t triggers_held(const struct trigger_program *p, const int64_t *values)
{
	if (!p->simple)
		return UINT32_MAX;
	if (__builtin_expect(p->count != 1 || values == NULL, 0))
		return triggers_held_of_many(p, values);
	return trigger_holds_simply(p->entries[0], p->triggers[0], values) ? 1 : 0;
}

/* Fires what holds, and publishes the event if something has fired. */
void triggers_count(struct gcs_updates *u, uint32_t index, const struct trigger_program *p,
    uint32_t held, uint64_t count, const int64_t *values);

/* A client's messages, and its end (server_trigger.c). On the I/O thread. */
void server_trigger(struct peer *p, uint64_t ticket, const struct trigger_message *message);
void server_trigger_list(struct peer *p, uint64_t ticket);
void server_interest(struct peer *p, const struct interest_message *interest);
void server_drop_triggers(struct peer *p);

#endif
