#include "thread_stack.h"

#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>
#include <gcspy/plugin.h>

#include "class_name_format.h"
#include "utf8.h"

enum { COLUMN_CLASS, COLUMN_METHOD, COLUMN_FILE, COLUMN_LINE, COLUMNS };

/* Longer names are cut. */
struct frame_texts {
	char class_name[400];
	char method[200];
	char file[200];
};

struct stack {
	jvmtiFrameInfo frames[THREAD_STACK_MOST];
	struct frame_texts texts[THREAD_STACK_MOST];
	struct gcs_cell cells[THREAD_STACK_MOST][COLUMNS];
};

static void release(jvmtiEnv *jvmti, void *memory)
{
	if (memory != NULL)
		(*jvmti)->Deallocate(jvmti, memory);
}

/* "?" if the JVM does not say: the class may have been unloaded meanwhile. */
static void name_class(jvmtiEnv *jvmti, jclass class_, char *text, size_t size)
{
	char *signature = NULL;
	if (class_ != NULL &&
	    (*jvmti)->GetClassSignature(jvmti, class_, &signature, NULL) == JVMTI_ERROR_NONE) {
		utf8_from_java(signature);
		(void)spell_class(signature, text, size);
	} else
		snprintf(text, size, "?");
	release(jvmti, signature);
}

/* 0: not known. */
static jint line_at(jvmtiEnv *jvmti, const jvmtiFrameInfo *frame)
{
	jint count = 0, line = 0;
	jvmtiLineNumberEntry *table = NULL;
	jlocation start = -1;
	if (frame->location < 0 ||
	    (*jvmti)->GetLineNumberTable(jvmti, frame->method, &count, &table) != JVMTI_ERROR_NONE)
		return 0;
	for (jint i = 0; i < count; i++) {
		if (table[i].start_location > frame->location || table[i].start_location < start)
			continue;
		start = table[i].start_location;
		line = table[i].line_number;
	}
	release(jvmti, table);
	return line;
}

static void describe_frame(jvmtiEnv *jvmti, JNIEnv *jni, const jvmtiFrameInfo *frame,
    struct frame_texts *texts, struct gcs_cell *cells)
{
	jclass class_ = NULL;
	char *text = NULL;
	if ((*jvmti)->GetMethodDeclaringClass(jvmti, frame->method, &class_) != JVMTI_ERROR_NONE)
		class_ = NULL;
	name_class(jvmti, class_, texts->class_name, sizeof texts->class_name);
	if ((*jvmti)->GetMethodName(jvmti, frame->method, &text, NULL, NULL) != JVMTI_ERROR_NONE)
		text = NULL;
	utf8_from_java(text);
	snprintf(texts->method, sizeof texts->method, "%s", text == NULL ? "?" : text);
	release(jvmti, text);
	text = NULL;
	if (class_ == NULL || (*jvmti)->GetSourceFileName(jvmti, class_, &text) != JVMTI_ERROR_NONE)
		text = NULL;
	snprintf(texts->file, sizeof texts->file, "%s",
	    frame->location < 0 ? "native method"
	    : text == NULL      ? ""
				: text);
	release(jvmti, text);
	if (class_ != NULL)
		(*jni)->DeleteLocalRef(jni, class_);
	const jint line = line_at(jvmti, frame);
	cells[COLUMN_CLASS].text = texts->class_name;
	cells[COLUMN_METHOD].text = texts->method;
	cells[COLUMN_FILE].text = texts->file;
	cells[COLUMN_LINE] = (struct gcs_cell){.number = line, .absent = line == 0};
}

static const char *state_of(jvmtiEnv *jvmti, jthread thread)
{
	jint state = 0;
	if ((*jvmti)->GetThreadState(jvmti, thread, &state) != JVMTI_ERROR_NONE)
		return "state unknown";
	if ((state & JVMTI_THREAD_STATE_SUSPENDED) != 0)
		return "suspended";
	if ((state & JVMTI_THREAD_STATE_IN_NATIVE) != 0)
		return "in native code";
	if ((state & JVMTI_THREAD_STATE_SLEEPING) != 0)
		return "sleeping";
	if ((state & JVMTI_THREAD_STATE_PARKED) != 0)
		return "parked";
	if ((state & JVMTI_THREAD_STATE_WAITING) != 0)
		return "waiting";
	if ((state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER) != 0)
		return "blocked on a monitor";
	return "runnable";
}

