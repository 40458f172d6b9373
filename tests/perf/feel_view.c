/*
 * How the visualiser feels: an hour in front of 100,000 tiles in 20 spaces with ten events a second
 * (feel_world.h), compressed. The real application without a window, fed with what a client
 * receives, keeps its past on the disk; each view is shown in turn while the pointer moves, tiles
 * are selected, one goes back in time, tiles are split, ordered, faded, coloured by an expression,
 * and profiles of call sites arrive.
 *
 * feel-view [MINUTES [VIEW | all [large]]]
 *
 * With `large` one profile of eight has 44,000 call sites instead of 2,000.
 *
 * A turn is all that the window's thread does between two sleeps: what is due by the clock, what
 * has arrived, input, painting. It prints the CPU time of each view, with the memory of the process,
 * the disk that the past takes, and frames painted while nothing happens. the code is 1 if a goal
 * is missed by far (SLACK); the machine may be busy.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "feel_program.h"
#include "feel_world.h"
#include "memory_use.h"
#include "now.h"
#include "event_history_store_files.h"
#include "timeline.h"
#include "ui_event_history.h"
#include "ui_world.h"

#define TYPICAL_MS 2.0
#define WORST_MS   16.0
#define MOST_MB    150.0
#define SLACK      3
#define SITES      2000u
#define MANY_SITES 44000u /* they make a flame graph of 50,000 frames */

enum { BLOCK = 250 }; /* events for which a view is shown */

/* The CPU times of the turns in a view, those for events and those for all else. */
enum { EVENTS, INPUT, KINDS };

struct times {
	float *ms;
	size_t count, room;
	float worst;
	char what[64]; /* of the worst */
};

static struct world w;
static struct times times[VIEW_COUNT][KINDS];
static double most_mb;
static bool large_profiles;
static uint64_t idle_frames, idle_turns, lookbacks;

static double cpu_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double resident_mb(void)
{
	return (double)memory_resident() / 1e6;
}

/* Turns. */

static double turn_start(void)
{
	return cpu_ms();
}

static void turn_end(double start, const char *what)
{
	struct times *t = &times[w.app.view_id][strncmp(what, "event", 5) == 0 ? EVENTS : INPUT];
	app_frame(&w.app);
	const float ms = (float)(cpu_ms() - start);
	damage_clear(&w.app.cv.damage);
	if (t->count == t->room) {
		t->room = t->room > 0 ? 2 * t->room : 1024;
		t->ms = realloc(t->ms, t->room * sizeof *t->ms);
		world_must(t->ms != NULL, "memory");
	}
	t->ms[t->count++] = ms;
	if (ms > t->worst) {
		t->worst = ms;
		snprintf(t->what, sizeof t->what, "%s", what);
	}
}

static void input(const struct ui_event *ev, const char *what)
{
	const double start = turn_start();
	app_event(&w.app, ev);
	turn_end(start, what);
}

static void move(int x, int y, const char *what)
{
	input(&(struct ui_event){.kind = EV_MOVE, .x = x, .y = y}, what);
}

static void click(int x, int y)
{
	input(&(struct ui_event){.kind = EV_DOWN, .x = x, .y = y, .button = 1}, "button pressed");
	input(&(struct ui_event){.kind = EV_UP, .x = x, .y = y, .button = 1}, "button released");
}

static void key(const char *name)
{
	struct keystroke stroke;
	world_must(key_parse(name, strlen(name), &stroke), name);
	struct ui_event ev = key_event(stroke);
	input(&ev, name);
}

/* What makes no sense in the view that is shown is refused with a message. */
static void command(const char *name, const char *argument)
{
	char what[64];
	snprintf(what, sizeof what, "%s %s", name, argument != NULL ? argument : "");
	const enum command_id id = command_find(name, strlen(name));
	world_must(id != COMMAND_COUNT, name);
	const double start = turn_start();
	app_command(&w.app, id, argument);
	turn_end(start, what);
}

/* What arrives. */

