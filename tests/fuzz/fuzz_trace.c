/*
 * A trace file, as it is, with right checksums, or put together of raw parts (the first byte says
 * which): every place forwards, backwards and at random, moments, times, profiles, the figures, and
 * the check.
 * Whatever the order, a place shows the same.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kit.h"
#include "stats.h"
#include "trace_parts.h"

enum { MOST_PLACES = 600, MOST_PROFILES = 60, MOST_TILES = 64, MOST_SECONDS = 20 };

static char path[200];

static void remove_file(void)
{
	unlink(path);
}

/* One file for all inputs. */
static void name_file(void)
{
	const char *folder = getenv("TMPDIR");
	if (path[0] != '\0')
		return;
	snprintf(path, sizeof path, "%s/gcspy-fuzz-trace-%ld", folder == NULL ? "/tmp" : folder,
	    (long)getpid());
	atexit(remove_file);
}

static void write_file(const uint8_t *bytes, size_t length)
{
	name_file();
	FILE *file = fopen(path, "wb");
	fuzz_expect(file != NULL && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
}

static void put_file(const uint8_t *data, size_t size)
{
	const enum trace_mode mode = (enum trace_mode)(data[0] % 3);
	struct wr file;
	wr_init(&file, 1 << 24);
	if (mode == TRACE_APART)
		trace_assemble(&file, data + 1, size - 1);
	else
		wr_bytes(&file, data + 1, size - 1);
	if (mode == TRACE_CHECKED)
		trace_mend(file.data, file.length);
	write_file(file.data, file.length);
	wr_fini(&file);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Something of everything in a snapshot. */
static uint64_t hash_of(const struct gcs_snapshot *s)
{
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(s);
	const struct gcs_model *m = gcs_snapshot_model(s);
	uint64_t hash = mix(mix(o->sequence, o->time_ns), m->space_count);
	for (uint32_t i = 0; i < m->space_count; i++) {
		const uint32_t tiles = gcs_snapshot_tiles(s, i);
		hash = mix(hash, tiles);
		for (uint32_t k = 0; tiles != 0 && k < m->spaces[i].stream_count; k++) {
			const int64_t *values = gcs_snapshot_values(s, i, k);
			for (uint32_t n = 0; n < tiles && n < MOST_TILES; n++)
				hash = mix(hash, (uint64_t)values[n]);
		}
	}
	return hash;
}

struct seen {
	uint64_t place, hash, sequence;
};

static struct seen seen[MOST_PLACES];
static uint32_t seen_count;
static bool poor; /* memory was short: what was lost by that is not counted */

/* The snapshot at a place is sound, or there is a reason. */
static bool look(struct gcs_trace *t, uint64_t place, struct seen *what)
{
	struct gcs_error err = {.text = ""};
	struct gcs_snapshot *s = gcs_trace_at(t, place, &err);
	if (s == NULL) {
		fuzz_expect(err.status != GCS_OK && err.text[0] != '\0');
		poor = poor || err.status == GCS_NOMEM;
		fuzz_expect(poor || err.status != GCS_MALFORMED ||
			    gcs_trace_readable(t, place, 1) != place);
		return false;
	}
	fuzz_expect(gcs_snapshot_check(s, NULL) == GCS_OK);
	*what = (struct seen){place, hash_of(s), gcs_snapshot_occurrence(s)->sequence};
	gcs_snapshot_unref(s);
	return true;
}

static void forwards(struct gcs_trace *t)
{
	uint64_t place = 0;
	seen_count = 0;
	for (uint32_t tries = 0; tries < MOST_PLACES; tries++) {
		place = gcs_trace_readable(t, place, 1);
		if (place == UINT64_MAX)
			break;
		seen_count += look(t, place, &seen[seen_count]);
		place++;
	}
}

/* A place that was read before, again. */
static void again(struct gcs_trace *t, const struct seen *before)
{
	struct seen now;
	if (look(t, before->place, &now))
		fuzz_expect(now.hash == before->hash && now.sequence == before->sequence);
	else
		fuzz_expect(poor);
	struct gcs_snapshot *s = gcs_trace_moment(t, before->place, NULL);
	if (s != NULL)
		fuzz_expect(gcs_snapshot_occurrence(s)->sequence == before->sequence);
	gcs_snapshot_unref(s);
}

static void elsewhere(struct gcs_trace *t, uint64_t *state)
{
	struct gcs_trace_info info;
	struct seen what;
	gcs_trace_get_info(t, &info);
	for (uint32_t i = 0; i < 12; i++) {
		const uint64_t any = kit_random(state) >> kit_below(state, 64);
		(void)look(t, any, &what);
		gcs_snapshot_unref(gcs_trace_moment(t, any, NULL));
		const uint64_t found = gcs_trace_find(t, any);
		fuzz_expect(found < info.events);
		(void)gcs_trace_readable(t, any, -1);
	}
}

static void profiles(struct gcs_trace *t)
{
	struct gcs_trace_profile_info info;
	for (uint64_t i = 0; i < MOST_PROFILES && gcs_trace_profile_info(t, i, &info); i++) {
		struct gcs_error err = {.text = ""};
		struct gcs_profile *p = gcs_trace_profile(t, i, &err);
		fuzz_expect(p != NULL || err.text[0] != '\0');
		gcs_profile_free(p);
		(void)gcs_trace_profile_before(t, info.kind, info.place);
	}
}

static bool weigh(void *context, const struct gcs_figure *f)
{
	char text[64];
	(void)context;
	fuzz_expect(f->known || f->why[0] != '\0');
	fuzz_expect(gcs_format_figure(text, sizeof text, f->value, f->unit)[0] != '\0');
	return true;
}

/* Of all that can be read, or there is a reason. */
static void figures(struct gcs_trace *t)
{
	struct gcs_error err = {.text = ""};
	struct gcs_stats *stats = gcs_stats_of_trace(t, 0, UINT64_MAX, NULL, &err);
	fuzz_expect(stats != NULL || err.text[0] != '\0');
	if (stats == NULL)
		return;
	struct gcs_trace_info info;
	gcs_trace_get_info(t, &info);
	fuzz_expect(stats->snapshots + stats->unreadable == info.events);
	gcs_stats_figures(stats, weigh, NULL);
	gcs_stats_free(stats);
}

static void read_all(struct gcs_trace *t, uint64_t seed)
{
	struct gcs_trace_damage damage;
	struct gcs_trace_info info;
	gcs_trace_get_info(t, &info);
	fuzz_expect(info.events != 0 && info.stray_bytes <= info.bytes);
	forwards(t);
	for (uint32_t i = seen_count; i-- != 0;)
		again(t, &seen[i]);
	for (uint32_t i = 0; i < 30 && seen_count != 0; i++)
		again(t, &seen[kit_below(&seed, seen_count)]);
	elsewhere(t, &seed);
	profiles(t);
	figures(t);
	const uint32_t count = gcs_trace_check(t);
	for (uint32_t i = 0; gcs_trace_get_damage(t, i, &damage); i++)
		fuzz_expect(i < count && damage.message[0] != '\0' && damage.offset <= info.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gcs_error err = {.text = ""};
	fuzz_begin();
	if (size < 2)
		return 0;
	poor = false;
	put_file(data, size);
	const clock_t begin = clock();
	struct gcs_trace *t = gcs_trace_open(path, &err);
	if (t == NULL)
		fuzz_expect(err.status != GCS_OK && err.text[0] != '\0');
	else
		read_all(t, size);
	gcs_trace_close(t);
	/* No input keeps a reader busy for long. */
	fuzz_expect((clock() - begin) / CLOCKS_PER_SEC < MOST_SECONDS);
	fuzz_end();
	return 0;
}
