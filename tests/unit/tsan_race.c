/* A race that the thread sanitizer has to find in Criterion's workers, or it finds none there. */
#include <criterion/criterion.h>
#include <pthread.h>

static int shared;

static void *write_it(void *unused)
{
	(void)unused;
	shared++;
	return NULL;
}

Test(tsan, race)
{
	pthread_t other;
	cr_assert_eq(pthread_create(&other, NULL, write_it, NULL), 0);
	shared++;
	pthread_join(other, NULL);
}
