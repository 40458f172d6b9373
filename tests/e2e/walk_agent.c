/*
 * A JVMTI agent that has nothing but the walker of sampled stacks (agent/sample/walk.h) and
 * compares each of its answers with GetStackTrace: -agentpath:…=key=value,…
 *
 *     interval=BYTES   between samples (4096)
 *     depth=FRAMES     of a stack (64)
 *     names=COUNT      compares the names and lines of one in so many stacks, too, as those of native
 *                      blocks have them (agent/core/native_frames.h), with JVMTI's (8)
 *     jvmti=1          has the walker always use GetStackTrace
 *     check=0          compares nothing, to measure
 *     stacks=COUNT     stacks numbered before all are forgotten and numbered anew (20000)
 *     redefine=CLASS   retransforms the class again and again, every second time with another text
 *                      in the place of "gcspy-tick"
 *     out=PATH         where the lines at the end go (standard error)
 *
 * At the end of the JVM it prints counters, the cost of each kind of answer, and what the walker
 * says about itself.
 */
#include <jvmti.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vm_names.h"
#include "walk.h"
#include "walk_names.h"
#include "walk_redefine.h"

enum { MAX_STACKS = 1 << 17, BUCKETS = 4096, BUCKET_NS = 16 };

/* How an answer came about. Verifying and asking both call GetStackTrace. */
enum kind { FOUND, FOUND_VERIFIED, COMPOSED, ASKED, KINDS };
static const char *const KIND_NAMES[KINDS] = {"found", "found-verified", "composed", "asked"};

/* A stack as it was when it was numbered: its youngest frame, and the stack of the others. Never freed:
 * others may compare with it. */
struct stack {
	const struct stack *older;
	jvmtiFrameInfo frame;
	jint count;
	bool native_top, truncated;
};

static struct {
	const struct vm *vm;
	struct walker *walker;
	jvmtiEnv *jvmti;
	struct jvmtiInterface_1_ counting; /* the functions, with our GetStackTrace */
	jvmtiEnv walkers;                  /* what the walker takes for the environment */
	int interval, depth, use_jvmti, check, max_stacks, names;
	char class_name[128], out[256];
	pthread_mutex_t lock;
	_Atomic(struct stack *) stacks[MAX_STACKS + WALK_MAX_DEPTH];
	int stack_count;
	atomic_uint generation; /* odd while the stacks are numbered anew */
	atomic_ullong compared, wrong, wrong_flags, stale;
	atomic_ullong times[KINDS][BUCKETS + 1], total_ns[KINDS];
	atomic_bool ending;
} agent = {
    .interval = 4096,
    .depth = 64,
    .check = 1,
    .names = 8,
    .max_stacks = 20000,
    .lock = PTHREAD_MUTEX_INITIALIZER,
};

static _Thread_local bool asked; /* the walker has called GetStackTrace */

static jvmtiError JNICALL count_stack_trace(
    jvmtiEnv *env, jthread thread, jint start, jint max, jvmtiFrameInfo *frames, jint *count)
{
	(void)env;
	asked = true;
	return (*agent.jvmti)->GetStackTrace(agent.jvmti, thread, start, max, frames, count);
}

