/* The callback of a sample, in the allocating thread. */

#include <gcspy/memory.h>
#include <gcspy/sampling.h>

#include "hash.h"
#include "initial_interval.h"
#include "now.h"
#include "sampler_internal.h"
#include "vm_mirror.h"

/* A stack's number in the walker's cache carries the lowest bits of the generation of its stack
 * table, so that a number of an earlier table is recognized. */
enum { STACK_BITS = 28, GENERATION_MASK = 15 };

/* A thread's name is read again after this many samples and this time: threads are renamed. */
enum { NAME_USES = 64, NAME_NS = 20000000 };

/* Stacks of up to this many frames have room that fits in a page: the compiler touches each page of a
 * larger one (-fstack-clash-protection), which costs a sample more than the frames themselves. */
enum { USUAL_DEPTH = 64 };

enum { VERIFY_EVERY = 256 };

/* JNI's IsVirtualThread, of JDK 21 and later: the headers of earlier ones lack it. */
enum { IS_VIRTUAL_THREAD = 234 };

/* What a thread keeps between samples. */
struct mine {
	bool named;
	bool busy; /* already inside the callback */
	uint32_t generation;
	uint32_t thread, group;
	uint32_t uses;
	int64_t named_ns; /* when it was */
	uint64_t picked;  /* the interval when HotSpot chose the next sampling point; 0: unknown */
	uint64_t random;
	const struct sampler *ids_of; /* where `id` is from */
	uint64_t id;                  /* the last sample's */
	uint64_t context;
	struct symbolizer_memo memo;
};

static _Thread_local struct mine mine;

void gcs_sampling_set_context(uint64_t context)
{
	mine.context = context;
}

static uint32_t random_priority(const struct sample *sample)
{
	if (mine.random == 0)
		mine.random =
		    (uint64_t)(uintptr_t)&mine ^ (uint64_t)sample->wall_ns ^ sample->id << 40;
	mine.random += 0x9e3779b97f4a7c15u;
	uint64_t x = mine.random;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)(x >> 32);
}

static bool is_virtual(const struct sampler *s, JNIEnv *jni, jthread thread)
{
	typedef jboolean JNICALL is_virtual_fn(JNIEnv *, jobject);
	if (!s->virtual_threads)
		return false;
	union {
		void *const *slots;
		const struct JNINativeInterface_ *functions;
	} table = {.functions = *jni};
	union {
		void *slot;
		is_virtual_fn *call;
	} function = {.slot = table.slots[IS_VIRTUAL_THREAD]};
	return function.call(jni, thread) != JNI_FALSE;
}

/* A carrier runs many virtual threads with names of their own; a platform thread keeps its name. */
static void name_thread(struct sampler *s, JNIEnv *jni, jthread thread,
    struct table_epoch *table_epoch, struct sample *sample)
{
	if (is_virtual(s, jni, thread)) {
		symbolizer_thread(table_epoch->symbolizer, s->parts.jvmti, jni, thread,
		    &sample->thread, &sample->group);
		return;
	}
	if (mine.uses > 0)
		mine.uses--;
	const bool late = mine.uses == 0 && (sample->wall_ns < mine.named_ns ||
						sample->wall_ns - mine.named_ns >= NAME_NS);
	if (!mine.named || mine.generation != sample->generation || late) {
		symbolizer_thread(table_epoch->symbolizer, s->parts.jvmti, jni, thread,
		    &mine.thread, &mine.group);
		mine.generation = sample->generation;
		mine.uses = NAME_USES;
		mine.named_ns = sample->wall_ns;
		mine.named = true;
	}
	sample->thread = mine.thread;
	sample->group = mine.group;
}

/* Gets the frames from JVMTI, when the walker's number of the stack is void. */
static void ask_frames(struct sampler *s, jthread thread, struct walk *walk)
{
	jint depth = (jint)s->options.depth;
	walk->base = WALK_NO_BASE;
	walk->count = 0;
	if ((*s->parts.jvmti)
		->GetStackTrace(s->parts.jvmti, thread, 0, depth, walk->frames, &walk->count) !=
	    JVMTI_ERROR_NONE)
		walk->count = 0;
	walk->truncated = walk->count == depth;
}

