/* The kinds of memory: mappings as the kernel prints them, and how they are divided among ranges. */
#define _DEFAULT_SOURCE /* madvise: NOLINT(bugprone-reserved-identifier) */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gcspy/memory.h>

#include "malloc_blocks.h"
#include "memory_kinds.h"

enum { K = 1024, PAGE = 4 * K };

/* Two lines of each mapping's figures are those of the kernel's that do not matter here. */
#define FIGURES(rss, pss, dirty, swap)                                                             \
	"Size:                123 kB\nRss:                 " #rss " kB\nPss:   " #pss              \
	" kB\nPss_Dirty:    77 kB\nPrivate_Dirty:   " #dirty " kB\nSwap:   " #swap                 \
	" kB\nSwapPss:   9 kB\nVmFlags: rd wr\n"

static const char text[] = "00010000-00012000 r-xp 00000000 fe:00 1   /usr/bin/java\n" FIGURES(
    8, 2, 0, 0) "00020000-00030000 rw-p 00001000 fe:00 2   /lib/libjvm.so\n" FIGURES(64, 64, 60,
    0) "00030000-00034000 rw-p 00000000 00:00 0 \n" FIGURES(16, 16, 16,
    0) "00100000-00140000 rw-p 00000000 00:00 0 \n" FIGURES(128, 64, 32,
    16) "00140000-00180000 ---p 00000000 00:00 0 \n" FIGURES(0, 0, 0,
    0) "00200000-00210000 rw-p 00000000 00:00 0   [heap]\n" FIGURES(12, 12, 12,
    0) "00300000-00310000 rw-p 00000000 00:00 0 \n" FIGURES(20, 20, 20,
    0) "00400000-00410000 r--s 00000000 fe:00 3   /opt/with blank.jar (deleted)\n" FIGURES(4, 1, 0,
    0) "00500000-00510000 rw-s 00000000 00:01 4   /memfd:java_heap (deleted)\n" FIGURES(40, 20, 0,
    0) "00510000-00590000 ---p 00000000 00:00 0 \n" FIGURES(0, 0, 0,
    0) "00600000-00610000 rw-p 00000000 fe:00 5   /jdk/classes.jsa\n" FIGURES(32, 32, 8,
    0) "00700000-00710000 rw-p 00000000 00:00 0 \n" FIGURES(24, 24, 24,
    0) "00800000-00810000 rw-p 00000000 00:00 0   [stack]\n" FIGURES(44, 44, 44, 0);

static struct smaps parse(const char *of)
{
	struct smaps smaps = {.mappings = NULL};
	FILE *file = fmemopen((void *)of, strlen(of), "r");
	cr_assert(smaps_parse(&smaps, file, "/usr/bin/java"));
	(void)fclose(file);
	return smaps;
}

/* Of a range's pages the first half is resident, the last one swapped. */
static bool half(void *context, uint64_t low, uint64_t high, uint64_t *resident, uint64_t *swapped)
{
	int *calls = context;
	++*calls;
	*resident = (high - low) / 2;
	*swapped = PAGE;
	return true;
}

struct world {
	struct smaps smaps;
	struct memory_ranges ranges;
	uint64_t figures[MEMORY_KIND_COUNT][SMAPS_FIGURE_COUNT];
	int calls;
};

static void sum(struct world *w, memory_pages_fn *pages)
{
	static const uint64_t stacks[] = {0x708000, 0x110000};
	memory_ranges_sort(&w->ranges);
	memory_kinds_sum(&w->smaps, &w->ranges, stacks, 2, pages, &w->calls, w->figures);
}

static void end(struct world *w)
{
	smaps_free(&w->smaps);
	gcs_free(w->ranges.items);
}

/* Whatever the ranges, each figure's sum is that of the file. */
static void check_sums(const struct world *w)
{
	for (int i = 0; i < SMAPS_FIGURE_COUNT; i++) {
		uint64_t kinds = 0, mappings = 0;
		for (int k = 0; k < MEMORY_KIND_COUNT; k++)
			kinds += w->figures[k][i];
		for (uint32_t m = 0; m < w->smaps.count; m++)
			mappings += w->smaps.mappings[m].figures[i];
		cr_assert_eq(kinds, mappings, "figure %d", i);
	}
}

