#include "walk_names.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "class_name_format.h"
#include "native_frames.h"
#include "walk.h"

static atomic_ullong named, misnamed, unnamed;

struct named {
	jvmtiEnv *jvmti;
	JNIEnv *jni;
	jvmtiFrameInfo frames[WALK_MAX_DEPTH];
	jint count, at;
	bool wrong, cut;
	char words[1200];
};

static uint32_t line_of(jvmtiEnv *jvmti, const jvmtiFrameInfo *frame)
{
	jvmtiLineNumberEntry *table = NULL;
	jint count = 0;
	uint32_t line = 0;
	if (frame->location < 0 ||
	    (*jvmti)->GetLineNumberTable(jvmti, frame->method, &count, &table) != JVMTI_ERROR_NONE)
		return 0;
	jlocation start = -1;
	for (jint i = 0; i < count; i++) {
		if (table[i].start_location > frame->location || table[i].start_location < start)
			continue;
		start = table[i].start_location;
		line = (uint32_t)table[i].line_number;
	}
	(*jvmti)->Deallocate(jvmti, (unsigned char *)table);
	return line;
}

/* Compares a frame with the next one of JVMTI's. */
static void check_name(void *context, const struct gcs_frame *frame)
{
	struct named *n = context;
	jvmtiEnv *jvmti = n->jvmti;
	char *name = NULL, *signature = NULL, *file = NULL, class_name[512];
	jclass class = NULL;
	if (frame->kind == GCS_FRAME_NOTE) {
		n->cut = true;
		return;
	}
	if (n->cut || n->at == n->count) {
		n->wrong = n->wrong || n->count < 192; /* that is where native stacks end */
		return;
	}
	const jvmtiFrameInfo *is = &n->frames[n->at++];
	(*jvmti)->GetMethodName(jvmti, is->method, &name, NULL, NULL);
	(*jvmti)->GetMethodDeclaringClass(jvmti, is->method, &class);
	(*jvmti)->GetClassSignature(jvmti, class, &signature, NULL);
	(*jvmti)->GetSourceFileName(jvmti, class, &file);
	(void)spell_class(signature, class_name, sizeof class_name);
	const bool wrong = strcmp(class_name, frame->class_name) != 0 ||
			   strcmp(name, frame->method) != 0 ||
			   strcmp(file == NULL ? "" : file, frame->file) != 0 ||
			   line_of(jvmti, is) != frame->line ||
			   (is->location < 0) != (frame->kind == GCS_FRAME_NATIVE_METHOD);
	if (wrong && !n->wrong)
		snprintf(n->words, sizeof n->words, "%s.%s %s:%u is %s.%s %s:%u", frame->class_name,
		    frame->method, frame->file, frame->line, class_name, name,
		    file == NULL ? "" : file, line_of(jvmti, is));
	n->wrong = n->wrong || wrong;
	(*jvmti)->Deallocate(jvmti, (unsigned char *)name);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)file);
	(*n->jni)->DeleteLocalRef(n->jni, class);
}

void walk_names_check(const struct vm *vm, jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	/* A class may be redefined in between. */
	for (int turn = 0;; turn++) {
		struct named n = {.jvmti = jvmti, .jni = jni};
		if ((*jvmti)->GetStackTrace(jvmti, thread, 0, WALK_MAX_DEPTH, n.frames, &n.count) !=
		    JVMTI_ERROR_NONE)
			return;
		native_frames_add(vm, jni, n.count != 0, check_name, &n);
		atomic_fetch_add(n.cut ? &unnamed : &named, turn == 0);
		if (!n.wrong && (n.cut || n.at == n.count || n.at == 192))
			return;
		if (turn == 2) {
			if (atomic_fetch_add(&misnamed, 1) < 3)
				fprintf(stderr, "misnamed: %d of %d: %s\n", (int)n.at, (int)n.count,
				    n.words);
			return;
		}
	}
}

void walk_names_print(FILE *to)
{
	fprintf(to, "walk named=%llu misnamed=%llu unnamed=%llu\n", atomic_load(&named),
	    atomic_load(&misnamed), atomic_load(&unnamed));
}
