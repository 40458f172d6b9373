/* Rows of history graphs from trace files, by a thread (V8): in order, whole, damaged, vanishing,
 * given up in the middle. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "history_reader.h"
#include "ui_history.h"

static char folder[128], path[2][160];
static struct hist_reader *reader;
static struct hist_graph g;
static struct hist_job job;

static void open_reader(void)
{
	const char *tmp = getenv("TMPDIR");
	snprintf(folder, sizeof folder, "%s/gcspy-hist-XXXXXX", tmp != NULL ? tmp : "/tmp");
	cr_assert_not_null(mkdtemp(folder));
	for (int i = 0; i < 2; i++)
		snprintf(path[i], sizeof path[i], "%s/%d.gcspy", folder, i);
	reader = hist_reader_create(NULL, NULL);
	cr_assert_not_null(reader);
	job = (struct hist_job){.lanes = 1, .limit = 1000, .until_ns = UINT64_MAX};
	job.lane[0] = field_lane("Field", "Value");
	cr_assert(hist_graph_limit(&g, 1000, false));
	hist_graph_clear(&g, job.lane, 1);
}

static void close_reader(void)
{
	hist_reader_destroy(reader);
	hist_graph_fini(&g);
	for (int i = 0; i < 2; i++)
		unlink(path[i]);
	rmdir(folder);
}

TestSuite(history_reader, .init = open_reader, .fini = close_reader);

static void use(uint32_t file, uint32_t stride)
{
	struct event_history_file *f = &job.file[job.files++];
	*f = (struct event_history_file){.to_ns = UINT64_MAX, .stride = stride};
	snprintf(f->path, sizeof f->path, "%s", path[file]);
}

static void rest(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Takes rows until the job is done, at most `most` of them. */
static struct hist_progress read_rows(uint32_t most)
{
	struct hist_progress progress;
	do {
		struct hist_row row;
		struct gcs_model *model;
		while (most > 0 && hist_reader_next(reader, &row, &model)) {
			hist_graph_push(&g, &row);
			if (model != NULL)
				hist_graph_describe(&g, model);
			gcs_model_unref(model);
			most--;
		}
		hist_reader_progress(reader, &progress);
		if (progress.running)
			rest();
	} while (progress.running && most > 0);
	return progress;
}

static void expect_rows(uint32_t from, unsigned first, unsigned count, unsigned step)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct hist_row *row = hist_row_at(&g, from + i);
		cr_assert_eq(row->time_ns, field_time(first + i * step), "row %u", from + i);
		cr_assert_eq(
		    row->cell[row->lane[0].first + 7].most, field_noise(7, first + i * step));
	}
}

Test(history_reader, a_file_in_order)
{
	field_record(path[0], 0, 300, 1, 50, true);
	use(0, 1);
	cr_assert(hist_reader_start(reader, &job));
	struct hist_progress p = read_rows(UINT32_MAX);
	cr_assert_eq(g.count, 300);
	cr_assert_eq(g.events, 300);
	expect_rows(0, 0, 300, 1);
	cr_assert_eq(p.unreadable, 0);
	cr_assert_str_eq(p.why, "");
	cr_assert_float_eq(p.part, 1.0, 0.01);
	cr_assert_str_eq(g.model->server_name, "field");
}

Test(history_reader, more_events_than_rows_are_joined_evenly)
{
	field_record(path[0], 0, 300, 1, 50, true);
	use(0, 1);
	job.limit = 100;
	hist_graph_limit(&g, 100, false);
	cr_assert(hist_reader_start(reader, &job));
	read_rows(UINT32_MAX);
	cr_assert_eq(g.count, 100);
	cr_assert_eq(g.stride, 3);
	for (uint32_t i = 0; i < 100; i++) {
		const struct hist_row *row = hist_row_at(&g, i);
		int64_t most = 0;
		for (unsigned k = 3 * i; k < 3 * i + 3; k++)
			most = field_noise(9, k) > most ? field_noise(9, k) : most;
		cr_assert_eq(row->events, 3);
		cr_assert_eq(row->cell[row->lane[0].first + 9].most, most);
	}
}

Test(history_reader, only_the_newest)
{
	field_record(path[0], 0, 300, 1, 50, true);
	use(0, 1);
	job.limit = 100;
	job.newest = true;
	cr_assert(hist_reader_start(reader, &job));
	struct hist_progress p = read_rows(UINT32_MAX);
	cr_assert_eq(g.count, 100);
	expect_rows(0, 200, 100, 1);
	cr_assert_eq(p.left_out, 200);
}

/* An older file has one of four events; the newer one overlaps it. */
Test(history_reader, several_files_of_different_strides)
{
	field_record(path[0], 0, 200, 4, 50, true);
	field_record(path[1], 180, 100, 1, 50, true);
	use(0, 4);
	use(1, 1);
	cr_assert(hist_reader_start(reader, &job));
	read_rows(UINT32_MAX);
	/* 0, 4 … 196, then 197 … 279. */
	cr_assert_eq(g.count, 50 + 83);
	expect_rows(0, 0, 50, 4);
	expect_rows(50, 197, 83, 1);
	cr_assert_eq(hist_row_at(&g, 0)->stride, 4);
	cr_assert_eq(hist_row_at(&g, 60)->stride, 1);
}