static uint64_t kib(const struct world *w, enum memory_kind kind, enum smaps_figure figure)
{
	return w->figures[kind][figure] / K;
}

Test(agent_memory, mappings_are_of_the_kind_that_their_names_say)
{
	struct world w = {.smaps = parse(text)};
	cr_assert_eq(w.smaps.count, 13);
	memory_ranges_add(&w.ranges, 0x100000, 0x140000, MEMORY_METASPACE);
	sum(&w, half);
	check_sums(&w);
	cr_assert_eq(w.calls, 0, "no mapping is divided");
	cr_assert_eq(kib(&w, MEMORY_LIBRARIES, SMAPS_RESIDENT), 8 + 64 + 16, "with their zeros");
	cr_assert_eq(kib(&w, MEMORY_LIBRARIES, SMAPS_PROPORTIONAL), 2 + 64 + 16);
	cr_assert_eq(kib(&w, MEMORY_METASPACE, SMAPS_RESIDENT), 128);
	cr_assert_eq(kib(&w, MEMORY_METASPACE, SMAPS_DIRTY), 32);
	cr_assert_eq(kib(&w, MEMORY_METASPACE, SMAPS_SWAPPED), 16);
	cr_assert_eq(kib(&w, MEMORY_METASPACE, SMAPS_RESERVED), 512, "and the room after it");
	cr_assert_eq(kib(&w, MEMORY_MALLOC, SMAPS_RESIDENT), 12);
	cr_assert_eq(kib(&w, MEMORY_OTHER, SMAPS_RESIDENT), 20);
	cr_assert_eq(kib(&w, MEMORY_FILES, SMAPS_RESIDENT), 4);
	cr_assert_eq(kib(&w, MEMORY_JAVA_HEAP, SMAPS_RESIDENT), 40);
	cr_assert_eq(kib(&w, MEMORY_JAVA_HEAP, SMAPS_RESERVED), 64 + 512);
	cr_assert_eq(kib(&w, MEMORY_ARCHIVE, SMAPS_DIRTY), 8);
	cr_assert_eq(kib(&w, MEMORY_OTHER_STACKS, SMAPS_RESIDENT), 24 + 44, "by its stack pointer");
	end(&w);
}

Test(agent_memory, a_mapping_is_divided_among_ranges_by_page)
{
	struct world w = {.smaps = parse(text)};
	memory_ranges_add(&w.ranges, 0x120000, 0x130000, MEMORY_CODE);
	memory_ranges_add(
	    &w.ranges, 0x128000, 0x138000, MEMORY_CARDS); /* its lower half is taken */
	sum(&w, half);
	check_sums(&w);
	cr_assert_eq(w.calls, 3, "the rest is what is left");
	cr_assert_eq(kib(&w, MEMORY_CODE, SMAPS_RESIDENT), 32);
	cr_assert_eq(kib(&w, MEMORY_CODE, SMAPS_SWAPPED), 4);
	cr_assert_eq(kib(&w, MEMORY_CODE, SMAPS_RESERVED), 64);
	cr_assert_eq(kib(&w, MEMORY_CARDS, SMAPS_RESERVED), 32);
	cr_assert_eq(kib(&w, MEMORY_CARDS, SMAPS_RESIDENT), 16);
	/* The stack pointer at 0x110000 is in no range, so that the rest is a stack. */
	cr_assert_eq(kib(&w, MEMORY_OTHER_STACKS, SMAPS_RESIDENT), 128 - 32 - 16 + 24 + 44);
	cr_assert_null(memory_ranges_find(&w.ranges, 0x138000));
	cr_assert_eq(memory_ranges_find(&w.ranges, 0x130000)->kind, MEMORY_CARDS);
	end(&w);
}

