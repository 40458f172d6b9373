/*
 * What the figures of the paper show (R3), as numbers of recordings of their runs. GCSPY_TRAIN_FIGURES=full has the
 * figures' own sizes; without it the runs are smaller, where that does not change what is seen.
 */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/trace.h>

#include "train_kit.h"
#include "train_options.h"
#include "train_server.h"

enum { MOST_ARGUMENTS = 16 };

/* A recording of a figure's run, and what the heap has counted. */
struct recorded {
	char path[64];
	struct gcs_trace *trace;
	struct train_statistics done;
};

static bool full_size(void)
{
	const char *size = getenv("GCSPY_TRAIN_FIGURES");
	return size != NULL && strcmp(size, "full") == 0;
}

static void exhausted(void *context, const char *why)
{
	(void)context;
	cr_assert(false, "%s", why);
}

/* Runs part `part` of the figure, with these options too (up to NULL) unless the size is full. */
static struct recorded record(uint32_t number, int part, char *const smaller[])
{
	struct recorded is = {.trace = NULL};
	struct program_options options;
	struct gcs_error err = {0};
	char why[300] = "", *arguments[MOST_ARGUMENTS] = {"figures"};
	int count = 1;
	for (int i = 0; !full_size() && smaller[i] != NULL; i++)
		arguments[count++] = smaller[i];
	const struct figure_part *of = &figure_find(number)->parts[part];
	cr_assert(
	    program_options_for_figure(&options, of, count, arguments, why, sizeof why), "%s", why);
	snprintf(is.path, sizeof is.path, "train-figure-%u-%d.gcspy", (unsigned)number, part);
	struct train_server_options to = {
	    .server = {.name = "figure", .port = -1}, .record = is.path, .steps_only = true};
	struct train_server *server = train_server_create(&to, &err);
	cr_assert_not_null(server, "%s", err.text);
	options.heap.hooks = train_server_hooks(server);
	options.heap.exhausted = exhausted;
	struct train_heap *heap = train_heap_create(&options.heap, why, sizeof why);
	cr_assert_not_null(heap, "%s", why);
	cr_assert_eq(train_server_start(server, heap, &err), GCS_OK, "%s", err.text);
	struct mutator_run run = {
	    .heap = heap, .seed = options.seed, .size = options.size, .steps = options.steps};
	const char *wrong = options.mutator->run(&run);
	cr_expect_null(wrong, "%s", wrong);
	is.done = *train_heap_statistics(heap);
	train_server_destroy(server);
	train_heap_destroy(heap);
	is.trace = gcs_trace_open(is.path, &err);
	cr_assert_not_null(is.trace, "%s", err.text);
	return is;
}

static void end(struct recorded *is)
{
	gcs_trace_close(is->trace);
	unlink(is->path);
}

/* The next snapshot of an event from `*place` on, or NULL after the last one. */
static struct gcs_snapshot *next(struct recorded *is, uint64_t *place)
{
	struct gcs_snapshot *snapshot;
	while ((snapshot = gcs_trace_at(is->trace, (*place)++, NULL)) != NULL) {
		const struct gcs_occurrence *now = gcs_snapshot_occurrence(snapshot);
		cr_expect_eq(now->missed, 0);
		if (now->event != GCS_NONE)
			return snapshot;
		gcs_snapshot_unref(snapshot);
	}
	return NULL;
}

static const int64_t *column(
    const struct gcs_snapshot *snapshot, const char *space, const char *stream, uint32_t *tiles)
{
	const struct gcs_model *model = gcs_snapshot_model(snapshot);
	uint32_t s = gcs_model_find_space(model, space);
	uint32_t of = s == GCS_NONE ? s : gcs_space_find_stream(&model->spaces[s], stream);
	cr_assert_neq(of, GCS_NONE, "%s, %s", space, stream);
	*tiles = gcs_snapshot_tiles(snapshot, s);
	return gcs_snapshot_values(snapshot, s, of);
}

