/*
 * `gcspy pause`: holds the program for as long as the command runs.
 *
 * One loop over the server's news, the input and the signals. The hold belongs to the connection:
 * however this process ends, the server lets the program go on.
 */

#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "contact.h"
#include "line_input.h"
#include "report_text.h"
#include "show.h"
#include "signals.h"

/* How often to check whether a terminal that belongs to another program is ours again. */
enum { LOOK_MS = 1000 };

/*
 * An event that arrives while the program is paused was stepped to by another client, or is the
 * first one after another client resumed the program. In the second case the server says so right
 * after the event, within this time.
 */
enum { SETTLE_MS = 100, DOCUMENT = 1 };

enum phase {
	WAITING,  /* for the pause to take effect */
	PAUSED,   /* and printed so */
	STEPPING, /* a step is under way */
	LEAVING   /* `code` is the exit code */
};

struct holder {
	struct contact *contact;
	struct out *out;
	bool json;
	struct input input;
	enum phase phase;
	int code;
	bool own;     /* the server has said that we hold the program */
	bool left_it; /* since the last step the program was seen to run */
	/* newest event since the last "paused" was printed; or NULL */
	struct gcs_snapshot *at;
	uint64_t moved_ms;    /* when an event arrived while the program was paused; 0: none */
	uint64_t deadline_ms; /* of --seconds */
	uint64_t step_deadline_ms;
};

/* A line, or a document on one: what the program does, in a word for programs and a sentence, and at
 * which event, if that is known. */
static void say(struct holder *h, const char *program, const char *words)
{
	struct json json = {.text = &h->out->text};
	if (h->json) {
		json_object(&json, NULL);
		json_integer(&json, "format", DOCUMENT);
		json_text(&json, "program", program);
		json_text(&json, "text", words);
		if (h->at != NULL)
			report_json_event(&json, h->at);
		json_end(&json);
	} else {
		out_raw(h->out, words);
		if (h->at != NULL) {
			out_raw(h->out, " at ");
			show_occurrence(h->out, h->at);
		}
	}
	out_raw(h->out, "\n");
	if (h->at != NULL && !h->json)
		show_lines(h->out, h->at);
}

static void leave(struct holder *h, int code, const char *words)
{
	h->phase = LEAVING;
	h->code = code;
	gcs_snapshot_unref(h->at);
	h->at = NULL;
	if (words != NULL)
		say(h, "running", words);
}

/* "Paused at #12 …", or without the event when it happened before we connected. */
static void say_paused(struct holder *h, const char *words)
{
	say(h, "paused", words);
	gcs_snapshot_unref(h->at);
	h->at = NULL;
	h->moved_ms = 0;
}

/* The newest event becomes `at`. A snapshot made outside any event does not say where the program
 * is paused. */
static void take_snapshots(struct holder *h)
{
	struct gcs_snapshot *next;
	while ((next = contact_next(h->contact, 0)) != NULL) {
		const bool event = contact_may_hold(next);
		gcs_snapshot_unref(event ? h->at : next);
		h->at = event ? next : h->at;
	}
}

