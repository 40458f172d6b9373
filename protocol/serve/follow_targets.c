/* The thread that takes the targets' snapshots, and asks for their profiles while a client reads them. */
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "net.h"
#include "now.h"
#include "sites.h"
#include "targets.h"
#include "text.h"

enum {
	PROFILE_MS = 15000, /* between two profiles of a target */
	SOON_MS = 3000,     /* the same with a full collection between: it has judged all objects */
	READ_MS = 120000,   /* without a reader for so much time no profiles are fetched */
	QUERY_MS = 30000,   /* longest wait for one */
	POINT_MS = 5000,    /* between points of the sparklines */
	TURN_MS = 1000,
	QUERIES_AT_ONCE = 8 /* so that not all answers are in memory at a time */
};

/* Of all spaces only those that the figures need are sent; the others are not even gathered, unless
 * another client shows them. */
static void prepare(struct target *target)
{
	struct gcs_model *model = gcs_client_model(target->client);
	if (model == NULL || model == target->prepared) {
		gcs_model_unref(model);
		return;
	}
	for (uint32_t i = 0; i < model->space_count; i++)
		if (!model->spaces[i].gone && !running_figures_use(model, i))
			(void)gcs_client_collapse_space(target->client, i, true);
	gcs_model_unref(target->prepared);
	target->prepared = model;
}

static void describe(struct target *target)
{
	const struct gcs_model *m = target->prepared;
	for (uint32_t i = 0; m != NULL && i < m->info_count; i++)
		if (strcmp(m->info[i].key, "Collector") == 0)
			snprintf(
			    target->collector, sizeof target->collector, "%s", m->info[i].value);
	text_clean(target->collector);
}

static void take_snapshots(struct targets *t, struct target *target)
{
	struct gcs_snapshot *s;
	bool any = false;
	pthread_mutex_lock(&t->lock);
	running_figures_mark(target->figures, &target->mark);
	pthread_mutex_unlock(&t->lock);
	while ((s = gcs_client_next(target->client, 0)) != NULL) {
		running_figures_add(target->figures, s);
		gcs_snapshot_unref(s);
		any = true;
	}
	pthread_mutex_lock(&t->lock);
	if (any)
		(void)running_values_copy(&target->values, running_figures_now(target->figures));
	if (target->state != TARGET_LIVE) {
		target->state = TARGET_LIVE;
		target->failures = 0;
		target->error[0] = '\0';
		describe(target);
	}
	pthread_mutex_unlock(&t->lock);
}

static void take_classes(struct gcs_sites *sites, struct target_samples *samples)
{
	samples->known = true;
	samples->live_bytes = gcs_sites_total(sites)->live_bytes;
	samples->other_bytes = samples->live_bytes;
	for (uint32_t i = 0; i < samples->class_count; i++) {
		const struct gcs_site *site = gcs_sites_at(sites, i);
		struct target_class *class = &samples->classes[i];
		snprintf(class->name, sizeof class->name, "%s", site->class_name);
		text_clean(class->name);
		class->bytes = site->live_bytes;
		samples->other_bytes -= site->live_bytes;
	}
	samples->other_bytes = samples->other_bytes > 0.5 ? samples->other_bytes : 0;
}

static void take_profile(struct targets *t, struct target *target, const struct gcs_answer *answer)
{
	struct gcs_error err;
	struct gcs_profile *profile = answer->status != GCS_OK
					  ? NULL
					  : gcs_profile_decode(answer->bytes, answer->length, &err);
	const struct gcs_profile_head *head = profile == NULL ? NULL : gcs_profile_head(profile);
	const struct gcs_site_filter filter = {
	    .by = GCS_SITES_BY_CLASS, .top = t->options.top_classes};
	struct gcs_sites *sites =
	    head == NULL || head->interval == 0 ? NULL : gcs_sites_create(profile, &filter, &err);
	uint32_t count = sites == NULL ? 0 : gcs_sites_count(sites);
	count = count < t->options.top_classes ? count : t->options.top_classes;
	struct target_samples *samples =
	    gcs_zalloc(sizeof *samples + count * sizeof samples->classes[0]);
	if (samples != NULL) {
		samples->references = 1;
		samples->class_count = count;
		samples->interval = head == NULL ? 0 : head->interval;
		samples->wall_ns = head == NULL ? 0 : head->wall_ns;
		samples->allocated_bytes = head == NULL ? 0 : head->allocated_bytes;
		if (sites != NULL)
			take_classes(sites, samples);
		pthread_mutex_lock(&t->lock);
		target_samples_release(target->samples);
		target->samples = samples;
		pthread_mutex_unlock(&t->lock);
	}
	gcs_sites_free(sites);
	gcs_profile_free(profile);
}

