#include "symbolizer.h"

#include <stdatomic.h>
#include <string.h>

#include <gcspy/memory.h>
#include <gcspy/profile.h>

#include "class_name_format.h"
#include "utf8.h"

enum { CACHE = 16384, MAX_SPELLED = 1024 };

/* One resolved frame: its key, xor-ed with a mix of the number so that halves of two entries, read
 * together, do not match, and the number plus 1. */
struct cached {
	atomic_uint_least64_t key;
	atomic_uint_least64_t frame;
};

struct symbolizer {
	struct stack_table *stack_table;
	struct cached *cache;
	uint32_t more; /* the stack that represents older frames */
};

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
	return x ^ x >> 32;
}

static uint32_t add_text(struct stack_table *d, const char *text)
{
	return stack_table_text(d, text, strlen(text));
}

struct symbolizer *symbolizer_create(struct stack_table *stack_table)
{
	struct symbolizer *n = gcs_zalloc(sizeof *n);
	if (n == NULL)
		return NULL;
	n->stack_table = stack_table;
	n->cache = gcs_zalloc(CACHE * sizeof *n->cache);
	if (n->cache == NULL) {
		gcs_free(n);
		return NULL;
	}
	struct stack_table_frame more = {.kind = GCS_FRAME_NOTE};
	more.class_name = more.file = add_text(stack_table, "");
	more.method = add_text(stack_table, "[more frames]");
	struct stack_table_stack root = {
	    STACK_TABLE_NONE, stack_table_add_frame(stack_table, &more)};
	n->more = stack_table_add_stack(stack_table, &root);
	return n;
}

void symbolizer_destroy(struct symbolizer *n)
{
	if (n == NULL)
		return;
	gcs_free(n->cache);
	gcs_free(n);
}

static void release(jvmtiEnv *jvmti, void *memory)
{
	if (memory != NULL)
		(*jvmti)->Deallocate(jvmti, memory);
}

static uint32_t ask_class(struct symbolizer *n, jvmtiEnv *jvmti, jclass class_)
{
	char spelled[MAX_SPELLED];
	char *signature = NULL;
	if (class_ == NULL ||
	    (*jvmti)->GetClassSignature(jvmti, class_, &signature, NULL) != JVMTI_ERROR_NONE)
		return add_text(n->stack_table, "?");
	utf8_from_java(signature);
	size_t length = spell_class(signature, spelled, sizeof spelled);
	release(jvmti, signature);
	return stack_table_text(n->stack_table, spelled, length);
}

static uint32_t line_of(jvmtiEnv *jvmti, jmethodID method, jlocation location)
{
	jint count = 0;
	jvmtiLineNumberEntry *table = NULL;
	uint32_t line = 0;
	jlocation start = -1;
	if (location < 0 ||
	    (*jvmti)->GetLineNumberTable(jvmti, method, &count, &table) != JVMTI_ERROR_NONE)
		return 0;
	for (jint i = 0; i < count; i++) {
		if (table[i].start_location > location || table[i].start_location < start)
			continue;
		start = table[i].start_location;
		line = (uint32_t)table[i].line_number;
	}
	release(jvmti, table);
	return line;
}

static uint32_t resolve(
    struct symbolizer *n, jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method, jlocation location)
{
	struct stack_table_frame frame = {
	    .kind = location < 0 ? GCS_FRAME_NATIVE_METHOD : GCS_FRAME_JAVA};
	char *text = NULL;
	jclass class_ = NULL;
	if ((*jvmti)->GetMethodName(jvmti, method, &text, NULL, NULL) != JVMTI_ERROR_NONE)
		text = NULL;
	utf8_from_java(text);
	frame.method = add_text(n->stack_table, text == NULL ? "?" : text);
	release(jvmti, text);
	if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class_) != JVMTI_ERROR_NONE)
		class_ = NULL;
	frame.class_name = ask_class(n, jvmti, class_);
	text = NULL;
	if (class_ == NULL || (*jvmti)->GetSourceFileName(jvmti, class_, &text) != JVMTI_ERROR_NONE)
		text = NULL;
	utf8_from_java(text);
	frame.file = add_text(n->stack_table, text == NULL ? "" : text);
	release(jvmti, text);
	if (class_ != NULL)
		(*jni)->DeleteLocalRef(jni, class_);
	frame.line = line_of(jvmti, method, location);
	return stack_table_add_frame(n->stack_table, &frame);
}

static bool cache_find(const struct symbolizer *n, uint64_t key, uint32_t *frame)
{
	const struct cached *c = &n->cache[mix(key) % CACHE];
	uint64_t kept = atomic_load_explicit(&c->key, memory_order_acquire);
	uint64_t number = atomic_load_explicit(&c->frame, memory_order_acquire);
	*frame = (uint32_t)number - 1;
	return number != 0 && (kept ^ mix(number)) == key;
}

static void cache_keep(struct symbolizer *n, uint64_t key, uint32_t frame)
{
	struct cached *c = &n->cache[mix(key) % CACHE];
	uint64_t number = (uint64_t)frame + 1;
	atomic_store_explicit(&c->key, key ^ mix(number), memory_order_release);
	atomic_store_explicit(&c->frame, number, memory_order_release);
}

