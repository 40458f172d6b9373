#include "runs.h"

#include <gcspy/snapshot.h>

/* The i-th member of the sequence, modulo 2^64. */
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

/* A repetition costs a header and a value and may split a run of values, so it pays from three terms
 * on. */
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

/* The next run's length, at most `left`, and whether it has separate values; 0 on bad data. */
static size_t run_head(struct rd *r, size_t left, bool *each)
{
	uint64_t head = rd_varint(r);
	uint64_t length = head >> 1;
	*each = (head & 1) != 0;
	if (r->status == GCS_OK && (length == 0 || length > left))
		rd_fail(r, GCS_MALFORMED);
	return r->status == GCS_OK ? (size_t)length : 0;
}

static void decode_whole(struct rd *r, int64_t *values, size_t count)
{
	uint64_t last = 0;
	bool each;
	for (size_t i = 0; i < count;) {
		size_t length = run_head(r, count - i, &each);
		if (length == 0)
			return;
		uint64_t x = each ? 0 : (uint64_t)rd_zigzag(r);
		for (size_t stop = i + length; i < stop; i++) {
			if (each)
				x = (uint64_t)rd_zigzag(r);
			last += x;
			values[i] = (int64_t)last;
		}
	}
}

static void note(uint64_t *changed, size_t i)
{
	size_t bit = i / GCS_CHANGED_TILES;
	changed[bit / 64] |= (uint64_t)1 << bit % 64;
}

void runs_add(struct rd *r, int64_t *values, size_t first, size_t count, uint64_t *changed)
{
	size_t end = first + count;
	bool each;
	for (size_t i = first; i < end;) {
		size_t length = run_head(r, end - i, &each);
		if (length == 0)
			return;
		uint64_t x = each ? 0 : (uint64_t)rd_zigzag(r);
		if (!each && x == 0) { /* unchanged tiles */
			i += length;
			continue;
		}
		for (size_t stop = i + length; i < stop; i++) {
			if (each)
				x = (uint64_t)rd_zigzag(r);
			values[i] = (int64_t)((uint64_t)values[i] + x);
			if (changed != NULL && x != 0)
				note(changed, i);
		}
	}
}

void runs_decode(struct rd *r, int64_t *values, size_t count, bool incremental)
{
	if (incremental)
		runs_add(r, values, 0, count, NULL);
	else
		decode_whole(r, values, count);
}