static enum gcs_status encode(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, const char *name,
    jint depth, struct stack *stack, void **bytes, size_t *length, struct gcs_error *err)
{
	static const struct gcs_column columns[COLUMNS] = {
	    [COLUMN_CLASS] = {"Class", GCS_COLUMN_TEXT, GCS_DECIMAL},
	    [COLUMN_METHOD] = {"Method", GCS_COLUMN_TEXT, GCS_DECIMAL},
	    [COLUMN_FILE] = {"File", GCS_COLUMN_TEXT, GCS_DECIMAL},
	    [COLUMN_LINE] = {"Line", GCS_COLUMN_NUMBER, GCS_DECIMAL},
	};
	char title[500];
	jint count = 0, whole = 0;
	const jvmtiError error =
	    (*jvmti)->GetStackTrace(jvmti, thread, 0, depth, stack->frames, &count);
	if (error != JVMTI_ERROR_NONE)
		return gcs_fail(err, GCS_STATE,
		    error == JVMTI_ERROR_THREAD_NOT_ALIVE
			? "the thread has ended"
			: "the JVM gives no stack: JVMTI error %d",
		    (int)error);
	for (jint i = 0; i < count; i++)
		describe_frame(jvmti, jni, &stack->frames[i], &stack->texts[i], stack->cells[i]);
	const bool cut = count == depth &&
			 (*jvmti)->GetFrameCount(jvmti, thread, &whole) == JVMTI_ERROR_NONE &&
			 whole > count;
	snprintf(title, sizeof title, "%.300s, %s, %d frame%s%s", name, state_of(jvmti, thread),
	    (int)count, count == 1 ? "" : "s", cut ? ", and older ones" : "");
	return gcs_table_encode(&(struct gcs_table){.title = title,
				    .column_count = COLUMNS,
				    .columns = columns,
				    .row_count = (uint32_t)count,
				    .cells = &stack->cells[0][0]},
	    bytes, length, err);
}

/* Appends a name to a list in a message. */
static void list_name(char *list, size_t size, const char *name)
{
	const size_t used = strlen(list);
	if (used + strlen(name) + 8 < size)
		snprintf(list + used, size - used, "%s%s", used == 0 ? "" : ", ", name);
	else if (used != 0 && list[used - 1] != '.')
		snprintf(list + used, size - used, " ...");
}

/* Whether the thread has that name; its name is added to the list. */
static bool has_name(
    jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, const char *name, char *list, size_t size)
{
	jvmtiThreadInfo info = {0};
	if ((*jvmti)->GetThreadInfo(jvmti, thread, &info) != JVMTI_ERROR_NONE)
		return false;
	utf8_from_java(info.name);
	const bool same = info.name != NULL && strcmp(info.name, name) == 0;
	if (info.name != NULL)
		list_name(list, size, info.name);
	release(jvmti, info.name);
	if (info.thread_group != NULL)
		(*jni)->DeleteLocalRef(jni, info.thread_group);
	if (info.context_class_loader != NULL)
		(*jni)->DeleteLocalRef(jni, info.context_class_loader);
	return same;
}

enum gcs_status thread_stack_answer(jvmtiEnv *jvmti, JNIEnv *jni, const char *name, jint depth,
    void **bytes, size_t *length, struct gcs_error *err)
{
	char list[200] = "";
	jint count = 0;
	jthread *threads = NULL, found = NULL;
	struct stack *stack = gcs_alloc(sizeof *stack);
	enum gcs_status status;
	if (stack == NULL || (*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE) {
		gcs_free(stack);
		return gcs_fail(err, GCS_NOMEM, "no memory for a stack");
	}
	for (jint i = 0; i < count; i++) {
		if (found == NULL && has_name(jvmti, jni, threads[i], name, list, sizeof list))
			found = threads[i];
		else
			(*jni)->DeleteLocalRef(jni, threads[i]);
	}
	if (found == NULL)
		status =
		    gcs_fail(err, GCS_ARGUMENT, "no thread \"%.60s\"; there are %s", name, list);
	else
		status = encode(jvmti, jni, found, name, depth, stack, bytes, length, err);
	if (found != NULL)
		(*jni)->DeleteLocalRef(jni, found);
	release(jvmti, threads);
	gcs_free(stack);
	return status;
}