/* The disk is as fast as in the hour that this stands for. */
static void wait_for_disk(void)
{
	if (w.app.event_history.history == NULL)
		return;
	if (w.step < 3)
		event_history_ready(w.app.event_history.history);
	if (w.step % 8 == 0)
		event_history_drain(w.app.event_history.history);
}

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
}

static bool settled(void)
{
	return w.app.view->settled == NULL || w.source.pending ||
	       w.app.view->settled(w.app.view_self, &w.app);
}

/* So is a thread that reads the past, which has this long until the next event. */
static void wait_for_reader(void)
{
	const uint64_t until = now_ns() + FEEL_EVENT_MS * UINT64_C(1000000);
	while (w.app.view_id == VIEW_HISTORY && !settled() && now_ns() < until) {
		const double start = turn_start();
		app_poll(&w.app);
		turn_end(start, "rows of the past");
		nap();
	}
}

static void event(void)
{
	struct world_source *q = &w.source;
	const unsigned step = w.step++;
	q->queue[(q->first + q->count++) % WORLD_QUEUE] = gcs_snapshot_ref(feel_program_event());
	const double start = turn_start();
	w.app.now_ms += FEEL_EVENT_MS;
	app_tick(&w.app);
	app_poll(&w.app);
	turn_end(start, step % FEEL_ALL == FEEL_ALL - 1 ? "event, all tiles" : "event");
	wait_for_disk();
	wait_for_reader();
}

/* The view of call sites asks by itself; now and then the answer is a large one. */
static void answer(unsigned step)
{
	size_t length;
	enum gcs_profile_kind kind = GCS_PROFILE_LIVE;
	if (!w.source.pending || w.source.answer != NULL || strcmp(w.source.topic, "sites") != 0)
		return;
	for (int i = 0; i < GCS_PROFILE_KIND_COUNT; i++) {
		if (strcmp(w.source.kind, gcs_profile_kind_word((enum gcs_profile_kind)i)) == 0)
			kind = (enum gcs_profile_kind)i;
	}
	const bool large = large_profiles && step % 8 == 0;
	void *bytes = feel_program_profile(kind, large ? MANY_SITES : SITES, &length);
	/* The client's thread makes it. */
	w.source.answer = world_make_answer(w.source.id, GCS_OK, "", bytes, length);
	const double start = turn_start();
	app_poll(&w.app);
	app_frame(&w.app);
	turn_end(start, large ? "profile of 44,000 sites" : "profile of 2,000 sites");
	free(bytes);
}

/* Somebody sits before it. */

/* Back in time with the pointer on the timeline, and to the newest event again. */
static void scrub(unsigned step)
{
	const struct timeline s = timeline_lay_out(&w.app, w.app.rect[PANEL_TIMELINE]);
	const struct cv_rect field = timeline_field(&s);
	int x = field.x + field.w / 8 + (int)(step * 37 % (unsigned)(field.w * 3 / 4));
	const int y = field.y + field.h / 2;
	move(x, y, "pointer on the timeline");
	input(&(struct ui_event){.kind = EV_DOWN, .x = x, .y = y, .button = 1}, "scrub begins");
	for (int i = 0; i < 8; i++) {
		move(x += 3, y, "scrub");
		for (int k = 0; k < 20000 && w.app.event_history.waiting; k++) {
			const double start = turn_start();
			app_poll(&w.app);
			if (!w.app.event_history.waiting)
				turn_end(start, "a moment from the disk");
			else
				nap();
		}
		lookbacks += w.app.event_history.back;
	}
	input(&(struct ui_event){.kind = EV_UP, .x = x, .y = y, .button = 1}, "scrub ends");
	command("live", NULL);
}

static void look(unsigned step)
{
	const struct cv_rect r = w.app.rect[PANEL_VIEW];
	const int x = r.x + (int)(step * 53 % (unsigned)r.w);
	const int y = r.y + 60 + (int)(step * 29 % (unsigned)(r.h - 60));
	move(x, y, "pointer");
	move(x + 6, y + 2, "pointer");
	if (step % 7 == 0)
		click(x, y);
	if (step % 11 == 0)
		key(step % 2 == 0 ? "Right" : "Down");
	if (step % 13 == 0)
		input(
		    &(struct ui_event){
			.kind = EV_WHEEL, .x = x, .y = y, .wheel = step % 2 == 0 ? 1 : -1},
		    "wheel");
	if (step % 59 == 0)
		scrub(step);
	if (step % 83 == 0)
		key("]");
}

