#include "local_jvms.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "attach_program.h"
#include "jvm.h"
#include "sites_view.h"

/* From one look to the next, or longer, so that looking takes at most 0.5 % of the time; but on a
 * busy machine a look takes long because it waits, and its list is not to grow old. */
#define EVERY_MS   2000
#define MOST_MS    10000
#define TIMES_LOOK 200

#define ATTACH_SECONDS 30

/* On the looker's thread. */

struct look {
	struct work work;
	struct local_jvm at[LOCAL_JVMS_MOST];
	uint32_t count, more;
};

static void put_user(char *text, size_t size, long user)
{
	struct passwd entry, *found = NULL;
	char room[4096];
	if (getpwuid_r((uid_t)user, &entry, room, sizeof room, &found) == 0 && found != NULL)
		snprintf(text, size, "%s", found->pw_name);
	else
		snprintf(text, size, "user %ld", user);
}

static void take_jvm(struct look *look, const struct jvm *jvm)
{
	if (look->count == LOCAL_JVMS_MOST) {
		look->more++;
		return;
	}
	struct local_jvm *to = &look->at[look->count++];
	*to = (struct local_jvm){.pid = jvm->pid,
	    .listens = jvm->announcement.count > 0,
	    .refuses = jvm->no_attach,
	    .used = jvm->heap_used,
	    .committed = jvm->heap_committed};
	put_user(to->user, sizeof to->user, jvm->status.user);
	sites_put_name(to->program, sizeof to->program, jvm->program);
	sites_put_name(to->java, sizeof to->java, jvm->version);
	sites_put_name(to->collector, sizeof to->collector, jvm->collector);
}

static void look_for_jvms(struct work *work)
{
	struct look *look = (struct look *)work;
	struct jvm *jvm = malloc(sizeof *jvm);
	size_t count = 0;
	long *pids = jvm != NULL ? jvm_processes(&count) : NULL;
	for (size_t i = 0; pids != NULL && i < count; i++)
		if (jvm_look(pids[i], jvm) == JVM_FOUND || jvm->announcement.count > 0)
			take_jvm(look, jvm);
	free(pids);
	free(jvm);
}

static void drop_look(struct work *work)
{
	free(work);
}

/* On the attacher's thread. */

struct attaching {
	struct work work;
	const char *tool;
	long pid;
	bool done;
	char program[256], why[400];
};

static void attach(struct work *work)
{
	struct attaching *a = (struct attaching *)work;
	a->done = attach_by_program(
	    a->tool, a->pid, "port=0", NULL, ATTACH_SECONDS, a->why, sizeof a->why);
}

/* The window's thread. */

bool local_jvms_are_shown(const struct app *app)
{
	return (app->at_start || (app->snapshot == NULL && app->state != SOURCE_LIVE)) &&
	       app->tool_path != NULL;
}

void local_jvms_tick(struct app *app)
{
	struct local_jvms *l = &app->local_jvms;
	if (!local_jvms_are_shown(app) || l->looking || app->now_ms < l->due_ms)
		return;
	struct look *look = calloc(1, sizeof *look);
	if (look == NULL)
		return;
	look->work = (struct work){.run = look_for_jvms, .drop = drop_look};
	l->looking = true;
	l->since_ms = app->now_ms;
	l->looker.wake = app->wake;
	l->looker.wake_context = app->wake_context;
	worker_give(&l->looker, &look->work);
}

uint64_t local_jvms_due_ms(const struct app *app)
{
	const struct local_jvms *l = &app->local_jvms;
	return local_jvms_are_shown(app) && !l->looking ? l->due_ms : UINT64_MAX;
}

/* True if somebody is about to use the list: the pointer or the keyboard is in it. */
static bool is_in_use(const struct app *app)
{
	const struct ui *ui = &app->ui;
	const uint32_t first = UI_ID(PANEL_VIEW, LOCAL_JVMS_WIDGET);
	return rect_has(app->local_jvms.place, ui->mouse_x, ui->mouse_y) ||
	       (ui->focus >= first && ui->focus < first + LOCAL_JVMS_MOST);
}

static struct local_jvm *find_pid(struct local_jvm *at, uint32_t count, long pid)
{
	for (uint32_t i = 0; i < count; i++)
		if (at[i].pid == pid)
			return &at[i];
	return NULL;
}

/* Rows stay in their order: new programs are appended, and one that has ended leaves its row when
 * nobody is about to use the list. True if anything is different. */
