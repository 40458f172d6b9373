/*
 * Eight hours in front of the visualiser, compressed: an event a second, a look at another view,
 * stream or tile now and then, a profile every few seconds. Its memory after the first hour must be
 * that of the end (V1 to V11, F22), and everything must still be there to go back to.
 *
 *	soak-view [HOURS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "overview.h"
#include "ui_profile.h"
#include "ui_world.h"

/* The list of events goes on growing to its limit, with what they were in words. */
enum {
	SECONDS = 3600,
	MOST_GROWTH_MB = 8 + (int)(OVERVIEW_LIMIT * sizeof(struct event_header) / 1000000)
};

static struct world w;

static double resident_mb(void)
{
	unsigned long pages = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (f == NULL || fscanf(f, "%lu %lu", &pages, &resident) != 2)
		world_must(false, "/proc/self/statm cannot be read");
	fclose(f);
	return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

/* What somebody does who comes by now and then. */
static void look_around(unsigned second)
{
	static const enum command_id commands[] = {COMMAND_stream_next, COMMAND_tile_right,
	    COMMAND_space_next, COMMAND_zoom_in, COMMAND_zoom_fit, COMMAND_help, COMMAND_back,
	    COMMAND_theme, COMMAND_general_info, COMMAND_back};
	if (second % 97 == 0)
		app_set_view(&w.app, (enum view_id)(second / 97 % VIEW_COUNT));
	/* What makes no sense in the view that is shown is refused with a message. */
	if (second % 31 == 0)
		app_command(
		    &w.app, commands[second / 31 % (sizeof commands / sizeof *commands)], NULL);
	if (second % 13 == 0)
		world_move(&w, (int)(second % 900), (int)(second % 600));
}

static void answer(unsigned second)
{
	if (!w.source.pending || w.source.answer != NULL)
		return;
	enum gcs_profile_kind kind = GCS_PROFILE_LIVE;
	for (int i = 0; i < GCS_PROFILE_KIND_COUNT; i++) {
		if (strcmp(w.source.kind, gcs_profile_kind_word((enum gcs_profile_kind)i)) == 0)
			kind = (enum gcs_profile_kind)i;
	}
	world_answer(&w, GCS_OK, "", profile_shop(kind, second % 100));
}

int main(int count, char **words)
{
	const unsigned hours = count > 1 ? (unsigned)strtoul(words[1], NULL, 10) : 8;
	double first = 0, last = 0;
	world_must(hours >= 2 && hours <= 1000, "2 to 1000 hours");
	world_open(&w, 960, 640);
	world_live(&w, 1);
	for (unsigned second = 1; second <= hours * SECONDS; second++) {
		w.app.now_ms += 1000;
		app_tick(&w.app);
		world_event(&w);
		look_around(second);
		answer(second);
		if (second == SECONDS)
			first = resident_mb();
	}
	last = resident_mb();
	printf("%u events, %u views; resident after an hour %.1f MB, at the end %.1f MB\n", w.step,
	    (unsigned)VIEW_COUNT, first, last);
	world_must(!w.app.quit && w.app.snapshot != NULL, "the window is gone");
	world_close(&w);
	if (last - first > MOST_GROWTH_MB) {
		fprintf(stderr, "soak-view: grew by %.1f MB; at most %d are allowed\n",
		    last - first, MOST_GROWTH_MB);
		return 1;
	}
	return 0;
}
