#include "clock.h"

#include <pthread.h>

#include <gcspy/memory.h>

#include "now.h"
#include "service_thread.h"
#include "thread.h"

struct clock {
	struct service_thread thread;
	pthread_mutex_t lock; /* held for a few instructions only */
	pthread_cond_t changed;
	bool ending;
	bool wanted;        /* a client is attached */
	uint32_t period_ms; /* 0: no ticks */
	uint32_t changes;   /* of the period */
	void (*tick)(void *context);
	void *context;
};

static bool ticks(const struct clock *c)
{
	return c->wanted && c->period_ms != 0 && !c->ending;
}

/* Waits for the next tick; false if the clock was stopped, or its period set, meanwhile. Skips ticks
 * that are already past. */
static bool wait_for_tick(struct clock *c, uint64_t *next)
{
	const uint64_t now = now_ns();
	const uint32_t changes = c->changes;
	*next += (uint64_t)c->period_ms * 1000000u;
	if (*next < now)
		*next = now;
	while (ticks(c) && c->changes == changes && thread_cond_until(&c->changed, &c->lock, *next))
		continue;
	return ticks(c) && c->changes == changes;
}

static void run(void *context)
{
	struct clock *c = context;
	pthread_mutex_lock(&c->lock);
	while (!c->ending) {
		if (!ticks(c)) {
			pthread_cond_wait(&c->changed, &c->lock);
			continue;
		}
		uint64_t next = now_ns();
		while (wait_for_tick(c, &next)) {
			pthread_mutex_unlock(&c->lock);
			c->tick(c->context);
			pthread_mutex_lock(&c->lock);
		}
	}
	pthread_mutex_unlock(&c->lock);
}

struct clock *clock_create(uint32_t period_ms, void (*tick)(void *context), void *context)
{
	struct clock *c = gcs_zalloc(sizeof *c);
	if (c == NULL)
		return NULL;
	c->period_ms = period_ms;
	c->tick = tick;
	c->context = context;
	if (pthread_mutex_init(&c->lock, NULL) != 0)
		goto no_lock;
	if (!thread_cond_init(&c->changed))
		goto no_condition;
	if (!service_thread_start(&c->thread, "gcspy-clock", run, c))
		goto no_thread;
	return c;
no_thread:
	pthread_cond_destroy(&c->changed);
no_condition:
	pthread_mutex_destroy(&c->lock);
no_lock:
	gcs_free(c);
	return NULL;
}

bool clock_end(struct clock *c, uint64_t deadline_ns)
{
	if (c == NULL)
		return true;
	pthread_mutex_lock(&c->lock);
	c->ending = true;
	pthread_cond_signal(&c->changed);
	pthread_mutex_unlock(&c->lock);
	return service_thread_join(&c->thread, deadline_ns);
}

void clock_destroy(struct clock *c)
{
	if (c == NULL)
		return;
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	gcs_free(c);
}

void clock_run(struct clock *c, bool run_now)
{
	if (c == NULL)
		return;
	pthread_mutex_lock(&c->lock);
	c->wanted = run_now;
	pthread_cond_signal(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

void clock_set_period(struct clock *c, uint32_t period_ms)
{
	pthread_mutex_lock(&c->lock);
	c->period_ms = period_ms;
	c->changes++;
	pthread_cond_signal(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

uint32_t clock_period(struct clock *c)
{
	pthread_mutex_lock(&c->lock);
	const uint32_t period_ms = c->period_ms;
	pthread_mutex_unlock(&c->lock);
	return period_ms;
}
