#include "sample_event.h"

#include <stdio.h>
#include <string.h>

#include "sampler_internal.h"

const struct gcs_attribute sample_event_attributes[SAMPLE_EVENT_COUNT] = {
    [SAMPLE_EVENT_CLASS] = {.name = "Class", .kind = GCS_ATTRIBUTE_TEXT},
    [SAMPLE_EVENT_SIZE] = {.name = "Size", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
    [SAMPLE_EVENT_THREAD] = {.name = "Thread", .kind = GCS_ATTRIBUTE_TEXT},
    [SAMPLE_EVENT_FRAME] = {.name = "Frame", .kind = GCS_ATTRIBUTE_TEXT},
    [SAMPLE_EVENT_STACK] = {.name = "Stack", .kind = GCS_ATTRIBUTE_TEXT},
};

static bool is_jdk(const char *class_name)
{
	static const char *const packages[] = {"java.", "javax.", "jdk.", "sun.", "com.sun."};
	for (size_t i = 0; i < sizeof packages / sizeof packages[0]; i++)
		if (strncmp(class_name, packages[i], strlen(packages[i])) == 0)
			return true;
	return false;
}

static size_t write_frame(
    const struct stack_table *d, const struct stack_table_frame *f, char *text, size_t size)
{
	const char *file = stack_table_name(d, f->file), *method = stack_table_name(d, f->method);
	const char *class_name = stack_table_name(d, f->class_name);
	const char *dot = class_name[0] == '\0' ? "" : ".";
	int n;
	if (file[0] != '\0' && f->line != 0)
		n = snprintf(text, size, "%s%s%s(%s:%u)", class_name, dot, method, file, f->line);
	else
		n = snprintf(text, size, "%s%s%s", class_name, dot, method);
	return n < 0 ? 0 : (size_t)n;
}

/* The first Java frame of the program's own code; "" if there is none. */
static void write_first(const struct stack_table *d, uint32_t stack, struct sampled_allocation *a)
{
	a->frame[0] = '\0';
	for (; stack != STACK_TABLE_NONE; stack = stack_table_stack(d, stack).parent) {
		const struct stack_table_frame *f =
		    stack_table_frame(d, stack_table_stack(d, stack).frame);
		if ((f->kind == GCS_FRAME_JAVA || f->kind == GCS_FRAME_NATIVE_METHOD) &&
		    !is_jdk(stack_table_name(d, f->class_name))) {
			write_frame(d, f, a->frame, sizeof a->frame);
			return;
		}
	}
}

/* Whole lines, as many as fit. */
static void write_stack(const struct stack_table *d, uint32_t stack, struct sampled_allocation *a)
{
	size_t length = 0;
	for (; stack != STACK_TABLE_NONE; stack = stack_table_stack(d, stack).parent) {
		const struct stack_table_frame *f =
		    stack_table_frame(d, stack_table_stack(d, stack).frame);
		const size_t begin = length == 0 ? 0 : length + 1;
		if (begin >= sizeof a->stack)
			break;
		const size_t bytes = write_frame(d, f, a->stack + begin, sizeof a->stack - begin);
		if (bytes >= sizeof a->stack - begin)
			break;
		if (length != 0)
			a->stack[length] = '\n';
		length = begin + bytes;
	}
	a->stack[length] = '\0';
}

static bool wants(const struct sampler *s, uint32_t attribute)
{
	return gcs_server_interested(s->parts.server, s->parts.event, attribute);
}

static bool check(struct sampler *s, struct gcs_ticket *ticket, const struct sampled_allocation *a)
{
	int64_t numbers[SAMPLE_EVENT_COUNT] = {[SAMPLE_EVENT_SIZE] = (int64_t)a->size};
	const char *const texts[SAMPLE_EVENT_COUNT] = {
	    [SAMPLE_EVENT_CLASS] = a->class_name,
	    [SAMPLE_EVENT_THREAD] = a->thread,
	    [SAMPLE_EVENT_FRAME] = a->frame,
	    [SAMPLE_EVENT_STACK] = a->stack,
	};
	struct gcs_values values = {
	    .known = 1u << SAMPLE_EVENT_SIZE, .numbers = numbers, .texts = texts};
	for (uint32_t i = 0; i < SAMPLE_EVENT_COUNT; i++)
		if (texts[i] != NULL && texts[i][0] != '\0')
			values.known |= UINT64_C(1) << i;
	return gcs_server_check(s->parts.server, ticket, &values);
}

/* Without gcs_server_enter: no client gets a sample that no trigger has fired at, and it has no place in
 * the order of events. */
bool sample_event_check(struct sampler *s, const struct stack_table *d, const struct sample *sample,
    struct gcs_ticket *ticket)
{
	struct sampled_allocation a = {.size = sample->size};
	sampler_fired *fired = atomic_load(&s->on_fired);
	*ticket = (struct gcs_ticket){.event = s->parts.event};
	ticket->count = atomic_fetch_add(&s->events, 1) + 1;
	if (fired == NULL)
		return false;
	snprintf(a.class_name, sizeof a.class_name, "%s", stack_table_name(d, sample->class_name));
	snprintf(a.thread, sizeof a.thread, "%s", stack_table_name(d, sample->thread));
	const bool frame = wants(s, SAMPLE_EVENT_FRAME), stack = wants(s, SAMPLE_EVENT_STACK);
	if (frame)
		write_first(d, sample->stack, &a);
	if (stack)
		write_stack(d, sample->stack, &a);
	if (!check(s, ticket, &a))
		return false;
	if (!frame)
		write_first(d, sample->stack, &a);
	if (!stack)
		write_stack(d, sample->stack, &a);
	fired(s->fired_context, ticket, &a);
	return true;
}

void sample_event_set(struct gcs_snapshot *s, const struct sampled_allocation *a)
{
	gcs_snapshot_set_number(s, SAMPLE_EVENT_SIZE, (int64_t)a->size);
	gcs_snapshot_set_text(s, SAMPLE_EVENT_CLASS, a->class_name);
	gcs_snapshot_set_text(s, SAMPLE_EVENT_THREAD, a->thread);
	if (a->frame[0] != '\0')
		gcs_snapshot_set_text(s, SAMPLE_EVENT_FRAME, a->frame);
	if (a->stack[0] != '\0')
		gcs_snapshot_set_text(s, SAMPLE_EVENT_STACK, a->stack);
}
