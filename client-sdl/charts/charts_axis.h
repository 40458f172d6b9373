/*
 * Axes from the smallest to the largest value, with a few readable ticks with units. Steps are 1, 2
 * or 5 times a power of ten, for bytes a power of two. Pure; any range within int64_t works, and
 * none yields NaN.
 */
#ifndef GCSPY_CLIENT_CHARTS_AXIS_H
#define GCSPY_CLIENT_CHARTS_AXIS_H

#include <gcspy/model.h>

#define AXIS_TICKS 24
#define AXIS_LABEL 64

struct axis {
	double low, high; /* low < high */
	bool names;       /* labels are names, which may be cut */
	int count;
	double tick[AXIS_TICKS];
	char label[AXIS_TICKS][AXIS_LABEL];
};

/* The smallest readable step that divides the range into at most `most` steps; at least 1. */
double axis_step(double range, double most, bool bytes);

/* An axis for the values of a stream, at least from low to high; about `most` ticks. whole: extends
 * the ends to ticks. */
void axis_of_values(struct axis *axis, const struct gcs_stream *stream, double low, double high,
    int most, bool whole);

/* 0 to 100 %, or more if a value is more. */
void axis_of_shares(struct axis *axis, double high);

/* Counts from 0. */
void axis_of_counts(struct axis *axis, double high, int most);

/* Tiles from 0 to count - 1; each has the width 1. */
void axis_of_tiles(struct axis *axis, uint32_t count, int most);

/* A value's position on the axis, 0 to 1. */
double axis_place(const struct axis *axis, double value);

#endif
