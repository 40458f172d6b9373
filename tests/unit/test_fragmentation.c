/* The plugin `fragmentation` that the library answers (F18), against counting by hand. */
#include <criterion/criterion.h>

#include <gcspy/plugin.h>

#include "query_suite.h"

enum { TILE = 1024, TILES = 64 };

static struct gcs_error err;
static uint32_t space, list, native;

static const struct gcs_stream streams[] = {
    {.name = "Used", .format = GCS_BYTES, .type = GCS_TYPE_I64, .max = TILE}};

/* Of libgcspymalloc's heap. */
static const struct gcs_stream of_blocks[] = {
    {.name = "Used", .format = GCS_BYTES, .type = GCS_TYPE_I64, .max = TILE},
    {.name = "Blocks", .type = GCS_TYPE_I64, .max = TILE},
    {.name = "Largest gap", .format = GCS_BYTES, .type = GCS_TYPE_I64, .max = TILE}};

static void setup_heap(void)
{
	begin(&(struct gcs_server_options){0});
	const struct gcs_space heap = {.name = "Blocks",
	    .group = GCS_NONE,
	    .block_bytes = TILE,
	    .stream_count = 1,
	    .streams = streams};
	struct gcs_space other = heap;
	other.name = "Chunks";
	other.kind = GCS_SPACE_LIST;
	struct gcs_space c_heap = heap;
	c_heap.name = "Heap";
	c_heap.stream_count = 3;
	c_heap.streams = of_blocks;
	cr_assert_eq(gcs_server_add_space(target.server, &heap, &space, &err), GCS_OK);
	cr_assert_eq(gcs_server_add_space(target.server, &other, &list, &err), GCS_OK);
	cr_assert_eq(gcs_server_add_space(target.server, &c_heap, &native, &err), GCS_OK);
}

#define FragmentationTest(name)                                                                    \
	Test(fragmentation, name, .init = setup_heap, .fini = teardown, .timeout = 60)

/* Publishes a state: 'x' a full tile, '.' a free one, 'o' one that is half free. */
static void show(const char *tiles)
{
	struct gcs_ticket ticket;
	kit_until(gcs_server_wants(target.server, KIT_TICK));
	cr_assert(gcs_server_enter(target.server, KIT_TICK, &ticket));
	struct gcs_snapshot *s = gcs_server_begin(target.server, &ticket);
	cr_assert(gcs_snapshot_resize(s, space, (uint32_t)strlen(tiles)));
	int64_t *used = gcs_snapshot_write(s, space, 0);
	for (uint32_t i = 0; tiles[i] != '\0'; i++)
		used[i] = tiles[i] == 'x' ? TILE : tiles[i] == 'o' ? TILE / 2 : 0;
	gcs_snapshot_set_gathered(s, space, true);
	gcs_server_publish(target.server, &ticket, s);
	gcs_server_leave(target.server, &ticket);
}

static struct gcs_answer *ask(struct gcs_client *c, uint32_t of, const char *block)
{
	char number[12];
	uint32_t id;
	snprintf(number, sizeof number, "%u", of);
	const struct gcs_info with[] = {{"space", number}, {"block", block}};
	cr_assert_eq(gcs_client_query(c, "fragmentation", 2, with, &id), GCS_OK);
	struct gcs_answer *a = gcs_client_answer(c, id, 10000);
	cr_assert_not_null(a);
	return a;
}

static struct gcs_table *table_of(struct gcs_client *c, const char *block)
{
	struct gcs_answer *a = ask(c, space, block);
	cr_assert_eq(a->status, GCS_OK, "%s", a->message);
	struct gcs_table *t = gcs_table_decode(a->bytes, a->length, &err);
	cr_assert_not_null(t, "%s", err.text);
	gcs_answer_free(a);
	return t;
}

static void expect_row(const struct gcs_table *t, uint32_t row, int64_t below, int64_t runs,
    int64_t bytes, int64_t largest, int64_t pieces)
{
	const int64_t expected[] = {below, runs, bytes, largest, pieces};
	cr_assert_eq(t->column_count, 5);
	for (uint32_t i = 0; i < 5; i++) {
		const struct gcs_cell *cell = &t->cells[row * 5 + i];
		cr_assert_eq(cell->absent, expected[i] < 0);
		if (!cell->absent)
			cr_assert_eq(cell->number, expected[i], "row %u, %s: %lld", row,
			    t->columns[i].name, (long long)cell->number);
	}
}

