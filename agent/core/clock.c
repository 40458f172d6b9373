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
	bool wanted;        /* somebody is there */
	uint32_t period_ms; /* 0: no strikes */
	uint32_t changes;   /* of the period */
	void (*strike)(void *context);
	void *context;
};

static bool strikes(const struct clock *c)
{
	return c->wanted && c->period_ms != 0 && !c->ending;
}

/* Waits for the next strike; false if the clock was stopped, or set, meanwhile. A strike that came
 * too late is left out. */
static bool wait_for_strike(struct clock *c, uint64_t *next)
{
	const uint64_t now = now_ns();
	const uint32_t changes = c->changes;
	*next += (uint64_t)c->period_ms * 1000000u;
	if (*next < now)
		*next = now;
	while (
	    strikes(c) && c->changes == changes && thread_cond_until(&c->changed, &c->lock, *next))
		continue;
	return strikes(c) && c->changes == changes;
}

static void run(void *context)
{
	struct clock *c = context;
	pthread_mutex_lock(&c->lock);
	while (!c->ending) {
		if (!strikes(c)) {
			pthread_cond_wait(&c->changed, &c->lock);
			continue;
		}
		uint64_t next = now_ns();
		while (wait_for_strike(c, &next)) {
			pthread_mutex_unlock(&c->lock);
			c->strike(c->context);
			pthread_mutex_lock(&c->lock);
		}
	}
	pthread_mutex_unlock(&c->lock);
}

struct clock *clock_create(uint32_t period_ms, void (*strike)(void *context), void *context)
{
	struct clock *c = gcs_zalloc(sizeof *c);
	if (c == NULL)
		return NULL;
	c->period_ms = period_ms;
	c->strike = strike;
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
