/*
 * One client inside the server: its connection, its session and its queue of snapshots.
 *
 * A peer belongs to the I/O thread, except for the queue and its counters, which the publishing
 * thread changes under the server's lock.
 */
#ifndef GCSPY_SERVER_PEER_H
#define GCSPY_SERVER_PEER_H

#include <stdatomic.h>

#include "answers.h"
#include "session.h"

/* Most queued snapshots of one client; fewer if they exceed its limit in bytes. */
#define PEER_QUEUE 64u

#define PEER_NO_SLOT UINT32_MAX

struct peer {
	struct gcs_server *server;
	uint32_t slot; /* PEER_NO_SLOT until it is admitted, and for one that only resumes */
	int fd;
	uint64_t came_ns;
	bool identified; /* the next three are set */
	bool trusted;    /* of our user or root */
	bool known;      /* `uid` is set; a client of the Unix socket is trusted, but not known */
	uint32_t uid;
	bool resumes;  /* admitted only to resume */
	bool readable; /* as reported by poll */
	struct session session;
	size_t out_sent;      /* bytes of session.out already sent */
	atomic_bool unsent;   /* there are more; for other threads */
	uint64_t heard_ns;    /* when the client last sent something; before its hello: `came_ns` */
	uint64_t progress_ns; /* when something was last sent to it */
	uint64_t due_ns;      /* the next snapshot at a pace of intervals */
	uint64_t closing_ns;  /* when it began to close */
	bool counted;         /* among the attached */
	bool state_sent;
	struct state_message state; /* last sent */
	uint64_t position_number;   /* last sent */
	enum gcs_pace pace;         /* written under the server's lock */
	uint64_t interval_ns;
	size_t queue_limit;  /* bytes */
	char rejection[200]; /* why it is not admitted */

	/* Under the server's lock. */
	struct gcs_snapshot *queue[PEER_QUEUE];
	size_t queue_costs[PEER_QUEUE]; /* bytes of memory that each retains */
	uint32_t queue_first;
	uint32_t queue_count;
	size_t queue_bytes;
	uint64_t last_serial; /* of the snapshot queued last */
	uint64_t missed;
	struct answers answers;
};

/* Without a slot. */
struct peer *peer_create(struct gcs_server *server, int fd, const struct session_host *host);
void peer_destroy(struct peer *p);

/* True if it has a slot, and with it filters, holds and snapshots. */
static inline bool peer_has_slot(const struct peer *p)
{
	return p->slot != PEER_NO_SLOT;
}

/* Queues a snapshot, with a reference of its own; drops the oldest ones that do not fit and returns
 * their number. Server's lock held. */
uint32_t peer_push(struct peer *p, const struct gcs_snapshot *snapshot);

/* True if the queue is at least half full, and its client wants all of it. Server's lock held. */
bool peer_fills(const struct peer *p);

/* Takes the next snapshot from the queue, or with `newest` the last one, dropping the others up to the
 * next one where a trigger has fired. Server's lock held. */
struct gcs_snapshot *peer_pop(struct peer *p, bool newest);

/* True if a trigger has fired at a queued snapshot. Server's lock held. */
bool peer_has_fired(const struct peer *p);

#endif
