/*
 * Spaces for tests of charts: any number of tiles, values of any size, names of any script. The space
 * has the streams "Used" (bytes, percent), "Count", "Level" (any int64_t), "Kind" (an enumeration
 * with "Free"), control bits and ranges of 64 KiB.
 */
#ifndef GCSPY_TESTS_UI_CHARTS_H
#define GCSPY_TESTS_UI_CHARTS_H

#include "ui_world.h"

enum { CHARTED_USED, CHARTED_COUNT, CHARTED_LEVEL, CHARTED_KIND, CHARTED_CONTROL };
enum charted { CHARTED_PLAIN, CHARTED_EXTREME, CHARTED_UNUSED, CHARTED_STRANGE };

#define CHARTED_BYTES 65536

/* One reference. The same number gives the same values. */
struct gcs_snapshot *charted_snapshot(uint32_t tiles, enum charted how, uint32_t number);

/* "Charted" as after a heap walk: streams "Used", "Counted" and "Objects". Of `tiles` tiles every
 * third has not been counted, or none has; the others have 10, 20, 30 … objects. */
enum { COUNTED_USED, COUNTED_STATE, COUNTED_OBJECTS };
struct gcs_snapshot *charted_counted(uint32_t tiles, bool any);

/* A space "Runs" of tiles of 64 KiB with only "Used", which is what the text says: '.' free, 'h' half
 * used, '#' used, '/' uncommitted, '|' a free tile with a border before it. */
struct gcs_snapshot *charted_runs(const char *tiles);

/* Shows it in the application, in the view of charts; takes the reference over. */
void charted_show(struct world *w, struct gcs_snapshot *snapshot, const char *chart);

#endif
