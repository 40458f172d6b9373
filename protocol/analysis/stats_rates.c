/* Rates from one event to the next: allocation, promotion, waste of TLABs. */

#include "stats_internal.h"

#include <math.h>

/* Less time says nothing of a rate: what is allocated comes in whole buffers and regions. */
static const double least_seconds = 0.01;

static double total(const struct gcs_snapshot *s, uint32_t space, uint32_t stream)
{
	uint32_t count = 0;
	const int64_t *values = gcs_snapshot_summary(s, space, stream, &count);
	return values == NULL || count == 0 ? 0 : (double)values[0];
}

/* Bytes used in the old generation; false if the snapshot does not have them. */
static bool old_used(const struct stats_names *names, const struct stats_view *v, double *bytes)
{
	const struct gcs_snapshot *s = v->snapshot;
	if (names->old_space == GCS_NONE || !gcs_snapshot_gathered(s, names->old_space))
		return false;
	*bytes = 0;
	if (names->old_type == GCS_NONE) {
		*bytes = total(s, names->old_space, names->old_used);
		return true;
	}
	const int64_t *type = gcs_snapshot_values(s, names->old_space, names->old_type);
	const int64_t *used = gcs_snapshot_values(s, names->old_space, names->old_used);
	for (uint32_t i = 0; i < gcs_snapshot_tiles(s, names->old_space); i++)
		*bytes += type[i] == names->old_value ? (double)used[i] : 0;
	return true;
}

/* The shortest time that has a peak. */
#define PEAK_SECONDS 0.1

static void flow(struct stats_flow *f, double bytes, double seconds, uint64_t place)
{
	f->bytes += bytes;
	f->seconds += seconds;
	f->squares += bytes * bytes;
	f->products += bytes * seconds;
	f->times += seconds * seconds;
	f->intervals++;
	/* A rate of a millisecond between two pauses is of no use: short intervals count together. */
	f->recent_bytes += bytes;
	f->recent_seconds += seconds;
	if (f->recent_seconds < PEAK_SECONDS)
		return;
	const double rate = f->recent_bytes / f->recent_seconds;
	if (!f->has_peak || rate > f->peak) {
		f->has_peak = true;
		f->peak = rate;
		f->peak_place = place;
	}
	f->recent_bytes = f->recent_seconds = 0;
}

/* The beginning of a collection: it has a cause and no pause yet. */
static void note_buffers(
    struct stats_rates *r, const struct stats_names *names, const struct stats_view *v)
{
	const struct gcs_snapshot *s = v->snapshot;
	r->has_buffers = false;
	if (names->tlabs == GCS_NONE || v->event->cause == GCS_NONE ||
	    v->event->pause != GCS_NONE || !gcs_snapshot_gathered(s, names->tlabs) ||
	    names->tlab_waste == GCS_NONE || names->tlab_used == GCS_NONE ||
	    names->tlab_size == GCS_NONE)
		return;
	const int64_t *used = gcs_snapshot_values(s, names->tlabs, names->tlab_used);
	const int64_t *size = gcs_snapshot_values(s, names->tlabs, names->tlab_size);
	r->has_buffers = true;
	r->refill = total(s, names->tlabs, names->tlab_waste);
	r->unused = 0;
	for (uint32_t i = 0; i < gcs_snapshot_tiles(s, names->tlabs); i++)
		r->unused += size[i] > used[i] ? (double)(size[i] - used[i]) : 0;
}

/* The end of a collection that retired the buffers. True if their waste is known. */
static bool retire(struct stats_rates *r, const struct stats_view *v)
{
	const bool whole = v->kind_class == STATS_YOUNG || v->kind_class == STATS_COLLECTION;
	if (!r->has_buffers || !v->next || !whole)
		return false;
	r->refill_bytes += r->refill;
	r->unused_bytes += r->unused;
	r->retired++;
	return true;
}

/* From the last event with used bytes after it to this one. */
static void interval(struct stats_rates *r, const struct stats_view *v, double before)
{
	const double seconds = v->when.seconds - r->last_seconds;
	const double bytes = before - r->last_after;
	if (bytes < 0) {
		r->shrank++;
	} else {
		flow(&r->allocation, bytes, seconds, v->when.place);
		r->step.allocated = bytes;
		r->step.seconds = seconds;
	}
	if (retire(r, v) && bytes >= 0)
		r->wasted += r->refill + r->unused;
}

static void promote(struct stats_rates *r, const struct stats_view *v, double old)
{
	const double seconds = v->when.seconds - r->last_seconds;
	if (v->kind_class != STATS_YOUNG) {
		r->promotion.seconds += seconds;
	} else if (r->has_old) {
		flow(&r->promotion, old - r->old, seconds, v->when.place);
		r->step.promoted = old - r->old;
	}
}

static void finish(struct stats_rates *r, const struct stats_view *v, bool knows_old, double old)
{
	double before, after;
	if (!stats_number(v, v->event->after, &after))
		return;
	if (!v->adjoins)
		stats_rates_break(r);
	if (r->has_last && stats_number(v, v->event->before, &before))
		interval(r, v, before);
	else
		retire(r, v);
	if (r->has_last && knows_old)
		promote(r, v, old);
	r->has_last = true;
	r->last_after = after;
	r->last_seconds = v->when.seconds;
}

void stats_rates_break(struct stats_rates *r)
{
	r->has_last = r->has_old = r->has_buffers = false;
}

