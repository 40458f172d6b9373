/*
 * From input to pixel: how long after the window system told of a movement, a click or a key the
 * frame that shows its effect had been handed over. Noted by the shell, shown by F12 and told by
 * `dump`. Belongs to the window's thread.
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

#define LATENCY_KEPT 512 /* newest of a kind, of which medians are told */

struct latency {
	uint64_t count[LATENCY_KINDS]; /* inputs that were followed by a frame */
	uint32_t worst_us[LATENCY_KINDS];
	uint32_t kept_us[LATENCY_KINDS][LATENCY_KEPT]; /* rings */
	uint32_t last_us;                              /* of any kind */
};

void latency_note(struct latency *l, enum latency_kind kind, uint64_t us);

/* Of the newest ones of that kind the one that `percent` of them do not exceed; 0 without any. */
uint32_t latency_part(const struct latency *l, enum latency_kind kind, unsigned percent);

/* A line for each kind that there was: how many, median, 99th percentile, worst. */
void latency_text(const struct latency *l, struct textbuf *out);

#endif
