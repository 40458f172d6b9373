/*
 * Loads the agent as a JVM does, resolving each of its symbols, and calls Agent_OnLoad with a virtual
 * machine that has no JVMTI; prints what it returns.
 *
 *     load-agent LIBRARY OPTIONS
 */
#include <dlfcn.h>
#include <jni.h>
#include <stdio.h>
#include <string.h>

static jint JNICALL has_nothing(JavaVM *java, void **place, jint version)
{
	(void)java;
	(void)version;
	*place = NULL;
	return JNI_EVERSION;
}

int main(int argc, char **argv)
{
	const struct JNIInvokeInterface_ functions = {.GetEnv = has_nothing};
	JavaVM java = &functions;
	jint(JNICALL * on_load)(JavaVM *, char *, void *);
	void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	void *symbol = library == NULL ? NULL : dlsym(library, "Agent_OnLoad");
	if (symbol == NULL || dlsym(library, "Agent_OnAttach") == NULL) {
		fprintf(stderr, "load-agent: %s\n", argc == 3 ? dlerror() : "LIBRARY OPTIONS");
		return 1;
	}
	memcpy(&on_load, &symbol, sizeof on_load);
	printf("returned %d\n", (int)on_load(&java, argv[2], NULL));
	return 0;
}
