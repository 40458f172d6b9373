/* The application without a window, and its source; declared in ui_world.h. */
#include "ui_world.h"

#include <gcspy/memory.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "browser.h"
#include "script.h"

static struct world_source *source_of(void *self)
{
	const struct world_link *link = self;
	return link->source;
}

/* While another connection is open beside it, a connection stays as it was. */
static bool is_newest(const struct world_link *link)
{
	const struct world_source *s = link->source;
	unsigned i = s->opened - 1;
	while (s->links[i % WORLD_LINKS].closed && i > 0 && s->opened - i < WORLD_LINKS)
		i--;
	return link == &s->links[i % WORLD_LINKS];
}

static enum source_state get_state(void *self, struct gcs_error *why)
{
	struct world_source *s = source_of(self);
	struct world_link *link = self;
	if (is_newest(link))
		link->state = s->state;
	*why = s->why;
	return link->state;
}

static struct gcs_snapshot *take_first(struct world_source *s)
{
	struct gcs_snapshot *first = s->queue[s->first];
	s->first = (s->first + 1) % WORLD_QUEUE;
	s->count--;
	return first;
}

static struct gcs_snapshot *get_next(void *self)
{
	struct world_source *s = source_of(self);
	if (s->count == 0 || !is_newest(self))
		return NULL;
	s->overrun += s->drops;
	s->drops = 0;
	return take_first(s);
}

static enum gcs_run_state get_run(void *self, bool *own, uint32_t *others)
{
	struct world_source *s = source_of(self);
	*own = s->run != GCS_RUNNING;
	*others = 0;
	return s->run;
}

static enum gcs_status do_pause(void *self)
{
	struct world_source *s = source_of(self);
	s->pauses++;
	s->run = GCS_PAUSING;
	return GCS_OK;
}

static enum gcs_status do_resume(void *self)
{
	struct world_source *s = source_of(self);
	s->resumes++;
	s->run = GCS_RUNNING;
	return GCS_OK;
}

static enum gcs_status do_step(void *self)
{
	struct world_source *s = source_of(self);
	s->steps++;
	s->run = GCS_PAUSED;
	return GCS_OK;
}

static void do_collapse(void *self, uint32_t group, bool collapsed)
{
	struct world_source *s = source_of(self);
	(void)group;
	(void)collapsed;
	s->collapses++;
}

static enum gcs_status do_set_filter(void *self, uint32_t event, const struct gcs_filter *filter)
{
	struct world_source *s = source_of(self);
	world_must(event < GCS_MAX_EVENTS, "event");
	s->filters++;
	s->filter[event] = *filter;
	return s->refusal;
}

static enum gcs_status do_set_interval(void *self, uint32_t ms)
{
	source_of(self)->interval_ms = ms;
	return source_of(self)->refusal;
}

static uint32_t get_notice(void *self, char *text, size_t size)
{
	struct world_source *s = source_of(self);
	snprintf(text, size, "%s", s->notice);
	return s->notice_number;
}

static uint64_t get_zero(void *self)
{
	(void)self;
	return 0;
}

/* An answer of the target to something else than the questions below; NULL is passed on. */
static bool take_other(struct world_source *s, struct gcs_answer *answer, uint32_t *id)
{
	for (int i = 0; answer != NULL && i < WORLD_OTHERS; i++) {
		if (s->others[i] != NULL)
			continue;
		s->others[i] = answer;
		*id = answer->id = ++s->id;
		return true;
	}
	world_must(answer == NULL, "too many answers wait");
	return false;
}

static enum gcs_status do_query(
    void *self, const char *topic, uint32_t count, const struct gcs_info *parameters, uint32_t *id)
{
	struct world_source *s = source_of(self);
	if (s->target != NULL && take_other(s, s->target->ask(topic, count, parameters), id))
		return GCS_OK;
	const bool tiles = strcmp(topic, "tiles") == 0, gc = strcmp(topic, "gc") == 0;
	const struct world *w = (const struct world *)((char *)s - offsetof(struct world, source));
	if (!tiles && !gc && strcmp(topic, "sites") != 0)
		return GCS_UNSUPPORTED; /* as an older server */
	if (tiles && !s->site_locations && w->app.view_id != VIEW_HEAP)
		return GCS_UNSUPPORTED;
	world_must(!s->pending, "one question at a time");
	s->pending = s->refusal == GCS_OK;
	world_must(
	    gc ? count == 0 : strcmp(parameters[0].key, tiles ? "site" : "kind") == 0, "parameter");
	world_must(count <= 1 || (count == 2 && strcmp(parameters[1].key, "where") == 0), "where");
	s->queries++;
	snprintf(s->topic, sizeof s->topic, "%s", topic);
	if (!gc)
		snprintf(tiles ? s->site : s->kind, sizeof s->kind, "%s", parameters[0].value);
	snprintf(s->where, sizeof s->where, "%s", count == 2 ? parameters[1].value : "");
	*id = ++s->id;
	return s->refusal;
}

