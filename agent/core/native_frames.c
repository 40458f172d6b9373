#include "native_frames.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "class_name_format.h"
#include "native_heap.h"
#include "vm_code.h"
#include "vm_names.h"
#include "vm_walk.h"

enum { MOST = 192, CLASS = 512, METHOD = 256, FILE_NAME = 128 };

static struct {
	JavaVM *java;
	const struct vm *vm;
	void (*set)(gcs_native_frames *frames, void *context); /* NULL: not begun */
} joined;

struct receiver {
	const struct vm *vm;
	void (*add)(void *stack, const struct gcs_frame *frame);
	void *stack;
};

static const char *copy(char *to, size_t bytes, const struct vm_text *text)
{
	const size_t kept = text->length < bytes ? text->length : bytes - 1;
	if (text->text != NULL)
		memcpy(to, text->text, kept);
	to[text->text == NULL ? 0 : kept] = '\0';
	return to;
}

static void add_note(const struct receiver *to, const char *words)
{
	const struct gcs_frame frame = {
	    .kind = GCS_FRAME_NOTE, .class_name = "", .method = words, .file = ""};
	to->add(to->stack, &frame);
}

static void add_method(const struct receiver *to, uint64_t method, int32_t index)
{
	char signature[CLASS], class[CLASS], name[METHOD], file[FILE_NAME];
	struct vm_method_name is;
	if (!vm_method_describe(to->vm, method, index, &is)) {
		add_note(to, "[not known]");
		return;
	}
	signature[0] = 'L';
	(void)copy(signature + 1, sizeof signature - 2, &is.class_name);
	strcat(signature, ";");
	(void)spell_class(signature, class, sizeof class);
	const struct gcs_frame frame = {
	    .kind = index < 0 ? GCS_FRAME_NATIVE_METHOD : GCS_FRAME_JAVA,
	    .class_name = class,
	    .method = copy(name, sizeof name, &is.method),
	    .file = copy(file, sizeof file, &is.file),
	    .line = is.line};
	to->add(to->stack, &frame);
}

/* A compiled frame is one of each method that is inlined there. */
static void add_compiled(const struct receiver *to, const struct vm_frame *frame)
{
	struct vm_code_methods inlined;
	const size_t count =
	    vm_code_methods(to->vm, (uintptr_t)frame->where, (uint32_t)frame->what, &inlined);
	for (size_t i = 0; i < count; i++)
		add_method(to, inlined.methods[i], inlined.indices[i]);
	if (count == 0)
		add_note(to, "[not known]");
}

static void add_frames(const struct receiver *to, const struct vm_frame *frames, uint32_t count)
{
	int32_t index;
	for (uint32_t i = 0; i < count; i++) {
		if (vm_frame_compiled(&frames[i]))
			add_compiled(to, &frames[i]);
		else if (vm_frame_index(to->vm, &frames[i], &index))
			add_method(to, frames[i].where, index);
		else
			add_note(to, "[not known]");
	}
}

/* Apart from its caller, whose frame is in the stack of every thread that allocates. */
__attribute__((noinline)) void native_frames_add(const struct vm *vm, const JNIEnv *env, bool meets,
    void (*add)(void *stack, const struct gcs_frame *frame), void *stack)
{
	const struct receiver to = {vm, add, stack};
	struct vm_frame frames[MOST];
	uint32_t count = 0;
	const enum vm_walk_end end = vm_walk(vm, env, frames, MOST, &count);
	if (end == VM_WALK_FROZEN || end < VM_WALK_NO_JAVA)
		add_frames(&to, frames, count);
	if (end == VM_WALK_MORE || end == VM_WALK_FROZEN)
		add_note(&to, "[more frames]");
	else if (end > VM_WALK_FROZEN || (end == VM_WALK_NO_JAVA && meets))
		add_note(&to, "[Java frames that are not known]");
}

/* What libunwind finds in Java code is a guess: the frames of C end there. */
static uint32_t join(void *context, const uint64_t *addresses, uint32_t count,
    void (*add)(void *stack, const struct gcs_frame *frame), void *stack)
{
	void *env = NULL;
	uint32_t native = 0;
	(void)context;
	while (native < count && !vm_code_contains(joined.vm, (uintptr_t)addresses[native]))
		native++;
	if ((*joined.java)->GetEnv(joined.java, &env, JNI_VERSION_1_8) == JNI_OK && env != NULL)
		native_frames_add(joined.vm, env, native < count, add, stack);
	return native;
}

const char *native_frames_begin(JavaVM *java, const struct vm *vm)
{
	const struct gcs_native_heap *table = native_heap_find();
	if (!vm_names_known(vm))
		return vm_has(vm, VM_STACK_WALK) ? "The JVM does not export the names of methods."
						 : vm_why(vm, VM_STACK_WALK);
	if (table == NULL ||
	    table->length < offsetof(struct gcs_native_heap, set_frames) + sizeof table->set_frames)
		return "libgcspymalloc.so is older than the agent.";
	joined.java = java;
	joined.vm = vm;
	joined.set = table->set_frames;
	joined.set(join, NULL);
	return NULL;
}

void native_frames_end(void)
{
	if (joined.set != NULL)
		joined.set(NULL, NULL);
	joined.set = NULL;
}
