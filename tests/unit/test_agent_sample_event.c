/* A sampled allocation as triggers see it (F17): its attributes, and that nothing is sent otherwise. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "sampler_internal.h"

static struct gcs_server *server;
static struct sampler sampler;
static struct stack_table *table;
static struct sampled_allocation last;
static struct gcs_ticket last_ticket;
static unsigned fires;

static void fired(
    void *context, const struct gcs_ticket *ticket, const struct sampled_allocation *allocation)
{
	(void)context;
	last = *allocation;
	last_ticket = *ticket;
	fires++;
	/* As a missed one: its place is free again. */
	gcs_server_miss(server, ticket);
}

static uint32_t text(const char *words)
{
	return stack_table_text(table, words, strlen(words));
}

static uint32_t push(uint32_t parent, const char *class_name, const char *method, uint32_t line,
    enum gcs_frame_kind kind)
{
	const struct stack_table_frame frame = {.class_name = text(class_name),
	    .method = text(method),
	    .file = text(line == 0 ? "" : "Some.java"),
	    .line = line,
	    .kind = kind};
	return stack_table_add_stack(
	    table, &(struct stack_table_stack){parent, stack_table_add_frame(table, &frame)});
}

/* A server that only records, so that somebody is attached, with this trigger. */
static void setup_with(const char *condition)
{
	struct gcs_error err;
	const struct gcs_event event = {.name = "Sampled allocation",
	    .attribute_count = SAMPLE_EVENT_COUNT,
	    .attributes = sample_event_attributes};
	const struct gcs_trigger trigger = {
	    .name = "t", .condition = condition, .actions = GCS_TRIGGER_KEEP};
	struct gcs_recorder *recorder = gcs_recorder_create(
	    &(struct gcs_recorder_options){.trace = {.path = "/dev/null", .replace = true}}, &err);
	cr_assert_not_null(recorder, "%s", err.text);
	server = gcs_server_create(&(struct gcs_server_options){.name = "test", .port = -1}, &err);
	cr_assert_eq(gcs_server_add_event(server, &event, &sampler.parts.event, &err), GCS_OK);
	cr_assert_eq(gcs_server_record(server, recorder, &err), GCS_OK);
	cr_assert_eq(gcs_server_set_trigger(server, &trigger, &err), GCS_OK, "%s", err.text);
	cr_assert_eq(gcs_server_start(server, &err), GCS_OK, "%s", err.text);
	sampler.parts.server = server;
	sampler_on_fired(&sampler, fired, NULL);
	table = stack_table_create(1 << 20);
	fires = 0;
}

static void teardown(void)
{
	gcs_server_destroy(server);
	stack_table_destroy(table);
}

static bool check(uint64_t size, uint32_t stack)
{
	struct gcs_ticket ticket;
	const struct sample sample = {
	    .size = size, .class_name = text("byte[]"), .thread = text("main"), .stack = stack};
	return sample_event_check(&sampler, table, &sample, &ticket);
}

static uint32_t shop(void)
{
	uint32_t stack = push(STACK_TABLE_NONE, "com.shop.Main", "main", 7, GCS_FRAME_JAVA);
	stack = push(stack, "com.shop.Cart", "add", 12, GCS_FRAME_JAVA);
	stack = push(stack, "java.util.Arrays", "copyOf", 3, GCS_FRAME_JAVA);
	return push(stack, "libjava.so", "Copy", 0, GCS_FRAME_NATIVE);
}

#define EventTest(name) Test(agent_sample_event, name, .fini = teardown)

