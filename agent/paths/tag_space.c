#include "tag_space.h"

#include <string.h>

#include <gcspy/memory.h>

#include "field_names.h"

/* Room for classes that are loaded meanwhile. */
enum { SPARE = 64 };

static bool reserve(struct tag_space *s, uint32_t count)
{
	if (count <= s->capacity)
		return true;
	struct tagged_class *classes = gcs_realloc(s->classes, count * sizeof *classes);
	if (classes == NULL)
		return false;
	s->classes = classes;
	s->capacity = count;
	return true;
}

/* The java.lang.ref classes whose referents are no holders: an object that waits for its finalizer
 * is alive. */
struct weak_classes {
	jclass classes[3];
};

static void find_weak_classes(JNIEnv *jni, struct weak_classes *w)
{
	static const char *const names[] = {"java/lang/ref/WeakReference",
	    "java/lang/ref/SoftReference", "java/lang/ref/PhantomReference"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		w->classes[i] = (*jni)->FindClass(jni, names[i]);
		if (w->classes[i] == NULL)
			(*jni)->ExceptionClear(jni);
	}
}

static uint32_t weak_field_of(
    const struct tag_space *s, const struct weak_classes *w, jclass class_)
{
	for (size_t i = 0; i < sizeof w->classes / sizeof w->classes[0]; i++)
		if (w->classes[i] != NULL &&
		    (*s->jni)->IsAssignableFrom(s->jni, class_, w->classes[i]) != JNI_FALSE)
			return field_index(s->jvmti, s->jni, class_, "referent");
	return TAG_NONE;
}

static bool add(struct tag_space *s, jclass class_, const struct weak_classes *w)
{
	if (!reserve(s, s->count + 1))
		return false;
	if ((*s->jvmti)->SetTag(s->jvmti, class_, TAG_FIRST_CLASS + (jlong)s->count) !=
	    JVMTI_ERROR_NONE)
		return false;
	s->classes[s->count++] =
	    (struct tagged_class){.class_ = class_, .weak_field = weak_field_of(s, w, class_)};
	return true;
}

static enum gcs_status tag_classes(struct tag_space *s, struct gcs_error *err)
{
	struct weak_classes weak;
	jint count = 0;
	jclass *classes = NULL;
	bool ok = (*s->jvmti)->GetLoadedClasses(s->jvmti, &count, &classes) == JVMTI_ERROR_NONE;
	find_weak_classes(s->jni, &weak);
	ok = ok && reserve(s, (uint32_t)count + SPARE);
	for (jint i = 0; ok && i < count; i++)
		ok = add(s, classes[i], &weak);
	if (classes != NULL)
		(*s->jvmti)->Deallocate(s->jvmti, (unsigned char *)classes);
	return ok ? GCS_OK : gcs_fail(err, GCS_NOMEM, "no memory for the list of classes");
}

enum gcs_status tag_space_begin(
    struct tag_space *s, JavaVM *java, JNIEnv *jni, struct gcs_error *err)
{
	enum { LOCALS = 64 };
	jvmtiCapabilities tags = {.can_tag_objects = 1};
	jvmtiCapabilities lines = {.can_get_line_numbers = 1};
	jvmtiCapabilities files = {.can_get_source_file_name = 1};
	*s = (struct tag_space){.jni = jni};
	if ((*java)->GetEnv(java, (void **)&s->jvmti, JVMTI_VERSION_11) != JNI_OK) {
		s->jvmti = NULL;
		return gcs_fail(err, GCS_UNSUPPORTED, "the JVM has no further JVMTI environment");
	}
	const jvmtiError error = (*s->jvmti)->AddCapabilities(s->jvmti, &tags);
	if (error == JVMTI_ERROR_NONE && (*jni)->PushLocalFrame(jni, LOCALS) == 0) {
		(void)(*s->jvmti)->AddCapabilities(s->jvmti, &lines);
		(void)(*s->jvmti)->AddCapabilities(s->jvmti, &files);
		if (tag_classes(s, err) == GCS_OK)
			return GCS_OK;
		tag_space_end(s);
		return err->status;
	}
	(*jni)->ExceptionClear(jni);
	(*s->jvmti)->DisposeEnvironment(s->jvmti);
	s->jvmti = NULL;
	return gcs_fail(err, GCS_UNSUPPORTED,
	    "this JVM does not let objects of a running program be tagged: JVMTI error %d",
	    (int)error);
}

void tag_space_end(struct tag_space *s)
{
	if (s->jvmti == NULL)
		return;
	(*s->jvmti)->DisposeEnvironment(s->jvmti);
	(*s->jni)->PopLocalFrame(s->jni, NULL);
	gcs_free(s->classes);
	*s = (struct tag_space){.jvmti = NULL};
}

uint32_t tag_space_note_class(struct tag_space *s, jlong *tag)
{
	if (s->count == s->capacity)
		return TAG_NONE;
	*tag = TAG_FIRST_CLASS + (jlong)s->count;
	s->classes[s->count] = (struct tagged_class){.weak_field = TAG_NONE};
	return s->count++;
}

jobject tag_space_object(const struct tag_space *s, jlong tag)
{
	jint count = 0;
	jobject *objects = NULL, first = NULL;
	if ((*s->jvmti)->GetObjectsWithTags(s->jvmti, 1, &tag, &count, &objects, NULL) !=
	    JVMTI_ERROR_NONE)
		return NULL;
	for (jint i = 0; i < count; i++) {
		if (i == 0)
			first = objects[i];
		else
			(*s->jni)->DeleteLocalRef(s->jni, objects[i]);
	}
	(*s->jvmti)->Deallocate(s->jvmti, (unsigned char *)objects);
	return first;
}

bool tag_space_settle(struct tag_space *s)
{
	struct weak_classes weak;
	uint32_t i = s->count;
	if (!reserve(s, s->count + SPARE))
		return false;
	for (; i != 0 && s->classes[i - 1].class_ == NULL; i--)
		continue;
	if (i == s->count)
		return true;
	find_weak_classes(s->jni, &weak);
	for (; i < s->count; i++) {
		struct tagged_class *c = &s->classes[i];
		c->class_ = tag_space_object(s, TAG_FIRST_CLASS + (jlong)i);
		if (c->class_ != NULL)
			c->weak_field = weak_field_of(s, &weak, c->class_);
	}
	return true;
}

uint32_t tag_space_class(struct tag_space *s, jclass class_)
{
	struct weak_classes weak;
	jlong tag = 0;
	if ((*s->jvmti)->GetTag(s->jvmti, class_, &tag) == JVMTI_ERROR_NONE && tag != 0)
		return tag_class(s, tag);
	find_weak_classes(s->jni, &weak);
	/* A reference of its own: the caller's may be deleted. */
	jclass own = (*s->jni)->NewLocalRef(s->jni, class_);
	return own != NULL && add(s, own, &weak) ? s->count - 1 : TAG_NONE;
}