static bool merge(struct local_jvms *l, struct look *look, bool in_use)
{
	uint32_t kept = 0;
	bool changed = !l->known || l->more != look->more;
	for (uint32_t i = 0; i < l->count; i++) {
		const struct local_jvm *now = find_pid(look->at, look->count, l->at[i].pid);
		struct local_jvm row = now != NULL ? *now : l->at[i];
		row.ended = now == NULL;
		changed = changed || row.ended || memcmp(&row, &l->at[i], sizeof row) != 0;
		if (now != NULL || in_use)
			l->at[kept++] = row;
	}
	l->count = kept;
	l->more = look->more;
	for (uint32_t i = 0; i < look->count; i++) {
		if (find_pid(l->at, kept, look->at[i].pid) != NULL)
			continue;
		changed = true;
		if (l->count == LOCAL_JVMS_MOST)
			l->more++;
		else
			l->at[l->count++] = look->at[i];
	}
	l->known = true;
	return changed;
}

static void take_look(struct app *app)
{
	struct local_jvms *l = &app->local_jvms;
	struct look *look = (struct look *)worker_take(&l->looker);
	if (look == NULL)
		return;
	l->looking = false;
	const uint64_t pause = TIMES_LOOK * (app->now_ms - l->since_ms);
	l->due_ms = app->now_ms + (pause < EVERY_MS ? EVERY_MS : pause > MOST_MS ? MOST_MS : pause);
	const bool changed = merge(l, look, is_in_use(app));
	free(look);
	if (changed && local_jvms_are_shown(app))
		app_dirty(app, PANEL_VIEW);
}

void local_jvms_forget(struct local_jvms *l)
{
	l->count = l->more = 0;
	l->scroll = 0;
	l->known = false;
	l->due_ms = 0;
}

static void connect_to(struct app *app, long pid)
{
	char address[40];
	snprintf(address, sizeof address, "pid:%ld", pid);
	app_connect(app, address);
}

static void take_attached(struct app *app)
{
	struct local_jvms *l = &app->local_jvms;
	struct attaching *a = (struct attaching *)worker_take(&l->attacher);
	if (a == NULL)
		return;
	l->attaching = 0;
	l->due_ms = 0;
	app_dirty(app, PANEL_VIEW);
	char why[300];
	if (a->done)
		connect_to(app, a->pid);
	else
		app_toast(app, "Cannot attach to %.60s: %s", a->program,
		    sites_put_name(why, sizeof why, a->why));
	free(a);
}

void local_jvms_poll(struct app *app)
{
	take_look(app);
	take_attached(app);
}

void local_jvms_open(struct app *app, const struct local_jvm *jvm)
{
	struct local_jvms *l = &app->local_jvms;
	if (jvm->ended)
		return;
	if (jvm->listens) {
		connect_to(app, jvm->pid);
		return;
	}
	struct attaching *a = l->attaching == 0 ? calloc(1, sizeof *a) : NULL;
	if (a == NULL)
		return;
	a->work = (struct work){.run = attach, .drop = drop_look};
	a->tool = app->tool_path;
	a->pid = l->attaching = jvm->pid;
	memcpy(a->program, jvm->program, sizeof a->program);
	l->attacher.wake = app->wake;
	l->attacher.wake_context = app->wake_context;
	worker_give(&l->attacher, &a->work);
	app_dirty(app, PANEL_VIEW);
}

void local_jvms_put(const struct local_jvm *jvm, char *text, size_t size)
{
	char used[40], committed[40], heap[100] = "";
	if (jvm->used >= 0 && jvm->committed > 0)
		snprintf(heap, sizeof heap, " \xc2\xb7 %s of %s",
		    sites_put_bytes(used, sizeof used, (double)jvm->used),
		    sites_put_bytes(committed, sizeof committed, (double)jvm->committed));
	snprintf(text, size, "%s%s%s%s \xc2\xb7 PID %ld%s%s", jvm->user,
	    jvm->collector[0] != 0 ? " \xc2\xb7 " : "", jvm->collector, heap, jvm->pid,
	    jvm->java[0] != 0 ? " \xc2\xb7 Java " : "", jvm->java);
}

void local_jvms_text(const struct app *app, struct textbuf *out)
{
	char text[300];
	const struct local_jvms *l = &app->local_jvms;
	for (uint32_t i = 0; local_jvms_are_shown(app) && i < l->count; i++) {
		local_jvms_put(&l->at[i], text, sizeof text);
		textbuf_printf(out, "program\t%s\t%s\t%s\n", l->at[i].program, text,
		    l->at[i].ended     ? "ended"
		    : l->at[i].listens ? "listens"
				       : "no agent");
	}
}

void local_jvms_fini(struct app *app)
{
	worker_fini(&app->local_jvms.looker);
	worker_fini(&app->local_jvms.attacher);
}