static uint64_t now_ns(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void note_time(enum kind kind, uint64_t ns)
{
	const uint64_t bucket = ns / BUCKET_NS;
	atomic_fetch_add(&agent.times[kind][bucket < BUCKETS ? bucket : BUCKETS], 1);
	atomic_fetch_add(&agent.total_ns[kind], ns);
}

static bool same_frames(
    const jvmtiFrameInfo *a, jint a_count, const jvmtiFrameInfo *b, jint b_count)
{
	if (a_count != b_count)
		return false;
	for (jint i = 0; i < a_count; i++) {
		if (a[i].method != b[i].method || a[i].location != b[i].location)
			return false;
	}
	return true;
}

/* Numbers a stack with one frame more; -1 when out of memory. With the lock. */
static int add_one(const struct walk *walk, jint i, const struct stack *older)
{
	struct stack *stack = malloc(sizeof *stack);
	if (stack == NULL)
		return -1;
	stack->older = older;
	stack->count = older == NULL ? 0 : older->count;
	stack->native_top = walk->native_top;
	stack->truncated = walk->truncated;
	if (i < walk->count) {
		stack->frame = walk->frames[i];
		stack->native_top = stack->frame.location == -1;
		stack->count++;
	}
	const int number = agent.stack_count++;
	atomic_store(&agent.stacks[number], stack);
	return number;
}

/* Numbers each stack that ends with one of the frames; false when out of memory, or when its base has
 * been numbered anew. When the table is nearly full, numbering starts again. */
static bool add_stacks(const struct walk *walk, uint32_t *stacks, unsigned generation)
{
	pthread_mutex_lock(&agent.lock);
	bool ok = walk->base == WALK_NO_BASE ||
		  (generation % 2 == 0 && generation == atomic_load(&agent.generation));
	if (agent.stack_count >= agent.max_stacks) {
		atomic_fetch_add(&agent.generation, 1);
		walker_forget(agent.walker);
		agent.stack_count = 0;
		atomic_fetch_add(&agent.generation, 1);
		ok = ok && walk->base == WALK_NO_BASE;
	}
	const struct stack *older =
	    !ok || walk->base == WALK_NO_BASE ? NULL : atomic_load(&agent.stacks[walk->base]);
	for (jint i = walk->count == 0 ? 0 : walk->count - 1; ok && i >= 0; i--) {
		const int number = add_one(walk, i, older);
		ok = number >= 0;
		stacks[i] = (uint32_t)number;
		if (ok)
			older = atomic_load(&agent.stacks[number]);
	}
	pthread_mutex_unlock(&agent.lock);
	return ok;
}

/* Are the frames from the i-th on those of the stack? */
static bool same_rest(const struct stack *stack, const jvmtiFrameInfo *frames, jint i, jint count)
{
	for (; stack != NULL && stack->count > 0; stack = stack->older, i++)
		if (i >= count || !same_frames(&stack->frame, 1, &frames[i], 1))
			return false;
	return i == count;
}

/* Does an answer of the walker stand for these frames, with the flags that it had then? */
static bool answer_is(
    const struct walk *walk, bool found, uint32_t number, const jvmtiFrameInfo *frames, jint count)
{
	if (!found) {
		const struct stack *base =
		    walk->base == WALK_NO_BASE ? NULL : atomic_load(&agent.stacks[walk->base]);
		return walk->count <= count &&
		       same_frames(walk->frames, walk->count, frames, walk->count) &&
		       same_rest(base, frames, walk->count, count);
	}
	const struct stack *stack = atomic_load(&agent.stacks[number]);
	return stack->native_top == walk->native_top && stack->truncated == walk->truncated &&
	       stack->count == count && same_rest(stack, frames, 0, count);
}

static void print_frames(const char *title, const jvmtiFrameInfo *frames, jint count)
{
	fprintf(stderr, "%s:", title);
	for (jint i = 0; i < count; i++)
		fprintf(
		    stderr, " %p@%lld", (void *)frames[i].method, (long long)frames[i].location);
	fprintf(stderr, "\n");
}

/* Is the flag right that says whether there are more frames? */
static void check_truncation(jthread thread, const struct walk *walk, jint count)
{
	jint all = 0;
	if (count == agent.depth &&
	    (*agent.jvmti)->GetFrameCount(agent.jvmti, thread, &all) == JVMTI_ERROR_NONE &&
	    (all > agent.depth) != walk->truncated)
		atomic_fetch_add(&agent.wrong_flags, 1);
	if (count < agent.depth && walk->truncated)
		atomic_fetch_add(&agent.wrong_flags, 1);
}

/*
 * Compares. A class may be redefined between the walk and GetStackTrace; then a second walk has
 * another answer.
 */
static void check(JNIEnv *jni, jthread thread, struct walk *walk, bool found, uint32_t number,
    unsigned generation)
{
	jvmtiFrameInfo frames[WALK_MAX_DEPTH];
	jint count = 0;
	if ((*agent.jvmti)->GetStackTrace(agent.jvmti, thread, 0, agent.depth, frames, &count) !=
	    JVMTI_ERROR_NONE)
		count = 0;
	for (int turn = 0; turn < 3; turn++) {
		const bool same = answer_is(walk, found, number, frames, count);
		if ((found || walk->base != WALK_NO_BASE) &&
		    (generation % 2 != 0 || generation != atomic_load(&agent.generation))) {
			atomic_fetch_add(
			    &agent.stale, 1); /* an old number is allowed to be found */
			return;
		}
		if (same) {
			atomic_fetch_add(&agent.compared, 1);
			check_truncation(thread, walk, count);
			if (walk->native_top != (count > 0 && frames[0].location == -1))
				atomic_fetch_add(&agent.wrong_flags, 1);
			return;
		}
		generation = atomic_load(&agent.generation);
		found = walker_find(agent.walker, jni, thread, walk, &number);
		(*agent.jvmti)->GetStackTrace(agent.jvmti, thread, 0, agent.depth, frames, &count);
	}
	if (atomic_fetch_add(&agent.wrong, 1) < 3) {
		fprintf(stderr, "found=%d base=%x\n", found, walk->base);
		print_frames("truth ", frames, count);
		print_frames("walker", walk->frames, found ? 0 : walk->count);
	}
}

static void JNICALL on_sample(
    jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object, jclass class, jlong size)
{
	jvmtiFrameInfo frames[WALK_MAX_DEPTH];
	struct vm_frame physical[WALK_MAX_DEPTH];
	uint32_t stacks[WALK_MAX_DEPTH];
	struct walk walk = {.frames = frames, .physical = physical};
	uint32_t number = 0;
	(void)jvmti;
	(void)object;
	(void)class;
	(void)size;
	if (atomic_load(&agent.ending))
		return;
	const unsigned generation = atomic_load(&agent.generation);
	asked = false;
	const uint64_t start = now_ns();
	const bool found = walker_find(agent.walker, jni, thread, &walk, &number);
	const uint64_t ns = now_ns() - start;
	note_time(found ? (asked ? FOUND_VERIFIED : FOUND) : asked ? ASKED : COMPOSED, ns);
	struct walk answer = walk;
	if (!found && add_stacks(&walk, stacks, generation))
		walker_remember(agent.walker, &walk, stacks, 0);
	if (agent.check)
		check(jni, thread, &answer, found, number, generation);
	static atomic_uint turn;
	if (agent.names != 0 && vm_names_known(agent.vm) &&
	    atomic_fetch_add(&turn, 1) % (unsigned)agent.names == 0)
		walk_names_check(agent.vm, agent.jvmti, jni, thread);
}

static void JNICALL on_gc_finish(jvmtiEnv *jvmti)
{
	(void)jvmti;
	walker_collected(agent.walker);
}

/* Life. */

static void enable(jvmtiEvent event)
{
	(*agent.jvmti)->SetEventNotificationMode(agent.jvmti, JVMTI_ENABLE, event, NULL);
}

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	struct gcs_error err;
	(void)thread;
	agent.vm = vm_open(jni, &err);
	if (agent.vm == NULL)
		return;
	agent.counting = **jvmti;
	agent.counting.GetStackTrace = count_stack_trace;
	agent.walkers = &agent.counting;
	agent.walker = walker_create(agent.vm, &agent.walkers, (uint32_t)agent.depth,
	    agent.use_jvmti ? WALK_JVMTI : WALK_AUTO);
	if (agent.walker == NULL)
		return;
	(*jvmti)->SetHeapSamplingInterval(jvmti, agent.interval);
	enable(JVMTI_EVENT_GARBAGE_COLLECTION_FINISH);
	enable(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC);
	if (agent.class_name[0] != '\0')
		walk_redefine_start(jvmti, jni);
}

