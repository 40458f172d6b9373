/* Takes samples, in the program's threads. */
#include "native_sites.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "heap_shadow.h"
#include "native_modules.h"
#include "own_memory.h"
#include "native_sites_internal.h"
#include "own_stack.h"

_Thread_local struct sites_thread sites_self __attribute__((tls_model("initial-exec")));

struct sites sites;
static atomic_bool begun;

/* While sampling is off, a thread looks this often whether it is on. */
enum { OFF_CHECK = 65536, NAME = 16 };
enum { STACKS_SHIFT = 18, STACKS_BYTES = 1 << 28, FRAMES_SHIFT = 17, FRAMES_BYTES = 1 << 24 };
enum { SITES_SHIFT = 18, SITES_BYTES = 1 << 25 };
enum { NAMES_SHIFT = 12, NAMES_BYTES = 1 << 18 };

static int64_t wall_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

const char *sites_begin(uint64_t interval)
{
	const char *why = native_walk_begin();
	if (why != NULL)
		return why;
	sites.recent = own_memory_reserve(SITES_DEAD * sizeof *sites.recent);
	sites.frequent = own_memory_reserve(SITES_DEAD * sizeof *sites.frequent);
	if (!own_stacks_begin() || !live_blocks_begin() || sites.recent == NULL ||
	    sites.frequent == NULL || !own_intern_init(&sites.stacks, STACKS_SHIFT, STACKS_BYTES) ||
	    !own_intern_init(&sites.frames, FRAMES_SHIFT, FRAMES_BYTES) ||
	    !own_intern_init(&sites.sites, SITES_SHIFT, SITES_BYTES) ||
	    !own_intern_init(&sites.groups, NAMES_SHIFT, NAMES_BYTES))
		return "there is no address space for its tables (ulimit -v?)";
	sites.since_wall_ns = wall_ns();
	sites_self.left = 0; /* not after the next OFF_CHECK bytes */
	atomic_store(&sites.interval, interval);
	sites.all_sampled = interval == 1;
	sites.was_off = interval == 0;
	atomic_store(&begun, true);
	return NULL;
}

bool sites_begun(void)
{
	return atomic_load(&begun);
}

uint64_t sites_interval(void)
{
	return atomic_load_explicit(&sites.interval, memory_order_relaxed);
}

void sites_set_interval(uint64_t interval)
{
	sites.all_sampled = sites.all_sampled && interval == 1;
	sites.was_off = sites.was_off || interval == 0;
	atomic_store(&sites.interval, interval);
}

/* xorshift64*, with a seed of the thread's own. */
static uint64_t draw(struct sites_thread *t)
{
	uint64_t x = t->random;
	if (x == 0)
		x = ((uint64_t)(uintptr_t)t ^ (uint64_t)wall_ns()) * 0x9e3779b97f4a7c15u | 1;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	t->random = x;
	return x * 0x2545f4914f6cdd1du;
}

/* In 0 .. 1, without either. */
static double fraction(struct sites_thread *t)
{
	return ((double)(draw(t) >> 12) + 0.5) / (double)((uint64_t)1 << 52);
}

static void next_sample(struct sites_thread *t)
{
	t->interval = sites_interval();
	t->left = t->interval == 0   ? OFF_CHECK
		  : t->interval == 1 ? 0
				     : (int64_t)(-log(fraction(t)) * (double)t->interval);
}

/* The numbers of the thread's name, and of its group's. */
static uint32_t thread_name(uint32_t *group)
{
	char name[NAME + 1] = "";
	if (prctl(PR_GET_NAME, name) != 0 || name[0] == '\0')
		snprintf(name, sizeof name, "?");
	uint32_t length = (uint32_t)strlen(name), stem = length;
	const uint32_t number = own_intern_add(&sites.groups, name, length, 0);
	while (stem != 0 && name[stem - 1] >= '0' && name[stem - 1] <= '9')
		stem--;
	*group = number;
	if (stem != length) {
		name[stem] = '*';
		*group = own_intern_add(&sites.groups, name, stem + 1, 0);
	}
	return number;
}

static uint16_t range_of(uint64_t size)
{
	uint16_t range = 0;
	for (; size >= 1024; size /= 2)
		range++;
	return range == 0 ? 0 : (uint16_t)(range + 9);
}

static void add_totals(struct site_totals *t, const struct estimate *e)
{
	atomic_fetch_add_explicit(&t->samples, 1, memory_order_relaxed);
	sum_add(&t->bytes, e->bytes);
	sum_add(&t->bytes_variance, e->bytes_variance);
	sum_add(&t->objects, e->objects);
	sum_add(&t->objects_variance, e->objects_variance);
}

static void track(struct live_block *b, uintptr_t start)
{
	struct live_block old;
	bool had_old;
	atomic_init(&b->next, 0);
	atomic_init(&b->version, 0);
	atomic_init(&b->start, start);
	if (!live_blocks_add(b, &old, &had_old)) {
		atomic_fetch_add_explicit(&sites.untracked, 1, memory_order_relaxed);
		return;
	}
	shadow_set_sampled(start);
	if (had_old)
		sites_died(&old);
}

