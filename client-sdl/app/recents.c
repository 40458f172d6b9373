#include "recents.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "app.h"

/* Names a process that has ended: nothing can be opened there any more. */
static bool has_ended(const char *address)
{
	char *end;
	if (strncmp(address, "pid:", 4) != 0)
		return false;
	const long pid = strtol(address + 4, &end, 10);
	return *end == '\0' && pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

/* Both lists are sorted; merges them by time stamp, the latest first. */
static void add_recent(struct recent *entries, uint32_t *n, uint32_t most, const struct recent *e)
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
			if (!has_ended(e.text))
				add_recent(entries, &n, most, &e);
		}
	}
	return n;
}

void recents_remove(struct app *app, const struct recent *entry)
{
	settings_remove_item(&app->view_state.settings,
	    entry->file ? "recent_file" : "recent_address", entry->text, app->now_ms);
}

void recents_shown(const struct ui *ui, const struct recent *e, int width, char *text, size_t size)
{
	struct font *font = ui->fonts->face[FONT_UI];
	const char *end = e->text;
	while (e->file && text_width(font, end) > width - ui_px(ui, 16)) {
		const char *slash = strchr(end + 1, '/');
		if (slash == NULL)
			break;
		end = slash;
	}
	snprintf(text, size, "%s%s", end > e->text ? "\xe2\x80\xa6" : "", end);
}
