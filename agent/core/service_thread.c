#include "service_thread.h"

#include <time.h>

#include "now.h"
#include "thread.h"

static void *begin(void *argument)
{
	struct service_thread *t = argument;
	t->run(t->argument);
	pthread_mutex_lock(&t->lock);
	t->ended = true;
	pthread_cond_signal(&t->changed);
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

bool service_thread_start(
    struct service_thread *t, const char *name, void (*run)(void *argument), void *argument)
{
	t->run = run;
	t->argument = argument;
	t->ended = false;
	if (pthread_mutex_init(&t->lock, NULL) != 0)
		return false;
	if (!thread_cond_init(&t->changed))
		goto no_condition;
	if (!thread_start(&t->id, name, begin, t))
		goto no_thread;
	t->started = true;
	return true;
no_thread:
	pthread_cond_destroy(&t->changed);
no_condition:
	pthread_mutex_destroy(&t->lock);
	return false;
}

bool service_thread_join(struct service_thread *t, uint64_t deadline_ns)
{
	if (!t->started)
		return true;
	pthread_mutex_lock(&t->lock);
	while (!t->ended && thread_cond_until(&t->changed, &t->lock, deadline_ns))
		continue;
	const bool ended = t->ended;
	pthread_mutex_unlock(&t->lock);
	if (!ended)
		return false;
	/* It has released the lock, or is about to: the join does not block. */
	pthread_join(t->id, NULL);
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->lock);
	t->started = false;
	return true;
}

void service_thread_sem_wait(sem_t *sem, uint64_t ns)
{
	const uint64_t until = (uint64_t)now_wall_ns() + ns;
	const struct timespec time = {
	    .tv_sec = (time_t)(until / 1000000000u), .tv_nsec = (long)(until % 1000000000u)};
	(void)sem_timedwait(sem, &time);
}
