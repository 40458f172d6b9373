#include "corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

#include "client_dialect.h"
#include "kit.h"
#include "pair.h"
#include "wire_2002.h"

/* What a server sends to a client that stays for some snapshots. */
static void decoder_corpus(const char *name, uint32_t flags, bool changes)
{
	struct pair pair;
	struct wr w;
	uint64_t state = flags + 1;
	struct gcs_model *model = kit_model();
	struct gcs_snapshot *last = kit_snapshot(model);
	wr_init(&w, 1 << 20);
	pair_init(&pair, model);
	struct hello hello = {.flags = flags, .name = "corpus", .token = ""};
	frame_preamble(&w);
	put_hello(&w, &hello);
	pair_command(&pair, &w);
	gcs_snapshot_add_fired(last, &(struct gcs_fired){.trigger = "slow",
					 .condition = "count > 1",
					 .times = 2,
					 .plugin = "walk",
					 .length = 3,
					 .answer = "abc"});
	session_snapshot(&pair.session, last, 0);
	for (unsigned i = 0; changes && i < 4; i++) {
		struct gcs_snapshot *s = gcs_snapshot_begin(model, last);
		for (unsigned k = 0; k < 6; k++)
			kit_change(s, &state);
		snapshot_settle(s, last);
		session_snapshot(&pair.session, s, i);
		gcs_snapshot_unref(last);
		last = s;
	}
	session_state(&pair.session, &(struct state_message){.run = GCS_PAUSED, .own = true});
	session_notice(&pair.session, "a notice");
	session_bye(&pair.session, BYE_ENDED, "the end");
	corpus_save("decoder", name, &pair.session.out);
	gcs_snapshot_unref(last);
	gcs_model_unref(model);
	wr_fini(&w);
	pair_fini(&pair);
}

/* A question's short answer, and a long one around a snapshot. */
static void answers_corpus(const char *name, uint32_t flags)
{
	static const uint8_t body[CODEC_ANSWER_PER_FRAME];
	struct pair pair;
	struct wr w;
	struct gcs_model *model = kit_model();
	struct gcs_snapshot *s = kit_snapshot(model);
	struct answer_message part = {.id = 300, .total = 3000, .message = "", .length = 1500};
	part.bytes = body;
	wr_init(&w, 1 << 20);
	pair_init(&pair, model);
	frame_preamble(&w);
	put_hello(&w, &(struct hello){.flags = flags, .name = "corpus", .token = ""});
	put_query(&w, &(struct query_message){.id = 1, .topic = "settings"});
	pair_command(&pair, &w);
	session_answer(&pair.session, &part);
	session_snapshot(&pair.session, s, 0);
	part.last = true;
	session_answer(&pair.session, &part);
	session_answer(&pair.session,
	    &(struct answer_message){
		.id = 2, .status = GCS_ARGUMENT, .last = true, .message = "no such kind"});
	corpus_save("decoder", name, &pair.session.out);
	gcs_snapshot_unref(s);
	gcs_model_unref(model);
	wr_fini(&w);
	pair_fini(&pair);
}

static void session_corpus(void)
{
	struct wr w;
	struct hello hello = {.flags = 7, .name = "corpus", .token = "token"};
	wr_init(&w, 1000);
	frame_preamble(&w);
	put_hello(&w, &hello);
	corpus_save("session", "hello", &w);
	put_empty(&w, GCS_WIRE_PAUSE);
	put_empty(&w, GCS_WIRE_STEP);
	put_number(&w, GCS_WIRE_RESUME, 1);
	put_filter(&w, 1, &(struct gcs_filter){.enabled = true, .period = 3, .delay_ms = 10});
	put_pace(&w, GCS_PACE_INTERVAL, 100);
	put_collapse(&w, true, 1, true);
	put_collapse(&w, false, 2, true);
	put_number(&w, GCS_WIRE_ACK, 1);
	put_number(&w, GCS_WIRE_PING, 77);
	corpus_save("session", "commands", &w);
	put_empty(&w, GCS_WIRE_CLOSE);
	corpus_save("session", "close", &w);
	const struct gcs_info parameters[] = {{"kind", "live"}, {"depth", "12"}};
	w.length = 0;
	frame_preamble(&w);
	put_hello(&w, &hello);
	put_query(&w, &(struct query_message){.id = 1, .topic = "settings"});
	put_query(&w, &(struct query_message){
			  .id = 300, .topic = "sites", .count = 2, .parameters = parameters});
	put_set(&w, &(struct set_message){.id = 2, .key = "interval", .value = "64k"});
	corpus_save("session", "questions", &w);
	w.length = 0;
	frame_preamble(&w);
	put_hello(&w, &hello);
	put_zoom(&w, &(struct zoom_message){
			 .id = 1, .space = 1, .start = 4096, .end = UINT64_MAX, .block = 512});
	put_zoom(&w, &(struct zoom_message){.id = 2, .space = 3});
	corpus_save("session", "zooms", &w);
	w.length = 0;
	frame_preamble(&w);
	put_hello(&w, &hello);
	put_seek(&w, &(struct gcs_seek){.action = GCS_SEEK_MOVE, .value = -3});
	put_seek(&w, &(struct gcs_seek){.action = GCS_SEEK_SPEED, .value = 2500});
	corpus_save("session", "seeks", &w);
	wr_fini(&w);
}

/* What clients and servers of 2002 say; ours, which says all that the protocol has. */
static void corpus_of_2002(void)
{
	struct pair pair;
	struct wr w;
	uint64_t state = 2002;
	struct gcs_filter filters[3] = {
	    {.period = 1}, {.enabled = true, .period = 9}, {.period = 1}};
	struct gcs_model *model = kit_model();
	struct gcs_snapshot *s = kit_snapshot(model);
	wr_init(&w, 1 << 20);
	client_dialect_2002.hello(&w, &(struct hello){.name = "", .token = ""});
	pair_init(&pair, model);
	pair_command(&pair, &w);
	corpus_save("session_2002", "hello", &w);
	client_dialect_2002.pause(&w);
	client_dialect_2002.step(&w);
	client_dialect_2002.resume(&w, true);
	client_dialect_2002.filter(&w, 1, 3, filters);
	client_dialect_2002.leave(&w);
	corpus_save("session_2002", "commands", &w);
	wr_consume(&w, 18);
	corpus_save("session_2002", "without_hello", &w);
	for (unsigned i = 0; i < 4; i++) {
		session_snapshot(&pair.session, s, i);
		for (unsigned k = 0; k < 6; k++)
			kit_change(s, &state);
		session_state(&pair.session, &(struct state_message){.run = GCS_PAUSED});
		if (i == 0)
			corpus_save("decoder_2002", "short", &pair.session.out);
	}
	session_bye(&pair.session, BYE_ENDED, "the end");
	corpus_save("decoder_2002", "all", &pair.session.out);
	gcs_snapshot_unref(s);
	gcs_model_unref(model);
	wr_fini(&w);
	pair_fini(&pair);
}

void corpus_conversations(void)
{
	decoder_corpus("plain", 0, true);
	decoder_corpus("deflated", GCS_HELLO_COMPRESS, true);
	decoder_corpus("short", 0, false);
	answers_corpus("answers", 0);
	answers_corpus("answers-deflated", GCS_HELLO_COMPRESS);
	session_corpus();
	corpus_of_2002();
}