/* Runs of 1, 1, 2, 5 and 1 tiles; the half free tiles are in none. */
FragmentationTest(runs_by_size)
{
	struct gcs_client *c = join();
	show("x.x.xo..x.....xo.");
	struct gcs_table *t = table_of(c, "8k");
	cr_assert_eq(t->row_count, 3);
	/* Eight tiles before the run of 5 have both short runs, with runs of 2 the third. */
	expect_row(t, 0, 2 * TILE, 3, 3 * TILE, TILE, 0);
	expect_row(t, 1, 4 * TILE, 1, 2 * TILE, 2 * TILE, 3);
	expect_row(t, 2, 8 * TILE, 1, 5 * TILE, 5 * TILE, 3);
	cr_assert_not_null(
	    strstr(t->title, "Blocks: 11 KiB free, 10 KiB of it in 5 runs"), "%s", t->title);
	gcs_plugin_free(t);
	t = table_of(c, "0"); /* all of the 17 tiles */
	expect_row(t, 2, 8 * TILE, 1, 5 * TILE, 5 * TILE, 5);
	expect_row(t, 1, 4 * TILE, 1, 2 * TILE, 2 * TILE, 0);
	gcs_plugin_free(t);
	t = table_of(c, "1m"); /* more than there is */
	expect_row(t, 0, 2 * TILE, 3, 3 * TILE, TILE, -1);
	gcs_plugin_free(t);
	show("x..x");
	t = table_of(c, "0");
	cr_assert_not_null(strstr(t->title, "in 1 run of whole tiles"), "%s", t->title);
	gcs_plugin_free(t);
	gcs_client_close(c);
}

/* The most pieces of at most `largest` tiles in `block` tiles, by trying each place. */
static int64_t by_hand(const char *tiles, uint32_t largest, uint32_t block)
{
	const uint32_t count = (uint32_t)strlen(tiles);
	int64_t most = 0;
	for (uint32_t from = 0; from + block <= count; from++) {
		int64_t pieces = 0;
		bool cut = false;
		for (uint32_t i = 0; i < count;) {
			uint32_t end = i;
			while (end < count && tiles[end] == '.')
				end++;
			const bool inside = i >= from && end <= from + block;
			if (end > i && end - i > largest && end > from && i < from + block)
				cut = true;
			pieces += end > i && end - i <= largest && inside;
			i = end + 1;
		}
		if (!cut && pieces > most)
			most = pieces;
	}
	return most;
}

FragmentationTest(random_heaps)
{
	uint64_t state = kit_seed();
	struct gcs_client *c = join();
	for (unsigned round = 0; round < 60; round++) {
		char tiles[TILES + 1] = {0}, block[12];
		const uint32_t density = 1 + kit_below(&state, 8);
		const uint32_t count = 1 + kit_below(&state, TILES);
		const uint32_t wide = 1 + kit_below(&state, count);
		for (uint32_t i = 0; i < count; i++)
			tiles[i] = kit_below(&state, 9) < density ? '.' : 'x';
		snprintf(block, sizeof block, "%uk", wide);
		show(tiles);
		struct gcs_table *t = table_of(c, block);
		for (uint32_t row = 0; row < t->row_count; row++) {
			const struct gcs_cell *cell = &t->cells[row * t->column_count];
			const uint32_t largest = (uint32_t)(cell[0].number / TILE) - 1;
			const int64_t expected = by_hand(tiles, largest, wide);
			cr_assert_eq(cell[4].number, expected,
			    "%s, at most %u in %u: %lld, not %lld", tiles, largest, wide,
			    (long long)cell[4].number, (long long)expected);
		}
		gcs_plugin_free(t);
	}
	gcs_client_close(c);
}

FragmentationTest(what_is_not_known)
{
	struct gcs_client *c = join();
	struct gcs_answer *a = ask(c, space, "0");
	cr_assert_eq(a->status, GCS_STATE);
	cr_assert_str_eq(a->message, "the space has not been sent yet");
	gcs_answer_free(a);
	show("x");
	a = ask(c, list, "0");
	cr_assert_eq(a->status, GCS_ARGUMENT);
	cr_assert_not_null(strstr(a->message, "not known for \"Chunks\": Its tiles are not in "
					      "address order"),
	    "%s", a->message);
	gcs_answer_free(a);
	a = ask(c, native, "1m");
	cr_assert_eq(a->status, GCS_ARGUMENT);
	cr_assert_not_null(
	    strstr(a->message, "\"Heap\": a C program's free memory is between its blocks"), "%s",
	    a->message);
	gcs_answer_free(a);
	struct gcs_table *t = table_of(c, "0");
	cr_assert_eq(t->row_count, 0);
	gcs_plugin_free(t);
	gcs_client_close(c);
}

/* A target that knows its chunks has its own. */
FragmentationTest(a_target_replaces_it)
{
	const struct gcs_plugin own = {.name = "fragmentation", .title = "Chunks"};
	uint32_t id;
	cr_assert_eq(gcs_server_add_plugin(target.server, &own, &id, &err), GCS_OK);
	cr_assert_eq(gcs_server_add_plugin(target.server, &own, NULL, &err), GCS_ARGUMENT);
	struct gcs_client *c = join();
	struct gcs_model *m = gcs_client_model(c);
	cr_assert_eq(m->plugin_count, 1);
	cr_assert_str_eq(m->plugins[0].title, "Chunks");
	gcs_model_unref(m);
	expect(c, query(c, "fragmentation"), GCS_UNSUPPORTED, "this server answers no queries", "");
	gcs_client_close(c);
}
