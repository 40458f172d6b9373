/* Blocks that readers of traces give back and take again (F22: backwards as fast as forwards). */
#include <criterion/criterion.h>

#include <gcspy/memory.h>

#include "buffer_pool.h"

Test(buffer_pool, without_a_reader_nothing_is_kept)
{
	buffer_pool_give(gcs_alloc(BUFFER_POOL_LEAST), BUFFER_POOL_LEAST);
	cr_assert_null(buffer_pool_take(BUFFER_POOL_LEAST));
}

Test(buffer_pool, a_block_comes_back_for_its_own_size_only)
{
	void *block = gcs_alloc(65536), *small = gcs_alloc(64);
	buffer_pool_open();
	buffer_pool_give(block, 65536);
	buffer_pool_give(small, 64);
	cr_assert_null(buffer_pool_take(64), "small blocks are not worth it");
	cr_assert_null(buffer_pool_take(65536 + 8));
	cr_assert_null(buffer_pool_take(65536 - 8));
	cr_assert_eq(buffer_pool_take(65536), block);
	cr_assert_null(buffer_pool_take(65536), "it was the only one");
	buffer_pool_give(block, 65536);
	buffer_pool_close();
	cr_assert_null(buffer_pool_take(65536));
}

Test(buffer_pool, the_last_reader_ends_it)
{
	buffer_pool_open();
	buffer_pool_open();
	buffer_pool_give(gcs_alloc(8192), 8192);
	buffer_pool_close();
	void *block = buffer_pool_take(8192);
	cr_assert_not_null(block, "another reader is there");
	buffer_pool_give(block, 8192);
	buffer_pool_close();
	buffer_pool_open();
	cr_assert_null(buffer_pool_take(8192));
	buffer_pool_close();
}

Test(buffer_pool, memory_is_bounded)
{
	const size_t bytes = 1 << 20;
	size_t came = 0;
	buffer_pool_open();
	for (size_t i = 0; i < 2 * BUFFER_POOL_MOST / bytes; i++)
		buffer_pool_give(gcs_alloc(bytes), bytes);
	for (void *block; (block = buffer_pool_take(bytes)) != NULL; came += bytes)
		gcs_free(block);
	cr_assert_eq(came, (size_t)BUFFER_POOL_MOST);
	buffer_pool_close();
}
