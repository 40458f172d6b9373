/*
 * Run-length coding of a stream's values, whole or as differences (docs/protocol.md, section 5).
 *
 * A sequence x of n integers is split into runs. A run is a varint h followed by zigzag varints:
 * h = 2 * length for one value repeated `length` times, h = 2 * length + 1 for `length` separate
 * values; length >= 1. For a whole stream, x[i] = v[i] - v[i-1] with v[-1] = 0; for an incremental
 * one, x[i] = new[i] - old[i]. Differences are modulo 2^64.
 */
#ifndef GCSPY_WIRE_RUNS_H
#define GCSPY_WIRE_RUNS_H

#include "bytes.h"

/* Appends the values, whole or, if `old` is not NULL, as differences to `old`. */
void runs_encode(struct wr *w, const int64_t *values, const int64_t *old, size_t count);

/* The same for the tiles first .. first + count - 1 of two columns that can differ only where `changed`
 * says so, a map as returned by gcs_snapshot_changed for the whole columns; NULL: anywhere. The bytes
 * are the same; the time is that of what has changed. */
void runs_encode_changes(struct wr *w, const int64_t *values, const int64_t *old, size_t first,
    size_t count, const uint64_t *changed);

/* Decodes exactly `count` values, or with `incremental` adds them to `values`. Fails the reader on bad
 * data. */
void runs_decode(struct rd *r, int64_t *values, size_t count, bool incremental);

/* Decodes `count` differences and adds them to the values from `first` on. Sets the bits of those that
 * are not zero in `changed` (may be NULL), a map as returned by gcs_snapshot_changed. */
void runs_add(struct rd *r, int64_t *values, size_t first, size_t count, uint64_t *changed);

#endif
