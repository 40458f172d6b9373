/* What has fired and clients that get less than everything, or change triggers while events happen (F17). */
#include "server_trigger_suite.h"

/* At a pace of intervals older snapshots are left out, but none where a trigger has fired. */
TriggerTest(the_pace_does_not_thin_what_has_fired)
{
	struct gcs_client *c = join();
	set_trigger(c, &slow);
	gcs_client_set_pace(c, GCS_PACE_INTERVAL, 3600000);
	obeyed(c);
	for (int i = 1; i <= 10; i++) {
		collection(1);
		collection(10 + i);
	}
	for (int i = 1; i <= 10; i++) {
		struct gcs_snapshot *s;
		do {
			s = gcs_client_next(c, 10000);
			cr_assert_not_null(s, "%d", i);
			int64_t pause;
			gcs_snapshot_number(s, PAUSE, &pause);
			if (pause == 10 + i)
				break;
			cr_assert_eq(pause, 1);
			gcs_snapshot_unref(s);
		} while (true);
		gcs_snapshot_unref(s);
	}
	gcs_client_close(c);
}

static struct gcs_snapshot *queued(struct gcs_model *model, bool fired)
{
	struct gcs_snapshot *s = gcs_snapshot_begin(model, NULL);
	if (fired)
		cr_assert(gcs_snapshot_add_fired(
		    s, &(struct gcs_fired){.trigger = "t", .condition = "c"}));
	return s;
}

TriggerTest(a_slow_client_loses_what_has_fired_last)
{
	struct gcs_model *model = gcs_model_create("m");
	struct peer *p = gcs_zalloc(sizeof *p);
	p->queue_limit = SIZE_MAX;
	struct gcs_snapshot *s[2 * PEER_QUEUE];
	/* Every 32nd has fired: all of these stay, and the newest others. */
	for (uint32_t i = 0; i < 2 * PEER_QUEUE; i++) {
		s[i] = queued(model, i % 32 == 0);
		cr_assert_eq(peer_push(p, s[i]), i >= PEER_QUEUE);
	}
	const uint32_t first = 2 * PEER_QUEUE - (PEER_QUEUE - 4) - 2;
	for (uint32_t i = 0; i < 2 * PEER_QUEUE; i++) {
		if (i % 32 == 0 || i > first) {
			struct gcs_snapshot *popped = peer_pop(p, false);
			cr_assert_eq(popped, s[i], "%u", i);
			gcs_snapshot_unref(popped);
		}
		gcs_snapshot_unref(s[i]);
	}
	cr_assert_null(peer_pop(p, false));
	cr_assert_eq(p->queue_bytes, 0);
	/* If all have fired the oldest one is dropped. */
	for (uint32_t i = 0; i <= PEER_QUEUE; i++) {
		s[i] = queued(model, true);
		peer_push(p, s[i]);
	}
	for (uint32_t i = 0; i <= PEER_QUEUE; i++) {
		if (i != 0) {
			struct gcs_snapshot *popped = peer_pop(p, true);
			cr_assert_eq(popped, s[i]);
			gcs_snapshot_unref(popped);
		}
		gcs_snapshot_unref(s[i]);
	}
	gcs_free(p);
	gcs_model_unref(model);
}

/* Threads at events while triggers come and go: nothing is freed that they use, and at the end nothing
 * is left. */
static atomic_bool stop;

static void *events(void *context)
{
	const int64_t numbers[ATTRIBUTES] = {[PAUSE] = 11, [USED] = 7};
	const struct gcs_values values = {.known = 1 << PAUSE | 1 << USED, .numbers = numbers};
	(void)context;
	while (!atomic_load(&stop)) {
		struct gcs_ticket t;
		gcs_server_enter(server, FINISH, &t);
		if (gcs_server_triggered(server, FINISH))
			gcs_server_check(server, &t, &values);
		if (t.fired != 0)
			gcs_server_miss(server, &t);
		gcs_server_leave(server, &t);
	}
	return NULL;
}

TriggerTest(triggers_come_and_go_while_events_happen)
{
	struct gcs_client *c = join();
	filter_out(c);
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, events, NULL), 0);
	char name[8] = "a";
	struct gcs_trigger t = {
	    .name = name, .condition = "Pause > 10 and change(Used, 3 events) = 0"};
	for (int i = 0; i < 2000; i++) {
		name[0] = (char)('a' + i % 7);
		if (i % 3 == 2)
			gcs_server_remove_trigger(server, name, NULL);
		else
			cr_assert_eq(
			    gcs_server_set_trigger(server, &t, &err), GCS_OK, "%s", err.text);
	}
	atomic_store(&stop, true);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	for (name[0] = 'a'; name[0] <= 'g'; name[0]++)
		gcs_server_remove_trigger(server, name, NULL);
	cr_assert_not(gcs_server_triggered(server, FINISH));
	gcs_server_remove_trigger(server, "", NULL);
	cr_assert_null(server->triggers.replaced);
	gcs_client_close(c);
}
