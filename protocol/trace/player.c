#include "player.h"

#include <pthread.h>

#include <gcspy/memory.h>

#include "now.h"
#include "thread.h"

struct gcs_player {
	struct gcs_player_options options;
	struct gcs_trace *trace;
	pthread_mutex_t reading; /* for the trace */
	pthread_t thread;

	pthread_mutex_t lock; /* the rest */
	pthread_cond_t changed;
	bool ending;
	bool jump; /* show `target` next, at any speed */
	uint64_t target;
	struct gcs_position position;
	/* The origin of time: the trace was at `since_trace_ns` at `since_ns` of our clock. */
	uint64_t since_ns;
	uint64_t since_trace_ns;
};

static double within_limits(double speed)
{
	const double size = speed < 0 ? -speed : speed;
	const double sign = speed < 0 ? -1 : 1;
	if (!(size > 0)) /* or NaN */
		return 0;
	if (size > GCS_SPEED_FASTEST)
		return sign * GCS_SPEED_FASTEST;
	return size < GCS_SPEED_SLOWEST ? sign * GCS_SPEED_SLOWEST : speed;
}

/* With the lock held: time restarts at the current place. */
static void restart_clock(struct gcs_player *p)
{
	p->since_ns = now_ns();
	p->since_trace_ns = p->position.time_ns;
}

static void notify(struct gcs_player *p)
{
	if (p->options.changed != NULL)
		p->options.changed(p->options.context);
}

/* What to show next. */

/* The next place at this speed, or UINT64_MAX at an end. With the lock held. */
static uint64_t follower(const struct gcs_player *p)
{
	const struct gcs_position *at = &p->position;
	if (at->speed == 0)
		return UINT64_MAX;
	if (at->speed > 0)
		return at->place + 1 < at->events ? at->place + 1 : at->loop ? 0 : UINT64_MAX;
	return at->place != 0 ? at->place - 1 : at->loop ? at->events - 1 : UINT64_MAX;
}

static bool reads(struct gcs_player *p, uint64_t place, struct gcs_snapshot **snapshot)
{
	pthread_mutex_lock(&p->reading);
	*snapshot = gcs_trace_at(p->trace, place, NULL);
	pthread_mutex_unlock(&p->reading);
	return *snapshot != NULL;
}

/* The next place after damage that may be readable, or UINT64_MAX. */
static uint64_t skip_damage(struct gcs_player *p, uint64_t place, int step)
{
	pthread_mutex_lock(&p->reading);
	const uint64_t next = gcs_trace_readable(p->trace, place, step);
	pthread_mutex_unlock(&p->reading);
	/* Unreadable but not damaged: no memory. */
	return next == place ? UINT64_MAX : next;
}

