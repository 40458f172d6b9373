/*
 * What it costs to find where tracked samples are (S8): perf-places [--smoke]. A sampler without a
 * JVM tracks a given number of objects, in the regions of a made-up heap; their references are
 * words in memory in no order. Prints the processor time of an event's stream, and of the answers
 * to a part of the heap and to a call site.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gcspy/memory.h>

#include "object_locations.h"
#include "sampler_internal.h"
#include "sites.h"
#include "streams.h"
#include "vm_internal.h"

enum { REGIONS = 2048, REGION = 1 << 20, SITES = 500, DEPTH = 20, ROUNDS = 101 };
#define HEAP UINT64_C(0x700000000)

static struct vm vm;
static struct sampler sampler;
static struct gcs_server *server;
static uint32_t space;
static uint64_t *slots;

static double cpu_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* A heap of which every second region is old. */
static bool locate(const void *self, const void *raw, uint64_t address, struct heap_location *p)
{
	const uint64_t region = (address - HEAP) / REGION;
	(void)self;
	(void)raw;
	*p = (struct heap_location){.low = HEAP + region * REGION,
	    .high = HEAP + (region + 1) * REGION,
	    .type = region % 2 == 0 ? "Old" : "Eden",
	    .parts = region % 2 == 0 ? HEAP_OLD : HEAP_YOUNG | HEAP_EDEN};
	return true;
}

static size_t raw_bytes(const void *self)
{
	(void)self;
	return 8;
}

static void capture(const void *self, void *raw)
{
	(void)self;
	(void)raw;
}

static const struct heap_driver driver = {.raw_bytes = raw_bytes,
    .capture = capture,
    .names = {.parts = HEAP_OLD | HEAP_YOUNG | HEAP_EDEN},
    .locate = locate};

static void watch_all(uint32_t count)
{
	const struct sample_store_limits limits = {
	    .live_bytes = (size_t)count * 2 * sizeof(struct tracked),
	    .sites = SITES * 2,
	    .seed = 1};
	struct stack_table *stack_table = stack_table_create(8 << 20);
	uint32_t stack[SITES];
	char text[40];
	for (uint32_t i = 0; i < SITES; i++) {
		stack[i] = STACK_TABLE_NONE;
		for (uint32_t k = 0; k < DEPTH; k++) {
			const int n =
			    snprintf(text, sizeof text, "com.example.Method%u", k * 7 + i % 50);
			const uint32_t name = stack_table_text(stack_table, text, (size_t)n);
			const struct stack_table_frame f = {
			    .class_name = name, .method = name, .file = name, .line = i};
			stack[i] = stack_table_add_stack(
			    stack_table, &(struct stack_table_stack){
					     stack[i], stack_table_add_frame(stack_table, &f)});
		}
	}
	sampler.sample_store = sample_store_create(&limits, stack_table);
	slots = malloc(count * sizeof *slots);
	for (uint32_t i = 0; i < count; i++) {
		/* A number without a factor in common with the count visits each slot once. */
		const uint32_t at = (uint32_t)((uint64_t)i * 7919 % count);
		const uint32_t name = stack_table_text(stack_table, "byte[]", 6);
		const struct sample s = {.weak = (char *)&slots[at] + 1,
		    .stack = stack[i % SITES],
		    .class_name = name,
		    .thread = name,
		    .group = name,
		    .keep = UINT64_C(1) << 32,
		    .id = i,
		    .size = 64,
		    .interval = 512};
		slots[at] = HEAP + (uint64_t)rand() % (REGIONS * (uint64_t)REGION) / 8 * 8;
		sample_store_add(sampler.sample_store, &s);
	}
	/* All have survived a collection. */
	struct tracked *live = (struct tracked *)sample_store_live(sampler.sample_store, &count);
	for (uint32_t i = 0; i < count; i++)
		live[i].judged = 1;
	sampler.judgement.collections = sampler.judgement.judged.number = 1;
}