EventTest(fires_with_all_attributes)
{
	setup_with("Size >= 512k");
	const uint32_t stack = shop();
	cr_assert_not(check(512 * 1024 - 1, stack));
	cr_assert_eq(fires, 0);
	cr_assert(check(512 * 1024, stack));
	cr_assert_eq(fires, 1);
	cr_assert_eq(last.size, 512 * 1024);
	cr_assert_str_eq(last.class_name, "byte[]");
	cr_assert_str_eq(last.thread, "main");
	cr_assert_str_eq(last.frame, "com.shop.Cart.add(Some.java:12)");
	cr_assert_str_eq(last.stack,
	    "libjava.so.Copy\njava.util.Arrays.copyOf(Some.java:3)\n"
	    "com.shop.Cart.add(Some.java:12)\ncom.shop.Main.main(Some.java:7)");
	cr_assert_eq(last_ticket.count, 2);
}

EventTest(compares_frames_and_stacks)
{
	setup_with(
	    "Frame ~ Cart and Stack ~ com.shop.Main and Class = \"byte[]\" and Thread = main");
	const uint32_t jdk = push(STACK_TABLE_NONE, "java.lang.Thread", "run", 1, GCS_FRAME_JAVA);
	cr_assert(check(16, shop()));
	cr_assert_not(check(16, jdk));
	cr_assert_not(check(16, STACK_TABLE_NONE));
	cr_assert_eq(fires, 1);
}

/* "A large array of this package, by this thread": class, size, call site and thread together. */
EventTest(fires_at_a_call_site_of_a_thread)
{
	setup_with("Size >= 512k and Frame ~ com.shop. and Class = \"byte[]\" and Thread ~ mai");
	const uint32_t other =
	    push(STACK_TABLE_NONE, "com.shopping.Main", "main", 7, GCS_FRAME_JAVA);
	const uint32_t below = push(other, "java.util.Arrays", "copyOf", 3, GCS_FRAME_JAVA);
	cr_assert_not(check(512 * 1024, below), "another package");
	cr_assert_not(check(512 * 1024 - 1, shop()), "too small");
	cr_assert(check(512 * 1024, shop()));
	cr_assert_str_eq(last.frame, "com.shop.Cart.add(Some.java:12)");
	struct gcs_ticket ticket;
	const struct sample objects = {.size = 1 << 20,
	    .class_name = text("Object[]"),
	    .thread = text("main"),
	    .stack = shop()};
	cr_assert_not(sample_event_check(&sampler, table, &objects, &ticket), "another class");
	const struct sample pool = {.size = 1 << 20,
	    .class_name = text("byte[]"),
	    .thread = text("pool-1"),
	    .stack = shop()};
	cr_assert_not(sample_event_check(&sampler, table, &pool, &ticket), "another thread");
	cr_assert_eq(fires, 1);
}

/* Samples that have not fired take no place in the order of events. */
EventTest(only_what_fires_has_a_sequence)
{
	setup_with("Size = 3");
	for (uint64_t size = 1; size <= 4; size++)
		cr_assert_eq(check(size, STACK_TABLE_NONE), size == 3);
	cr_assert_eq(last_ticket.sequence, 1);
	cr_assert_str_empty(last.frame);
	cr_assert_str_empty(last.stack);
}

/* Whole lines, youngest first, as many as fit. */
EventTest(a_long_stack_is_cut_between_lines)
{
	char method[200];
	setup_with("Size > 0");
	uint32_t stack = STACK_TABLE_NONE;
	for (uint32_t i = 100; i-- != 0;) {
		memset(method, 'm', sizeof method);
		snprintf(method + 150, sizeof method - 150, "%u", (unsigned)i);
		stack = push(stack, "a.B", method, i + 1, GCS_FRAME_JAVA);
	}
	cr_assert(check(1, stack));
	const size_t length = strlen(last.stack);
	cr_assert_leq(length, GCS_MAX_TEXT);
	cr_assert_geq(length, GCS_MAX_TEXT - 200);
	cr_assert_eq(last.stack[length - 1], ')', "%s", last.stack);
	unsigned lines = 1;
	for (const char *at = last.stack; (at = strchr(at, '\n')) != NULL; at++)
		lines++;
	char end[40];
	snprintf(end, sizeof end, "%u(Some.java:%u)", lines - 1, lines);
	cr_assert_str_eq(last.stack + length - strlen(end), end);
}
