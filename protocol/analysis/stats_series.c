/* Values over time (Welford's sums, which keep small differences of large values exact). */

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "stats_internal.h"

void stats_series_add(struct stats_series *s, const struct stats_moment *when, double value)
{
	if (s->count == 0 || value < s->min) {
		s->min = value;
		s->min_place = when->place;
	}
	if (s->count == 0 || value > s->max) {
		s->max = value;
		s->max_place = when->place;
	}
	if (s->count == 0) {
		s->first = value;
		s->first_seconds = when->seconds;
	}
	s->last = value;
	s->last_seconds = when->seconds;
	s->count++;
	const double n = (double)s->count;
	const double time_off = when->seconds - s->mean_time;
	const double value_off = value - s->mean;
	s->mean_time += time_off / n;
	s->mean += value_off / n;
	s->time_time += time_off * (when->seconds - s->mean_time);
	s->time_value += time_off * (value - s->mean);
	s->value_value += value_off * (value - s->mean);
}

static void fit(const struct stats_series *s, struct gcs_stats_series *result)
{
	enum { SECONDS_PER_HOUR = 3600 };
	const double slope = s->time_value / s->time_time;
	const double rest = s->value_value - slope * s->time_value;
	result->has_trend = true;
	result->trend_per_hour = slope * SECONDS_PER_HOUR;
	if (s->count > 2)
		result->trend_error =
		    sqrt((rest > 0 ? rest : 0) / (double)(s->count - 2) / s->time_time) *
		    SECONDS_PER_HOUR;
}

void stats_series_give(const struct stats_series *s, struct gcs_stats_series *result)
{
	const bool any = s->count != 0;
	*result = (struct gcs_stats_series){
	    .count = s->count,
	    .min = any ? s->min : NAN,
	    .mean = any ? s->mean : NAN,
	    .max = any ? s->max : NAN,
	    .first = any ? s->first : NAN,
	    .last = any ? s->last : NAN,
	    .min_place = any ? s->min_place : GCS_NO_PLACE,
	    .max_place = any ? s->max_place : GCS_NO_PLACE,
	    .first_seconds = s->first_seconds,
	    .last_seconds = s->last_seconds,
	    .trend_per_hour = NAN,
	    .trend_error = -1,
	    .deviation = s->count > 1 ? sqrt(s->value_value / (double)(s->count - 1)) : 0,
	};
	if (s->count > 1 && s->time_time > 0)
		fit(s, result);
}

void stats_because(struct gcs_stats_reason *reason, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vsnprintf(reason->text, sizeof reason->text, format, list);
	va_end(list);
}
