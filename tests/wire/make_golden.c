/*
 * The bytes that the C codec makes of a fixed description and fixed snapshots, compared with those
 * kept in tests/wire/golden; GCSPY_UPDATE_GOLDEN=1 writes them anew. Beside the bytes stands what
 * the C client understands of them, as text, which the independent client must understand as well.
 *
 *	make-golden FOLDER
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

#include "decoder.h"
#include "golden_file.h"
#include "golden_model.h"
#include "session_2002.h"
#include "session_native.h"
#include "snapshot_text.h"

/* Both ends, and what they have said. */
struct world {
	struct session session;
	struct decoder decoder;
	struct wr bytes; /* from the server to the client */
	FILE *text;
	struct gcs_model *model;
	struct gcs_snapshot *last;
	uint32_t number;
	bool failed;
};

static void need(struct world *w, bool ok, const char *what)
{
	if (!ok && !w->failed)
		fprintf(stderr, "make-golden: %s\n", what);
	w->failed = w->failed || !ok;
}

/* What the session asks of its server. */

static bool admit(
    void *context, const struct hello *hello, enum bye_reason *reason, const char **message)
{
	(void)context;
	(void)reason;
	(void)message;
	return strcmp(hello->name, "golden") == 0;
}

static void nothing(void *context)
{
	(void)context;
}

static void collapsed(void *context, bool opened)
{
	(void)context;
	(void)opened;
}

static void on_query(void *context, const struct query_message *query)
{
	struct world *w = context;
	need(w, strcmp(query->topic, "sites") == 0 && query->count == 1, "another question came");
}

static void on_set(void *context, const struct set_message *set)
{
	need(context, strcmp(set->key, "interval") == 0, "another setting came");
}

static struct gcs_model *model_of(void *context)
{
	return gcs_model_ref(((struct world *)context)->model);
}

static uint32_t keep_alive_ms(void *context)
{
	(void)context;
	return 10000;
}

static const struct dialect *const dialects[] = {&native_dialect, &dialect_2002, NULL};

static const struct session_host host = {.dialects = dialects,
    .admit = admit,
    .ready = nothing,
    .collapsed = collapsed,
    .query = on_query,
    .set = on_set,
    .model = model_of,
    .keep_alive_ms = keep_alive_ms};

/* What the client has understood, as text; tests/wire/test_golden.py writes the same. */

static void on_model(void *context, struct gcs_model *model)
{
	struct world *w = context;
	model_print(w->text, model);
}

static void on_snapshot(void *context, struct gcs_snapshot *s)
{
	struct world *w = context;
	snapshot_print(w->text, s);
}

static void on_state(void *context, const struct state_message *state)
{
	struct world *w = context;
	fprintf(w->text, "state %d %d %u\n", (int)state->run, state->own, state->others);
}

static void on_notice(void *context, const char *message)
{
	struct world *w = context;
	fprintf(w->text, "notice %s\n", message);
}

static void on_answer(void *context, const struct answer_message *a)
{
	struct world *w = context;
	fprintf(w->text, "answer %u %s%s \"%s\" %zu of %u:", a->id, gcs_status_name(a->status),
	    a->last ? " last" : "", a->message, a->length, a->total);
	for (size_t i = 0; i < a->length; i++)
		fprintf(w->text, " %02x", a->bytes[i]);
	fprintf(w->text, "\n");
}

static void on_position(void *context, const struct gcs_position *p)
{
	struct world *w = context;
	fprintf(w->text,
	    "position %llu of %llu at %llu in %llu..%llu, %lld thousandths%s%s, %llu lost\n",
	    (unsigned long long)p->place, (unsigned long long)p->events,
	    (unsigned long long)p->time_ns, (unsigned long long)p->first_time_ns,
	    (unsigned long long)p->last_time_ns, (long long)(p->speed * 1000),
	    p->loop ? ", loop" : "", p->ended ? ", ended" : "", (unsigned long long)p->skipped);
}

static const struct decoder_events decoder_events = {.ready = on_model,
    .model = on_model,
    .snapshot = on_snapshot,
    .state = on_state,
    .notice = on_notice,
    .answer = on_answer,
    .position = on_position};

