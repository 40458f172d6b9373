/*
 * Runtime frames: what the JVM puts between the methods of a program differs from version to
 * version (JEP 181, 371, 416) and says nothing about the program. Ordinary JDK classes are not
 * among them: a program calls those by name.
 */
#include "runtime_frames.h"

#include <stdio.h>
#include <string.h>

#include "sites.h"

const struct runtime_frame_rule runtime_frame_rules[] = {
    {RUNTIME_FRAME_PREFIX, "java.lang.invoke.",
	"method handles, lambda forms and the linkage of lambdas and string concatenation"},
    {RUNTIME_FRAME_PREFIX, "jdk.internal.reflect.",
	"accessors behind reflection, written or generated"},
    {RUNTIME_FRAME_PREFIX, "sun.reflect.", "the same before JDK 9"},
    {RUNTIME_FRAME_METHOD, "java.lang.reflect.Method.invoke", "a reflective call on its way"},
    {RUNTIME_FRAME_METHOD, "java.lang.reflect.Constructor.newInstance",
	"the same for constructors"},
    {RUNTIME_FRAME_METHOD, "java.lang.Class.newInstance", "the same in its old form"},
    {RUNTIME_FRAME_CONTAINS, "$$Lambda",
	"the hidden class behind a lambda; its body is a method of the program and stays"},
    {RUNTIME_FRAME_SIMPLE, "$Proxy", "generated proxies; their handler stays"},
    {RUNTIME_FRAME_NUMBERED, "access$", "generated accessors of nested classes, before JDK 11"},
    {RUNTIME_FRAME_PREFIX, "jdk.internal.vm.Continuation", "how a virtual thread is mounted"},
};

const size_t runtime_frame_rule_count = sizeof runtime_frame_rules / sizeof runtime_frame_rules[0];

static bool begins(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_numbered(const char *method, const char *stem)
{
	const char *digits = method + strlen(stem);
	return begins(method, stem) && *digits != '\0' &&
	       strspn(digits, "0123456789") == strlen(digits);
}

/* "class.method" against its beginning, without putting it together. */
static bool names_method(const struct gcs_frame *f, const char *text)
{
	size_t length = strlen(f->class_name);
	return strncmp(text, f->class_name, length) == 0 && text[length] == '.' &&
	       begins(f->method, text + length + 1);
}

static bool fits(const struct runtime_frame_rule *rule, const struct gcs_frame *f)
{
	const char *dot = strrchr(f->class_name, '.');
	switch (rule->how) {
	case RUNTIME_FRAME_PREFIX:
		return begins(f->class_name, rule->text);
	case RUNTIME_FRAME_CONTAINS:
		return strstr(f->class_name, rule->text) != NULL;
	case RUNTIME_FRAME_SIMPLE:
		return begins(dot == NULL ? f->class_name : dot + 1, rule->text);
	case RUNTIME_FRAME_METHOD:
		return names_method(f, rule->text);
	default:
		return is_numbered(f->method, rule->text);
	}
}

bool gcs_frame_is_runtime(const struct gcs_frame *frame)
{
	if (frame->kind == GCS_FRAME_VM)
		return true;
	if (frame->kind != GCS_FRAME_JAVA && frame->kind != GCS_FRAME_NATIVE_METHOD)
		return false;
	for (size_t i = 0; i < runtime_frame_rule_count; i++)
		if (fits(&runtime_frame_rules[i], frame))
			return true;
	return false;
}

bool gcs_frame_is_library(
    const struct gcs_profile *profile, const struct gcs_frame *frame, const char *const *libraries)
{
	static const char *const jdk[] = {"java.", "javax.", "jdk.", "sun.", "com.sun.", NULL};
	const bool executable =
	    frame->kind == GCS_FRAME_NATIVE && gcs_profile_head(profile)->explicit_free &&
	    strstr(frame->class_name, ".so") == NULL && strchr("[", frame->class_name[0]) == NULL;
	if (!executable && frame->kind != GCS_FRAME_JAVA && frame->kind != GCS_FRAME_NATIVE_METHOD)
		return true;
	for (const char *const *p = jdk; *p != NULL; p++)
		if (begins(frame->class_name, *p))
			return true;
	for (const char *const *p = libraries; p != NULL && *p != NULL; p++)
		if (begins(frame->class_name, *p))
			return true;
	return gcs_frame_is_runtime(frame);
}

char *gcs_frame_text(char *buffer, size_t size, const struct gcs_frame *frame)
{
	bool both = frame->class_name[0] != '\0' && frame->method[0] != '\0';
	bool foreign = frame->kind == GCS_FRAME_NATIVE || frame->kind == GCS_FRAME_VM;
	bool none = frame->class_name[0] == '\0' && frame->method[0] == '\0';
	snprintf(buffer, size, "%s%s%s", none ? "?" : frame->class_name,
	    !both     ? ""
	    : foreign ? "`"
		      : ".",
	    frame->method);
	return buffer;
}

char *gcs_frame_line(char *buffer, size_t size, const struct gcs_frame *f)
{
	char name[1024];
	gcs_frame_text(name, sizeof name, f);
	if (f->file[0] != '\0' && f->line != 0)
		snprintf(buffer, size, "%s (%s:%u)", name, f->file, (unsigned)f->line);
	else if (f->file[0] != '\0')
		snprintf(buffer, size, "%s (%s)", name, f->file);
	else
		snprintf(buffer, size, "%s", name);
	return buffer;
}
