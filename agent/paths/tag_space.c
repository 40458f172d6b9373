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
	if (count >= TAG_NONE)
		return false;
	struct tagged_class *classes = gcs_realloc(s->classes, count * sizeof *classes);
	if (classes == NULL)
		return false;
	s->classes = classes;
	s->capacity = count;
	return true;
}

/* The java.lang.ref classes, the last with the referents that finalizers are for; and the class of class
 * loaders. */
enum { FINAL_CLASS = 3, REFERENCE_CLASSES, LOADER_CLASS = REFERENCE_CLASSES, KNOWN_CLASSES };

struct known_classes {
	jclass classes[KNOWN_CLASSES];
};

static void find_known_classes(JNIEnv *jni, struct known_classes *w)
{
	static const char *const names[KNOWN_CLASSES] = {"java/lang/ref/WeakReference",
	    "java/lang/ref/SoftReference", "java/lang/ref/PhantomReference",
	    "java/lang/ref/FinalReference", "java/lang/ClassLoader"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		w->classes[i] = (*jni)->FindClass(jni, names[i]);
		if (w->classes[i] == NULL)
			(*jni)->ExceptionClear(jni);
	}
}

static bool is_a(const struct tag_space *s, const struct known_classes *w, jclass class_, int known)
{
	return w->classes[known] != NULL &&
	       (*s->jni)->IsAssignableFrom(s->jni, class_, w->classes[known]) != JNI_FALSE;
}

/* The loaders of the program and of the JDK live as long as the JVM. */
static bool is_builtin_loader(const struct tag_space *s, jclass class_)
{
	static const char builtin[] = "Ljdk/internal/loader/ClassLoaders$";
	char *signature = NULL;
	const bool known =
	    (*s->jvmti)->GetClassSignature(s->jvmti, class_, &signature, NULL) == JVMTI_ERROR_NONE;
	const bool is = !known || strncmp(signature, builtin, sizeof builtin - 1) == 0;
	if (known)
		(*s->jvmti)->Deallocate(s->jvmti, (unsigned char *)signature);
	return is;
}

static struct tagged_class describe(
    const struct tag_space *s, const struct known_classes *w, jclass class_)
{
	struct tagged_class c = {.class_ = (*s->jni)->NewWeakGlobalRef(s->jni, class_),
	    .weak_field = TAG_NONE,
	    .loader = TAG_NONE};
	if (c.class_ == NULL)
		(*s->jni)->ExceptionClear(s->jni);
	for (int i = 0; i < REFERENCE_CLASSES && c.weak_field == TAG_NONE; i++)
		if (is_a(s, w, class_, i))
			c.weak_field = field_index(s->jvmti, s->jni, class_, "referent");
	c.finalizes = c.weak_field != TAG_NONE && is_a(s, w, class_, FINAL_CLASS);
	c.loads = is_a(s, w, class_, LOADER_CLASS) && !is_builtin_loader(s, class_);
	return c;
}

static bool add(struct tag_space *s, jclass class_, const struct known_classes *w)
{
	if (!reserve(s, s->count + 1))
		return false;
	if ((*s->jvmti)->SetTag(s->jvmti, class_, TAG_FIRST_CLASS + (jlong)s->count) !=
	    JVMTI_ERROR_NONE)
		return false;
	s->classes[s->count] = describe(s, w, class_);
	return s->classes[s->count++].class_ != NULL;
}

static enum gcs_status tag_classes(struct tag_space *s, struct gcs_error *err)
{
	struct known_classes known;
	jint count = 0;
	jclass *classes = NULL;
	bool ok = (*s->jvmti)->GetLoadedClasses(s->jvmti, &count, &classes) == JVMTI_ERROR_NONE;
	find_known_classes(s->jni, &known);
	ok = ok && reserve(s, (uint32_t)count + SPARE);
	for (jint i = 0; i < count; i++) {
		ok = ok && add(s, classes[i], &known);
		(*s->jni)->DeleteLocalRef(s->jni, classes[i]);
	}
	if (classes != NULL)
		(*s->jvmti)->Deallocate(s->jvmti, (unsigned char *)classes);
	return ok ? GCS_OK : gcs_fail(err, GCS_NOMEM, "no memory for the list of classes");
}

static void tag_own_thread(const struct tag_space *s)
{
	jthread own = NULL;
	if ((*s->jvmti)->GetCurrentThread(s->jvmti, &own) != JVMTI_ERROR_NONE)
		return;
	(void)(*s->jvmti)->SetTag(s->jvmti, own, TAG_OWN_THREAD);
	(*s->jni)->DeleteLocalRef(s->jni, own);
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
		tag_own_thread(s);
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
	for (uint32_t i = 0; i < s->count; i++)
		if (s->classes[i].class_ != NULL)
			(*s->jni)->DeleteWeakGlobalRef(s->jni, s->classes[i].class_);
	(*s->jni)->PopLocalFrame(s->jni, NULL);
	gcs_free(s->classes);
	*s = (struct tag_space){.jvmti = NULL};
}

uint32_t tag_space_note_class(struct tag_space *s, jlong *tag)
{
	if (s->count == s->capacity)
		return TAG_NONE;
	*tag = TAG_FIRST_CLASS + (jlong)s->count;
	s->classes[s->count] = (struct tagged_class){.weak_field = TAG_NONE, .loader = TAG_NONE};
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
	struct known_classes known;
	uint32_t i = s->count;
	if (!reserve(s, s->count + SPARE))
		return false;
	for (; i != 0 && s->classes[i - 1].class_ == NULL; i--)
		continue;
	if (i == s->count)
		return true;
	find_known_classes(s->jni, &known);
	for (; i < s->count; i++) {
		jclass class_ = tag_space_object(s, TAG_FIRST_CLASS + (jlong)i);
		if (class_ == NULL)
			continue;
		s->classes[i] = describe(s, &known, class_);
		(*s->jni)->DeleteLocalRef(s->jni, class_);
	}
	return true;
}

uint32_t tag_space_class(struct tag_space *s, jclass class_)
{
	struct known_classes known;
	jlong tag = 0;
	if ((*s->jvmti)->GetTag(s->jvmti, class_, &tag) == JVMTI_ERROR_NONE && tag != 0)
		return tag_class(s, tag);
	find_known_classes(s->jni, &known);
	return add(s, class_, &known) ? s->count - 1 : TAG_NONE;
}

struct stop {
	void (*at)(void *context);
	void *context;
	bool reached;
};

static jint JNICALL on_reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
    jlong class_tag, jlong referrer_class_tag, jlong size, jlong *tag, jlong *referrer_tag,
    jint length, void *context)
{
	struct stop *stop = context;
	(void)kind, (void)info, (void)class_tag, (void)referrer_class_tag, (void)size, (void)tag;
	(void)referrer_tag, (void)length;
	if (!stop->reached)
		stop->at(stop->context);
	stop->reached = true;
	return JVMTI_VISIT_ABORT;
}

/* From the roots, and tagged objects only: the cheapest walk, as java_threads.c says. The first is a
 * class. */
bool tag_space_pause(const struct tag_space *s, void (*at)(void *context), void *context)
{
	const jvmtiHeapCallbacks callbacks = {.heap_reference_callback = on_reference};
	struct stop stop = {at, context, false};
	return (*s->jvmti)->FollowReferences(s->jvmti, JVMTI_HEAP_FILTER_UNTAGGED, NULL, NULL,
		   &callbacks, &stop) == JVMTI_ERROR_NONE &&
	       stop.reached;
}