Test(history_reader, what_is_known_already_is_not_read)
{
	field_record(path[0], 0, 100, 1, 50, true);
	use(0, 1);
	job.until_ns = field_time(60);
	cr_assert(hist_reader_start(reader, &job));
	read_rows(UINT32_MAX);
	cr_assert_eq(g.count, 60);
	expect_rows(0, 0, 60, 1);
}

/* A file at which somebody writes is looked at again until it has what is waited for. */
Test(history_reader, a_file_that_grows)
{
	field_record(path[0], 0, 50, 1, 50, false);
	use(0, 1);
	job.until_ns = field_time(90);
	cr_assert(hist_reader_start(reader, &job));
	while (g.count < 40) {
		read_rows(1);
		rest();
	}
	field_record(path[1], 0, 100, 1, 50, false);
	cr_assert_eq(rename(path[1], path[0]), 0);
	read_rows(UINT32_MAX);
	cr_assert_eq(g.count, 90, "%u rows", g.count);
	expect_rows(0, 0, 90, 1);
}

Test(history_reader, a_damaged_file_loses_only_what_is_damaged)
{
	field_record(path[0], 0, 400, 1, 50, true);
	FILE *f = fopen(path[0], "r+b");
	cr_assert(f != NULL && fseek(f, 0, SEEK_END) == 0);
	long middle = ftell(f) / 2;
	cr_assert_eq(fseek(f, middle, SEEK_SET), 0);
	int byte = fgetc(f);
	cr_assert(
	    fseek(f, middle, SEEK_SET) == 0 && fputc(byte ^ 0xff, f) != EOF && fclose(f) == 0);
	use(0, 1);
	cr_assert(hist_reader_start(reader, &job));
	struct hist_progress p = read_rows(UINT32_MAX);
	cr_assert_gt(p.unreadable, 0);
	cr_assert_eq(g.events + p.unreadable, 400);
	cr_assert_neq(p.why[0], 0);
	uint64_t before = 0;
	for (uint32_t i = 0; i < g.count; i++) {
		const struct hist_row *row = hist_row_at(&g, i);
		unsigned step = (unsigned)(row->number - 1);
		cr_assert_gt(row->time_ns, before);
		cr_assert_eq(row->cell[row->lane[0].first + 7].most, field_noise(7, step));
		before = row->time_ns;
	}
}

/* As `gcspy stats` does; the server had counted 100 events before. */
Test(history_reader, events_of_a_recording_are_numbered_from_1)
{
	field_record(path[0], 100, 30, 1, 50, true);
	use(0, 1);
	job.recording = true;
	cr_assert(hist_reader_start(reader, &job));
	read_rows(UINT32_MAX);
	cr_assert_eq(g.count, 30);
	cr_assert_eq(hist_row_at(&g, 0)->number, 1);
	cr_assert_eq(hist_row_at(&g, 29)->number, 30);
}

Test(history_reader, files_that_cannot_be_read)
{
	field_record(path[1], 0, 30, 1, 50, true);
	use(0, 1); /* is not there */
	use(1, 1);
	cr_assert(hist_reader_start(reader, &job));
	struct hist_progress p = read_rows(UINT32_MAX);
	cr_assert_eq(g.count, 30);
	cr_assert_not_null(strstr(p.why, "0.gcspy"), "%s", p.why);
	FILE *f = fopen(path[0], "wb");
	cr_assert(f != NULL && fputs("no trace at all", f) >= 0 && fclose(f) == 0);
	hist_graph_clear(&g, job.lane, 1);
	cr_assert(hist_reader_start(reader, &job));
	p = read_rows(UINT32_MAX);
	cr_assert_eq(g.count, 30);
	cr_assert_neq(p.why[0], 0);
}

/* Each way to end in the middle: another job, stop, the end of the program, while the thread waits
 * for room in its queue, too; and the file vanishes meanwhile. */
Test(history_reader, stopped_while_reading)
{
	field_record(path[0], 0, 500, 1, 2000, true);
	use(0, 1);
	for (int i = 0; i < 20; i++) {
		cr_assert(hist_reader_start(reader, &job));
		read_rows((uint32_t)(i * 7));
		if (i % 3 == 0)
			hist_reader_stop(reader);
		hist_graph_clear(&g, job.lane, 1);
		struct hist_row row;
		struct gcs_model *model;
		if (i % 3 == 0)
			cr_assert_not(hist_reader_next(reader, &row, &model));
	}
	cr_assert(hist_reader_start(reader, &job));
	hist_graph_clear(&g, job.lane, 1);
	read_rows(100);
	unlink(path[0]);
	struct hist_progress p = read_rows(UINT32_MAX);
	cr_assert_eq(g.count, 500);
	expect_rows(0, 0, 500, 1);
	cr_assert_eq(p.unreadable, 0);
	cr_assert(hist_reader_start(reader, &job));
	rest();
}

Test(history_reader, another_job_takes_its_place_at_once)
{
	field_record(path[0], 0, 400, 1, 50, true);
	use(0, 1);
	cr_assert(hist_reader_start(reader, &job));
	read_rows(30);
	job.lane[0] = field_lane("Other", "Value");
	hist_graph_clear(&g, job.lane, 1);
	cr_assert(hist_reader_start(reader, &job));
	read_rows(UINT32_MAX);
	cr_assert_eq(g.count, 400);
	for (uint32_t i = 0; i < g.count; i++)
		cr_assert_eq(hist_row_at(&g, i)->lane[0].tiles, 3);
}
