#include "worker.h"

#include <stddef.h>
#include <string.h>

static void *work_on(void *context)
{
	struct worker *w = context;
	pthread_mutex_lock(&w->lock);
	for (;;) {
		while (w->next == NULL && !w->ending)
			pthread_cond_wait(&w->changed, &w->lock);
		if (w->ending)
			break;
		struct work *work = w->next;
		w->next = NULL;
		w->running = true;
		pthread_mutex_unlock(&w->lock);
		work->run(work);
		pthread_mutex_lock(&w->lock);
		/* A result that was not taken is outdated. */
		struct work *before = w->done;
		w->done = work;
		w->running = false;
		if (before != NULL)
			before->drop(before);
		if (w->wake != NULL)
			w->wake(w->wake_context);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static bool start(struct worker *w)
{
	if (w->started)
		return true;
	if (pthread_mutex_init(&w->lock, NULL) != 0)
		return false;
	if (pthread_cond_init(&w->changed, NULL) != 0) {
		pthread_mutex_destroy(&w->lock);
		return false;
	}
	w->started = pthread_create(&w->thread, NULL, work_on, w) == 0;
	if (!w->started) {
		pthread_cond_destroy(&w->changed);
		pthread_mutex_destroy(&w->lock);
	}
	return w->started;
}

void worker_give(struct worker *w, struct work *work)
{
	if (!start(w)) {
		work->run(work);
		if (w->done != NULL)
			w->done->drop(w->done);
		w->done = work;
		return;
	}
	pthread_mutex_lock(&w->lock);
	struct work *before = w->next;
	w->next = work;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	if (before != NULL)
		before->drop(before);
}

struct work *worker_take(struct worker *w)
{
	if (w->started)
		pthread_mutex_lock(&w->lock);
	struct work *work = w->done;
	w->done = NULL;
	if (w->started)
		pthread_mutex_unlock(&w->lock);
	return work;
}

void worker_fini(struct worker *w)
{
	if (w->started) {
		pthread_mutex_lock(&w->lock);
		w->ending = true;
		pthread_cond_signal(&w->changed);
		pthread_mutex_unlock(&w->lock);
		pthread_join(w->thread, NULL);
		pthread_cond_destroy(&w->changed);
		pthread_mutex_destroy(&w->lock);
	}
	if (w->next != NULL)
		w->next->drop(w->next);
	if (w->done != NULL)
		w->done->drop(w->done);
	memset(w, 0, sizeof *w);
}
