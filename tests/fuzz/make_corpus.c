/*
 * Writes the corpora with our own encoder: make-corpus FOLDER. Run by hand when the format grows;
 * what it writes is committed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <gcspy/memory.h>

#include "corpus.h"
#include "kit.h"
#include "kit_profile.h"
#include "kit_trace.h"
#include "made_profiles.h"
#include "pair.h"
#include "runs.h"
#include "site_tiles.h"
#include "trace_parts.h"

static const char *root;

void corpus_save(const char *target, const char *name, const struct wr *w)
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
	corpus_save(target, name, &w);
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
		corpus_save("runs", incremental ? "incremental" : "whole", &w);
		wr_fini(&w);
	}
}

static void model_corpus(void)
{
	static const char *const names[] = {"events", "groups", "info", "space", "plugins"};
	struct gcs_model *model = kit_model();
	for (unsigned i = 0; i < 5; i++) {
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
		case 3:
			put_space(&frame, 0, &model->spaces[0], NULL);
			break;
		default:
			put_plugins(&frame, model, NULL);
			break;
		}
		wr_u8(&w, (uint8_t)i);
		wr_bytes(&w, frame.data + GCS_WIRE_HEADER, frame.length - GCS_WIRE_HEADER);
		corpus_save("model", names[i], &w);
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
	put_stream(&f, KIT_HEAP, 0, gcs_snapshot_values(s, KIT_HEAP, 0), NULL, NULL, 20, NULL);
	add_message(&w, 3, &f);
	put_stream(&f, KIT_HEAP, 0, gcs_snapshot_values(s, KIT_HEAP, 0),
	    gcs_snapshot_values(s, KIT_HEAP, 1), NULL, 20, NULL);
	add_message(&w, 4, &f);
	put_summary(&f, KIT_HEAP, 0, NULL);
	add_message(&w, 5, &f);
	put_space_info(&f, KIT_LIST, "half");
	add_message(&w, 6, &f);
	put_counters(&f, s);
	add_message(&w, 7, &f);
	put_end(&f, gcs_snapshot_occurrence(s)->sequence, 1, (const uint32_t[]){KIT_LIST});
	add_message(&w, 8, &f);
	corpus_save("snapshot", "all", &w);
	wr_fini(&w);
	wr_fini(&f);
	gcs_snapshot_unref(s);
	gcs_model_unref(model);
}

/* A file of HotSpot's counters with one text. */
static void perfdata_corpus(void)
{
	static const char name[] = "sun.rt.javaCommand";
	struct wr w;
	wr_init(&w, 1000);
	wr_u32(&w, 0xc0c0feca);
	wr_u32(&w, 0x01000201); /* little-endian, version 2.0, accessible */
	for (int i = 0; i < 4; i++)
		wr_u32(&w, 0); /* used, overflow, time */
	wr_u32(&w, 32);
	wr_u32(&w, 1);
	wr_u32(&w, 20 + sizeof name + 5);
	wr_u32(&w, 20);
	wr_u32(&w, 5);
	wr_u32(&w, 0x01050042); /* bytes */
	wr_u32(&w, 20 + sizeof name);
	wr_bytes(&w, name, sizeof name);
	wr_bytes(&w, "Main", 5);
	corpus_save("process", "perfdata", &w);
	wr_fini(&w);
}

static void process_corpus(void)
{
	static const char words[] = "java\0-cp\0x\0-jar\0a.jar";
	struct wr w;
	wr_init(&w, 1000);
	wr_bytes(&w, words, sizeof words);
	corpus_save("process", "command-line", &w);
	wr_fini(&w);
	perfdata_corpus();
	save_text("process", "status",
	    "State:\tS (sleeping)\nUid:\t1\t2\t3\t4\nGid:\t1\t2\t3\t4\nNSpid:\t70\t7\n"
	    "SigCgt:\t2000000101005ccf\n");
	save_text("process", "map",
	    "7f00-7f20 r-xp 00000000 fe:00 12  /opt/jdk/lib/server/libjvm.so (deleted)\n");
	save_text("process", "release", "IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"17.0.15\"\n");
	save_text("process", "answer", "0\nreturn code: -1\n");
	save_text("process", "announcement",
	    "gcspy 1\nlistening 127.0.0.1:3000\nlistening unix:/s\nrefused x\nend\n");
	save_text("process", "link", "/memfd:gcspy-announcement (deleted)");
	save_text("process", "flags", "-XX:-UseX -XX:+DisableAttachMechanism");
}

