/*
 * Writes the corpora with our own encoder: make-corpus FOLDER. Run by hand when the format grows;
 * what it writes is committed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kit.h"
#include "pair.h"
#include "runs.h"

static const char *root;

static void save(const char *target, const char *name, const struct wr *w)
{
	char path[1000];
	snprintf(path, sizeof path, "%s/%s", root, target);
	(void)mkdir(path, 0777);
	snprintf(path, sizeof path, "%s/%s/%s", root, target, name);
	FILE *file = fopen(path, "wb");
	if (file == NULL || w->status != GCS_OK ||
	    fwrite(w->data, 1, w->length, file) != w->length || fclose(file) != 0) {
		fprintf(stderr, "cannot write %s\n", path);
		exit(1);
	}
}

static void save_text(const char *target, const char *name, const char *text)
{
	struct wr w;
	wr_init(&w, 1000);
	wr_bytes(&w, text, strlen(text));
	save(target, name, &w);
	wr_fini(&w);
}

/* What a server sends to a client that stays for some snapshots. */
static void mirror_corpus(const char *name, uint32_t flags, bool changes)
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
	save("mirror", name, &pair.session.out);
	gcs_snapshot_unref(last);
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
	save("session", "hello", &w);
	put_empty(&w, GCS_WIRE_PAUSE);
	put_empty(&w, GCS_WIRE_STEP);
	put_number(&w, GCS_WIRE_RESUME, 1);
	put_filter(&w, 1, &(struct gcs_filter){.enabled = true, .period = 3, .delay_ms = 10});
	put_pace(&w, GCS_PACE_INTERVAL, 100);
	put_collapse(&w, true, 1, true);
	put_collapse(&w, false, 2, true);
	put_number(&w, GCS_WIRE_ACK, 1);
	put_number(&w, GCS_WIRE_PING, 77);
	save("session", "commands", &w);
	put_empty(&w, GCS_WIRE_CLOSE);
	save("session", "close", &w);
	wr_fini(&w);
}

static void runs_corpus(void)
{
	static const int64_t values[] = {1, 2, 3, 7, 7, 7, 7, -5, INT64_MIN, INT64_MAX, 0, 0, 0};
	uint32_t count = sizeof values / sizeof values[0];
	for (unsigned incremental = 0; incremental < 2; incremental++) {
		struct wr w;
		wr_init(&w, 1000);
		wr_u8(&w, (uint8_t)incremental);
		wr_u16(&w, (uint16_t)count);
		runs_encode(&w, values, NULL, count);
		save("runs", incremental ? "incremental" : "whole", &w);
		wr_fini(&w);
	}
}

static void model_corpus(void)
{
	static const char *const names[] = {"events", "groups", "info", "space"};
	struct gcs_model *model = kit_model();
	for (unsigned i = 0; i < 4; i++) {
		struct wr frame, w;
		wr_init(&frame, 10000);
		wr_init(&w, 10000);
		switch (i) {
		case 0:
			put_events(&frame, model, NULL);
			break;
		case 1:
			put_groups(&frame, model, NULL);
			break;
		case 2:
			put_info(&frame, model, NULL);
			break;
		default:
			put_space(&frame, 0, &model->spaces[0], NULL);
			break;
		}
		wr_u8(&w, (uint8_t)i);
		wr_bytes(&w, frame.data + GCS_WIRE_HEADER, frame.length - GCS_WIRE_HEADER);
		save("model", names[i], &w);
		wr_fini(&frame);
		wr_fini(&w);
	}
	gcs_model_unref(model);
}

static void add_message(struct wr *w, unsigned kind, struct wr *frame)
{
	wr_u8(w, (uint8_t)kind);
	wr_u16(w, (uint16_t)(frame->length - GCS_WIRE_HEADER));
	wr_bytes(w, frame->data + GCS_WIRE_HEADER, frame->length - GCS_WIRE_HEADER);
	frame->length = 0;
}

static void snapshot_corpus(void)
{
	struct wr w, f;
	struct gcs_model *model = kit_model();
	struct gcs_snapshot *s = kit_snapshot(model);
	wr_init(&w, 1 << 16);
	wr_init(&f, 1 << 16);
	put_begin(&f, s, gcs_snapshot_occurrence(s));
	add_message(&w, 0, &f);
	put_tiles(&f, KIT_HEAP, 3, 1, 5);
	add_message(&w, 1, &f);
	put_names(&f, s, KIT_HEAP, 0, 8);
	add_message(&w, 2, &f);
	put_stream(&f, KIT_HEAP, 0, gcs_snapshot_values(s, KIT_HEAP, 0), NULL, 20, NULL);
	add_message(&w, 3, &f);
	put_stream(&f, KIT_HEAP, 0, gcs_snapshot_values(s, KIT_HEAP, 0),
	    gcs_snapshot_values(s, KIT_HEAP, 1), 20, NULL);
	add_message(&w, 4, &f);
	put_summary(&f, KIT_HEAP, 0, NULL);
	add_message(&w, 5, &f);
	put_space_info(&f, KIT_LIST, "half");
	add_message(&w, 6, &f);
	put_counters(&f, s);
	add_message(&w, 7, &f);
	put_end(&f, gcs_snapshot_occurrence(s)->sequence, 1, (const uint32_t[]){KIT_LIST});
	add_message(&w, 8, &f);
	save("snapshot", "all", &w);
	wr_fini(&w);
	wr_fini(&f);
	gcs_snapshot_unref(s);
	gcs_model_unref(model);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return fprintf(stderr, "make-corpus FOLDER\n"), 2;
	root = argv[1];
	(void)mkdir(root, 0777);
	mirror_corpus("plain", 0, true);
	mirror_corpus("deflated", GCS_HELLO_COMPRESS, true);
	mirror_corpus("short", 0, false);
	session_corpus();
	runs_corpus();
	model_corpus();
	snapshot_corpus();
	save_text("net", "port", "3000");
	save_text("net", "host", "host.example:3000");
	save_text("net", "v6", "[::1]:3000");
	save_text("net", "unix", "unix:/tmp/gcspy.sock");
	return 0;
}