static bool is_due(const struct target *target, uint64_t now, bool read)
{
	if (target->profile_ms == 0)
		return true;
	const bool judged = running_figures_now(target->figures)->full != target->query_full;
	return read && (now >= target->profile_ms || (judged && now >= target->query_ms + SOON_MS));
}

/* Asks for a profile when one is due and not too many are asked for, and takes its answer when it is there. */
static void ask(struct targets *t, struct target *target, bool read, uint32_t *asked)
{
	const struct gcs_info kind = {"kind", "live"};
	const uint64_t now = now_ms();
	if (target->query != 0) {
		struct gcs_answer *answer = gcs_client_answer(target->client, target->query, 0);
		if (answer == NULL && now < target->query_ms + QUERY_MS)
			return;
		if (answer != NULL)
			take_profile(t, target, answer);
		gcs_answer_free(answer);
		target->query = 0;
	} else if (t->options.top_classes != 0 && *asked < QUERIES_AT_ONCE &&
		   is_due(target, now, read)) {
		if (gcs_client_query(target->client, "sites", 1, &kind, &target->query) != GCS_OK)
			target->query = 0;
		*asked += target->query != 0;
		target->query_ms = now;
		target->query_full = running_figures_now(target->figures)->full;
		target->profile_ms = now + PROFILE_MS;
	}
}

/* What its process has used, where that can be seen. */
static void take_usage(struct targets *t, struct target *target)
{
	struct process_usage usage;
	const bool serial = strcmp(target->collector, "Serial") == 0;
	if (target->is.pid == 0 || now_ms() < target->point_ms)
		return;
	process_usage_read(target->is.pid, serial, &target->threads, &usage);
	pthread_mutex_lock(&t->lock);
	target->usage = usage;
	pthread_mutex_unlock(&t->lock);
}

static void add_point(struct targets *t, struct target *target)
{
	const struct running_values *v = running_figures_now(target->figures);
	uint64_t pauses = 0;
	for (uint32_t i = 0; i < v->pause_count; i++)
		pauses += v->pauses[i].total_ns;
	if (now_ms() < target->point_ms)
		return;
	pthread_mutex_lock(&t->lock);
	if (target->point_count == TARGET_POINTS)
		memmove(target->points, target->points + 1,
		    (TARGET_POINTS - 1) * sizeof target->points[0]);
	else
		target->point_count++;
	target->points[target->point_count - 1] =
	    (struct target_point){v->used, pauses - target->point_pause_ns, v->has_used};
	pthread_mutex_unlock(&t->lock);
	target->point_pause_ns = pauses;
	target->point_ms = now_ms() + POINT_MS;
}

static void follow(struct targets *t, struct target *target, bool read, uint32_t *asked)
{
	enum gcs_client_state state = gcs_client_state(target->client);
	if (state == GCS_CLIENT_LIVE) {
		prepare(target);
		take_snapshots(t, target);
		ask(t, target, read, asked);
		take_usage(t, target);
		add_point(t, target);
	} else if (state == GCS_CLIENT_LOST) {
		struct gcs_error err;
		gcs_client_error(target->client, &err);
		pthread_mutex_lock(&t->lock);
		t->lost++;
		if (target->state == TARGET_LIVE)
			/* The next scan finds the JVM again, if it still runs. */
			target_remove(t, target);
		else if (target->state == TARGET_CONNECTING)
			target_fail(target, "%s%s", err.text,
			    err.status != GCS_DENIED
				? ""
				: "; gcspy serve has none for agents: load them without "
				  "token-file=, with socket=PATH");
		pthread_mutex_unlock(&t->lock);
	}
}

/* References to the targets that have a client; the caller frees the array. */
static struct target **connected(struct targets *t, size_t *count, bool *read, bool *ending)
{
	pthread_mutex_lock(&t->lock);
	struct target **all = gcs_zalloc(((size_t)t->count + 1) * sizeof(struct target *));
	*count = 0;
	for (struct target *at = t->first; all != NULL && at != NULL; at = at->next)
		if (at->client != NULL && at->state != TARGET_FAILED) {
			at->references++;
			all[(*count)++] = at;
		}
	*read = t->read_ms != 0 && now_ms() < t->read_ms + READ_MS;
	*ending = t->ending;
	pthread_mutex_unlock(&t->lock);
	return all;
}

void *targets_follow(void *context)
{
	struct targets *t = context;
	bool read, ending = false;
	while (!ending) {
		struct pollfd wait = {.fd = t->wake[0], .events = POLLIN};
		poll(&wait, 1, TURN_MS);
		net_drain(t->wake[0]);
		size_t count;
		struct target **all = connected(t, &count, &read, &ending);
		uint32_t asked = 0;
		for (size_t i = 0; i < count; i++)
			asked += all[i]->query != 0;
		for (size_t i = 0; i < count; i++) {
			if (!ending)
				follow(t, all[i], read, &asked);
			target_release(t, all[i]);
		}
		gcs_free(all);
	}
	return NULL;
}