static enum gcs_status do_set(void *self, const char *key, const char *value, uint32_t *id)
{
	struct world_source *s = source_of(self);
	if (s->target != NULL && take_other(s, s->target->set(key, value), id))
		return GCS_OK;
	/* Beside a question, whose answer is then never given. */
	world_must(strcmp(key, "interval") == 0 || strcmp(key, "volume") == 0, "key");
	s->pending = s->refusal == GCS_OK;
	s->sets++;
	snprintf(s->interval, sizeof s->interval, "%s", value);
	*id = ++s->id;
	return s->refusal;
}

static enum gcs_status do_set_trigger(void *self, const struct gcs_trigger *trigger, uint32_t *id)
{
	struct world_source *s = source_of(self);
	if (s->target == NULL)
		return GCS_UNSUPPORTED;
	take_other(s, s->target->trigger(trigger), id);
	return GCS_OK;
}

static enum gcs_status do_remove_trigger(void *self, const char *name, uint32_t *id)
{
	struct world_source *s = source_of(self);
	if (s->target == NULL)
		return GCS_UNSUPPORTED;
	take_other(s, s->target->untrigger(name), id);
	return GCS_OK;
}

static enum gcs_status do_zoom(
    void *self, uint32_t space, uint64_t start, uint64_t end, uint64_t block, uint32_t *id)
{
	struct world_source *s = source_of(self);
	s->zooms++;
	s->zoom_space = space;
	s->zoom_start = start;
	s->zoom_end = end;
	s->zoom_block = block;
	*id = s->zoom_id = ++s->id;
	return s->refusal;
}

static enum gcs_status do_unzoom(void *self, uint32_t space, uint32_t *id)
{
	struct world_source *s = source_of(self);
	s->unzooms++;
	s->unzoom_space = space;
	*id = ++s->id;
	return GCS_OK;
}

static struct gcs_answer *take_answer(void *self, uint32_t id)
{
	struct world_source *s = source_of(self);
	for (int i = 0; i < WORLD_OTHERS; i++) {
		struct gcs_answer *other = s->others[i];
		if (other != NULL && other->id == id) {
			s->others[i] = NULL;
			return other;
		}
	}
	struct gcs_answer *answer = s->zoom_answer;
	if (answer != NULL && answer->id == id) {
		s->zoom_answer = NULL;
		return answer;
	}
	answer = s->answer;
	if (answer == NULL || answer->id != id)
		return NULL;
	s->answer = NULL;
	s->pending = false;
	return answer;
}

static void do_close(void *self)
{
	struct world_source *s = source_of(self);
	struct world_link *link = self;
	const bool newest = is_newest(link);
	s->closed++;
	link->closed = true;
	gcs_answer_free(s->answer);
	gcs_answer_free(s->zoom_answer);
	s->answer = s->zoom_answer = NULL;
	for (int i = 0; i < WORLD_OTHERS; i++) {
		gcs_answer_free(s->others[i]);
		s->others[i] = NULL;
	}
	s->pending = false;
	while (newest && s->count > 0)
		gcs_snapshot_unref(take_first(s));
}

static const struct source_ops mute_ops = {
    .state = get_state,
    .next = get_next,
    .run_state = get_run,
    .pause = do_pause,
    .resume = do_resume,
    .step = do_step,
    .collapse = do_collapse,
    .notice = get_notice,
    .received = get_zero,
    .overrun = get_zero,
    .close = do_close,
};

static uint64_t get_overrun(void *self)
{
	return source_of(self)->overrun;
}

static const struct source_ops world_ops = {
    .state = get_state,
    .next = get_next,
    .run_state = get_run,
    .pause = do_pause,
    .resume = do_resume,
    .step = do_step,
    .collapse = do_collapse,
    .set_filter = do_set_filter,
    .set_interval = do_set_interval,
    .notice = get_notice,
    .received = get_zero,
    .overrun = get_overrun,
    .query = do_query,
    .set = do_set,
    .answer = take_answer,
    .set_trigger = do_set_trigger,
    .remove_trigger = do_remove_trigger,
    .zoom = do_zoom,
    .unzoom = do_unzoom,
    .close = do_close,
};

static bool open_source(
    void *context, const char *address, bool pause, struct source *source, struct gcs_error *err)
{
	struct world *w = context;
	if (strcmp(address, "bad") == 0) {
		gcs_fail(err, GCS_ARGUMENT, "address bad: HOST:PORT is allowed");
		return false;
	}
	w->source.opened++;
	w->source.paused_at_start = pause;
	w->source.state = SOURCE_CONNECTING;
	w->source.run = GCS_RUNNING;
	snprintf(w->source.address, sizeof w->source.address, "%s", address);
	struct world_link *link = &w->source.links[(w->source.opened - 1) % WORLD_LINKS];
	*link = (struct world_link){.source = &w->source, .state = SOURCE_CONNECTING};
	*source = (struct source){
	    w->source.mute ? &mute_ops : &world_ops, link, strcmp(address, "4711") == 0 ? 4711 : 0};
	return true;
}