static double sum(const int64_t *values, uint32_t count)
{
	double all = 0;
	for (uint32_t i = 0; i < count; i++)
		all += (double)values[i];
	return all;
}

static uint32_t largest(const int64_t *values, uint32_t count)
{
	uint32_t at = 0;
	for (uint32_t i = 1; i < count; i++)
		if (values[i] > values[at])
			at = i;
	return at;
}

/* Fragmentation of regions; cars are full, and fewer after the peak. Popular cars wander to the left, and
 * begin again at the right edge. */
Test(train_figures, figure_5)
{
	struct recorded is = record(5, 0, (char *[]){NULL});
	struct gcs_snapshot *snapshot;
	uint64_t holes[10] = {0}, used = 0, standard = 0, thin = 0, wraps = 0, rows = 0;
	uint32_t peak = 0, peak_row = 0, cars = 0, popular_before = UINT32_MAX;
	for (uint64_t place = 0; (snapshot = next(&is, &place)) != NULL; rows++) {
		uint32_t tiles, popular = UINT32_MAX, top = 0;
		const int64_t *bytes = column(snapshot, "Regions", "Used space", &tiles);
		for (uint32_t i = 0; i < tiles; i++)
			if (bytes[i] > 0)
				top = i + 1;
		for (uint32_t i = 0; i < top; i++) {
			holes[(uint64_t)i * 10 / top] += bytes[i] == 0;
			used += bytes[i] > 0;
		}
		bytes = column(snapshot, "Cars", "Used space", &cars);
		const int64_t *type = column(snapshot, "Cars", "Car type", &cars);
		for (uint32_t i = 0; i < cars; i++) {
			standard += type[i] == CAR_STANDARD;
			thin += type[i] == CAR_STANDARD && bytes[i] < REGION_BYTES / 2;
			if (type[i] == CAR_POPULAR && popular == UINT32_MAX)
				popular = i;
		}
		if (popular != UINT32_MAX && popular_before != UINT32_MAX &&
		    popular > popular_before + cars / 4)
			wraps++;
		popular_before = popular;
		if (cars > peak) {
			peak = cars;
			peak_row = (uint32_t)rows;
		}
		gcs_snapshot_unref(snapshot);
	}
	uint64_t all = 0;
	for (int i = 0; i < 10; i++) {
		cr_expect_gt(holes[i], 0, "tenth %d", i);
		all += holes[i];
	}
	double share = (double)all / (double)(all + used);
	printf("figure 5: holes %.3f, peak at %u of %u, %u to %u cars, thin %.3f, wraps %u\n",
	    share, peak_row, (unsigned)rows, peak, cars, (double)thin / (double)standard,
	    (unsigned)wraps);
	cr_expect(share >= 0.01 && share <= 0.2, "holes %.3f", share);
	cr_expect(peak_row < 0.4 * (double)rows, "peak at %u of %u", peak_row, (unsigned)rows);
	cr_expect(cars <= 0.92 * peak, "%u of %u cars", cars, peak);
	cr_expect((double)thin < 0.1 * (double)standard);
	cr_expect_geq(wraps, 1);
	end(&is);
}