static uint32_t frame_of(
    struct symbolizer *n, jvmtiEnv *jvmti, JNIEnv *jni, const jvmtiFrameInfo *frame)
{
	uint64_t key = mix((uint64_t)(uintptr_t)frame->method) + (uint64_t)frame->location;
	uint32_t number;
	if (cache_find(n, key, &number))
		return number;
	number = resolve(n, jvmti, jni, frame->method, frame->location);
	if (number != STACK_TABLE_NONE)
		cache_keep(n, key, number);
	return number;
}

/* Keys of classes differ from those of methods by another mix. */
uint32_t symbolizer_class(struct symbolizer *n, jvmtiEnv *jvmti, jclass class_, uint64_t identity)
{
	const uint64_t key = mix(identity ^ UINT64_C(0x5555555555555555));
	uint32_t name;
	if (identity == 0)
		return ask_class(n, jvmti, class_);
	if (cache_find(n, key, &name))
		return name;
	name = ask_class(n, jvmti, class_);
	if (name != STACK_TABLE_NONE)
		cache_keep(n, key, name);
	return name;
}

/* Keys of addresses differ from those of methods by another mix. */
static uint64_t native_key(uintptr_t ip)
{
	return mix(~(uint64_t)ip);
}

bool symbolizer_find_native(const struct symbolizer *n, uintptr_t ip, uint32_t *frame)
{
	bool found = cache_find(n, native_key(ip), frame);
	if (!found)
		*frame = STACK_TABLE_NONE;
	return found;
}

void symbolizer_keep_native(struct symbolizer *n, uintptr_t ip, uint32_t frame)
{
	cache_keep(n, native_key(ip), frame);
}

struct stack_table *symbolizer_stacks(const struct symbolizer *n)
{
	return n->stack_table;
}

/* Number of oldest frames equal to those of the memo. */
static uint32_t same_beginning(
    const struct symbolizer_memo *memo, const jvmtiFrameInfo *frames, uint32_t count)
{
	uint32_t same = 0;
	while (same < memo->count && same < count) {
		const jvmtiFrameInfo *f = &frames[count - 1 - same];
		if (f->method != memo->steps[same].method ||
		    f->location != memo->steps[same].location)
			break;
		same++;
	}
	return same;
}

/* Takes from the memo what it has of these frames; their number. */
static uint32_t take_memo(const struct symbolizer *n, const struct symbolizer_frames *f,
    struct symbolizer_memo *memo, uint32_t generation)
{
	const uint32_t all = (uint32_t)f->count;
	if (memo->of != n || memo->generation != generation || memo->truncated != f->truncated)
		memo->count = 0;
	memo->of = n;
	memo->generation = generation;
	memo->truncated = f->truncated;
	memo->count = same_beginning(memo, f->frames, all);
	for (uint32_t i = 0; i < memo->count; i++)
		f->stacks[all - 1 - i] = memo->steps[i].stack;
	return memo->count;
}

static void keep_memo(
    struct symbolizer_memo *memo, uint32_t i, const jvmtiFrameInfo *frame, uint32_t stack)
{
	if (i >= SYMBOLIZER_MEMO)
		return;
	memo->steps[i].method = frame->method;
	memo->steps[i].location = frame->location;
	memo->steps[i].stack = stack;
	memo->count = i + 1;
}

uint32_t symbolizer_stack(struct symbolizer *n, jvmtiEnv *jvmti, JNIEnv *jni,
    const struct symbolizer_frames *f, struct symbolizer_memo *memo, uint32_t generation)
{
	const uint32_t all = (uint32_t)f->count;
	const bool whole = f->base == STACK_TABLE_NONE;
	uint32_t stack = f->truncated ? n->more : f->base;
	const uint32_t same = whole ? take_memo(n, f, memo, generation) : 0;
	if (same != 0)
		stack = memo->steps[same - 1].stack;
	/* First all frames, which do not depend on each other: their cache misses overlap. */
	for (uint32_t i = 0; i < all - same; i++)
		f->stacks[i] = frame_of(n, jvmti, jni, &f->frames[i]);
	for (uint32_t i = all - same; i-- > 0;) {
		const struct stack_table_stack next = {stack, f->stacks[i]};
		stack = stack_table_add_stack(n->stack_table, &next);
		if (stack == STACK_TABLE_NONE)
			return STACK_TABLE_NONE;
		f->stacks[i] = stack;
		if (whole)
			keep_memo(memo, all - 1 - i, &f->frames[i], stack);
	}
	return stack;
}

void symbolizer_thread(struct symbolizer *n, jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
    uint32_t *name, uint32_t *group)
{
	char spelled[MAX_SPELLED];
	jvmtiThreadInfo info = {0};
	if ((*jvmti)->GetThreadInfo(jvmti, thread, &info) != JVMTI_ERROR_NONE) {
		*name = *group = add_text(n->stack_table, "?");
		return;
	}
	utf8_from_java(info.name);
	const char *text = info.name == NULL || info.name[0] == '\0' ? "(unnamed)" : info.name;
	size_t length = spell_thread_group(text, spelled, sizeof spelled);
	*name = add_text(n->stack_table, text);
	*group = stack_table_text(n->stack_table, spelled, length);
	release(jvmti, info.name);
	if (info.thread_group != NULL)
		(*jni)->DeleteLocalRef(jni, info.thread_group);
	if (info.context_class_loader != NULL)
		(*jni)->DeleteLocalRef(jni, info.context_class_loader);
}
