/*
 * Input latency: the time from the window system's report of a movement, click or key to the frame
 * that shows its effect. Measured by the shell, shown by F12 and `dump`. The window's thread only.
 */
#ifndef GCSPY_CLIENT_LATENCY_H
#define GCSPY_CLIENT_LATENCY_H

#include <stdint.h>

#include "export_text.h"

enum latency_kind {
	LATENCY_HOVER,
	LATENCY_CLICK,
	LATENCY_DRAG,
	LATENCY_WHEEL,
	LATENCY_KEY,
	LATENCY_KINDS
};

#define LATENCY_KEPT 512 /* newest inputs of a kind that are kept, for medians */

struct latency {
	uint64_t count[LATENCY_KINDS]; /* inputs followed by a frame */
	uint32_t worst_us[LATENCY_KINDS];
	uint32_t kept_us[LATENCY_KINDS][LATENCY_KEPT]; /* rings */
	uint32_t last_us;                              /* of any kind */
};

void latency_note(struct latency *l, enum latency_kind kind, uint64_t us);

/* The smallest of the kept latencies of a kind that `percent` of them do not exceed; 0 if none. */
uint32_t latency_part(const struct latency *l, enum latency_kind kind, unsigned percent);

/* A line for each kind with inputs: count, median, 99th percentile, maximum. */
void latency_text(const struct latency *l, struct textbuf *out);

#endif
