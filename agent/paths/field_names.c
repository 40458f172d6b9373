#include "field_names.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* More than the classes of any program have. */
enum { MOST_INTERFACES = 512, MOST_SUPERCLASSES = 128 };

static void release(jvmtiEnv *jvmti, void *memory)
{
	if (memory != NULL)
		(*jvmti)->Deallocate(jvmti, memory);
}

static uint32_t field_count(jvmtiEnv *jvmti, jclass class_)
{
	jint count = 0;
	jfieldID *fields = NULL;
	if ((*jvmti)->GetClassFields(jvmti, class_, &count, &fields) != JVMTI_ERROR_NONE)
		return 0;
	release(jvmti, fields);
	return (uint32_t)count;
}

struct interfaces {
	jclass seen[MOST_INTERFACES];
	uint32_t count;
};

/* Adds the interfaces that a class names itself, each once; takes their references. */
static void add_direct(jvmtiEnv *jvmti, JNIEnv *jni, jclass class_, struct interfaces *all)
{
	jint count = 0;
	jclass *direct = NULL;
	if ((*jvmti)->GetImplementedInterfaces(jvmti, class_, &count, &direct) != JVMTI_ERROR_NONE)
		return;
	for (jint i = 0; i < count; i++) {
		bool known = all->count == MOST_INTERFACES;
		for (uint32_t k = 0; !known && k < all->count; k++)
			known = (*jni)->IsSameObject(jni, all->seen[k], direct[i]) != JNI_FALSE;
		if (known)
			(*jni)->DeleteLocalRef(jni, direct[i]);
		else
			all->seen[all->count++] = direct[i];
	}
	release(jvmti, direct);
}

/* The class and its superclasses; frees none of the references. */
static uint32_t list_classes(JNIEnv *jni, jclass class_, jclass *list)
{
	uint32_t count = 0;
	for (jclass at = (*jni)->NewLocalRef(jni, class_); at != NULL && count < MOST_SUPERCLASSES;
	     at = (*jni)->GetSuperclass(jni, at))
		list[count++] = at;
	return count;
}

/* The number of the first field of java.lang.Object. */
static uint32_t interface_fields(
    jvmtiEnv *jvmti, JNIEnv *jni, const jclass *classes, uint32_t class_count)
{
	struct interfaces all = {.count = 0};
	uint32_t fields = 0;
	for (uint32_t i = 0; i < class_count; i++)
		add_direct(jvmti, jni, classes[i], &all);
	/* Grows with their own. */
	for (uint32_t i = 0; i < all.count; i++)
		add_direct(jvmti, jni, all.seen[i], &all);
	for (uint32_t i = 0; i < all.count; i++) {
		fields += field_count(jvmti, all.seen[i]);
		(*jni)->DeleteLocalRef(jni, all.seen[i]);
	}
	return fields;
}

static void delete_all(JNIEnv *jni, jclass *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		(*jni)->DeleteLocalRef(jni, list[i]);
}

static void write_name(jvmtiEnv *jvmti, jclass class_, uint32_t position, char *text, size_t size)
{
	jint count = 0;
	jfieldID *fields = NULL;
	char *name = NULL;
	if ((*jvmti)->GetClassFields(jvmti, class_, &count, &fields) == JVMTI_ERROR_NONE &&
	    position < (uint32_t)count &&
	    (*jvmti)->GetFieldName(jvmti, class_, fields[position], &name, NULL, NULL) ==
		JVMTI_ERROR_NONE)
		snprintf(text, size, "%s", name);
	release(jvmti, name);
	release(jvmti, fields);
}

void field_name(
    jvmtiEnv *jvmti, JNIEnv *jni, jclass class_, uint32_t index, char *text, size_t size)
{
	jclass list[MOST_SUPERCLASSES];
	const uint32_t count = list_classes(jni, class_, list);
	uint32_t first = interface_fields(jvmti, jni, list, count);
	snprintf(text, size, "?");
	for (uint32_t i = count; i-- > 0 && index >= first;) {
		const uint32_t fields = field_count(jvmti, list[i]);
		if (index - first < fields) {
			write_name(jvmti, list[i], index - first, text, size);
			break;
		}
		first += fields;
	}
	delete_all(jni, list, count);
}

/* The position of a name among the class's own fields, or UINT32_MAX. */
static uint32_t position_of(jvmtiEnv *jvmti, jclass class_, const char *name)
{
	uint32_t found = UINT32_MAX;
	jint count = 0;
	jfieldID *fields = NULL;
	if ((*jvmti)->GetClassFields(jvmti, class_, &count, &fields) != JVMTI_ERROR_NONE)
		return found;
	for (jint i = 0; found == UINT32_MAX && i < count; i++) {
		char *own = NULL;
		if ((*jvmti)->GetFieldName(jvmti, class_, fields[i], &own, NULL, NULL) ==
			JVMTI_ERROR_NONE &&
		    strcmp(own, name) == 0)
			found = (uint32_t)i;
		release(jvmti, own);
	}
	release(jvmti, fields);
	return found;
}

uint32_t field_index(jvmtiEnv *jvmti, JNIEnv *jni, jclass class_, const char *name)
{
	jclass list[MOST_SUPERCLASSES];
	const uint32_t count = list_classes(jni, class_, list);
	uint32_t first = interface_fields(jvmti, jni, list, count), found = UINT32_MAX;
	uint32_t owner = 0;
	for (uint32_t i = count; i-- > 0;) {
		const uint32_t position = position_of(jvmti, list[i], name);
		if (found == UINT32_MAX && position != UINT32_MAX) {
			found = position;
			owner = i;
		}
	}
	for (uint32_t i = count; found != UINT32_MAX && i-- > owner + 1;)
		first += field_count(jvmti, list[i]);
	delete_all(jni, list, count);
	return found == UINT32_MAX ? found : first + found;
}
