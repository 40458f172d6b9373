#include "thread_locals.h"

#include <stdio.h>
#include <string.h>

#include "chain_names.h"

enum { STATIC = 0x8 }; /* ACC_STATIC, The Java Virtual Machine Specification 4.5 */

/* Whether the field refers to the variable; its class, a local reference, has been initialized. */
static bool leads_to(const struct tag_space *s, jclass class_, jfieldID field, jobject variable)
{
	jint modifiers = 0;
	char *signature = NULL;
	if ((*s->jvmti)->GetFieldModifiers(s->jvmti, class_, field, &modifiers) !=
		JVMTI_ERROR_NONE ||
	    (modifiers & STATIC) == 0 ||
	    (*s->jvmti)->GetFieldName(s->jvmti, class_, field, NULL, &signature, NULL) !=
		JVMTI_ERROR_NONE)
		return false;
	bool same = false;
	if (signature[0] == 'L') {
		jobject value = (*s->jni)->GetStaticObjectField(s->jni, class_, field);
		same = (*s->jni)->IsSameObject(s->jni, value, variable) != JNI_FALSE;
		(*s->jni)->DeleteLocalRef(s->jni, value);
	}
	(*s->jvmti)->Deallocate(s->jvmti, (unsigned char *)signature);
	return same;
}

/* The class's static field that leads to the variable; false if there is none. */
static bool find_in_class(
    const struct tag_space *s, jclass class_, jobject variable, char *text, size_t size)
{
	jint status = 0, count = 0;
	jfieldID *fields = NULL;
	bool found = false;
	if ((*s->jvmti)->GetClassStatus(s->jvmti, class_, &status) != JVMTI_ERROR_NONE ||
	    (status & JVMTI_CLASS_STATUS_INITIALIZED) == 0 ||
	    (*s->jvmti)->GetClassFields(s->jvmti, class_, &count, &fields) != JVMTI_ERROR_NONE)
		return false;
	for (jint i = 0; i < count && !found; i++) {
		char *name = NULL;
		found = leads_to(s, class_, fields[i], variable) &&
			(*s->jvmti)->GetFieldName(s->jvmti, class_, fields[i], &name, NULL, NULL) ==
			    JVMTI_ERROR_NONE;
		if (found) {
			class_text(s, class_, text, size);
			const size_t used = strlen(text);
			snprintf(text + used, size - used, ".%s", name);
		}
		if (name != NULL)
			(*s->jvmti)->Deallocate(s->jvmti, (unsigned char *)name);
	}
	if (fields != NULL)
		(*s->jvmti)->Deallocate(s->jvmti, (unsigned char *)fields);
	return found;
}

static bool find(const struct tag_space *s, jobject variable, char *text, size_t size)
{
	bool found = false;
	for (uint32_t i = 0; i < s->count && !found; i++) {
		jclass class_ = s->classes[i].class_ == NULL
				    ? NULL
				    : (*s->jni)->NewLocalRef(s->jni, s->classes[i].class_);
		found = class_ != NULL && find_in_class(s, class_, variable, text, size);
		(*s->jni)->DeleteLocalRef(s->jni, class_);
	}
	return found;
}

/* A class of the JDK's own says nothing. */
static void name_class(const struct tag_space *s, jobject variable, char *text, size_t size)
{
	static const char prefix[] = "java.lang.";
	jclass class_ = (*s->jni)->GetObjectClass(s->jni, variable);
	class_text(s, class_, text, size);
	if (strncmp(text, prefix, sizeof prefix - 1) == 0)
		text[0] = '\0';
	(*s->jni)->DeleteLocalRef(s->jni, class_);
}

/* The entry's ThreadLocal, a local reference, or NULL. */
static jobject variable_of(const struct tag_space *s, uint32_t entry_node)
{
	JNIEnv *jni = s->jni;
	jobject entry = tag_space_object(s, (jlong)entry_node + 1);
	jclass reference = entry == NULL ? NULL : (*jni)->FindClass(jni, "java/lang/ref/Reference");
	jfieldID referent = reference == NULL ? NULL
					      : (*jni)->GetFieldID(jni, reference, "referent",
						    "Ljava/lang/Object;");
	jobject variable = referent == NULL ? NULL : (*jni)->GetObjectField(jni, entry, referent);
	if ((*jni)->ExceptionCheck(jni))
		(*jni)->ExceptionClear(jni);
	(*jni)->DeleteLocalRef(jni, reference);
	(*jni)->DeleteLocalRef(jni, entry);
	return variable;
}

const char *thread_local_name(
    struct thread_locals *all, const struct tag_space *s, uint32_t entry_node)
{
	jobject variable = variable_of(s, entry_node);
	if (variable == NULL)
		return "";
	for (uint32_t i = 0; i < all->count; i++) {
		if ((*s->jni)->IsSameObject(s->jni, all->found[i], variable)) {
			(*s->jni)->DeleteLocalRef(s->jni, variable);
			return all->name[i];
		}
	}
	if (all->count == THREAD_LOCALS) {
		(*s->jni)->DeleteLocalRef(s->jni, variable);
		return "";
	}
	char *name = all->name[all->count];
	all->found[all->count++] = variable;
	if (!find(s, variable, name, THREAD_LOCAL_NAME))
		name_class(s, variable, name, THREAD_LOCAL_NAME);
	return name;
}

void thread_locals_end(struct thread_locals *all, JNIEnv *jni)
{
	for (uint32_t i = 0; i < all->count; i++)
		(*jni)->DeleteLocalRef(jni, all->found[i]);
	all->count = 0;
}
