/* The C calls for other native code in this JVM (include/gcspy/sampling.h). */

#include "sampling_api.h"

#include <string.h>

#include <gcspy/memory.h>
#include <gcspy/sampling.h>

#include "inflight.h"
#include "sampler_internal.h"
#include "thread.h"

/* The default interval in the JEP's text. */
#define DEFAULT_INTERVAL ((uint64_t)524288)

enum { TIMEOUT_MS = 5000, STEP_MS = 5 };

static _Atomic(struct sampler *) present;

void sampling_api_set(struct sampler *s)
{
	atomic_store(&present, s);
}

/* The sampler, which exists until inflight_leave(); NULL, without that call, when there is none:
 * before the agent is initialized, and after it was detached. */
static struct sampler *enter(void)
{
	if (!inflight_enter())
		return NULL;
	struct sampler *s = atomic_load(&present);
	if (s == NULL)
		inflight_leave();
	return s;
}

/* Waits until the sampler's thread has served the request. */
static enum gcs_status wait_for(struct sampler *s, bool on)
{
	for (int ms = 0; ms < TIMEOUT_MS; ms += STEP_MS) {
		if ((sampler_interval(s) != 0) == on)
			return GCS_OK;
		if (on && sampler_has_error(s))
			return GCS_UNSUPPORTED;
		if (!inflight_open())
			return GCS_STATE;
		thread_sleep_us(1000 * STEP_MS);
	}
	return GCS_TIMEOUT;
}

static enum gcs_status set(gcs_sampling_interval *callback, bool on)
{
	struct sampler *s = enter();
	enum gcs_status status = GCS_OK;
	if (s == NULL)
		return GCS_STATE;
	atomic_store(&s->hook, callback);
	if ((sampler_interval(s) != 0) != on)
		status =
		    sampler_request(s, on ? DEFAULT_INTERVAL : 0, 0) ? wait_for(s, on) : GCS_LIMIT;
	inflight_leave();
	return status;
}

enum gcs_status gcs_sampling_start(gcs_sampling_interval *callback)
{
	return set(callback, true);
}

enum gcs_status gcs_sampling_stop(void)
{
	return set(NULL, false);
}

/* The traces, their frames, and the profile that owns their texts: one block of memory, which
 * begins with the profile, in front of what the caller gets. */
struct block {
	struct gcs_profile *profile;
	struct gcs_sampled_trace traces[];
};

static uint32_t depth_of(const struct gcs_profile *p, uint32_t stack)
{
	uint32_t depth = 0;
	for (; stack != GCS_NONE; stack = gcs_profile_stack(p, stack)->parent)
		depth++;
	return depth;
}

static struct block *make_block(struct gcs_profile *p, uint32_t count)
{
	size_t frames = 0;
	for (uint32_t i = 0; i < count; i++)
		frames += depth_of(p, gcs_profile_entry(p, i)->stack);
	struct block *b =
	    gcs_alloc(sizeof *b + count * sizeof b->traces[0] + frames * sizeof(struct gcs_frame));
	if (b == NULL)
		return NULL;
	struct gcs_frame *next = (struct gcs_frame *)(void *)&b->traces[count];
	b->profile = p;
	for (uint32_t i = 0; i < count; i++) {
		const struct gcs_profile_entry *e = gcs_profile_entry(p, i);
		struct gcs_sampled_trace *t = &b->traces[i];
		*t = (struct gcs_sampled_trace){
		    .frame_count = depth_of(p, e->stack),
		    .frames = next,
		    .class_name = gcs_profile_name(p, e->class_name),
		    .thread = gcs_profile_name(p, e->thread),
		    .size = e->size,
		    .id = e->id,
		    .context = e->context,
		    .wall_ns = e->wall_ns,
		    .bytes = e->bytes,
		    .objects = e->objects,
		    .age = e->age,
		    .lifetime_bytes = e->lifetime_bytes,
		};
		for (uint32_t s = e->stack; s != GCS_NONE; s = gcs_profile_stack(p, s)->parent)
			*next++ = *gcs_profile_frame(p, gcs_profile_stack(p, s)->frame);
	}
	return b;
}

static enum gcs_status get(
    enum gcs_profile_kind kind, struct gcs_sampled_trace **traces, uint32_t *count)
{
	struct gcs_error err;
	*traces = NULL;
	*count = 0;
	struct sampler *s = enter();
	if (s == NULL)
		return GCS_STATE;
	struct gcs_profile *p = sampler_profile(s, kind, NULL, &err);
	inflight_leave();
	if (p == NULL)
		return err.status;
	uint32_t all = gcs_profile_entry_count(p);
	struct block *b = make_block(p, all);
	if (b == NULL) {
		gcs_profile_free(p);
		return GCS_NOMEM;
	}
	*traces = b->traces;
	*count = all;
	return GCS_OK;
}

enum gcs_status gcs_sampling_live(struct gcs_sampled_trace **traces, uint32_t *count)
{
	return get(GCS_PROFILE_LIVE, traces, count);
}

enum gcs_status gcs_sampling_recent_garbage(struct gcs_sampled_trace **traces, uint32_t *count)
{
	return get(GCS_PROFILE_RECENT, traces, count);
}

enum gcs_status gcs_sampling_frequent_garbage(struct gcs_sampled_trace **traces, uint32_t *count)
{
	return get(GCS_PROFILE_FREQUENT, traces, count);
}

void gcs_sampling_release(struct gcs_sampled_trace *traces)
{
	if (traces == NULL)
		return;
	struct block *b = (struct block *)(void *)((char *)traces - offsetof(struct block, traces));
	gcs_profile_free(b->profile);
	gcs_free(b);
}