static void put_text(void *context, const char *text)
{
	struct world *w = context;
	snprintf(w->clipboard, sizeof w->clipboard, "%s", text);
}

static void get_text(void *context, char *text, size_t size)
{
	struct world *w = context;
	snprintf(text, size, "%s", w->clipboard);
}

void world_open(struct world *w, int width, int height)
{
	memset(w, 0, sizeof *w);
	/* Pictures and texts tell the time of day. */
	world_must(setenv("TZ", "UTC", 1) == 0, "setenv");
	tzset();
	struct app_options options = {
	    .width = width,
	    .height = height,
	    .scale = 100,
	    .make_fonts = fonts_block,
	    .opener = {.open = open_source, .context = w},
	    .clipboard = {.put = put_text, .get = get_text, .context = w},
	    .now_ms = 1000,
	};
	struct gcs_error err = {.text = ""};
	world_must(app_init(&w->app, &options, &err), err.text);
	w->model = world_model();
	app_frame(&w->app);
}

void world_close(struct world *w)
{
	app_fini(&w->app);
	gcs_snapshot_unref(w->last);
	gcs_model_unref(w->model);
}

const char *window_text(struct app *app)
{
	static char all[1 << 18];
	struct textbuf out = {0};
	app_dump(app, &out);
	snprintf(all, sizeof all, "%s", textbuf_text(&out));
	textbuf_fini(&out);
	return all;
}

bool window_says(struct app *app, const char *what)
{
	const char *all = window_text(app);
	if (strstr(all, what))
		return true;
	fprintf(stderr, "not said: %s\nbut:\n%s", what, all);
	return false;
}

bool world_is_idle(const struct world *w)
{
	const uint64_t due = app_silent_due_ms(&w->app);
	return due != UINT64_MAX && app_wait_ms(&w->app) == (int)(due - w->app.now_ms);
}

void world_put(struct world *w, const struct gcs_snapshot *snapshot)
{
	struct world_source *q = &w->source;
	world_must(q->count < WORLD_QUEUE, "queue");
	q->queue[(q->first + q->count++) % WORLD_QUEUE] = gcs_snapshot_ref(snapshot);
	app_poll(&w->app);
	app_frame(&w->app);
}

void world_event(struct world *w)
{
	struct gcs_snapshot *s = world_snapshot(w->model, w->last, w->step++);
	gcs_snapshot_unref(w->last);
	w->last = s;
	world_put(w, s);
}

void world_live(struct world *w, unsigned n)
{
	world_must(app_connect(&w->app, "127.0.0.1:3000"), "connect");
	w->source.state = SOURCE_LIVE;
	for (unsigned i = 0; i < n; i++)
		world_event(w);
}

void world_wait(struct world *w, unsigned ms)
{
	w->app.now_ms += ms;
	app_tick(&w->app);
	app_poll(&w->app);
	app_frame(&w->app);
}

/* True when the dialog has read what it shows. */
static bool has_read(const struct browser *b)
{
	const struct preview *p = browser_preview(b);
	return !b->reading && (b->previewed[0] == 0 || (p != NULL && p->number == b->asked));
}

void window_folder(struct app *app)
{
	world_must(app->browser != NULL, "dialog");
	for (int i = 0; i < 2000 && !has_read(app->browser); i++) {
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
		app_poll(app);
	}
	world_must(has_read(app->browser), "folder");
	app_frame(app);
}

static void send(struct world *w, const struct ui_event *ev)
{
	app_frame(&w->app);
	app_event(&w->app, ev);
	app_poll(&w->app);
	app_frame(&w->app);
}

void world_key(struct world *w, const char *key)
{
	struct keystroke stroke;
	world_must(key_parse(key, strlen(key), &stroke), key);
	struct ui_event ev = key_event(stroke);
	send(w, &ev);
}

void world_type(struct world *w, const char *text)
{
	struct ui_event ev = {.kind = EV_TEXT, .x = -1, .y = -1};
	snprintf(ev.text, sizeof ev.text, "%s", text);
	send(w, &ev);
}

void world_move(struct world *w, int x, int y)
{
	send(w, &(struct ui_event){.kind = EV_MOVE, .x = x, .y = y});
}

void world_click(struct world *w, int x, int y, int button)
{
	world_move(w, x, y);
	send(w, &(struct ui_event){.kind = EV_DOWN, .x = x, .y = y, .button = button});
	send(w, &(struct ui_event){.kind = EV_UP, .x = x, .y = y, .button = button});
}

bool world_run(struct world *w, const char *text)
{
	struct script script;
	struct gcs_error err = {.text = ""};
	world_must(script_init(&script, "test", text, &err), err.text);
	enum script_state state = script_run(&script, &w->app);
	if (state != SCRIPT_DONE)
		fprintf(
		    stderr, "%s\n", state == SCRIPT_FAILED ? script.failure : "the script waits");
	script_fini(&script);
	app_frame(&w->app);
	return state == SCRIPT_DONE;
}
