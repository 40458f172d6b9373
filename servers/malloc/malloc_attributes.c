/* process_vm_readv. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "malloc_attributes.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

#include "dl_spaces.h"
#include "fragmentation.h"
#include "malloc_each.h"
#include "malloc_thread.h"

/* Of all three events; not each server has all of them. A realloc has the old size at the end. */
enum { SIZE, LOCATION, FRAGMENTATION, LARGEST_GAP, WORD, OLD_SIZE, ATTRIBUTES };

static const char *const parameter_names[] = {"most", "window"};
static const char *const address_name[] = {"address"};

/* Which of them is described as which. */
static uint32_t described[OLD_SIZE];

static const struct gcs_attribute all[ATTRIBUTES] = {
    [SIZE] = {.name = "Size", .format = GCS_BYTES},
    [LOCATION] = {.name = "Location", .format = GCS_HEX, .on_demand = true},
    /* ISMM 2006, section 4.4.3: Fragmentation(512, 524288) > 2000. */
    [FRAGMENTATION] = {.name = "Fragmentation",
	.parameter_count = 2,
	.parameter_names = parameter_names},
    [LARGEST_GAP] = {.name = "Largest gap", .format = GCS_BYTES, .on_demand = true},
    /* A watch of a place in memory: change(Word(0x…), 1 events) != 0. */
    [WORD] = {.name = "Word",
	.format = GCS_HEX,
	.parameter_count = 1,
	.parameter_names = address_name},
    [OLD_SIZE] = {.name = "Old size", .format = GCS_BYTES},
};

bool malloc_attributes_add(struct gcs_server *server, bool memory, struct gcs_error *err)
{
	struct gcs_attribute attributes[ATTRIBUTES];
	uint32_t common = 0;
	for (uint32_t i = 0; i < OLD_SIZE; i++)
		if ((i != LARGEST_GAP || dl_inside() != NULL) && (i != WORD || memory)) {
			described[common] = i;
			attributes[common++] = all[i];
		}
	attributes[common] = all[OLD_SIZE];
	const struct gcs_event events[MALLOC_EVENTS] = {
	    [EVENT_MALLOC] = {.name = "malloc",
		.description = "The program has received a block: malloc, calloc, memalign, new …",
		.colour = 0x0072b2,
		.attribute_count = common,
		.attributes = attributes},
	    [EVENT_FREE] = {.name = "free",
		.description = "The program has given a block back",
		.colour = 0xd55e00,
		.attribute_count = common,
		.attributes = attributes},
	    [EVENT_REALLOC] = {.name = "realloc",
		.description = "The size of a block has changed",
		.colour = 0x009e73,
		.attribute_count = common + 1,
		.attributes = attributes}};
	for (int i = 0; i < MALLOC_EVENTS; i++)
		if (gcs_server_add_event(server, &events[i], NULL, err) != GCS_OK)
			return false;
	return true;
}

bool malloc_attribute_parameters(void *context, uint32_t event, uint32_t attribute,
    const int64_t *parameters, char *why, size_t why_bytes)
{
	(void)context;
	(void)event;
	if (attribute >= OLD_SIZE || described[attribute] != FRAGMENTATION ||
	    fragmentation_accepts(parameters))
		return true;
	snprintf(why, why_bytes,
	    "Fragmentation(most, window): most is 0 or more, and window 4096 to 16777216 bytes "
	    "(4 KiB to 16 MiB), not (%" PRId64 ", %" PRId64 ")",
	    parameters[0], parameters[1]);
	return false;
}

/* Through the kernel: what is not mapped is not known, and no fault. */
static bool read_word(uint64_t address, int64_t *value)
{
	const struct iovec from = {
	    .iov_base = (void *)(uintptr_t)address, .iov_len = sizeof *value};
	const struct iovec to = {.iov_base = value, .iov_len = sizeof *value};
	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)sizeof *value;
}

bool malloc_attribute(void *context, const struct gcs_ticket *ticket, uint32_t event,
    uint32_t attribute, const int64_t *parameters, int64_t *value)
{
	const uintptr_t location = malloc_each_location();
	(void)context;
	(void)ticket;
	(void)event;
	if (location == 0 || attribute >= OLD_SIZE)
		return false;
	switch (described[attribute]) {
	case LOCATION:
		*value = (int64_t)location;
		return true;
	case FRAGMENTATION:
		return fragmentation(location, parameters, value);
	case LARGEST_GAP:
		*value = (int64_t)dl_inside()->largest_gap();
		return true;
	case WORD:
		return read_word((uint64_t)parameters[0], value);
	default:
		return false;
	}
}