static void profile_corpus(void)
{
	for (unsigned i = 0; i < GCS_PROFILE_KIND_COUNT; i++) {
		struct wr w;
		void *bytes = NULL;
		size_t length = 0;
		enum gcs_profile_kind kind = (enum gcs_profile_kind)i;
		struct gcs_profile *p = kit_profile(kind);
		wr_init(&w, 1 << 16);
		if (p != NULL && gcs_profile_encode(p, &bytes, &length, NULL) == GCS_OK)
			wr_bytes(&w, bytes, length);
		corpus_save("profile", gcs_profile_kind_word(kind), &w);
		gcs_free(bytes);
		gcs_profile_free(p);
		wr_fini(&w);
	}
}

static bool to_writer(void *context, const void *bytes, size_t length)
{
	wr_bytes(context, bytes, length);
	return true;
}

static void sites_corpus(enum gcs_profile_kind kind)
{
	static const char *const packed[] = {"packed-samples", "packed-totals"};
	static const char *const plain[] = {"samples", "totals"};
	bool totals = kind == GCS_PROFILE_ALLOCATED;
	struct gcs_profile *profile = profiles_plain(kind);
	struct gcs_sites *sites = gcs_sites_create(profile, NULL, NULL);
	struct wr w;
	struct gcs_sink sink = {.write = to_writer, .context = &w};
	void *bytes = NULL;
	size_t length = 0;
	wr_init(&w, 100000);
	wr_u8(&w, 1);
	if (gcs_sites_export(sites, GCS_EXPORT_GCSPY, NULL, &sink, NULL) == GCS_OK)
		corpus_save("sites", packed[totals], &w);
	w.length = 0;
	wr_u8(&w, 2);
	if (gcs_profile_encode(profile, &bytes, &length, NULL) == GCS_OK)
		wr_bytes(&w, bytes, length);
	corpus_save("sites", plain[totals], &w);
	gcs_free(bytes);
	wr_fini(&w);
	gcs_sites_free(sites);
	gcs_profile_free(profile);
}

/* A recording as a file, and taken apart. */
static void trace_corpus(const char *name, uint32_t count, uint32_t profile_every)
{
	static struct kit_trace t;
	char file[64], apart[64];
	uint64_t state = count;
	size_t length;
	struct wr w;
	wr_init(&w, 1 << 20);
	kit_trace_record(&t, count, profile_every, &state);
	unsigned char *bytes = kit_trace_bytes(t.path, &length);
	wr_u8(&w, TRACE_CHECKED);
	wr_bytes(&w, bytes, length);
	snprintf(file, sizeof file, "%s-file", name);
	corpus_save("trace", file, &w);
	w.length = 0;
	wr_u8(&w, TRACE_APART);
	trace_take_apart(&w, t.path);
	snprintf(apart, sizeof apart, "%s-apart", name);
	corpus_save("trace", apart, &w);
	kit_trace_free(bytes);
	kit_trace_fini(&t);
	wr_fini(&w);
}

static void save_plugin(
    const char *name, uint8_t kind, enum gcs_status status, void *bytes, size_t length)
{
	struct wr w;
	wr_init(&w, 10000);
	if (status != GCS_OK)
		exit(1);
	wr_u8(&w, kind);
	wr_bytes(&w, bytes, length);
	corpus_save("plugin", name, &w);
	wr_fini(&w);
	gcs_plugin_free(bytes);
}

/* Conditions for the kit's model, a list, and messages with what has fired and what is set. */
static void trigger_corpus(void)
{
	struct wr w;
	const struct gcs_trigger_state states[] = {
	    {.trigger = {.name = "slow", .condition = "count > 1", .nth = 1}, .times = 3},
	    {.trigger = {.name = "kept", .condition = "x", .actions = 6, .plugin = "walk"},
		.own = true}};
	save_text("trigger", "all",
	    "event = Tick and (\"count\" >= 1.5k or cause != System.gc()) and words ~ \"a b\"");
	save_text(
	    "trigger", "change", "change(count, 10 events) > -3 or change(count, 2 ms) < 0x10");
	save_text("trigger", "wrong", "cause = Nothing and ((count > 5 ns");
	wr_init(&w, 1000);
	put_trigger_list(&w, 2, states);
	corpus_save("trigger", "list", &w);
	wr_fini(&w);
}

