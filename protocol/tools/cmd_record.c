/*
 * `gcspy record`: a client that writes everything it receives to a trace file.
 *
 * One loop over the server's news, the answers with profiles, the clock and the signals. The
 * recorder's thread writes to the disk; nothing waits for it before the end.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <gcspy/format.h>
#include <gcspy/recorder.h>
#include <gcspy/trace.h>

#include "contact.h"
#include "output_file.h"
#include "show.h"
#include "signals.h"

/* How often the progress line is updated, and how long the last profiles may take. */
enum { PROGRESS_MS = 250, LAST_PROFILES_MS = 5000 };

/* Snapshots that may wait for the disk: a command can afford more than a program that records
 * itself. */
enum { QUEUE = 1024, ENOUGH = 256 };

enum { PATH_BYTES = 4096, DOCUMENT = 1 };

struct recording {
	struct contact *contact;
	const struct cli_arguments *arguments;
	struct gcs_recorder *recorder;
	char path[PATH_BYTES];
	uint64_t begin_ms, end_ms;
	uint64_t profiles_ms; /* when the next ones are due; UINT64_MAX: never */
	uint64_t asked_at;    /* `seen` when they were last asked for */
	uint64_t seen;        /* events */
	uint64_t taken;       /* snapshots */
	uint64_t missed;      /* by the server, or by us because we were slow */
	uint64_t overrun;     /* the latter */
	/* questions for profiles that are not answered yet, by kind; 0: none */
	uint32_t asked[GCS_PROFILE_KIND_COUNT];
	bool terminal;        /* progress is shown … */
	uint64_t progress_ms; /* … next then */
};

/* The file. */

/* The default name of the file: by the process, or by the address. */
static void invent_name(struct recording *r)
{
	char who[80] = "", when[40] = "";
	struct tm tm;
	const time_t now = time(NULL);
	struct gcs_model *model = gcs_client_model(r->contact->client);
	for (uint32_t i = 0; i < model->info_count; i++)
		if (strcmp(model->info[i].key, "Process") == 0)
			snprintf(who, sizeof who, "%s", model->info[i].value);
	gcs_model_unref(model);
	if (who[0] == '\0' || strspn(who, "0123456789") != strlen(who))
		snprintf(who, sizeof who, "%s", r->arguments->address);
	for (char *c = who; *c != '\0'; c++)
		if (strchr("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.", *c) ==
		    NULL)
			*c = '-';
	if (localtime_r(&now, &tm) != NULL)
		strftime(when, sizeof when, "%Y%m%d-%H%M%S", &tm);
	snprintf(r->path, sizeof r->path, "gcspy-%s-%s.gcspy", who, when);
}

/* On the recorder's thread. */
static void recorder_changed(void *context)
{
	const struct contact *contact = context;
	ssize_t n = write(contact->wake[1], "", 1);
	(void)n;
}

static int open_file(struct recording *r)
{
	const struct cli_arguments *a = r->arguments;
	struct gcs_error err;
	if (a->output == NULL)
		invent_name(r);
	const struct gcs_recorder_options options = {
	    .trace = {.path = a->output == NULL ? r->path : a->output,
		.replace = a->output != NULL && a->force,
		.number = a->output == NULL,
		.level = (int)a->level,
		.max_bytes = a->max_size},
	    .queue_limit = QUEUE,
	    .changed = recorder_changed,
	    .context = r->contact,
	};
	r->recorder = gcs_recorder_create(&options, &err);
	if (r->recorder == NULL)
		return cli_fail("%s", err.text);
	snprintf(r->path, sizeof r->path, "%s", gcs_recorder_path(r->recorder));
	return CLI_DONE;
}

/* Profiles. */

static bool any_asked(const struct recording *r)
{
	uint32_t all = 0;
	for (int i = 0; i < GCS_PROFILE_KIND_COUNT; i++)
		all |= r->asked[i];
	return all != 0;
}

/* Requests all kinds; earlier requests that were never answered are given up. */
static void ask_profiles(struct recording *r)
{
	for (int i = 0; i < GCS_PROFILE_KIND_COUNT; i++) {
		const struct gcs_info kind = {
		    .key = "kind", .value = gcs_profile_kind_word((enum gcs_profile_kind)i)};
		if (gcs_client_query(r->contact->client, "sites", 1, &kind, &r->asked[i]) != GCS_OK)
			r->asked[i] = 0;
	}
}

/* Takes the answers that have arrived. One without a profile is ignored: nothing is sampled, or the
 * server does not know the query. */
static void take_profiles(struct recording *r)
{
	for (int i = 0; i < GCS_PROFILE_KIND_COUNT; i++) {
		struct gcs_answer *answer =
		    r->asked[i] == 0 ? NULL : gcs_client_answer(r->contact->client, r->asked[i], 0);
		if (answer == NULL)
			continue;
		r->asked[i] = 0;
		if (answer->status == GCS_OK)
			gcs_recorder_put_profile(r->recorder, answer->bytes, answer->length);
		gcs_answer_free(answer);
	}
}

