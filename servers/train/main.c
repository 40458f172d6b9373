/*
 * gcspy-train: a heap with a Train collector, which a mutator uses and GCspy shows.
 *
 * Ends with 0 after the mutator, or after SIGINT or SIGTERM; with 1 if the mutator's result or the heap is
 * wrong, the heap is full, or a figure cannot be drawn; with 2 for wrong options or if it cannot listen.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "train_options.h"
#include "train_server.h"

struct program {
	struct program_options options;
	struct train_server *server;
	struct train_heap *heap;
	atomic_bool stopped;
	pthread_t signals;
	jmp_buf out_of_heap;
	char exhausted[200];
	uint64_t events; /* Train GC end */
};

/* There is one heap, and its hook `exhausted` has the server as context. */
static struct program program;

static void exhausted(void *context, const char *why)
{
	(void)context;
	snprintf(program.exhausted, sizeof program.exhausted, "%s", why);
	longjmp(program.out_of_heap, 1);
}

static bool stopped(void *context)
{
	(void)context;
	return atomic_load(&program.stopped);
}

/* A signal also resumes the program if a client holds it. */
static void *wait_for_signal(void *context)
{
	sigset_t *set = context;
	int signal;
	sigwait(set, &signal);
	atomic_store(&program.stopped, true);
	train_server_stop(program.server);
	return NULL;
}

static void print_summary(void)
{
	const struct train_statistics *done = train_heap_statistics(program.heap);
	const double mib = 1048576;
	printf("%s: %.0f MiB allocated, %.1f promoted, %.1f allocated directly, %.1f evacuated\n",
	    program.options.mutator->name, (double)done->allocated / mib,
	    (double)done->promoted / mib, (double)done->direct / mib,
	    (double)(done->evacuated + done->weakly_evacuated) / mib);
	printf("%llu young collections, %llu Train steps: %llu trains freed whole, %llu cars "
	       "relinked, %llu guarded, %llu forced\n",
	    (unsigned long long)done->young_collections, (unsigned long long)done->steps,
	    (unsigned long long)done->trains_freed, (unsigned long long)done->relinked,
	    (unsigned long long)done->guarded, (unsigned long long)done->forced);
}

static void print_addresses(void)
{
	const struct program_options *options = &program.options;
	const char *host = options->host != NULL ? options->host : "127.0.0.1";
	if (options->port >= 0)
		printf("listening on %s:%d\n", host, train_server_port(program.server));
	if (options->socket_path != NULL)
		printf("listening on unix:%s\n", options->socket_path);
	fflush(stdout);
}

static int run(void)
{
	const struct program_options *options = &program.options;
	struct mutator_run run = {.heap = program.heap,
	    .seed = options->seed,
	    .size = options->size,
	    .steps = options->steps,
	    .stopped = stopped};
	const struct timespec moment = {.tv_nsec = 20000000};
	if (setjmp(program.out_of_heap) != 0) {
		fprintf(stderr, "gcspy-train: %s\n", program.exhausted);
		return 1;
	}
	while (options->wait && !train_server_attached(program.server) && !stopped(NULL))
		nanosleep(&moment, NULL);
	const char *wrong = options->mutator->run(&run);
	if (train_heap_breach(program.heap) != NULL)
		wrong = train_heap_breach(program.heap);
	if (wrong != NULL)
		fprintf(stderr, "gcspy-train: %s: %s\n", options->mutator->name, wrong);
	if (!options->quiet)
		print_summary();
	program.events = train_heap_statistics(program.heap)->steps;
	return wrong != NULL;
}

static void print_log(void *context, const char *line)
{
	(void)context;
	fprintf(stderr, "gcspy-train: %s\n", line);
}

