/*
 * A folder with a file of settings, and an application that keeps its settings there; for the tests
 * of what is kept. The includer defines _XOPEN_SOURCE 700 for mkdtemp.
 */
#ifndef GCSPY_TESTS_SETTINGS_SUITE_H
#define GCSPY_TESTS_SETTINGS_SUITE_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view_state.h"
#include "ui_world.h"
#include "view_options.h"

static struct world w;
static char folder[64], path[100];

static void make_folder(void)
{
	strcpy(folder, "/tmp/gcspy-settings-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/a/b/view.conf", folder);
}

static void remove_folder(void)
{
	char command[200];
	snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", folder, folder);
	cr_assert_eq(system(command), 0);
}

static void write_file(const char *text, size_t size)
{
	char command[200];
	snprintf(command, sizeof command, "mkdir -p %s/a/b", folder);
	cr_assert_eq(system(command), 0);
	FILE *f = fopen(path, "w");
	cr_assert_not_null(f);
	cr_assert_eq(fwrite(text, 1, size, f), size);
	cr_assert_eq(fclose(f), 0);
}

static const char *file_text(void)
{
	static char text[SETTINGS_BYTES + 1000];
	FILE *f = fopen(path, "r");
	cr_assert_not_null(f, "%s", path);
	text[fread(text, 1, sizeof text - 1, f)] = 0;
	fclose(f);
	return text;
}

static void begin_with(const char *text)
{
	write_file(text, strlen(text));
	struct settings s;
	struct gcs_error err;
	settings_open(&s, path, &err);
	struct cli cli = {.width = 800, .height = 600};
	view_state_arguments(&s, &cli);
	world_open(&w, cli.width, cli.height);
	w.app.theme = cli.theme;
	w.app.ui.theme = theme_at(cli.theme);
	view_state_begin(&w.app, &s, &cli);
	app_frame(&w.app);
}

static void close_world(void)
{
	world_close(&w);
	remove_folder();
}

#endif