/* The middle of the times of a kind, in ns. */
static unsigned long long median(enum kind kind, unsigned long long count)
{
	unsigned long long seen = 0;
	for (unsigned i = 0; i <= BUCKETS; i++) {
		seen += atomic_load(&agent.times[kind][i]);
		if (seen * 2 >= count)
			return (unsigned long long)i * BUCKET_NS;
	}
	return 0;
}

static void print_results(FILE *to)
{
	struct walker_report report;
	char text[256];
	walker_report(agent.walker, &report);
	fprintf(to, "walk compared=%llu wrong=%llu wrong_flags=%llu stale=%llu redefined=%llu\n",
	    atomic_load(&agent.compared), atomic_load(&agent.wrong),
	    atomic_load(&agent.wrong_flags), atomic_load(&agent.stale), walk_redefine_count());
	walk_names_print(to);
	fprintf(to,
	    "walk fast=%d walks=%llu found=%llu composed=%llu asked=%llu verified=%llu "
	    "mismatches=%llu\n",
	    report.fast, (unsigned long long)report.walks, (unsigned long long)report.found,
	    (unsigned long long)report.composed, (unsigned long long)report.asked,
	    (unsigned long long)report.verified, (unsigned long long)report.mismatches);
	for (int i = 0; i < KINDS; i++) {
		unsigned long long count = 0;
		for (unsigned b = 0; b <= BUCKETS; b++)
			count += atomic_load(&agent.times[i][b]);
		if (count > 0)
			fprintf(to, "walk kind=%s count=%llu median_ns=%llu mean_ns=%llu\n",
			    KIND_NAMES[i], count, median((enum kind)i, count),
			    atomic_load(&agent.total_ns[i]) / count);
	}
	for (int i = 0; i < WALK_GIVE_UPS; i++) {
		if (report.gave_up[i] > 0)
			fprintf(to, "walk gave_up=%llu reason=%s\n",
			    (unsigned long long)report.gave_up[i], walk_give_up_text(i));
	}
	walker_describe(agent.walker, text, sizeof text);
	fprintf(to, "walker: %s\n", text);
}