static void plugin_corpus(void)
{
	static const struct gcs_column columns[] = {{.name = "Frame", .kind = GCS_COLUMN_TEXT},
	    {.name = "Bytes", .kind = GCS_COLUMN_NUMBER, .format = GCS_BYTES}};
	static const struct gcs_cell cells[] = {{.text = "main"}, {.number = 4096},
	    {.text = "inner"}, {.absent = true}, {.text = ""}, {.number = -5}};
	static const uint32_t depths[] = {0, 1, 1};
	static const struct gcs_mark marks[] = {
	    {.start = 0, .length = 16, .text = "byte[]"}, {.start = 12, .length = 4, .text = ""}};
	struct gcs_table t = {.title = "main, 3 frames",
	    .column_count = 2,
	    .columns = columns,
	    .row_count = 3,
	    .cells = cells};
	const struct gcs_memory m = {.title = "16 bytes",
	    .address = 0x7f00,
	    .length = 16,
	    .bytes = "0123456789abcdef",
	    .mark_count = 2,
	    .marks = marks};
	void *bytes = NULL;
	size_t length = 0;
	enum gcs_status status = gcs_table_encode(&t, &bytes, &length, NULL);
	save_plugin("table", 0, status, bytes, length);
	t.depths = depths;
	status = gcs_table_encode(&t, &bytes, &length, NULL);
	save_plugin("tree", 0, status, bytes, length);
	status = gcs_memory_encode(&m, &bytes, &length, NULL);
	save_plugin("memory", 1, status, bytes, length);
}

static void tiles_corpus(void)
{
	struct wr w;
	void *bytes = NULL;
	size_t length = 0;
	struct gcs_site_tile of[] = {
	    {.low = 0x10000, .high = 0x20000, .bytes = 1024, .samples = 1, .type = "Old"},
	    {.low = 0x7f0000000000,
		.high = 0x7f0000100000,
		.samples = 2,
		.approximate = 1,
		.type = ""},
	};
	struct gcs_site_tiles tiles = {.site = 0x0123456789ab,
	    .as_of = "now",
	    .bytes = 5120,
	    .samples = 4,
	    .placed_bytes = 4096,
	    .placed = 3,
	    .approximate = 1,
	    .count = 2,
	    .tiles = of};
	wr_init(&w, 1 << 16);
	if (gcs_site_tiles_encode(&tiles, &bytes, &length, NULL) == GCS_OK)
		wr_bytes(&w, bytes, length);
	corpus_save("tiles", "two", &w);
	gcs_free(bytes);
	wr_fini(&w);
	tiles.errors_known = true;
	tiles.variance = tiles.placed_variance = of[0].variance = 1e6;
	wr_init(&w, 1 << 16);
	if (gcs_site_tiles_encode(&tiles, &bytes, &length, NULL) == GCS_OK)
		wr_bytes(&w, bytes, length);
	corpus_save("tiles", "errors", &w);
	gcs_free(bytes);
	wr_fini(&w);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return fprintf(stderr, "make-corpus FOLDER\n"), 2;
	root = argv[1];
	(void)mkdir(root, 0777);
	corpus_conversations();
	runs_corpus();
	model_corpus();
	snapshot_corpus();
	profile_corpus();
	tiles_corpus();
	plugin_corpus();
	trigger_corpus();
	sites_corpus(GCS_PROFILE_LIVE);
	sites_corpus(GCS_PROFILE_ALLOCATED);
	save_text("net", "port", "3000");
	save_text("net", "host", "host.example:3000");
	save_text("net", "v6", "[::1]:3000");
	save_text("net", "unix", "unix:/tmp/gcspy.sock");
	save_text("net", "tcp",
	    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  "
	    "timeout inode\n"
	    "   0: 0100007F:EBA2 0100007F:0BB8 01 00000000:00000000 00:00000000 00000000  1000     "
	    "   0 172483 1 ffff8881 20 4 30 10 -1\n");
	save_text("net", "tcp6",
	    "   1: 0000000000000000FFFF00000100007F:EBA2 0000000000000000FFFF00000100007F:0BB8 01 "
	    "00000000:00000000 00:00000000 00000000   502        0 10 1 ffff 20 4 30 10 -1\n");
	save_text("net", "uid-map",
	    "         0       1000          1\n         1     100000      65536\n");
	process_corpus();
	trace_corpus("short", 3, 0);
	trace_corpus("profiles", 12, 5);
	trace_corpus("described-anew", 100, 0);
	trace_corpus("segments", 530, 0);
	return 0;
}