/* What is evacuated comes to the last cars of a train, mostly the longest. */
Test(train_figures, figure_6)
{
	struct recorded is = record(6, 0, (char *[]){"size=120", NULL});
	struct gcs_snapshot *snapshot;
	double all = 0, to_end = 0, to_longest = 0, share = 0;
	for (uint64_t place = 0; (snapshot = next(&is, &place)) != NULL;) {
		uint32_t cars, trains, at = 0;
		const int64_t *moved = column(snapshot, "Cars", "Evacuation", &cars);
		const int64_t *train = column(snapshot, "Cars", "Train ID", &cars);
		for (uint32_t i = 0; i < cars; i++) {
			all += (double)moved[i];
			if (i + 9 >= cars || train[i + 9] != train[i])
				to_end += (double)moved[i];
		}
		const int64_t *length = column(snapshot, "Trains", "Length", &trains);
		moved = column(snapshot, "Trains", "Evacuation", &trains);
		at = largest(length, trains);
		if (trains > 0)
			to_longest += (double)moved[at];
		if (trains > 4)
			share = fmax(share, (double)length[at] / sum(length, trains));
		gcs_snapshot_unref(snapshot);
	}
	printf("figure 6: to the end %.3f, to the longest %.2f, its share of cars at most %.2f\n",
	    to_end / all, to_longest / all, share);
	cr_expect(to_end >= 0.98 * all, "%.3f", to_end / all);
	cr_expect(to_longest >= 0.4 * all, "%.2f", to_longest / all);
	cr_expect(share >= 0.4, "%.2f", share);
	end(&is);
}

/* A train far longer than the others goes round; each round takes longer. Before it is collected few
 * trains have higher references, after the array has left all older ones do. */
Test(train_figures, figure_7)
{
	struct recorded is = record(7, 0, (char *[]){"steps=1", NULL}); /* the phase that builds */
	struct gcs_snapshot *snapshot;
	double all = 0, to_longest = 0, share = 0, least = 1, most = 0;
	uint32_t row = 0, begun = 0, length_before = 0, first = 0, last = 0, rounds = 0,
		 switched = 0;
	bool was_oldest = true;
	for (uint64_t place = 0; (snapshot = next(&is, &place)) != NULL; row++) {
		uint32_t trains;
		const int64_t *moved = column(snapshot, "Trains", "Evacuation", &trains);
		const int64_t *length = column(snapshot, "Trains", "Length", &trains);
		double higher =
		    sum(column(snapshot, "Trains", "Higher references", &trains), trains);
		uint32_t at = largest(length, trains);
		if (trains > 0) {
			all += sum(moved, trains);
			to_longest += (double)moved[at];
		}
		bool long_one = trains > 3 && (double)length[at] >= 0.2 * sum(length, trains);
		if (long_one) {
			share = fmax(share, (double)length[at] / sum(length, trains));
			least = fmin(least, higher / trains);
			most = fmax(most, higher / trains);
		}
		if (long_one && at == 0 && !was_oldest) { /* a round ends */
			uint32_t took = row - begun;
			if (took >= 20 && length_before > 0) {
				printf("figure 7: round of %u steps, higher %.2f to %.2f\n", took,
				    least, most);
				rounds++;
				first = first == 0 ? took : first;
				cr_expect(took >= 1.1 * last, "%u steps after %u", took, last);
				switched += least <= 0.2 && most >= 0.75;
				last = took;
			}
			length_before = took;
			begun = row;
			least = 1;
			most = 0;
		}
		if (long_one)
			was_oldest = at == 0;
		gcs_snapshot_unref(snapshot);
	}
	printf("figure 7: to the longest %.2f, its share of cars at most %.2f, %u rounds\n",
	    to_longest / all, share, rounds);
	cr_expect(to_longest >= 0.5 * all, "%.2f", to_longest / all);
	cr_expect(share >= 0.5, "%.2f", share);
	cr_expect_geq(rounds, 5);
	cr_expect(last >= 3 * first, "%u, later %u", first, last);
	cr_expect_eq(switched, rounds);
	end(&is);
}

struct churn {
	double ratio;       /* bytes evacuated per byte promoted */
	double oldest;      /* share of these that comes to the oldest tenth of trains */
	double higher;      /* share of trains with higher references */
	double correlation; /* of length and entries, over trains */
};

