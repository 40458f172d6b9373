/* A JNI library that allocates Java objects three C functions deep: a test of native frames. And one block of
 * C's own: a test of the Java frames below malloc. */
#include <jni.h>
#include <stdlib.h>

/* Called through these, so that no compiler makes one function of them. */
typedef jobject make_fn(JNIEnv *, jint);

static jobject inner_array(JNIEnv *jni, jint length)
{
	jobject made = (*jni)->NewIntArray(jni, length);
	return (*jni)->ExceptionCheck(jni) ? NULL : made;
}

static jobject inner_object(JNIEnv *jni, jint length)
{
	(void)length;
	jclass class_ = (*jni)->FindClass(jni, "java/util/Date");
	jobject made = class_ == NULL ? NULL : (*jni)->AllocObject(jni, class_);
	(*jni)->DeleteLocalRef(jni, class_);
	return (*jni)->ExceptionCheck(jni) ? NULL : made;
}

static make_fn *volatile innermost_array = inner_array;
static make_fn *volatile innermost_object = inner_object;

static jobject middle_function(JNIEnv *jni, jint length)
{
	jobject array = innermost_array(jni, length);
	jobject object = innermost_object(jni, length);
	return length % 2 == 0 ? array : object;
}

static make_fn *volatile middle = middle_function;

static jobject outer_function(JNIEnv *jni, jint length)
{
	jobject made = middle(jni, length);
	return (*jni)->ExceptionCheck(jni) ? NULL : made;
}

static make_fn *volatile outer = outer_function;

JNIEXPORT jobject JNICALL Java_Callers_make(JNIEnv *jni, jclass class_, jint length);

jobject Java_Callers_make(JNIEnv *jni, jclass class_, jint length)
{
	(void)class_;
	jobject made = outer(jni, length);
	return (*jni)->ExceptionCheck(jni) ? NULL : made;
}

/* Of Natives. */
JNIEXPORT jlong JNICALL Java_Natives_take(JNIEnv *jni, jclass class_, jint bytes);

static void *take_block(size_t bytes)
{
	return malloc(bytes);
}

static void *(*volatile take)(size_t bytes) = take_block;

jlong Java_Natives_take(JNIEnv *jni, jclass class_, jint bytes)
{
	(void)class_;
	void *block = take((size_t)bytes);
	return (*jni)->ExceptionCheck(jni) ? 0 : (jlong)(size_t)block;
}

/* Of Holders. */
JNIEXPORT void JNICALL Java_Holders_holdGlobally(JNIEnv *jni, jclass class_, jobject object);

void Java_Holders_holdGlobally(JNIEnv *jni, jclass class_, jobject object)
{
	(void)class_;
	(void)(*jni)->NewGlobalRef(jni, object);
}

JNIEXPORT void JNICALL Java_Holders_holdLocally(JNIEnv *jni, jclass class_, jint each);

void Java_Holders_holdLocally(JNIEnv *jni, jclass class_, jint each)
{
	const jmethodID make =
	    (*jni)->GetStaticMethodID(jni, class_, "makeInFrame", "()Ljava/lang/Object;");
	const jmethodID wait = (*jni)->GetStaticMethodID(jni, class_, "waitForEver", "()V");
	if (make == NULL || wait == NULL || (*jni)->EnsureLocalCapacity(jni, each) != 0)
		return;
	for (jint i = 0; i < each; i++)
		(void)(*jni)->CallStaticObjectMethod(jni, class_, make);
	(*jni)->CallStaticVoidMethod(jni, class_, wait);
}
