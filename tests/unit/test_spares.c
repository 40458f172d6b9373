/* Blocks that readers of traces give back and take again (F22: backwards as fast as forwards). */
#include <criterion/criterion.h>

#include <gcspy/memory.h>

#include "buffer_pool.h"

Test(spares, without_a_reader_nothing_is_kept)
{
	spares_give(gcs_alloc(SPARES_LEAST), SPARES_LEAST);
	cr_assert_null(spares_take(SPARES_LEAST));
}

Test(spares, a_block_comes_back_for_its_own_size_only)
{
	void *block = gcs_alloc(65536), *small = gcs_alloc(64);
	spares_open();
	spares_give(block, 65536);
	spares_give(small, 64);
	cr_assert_null(spares_take(64), "small blocks are not worth it");
	cr_assert_null(spares_take(65536 + 8));
	cr_assert_null(spares_take(65536 - 8));
	cr_assert_eq(spares_take(65536), block);
	cr_assert_null(spares_take(65536), "it was the only one");
	spares_give(block, 65536);
	spares_close();
	cr_assert_null(spares_take(65536));
}

Test(spares, the_last_reader_ends_it)
{
	spares_open();
	spares_open();
	spares_give(gcs_alloc(8192), 8192);
	spares_close();
	void *block = spares_take(8192);
	cr_assert_not_null(block, "another reader is there");
	spares_give(block, 8192);
	spares_close();
	spares_open();
	cr_assert_null(spares_take(8192));
	spares_close();
}

Test(spares, memory_is_bounded)
{
	const size_t bytes = 1 << 20;
	size_t came = 0;
	spares_open();
	for (size_t i = 0; i < 2 * SPARES_MOST / bytes; i++)
		spares_give(gcs_alloc(bytes), bytes);
	for (void *block; (block = spares_take(bytes)) != NULL; came += bytes)
		gcs_free(block);
	cr_assert_eq(came, (size_t)SPARES_MOST);
	spares_close();
}