/* What has been put goes to the file and to the client. */
static void deliver(struct world *w)
{
	need(w, w->session.out.status == GCS_OK, "the session ran out of memory");
	wr_bytes(&w->bytes, w->session.out.data, w->session.out.length);
	decoder_input(&w->decoder, w->session.out.data, w->session.out.length);
	wr_consume(&w->session.out, w->session.out.length);
}

static struct gcs_snapshot *next(struct world *w, uint32_t event)
{
	struct gcs_snapshot *s = gcs_snapshot_begin(w->model, w->last);
	w->number++;
	struct gcs_occurrence o = {.sequence = 3 * w->number,
	    .event = event,
	    .time_ns = 1000000007u * (uint64_t)w->number,
	    .wall_ns = -5 + (int64_t)w->number,
	    .cost_ns = 1000u * (uint64_t)w->number};
	need(w, s != NULL && gcs_snapshot_set_occurrence(s, &o), "no snapshot");
	for (uint32_t i = 0; i < 2; i++)
		gcs_snapshot_set_counter(s, i, 100 * w->number + i);
	return s;
}

static void send(struct world *w, struct gcs_snapshot *s)
{
	session_model(&w->session, w->model);
	session_snapshot(&w->session, s, w->number / 2);
	gcs_snapshot_unref(w->last);
	w->last = s;
	deliver(w);
}

static void fill(struct world *w, struct gcs_snapshot *s, uint32_t space, uint32_t stream,
    int64_t first, int64_t step)
{
	int64_t *values = gcs_snapshot_write(s, space, stream);
	need(w, values != NULL, "no values");
	for (uint32_t i = 0; values != NULL && i < gcs_snapshot_tiles(s, space); i++)
		values[i] = (int64_t)((uint64_t)first + (uint64_t)step * i);
}

/* The snapshots: whole, incremental, resized, named, described again, withdrawn, extreme, large. */

static void first_snapshot(struct world *w)
{
	struct gcs_snapshot *s = next(w, 1);
	int64_t counts[] = {5, 2, 1}, share[] = {123456, 8 * 1048576}, total = 8 * 1048576;
	gcs_snapshot_set_text(s, 0, "Allocation Failure");
	gcs_snapshot_set_number(s, 1, 1234567);
	gcs_snapshot_set_number(s, 2, 2);
	gcs_snapshot_resize(s, 0, 8);
	fill(w, s, 0, 0, 1000, 0);
	fill(w, s, 0, 4, 0x10000, 0x1000);
	fill(w, s, 0, 5, 0x11000, 0x1000);
	gcs_snapshot_set_summary(s, 0, 0, 2, share);
	gcs_snapshot_set_summary(s, 0, 1, 1, &total);
	gcs_snapshot_set_summary(s, 0, 2, 3, counts);
	gcs_snapshot_insert_tiles(s, 1, 0, 3);
	gcs_snapshot_set_name(s, 1, 0, "main");
	gcs_snapshot_set_name(s, 1, 2,
	    "Gr\xc3\xb6\xc3\x9f"
	    "e");
	gcs_snapshot_set_space_info(s, 0, "none uncommitted");
	gcs_snapshot_set_gathered(s, 0, true);
	gcs_snapshot_set_gathered(s, 1, true);
	send(w, s);
}

static void incremental_snapshot(struct world *w)
{
	struct gcs_snapshot *s = next(w, 0);
	gcs_snapshot_add_fired(
	    s, &(struct gcs_fired){
		   .trigger = "each", .condition = "event = Start", .times = UINT64_MAX});
	gcs_snapshot_add_fired(s, &(struct gcs_fired){.trigger = "stack",
				      .condition = "count > 5",
				      .times = 1,
				      .plugin = "walk",
				      .status = GCS_STATE,
				      .message = "not now",
				      .length = 3,
				      .answer = "\0\377x"});
	int64_t *used = gcs_snapshot_write(s, 0, 0);
	int64_t *kind = gcs_snapshot_write(s, 0, 2);
	need(w, used != NULL && kind != NULL, "no values");
	if (used != NULL && kind != NULL) {
		used[3] = 0;
		used[7] = INT64_MAX;
		kind[0] = 1;
		kind[1] = 0;
	}
	gcs_snapshot_insert_tiles(s, 1, 1, 2);
	gcs_snapshot_remove_tiles(s, 1, 4, 1);
	gcs_snapshot_set_name(s, 1, 1, "worker");
	gcs_snapshot_set_gathered(s, 0, true);
	gcs_snapshot_set_gathered(s, 1, true);
	send(w, s);
}

