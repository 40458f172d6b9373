/*
 * Traces for tests, and a recorder without options:
 *
 *	trace-maker plain|grown|old|wide|long|hostile|bare|slow|leaking FILE
 *	trace-maker record ADDRESS FILE EVENTS
 *
 * plain: ten collections, a second apart, with profiles. grown: the same with twice as much; old:
 * that by a server that does not distinguish live from new; wide: that with a long name. long: 800 collections. bare: clock events only. slow: the last collection is asked for and takes 300 ms. hostile: names that would steer a
 * terminal. leaking: one line of the program keeps objects of two classes, by two stacks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/client.h>
#include <gcspy/memory.h>
#include <gcspy/trace.h>

#include "kit_gc.h"
#include "making.h"

#define LONG_NAME                                                                                  \
	"com.example.warehouse.inventory.persistence.transactional.optimistic."                    \
	"OrderLineRepositoryWithAuditTrailAndRetries"

enum { COLLECTIONS = 10, MANY = 800, MIB = 1 << 20 };

static bool earlier; /* a server of an earlier version */
static bool slow;    /* with a long pause at the end */

/* Writes a profile, or the same of an older server, and frees it. */
static void give_profile(struct gcs_profile *p)
{
	struct gcs_profile_head head = *gcs_profile_head(p);
	head.live_includes_new = true;
	struct gcs_profile *copy = earlier ? gcs_profile_create(&head) : NULL;
	if (copy == NULL) {
		making_profile(p);
		return;
	}
	for (uint32_t i = 0; i < gcs_profile_name_count(p); i++)
		gcs_profile_add_name(copy, gcs_profile_name(p, i));
	for (uint32_t i = 0; i < gcs_profile_frame_count(p); i++)
		gcs_profile_add_frame(copy, gcs_profile_frame(p, i));
	for (uint32_t i = 0; i < gcs_profile_stack_count(p); i++)
		gcs_profile_add_stack(copy, gcs_profile_stack(p, i));
	for (uint32_t i = 0; i < gcs_profile_entry_count(p); i++)
		must(gcs_profile_add_entry(copy, gcs_profile_entry(p, i)), "no entry");
	making_profile(copy);
	gcs_profile_free(p);
}

static void profiles(int wall_s, double scale, const char *class_name)
{
	const struct kit_gc_site sites[] = {{class_name, "grow", wall_s * 600000.0 * scale},
	    {"byte[]", "keep", 50000}, {"int[]", "shrink", 90000 - wall_s * 8000.0}};
	give_profile(kit_gc_profile(GCS_PROFILE_LIVE, wall_s, wall_s * 5e6 * scale, 3, sites));
	give_profile(kit_gc_profile(GCS_PROFILE_ALLOCATED, wall_s, wall_s * 5e6 * scale, 2, sites));
}

/* One collection: 4 MiB allocated, of which 128 KiB become old. */
static void collect(struct kit_gc *gc, int i, int scale, const char *cause)
{
	enum { SLOW_MS = 300 };
	const int ms = slow && i == COLLECTIONS - 1 ? SLOW_MS : (i + 1) * scale;
	cause = slow && i == COLLECTIONS - 1 ? "System.gc()" : cause;
	const int old = (i + 1) * 128 * scale;
	const int before[KIT_GC_TILES] = {old - 128 * scale, 1024, 0, 1024, 1024, 0, 1024, 0};
	const int after[KIT_GC_TILES] = {old, 0, 0, 0, 0, 64, 0, 0};
	struct gcs_snapshot *s = kit_gc_event(gc, KIT_GC_START, (uint64_t)i * 1000 + 990);
	gcs_snapshot_set_text(s, 0, cause);
	gcs_snapshot_set_number(s, 1, 4 * MIB);
	kit_gc_regions(s, "OEFEEFE-", before);
	kit_gc_buffer(s, 900, 1000, 124);
	kit_gc_give(gc, s);
	s = kit_gc_finish(gc, &(struct kit_gc_pause){.finish_ms = (uint64_t)i * 1000 + 1000,
				  .kind = i == COLLECTIONS - 1 ? "Full" : "Young",
				  .cause = cause,
				  .pause_ns = ms * 1000000,
				  .before = 5 * MIB + i * 4096,
				  .after = MIB + i * 4096 * scale,
				  .committed = 7 * MIB});
	kit_gc_regions(s, "OFFFFEF-", after);
	kit_gc_buffer(s, 0, 0, 0);
	kit_gc_give(gc, s);
}

