#include "runs.h"

#include <gcspy/snapshot.h>

/* A sequence to be encoded; positions are those of `values`. */
struct sequence {
	const int64_t *values;
	const int64_t *old;      /* or NULL */
	const uint64_t *changed; /* or NULL */
	size_t first, end;
};

/* The member at i, modulo 2^64. */
static uint64_t term(const struct sequence *s, size_t i)
{
	uint64_t before = s->old != NULL  ? (uint64_t)s->old[i]
			  : i == s->first ? 0
					  : (uint64_t)s->values[i - 1];
	return (uint64_t)s->values[i] - before;
}

/* From i, where a group begins, past the groups that have not changed. */
static size_t skip_groups(const struct sequence *s, size_t i)
{
	while (i < s->end) {
		size_t group = i / GCS_CHANGED_TILES;
		uint64_t left = s->changed[group / 64] >> group % 64;
		if (left != 0) {
			i += (size_t)__builtin_ctzll(left) * GCS_CHANGED_TILES;
			break;
		}
		i += (64 - group % 64) * GCS_CHANGED_TILES;
	}
	return i < s->end ? i : s->end;
}

/* Length of the run of equal terms that starts at i. */
static size_t repeat_length(const struct sequence *s, size_t i)
{
	const uint64_t first = term(s, i);
	const bool skips = first == 0 && s->old != NULL && s->changed != NULL;
	size_t end = i + 1;
	while (end < s->end) {
		if (skips && end % GCS_CHANGED_TILES == 0) {
			end = skip_groups(s, end);
			if (end == s->end)
				break;
		}
		if (term(s, end) != first)
			break;
		end++;
	}
	return end - i;
}

/* A repetition costs a header and a value and may split a run of values, so it pays from three terms
 * on. */
enum { WORTH_REPEATING = 3 };

static void encode(struct wr *w, const struct sequence *s)
{
	size_t i = s->first;
	while (i < s->end) {
		size_t same = repeat_length(s, i);
		if (same >= WORTH_REPEATING || i + same == s->end) {
			wr_varint(w, (uint64_t)same << 1);
			wr_zigzag(w, (int64_t)term(s, i));
			i += same;
			continue;
		}
		size_t end = i + same;
		while (end < s->end) {
			same = repeat_length(s, end);
			if (same >= WORTH_REPEATING)
				break;
			end += same;
		}
		wr_varint(w, (uint64_t)(end - i) << 1 | 1);
		for (; i < end; i++)
			wr_zigzag(w, (int64_t)term(s, i));
	}
}

void runs_encode_changes(struct wr *w, const int64_t *values, const int64_t *old, size_t first,
    size_t count, const uint64_t *changed)
{
	encode(w, &(struct sequence){values, old, changed, first, first + count});
}

void runs_encode(struct wr *w, const int64_t *values, const int64_t *old, size_t count)
{
	encode(w, &(struct sequence){values, old, NULL, 0, count});
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
