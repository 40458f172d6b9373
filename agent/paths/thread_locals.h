/*
 * Which thread-local variable an entry of a java.lang.ThreadLocal$ThreadLocalMap has the value of: the static
 * field that leads to the ThreadLocal, which the entry refers to weakly (ThreadLocal.java). Static fields of all
 * initialized classes are looked at, some 0.1 s for 20,000 classes; not in a pause. For one search.
 */
#ifndef GCSPY_AGENT_THREAD_LOCALS_H
#define GCSPY_AGENT_THREAD_LOCALS_H

#include "tag_space.h"

/* Variables that are looked for; further ones are not named. */
enum { THREAD_LOCALS = 8, THREAD_LOCAL_NAME = 400 };

struct thread_locals {
	jobject found[THREAD_LOCALS]; /* local references */
	char name[THREAD_LOCALS][THREAD_LOCAL_NAME];
	uint32_t count;
};

/* "shop.Session.CURRENT", or the variable's own class where that tells more than java.lang.ThreadLocal; "" if
 * neither does, or the entry is gone. The text lives as long as `all`. */
const char *thread_local_name(
    struct thread_locals *all, const struct tag_space *s, uint32_t entry_node);

void thread_locals_end(struct thread_locals *all, JNIEnv *jni);

#endif