Test(agent_memory, without_pages_it_is_divided_by_size)
{
	struct world w = {.smaps = parse(text)};
	memory_ranges_add(&w.ranges, 0x130000, 0x140000, MEMORY_JAVA_STACKS);
	sum(&w, NULL);
	check_sums(&w);
	cr_assert_eq(kib(&w, MEMORY_JAVA_STACKS, SMAPS_RESIDENT), 32, "a quarter of 128");
	cr_assert_eq(kib(&w, MEMORY_JAVA_STACKS, SMAPS_PROPORTIONAL), 16);
	end(&w);
}

Test(agent_memory, a_file_within_the_heap_is_of_the_heap)
{
	struct world w = {.smaps = parse(text)};
	memory_ranges_add(&w.ranges, 0x600000, 0x610000, MEMORY_JAVA_HEAP);
	memory_ranges_add(&w.ranges, 0x20000, 0x28000, MEMORY_CODE); /* a library stays one */
	sum(&w, half);
	check_sums(&w);
	cr_assert_eq(kib(&w, MEMORY_JAVA_HEAP, SMAPS_RESIDENT), 40 + 32);
	cr_assert_eq(kib(&w, MEMORY_ARCHIVE, SMAPS_RESERVED), 0);
	cr_assert_eq(kib(&w, MEMORY_CODE, SMAPS_RESERVED), 0);
	end(&w);
}

/* Between two reads of the kernel's list an arena has grown, so that it comes again, and a mapping has taken
 * the upper half of the one that was read before. */
Test(agent_memory, what_changes_while_it_is_read_is_there_once)
{
	static const char torn[] = "00010000-00020000 rw-p 00000000 00:00 0 \n" FIGURES(
	    64, 64, 64, 0) "00100000-00110000 rw-p 00000000 00:00 0 \n" FIGURES(64, 32, 64,
	    0) "00100000-00140000 rw-p 00000000 00:00 0 \n" FIGURES(256, 256, 256,
	    0) "00140000-00180000 ---p 00000000 00:00 0 \n" FIGURES(0, 0, 0,
	    0) "00200000-00240000 rw-p 00000000 00:00 0 \n" FIGURES(128, 128, 64,
	    32) "00220000-00280000 r--p 00000000 00:00 0 \n" FIGURES(8, 8, 8, 0);
	static const uint64_t starts[] = {0x10000, 0x100000, 0x140000, 0x200000, 0x220000};
	static const uint64_t resident[] = {64, 256, 0, 64, 8};
	struct world w = {.smaps = parse(torn)};
	cr_assert_eq(w.smaps.count, 5);
	for (uint32_t i = 0; i < 5; i++) {
		const struct smaps_mapping *m = &w.smaps.mappings[i];
		cr_assert_eq(m->start, starts[i]);
		cr_assert_eq(m->figures[SMAPS_RESERVED], m->end - m->start);
		cr_assert_eq(m->figures[SMAPS_RESIDENT], resident[i] * K);
		cr_assert(i == 0 || w.smaps.mappings[i - 1].end <= m->start);
	}
	cr_assert_eq(w.smaps.mappings[3].figures[SMAPS_SWAPPED], 16 * K);
	sum(&w, half);
	check_sums(&w);
	end(&w);
}

Test(agent_memory, what_is_no_list_of_mappings_is_refused)
{
	struct smaps smaps = {.mappings = NULL};
	static const char *const bad[] = {"Rss: 5 kB\n", "nothing\n", "20-10 rw-p 0 0 0 \n", "\n"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		FILE *file = fmemopen((void *)bad[i], strlen(bad[i]), "r");
		cr_assert_not(smaps_parse(&smaps, file, ""), "%s", bad[i]);
		(void)fclose(file);
	}
	smaps_free(&smaps);
}

/* The array's pages, in the way in which the kernel tells. */
Test(agent_memory, pages_of_this_process_are_counted)
{
	static char array[64 * PAGE] __attribute__((aligned(64 * PAGE)));
	FILE *file = fopen("/proc/self/pagemap", "re");
	uint64_t resident, swapped, before;
	cr_assert_not_null(file);
	int fd = fileno(file);
	const uint64_t low = (uint64_t)(uintptr_t)array;
	cr_assert(memory_pages(&fd, low, low + sizeof array, &before, &swapped));
	for (size_t i = 0; i < 32; i++)
		((volatile char *)array)[i * PAGE] = 1;
	cr_assert(memory_pages(&fd, low, low + sizeof array, &resident, &swapped));
	cr_assert_leq(before, 4 * PAGE, "hardly any before");
	cr_assert_geq(resident + swapped, 32 * PAGE);
	(void)fclose(file);
}