static void take_sample(struct live_block *b, uintptr_t start, enum sites_function function)
{
	const struct estimate e = estimate_of(b->size, b->p);
	struct site_key key = {.function = (uint16_t)function, .range = range_of(b->size)};
	b->birth = sum_get(&sites.all.bytes);
	add_totals(&sites.all, &e);
	b->thread = thread_name(&key.group);
	key.stack = sites_stack();
	if (key.stack == 0)
		atomic_fetch_add_explicit(&sites.elsewhere, 1, memory_order_relaxed);
	b->site = own_intern_add(
	    &sites.sites, &key, sizeof key, sizeof(struct site_totals) / sizeof(uint64_t));
	if (b->site == 0) {
		atomic_fetch_add_explicit(&sites.untracked, 1, memory_order_relaxed);
		return;
	}
	add_totals(own_intern_more(&sites.sites, b->site), &e);
	b->id = atomic_fetch_add(&sites.ids, 1) + 1;
	b->wall_ns = wall_ns();
	track(b, start);
}

void sites_sample(
    void *block, uintptr_t start, uint64_t bytes, uint64_t size, enum sites_function function)
{
	struct sites_thread *t = &sites_self;
	const int saved = errno;
	if (t->interval == 0) {
		next_sample(t);
		if (t->interval == 0 || (t->left -= (int64_t)bytes) >= 0)
			return;
	}
	const double p = t->interval == 1 ? 1 : -expm1(-(double)bytes / (double)t->interval);
	struct live_block b = {.size = size, .extent = bytes, .address = (uintptr_t)block, .p = p};
	if (t->busy) {
		/* A signal handler in the middle of a sample. */
		const struct estimate e = estimate_of(size, p);
		atomic_fetch_add_explicit(&sites.lost, 1, memory_order_relaxed);
		add_totals(&sites.all, &e);
		t->left = t->interval == 1 ? 0 : (int64_t)t->interval;
		return;
	}
	t->busy = true;
	next_sample(t);
	take_sample(&b, start, function);
	sites_leave();
	errno = saved;
}

static void lock_dead(void)
{
	while (atomic_flag_test_and_set_explicit(&sites.dead_lock, memory_order_acquire))
		sched_yield();
}

/* Busy. */
static void keep_dead(struct sites_thread *t, const struct dead_block *dead)
{
	const uint64_t place = draw(t);
	lock_dead();
	const uint64_t seen = sites.dead_count++;
	sites.recent[seen % SITES_DEAD] = *dead;
	if (seen < SITES_DEAD)
		sites.frequent[seen] = *dead;
	else if (place % (seen + 1) < SITES_DEAD)
		sites.frequent[place % (seen + 1)] = *dead;
	atomic_flag_clear_explicit(&sites.dead_lock, memory_order_release);
}

void sites_died(const struct live_block *b)
{
	const struct estimate e = estimate_of(b->size, b->p);
	struct site_totals *of = own_intern_more(&sites.sites, b->site);
	const double since = sum_get(&sites.all.bytes) - b->birth;
	const struct dead_block dead = {.was = *b, .lifetime = since > 0 ? since : 0};
	const bool outer = sites_self.busy;
	atomic_fetch_add_explicit(&sites.died, 1, memory_order_relaxed);
	sum_add(&of->died_bytes, e.bytes);
	sum_add(&of->died_objects, e.objects);
	sum_add(&of->lifetimes, e.objects * dead.lifetime);
	sites_self.busy = true;
	keep_dead(&sites_self, &dead);
	if (!outer)
		sites_leave();
}

bool sites_take(uintptr_t start, struct live_block *sample)
{
	struct sites_thread *t = &sites_self;
	if (t->busy) {
		const unsigned at = atomic_load(&t->pending);
		if (at < SITES_PENDING) {
			t->freed[at].start = start;
			t->freed[at].youngest = atomic_load(&sites.ids);
			atomic_store(&t->pending, at + 1);
		}
		return false;
	}
	t->busy = true;
	const bool taken = live_blocks_take(start, UINT64_MAX, sample);
	sites_leave();
	return taken;
}

void sites_put_back(const struct live_block *sample)
{
	const uintptr_t start = atomic_load_explicit(&sample->start, memory_order_relaxed);
	struct live_block b;
	memcpy(&b, sample, sizeof b);
	sites_self.busy = true;
	track(&b, start);
	sites_leave();
}

/* Handlers may free more at any time, and append it. */
static void take_pending(struct sites_thread *t)
{
	struct live_block b;
	unsigned done = 0, all;
	do {
		for (; done < atomic_load(&t->pending); done++)
			if (live_blocks_take(t->freed[done].start, t->freed[done].youngest, &b))
				sites_died(&b);
		all = done;
	} while (!atomic_compare_exchange_strong(&t->pending, &all, 0));
}

void sites_leave(void)
{
	struct sites_thread *t = &sites_self;
	do {
		t->busy = true;
		atomic_signal_fence(memory_order_seq_cst);
		take_pending(t);
		atomic_signal_fence(memory_order_seq_cst);
		t->busy = false;
		atomic_signal_fence(memory_order_seq_cst);
	} while (atomic_load(&t->pending) != 0);
}

uint64_t sites_copy_dead(struct dead_block *to, bool frequent, uint32_t *count)
{
	sites_self.busy = true;
	lock_dead();
	const uint64_t seen = sites.dead_count;
	*count = seen < SITES_DEAD ? (uint32_t)seen : SITES_DEAD;
	for (uint32_t i = 0; i < *count; i++)
		to[i] = frequent ? sites.frequent[i] : sites.recent[(seen - 1 - i) % SITES_DEAD];
	atomic_flag_clear_explicit(&sites.dead_lock, memory_order_release);
	sites_leave();
	return seen;
}

void sites_forget(void)
{
	live_blocks_forget();
	native_modules_forget();
	sites_stack_forget();
	native_walk_forget();
	atomic_flag_clear(&sites.dead_lock);
}
