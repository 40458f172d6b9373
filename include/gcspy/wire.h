/*
 * Numbers of GCspy's wire format. docs/protocol.md is the specification; a test compares its tables
 * with these.
 *
 * All integers are little-endian. A connection opens with a preamble of 8 bytes in each direction,
 * the client's first, followed by frames: a header of 8 bytes (payload length u32, kind u16, flags
 * u16) and the payload. Receivers skip unknown kinds and ignore bytes after the known fields.
 */
#ifndef GCSPY_WIRE_H
#define GCSPY_WIRE_H

#include "version.h"

#define GCS_WIRE_MAGIC    "GCSP"
#define GCS_WIRE_PREAMBLE 8u /* magic, u16 major, u16 minor */
#define GCS_WIRE_HEADER   8u

#define GCS_WIRE_MAX_TO_CLIENT 16777216u /* bytes of payload, deflated or not */
#define GCS_WIRE_MAX_TO_SERVER 65536u

/* Frame flags. A receiver closes the connection (VERSION) on an unknown kind with MUST set. */
#define GCS_WIRE_DEFLATED                                                                          \
	1u /* payload: u32 length of the inflated payload, then a zlib stream (RFC 1950) */
#define GCS_WIRE_MUST 2u

/* Flags of HELLO. */
#define GCS_HELLO_PAUSE    1u  /* pause before the first event is sent */
#define GCS_HELLO_COMPRESS 2u  /* the server may set DEFLATED */
#define GCS_HELLO_EVERY    4u  /* a recorder: queue more before dropping snapshots */
#define GCS_HELLO_RESUME   8u  /* connects only to resume: takes no slot, gets no snapshots */
#define GCS_HELLO_NO_TILES 16u /* all spaces are collapsed from the start */

/* name, number, sender (S server, C client) */
#define GCS_WIRE_KINDS(X)                                                                          \
	X(WELCOME, 1, S)                                                                           \
	X(BYE, 2, S)                                                                               \
	X(INFO, 3, S)                                                                              \
	X(EVENTS, 4, S)                                                                            \
	X(GROUPS, 5, S)                                                                            \
	X(SPACE, 6, S)                                                                             \
	X(SPACE_GONE, 7, S)                                                                        \
	X(READY, 8, S)                                                                             \
	X(PLUGINS, 9, S)                                                                           \
	X(BEGIN, 16, S)                                                                            \
	X(TILES, 17, S)                                                                            \
	X(NAMES, 18, S)                                                                            \
	X(STREAM, 19, S)                                                                           \
	X(INCR_STREAM, 20, S)                                                                      \
	X(SUMMARY, 21, S)                                                                          \
	X(SPACE_INFO, 22, S)                                                                       \
	X(COUNTERS, 23, S)                                                                         \
	X(END, 24, S)                                                                              \
	X(FIRE_TRIGGER, 25, S)                                                                     \
	X(STATE, 32, S)                                                                            \
	X(NOTICE, 33, S)                                                                           \
	X(PONG, 34, S)                                                                             \
	X(ANSWER, 36, S)                                                                           \
	X(POSITION, 38, S)                                                                         \
	X(HELLO, 64, C)                                                                            \
	X(PAUSE, 65, C)                                                                            \
	X(RESUME, 66, C)                                                                           \
	X(STEP, 67, C)                                                                             \
	X(FILTER, 68, C)                                                                           \
	X(PACE, 69, C)                                                                             \
	X(ACK, 70, C)                                                                              \
	X(COLLAPSE, 71, C)                                                                         \
	X(PING, 72, C)                                                                             \
	X(CLOSE, 73, C)                                                                            \
	X(QUERY, 80, C)                                                                            \
	X(ZOOM, 81, C)                                                                             \
	X(TRIGGER, 83, C)                                                                          \
	X(SET, 84, C)                                                                              \
	X(SEEK, 85, C)                                                                             \
	X(INTEREST, 86, C)

enum gcs_wire_kind {
#define X(name, number, sender) GCS_WIRE_##name = number,
	GCS_WIRE_KINDS(X)
#undef X
};

/* Kinds reserved for later versions. */
#define GCS_WIRE_RESERVED(X)                                                                       \
	X(STACKS, 37, S)                                                                           \
	X(VOLUME, 82, C)

#endif