/* A second signal gives up. */
static void take_last_profiles(struct recording *r)
{
	const uint64_t deadline = now_ms() + LAST_PROFILES_MS;
	const char *which = signals_seen() ? "second " : "";
	if (r->arguments->profiles_ms == 0 || contact_is_lost(r->contact))
		return;
	signals_forget();
	ask_profiles(r);
	contact_discard(r->contact);
	do {
		contact_drain(r->contact);
		contact_take_in(r->contact);
		take_profiles(r);
	} while (any_asked(r) && !contact_is_lost(r->contact) && !signals_seen() &&
		 contact_wait(r->contact, deadline));
	if (any_asked(r) && signals_seen())
		cli_warn("%s: a %ssignal ended the wait for the last profiles, so the recording "
			 "lacks some",
		    r->path, which);
	else if (any_asked(r))
		cli_warn("%s: the program did not send all of its last profiles, so the recording "
			 "lacks them",
		    r->path);
}

/* Events. */

static bool is_wanted(const struct recording *r, const struct gcs_snapshot *s)
{
	const char *event = r->arguments->event;
	return event == NULL || strcmp(event, show_event(s)) == 0;
}

static bool has_all(const struct recording *r)
{
	return r->arguments->events != 0 && r->taken >= r->arguments->events;
}

/* Nothing is fetched while the disk is behind, so that the server notices a slow client. */
static bool disk_is_behind(struct recording *r)
{
	struct gcs_recorder_stats stats;
	gcs_recorder_get_stats(r->recorder, &stats);
	return stats.error.status == GCS_OK && stats.waiting >= ENOUGH;
}

/* False if some were left in the queue. */
static bool take_snapshots(struct recording *r)
{
	struct gcs_snapshot *next;
	while (!has_all(r) && !disk_is_behind(r) && (next = contact_next(r->contact, 0)) != NULL) {
		r->seen += gcs_snapshot_occurrence(next)->event != GCS_NONE;
		const uint64_t overrun = gcs_client_overrun(r->contact->client);
		gcs_recorder_miss(r->recorder, overrun - r->overrun);
		r->overrun = overrun;
		r->missed = gcs_snapshot_occurrence(next)->missed + overrun;
		if (is_wanted(r, next)) {
			gcs_recorder_put(r->recorder, next);
			r->taken++;
		}
		gcs_snapshot_unref(next);
	}
	return !disk_is_behind(r);
}

/* What the user sees. */

struct counts {
	uint64_t events, profiles;
	uint64_t bytes, profile_bytes; /* of the file; of them for profiles */
	uint64_t missed;
};

static const char *decimal(char *buffer, size_t size, uint64_t number)
{
	return gcs_format_number(buffer, size, (int64_t)number, GCS_DECIMAL);
}

/* "1,234 events, 314 KiB, 260 bytes/event, 4 profiles, 0 missed" */
static void describe(char *text, size_t size, const struct counts *c)
{
	char events[40], bytes[40], each[40], profiles[40], missed[40];
	const uint64_t for_events = c->bytes > c->profile_bytes ? c->bytes - c->profile_bytes : 0;
	snprintf(text, size, "%s event%s, %s, %s bytes/event, %s profile%s, %s missed",
	    decimal(events, sizeof events, c->events), c->events == 1 ? "" : "s",
	    gcs_format_number(bytes, sizeof bytes, (int64_t)c->bytes, GCS_BYTES),
	    decimal(each, sizeof each, c->events == 0 ? 0 : for_events / c->events),
	    decimal(profiles, sizeof profiles, c->profiles), c->profiles == 1 ? "" : "s",
	    decimal(missed, sizeof missed, c->missed));
}

static void show_progress(const struct recording *r)
{
	char text[200];
	struct gcs_recorder_stats stats;
	const uint64_t seconds = (now_ms() - r->begin_ms) / 1000;
	gcs_recorder_get_stats(r->recorder, &stats);
	const struct counts counts = {.events = stats.events,
	    .profiles = stats.profiles,
	    .bytes = stats.bytes,
	    .profile_bytes = stats.profile_bytes,
	    .missed = r->missed + stats.dropped};
	describe(text, sizeof text, &counts);
	fprintf(stderr, "\r\33[K%s, %" PRIu64 ":%02" PRIu64 " ", text, seconds / 60, seconds % 60);
	fflush(stderr);
}

static void hide_progress(const struct recording *r)
{
	if (r->terminal)
		fputs("\r\33[K", stderr);
	fflush(stderr);
}

static uint64_t profile_bytes(const struct gcs_trace *t, uint64_t count)
{
	struct gcs_trace_profile_info p;
	uint64_t bytes = 0;
	for (uint64_t i = 0; i < count; i++)
		bytes += gcs_trace_profile_info(t, i, &p) ? p.bytes : 0;
	return bytes;
}

