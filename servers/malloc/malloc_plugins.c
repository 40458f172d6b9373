/* process_vm_readv. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "malloc_plugins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <gcspy/memory.h>
#include <gcspy/plugin.h>

#include "heap_shadow.h"
#include "malloc_backtrace.h"

enum { MOST_BYTES = 65536, MOST_MARKS = MOST_BYTES / SHADOW_UNIT, MARK_TEXT = 40 };

enum { ADDRESS, LENGTH, PARAMETERS };

static bool with_backtrace, with_memory;

bool malloc_plugins_add(struct gcs_server *server, bool memory, struct gcs_error *err)
{
	static const struct gcs_parameter parameters[PARAMETERS] = {
	    [ADDRESS] = {.name = "address",
		.description = "Where, such as the start of a tile",
		.kind = GCS_PARAMETER_ADDRESS},
	    [LENGTH] = {.name = "length",
		.description = "1 to 65536 bytes",
		.kind = GCS_PARAMETER_LENGTH,
		.initial = "256"}};
	static const struct gcs_plugin backtrace = {.name = "backtrace",
	    .title = "Backtrace",
	    .description = "Where the last event was at which a trigger asked",
	    .kind = GCS_PLUGIN_TABLE};
	static const struct gcs_plugin bytes = {.name = "memory",
	    .title = "Memory",
	    .description = "Bytes of the program's memory, marked with its blocks",
	    .kind = GCS_PLUGIN_BYTES,
	    .parameter_count = PARAMETERS,
	    .parameters = parameters};
	with_backtrace = malloc_backtrace_begin();
	with_memory = memory;
	return (!with_backtrace ||
		   gcs_server_add_plugin(server, &backtrace, NULL, err) == GCS_OK) &&
	       (!with_memory || gcs_server_add_plugin(server, &bytes, NULL, err) == GCS_OK);
}

enum gcs_status malloc_plugins_at_event(void *context, const struct gcs_ticket *ticket,
    const char *plugin, void *buffer, size_t *length)
{
	(void)context;
	(void)ticket;
	return with_backtrace && strcmp(plugin, "backtrace") == 0
		   ? malloc_backtrace_at_event(buffer, length)
		   : GCS_UNSUPPORTED;
}

/* Memory. */

struct answer {
	uint64_t address, length;
	uint32_t count;
	struct gcs_mark marks[MOST_MARKS];
	char texts[MOST_MARKS][MARK_TEXT];
	unsigned char bytes[MOST_BYTES];
};

static void add_mark(void *context, uintptr_t start, uint64_t bytes)
{
	struct answer *a = context;
	const uint64_t offset = start - a->address, rest = a->length - offset;
	if (start < a->address || offset >= a->length || a->count == MOST_MARKS)
		return;
	char *text = a->texts[a->count];
	snprintf(text, MARK_TEXT, "block of %llu bytes", (unsigned long long)bytes);
	a->marks[a->count++] =
	    (struct gcs_mark){.start = offset, .length = bytes < rest ? bytes : rest, .text = text};
}

/* Through the kernel: what is not mapped is an error, and no fault. */
static enum gcs_status answer_memory(struct answer *a, const struct gcs_query *query, void **bytes,
    size_t *length, struct gcs_error *err)
{
	char title[80];
	a->address = strtoull(query->parameters[ADDRESS].value, NULL, 16);
	a->length = strtoull(query->parameters[LENGTH].value, NULL, 10);
	a->count = 0;
	if (a->length == 0 || a->length > MOST_BYTES)
		return gcs_fail(err, GCS_ARGUMENT, "length: 1 to %d bytes", MOST_BYTES);
	const struct iovec from = {.iov_base = (void *)(uintptr_t)a->address, .iov_len = a->length};
	const struct iovec to = {.iov_base = a->bytes, .iov_len = a->length};
	const ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
	if (got <= 0)
		return gcs_fail(err, GCS_ARGUMENT, "the memory at 0x%llx cannot be read",
		    (unsigned long long)a->address);
	a->length = (uint64_t)got;
	shadow_scan(a->address, a->address + a->length, add_mark, a);
	snprintf(title, sizeof title, "%llu bytes at 0x%llx", (unsigned long long)a->length,
	    (unsigned long long)a->address);
	const struct gcs_memory memory = {.title = title,
	    .address = a->address,
	    .length = a->length,
	    .bytes = a->bytes,
	    .mark_count = a->count,
	    .marks = a->marks};
	return gcs_memory_encode(&memory, bytes, length, err);
}

bool malloc_plugins_query(struct gcs_server *server, const struct gcs_query *query)
{
	struct gcs_error err = {.text = ""};
	void *bytes = NULL;
	size_t length = 0;
	enum gcs_status status;
	if (with_backtrace && strcmp(query->topic, "backtrace") == 0) {
		status = malloc_backtrace_answer(&bytes, &length, &err);
	} else if (with_memory && strcmp(query->topic, "memory") == 0) {
		struct answer *a = gcs_alloc(sizeof *a);
		status = a == NULL ? gcs_fail(&err, GCS_NOMEM, "no memory for the answer")
				   : answer_memory(a, query, &bytes, &length, &err);
		gcs_free(a);
	} else {
		return false;
	}
	gcs_server_answer(
	    server, query->ticket, status, status == GCS_OK ? "" : err.text, bytes, length);
	gcs_plugin_free(bytes);
	return true;
}

void malloc_plugins_forget(void)
{
	malloc_backtrace_forget();
}