/* What changes how everything looks; a command of another view would show that one. */
static void restyle(unsigned step)
{
	static const struct {
		enum view_id view;
		const char *name, *argument;
	} styles[] = {{VIEW_HEAP, "zoom_fit", NULL},
	    {VIEW_HEAP, "expression", "Used > 0 ? Live / Used * 100 : 0"},
	    {VIEW_HEAP, "expression", "off"}, {VIEW_HEAP, "order", "falling"},
	    {VIEW_HEAP, "order", "address"}, {VIEW_HEAP, "recency", NULL},
	    {VIEW_HEAP, "recency", NULL}, {VIEW_HEAP, "zoom_in", NULL},
	    {VIEW_HEAP, "zoom_in", NULL}, {VIEW_HEAP, "split", "Live"}, {VIEW_HEAP, "split", "off"},
	    {VIEW_HEAP, "layout", NULL}, {VIEW_HEAP, "layout", NULL}, {VIEW_CHARTS, "chart", NULL},
	    {VIEW_CHARTS, "space_next", NULL}, {VIEW_HISTORY, "space_next", NULL},
	    {VIEW_SITES, "sites_filter", "Maker7"}, {VIEW_SITES, "sites_filter", NULL},
	    {VIEW_COUNT, "stream_next", NULL}, {VIEW_COUNT, "theme", NULL},
	    {VIEW_COUNT, "frame_overlay", NULL}, {VIEW_COUNT, "frame_overlay", NULL}};
	static size_t at[VIEW_COUNT];
	const size_t n = sizeof styles / sizeof *styles;
	const enum view_id view = w.app.view_id;
	if (step % 17 != 0)
		return;
	do
		at[view] = (at[view] + 1) % n;
	while (styles[at[view]].view != VIEW_COUNT && styles[at[view]].view != view);
	command(styles[at[view]].name, styles[at[view]].argument);
}

/* A second in which nothing happens, once what was begun is finished. The table of events has rates
 * that fall meanwhile, once a second. */
static void idle(void)
{
	if (w.app.stats_shown)
		command("frame_overlay", NULL);
	w.app.now_ms += 10000; /* messages go */
	for (int i = 0; i < 4000 && (i < 4 || !settled()); i++) {
		w.app.now_ms += i < 4 ? 250 : 0; /* what still waits for an answer says so */
		app_tick(&w.app);
		app_poll(&w.app);
		app_frame(&w.app);
		nap();
	}
	/* What waits for an answer, or reads files for longer than that, is not idle. */
	if (w.app.view->settled != NULL && !w.app.view->settled(w.app.view_self, &w.app))
		return;
	const uint32_t rates = w.app.view_id == VIEW_EVENTS;
	uint64_t frames = 0;
	for (int i = 0; i < 100; i++) {
		w.app.now_ms += 10;
		app_tick(&w.app);
		app_poll(&w.app);
		frames += app_frame(&w.app);
	}
	idle_frames += frames > rates ? frames - rates : 0;
	if (frames > rates)
		printf("idle: %llu frames in %s\n", (unsigned long long)frames,
		    app_view_at(w.app.view_id)->name);
	idle_turns += 100;
}

static void run(unsigned events, enum view_id only)
{
	for (unsigned i = 0; i < events; i++) {
		if (i % BLOCK == 0) {
			const double start = turn_start();
			app_set_view(&w.app,
			    only < VIEW_COUNT ? only : (enum view_id)(i / BLOCK % VIEW_COUNT));
			turn_end(start, "the view is shown");
		}
		event();
		look(i);
		restyle(i);
		answer(i);
		if (i % BLOCK == BLOCK - 1)
			idle();
		const double mb = i % 10 == 0 ? resident_mb() : 0;
		most_mb = mb > most_mb ? mb : most_mb;
	}
}