/* This process' own memory, written as glibc does. */
static bool read_own(const void *context, void *to, uint64_t from, size_t bytes)
{
	(void)context;
	memcpy(to, (const void *)(uintptr_t)from, bytes);
	return true;
}

static uint64_t put_block(uint64_t at, uint64_t before, uint64_t size)
{
	const uint64_t head[2] = {before, size | 2};
	memcpy((void *)(uintptr_t)at, head, sizeof head);
	return at + size;
}

Test(agent_memory, blocks_of_malloc_are_found_behind_what_the_kernel_has_joined)
{
	enum { PAGES = 2000 };
	char *area =
	    mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(area, MAP_FAILED);
	(void)madvise(area, PAGES * PAGE, MADV_NOHUGEPAGE);
	const uint64_t start = (uint64_t)(uintptr_t)area, end = start + PAGES * PAGE;
	struct malloc_blocks b = {
	    .read = read_own, .pagemap = open("/proc/self/pagemap", O_RDONLY), .left = PAGES};
	uint64_t low = start, found;
	cr_assert_not(malloc_blocks_next(&b, true, &low, end, &found), "nothing is there");
	/* One at the beginning; memory of others; a header without a follower; two of which no more follows;
	 * memory of others, with what is nearly a header; three at the end. */
	const uint64_t first = put_block(start, 0, 5 * PAGE);
	memset(area + 5 * PAGE, 1, 700 * PAGE);
	put_block(start + 710 * PAGE, 0, 3 * PAGE);
	put_block(start + 720 * PAGE, 0, 3 * PAGE);
	put_block(start + 723 * PAGE, 0, 2 * PAGE);
	put_block(start + 800 * PAGE, 16, 1200 * PAGE);
	put_block(start + 801 * PAGE, 0, 1199 * PAGE + 16);
	put_block(start + 802 * PAGE, 0, 1199 * PAGE);
	const uint64_t behind = start + 1500 * PAGE;
	(void)put_block(put_block(put_block(behind, 0, 257 * PAGE), 0, 20 * PAGE), 0, 223 * PAGE);
	const uint64_t expected[][2] = {
	    {start, first}, {start + 720 * PAGE, start + 723 * PAGE}, {behind, end}};
	b.left = PAGES;
	low = start;
	for (int i = 0; i < 3; i++, low = found) {
		b.entry_count = 0;
		cr_assert(malloc_blocks_next(&b, low == start, &low, end, &found), "%d", i);
		cr_assert_eq(low, expected[i][0], "%d: page %d", i, (int)((low - start) / PAGE));
		cr_assert_eq(found, expected[i][1], "%d", i);
	}
	cr_assert_not(malloc_blocks_next(&b, false, &low, end, &found));
	if (b.pagemap != -1)
		cr_assert_gt(b.left, PAGES / 2, "absent pages are not read");
	b.left = 10;
	low = first;
	cr_assert_not(malloc_blocks_next(&b, false, &low, end, &found), "no more than it may read");
	close(b.pagemap);
	munmap(area, PAGES * PAGE);
}

Test(agent_memory, where_the_next_range_begins)
{
	struct memory_ranges r = {0};
	memory_ranges_add(&r, 0x3000, 0x4000, MEMORY_CODE);
	memory_ranges_add(&r, 0x1000, 0x2000, MEMORY_CARDS);
	memory_ranges_sort(&r);
	cr_assert_eq(memory_ranges_begin(&r, 0, 0x9000), 0x1000);
	cr_assert_eq(memory_ranges_begin(&r, 0x1000, 0x9000), 0x3000);
	cr_assert_eq(memory_ranges_begin(&r, 0x2000, 0x2800), 0x2800);
	cr_assert_eq(memory_ranges_begin(&r, 0x3fff, 0x9000), 0x9000);
	gcs_free(r.items);
}