/* Until the sample store has moved to this stack table, new stacks may take only a part of it: the
 * sample store's own need room there. */
static bool is_reserved(struct sampler *s, const struct table_epoch *table_epoch)
{
	enum { BEFORE_MOVE_PERCENT = 20 };
	return atomic_load_explicit(&s->moving, memory_order_relaxed) &&
	       stack_table_fill(table_epoch->stack_table) >= BEFORE_MOVE_PERCENT;
}

/* What a sample is numbered with: the callback's arguments, and the tables. */
struct numbering {
	struct sampler *s;
	JNIEnv *jni;
	jthread thread;
	struct table_epoch *table_epoch;
	struct sample *sample;
};

static uint32_t stack_of(uint32_t known)
{
	return known & (((uint32_t)1 << STACK_BITS) - 1);
}

/* Numbers a stack that the walker does not know. */
static uint32_t number_frames(
    const struct numbering *n, struct walk *walk, bool found, uint32_t tag, uint32_t *stacks)
{
	struct sampler *s = n->s;
	const uint32_t tags = (uint32_t)GENERATION_MASK << STACK_BITS;
	const bool void_base = !found && walk->base != WALK_NO_BASE && (walk->base & tags) != tag;
	if (found || void_base)
		ask_frames(s, n->thread, walk);
	if (is_reserved(s, n->table_epoch))
		return STACK_TABLE_NONE;
	const struct symbolizer_frames frames = {
	    .frames = walk->frames,
	    .count = walk->count,
	    .truncated = walk->truncated,
	    .base = walk->base == WALK_NO_BASE ? STACK_TABLE_NONE : stack_of(walk->base),
	    .stacks = stacks,
	};
	const uint32_t stack = symbolizer_stack(n->table_epoch->symbolizer, s->parts.jvmti, n->jni,
	    &frames, &mine.memo, n->sample->generation);
	if (!found && !void_base && stack != STACK_TABLE_NONE)
		walker_remember(s->walker, walk, stacks, tag);
	return stack;
}

static void number_walk(const struct numbering *n, struct walk *walk, uint32_t *stacks)
{
	struct sample *sample = n->sample;
	uint32_t known = 0, tag = (sample->generation & GENERATION_MASK) << STACK_BITS;
	uint32_t stack;
	bool found = walker_find(n->s->walker, n->jni, n->thread, walk, &known);
	if (found && (known & (uint32_t)GENERATION_MASK << STACK_BITS) == tag) {
		stack = stack_of(known);
	} else {
		stack = number_frames(n, walk, found, tag, stacks);
		sample->no_room = stack == STACK_TABLE_NONE && walk->count != 0;
	}
	if (walk->native_top && stack != STACK_TABLE_NONE) {
		stack = native_stack_add(n->table_epoch->symbolizer, stack);
		sample->no_room = stack == STACK_TABLE_NONE;
	}
	sample->stack = stack;
}

static void number_usual(const struct numbering *n)
{
	jvmtiFrameInfo frames[USUAL_DEPTH];
	struct vm_frame physical[USUAL_DEPTH];
	uint32_t stacks[USUAL_DEPTH];
	struct walk walk;
	walk.frames = frames;
	walk.physical = physical;
	number_walk(n, &walk, stacks);
}

static void number_deep(const struct numbering *n)
{
	jvmtiFrameInfo frames[WALK_MAX_DEPTH];
	struct vm_frame physical[WALK_MAX_DEPTH];
	uint32_t stacks[WALK_MAX_DEPTH];
	struct walk walk;
	walk.frames = frames;
	walk.physical = physical;
	number_walk(n, &walk, stacks);
}