/* What was seen. */

static double disk_mb(struct event_history_store *h)
{
	double bytes = 0;
	for (int i = 0; h != NULL && i < HISTORY_RINGS; i++) {
		const struct spool *spool[] = {&h->ring[i].now, &h->ring[i].before};
		struct stat st;
		for (int k = 0; k < 2; k++)
			if (spool[k]->number != 0 && fstat(spool[k]->fd, &st) == 0)
				bytes += (double)st.st_blocks * 512;
	}
	return bytes / 1e6;
}

static int by_value(const void *a, const void *b)
{
	const float x = *(const float *)a, y = *(const float *)b;
	return (x > y) - (x < y);
}

static bool report_view(enum view_id view, int kind)
{
	struct times *t = &times[view][kind];
	if (t->count == 0)
		return true;
	qsort(t->ms, t->count, sizeof *t->ms, by_value);
	const double median = (double)t->ms[t->count / 2];
	printf("%-8s %-6s %7zu %8.2f %8.2f %8.2f  %s\n", app_view_at(view)->name,
	    kind == EVENTS ? "events" : "input", t->count, median,
	    (double)t->ms[t->count * 99 / 100], (double)t->worst, t->what);
	free(t->ms);
	return median <= TYPICAL_MS * SLACK && (double)t->worst <= WORST_MS * SLACK;
}

static bool report_times(void)
{
	bool ok = true;
	printf(
	    "%-15s %7s %8s %8s %8s  CPU ms of a turn\n", "view", "turns", "median", "p99", "worst");
	for (int i = 0; i < VIEW_COUNT; i++)
		for (int kind = 0; kind < KINDS; kind++)
			ok = report_view((enum view_id)i, kind) && ok;
	return ok;
}

static void report_past(unsigned events)
{
	uint64_t until_ns;
	const uint32_t one_in = event_history_thinned(&w.app, &until_ns);
	const double minutes = (double)(until_ns - feel_time_ns(0)) / 60e9;
	printf("the past of %u events: %.0f MB of disk; %llu moments shown again\n", events,
	    disk_mb(w.app.event_history.history), (unsigned long long)lookbacks);
	if (one_in == 0)
		printf("every event can be shown\n");
	else
		printf("of the first %.1f minutes one event in %u can be shown\n", minutes, one_in);
}

static enum view_id view_named(const char *name)
{
	for (int i = 0; i < VIEW_COUNT; i++)
		if (strcmp(app_view_at((enum view_id)i)->name, name) == 0)
			return (enum view_id)i;
	fprintf(stderr, "feel-view: no view %s\n", name);
	exit(2);
}

int main(int count, char **words)
{
	const unsigned minutes = count > 1 ? (unsigned)strtoul(words[1], NULL, 10) : 60;
	const unsigned events = minutes * 60 * (1000 / FEEL_EVENT_MS);
	world_must(minutes >= 1 && minutes <= 1440, "1 to 1440 minutes");
	large_profiles = count > 3 && strcmp(words[3], "large") == 0;
	memory_bound();
	feel_program_start();
	world_open(&w, 1600, 1000);
	w.app.event_history.history_bytes = HISTORY_BYTES;
	world_live(&w, 0);
	run(events, count > 2 && strcmp(words[2], "all") != 0 ? view_named(words[2]) : VIEW_COUNT);
	bool ok = report_times();
	const double end_mb = resident_mb();
	most_mb = end_mb > most_mb ? end_mb : most_mb;
	printf("resident: %.1f MB at the end, %.1f at most\n", end_mb, most_mb);
	report_past(events);
	printf("idle: %llu frames painted in %llu turns\n", (unsigned long long)idle_frames,
	    (unsigned long long)idle_turns);
	ok = ok && idle_frames == 0 && most_mb <= MOST_MB * SLACK && lookbacks > 0;
	world_close(&w);
	feel_program_end();
	if (!ok)
		fprintf(stderr, "feel-view: a goal is missed by far\n");
	return ok ? 0 : 1;
}
