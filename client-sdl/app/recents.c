#include "recents.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app.h"

/* Both lists are sorted; merges them by time stamp, the latest first. */
static void add(struct recent *entries, uint32_t *n, uint32_t most, const struct recent *e)
{
	uint32_t at = *n;
	if (at == most)
		return;
	while (at > 0 && strcmp(entries[at - 1].stamp, e->stamp) < 0) {
		entries[at] = entries[at - 1];
		at--;
	}
	entries[at] = *e;
	(*n)++;
}

uint32_t recents_known(
    const struct app *app, bool files_only, struct recent *entries, uint32_t most)
{
	struct settings_item items[STATE_RECENT];
	uint32_t n = 0;
	for (int file = files_only; file < 2; file++) {
		uint32_t count = settings_items(&app->view_state.settings,
		    file ? "recent_file" : "recent_address", items, STATE_RECENT);
		for (uint32_t i = 0; i < count; i++) {
			struct recent e = {.file = file};
			if (items[i].text_length >= sizeof e.text)
				continue;
			memcpy(e.text, items[i].text, items[i].text_length);
			memcpy(e.stamp, items[i].stamp, sizeof e.stamp);
			add(entries, &n, most, &e);
		}
	}
	return n;
}

/* The newest files first; beyond the limit, the oldest are only counted. */
static void found(struct recents *r, const struct folder_file *file)
{
	uint32_t at = r->found_count;
	if (at == RECENTS_FOLDER) {
		r->found_more++;
		if (r->found[--at].time_ns >= file->time_ns)
			return;
	} else {
		r->found_count++;
	}
	while (at > 0 && r->found[at - 1].time_ns < file->time_ns) {
		r->found[at] = r->found[at - 1];
		at--;
	}
	r->found[at] = *file;
}

static void *look(void *argument)
{
	struct recents *r = argument;
	DIR *folder = opendir(".");
	if (getcwd(r->folder, sizeof r->folder) == NULL)
		r->folder[0] = 0;
	struct dirent *entry = NULL;
	uint32_t seen = 0;
	while (folder != NULL && seen < RECENTS_ENTRIES && (entry = readdir(folder)) != NULL) {
		struct folder_file file;
		struct stat st;
		size_t n = strlen(entry->d_name);
		seen++;
		if (n < 7 || n >= sizeof file.name ||
		    strcmp(entry->d_name + n - 6, ".gcspy") != 0 ||
		    fstatat(dirfd(folder), entry->d_name, &st, 0) != 0 || !S_ISREG(st.st_mode))
			continue;
		memcpy(file.name, entry->d_name, n + 1);
		file.time_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
		found(r, &file);
	}
	r->found_all = entry == NULL;
	if (folder != NULL)
		closedir(folder);
	atomic_store(&r->looked, true);
	if (r->wake != NULL)
		r->wake(r->wake_context);
	return NULL;
}

static void fill(struct app *app, bool with_folder)
{
	struct recents *r = app->recents;
	r->count = recents_known(app, r->files, r->entry, RECENTS_MOST);
	r->more = with_folder ? r->found_more : 0;
	const uint32_t known = r->count;
	for (uint32_t i = 0; with_folder && i < r->found_count; i++) {
		const char *name = r->found[i].name;
		char path[RECENTS_TEXT + 300];
		bool listed = false;
		snprintf(path, sizeof path, "%s/%s", r->folder, name);
		for (uint32_t k = 0; k < known && !listed; k++)
			listed = r->entry[k].file && strcmp(r->entry[k].text, path) == 0;
		if (listed || r->count == RECENTS_MOST)
			continue;
		struct recent *e = &r->entry[r->count++];
		*e = (struct recent){.file = true, .found = true};
		memcpy(e->text, "./", 2);
		memcpy(e->text + 2, name, strlen(name) + 1);
	}
	app_dirty(app, PANEL_MODAL);
}

void recents_begin(struct app *app, bool files)
{
	if (app->recents == NULL)
		app->recents = calloc(1, sizeof *app->recents);
	struct recents *r = app->recents;
	if (r == NULL)
		return;
	r->files = files;
	r->compares = false;
	fill(app, !r->looking && r->found_count > 0);
	if (r->looking)
		return;
	r->found_count = r->found_more = 0;
	r->wake = app->wake;
	r->wake_context = app->wake_context;
	atomic_store(&r->looked, false);
	r->looking = pthread_create(&r->thread, NULL, look, r) == 0;
}

void recents_poll(struct app *app)
{
	struct recents *r = app->recents;
	if (r == NULL || !r->looking || !atomic_load(&r->looked))
		return;
	pthread_join(r->thread, NULL);
	r->looking = false;
	fill(app, true);
}

bool recents_remove(struct app *app, uint32_t i)
{
	struct recents *r = app->recents;
	if (r == NULL || i >= r->count)
		return false;
	struct recent *e = &r->entry[i];
	if (e->found) {
		app_toast(app, "This file is in the folder, not in the recent list");
		return false;
	}
	settings_remove_item(&app->view_state.settings, e->file ? "recent_file" : "recent_address",
	    e->text, app->now_ms);
	memmove(e, e + 1, (r->count - i - 1) * sizeof *e);
	r->count--;
	app_dirty(app, PANEL_MODAL);
	return true;
}

bool recents_open(struct app *app, const char *file)
{
	if (file != NULL)
		return app_connect(app, file);
	app_open_modal(app, MODAL_CONNECT);
	textfield_set(&app->field, "");
	recents_begin(app, true);
	return true;
}

bool recents_compare(struct app *app, const char *file)
{
	if (file != NULL)
		return app_command(app, COMMAND_compare, file);
	recents_open(app, NULL);
	if (app->recents != NULL)
		app->recents->compares = true;
	return app->recents != NULL;
}

void recents_free(struct recents *recents)
{
	if (recents != NULL && recents->looking)
		pthread_join(recents->thread, NULL);
	free(recents);
}