void stats_rates_describe(struct stats_rates *r, const struct stats_names *names)
{
	for (uint32_t i = 0; i < names->event_count; i++) {
		const struct stats_event_names *event = &names->events[i];
		r->declares_before =
		    r->declares_before || (event->before != GCS_NONE && event->after != GCS_NONE);
		r->declares_kind = r->declares_kind || event->kind != GCS_NONE;
	}
	r->old_described = r->old_described || names->old_space != GCS_NONE;
	r->buffers_described = r->buffers_described || names->tlabs != GCS_NONE;
	r->waste_described = r->waste_described || names->tlab_waste != GCS_NONE;
}

void stats_rates_add(
    struct stats_rates *r, const struct stats_names *names, const struct stats_view *v)
{
	double old = 0;
	r->step = (struct stats_step){NAN, NAN, NAN};
	const bool knows_old = old_used(names, v, &old);
	finish(r, v, knows_old, old);
	r->has_old = knows_old;
	r->old = old;
	note_buffers(r, names, v);
}

/* The standard error of a ratio of sums (Cochran, Sampling Techniques, section 6.4), from what the
 * intervals' bytes differ by from the rate times their seconds. */
static double error_of(const struct stats_flow *f, double rate)
{
	const double n = (double)f->intervals;
	const double rest = f->squares - 2 * rate * f->products + rate * rate * f->times;
	if (f->intervals < 2 || !(f->seconds > 0))
		return -1;
	return sqrt(fmax(rest, 0) * n / (n - 1)) / f->seconds;
}

static void give_flow(const struct stats_flow *f, struct gcs_stats_rate *rate)
{
	rate->bytes = f->bytes;
	rate->seconds = f->seconds;
	rate->intervals = f->intervals;
	rate->per_second = f->seconds > 0 ? f->bytes / f->seconds : 0;
	rate->error = error_of(f, rate->per_second);
	rate->peak_per_second = f->has_peak ? f->peak : -1;
	rate->peak_place = f->has_peak ? f->peak_place : GCS_NO_PLACE;
}

/* Clears a rate that has a reason to be absent. */
static void absent(struct gcs_stats_rate *rate)
{
	const struct gcs_stats_reason why = rate->why;
	*rate = (struct gcs_stats_rate){
	    .why = why, .error = -1, .peak_per_second = -1, .peak_place = GCS_NO_PLACE};
}

static void too_short(const struct stats_flow *f, struct gcs_stats_reason *why)
{
	char text[40];
	stats_because(why, "collections in a row were recorded for %s only, too short for a rate",
	    gcs_format_figure(text, sizeof text, f->seconds * 1e9, GCS_UNIT_NANOSECONDS));
}

static void give_allocation(
    const struct stats_rates *r, const struct stats_heap *heap, struct gcs_stats_rate *rate)
{
	give_flow(&r->allocation, rate);
	if (!stats_heap_frees_in_pauses(heap, &rate->why))
		;
	else if (!r->declares_before)
		stats_because(
		    &rate->why, "no event has both attributes \"Used before\" and \"Used after\"");
	else if (r->allocation.seconds <= 0)
		stats_because(&rate->why, r->shrank != 0
					      ? "memory was freed between the collections"
					      : "no two collections in a row were recorded");
	else if (r->allocation.seconds < least_seconds)
		too_short(&r->allocation, &rate->why);
	if (rate->why.text[0] != '\0')
		absent(rate);
}

static void give_promotion(
    const struct stats_rates *r, const struct stats_heap *heap, struct gcs_stats_rate *rate)
{
	give_flow(&r->promotion, rate);
	if (!stats_heap_frees_in_pauses(heap, &rate->why))
		;
	else if (!r->declares_kind)
		stats_because(&rate->why, "no event has an attribute \"Kind\" with young "
					  "collections");
	else if (!r->old_described)
		stats_because(&rate->why, "there is no space of an old generation, and none with a "
					  "stream \"Type\" that knows \"Old\" tiles");
	else if (r->promotion.intervals == 0 || r->promotion.seconds <= 0)
		stats_because(&rate->why, "no two collections in a row were recorded, the second "
					  "one young, with the old generation's tiles");
	else if (r->promotion.seconds < least_seconds)
		too_short(&r->promotion, &rate->why);
	if (rate->why.text[0] != '\0')
		absent(rate);
}

static void give_tlabs(const struct stats_rates *r, const struct stats_heap *heap,
    const struct gcs_stats_rate *allocation, struct gcs_stats_tlabs *tlabs)
{
	*tlabs = (struct gcs_stats_tlabs){.share = -1};
	if (!stats_heap_frees_in_pauses(heap, &tlabs->why))
		return;
	if (!r->buffers_described)
		stats_because(&tlabs->why, "there is no space \"TLABs\"");
	else if (!r->waste_described)
		stats_because(&tlabs->why, "the space \"TLABs\" has no stream \"Refill waste\"");
	else if (r->retired == 0)
		stats_because(&tlabs->why, "no beginning of a collection was recorded with the "
					   "space \"TLABs\", right before its end");
	if (tlabs->why.text[0] != '\0')
		return;
	tlabs->collections = r->retired;
	tlabs->refill_bytes = r->refill_bytes;
	tlabs->unused_bytes = r->unused_bytes;
	tlabs->per_collection = (r->refill_bytes + r->unused_bytes) / (double)r->retired;
	if (allocation->why.text[0] == '\0' && allocation->bytes > 0)
		tlabs->share = r->wasted / allocation->bytes;
}

void stats_rates_give(
    const struct stats_rates *r, const struct stats_heap *heap, struct gcs_stats *result)
{
	give_allocation(r, heap, &result->allocation);
	give_promotion(r, heap, &result->promotion);
	give_tlabs(r, heap, &result->allocation, &result->tlabs);
}