/* Everything but the mutator. */
static int serve(void)
{
	static sigset_t set;
	struct gcs_error err = {.text = "no memory"};
	char name[64], why[200];
	struct program_options *options = &program.options;
	snprintf(name, sizeof name, "Train collector: %s", options->mutator->name);
	struct train_server_options to = {.server = {.name = name,
					      .host = options->host,
					      .port = (int)options->port,
					      .socket_path = options->socket_path,
					      .log = print_log},
	    .record = options->record,
	    .events_per_second = (uint32_t)options->pace,
	    .steps_only = options->figure != 0};
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	program.server = train_server_create(&to, &err);
	if (program.server == NULL) {
		fprintf(stderr, "gcspy-train: %s\n", err.text);
		return 2;
	}
	options->heap.hooks = train_server_hooks(program.server);
	options->heap.exhausted = exhausted;
	program.heap = train_heap_create(&options->heap, why, sizeof why);
	if (program.heap == NULL ||
	    train_server_start(program.server, program.heap, &err) != GCS_OK) {
		fprintf(stderr, "gcspy-train: %s\n", program.heap == NULL ? why : err.text);
		return 2;
	}
	if (pthread_create(&program.signals, NULL, wait_for_signal, &set) != 0) {
		fprintf(stderr, "gcspy-train: no thread\n");
		return 2;
	}
	print_addresses();
	int result = run();
	pthread_kill(program.signals, SIGTERM);
	pthread_join(program.signals, NULL);
	return result;
}

static int serve_and_end(void)
{
	int result = serve();
	if (!train_server_destroy(program.server) && result == 0)
		result = 1;
	train_heap_destroy(program.heap);
	return result;
}

/* Records one run, without clients, and draws it. */
static int draw_part(const struct figure *figure, const struct figure_part *part,
    const char *viewer, const char *folder, int argc, char **argv)
{
	char why[4400], path[4096], recording[2100];
	program = (struct program){.events = 0};
	if (!program_options_for_figure(&program.options, part, argc, argv, why, sizeof why)) {
		fprintf(stderr, "gcspy-train: %s\n", why);
		return 2;
	}
	if (!figure_path(part, program.options.output, path, sizeof path)) {
		fprintf(stderr, "gcspy-train: the name of the picture is too long\n");
		return 2;
	}
	snprintf(recording, sizeof recording, "%s/run.gcspy", folder);
	program.options.record = recording;
	program.options.port = -1;
	program.options.pace = 0;
	int result = serve_and_end();
	if (result == 0 && program.events == 0) {
		fprintf(stderr, "gcspy-train: no Train collection, so nothing to draw\n");
		result = 1;
	}
	if (result == 0 && !figure_draw(figure, viewer, folder, path, why, sizeof why)) {
		fprintf(stderr, "gcspy-train: %s\n", why);
		result = 1;
	}
	unlink(recording);
	return result;
}

static int draw(int argc, char **argv)
{
	const struct figure *figure = figure_find((uint32_t)program.options.figure);
	char viewer[4096], folder[2000];
	const char *temporary = getenv("TMPDIR");
	int result = 0;
	if (program.options.output == NULL || program.options.record != NULL) {
		fprintf(stderr, "gcspy-train: a figure needs -o FILE, and cannot be recorded\n");
		return 2;
	}
	if (!figure_find_viewer(viewer, sizeof viewer)) {
		fprintf(
		    stderr, "gcspy-train: gcspy-view is neither beside gcspy-train nor in PATH\n");
		return 1;
	}
	snprintf(folder, sizeof folder, "%s/gcspy-train-XXXXXX",
	    temporary != NULL && *temporary != 0 ? temporary : "/tmp");
	if (mkdtemp(folder) == NULL) {
		fprintf(stderr, "gcspy-train: cannot create %s\n", folder);
		return 1;
	}
	for (int i = 0; i < FIGURE_PARTS && figure->parts[i].options[0] != NULL && result == 0; i++)
		result = draw_part(figure, &figure->parts[i], viewer, folder, argc, argv);
	rmdir(folder);
	return result;
}

int main(int argc, char **argv)
{
	char why[200];
	if (!program_options_parse(&program.options, argc, argv, why, sizeof why)) {
		fprintf(stderr, "gcspy-train: %s\n", why);
		return 2;
	}
	if (program.options.help) {
		program_options_help(&program.options);
		return 0;
	}
	return program.options.figure != 0 ? draw(argc, argv) : serve_and_end();
}
