#include "charts_axis.h"

#include <gcspy/format.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "charts_data.h"

/* Maximum characters of a label; a longer number is written with a power of ten. */
enum { AXIS_LABEL_MOST = 15 };

double axis_step(double range, double most, bool bytes)
{
	double wanted = range / (most > 1 ? most : 1);
	if (!(wanted > 1))
		return 1;
	if (bytes)
		return exp2(ceil(log2(wanted) - 1e-9));
	double ten = pow(10, floor(log10(wanted)));
	static const double steps[] = {1, 2, 5, 10};
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		if (steps[i] * ten >= wanted * (1 - 1e-9))
			return steps[i] * ten;
	}
	return 10 * ten;
}

double axis_place(const struct axis *a, double value)
{
	double part = (value - a->low) / (a->high - a->low);
	return part > 0 ? (part < 1 ? part : 1) : 0;
}

static void put_ticks(struct axis *a, double step)
{
	double first = ceil(a->low / step - 1e-9);
	a->count = 0;
	for (int i = 0; i < AXIS_TICKS; i++) {
		double at = (first + i) * step;
		if (at > a->high + step * 1e-9)
			break;
		a->tick[a->count++] = at;
	}
}

static void widen(struct axis *a)
{
	if (!(a->high > a->low))
		a->high = a->low + 1;
	/* Adding 1 to a very large number does not change it. */
	if (!(a->high > a->low))
		a->high = a->low + fabs(a->low) * 1e-6;
}

/* A tick for each name, or for every nth if there are many. */
static void names(struct axis *a, const struct gcs_stream *st, int most)
{
	uint32_t every = st->enum_count / (uint32_t)(most > 1 ? most : 1) + 1;
	if (st->enum_count <= (uint32_t)most)
		every = 1;
	a->count = 0;
	a->names = true;
	for (uint32_t i = 0; i < st->enum_count && a->count < AXIS_TICKS; i += every) {
		a->tick[a->count] = (double)st->min + i;
		snprintf(a->label[a->count], AXIS_LABEL, "%.60s", st->enum_names[i]);
		chart_clean(a->label[a->count++]);
	}
}

void axis_of_values(
    struct axis *a, const struct gcs_stream *st, double low, double high, int most, bool whole)
{
	memset(a, 0, sizeof *a);
	a->low = low;
	a->high = high;
	most = most < AXIS_TICKS - 4 ? most : AXIS_TICKS - 4;
	widen(a);
	if (st->presentation == GCS_ENUM) {
		names(a, st, most);
		return;
	}
	double step = axis_step(a->high - a->low, most, st->format == GCS_BYTES);
	if (whole) {
		a->low = floor(a->low / step) * step;
		a->high = ceil(a->high / step) * step;
	}
	put_ticks(a, step);
	for (int i = 0; i < a->count; i++) {
		gcs_format_number(a->label[i], AXIS_LABEL, chart_whole(a->tick[i]), st->format);
		/* A truncated number would be wrong. */
		if (strlen(a->label[i]) > AXIS_LABEL_MOST)
			snprintf(a->label[i], AXIS_LABEL, "%.3g", a->tick[i]);
	}
}

void axis_of_shares(struct axis *a, double high)
{
	memset(a, 0, sizeof *a);
	a->high = high > 100 ? high : 100;
	put_ticks(a, high > 100 ? axis_step(a->high, 4, false) : 50);
	for (int i = 0; i < a->count; i++) {
		char number[48];
		gcs_format_number(number, sizeof number, chart_whole(a->tick[i]), GCS_DECIMAL);
		snprintf(a->label[i], AXIS_LABEL, "%s %%", number);
	}
}

static void counts(struct axis *a, double step)
{
	put_ticks(a, step);
	for (int i = 0; i < a->count; i++)
		gcs_format_number(a->label[i], AXIS_LABEL, chart_whole(a->tick[i]), GCS_DECIMAL);
}

void axis_of_counts(struct axis *a, double high, int most)
{
	memset(a, 0, sizeof *a);
	double step = axis_step(high, most < AXIS_TICKS - 4 ? most : AXIS_TICKS - 4, false);
	a->high = high > 1 ? ceil(high / step) * step : 1;
	counts(a, step);
}

void axis_of_tiles(struct axis *a, uint32_t count, int most)
{
	memset(a, 0, sizeof *a);
	a->high = count > 1 ? count : 1;
	counts(a, axis_step(a->high, most < AXIS_TICKS - 4 ? most : AXIS_TICKS - 4, false));
	if (a->count > 1 && a->tick[a->count - 1] >= a->high)
		a->count--; /* not a tile */
}
