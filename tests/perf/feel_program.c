#include "feel_program.h"

#include <gcspy/memory.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "feel_world.h"
#include "pair.h"
#include "snapshot_internal.h"
#include "ui_profile.h"
#include "ui_world.h"

struct feel_request {
	enum gcs_profile_kind kind;
	uint32_t sites; /* 0: an event */
};

static struct pair pair; /* the child uses its session, the parent its decoder */
static struct gcs_model *model;
static struct gcs_snapshot *sent;
static unsigned step;
static pid_t child;
static int requests, bytes;

static void put(int fd, const void *data, size_t n)
{
	const char *at = data;
	while (n > 0) {
		const ssize_t done = write(fd, at, n);
		world_must(done > 0, "write to the pipe");
		at += done;
		n -= (size_t)done;
	}
}

static bool take(int fd, void *data, size_t n)
{
	char *at = data;
	while (n > 0) {
		const ssize_t done = read(fd, at, n);
		if (done <= 0)
			return false;
		at += done;
		n -= (size_t)done;
	}
	return true;
}

/* The child. */

static void put_block(const void *data, size_t n)
{
	put(bytes, &n, sizeof n);
	put(bytes, data, n);
}

static void make_event(void)
{
	struct gcs_snapshot *s = gcs_snapshot_begin(model, sent);
	const struct gcs_occurrence o = {
	    .sequence = step + 1, .event = 0, .time_ns = feel_time_ns(step)};
	world_must(s != NULL && feel_fill(s, step, step == 0), "feel_fill");
	gcs_snapshot_set_occurrence(s, &o);
	gcs_snapshot_set_counter(s, 0, ++step);
	snapshot_settle(s, sent);
	gcs_snapshot_unref(sent);
	sent = s;
	session_snapshot(&pair.session, sent, 0);
	put_block(pair.session.out.data, pair.session.out.length);
	wr_consume(&pair.session.out, pair.session.out.length);
}

static void make_profile(const struct feel_request *request)
{
	void *made = NULL;
	size_t length = 0;
	struct gcs_error err = {.text = ""};
	struct gcs_profile *profile = profile_many(request->kind, request->sites);
	world_must(gcs_profile_encode(profile, &made, &length, &err) == GCS_OK, err.text);
	gcs_profile_free(profile);
	put_block(made, length);
	gcs_free(made);
}

static void serve(void)
{
	struct feel_request request;
	while (take(requests, &request, sizeof request)) {
		if (request.sites == 0)
			make_event();
		else
			make_profile(&request);
	}
}

/* The parent. */

void feel_program_start(void)
{
	int to[2], from[2];
	model = feel_model();
	world_must(model != NULL, "feel_model");
	pair_init(&pair, model);
	pair_greet(&pair, 0);
	world_must(pipe(to) == 0 && pipe(from) == 0, "pipe");
	child = fork();
	world_must(child >= 0, "fork");
	requests = to[child != 0];
	bytes = from[child == 0];
	close(to[child == 0]);
	close(from[child != 0]);
	if (child == 0) {
		serve();
		_exit(0);
	}
}

void feel_program_end(void)
{
	close(requests);
	close(bytes);
	waitpid(child, NULL, 0);
	pair_fini(&pair);
	gcs_model_unref(model);
}

static void *ask(const struct feel_request *request, size_t *length)
{
	put(requests, request, sizeof *request);
	world_must(take(bytes, length, sizeof *length), "the program");
	void *data = malloc(*length + 1);
	world_must(data != NULL && take(bytes, data, *length), "the program");
	return data;
}

struct gcs_snapshot *feel_program_event(void)
{
	size_t n;
	void *data = ask(&(struct feel_request){.sites = 0}, &n);
	decoder_input(&pair.decoder, data, n);
	free(data);
	world_must(pair.received != NULL && pair.decoder.phase == DECODER_LIVE, "the client");
	return pair.received;
}

void *feel_program_profile(enum gcs_profile_kind kind, uint32_t sites, size_t *length)
{
	return ask(&(struct feel_request){kind, sites}, length);
}