/* Lists the frames, youngest first; the caller frees them. */
static struct gcs_frame *list_frames(const struct stack_table *d, uint32_t stack, uint32_t *count)
{
	*count = 0;
	for (uint32_t i = stack; i != STACK_TABLE_NONE; i = stack_table_stack(d, i).parent)
		++*count;
	struct gcs_frame *frames = gcs_alloc((*count + (size_t)1) * sizeof *frames);
	uint32_t at = 0;
	for (uint32_t i = stack; frames != NULL && i != STACK_TABLE_NONE;
	     i = stack_table_stack(d, i).parent) {
		const struct stack_table_frame *f =
		    stack_table_frame(d, stack_table_stack(d, i).frame);
		frames[at++] = (struct gcs_frame){
		    .class_name = stack_table_name(d, f->class_name),
		    .method = stack_table_name(d, f->method),
		    .file = stack_table_name(d, f->file),
		    .line = f->line,
		    .kind = (enum gcs_frame_kind)f->kind,
		};
	}
	if (frames == NULL)
		*count = 0;
	return frames;
}

/* Calls the embedding code's callback, which may request another interval. */
static void call_hook(struct sampler *s, gcs_sampling_interval *hook, struct stack_table *d,
    const struct sample *sample)
{
	struct estimate one =
	    estimate_of(sample->size, sample_probability(sample->size, sample->interval));
	struct gcs_sampled_trace trace = {
	    .class_name = stack_table_name(d, sample->class_name),
	    .thread = stack_table_name(d, sample->thread),
	    .size = sample->size,
	    .id = sample->id,
	    .context = sample->context,
	    .wall_ns = sample->wall_ns,
	    .bytes = one.bytes,
	    .objects = one.objects,
	};
	struct gcs_frame *frames = list_frames(d, sample->stack, &trace.frame_count);
	trace.frames = frames;
	int64_t wanted = hook(&trace);
	gcs_free(frames);
	if (wanted <= 0 || (uint64_t)wanted == atomic_load(&s->interval))
		return;
	uint64_t interval =
	    (uint64_t)wanted > SAMPLER_MAX_INTERVAL ? SAMPLER_MAX_INTERVAL : (uint64_t)wanted;
	if ((*s->parts.jvmti)->SetHeapSamplingInterval(s->parts.jvmti, (jint)interval) ==
	    JVMTI_ERROR_NONE)
		atomic_store(&s->interval, interval);
}

static void wake_if_needed(struct sampler *s, size_t position)
{
	bool half = position % (SAMPLER_RING / 2) == 0;
	if (half || (atomic_load_explicit(&s->idle, memory_order_relaxed) &&
			atomic_exchange(&s->idle, false)))
		sem_post(&s->wake);
}

static void count_lost(struct sampler *s, const struct sample *sample)
{
	struct estimate one =
	    estimate_of(sample->size, sample_probability(sample->size, sample->interval));
	atomic_fetch_add(&s->lost, 1);
	atomic_fetch_add(&s->lost_bytes, (uint64_t)one.bytes);
	atomic_fetch_add(&s->lost_objects, (uint64_t)one.objects);
}

/* A Klass's address may be another one's after an unloading. */
static uint64_t class_identity(const struct sampler *s, JNIEnv *jni, jclass class_)
{
	const uint64_t klass = vm_klass_of(s->parts.vm, jni, class_);
	return klass == 0 ? 0 : hash_mix(hash_mix(klass) + walker_unloading(s->walker));
}

/* One name of 256 that was kept is compared with the JVM's; a difference, which would be an error in
 * vm_mirror.h, ends the keeping. */
static uint32_t number_class(
    struct sampler *s, JNIEnv *jni, jclass class_, struct symbolizer *symbolizer)
{
	const uint64_t identity = atomic_load_explicit(&s->classes_differ, memory_order_relaxed)
				      ? 0
				      : class_identity(s, jni, class_);
	const uint32_t name = symbolizer_class(symbolizer, s->parts.jvmti, class_, identity);
	if (identity == 0 || mine.random % VERIFY_EVERY != 0)
		return name;
	const uint32_t told = symbolizer_class(symbolizer, s->parts.jvmti, class_, 0);
	if (told != name && told != STACK_TABLE_NONE)
		atomic_store(&s->classes_differ, true);
	return told;
}

