/*
 * How the values of a stream are coded, whole or as a difference; docs/protocol.md, section 5.
 *
 * A sequence x of n integers is cut into runs. A run is a varint h and its values as zigzag
 * varints: h = 2 * length for `length` times one value, h = 2 * length + 1 for `length` values of
 * their own; length >= 1. For a whole stream x[i] = v[i] - v[i-1] with v[-1] = 0; for an
 * incremental one x[i] = new[i] - old[i]. Differences are taken modulo 2^64.
 */
#ifndef GCSPY_WIRE_RUNS_H
#define GCSPY_WIRE_RUNS_H

#include "bytes.h"

/* Appends the coded values; `old` NULL codes the whole stream, else the difference to `old`. */
void runs_encode(struct wr *w, const int64_t *values, const int64_t *old, size_t count);

/* Decodes exactly `count` values; with `incremental` they are added to those in `values`. Fails the
 * reader on bad data. */
void runs_decode(struct rd *r, int64_t *values, size_t count, bool incremental);

/*
 * Decodes `count` differences and adds them to the values of a stream from number `first` on. Sets
 * in `changed`, unless NULL, the bits of those that are not zero, as gcs_snapshot_changed has them.
 */
void runs_add(struct rd *r, int64_t *values, size_t first, size_t count, uint64_t *changed);

#endif