static void describe(void)
{
	struct gcs_server_options options = {.name = "perf", .port = -1};
	const struct gcs_stream streams[] = {stream_sampled(1), stream_sampled_error(),
	    gcs_stream_range_start(), gcs_stream_range_end()};
	const struct gcs_space heap = {.name = "Heap",
	    .description = "",
	    .tile_title = "Region",
	    .block_info = "",
	    .unused_text = "",
	    .group = GCS_NONE,
	    .stream_count = 4,
	    .streams = streams};
	server = gcs_server_create(&options, NULL);
	if (server == NULL)
		abort();
	gcs_server_add_event(server, &(struct gcs_event){.name = "Event"}, NULL, NULL);
	gcs_server_add_space(server, &heap, &space, NULL);
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static void report(const char *what, double *us, int rounds)
{
	qsort(us, (size_t)rounds, sizeof *us, by_size);
	printf("%-28s %8.0f us (p90 %.0f)\n", what, us[rounds / 2], us[rounds * 9 / 10]);
}

static struct gcs_snapshot *picture(const struct gcs_ticket *ticket)
{
	struct gcs_snapshot *s = gcs_server_begin(server, ticket);
	gcs_snapshot_resize(s, space, REGIONS);
	int64_t *starts = gcs_snapshot_write(s, space, 2), *ends = gcs_snapshot_write(s, space, 3);
	for (int64_t i = 0; i < REGIONS; i++) {
		starts[i] = (int64_t)HEAP + i * REGION;
		ends[i] = starts[i] + REGION;
	}
	return s;
}

static void measure(struct object_locations *object_locations, int rounds)
{
	double stream[ROUNDS], part[ROUNDS], tiles[ROUNDS];
	const struct gcs_ticket ticket = {.event = 0, .audience = 1, .sequence = 1};
	struct gcs_error err = {.status = GCS_OK};
	char digits[16] = "";
	for (int i = 0; i < rounds; i++) {
		struct gcs_snapshot *s = picture(&ticket);
		double begin = cpu_us();
		const bool ok = object_locations_map(object_locations, 0, server, &ticket, s);
		stream[i] = cpu_us() - begin;
		gcs_snapshot_unref(s);
		begin = cpu_us();
		struct gcs_profile *p = object_locations_profile(
		    object_locations, &(struct profile_query){.where = "old"}, &err);
		part[i] = cpu_us() - begin;
		if (!ok || p == NULL)
			abort();
		if (digits[0] == 0) {
			uint64_t *numbers = malloc(gcs_profile_entry_count(p) * sizeof *numbers);
			gcs_profile_site_numbers(p, false, numbers);
			snprintf(digits, sizeof digits, "%012llx", (unsigned long long)numbers[0]);
			free(numbers);
		}
		gcs_profile_free(p);
		void *bytes = NULL;
		size_t length = 0;
		begin = cpu_us();
		if (object_locations_tiles(object_locations, digits, &bytes, &length, &err) !=
		    GCS_OK)
			abort();
		tiles[i] = cpu_us() - begin;
		gcs_free(bytes);
	}
	report("stream of an event", stream, rounds);
	report("profile of the old regions", part, rounds);
	report("tiles of a call site", tiles, rounds);
}

int main(int argc, char **argv)
{
	const bool smoke = argc > 1 && strcmp(argv[1], "--smoke") == 0;
	const uint32_t counts[] = {10000, 100000};
	vm.range = (struct vm_range){HEAP, HEAP + REGIONS * (uint64_t)REGION};
	vm.support[VM_WEAK_POSITIONS] = VM_DERIVED;
	vm.collector = VM_COLLECTOR_G1;
	sampler.parts.vm = &vm;
	pthread_mutex_init(&sampler.lock, NULL);
	pthread_mutex_init(&sampler.requests_lock, NULL);
	atomic_store(&sampler.interval, 512);
	atomic_store(&sampler.sampled, true);
	describe();
	for (int i = 0; i < (smoke ? 1 : 2); i++) {
		watch_all(counts[i]);
		printf("%u tracked samples\n", counts[i]);
		measure(object_locations_create(&sampler, &vm, &driver, NULL), smoke ? 3 : ROUNDS);
	}
	return 0;
}
