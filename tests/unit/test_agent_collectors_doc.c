/*
 * docs/collectors.md against what the agent says (H3): each stream's name and description, and why
 * something is derived or not there, stand in the page.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

#include "agent_driver.h"
#include "classes_space.h"
#include "gc_kind.h"
#include "heap_image.h"
#include "memory_kinds.h"
#include "memory_space.h"
#include "tracked_space.h"

static char page[65536];

/* The page, with its line breaks as blanks. */
static void read_page(void)
{
	FILE *file = fopen(GCSPY_SOURCE_DIR "/docs/collectors.md", "r");
	cr_assert_not_null(file);
	size_t length = fread(page, 1, sizeof page - 1, file);
	fclose(file);
	cr_assert_lt(length, sizeof page - 1);
	page[length] = '\0';
	for (size_t i = 0; i < length; i++)
		page[i] = page[i] == '\n' ? ' ' : page[i];
	/* A line break in a list is followed by an indent. */
	for (char *at = page; (at = strstr(at, "  ")) != NULL;)
		memmove(at, at + 1, strlen(at));
}

static void expect_space(const struct gcs_space *space)
{
	char row[300];
	cr_assert_not_null(strstr(page, space->name), "docs/collectors.md lacks %s", space->name);
	for (uint32_t i = 0; i < space->stream_count; i++) {
		const struct gcs_stream *stream = &space->streams[i];
		if (stream->role != GCS_ROLE_DATA)
			continue;
		snprintf(row, sizeof row, "| %s |", stream->name);
		cr_assert_not_null(strstr(page, row), "docs/collectors.md lacks %s", stream->name);
		cr_assert_not_null(strstr(page, stream->description),
		    "docs/collectors.md lacks what %s of %s is:\n%s", stream->name, space->name,
		    stream->description);
	}
}

static void expect_reason(enum vm_capability capability)
{
	char reason[300];
	const char *why = vm_why(vm, capability), *release = strstr(why, ".0.99+1");
	if (release == NULL)
		snprintf(reason, sizeof reason, "%s", why);
	else /* "HotSpot 25.0.99+1" is "HotSpot 25" in the page */
		snprintf(reason, sizeof reason, "%.*s%s", (int)(release - why), why,
		    release + strlen(".0.99+1"));
	cr_assert_not_null(strstr(page, reason), "docs/collectors.md lacks:\n%s", reason);
}

static void expect_driver(enum vm_capability first, enum vm_capability last)
{
	open_driver((struct heap_limits){.max_tiles = 8192});
	struct gcs_snapshot *s = gcs_server_begin(server, &ticket);
	const struct gcs_model *m = gcs_snapshot_model(s);
	for (uint32_t i = 0; i < m->space_count; i++)
		expect_space(&m->spaces[i]);
	for (int i = first; i <= (int)last; i++)
		if (vm_support(vm, (enum vm_capability)i) != VM_EXPORTED)
			expect_reason((enum vm_capability)i);
	gcs_snapshot_unref(s);
	close_driver();
}

Test(agent_collectors_doc, has_the_words_of_each_driver)
{
	static const int jdks[] = {17, 25};
	read_page();
	world_build_serial();
	expect_driver(VM_GENERATION_SPACES, VM_GENERATION_RANGES);
	world_build_g1();
	expect_driver(VM_G1_REGIONS, VM_G1_PARSABLE);
	world_build_epsilon();
	expect_driver(VM_EPSILON_SPACE, VM_EPSILON_SPACE);
	for (size_t i = 0; i < 2; i++) {
		world_build_z(jdks[i]);
		expect_driver(VM_Z_PAGES, VM_Z_TOTALS);
		world_build_shenandoah(jdks[i]);
		expect_driver(VM_SHENANDOAH_REGIONS, VM_SHENANDOAH_MARKS);
		world_build_shenandoah(jdks[i]);
		world_marks.description[4] = 0;
		expect_driver(VM_SHENANDOAH_MARKS, VM_SHENANDOAH_MARKS);
	}
	world_build_shenandoah(25);
	world.shenandoah_mode = "generational";
	expect_driver(VM_SHENANDOAH_MARKS, VM_SHENANDOAH_MARKS);
	world_build_z(25);
	world.z_nodes = 2;
	expect_driver(VM_Z_TOTALS, VM_Z_TOTALS);
}

/* The heavy volume: the streams in each space, the classes, and where it is not available (H5). */
Test(agent_collectors_doc, has_the_words_of_the_heavy_volume)
{
	read_page();
	for (int jdk = 17; jdk <= 25; jdk += 8) {
		world_build_serial();
		world.major = jdk;
		image_build(VM_KLASS_NARROW, 8);
		image_build_cards();
		expect_driver(VM_OBJECTS, VM_OBJECTS);
		world_build_g1();
		world.major = jdk;
		image_build(VM_KLASS_NARROW, 8);
		expect_driver(VM_OBJECTS, VM_OBJECTS);
		world_build_shenandoah(jdk);
		image_build(VM_KLASS_NARROW, 8);
		expect_driver(VM_OBJECTS, VM_OBJECTS);
	}
	world_build_epsilon();
	image_build(VM_KLASS_NARROW, 8);
	expect_driver(VM_OBJECTS, VM_OBJECTS);
	world_build_z(25);
	expect_driver(VM_OBJECTS, VM_OBJECTS);
	world_build_serial();
	open_driver((struct heap_limits){.max_tiles = 64});
	struct classes_space *classes = classes_space_create(NULL);
	cr_assert_eq(classes_space_describe(classes, server, 0, NULL), GCS_OK);
	struct gcs_snapshot *s = gcs_server_begin(server, &ticket);
	expect_space(&gcs_snapshot_model(s)->spaces[classes_space_id(classes)]);
	gcs_snapshot_unref(s);
	gcs_free(classes);
	close_driver();
}

/* The memory of the process: its streams and its kinds (H8). */
Test(agent_collectors_doc, has_the_words_of_the_memory)
{
	read_page();
	world_build_serial();
	open_driver((struct heap_limits){.max_tiles = 64});
	struct memory_space *memory = memory_space_create(vm, NULL);
	struct tracked_space *tracked = tracked_space_create(vm);
	cr_assert_eq(memory_space_describe(memory, server, NULL), GCS_OK);
	cr_assert_eq(
	    tracked_space_describe(tracked, server, memory_space_group(memory), NULL), GCS_OK);
	struct gcs_snapshot *s = gcs_server_begin(server, &ticket);
	expect_space(&gcs_snapshot_model(s)->spaces[memory_space_id(memory)]);
	expect_space(&gcs_snapshot_model(s)->spaces[tracked_space_id(tracked)]);
	gcs_snapshot_unref(s);
	cr_assert(tracked_space_end(tracked, UINT64_MAX));
	tracked_space_destroy(tracked);
	memory_space_destroy(memory);
	close_driver();
	for (int kind = 0; kind < MEMORY_KIND_COUNT; kind++)
		cr_assert_not_null(strstr(page, memory_kind_name((enum memory_kind)kind)),
		    "docs/collectors.md lacks %s", memory_kind_name((enum memory_kind)kind));
}

/* Every kind of pause has its place. */
Test(agent_collectors_doc, has_the_kinds_of_pauses)
{
	read_page();
	for (int i = 1; i < GC_KIND_COUNT; i++) /* not "Pause", which says nothing */
		cr_assert_not_null(strstr(page, gc_kind_names[i]), "docs/collectors.md lacks %s",
		    gc_kind_names[i]);
}