static void described_anew(struct world *w)
{
	struct gcs_model *m = gcs_model_copy(w->model);
	need(w, m != NULL && golden_model_change(m), "cannot describe anew");
	gcs_model_unref(w->model);
	w->model = m;
	struct gcs_snapshot *s = next(w, GCS_NONE);
	gcs_snapshot_resize(s, 2, 70000);
	fill(w, s, 2, 0, -35000, 1);
	gcs_snapshot_resize(s, 1, 4);
	int64_t *change = gcs_snapshot_write(s, 1, 0);
	need(w, change != NULL, "no values");
	if (change != NULL) {
		change[0] = INT64_MIN;
		change[1] = INT64_MAX;
		change[2] = -1;
	}
	gcs_snapshot_set_gathered(s, 2, true);
	send(w, s);
}

static void withdrawn(struct world *w)
{
	struct gcs_error err;
	struct gcs_model *m = gcs_model_copy(w->model);
	need(w, m != NULL && gcs_model_remove_space(m, 1, &err) == GCS_OK, "cannot withdraw");
	gcs_model_unref(w->model);
	w->model = m;
	struct gcs_snapshot *s = next(w, 0);
	gcs_snapshot_resize(s, 0, 2);
	gcs_snapshot_set_space_info(s, 0, "");
	gcs_snapshot_set_summary(s, 0, 1, 0, NULL);
	gcs_snapshot_set_gathered(s, 0, true);
	send(w, s);
}

static const struct gcs_info parameters[] = {{"kind", "live"}};

/* A question whose answer comes in two parts around a snapshot, and one that is refused. */
static void put_questions(struct wr *w)
{
	put_query(w, &(struct query_message){
			 .id = 300, .topic = "sites", .count = 1, .parameters = parameters});
	put_set(w, &(struct set_message){.id = UINT32_MAX, .key = "interval", .value = "64k"});
}

static void position(struct world *w)
{
	session_position(&w->session, &(struct gcs_position){.place = 300,
					  .events = 100000,
					  .first_time_ns = 1,
					  .last_time_ns = UINT64_MAX,
					  .time_ns = 1000000007,
					  .speed = -2.5,
					  .loop = true,
					  .skipped = 129});
}

static void answer(struct world *w, bool last)
{
	static const uint8_t body[] = {0, 1, 2, 0xff, 'x'};
	struct answer_message part = {.id = 300,
	    .last = last,
	    .total = sizeof body,
	    .message = last ? "" : "in two parts",
	    .length = last ? 2 : 3,
	    .bytes = last ? body + 3 : body};
	session_answer(&w->session, &part);
	if (last)
		session_answer(&w->session, &(struct answer_message){.id = UINT32_MAX,
						.status = GCS_ARGUMENT,
						.last = true,
						.message = "at most 1m"});
}

static void converse(struct world *w)
{
	struct wr in;
	wr_init(&in, 1000);
	frame_preamble(&in);
	put_hello(&in, &(struct hello){.name = "golden", .token = ""});
	session_input(&w->session, in.data, in.length);
	deliver(w);
	session_state(&w->session, &(struct state_message){.run = GCS_RUNNING});
	first_snapshot(w);
	incremental_snapshot(w);
	session_state(
	    &w->session, &(struct state_message){.run = GCS_PAUSED, .own = true, .others = 300});
	described_anew(w);
	session_notice(&w->session, "3 snapshots left out");
	in.length = 0;
	put_collapse(&in, false, 2, true);
	put_number(&in, GCS_WIRE_PING, UINT64_MAX);
	put_questions(&in);
	session_input(&w->session, in.data, in.length);
	position(w);
	answer(w, false);
	withdrawn(w);
	answer(w, true);
	session_bye(&w->session, BYE_ENDED, "the server ends");
	deliver(w);
	wr_fini(&in);
}

