#include "malloc_blocks.h"

#include <unistd.h>

enum { PAGE = 4096, FLAGS = 7, MAPPED = 2 };

static const uint64_t page_present = UINT64_C(1) << 63;

struct head {
	uint64_t before, size;
};

/* The end of the block that begins at `at`; 0: none does. */
static uint64_t end_of_block(struct malloc_blocks *b, uint64_t at, uint64_t high)
{
	struct head head;
	if (at >= high || b->left == 0)
		return 0;
	b->left--;
	if (!b->read(b->context, &head, at, sizeof head) || head.before != 0 ||
	    (head.size & FLAGS) != MAPPED)
		return 0;
	const uint64_t size = head.size & ~(uint64_t)FLAGS;
	return size != 0 && size % PAGE == 0 && size <= high - at ? at + size : 0;
}

/* The end of the blocks from `at` on; `at` itself without any. */
static uint64_t end_of_blocks(struct malloc_blocks *b, bool first, uint64_t at, uint64_t high)
{
	uint64_t confirmed = at, next;
	while ((next = end_of_block(b, at, high)) != 0) {
		confirmed = first || next == high ? next : at;
		at = next;
	}
	return confirmed;
}

/* Reads the pagemap from `at` on, as far as there is room. */
static bool fill(struct malloc_blocks *b, uint64_t at, uint64_t high)
{
	const uint64_t pages = (high - at) / PAGE, most = sizeof b->entries / sizeof b->entries[0];
	const size_t want = (size_t)(pages < most ? pages : most) * sizeof b->entries[0];
	const ssize_t got =
	    pread(b->pagemap, b->entries, want, (off_t)(at / PAGE * sizeof b->entries[0]));
	b->entries_at = at;
	b->entry_count = got <= 0 ? 0 : (uint32_t)((size_t)got / sizeof b->entries[0]);
	return b->entry_count != 0;
}

/* The first page from `at` on that is present. */
static uint64_t next_present(struct malloc_blocks *b, uint64_t at, uint64_t high)
{
	for (; b->pagemap != -1 && at < high; at += PAGE) {
		uint64_t place = (at - b->entries_at) / PAGE;
		if (at < b->entries_at || place >= b->entry_count) {
			if (!fill(b, at, high))
				break;
			place = 0;
		}
		if ((b->entries[place] & page_present) != 0)
			break;
	}
	return at;
}

bool malloc_blocks_next(
    struct malloc_blocks *b, bool first, uint64_t *low, uint64_t high, uint64_t *end)
{
	for (uint64_t at = *low; at < high && b->left != 0; first = false) {
		*end = end_of_blocks(b, first, at, high);
		*low = at;
		if (*end != at)
			return true;
		at = next_present(b, at + PAGE, high);
	}
	return false;
}