/* True if a trigger has fired at it. */
static bool record(struct sampler *s, JNIEnv *jni, jthread thread, jobject object, jclass class_,
    struct table_epoch *table_epoch, struct sample *sample, struct gcs_ticket *ticket)
{
	size_t position;
	bool fired = false;
	const struct numbering numbering = {s, jni, thread, table_epoch, sample};
	if (s->options.depth <= USUAL_DEPTH)
		number_usual(&numbering);
	else
		number_deep(&numbering);
	sample->class_name = number_class(s, jni, class_, table_epoch->symbolizer);
	name_thread(s, jni, thread, table_epoch, sample);
	gcs_sampling_interval *hook = atomic_load(&s->hook);
	if (hook != NULL)
		call_hook(s, hook, table_epoch->stack_table, sample);
	if (gcs_server_triggered(s->parts.server, s->parts.event))
		fired = sample_event_check(s, table_epoch->stack_table, sample, ticket);
	sample->keep = sample_threshold_of(&s->threshold, sample->size);
	if (sample->priority < sample->keep) {
		sample->weak = sample_by_address(
		    humongous_track(s->humongous, object, sample->size, &sample->pause));
		if (sample->weak != NULL)
			sample->eager = humongous_is_eager(s->humongous,
			    stack_table_name(table_epoch->stack_table, sample->class_name));
		else
			sample->weak = (*jni)->NewWeakGlobalRef(jni, object);
		if (sample->weak == NULL)
			(*jni)->ExceptionClear(
			    jni); /* out of memory, which must not affect the program */
	}
	if (ring_put(s->ring, sample, &position)) {
		wake_if_needed(s, position);
		return fired;
	}
	count_lost(s, sample);
	sample_forget(jni, sample->weak);
	return fired;
}

/* Threads take many numbers at a time, so that they seldom wait for each other's. */
static uint64_t next_id(struct sampler *s)
{
	enum { AT_ONCE = 64 };
	if (mine.ids_of != s || mine.id % AT_ONCE == 0) {
		mine.ids_of = s;
		mine.id = atomic_fetch_add_explicit(&s->next_id, AT_ONCE, memory_order_relaxed);
	}
	return ++mine.id;
}

void sampler_allocated(
    struct sampler *s, JNIEnv *jni, jthread thread, jobject object, jclass class_, jlong size)
{
	if (s == NULL || mine.busy)
		return;
	/* One of the agent's threads, which attaches to the JVM: what that creates is not the program's. */
	if (mine.picked == 0 && gcs_inside())
		return;
	ring_prefetch(s->ring);
	uint64_t interval = atomic_load_explicit(&s->interval, memory_order_relaxed);
	if (mine.picked == 0)
		mine.picked = s->picks_early ? initial_interval_choose(interval) : interval;
	struct sample sample = {
	    .size = (uint64_t)size,
	    .interval = mine.picked,
	    .id = next_id(s),
	    .born = judge_birth(&s->judge),
	    .context = mine.context,
	    .wall_ns = now_wall_ns(),
	};
	if (interval != 0)
		mine.picked = interval;
	if (tlab_rests_undue(&s->tlab_rests, s->parts.vm, jni, sample.size, sample.interval,
		random_priority(&sample) * 0x1p-32))
		return;
	sample.priority = random_priority(&sample);
	struct gcs_ticket ticket;
	bool fired = false;
	mine.busy = true;
	struct table_epoch *table_epoch = table_epoch_enter(&s->table_epochs, &sample.generation);
	if (atomic_load(&s->on) && table_epoch->stack_table != NULL)
		fired = record(s, jni, thread, object, class_, table_epoch, &sample, &ticket);
	table_epoch_leave(table_epoch);
	mine.busy = false;
	/* May wait for a client. The thread is in native code, which stops no safepoint. */
	if (fired)
		gcs_server_leave(s->parts.server, &ticket);
}