static void write_json(
    const struct recording *r, const struct counts *c, double seconds, struct out *out)
{
	struct json json = {.text = &out->text};
	json_object(&json, NULL);
	json_integer(&json, "format", DOCUMENT);
	json_text(&json, "file", r->path);
	json_unsigned(&json, "events", c->events);
	json_unsigned(&json, "bytes", c->bytes);
	json_unsigned(&json, "profiles", c->profiles);
	json_unsigned(&json, "profile_bytes", c->profile_bytes);
	json_unsigned(&json, "missed", c->missed);
	json_number(&json, "seconds", seconds);
	json_end(&json);
	out_raw(out, "\n");
}

/* Sums up the file as a reader finds it. A file without any event is removed. */
static bool summarise(const struct recording *r, uint64_t dropped, double seconds, struct out *out)
{
	char text[200];
	struct gcs_trace_info info;
	struct gcs_trace *t = gcs_trace_open(r->path, NULL);
	if (t == NULL) {
		unlink(r->path);
		return false;
	}
	gcs_trace_get_info(t, &info);
	const struct counts counts = {.events = info.events,
	    .profiles = info.profiles,
	    .bytes = info.bytes,
	    .profile_bytes = profile_bytes(t, info.profiles),
	    .missed = r->missed + dropped};
	describe(text, sizeof text, &counts);
	gcs_trace_close(t);
	if (r->arguments->json != 0) {
		write_json(r, &counts, seconds, out);
		return true;
	}
	out_text(out, r->path, SIZE_MAX);
	out_format(out, ": %s, in %.1f s\n", text, seconds);
	return true;
}

/* Why recording ends. */
enum end { GOES_ON, DONE, LOST, FAILED };

static enum end look(const struct recording *r, bool lost)
{
	struct gcs_recorder_stats stats;
	gcs_recorder_get_stats(r->recorder, &stats);
	if (stats.error.status != GCS_OK)
		return FAILED;
	if (signals_seen() || has_all(r) || now_ms() >= r->end_ms)
		return DONE;
	return lost ? LOST : GOES_ON;
}

static void wait_for_news(struct recording *r)
{
	const uint64_t now = now_ms();
	uint64_t until = r->end_ms;
	if (r->profiles_ms > now && r->profiles_ms < until)
		until = r->profiles_ms;
	if (r->terminal && now >= r->progress_ms) {
		show_progress(r);
		r->progress_ms = now + PROGRESS_MS;
	}
	if (r->terminal && r->progress_ms < until)
		until = r->progress_ms;
	contact_wait(r->contact, until);
}

static enum end record(struct recording *r)
{
	for (;;) {
		contact_drain(r->contact);
		/* Read first, so that snapshots from before the loss are still taken. */
		const bool lost = contact_is_lost(r->contact);
		const bool all = take_snapshots(r);
		/* Behind an event, if there are any: at the end of a collection live and dead have
		 * just been told apart. */
		if (now_ms() >= r->profiles_ms && (r->asked_at == 0 || r->seen != r->asked_at)) {
			ask_profiles(r);
			r->asked_at = r->seen;
			r->profiles_ms = now_ms() + r->arguments->profiles_ms;
		}
		take_profiles(r);
		if (!r->terminal)
			contact_say_notice(r->contact);
		const enum end end = look(r, lost && all);
		if (end != GOES_ON)
			return end;
		wait_for_news(r);
	}
}

/* Finishes the file and sums it up. */
static int finish(struct recording *r, enum end end, struct out *out)
{
	struct gcs_recorder_stats stats;
	struct gcs_error err;
	const double seconds = (double)(now_ms() - r->begin_ms) / 1000;
	if (end == DONE)
		take_last_profiles(r);
	hide_progress(r);
	gcs_recorder_get_stats(r->recorder, &stats);
	const enum gcs_status status = gcs_recorder_finish(r->recorder, &err);
	const bool any = summarise(r, stats.dropped, seconds, out);
	if (end == LOST)
		return contact_lost(r->contact);
	/* Reaching --max-size is not a failure. */
	if (status != GCS_OK && (status != GCS_LIMIT || !any))
		return cli_fail("%s", err.text);
	return any ? CLI_DONE
		   : cli_fail(
			 "%s: no snapshot arrived, so no file was written", r->arguments->address);
}

int cmd_record(const struct cli_arguments *arguments, struct out *out)
{
	static struct recording r;
	struct contact contact;
	int code;
	if (!output_is_free(arguments->output, arguments->force, &code))
		return code;
	code = contact_open(&contact, arguments, CONTACT_EVERY);
	if (code == CLI_DONE)
		code = contact_choose_event(&contact, arguments->event);
	r = (struct recording){.contact = &contact, .arguments = arguments};
	if (code == CLI_DONE)
		code = open_file(&r);
	if (code == CLI_DONE) {
		r.begin_ms = now_ms();
		r.end_ms =
		    arguments->seconds_ms == 0 ? UINT64_MAX : r.begin_ms + arguments->seconds_ms;
		r.profiles_ms = arguments->profiles_ms == 0 ? UINT64_MAX : r.begin_ms;
		r.terminal = isatty(STDERR_FILENO) == 1;
		signals_catch(contact.wake[1]);
		code = finish(&r, record(&r), out);
		signals_catch(-1);
	}
	contact_close(&contact);
	return code;
}
