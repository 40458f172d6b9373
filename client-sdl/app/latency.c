#include "latency.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void latency_note(struct latency *l, enum latency_kind kind, uint64_t us)
{
	const uint32_t short_us = us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
	l->kept_us[kind][l->count[kind]++ % LATENCY_KEPT] = short_us;
	l->worst_us[kind] = short_us > l->worst_us[kind] ? short_us : l->worst_us[kind];
	l->last_us = short_us;
}

static int by_length(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

uint32_t latency_part(const struct latency *l, enum latency_kind kind, unsigned percent)
{
	uint32_t sorted[LATENCY_KEPT];
	const size_t n = l->count[kind] < LATENCY_KEPT ? (size_t)l->count[kind] : LATENCY_KEPT;
	if (n == 0)
		return 0;
	memcpy(sorted, l->kept_us[kind], n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, by_length);
	const size_t i = n * percent / 100;
	return sorted[i < n ? i : n - 1];
}

void latency_text(const struct latency *l, struct textbuf *out)
{
	static const char *const names[LATENCY_KINDS] = {
	    "pointer", "button", "drag", "wheel", "key"};
	for (int i = 0; i < LATENCY_KINDS; i++) {
		const enum latency_kind kind = (enum latency_kind)i;
		if (l->count[i] > 0)
			textbuf_printf(out,
			    "input to pixel\t%s\t%" PRIu64
			    "\tmedian %.1f ms\tp99 %.1f ms\tworst %.1f ms\n",
			    names[i], l->count[i], latency_part(l, kind, 50) / 1000.0,
			    latency_part(l, kind, 99) / 1000.0, l->worst_us[i] / 1000.0);
	}
}