/* Each command once, as a client sends them. */
static void put_commands(struct wr *w)
{
	const struct gcs_filter filter = {
	    .enabled = true, .delay_ms = 10000, .pause = true, .period = 1000000};
	frame_preamble(w);
	put_hello(
	    w, &(struct hello){.flags = GCS_HELLO_PAUSE | GCS_HELLO_COMPRESS | GCS_HELLO_EVERY,
		   .name = "golden",
		   .token = "sesame"});
	put_empty(w, GCS_WIRE_PAUSE);
	put_number(w, GCS_WIRE_RESUME, 1);
	put_empty(w, GCS_WIRE_STEP);
	put_filter(w, 1, &filter);
	put_pace(w, GCS_PACE_INTERVAL, 250);
	put_number(w, GCS_WIRE_ACK, 300);
	put_collapse(w, true, 1, true);
	put_collapse(w, false, 2, false);
	put_number(w, GCS_WIRE_PING, UINT64_MAX);
	put_questions(w);
	put_zoom(w, &(struct zoom_message){
			.id = 7, .space = 1, .start = 4096, .end = UINT64_MAX, .block = 512});
	put_zoom(w, &(struct zoom_message){.id = 8, .space = 300});
	put_trigger(w, &(struct trigger_message){.id = 9,
			   .trigger = {.name = "slow",
			       .condition = "pause > 200ms",
			       .actions = GCS_TRIGGER_PAUSE | GCS_TRIGGER_RECORD,
			       .nth = 3,
			       .most = UINT64_MAX,
			       .plugin = "walk"}});
	put_trigger(
	    w, &(struct trigger_message){.id = 10, .remove = true, .trigger = {.name = "slow"}});
	put_interest(w, &(struct interest_message){.event = 1, .attribute = 3, .on = true});
	put_seek(w, &(struct gcs_seek){.action = GCS_SEEK_SPEED, .value = -2500});
	put_empty(w, GCS_WIRE_CLOSE);
}

/* What a server of 1.2 sent is understood as it was then. */
static bool settle_older(const char *folder)
{
	char path[600], *text = NULL;
	static char bytes[1 << 16];
	size_t length = 0;
	struct world w = {.text = open_memstream(&text, &length)};
	snprintf(path, sizeof path, "%s/session-1.2.bin", folder);
	FILE *f = fopen(path, "rb");
	need(&w, f != NULL && w.text != NULL, "cannot open session-1.2.bin");
	decoder_init(&w.decoder, &decoder_events, &w);
	if (!w.failed)
		decoder_input(&w.decoder, bytes, fread(bytes, 1, sizeof bytes, f));
	need(&w, w.decoder.error.status == GCS_CLOSED, w.decoder.error.text);
	decoder_fini(&w.decoder);
	if (f != NULL)
		fclose(f);
	if (w.text != NULL)
		fclose(w.text);
	const bool ok = !w.failed && golden_settle(folder, "session-1.2.txt", text, length);
	free(text);
	return ok;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return fprintf(stderr, "usage: make-golden FOLDER\n"), 2;
	struct world w = {0};
	struct wr commands;
	char *text = NULL;
	size_t text_length = 0;
	w.text = open_memstream(&text, &text_length);
	wr_init(&w.bytes, 1 << 24);
	wr_init(&commands, 10000);
	put_commands(&commands);
	session_init(&w.session, &host, &w);
	decoder_init(&w.decoder, &decoder_events, &w);
	w.model = golden_model();
	need(&w, w.text != NULL && w.model != NULL, "cannot describe the server");
	if (!w.failed)
		converse(&w);
	need(&w, w.decoder.error.status == GCS_CLOSED, w.decoder.error.text);
	if (w.text != NULL)
		fclose(w.text);
	bool ok = !w.failed && golden_settle(argv[1], "session.bin", w.bytes.data, w.bytes.length);
	ok = ok && golden_settle(argv[1], "session.txt", text, text_length);
	ok = ok && golden_settle(argv[1], "commands.bin", commands.data, commands.length);
	ok = ok && settle_older(argv[1]) && golden_settle_profiles(argv[1]);
	session_fini(&w.session);
	decoder_fini(&w.decoder);
	gcs_snapshot_unref(w.last);
	gcs_model_unref(w.model);
	wr_fini(&w.bytes);
	wr_fini(&commands);
	free(text);
	return ok ? 0 : 1;
}
