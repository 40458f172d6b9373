/*
 * An agent that holds what only one agent can have, the sampling of allocations, and gives it back.
 * Loaded with "take" or "give", again and again; writes the result to standard error.
 */
#include <jvmti.h>
#include <stdio.h>
#include <string.h>

static jvmtiEnv *jvmti;

static jint act(JavaVM *java, const char *options)
{
	jvmtiCapabilities sampling = {.can_generate_sampled_object_alloc_events = 1};
	jvmtiError error;
	if (jvmti == NULL && (*java)->GetEnv(java, (void **)&jvmti, JVMTI_VERSION_11) != JNI_OK)
		return JNI_ERR;
	if (options != NULL && strcmp(options, "give") == 0) {
		error = (*jvmti)->RelinquishCapabilities(jvmti, &sampling);
		fprintf(stderr, "rival: gave, %d\n", (int)error);
	} else {
		error = (*jvmti)->AddCapabilities(jvmti, &sampling);
		fprintf(stderr, "rival: %s, %d\n", error == 0 ? "took" : "refused", (int)error);
	}
	return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *java, char *options, void *reserved)
{
	(void)reserved;
	return act(java, options);
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *java, char *options, void *reserved)
{
	(void)reserved;
	return act(java, options);
}
