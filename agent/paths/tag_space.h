/*
 * An environment of JVMTI for one question that needs tags: its classes have tags, and objects may
 * get some. Tags are gone when it ends, also with the JVM or with `gcspy detach`: disposing of an
 * environment clears them.
 *
 * On a thread that is attached to the JVM. Its references to the classes are weak: a class loader that
 * is garbage can be unloaded meanwhile.
 */
#ifndef GCSPY_AGENT_TAG_SPACE_H
#define GCSPY_AGENT_TAG_SPACE_H

#include <jvmti.h>

#include <stdbool.h>
#include <stdint.h>

#include <gcspy/status.h>

/* No class, no object. Numbers of both have 20 bits, for small nodes (climb.h). */
#define TAG_NONE 0xfffffu

/* Tags of classes begin here; smaller ones are those of objects, from 1 on. */
#define TAG_FIRST_CLASS ((jlong)1 << 40)

/* The tag of the thread that searches: its local references hold nothing of the program's. */
#define TAG_OWN_THREAD ((jlong)-1)

struct tagged_class {
	/* NULL: seen in a pause, not looked up yet. JVMTI refuses one that was unloaded; for JNI, make it a
	 * local reference first, which is then NULL. */
	jweak class_;
	/* A reference whose referent is no holder: the index of its field, else TAG_NONE. */
	uint32_t weak_field;
	bool finalizes;      /* that referent waits for its finalizer, or will: it is alive */
	uint8_t list_passes; /* that found its objects held by others of the class */
	bool climbed;        /* the last pass did */
	bool whole;          /* all its objects have been visited */
	uint32_t
	    list_least;  /* objects of a list that was too long to tag all, and is entered at one
				place; 0: none */
	bool fleeting;   /* one that held others was gone with the next pass */
	bool loads;      /* its objects are class loaders, and not the JDK's own three */
	uint32_t loader; /* the node of its loader while one is looked for, else TAG_NONE */
};

struct tag_space {
	jvmtiEnv *jvmti;
	JNIEnv *jni;
	struct tagged_class *classes;
	uint32_t count, capacity;
};

/* UNSUPPORTED if the JVM does not let a running program's objects be tagged. */
enum gcs_status tag_space_begin(
    struct tag_space *s, JavaVM *java, JNIEnv *jni, struct gcs_error *err);
void tag_space_end(struct tag_space *s);

/* Stops the program at a safepoint and calls `at` there, in the VM thread. False if the JVM does not. */
bool tag_space_pause(const struct tag_space *s, void (*at)(void *context), void *context);

/* The class of a tag, or TAG_NONE. In a pause, too. */
static inline uint32_t tag_class(const struct tag_space *s, jlong tag)
{
	return tag >= TAG_FIRST_CLASS && tag - TAG_FIRST_CLASS < (jlong)s->count
		   ? (uint32_t)(tag - TAG_FIRST_CLASS)
		   : TAG_NONE;
}

/* A class without a tag that a pause has come across: gives it one; TAG_NONE without room. */
uint32_t tag_space_note_class(struct tag_space *s, jlong *tag);

/* Looks up what was noted, and makes room for more. Outside of pauses. */
bool tag_space_settle(struct tag_space *s);

/* The class's number, added if it is new; TAG_NONE without memory. Outside of pauses. */
uint32_t tag_space_class(struct tag_space *s, jclass class_);

/* The object with that tag as a local reference, or NULL. Outside of pauses. */
jobject tag_space_object(const struct tag_space *s, jlong tag);

#endif