static void make_leaking(const char *path)
{
	struct kit_gc gc;
	making_begin(path);
	kit_gc_begin(&gc, &kit_gc_plain, making_give, NULL);
	for (int i = 1; i <= COLLECTIONS; i++) {
		const struct kit_gc_site site = {"byte[]", "visit", i * 400000.0};
		struct gcs_profile *p = kit_gc_profile(GCS_PROFILE_LIVE, i, i * 5e6, 1, &site);
		struct gcs_profile_entry other = *gcs_profile_entry(p, 0);
		other.class_name = gcs_profile_add_name(p, "Order");
		other.bytes = i * 150000.0;
		other.id++;
		must(gcs_profile_add_entry(p, &other), "no entry");
		/* The same line, called by another. */
		const uint32_t frame = gcs_profile_stack(p, other.stack)->frame;
		const uint32_t caller = gcs_profile_add_frame(p,
		    &(struct gcs_frame){.class_name = "app.Work", .method = "again", .line = 90});
		other = *gcs_profile_entry(p, 0);
		other.stack = gcs_profile_add_stack(
		    p, &(struct gcs_stack){.parent = GCS_NONE, .frame = caller});
		other.stack = gcs_profile_add_stack(
		    p, &(struct gcs_stack){.parent = other.stack, .frame = frame});
		other.bytes = i * 50000.0;
		other.bytes_variance = 1024 * other.bytes;
		other.id += 2;
		must(gcs_profile_add_entry(p, &other), "no entry");
		kit_gc_give(
		    &gc, kit_gc_finish(&gc, &(struct kit_gc_pause){.finish_ms = (uint64_t)i * 1000,
						.kind = "Full",
						.cause = "Allocation Failure",
						.pause_ns = 1000000,
						.before = 7 * MIB,
						.after = MIB + i * 550000,
						.committed = 8 * MIB}));
		making_profile(p);
	}
	kit_gc_end(&gc);
	making_end();
}

static void make(const char *mode, const char *path)
{
	static const struct kit_gc_names hostile = {
	    "\x1b[31mred", "\x1b]0;own\aed", "un\x1b[2Jcommitted", "Old\n"};
	const bool foreign = strcmp(mode, "hostile") == 0;
	earlier = strcmp(mode, "old") == 0;
	slow = strcmp(mode, "slow") == 0;
	const bool wide = strcmp(mode, "wide") == 0;
	const int scale = strcmp(mode, "grown") == 0 || earlier || wide ? 2 : 1;
	struct kit_gc gc;
	making_begin(path);
	kit_gc_begin(&gc, foreign ? &hostile : &kit_gc_plain, making_give, NULL);
	const int count = strcmp(mode, "long") == 0 ? MANY : COLLECTIONS;
	for (int i = 0; i < count; i++) {
		if (strcmp(mode, "bare") == 0)
			kit_gc_give(&gc, kit_gc_event(&gc, KIT_GC_CLOCK, (uint64_t)i * 1000));
		else
			collect(&gc, i, scale, foreign ? "\x1b[1mbold\x9b" : "Allocation Failure");
		if (strcmp(mode, "bare") != 0 && (i == 0 || i == COLLECTIONS - 1))
			profiles(i + 1, scale,
			    foreign ? "\x1b[5mblink"
			    : wide  ? LONG_NAME
				    : "java.lang.String");
	}
	kit_gc_end(&gc);
	making_end();
}

static void record(const char *address, const char *path, unsigned long count)
{
	struct gcs_error err;
	making_begin(path);
	struct gcs_client *client = gcs_client_open(
	    &(struct gcs_client_options){.address = address, .every_snapshot = true}, &err);
	must(client != NULL, err.text);
	must(gcs_client_wait(client, 10000) == GCS_CLIENT_LIVE, "no server");
	puts("recording");
	fflush(stdout);
	for (unsigned long i = 0; i < count; i++) {
		struct gcs_snapshot *s = gcs_client_next(client, 30000);
		if (s == NULL)
			break; /* the program has ended */
		making_give(NULL, s, 0);
		gcs_snapshot_unref(s);
	}
	gcs_client_close(client);
	making_end();
}

int main(int count, char **words)
{
	if (count == 5 && strcmp(words[1], "record") == 0)
		record(words[2], words[3], strtoul(words[4], NULL, 10));
	else if (count == 3 && strcmp(words[1], "leaking") == 0)
		make_leaking(words[2]);
	else if (count == 3)
		make(words[1], words[2]);
	else
		must(false,
		    "plain|grown|old|wide|long|hostile|bare|slow|leaking FILE, or record ADDRESS "
		    "FILE EVENTS");
	return 0;
}
