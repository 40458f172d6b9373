#include "runs.h"

/* The i-th member of the sequence that is coded; modulo 2^64, hence unsigned. */
static uint64_t term(const int64_t *values, const int64_t *old, size_t i)
{
	uint64_t before = old != NULL ? (uint64_t)old[i] : i == 0 ? 0 : (uint64_t)values[i - 1];
	return (uint64_t)values[i] - before;
}

/* Length of the run of equal terms that starts at i. */
static size_t repeat_length(const int64_t *values, const int64_t *old, size_t i, size_t count)
{
	uint64_t first = term(values, old, i);
	size_t end = i + 1;
	while (end < count && term(values, old, end) == first)
		end++;
	return end - i;
}

/*
 * A repetition costs a header and a value and may break a literal run in two, so that it pays from
 * three terms on.
 */
enum { WORTH_REPEATING = 3 };

void runs_encode(struct wr *w, const int64_t *values, const int64_t *old, size_t count)
{
	size_t i = 0;
	while (i < count) {
		size_t same = repeat_length(values, old, i, count);
		if (same >= WORTH_REPEATING || i + same == count) {
			wr_varint(w, (uint64_t)same << 1);
			wr_zigzag(w, (int64_t)term(values, old, i));
			i += same;
			continue;
		}
		size_t end = i + same;
		while (end < count) {
			same = repeat_length(values, old, end, count);
			if (same >= WORTH_REPEATING)
				break;
			end += same;
		}
		wr_varint(w, (uint64_t)(end - i) << 1 | 1);
		for (; i < end; i++)
			wr_zigzag(w, (int64_t)term(values, old, i));
	}
}

void runs_decode(struct rd *r, int64_t *values, size_t count, bool incremental)
{
	uint64_t last = 0;
	size_t i = 0;
	while (i < count) {
		uint64_t head = rd_varint(r);
		uint64_t length = head >> 1;
		if (r->status != GCS_OK)
			return;
		if (length == 0 || length > count - i) {
			rd_fail(r, GCS_MALFORMED);
			return;
		}
		uint64_t x = 0;
		for (uint64_t k = 0; k < length; k++, i++) {
			if (k == 0 || (head & 1) != 0)
				x = (uint64_t)rd_zigzag(r);
			last = x + (incremental ? (uint64_t)values[i] : last);
			values[i] = (int64_t)last;
		}
	}
}