static struct churn churn_of(struct recorded *is)
{
	struct churn churn = {0};
	struct gcs_snapshot *snapshot;
	double moved_all = 0, n = 0, higher_all = 0, sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
	for (uint64_t place = 0; (snapshot = next(is, &place)) != NULL;) {
		uint32_t trains;
		const int64_t *moved = column(snapshot, "Trains", "Evacuation", &trains);
		const int64_t *length = column(snapshot, "Trains", "Length", &trains);
		const int64_t *entries = column(snapshot, "Trains", "RS length", &trains);
		const int64_t *higher = column(snapshot, "Trains", "Higher references", &trains);
		for (uint32_t i = 0; i < trains; i++) {
			double x = (double)length[i], y = (double)entries[i];
			moved_all += (double)moved[i];
			churn.oldest += i * 10 <= trains ? (double)moved[i] : 0;
			higher_all += (double)higher[i];
			n++, sx += x, sy += y, sxx += x * x, syy += y * y, sxy += x * y;
		}
		gcs_snapshot_unref(snapshot);
	}
	churn.ratio = (double)is->done.evacuated / (double)is->done.promoted;
	churn.oldest /= moved_all;
	churn.higher = higher_all / n;
	churn.correlation = (sxy - sx * sy / n) / sqrt((sxx - sx * sx / n) * (syy - sy * sy / n));
	return churn;
}

/* What survives moves only a little: into the oldest trains, again and again. */
Test(train_figures, figure_8)
{
	struct recorded is = record(8, 0, (char *[]){"size=20", NULL});
	struct churn churn = churn_of(&is);
	printf("figure 8: evacuated per promoted %.2f, to the oldest tenth %.2f, higher %.2f, "
	       "correlation %.2f\n",
	    churn.ratio, churn.oldest, churn.higher, churn.correlation);
	cr_expect(churn.ratio >= 2, "%.2f", churn.ratio);
	cr_expect(churn.oldest >= 0.7, "%.2f", churn.oldest);
	cr_expect(churn.higher >= 0.8, "%.2f", churn.higher);
	cr_expect(churn.correlation >= 0.4, "%.2f", churn.correlation);
	end(&is);
}

struct sets {
	double cars, mean, variation, largest, filled;
};

static struct sets sets_of(struct recorded *is)
{
	struct sets sets = {0};
	struct gcs_snapshot *snapshot;
	double n = 0, all = 0, squares = 0, filled = 0;
	for (uint64_t place = 0; (snapshot = next(is, &place)) != NULL;) {
		uint32_t cars;
		const int64_t *entries = column(snapshot, "Cars", "RS entries", &cars);
		for (uint32_t i = 0; i < cars; i++) {
			double x = (double)entries[i];
			n++, all += x, squares += x * x;
			filled += x > 0;
			sets.largest = fmax(sets.largest, x);
		}
		sets.cars = fmax(sets.cars, cars);
		gcs_snapshot_unref(snapshot);
	}
	sets.mean = all / n;
	sets.variation = sqrt(squares / n - sets.mean * sets.mean) / sets.mean;
	sets.filled = filled / n;
	return sets;
}

/* Without the two optimisations few cars have nearly all entries; with them there are more cars, small
 * ones, and even sets. */
Test(train_figures, figure_9)
{
	char *const smaller[] = {"size=18", "steps=60", NULL};
	struct recorded off = record(9, 0, smaller), on = record(9, 1, smaller);
	struct sets top = sets_of(&off), bottom = sets_of(&on);
	printf("figure 9: cars %.0f and %.0f, mean set %.0f and %.0f, variation %.2f and %.2f, "
	       "largest %.0f and %.0f, filled %.2f and %.2f\n",
	    top.cars, bottom.cars, top.mean, bottom.mean, top.variation, bottom.variation,
	    top.largest, bottom.largest, top.filled, bottom.filled);
	cr_expect(bottom.cars >= 2 * top.cars);
	cr_expect(bottom.mean <= top.mean / 4);
	cr_expect(bottom.variation <= top.variation / 4);
	cr_expect(bottom.largest <= top.largest / 50);
	cr_expect(top.filled <= 0.6);
	end(&off);
	end(&on);
}
