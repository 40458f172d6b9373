/*
 * Triggers (F17): conditions over the attributes of events, evaluated in the target's thread.
 *
 * A trigger is a condition and what happens when it holds. Clients set triggers, and so may the target
 * itself. A condition, in text:
 *
 *	event = "GC finish" and Pause > 200ms and (Kind = Full or change("Used after", 10 events) > 50m)
 *	event = malloc and Size >= 64k and Fragmentation(512, 524288) > 2000
 *
 *	condition   = term { or term };  term = factor { and factor };  factor = comparison | ( condition )
 *	comparison  = operand ( < | <= | = | != | >= | > | ~ ) value
 *	operand     = attribute | attribute(number, …) | event | count
 *	            | change(attribute, N events) | change(attribute, N ms)
 *	value       = number | name | "text"
 *
 * An attribute is named as the event describes it, without regard to case; a name that is not one word
 * of letters and digits is quoted. Each `and` has an event: where none is named, all events that have
 * the attributes are meant. `count` is the event's number over all threads, from 1, as in
 * gcs_snapshot_counter. A number may be negative or have a decimal point, and a unit: k, m, g (bytes, by
 * 1024), ns, us, ms, s. Enumerations are compared by the names of their values, with = and !=, and texts
 * with =, != and ~ (contains). `change` is the value less that of N occurrences before, or that of the
 * oldest occurrence in the last N ms; while there is none, the comparison does not hold, as with an
 * attribute that is not known.
 *
 * A trigger fires when its condition holds. The occurrence is then sent to all clients and recorders,
 * whatever their filters, with what has fired (gcs_snapshot_fired): recordings and replays have it too.
 */
#ifndef GCSPY_TRIGGER_H
#define GCSPY_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

GCS_BEGIN_DECLS

#define GCS_MAX_TRIGGERS       32u    /* of all clients and the target together */
#define GCS_MAX_TRIGGER_TERMS  32u    /* comparisons in a condition */
#define GCS_MAX_TRIGGER_CHANGE 64u    /* occurrences that `change` looks back */
#define GCS_MAX_FIRED_ANSWER   16384u /* bytes of a plugin's answer at an event */

/* What happens when a trigger fires, besides being sent; bits. */
enum gcs_trigger_action {
	/* The program pauses at the end of the event, held for the client that set the trigger (as by
	 * gcs_client_pause); it may then step. */
	GCS_TRIGGER_PAUSE = 1,
	/* The target's ring is saved as a recording (gcs_server_set_ring). */
	GCS_TRIGGER_RECORD = 2,
	/* The trigger outlives its client; not with PAUSE. */
	GCS_TRIGGER_KEEP = 4
};

struct gcs_trigger {
	const char *name;      /* 1..GCS_MAX_NAME bytes; a trigger of the same name is replaced */
	const char *condition; /* 1..GCS_MAX_TEXT bytes */
	uint32_t actions;      /* of enum gcs_trigger_action */
	uint64_t nth;          /* fires each nth time that the condition holds; 0: 1 */
	uint64_t most;         /* fires at most so often; 0: no limit */
	const char *plugin; /* is asked when it fires (plugin.h), with its defaults; NULL: none */
	GCS_RESERVED(4);
};

/* A trigger that has fired at a snapshot's event. */
struct gcs_fired {
	const char *trigger; /* name */
	const char *condition;
	uint64_t times;         /* that it has fired so far, from 1 */
	const char *plugin;     /* that was asked; "": none */
	enum gcs_status status; /* of its answer */
	const char *message;    /* one line for users; may be "" */
	size_t length;
	const void *answer; /* as in an answer to a query; NULL if there is none */
	uint32_t actions;   /* of enum gcs_trigger_action */
};

/* A trigger as the topic `triggers` lists it. */
struct gcs_trigger_state {
	struct gcs_trigger trigger;
	uint64_t times; /* that it has fired */
	bool own;       /* set by the client that asks */
};

GCS_END_DECLS

#endif