/* Reads the snapshot at `place`, or the nearest readable one in that direction, then in the other. */
static struct gcs_snapshot *read_near(struct gcs_player *p, uint64_t *place, int step)
{
	struct gcs_snapshot *snapshot;
	const uint64_t wanted = *place;
	for (int turn = 0; turn < 2; turn++, step = -step) {
		uint64_t at = wanted;
		while (at != UINT64_MAX) {
			if (reads(p, at, &snapshot)) {
				*place = at;
				return snapshot;
			}
			at = skip_damage(p, at, step);
		}
	}
	return NULL;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* When a snapshot is due, by our clock. With the lock held. */
static uint64_t due(const struct gcs_player *p, uint64_t time_ns)
{
	const double speed = p->position.speed < 0 ? -p->position.speed : p->position.speed;
	const bool backwards = p->position.speed < 0;
	const bool ahead = backwards ? time_ns < p->since_trace_ns : time_ns > p->since_trace_ns;
	if (speed >= GCS_SPEED_FASTEST || !ahead)
		return 0;
	const uint64_t longest = p->options.longest_ms * 1000000u;
	uint64_t wait = (uint64_t)((double)distance(time_ns, p->since_trace_ns) / speed);
	if (longest != 0 && wait > longest)
		wait = longest;
	return p->since_ns + wait;
}

/* Waits until a snapshot is due; false if a command came meanwhile. With the lock held. */
static bool wait_for(struct gcs_player *p, uint64_t time_ns)
{
	const double speed = p->position.speed;
	const uint64_t since = p->since_ns;
	while (!p->ending && !p->jump && p->position.speed == speed && p->since_ns == since) {
		const uint64_t until = due(p, time_ns);
		if (now_ns() >= until)
			return true;
		thread_cond_until(&p->changed, &p->lock, until);
	}
	return false;
}

/* Shows a snapshot, without the lock. */
static void show(struct gcs_player *p, struct gcs_snapshot *snapshot, uint64_t place, uint64_t lost)
{
	pthread_mutex_lock(&p->lock);
	p->position.place = place;
	p->position.time_ns = gcs_snapshot_occurrence(snapshot)->time_ns;
	p->position.skipped += lost;
	p->position.ended = false;
	const struct gcs_position position = p->position;
	pthread_mutex_unlock(&p->lock);
	p->options.show(p->options.context, snapshot, &position);
}

/* Waits at an end, or at speed 0, for a command. A new speed may have nothing to show either. With
 * the lock held. */
static void wait_for_command(struct gcs_player *p)
{
	while (!p->ending && !p->jump && follower(p) == UINT64_MAX) {
		if (p->position.speed != 0 && !p->position.ended) {
			p->position.ended = true;
			pthread_mutex_unlock(&p->lock);
			notify(p);
			pthread_mutex_lock(&p->lock);
		} else {
			pthread_cond_wait(&p->changed, &p->lock);
		}
	}
	restart_clock(p);
}

/* Shows the next event, or waits. With the lock held at both ends. */
static void turn(struct gcs_player *p)
{
	const bool jump = p->jump;
	uint64_t place = jump ? p->target : follower(p);
	const uint64_t wanted = place;
	const int step = jump || p->position.speed < 0 ? -1 : 1;
	if (place == UINT64_MAX) {
		wait_for_command(p);
		return;
	}
	p->jump = false;
	pthread_mutex_unlock(&p->lock);
	struct gcs_snapshot *snapshot = read_near(p, &place, step);
	pthread_mutex_lock(&p->lock);
	if (snapshot == NULL) {
		p->position.speed = 0; /* nothing is readable */
		return;
	}
	const uint64_t time = gcs_snapshot_occurrence(snapshot)->time_ns;
	if (jump || wait_for(p, time)) {
		const bool again = jump || distance(place, p->position.place) != 1;
		pthread_mutex_unlock(&p->lock);
		show(p, snapshot, place, jump ? 0 : distance(place, wanted));
		pthread_mutex_lock(&p->lock);
		/* Do not catch up after a jump, a shortened wait, or a slow `show`. */
		if (again || due(p, time) + 100000000u < now_ns() || p->options.longest_ms != 0)
			restart_clock(p);
	}
	pthread_mutex_unlock(&p->lock);
	gcs_snapshot_unref(snapshot);
	pthread_mutex_lock(&p->lock);
}

static void *run(void *context)
{
	struct gcs_player *p = context;
	pthread_mutex_lock(&p->lock);
	while (!p->ending)
		turn(p);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* Commands. */

/* With the lock held. */
static void start_jump(struct gcs_player *p, uint64_t place)
{
	p->target = place;
	p->jump = true;
	p->position.ended = false;
	pthread_cond_broadcast(&p->changed);
}

static void jump_to(struct gcs_player *p, uint64_t place)
{
	pthread_mutex_lock(&p->lock);
	start_jump(p, place < p->position.events ? place : p->position.events - 1);
	pthread_mutex_unlock(&p->lock);
}

void gcs_player_seek(struct gcs_player *p, uint64_t place)
{
	jump_to(p, place);
}

void gcs_player_seek_time(struct gcs_player *p, uint64_t time_ns)
{
	pthread_mutex_lock(&p->reading);
	const uint64_t place = gcs_trace_find(p->trace, time_ns);
	pthread_mutex_unlock(&p->reading);
	jump_to(p, place);
}

void gcs_player_move(struct gcs_player *p, int64_t places)
{
	pthread_mutex_lock(&p->lock);
	/* From the pending target, if any, so that two quick steps add up. */
	const uint64_t from = p->jump ? p->target : p->position.place;
	const uint64_t size = places < 0 ? 0 - (uint64_t)places : (uint64_t)places;
	const uint64_t left = places < 0 ? from : p->position.events - 1 - from;
	const uint64_t way = size < left ? size : left;
	start_jump(p, places < 0 ? from - way : from + way);
	pthread_mutex_unlock(&p->lock);
}

void gcs_player_set_speed(struct gcs_player *p, double speed)
{
	pthread_mutex_lock(&p->lock);
	p->position.speed = within_limits(speed);
	/* Another speed at the end is still at the end. */
	p->position.ended = p->position.ended && speed != 0 && follower(p) == UINT64_MAX;
	restart_clock(p);
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	notify(p);
}

void gcs_player_set_loop(struct gcs_player *p, bool loop)
{
	pthread_mutex_lock(&p->lock);
	p->position.loop = loop;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	notify(p);
}

void gcs_player_control(struct gcs_player *p, const struct gcs_seek *request)
{
	const uint64_t value = request->value < 0 ? 0 : (uint64_t)request->value;
	switch (request->action) {
	case GCS_SEEK_PLACE:
		gcs_player_seek(p, value);
		break;
	case GCS_SEEK_TIME:
		gcs_player_seek_time(p, value);
		break;
	case GCS_SEEK_MOVE:
		gcs_player_move(p, request->value);
		break;
	case GCS_SEEK_SPEED:
		gcs_player_set_speed(p, (double)request->value / 1000);
		break;
	case GCS_SEEK_LOOP:
		gcs_player_set_loop(p, request->value != 0);
		break;
	case GCS_SEEK_ACTION_COUNT:
		break;
	}
}

bool gcs_player_jumps(struct gcs_player *p)
{
	pthread_mutex_lock(&p->lock);
	const bool jump = p->jump || p->ending;
	pthread_mutex_unlock(&p->lock);
	return jump;
}

void gcs_player_position(struct gcs_player *p, struct gcs_position *position)
{
	pthread_mutex_lock(&p->lock);
	*position = p->position;
	pthread_mutex_unlock(&p->lock);
}

struct gcs_profile *gcs_player_profile(
    struct gcs_player *p, enum gcs_profile_kind kind, struct gcs_error *err)
{
	struct gcs_position position;
	struct gcs_profile *profile = NULL;
	gcs_player_position(p, &position);
	pthread_mutex_lock(&p->reading);
	const uint64_t number = gcs_trace_profile_before(p->trace, kind, position.place);
	if (number != UINT64_MAX)
		profile = gcs_trace_profile(p->trace, number, err);
	else
		gcs_fail(err, GCS_UNSUPPORTED, "no profile of this kind was recorded up to here");
	pthread_mutex_unlock(&p->reading);
	return profile;
}

struct gcs_trace_answer *gcs_player_answer(
    struct gcs_player *p, const char *plugin, struct gcs_error *err)
{
	struct gcs_position position;
	struct gcs_trace_answer *answer = NULL;
	gcs_player_position(p, &position);
	pthread_mutex_lock(&p->reading);
	const uint64_t number = gcs_trace_answer_before(p->trace, plugin, position.place);
	if (number != UINT64_MAX)
		answer = gcs_trace_get_answer(p->trace, number, NULL, err);
	else
		gcs_fail(err, GCS_UNSUPPORTED,
		    "no answer of %.60s was recorded up to here: the agent's option record-%.60s "
		    "records some",
		    plugin, plugin);
	pthread_mutex_unlock(&p->reading);
	return answer;
}

struct gcs_snapshot *gcs_player_moment(struct gcs_player *p, uint64_t place, struct gcs_error *err)
{
	pthread_mutex_lock(&p->reading);
	struct gcs_snapshot *moment = gcs_trace_moment(p->trace, place, err);
	pthread_mutex_unlock(&p->reading);
	return moment;
}

uint64_t gcs_player_readable(struct gcs_player *p, uint64_t place)
{
	pthread_mutex_lock(&p->reading);
	const uint64_t next = gcs_trace_readable(p->trace, place, 1);
	pthread_mutex_unlock(&p->reading);
	return next;
}

/* Creation and end. */

struct gcs_player *gcs_player_create(
    struct gcs_trace *trace, const struct gcs_player_options *options, struct gcs_error *err)
{
	struct gcs_trace_info info;
	struct gcs_player *p = gcs_zalloc(sizeof *p);
	if (p == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory to play the trace");
		return NULL;
	}
	gcs_trace_get_info(trace, &info);
	p->trace = trace;
	p->options = *options;
	p->position = (struct gcs_position){.events = info.events,
	    .first_time_ns = info.first_time_ns,
	    .last_time_ns = info.last_time_ns,
	    .speed = within_limits(options->speed),
	    .loop = options->loop};
	p->jump = true; /* to the event shown first */
	p->target = options->at_end && info.events > 0 ? info.events - 1 : 0;
	p->position.place = p->target;
	p->position.time_ns = options->at_end ? info.last_time_ns : info.first_time_ns;
	const bool locks = pthread_mutex_init(&p->lock, NULL) == 0 &&
			   pthread_mutex_init(&p->reading, NULL) == 0 &&
			   thread_cond_init(&p->changed);
	if (locks && thread_start(&p->thread, "gcspy-player", run, p))
		return p;
	gcs_fail(err, GCS_NOMEM, "cannot start a thread to play the trace");
	gcs_free(p);
	return NULL;
}

void gcs_player_destroy(struct gcs_player *p)
{
	if (p == NULL)
		return;
	pthread_mutex_lock(&p->lock);
	p->ending = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	pthread_mutex_destroy(&p->reading);
	gcs_trace_close(p->trace);
	gcs_free(p);
}
