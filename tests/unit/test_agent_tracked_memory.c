/* The JVM's account of its memory (M4): what JDK 17 and 25 write, and what is damaged. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tracked_memory.h"

static const char jdk_17[] =
    "4711:\n\nNative Memory Tracking:\n\n"
    "Total: reserved=1540922742, committed=130956662\n"
    "       malloc: 6528374 #3784\n"
    "       mmap:   reserved=1534394368, committed=124428288\n\n"
    "-                 Java Heap (reserved=67108864, committed=67108864)\n"
    "                            (mmap: reserved=67108864, committed=67108864) \n \n"
    "-                    Thread (reserved=19974504, committed=862568)\n"
    "                            (thread #19)\n"
    "                            (stack: reserved=19922944, committed=811008)\n"
    "                            (malloc=30728 #118) (peak=39112 #122) \n"
    "                            (arena=20832 #36) (peak=52360 #34)\n \n"
    "-                 Metaspace (reserved=67118944, committed=206688)\n"
    "                            (malloc=10080 #7) (at peak) \n"
    "                            (mmap: reserved=67108864, committed=196608) \n"
    "                            (  Metadata:   )\n"
    "                            (    reserved=67108864, committed=196608)\n";

static const char jdk_25[] =
    "4711:\n\nNative Memory Tracking:\n\n"
    "Total: reserved=1539695001, committed=132714905\n"
    "       malloc: 7524761 #4942, peak=7435810 #4944\n"
    "       mmap:   reserved=1532170240, committed=125190144\n\n"
    "-        Shared class space (reserved=16777312, committed=14241888, readonly=0)\n"
    "                            (malloc=96 tag=Shared class space #2) (at peak)\n"
    "                            (mmap: reserved=16777216, committed=14241792, peak=14454784)\n";

static void check(const struct tracked_category *c, const char *name, uint64_t committed,
    uint64_t reserved, uint64_t allocated, uint64_t blocks, uint64_t mapped)
{
	cr_assert_str_eq(c->name, name);
	cr_assert_eq(c->committed, committed, "%s", name);
	cr_assert_eq(c->reserved, reserved, "%s", name);
	cr_assert_eq(c->allocated, allocated, "%s", name);
	cr_assert_eq(c->blocks, blocks, "%s", name);
	cr_assert_eq(c->mapped, mapped, "%s", name);
}

Test(tracked_memory, reads_what_jdk_17_writes)
{
	struct tracked_category c[TRACKED_MOST];
	cr_assert_eq(tracked_memory_parse(jdk_17, c), 4);
	check(&c[0], "Total", 130956662, 1540922742, 6528374, 3784, 124428288);
	check(&c[1], "Java Heap", 67108864, 67108864, 0, 0, 67108864);
	check(&c[2], "Thread", 862568, 19974504, 30728 + 20832, 118, 811008);
	check(&c[3], "Metaspace", 206688, 67118944, 10080, 7, 196608);
	for (int i = 1; i < 4; i++)
		cr_assert_eq(c[i].committed, c[i].allocated + c[i].mapped, "%s", c[i].name);
}

Test(tracked_memory, reads_what_jdk_25_writes)
{
	struct tracked_category c[TRACKED_MOST];
	cr_assert_eq(tracked_memory_parse(jdk_25, c), 2);
	check(&c[0], "Total", 132714905, 1539695001, 7524761, 4942, 125190144);
	check(&c[1], "Shared class space", 14241888, 16777312, 96, 2, 14241792);
}

Test(tracked_memory, takes_nothing_else_for_an_account)
{
	struct tracked_category c[TRACKED_MOST];
	cr_assert_eq(tracked_memory_parse("", c), 0);
	cr_assert_eq(tracked_memory_parse("4711:\nNative memory tracking is not enabled\n", c), 0);
	cr_assert_eq(tracked_memory_parse("- GC (reserved=1, committed=1)\n", c), 0, "no total");
}

/* Each beginning in a block of its own, so that the sanitizer sees a read after it. */
Test(tracked_memory, reads_no_further_than_the_text)
{
	struct tracked_category c[TRACKED_MOST];
	for (size_t length = 0; length <= strlen(jdk_17); length++) {
		char *text = malloc(length + 1);
		cr_assert_not_null(text);
		memcpy(text, jdk_17, length);
		text[length] = '\0';
		cr_assert_leq(tracked_memory_parse(text, c), 4);
		free(text);
	}
}

Test(tracked_memory, has_a_limit_of_categories)
{
	enum { EACH = 40, MANY = 3 * TRACKED_MOST };
	static char text[64 + MANY * EACH];
	struct tracked_category c[TRACKED_MOST];
	strcpy(text, "Total: reserved=1, committed=1\n");
	for (int i = 0; i < MANY; i++)
		strcat(text, "- GC (reserved=1, committed=1)\n");
	cr_assert_eq(tracked_memory_parse(text, c), TRACKED_MOST);
}