static void take_state(struct holder *h)
{
	bool own;
	/* The state is read before the snapshots: "paused" comes after the data of its event. */
	enum gcs_run_state run = gcs_client_run_state(h->contact->client, &own, NULL);
	take_snapshots(h);
	contact_say_notice(h->contact);
	if (contact_is_lost(h->contact)) {
		leave(h, contact_lost(h->contact), NULL);
		return;
	}
	if (h->own && !own) {
		leave(h, CLI_DONE, "Another client resumed the program.");
		return;
	}
	h->own = own;
	h->left_it = h->left_it || run != GCS_PAUSED;
	if (run != GCS_PAUSED || !own)
		return;
	if (h->phase == WAITING) {
		say_paused(h, "Paused");
		h->phase = PAUSED;
	} else if (h->phase == STEPPING && (h->at != NULL || h->left_it)) {
		say_paused(h, "Stepped; paused");
		h->phase = PAUSED;
	} else if (h->phase == PAUSED && h->at != NULL && h->moved_ms == 0) {
		h->moved_ms = now_ms();
	} else if (h->phase == PAUSED && h->at != NULL && now_ms() - h->moved_ms >= SETTLE_MS) {
		say_paused(h, "Another client stepped; paused");
	}
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
	return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

/* The line without blanks around it. */
static const char *trimmed(char *buffer, size_t size, const char *line)
{
	line += strspn(line, " \t\r");
	size_t length = strcspn(line, " \t\r");
	length = length < size - 1 ? length : size - 1;
	memcpy(buffer, line, length);
	buffer[length] = '\0';
	/* No command has more than one word. */
	if (line[length + strspn(line + length, " \t\r")] != '\0')
		return "?";
	return buffer;
}

static void begin_step(struct holder *h)
{
	/* Forget where another client stepped to in the meantime. */
	gcs_snapshot_unref(h->at);
	h->at = NULL;
	h->moved_ms = 0;
	h->left_it = false;
	h->phase = STEPPING;
	h->step_deadline_ms = now_ms() + h->contact->timeout_ms;
	gcs_client_step(h->contact->client);
}

/* In a script, leaving waits for the step before it, up to the time limit; on a terminal it does
 * not. */
static bool may_leave(const struct holder *h)
{
	return h->input.terminal || h->phase != STEPPING || now_ms() >= h->step_deadline_ms;
}

/* Executes the next line if the state allows it; true if it was taken. */
static bool take_line(struct holder *h)
{
	char buffer[16];
	const char *line = input_line(&h->input);
	if (line == NULL) {
		bool over = h->input.ended && (h->input.used || h->input.terminal);
		if (over && may_leave(h))
			leave(h, CLI_DONE, "End of input: the program resumes.");
		return false;
	}
	const char *word = trimmed(buffer, sizeof buffer, line);
	if (is_one_of(word, "r", "resume", "r") || is_one_of(word, "q", "quit", "q")) {
		if (!may_leave(h))
			return false;
		leave(h, CLI_DONE, "The program resumes.");
	} else if (is_one_of(word, "", "s", "step")) {
		if (h->phase != PAUSED)
			return false;
		begin_step(h);
	} else {
		cli_warn("s or an empty line steps, r or q resumes the program");
	}
	input_drop(&h->input);
	return true;
}

static int wait_ms(const struct holder *h, uint64_t now)
{
	uint64_t until = now + (h->moved_ms != 0 ? SETTLE_MS : LOOK_MS);
	if (h->deadline_ms < until)
		until = h->deadline_ms;
	return until > now ? (int)(until - now) : 0;
}

static void wait_for_news(struct holder *h)
{
	struct pollfd p[2] = {
	    {.fd = h->contact->wake[0], .events = POLLIN},
	    {.fd = input_descriptor(&h->input), .events = POLLIN},
	};
	if (poll(p, 2, wait_ms(h, now_ms())) <= 0)
		return;
	if (p[0].revents != 0)
		contact_drain(h->contact);
	if (p[1].revents != 0)
		input_read(&h->input);
}

static int hold(struct contact *contact, const struct cli_arguments *arguments, struct out *out)
{
	struct holder h = {
	    .contact = contact,
	    .out = out,
	    .json = arguments->json != 0,
	    .phase = WAITING,
	    .deadline_ms =
		arguments->seconds_ms == 0 ? UINT64_MAX : now_ms() + arguments->seconds_ms,
	};
	signals_catch(contact->wake[1]);
	input_init(&h.input);
	contact_leave_out_ticks(contact);
	gcs_client_pause(contact->client);
	say(&h, "pausing", "Waiting for the program's next event.");
	while (h.phase != LEAVING) {
		take_state(&h);
		while (h.phase != LEAVING && take_line(&h))
			continue;
		if (h.phase != LEAVING && signals_seen())
			leave(&h, CLI_DONE, "The program resumes.");
		if (h.phase != LEAVING && now_ms() >= h.deadline_ms)
			leave(&h, CLI_DONE, "Time is up: the program resumes.");
		if (!out_flush(out)) {
			h.phase = LEAVING;
			h.code = cli_output_failed(out);
		}
		if (h.phase != LEAVING)
			wait_for_news(&h);
	}
	gcs_snapshot_unref(h.at);
	signals_catch(-1);
	return h.code;
}

int cmd_pause(const struct cli_arguments *arguments, struct out *out)
{
	return contact_run(arguments, CONTACT_LATEST, hold, out);
}