static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
	(void)jvmti;
	(void)jni;
	atomic_store(&agent.ending, true);
	walk_redefine_end();
	if (agent.walker == NULL)
		return;
	FILE *out = agent.out[0] != '\0' ? fopen(agent.out, "w") : stderr;
	if (out == NULL)
		return;
	print_results(out);
	if (out != stderr)
		fclose(out);
}

static bool take_option(const char *word)
{
	return sscanf(word, "interval=%d", &agent.interval) == 1 ||
	       sscanf(word, "depth=%d", &agent.depth) == 1 ||
	       sscanf(word, "jvmti=%d", &agent.use_jvmti) == 1 ||
	       sscanf(word, "names=%d", &agent.names) == 1 ||
	       sscanf(word, "check=%d", &agent.check) == 1 ||
	       sscanf(word, "stacks=%d", &agent.max_stacks) == 1 ||
	       sscanf(word, "redefine=%127s", agent.class_name) == 1 ||
	       sscanf(word, "out=%255s", agent.out) == 1;
}

static bool take_options(char *options)
{
	char *rest = NULL;
	if (options == NULL)
		return true;
	for (char *word = strtok_r(options, ",", &rest); word != NULL;
	     word = strtok_r(NULL, ",", &rest)) {
		if (!take_option(word)) {
			fprintf(stderr, "walk agent: no such option: %s\n", word);
			return false;
		}
	}
	return agent.depth >= 1 && agent.depth <= WALK_MAX_DEPTH && agent.max_stacks >= 1 &&
	       agent.max_stacks <= MAX_STACKS;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *java, char *options, void *reserved)
{
	static const jvmtiEventCallbacks callbacks = {
	    .VMInit = on_vm_init,
	    .VMDeath = on_vm_death,
	    .GarbageCollectionFinish = on_gc_finish,
	    .ClassFileLoadHook = walk_redefine_class_file,
	    .ClassPrepare = walk_redefine_class_prepare,
	    .SampledObjectAlloc = on_sample,
	};
	jvmtiCapabilities capabilities = {.can_generate_sampled_object_alloc_events = 1,
	    .can_get_source_file_name = 1,
	    .can_get_line_numbers = 1,
	    .can_generate_garbage_collection_events = 1};
	char words[512] = "";
	(void)reserved;
	if (options != NULL)
		snprintf(words, sizeof words, "%s", options);
	if (!take_options(words))
		return JNI_ERR;
	walk_redefine_class = agent.class_name;
	capabilities.can_retransform_classes = agent.class_name[0] != '\0';
	if ((*java)->GetEnv(java, (void **)&agent.jvmti, JVMTI_VERSION_11) != JNI_OK ||
	    (*agent.jvmti)->AddCapabilities(agent.jvmti, &capabilities) != JVMTI_ERROR_NONE ||
	    (*agent.jvmti)->SetEventCallbacks(agent.jvmti, &callbacks, (jint)sizeof callbacks) !=
		JVMTI_ERROR_NONE)
		return JNI_ERR;
	enable(JVMTI_EVENT_VM_INIT);
	enable(JVMTI_EVENT_VM_DEATH);
	if (agent.class_name[0] != '\0') {
		enable(JVMTI_EVENT_CLASS_PREPARE);
		enable(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
	}
	return JNI_OK;
}
