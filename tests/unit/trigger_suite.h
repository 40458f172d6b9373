/* What suites of triggers share: a program with a collection as its event, in one process with a
 * server, and a client. Included by one test file of a program. */
#ifndef GCSPY_TESTS_TRIGGER_SUITE_H
#define GCSPY_TESTS_TRIGGER_SUITE_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/client.h>
#include <gcspy/server.h>

#include "kit.h"

enum { START, FINISH, MALLOC, EVENTS };
enum { KIND, PAUSE, USED_BEFORE, USED, CAUSE, NOTE, FREE_RUNS, ATTRIBUTES };

static const char *const kinds[] = {"Young", "Mixed", "Full", "Concurrent start and mark"};
static const char *const run_parameters[] = {"least", "most"};

static const struct gcs_attribute finish_attributes[ATTRIBUTES] = {
    [KIND] = {.name = "Kind", .kind = GCS_ATTRIBUTE_ENUM, .enum_count = 4, .enum_names = kinds},
    [PAUSE] = {.name = "Pause", .format = GCS_NANOSECONDS},
    [USED_BEFORE] = {.name = "Used before", .format = GCS_BYTES},
    [USED] = {.name = "Used", .format = GCS_BYTES},
    [CAUSE] = {.name = "Cause", .kind = GCS_ATTRIBUTE_TEXT},
    [NOTE] = {.name = "Note", .kind = GCS_ATTRIBUTE_TEXT},
    [FREE_RUNS] = {.name = "Free runs", .parameter_count = 2, .parameter_names = run_parameters},
};

static const struct gcs_attribute malloc_attributes[] = {
    {.name = "Size", .format = GCS_BYTES}, {.name = "Kind", .format = GCS_DECIMAL}};

static const struct gcs_event gc_events[EVENTS] = {
    [START] = {.name = "GC start", .attribute_count = 1, .attributes = &finish_attributes[KIND]},
    [FINISH] = {.name = "GC finish",
	.attribute_count = ATTRIBUTES,
	.attributes = finish_attributes},
    [MALLOC] = {.name = "malloc", .attribute_count = 2, .attributes = malloc_attributes},
};

#endif
