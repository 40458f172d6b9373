/* Class loaders as what is searched for: all of a name, sampled or not. Declared in path_targets.h. */
#include "chain_names.h"
#include "path_targets.h"

#include <gcspy/memory.h>

/* The loader of a class if it has the name; the same one may come again. False if there is no room for
 * more. */
static bool add_loader(
    struct climb *c, const struct path_question *q, struct path_targets *t, uint32_t class_)
{
	const struct tag_space *tags = &c->tags;
	jobject loader = climb_loader_of(tags, class_);
	jlong size = 0;
	char name[512];
	if (loader == NULL)
		return true;
	jclass of = (*tags->jni)->GetObjectClass(tags->jni, loader);
	class_text(tags, of, name, sizeof name);
	(*tags->jni)->DeleteLocalRef(tags->jni, of);
	const bool wanted = path_is_class(name, q->class_name) && climb_reserve(c, c->count + 1);
	const uint32_t node = wanted ? climb_add(c, loader) : TAG_NONE;
	if (node != TAG_NONE) {
		(void)(*tags->jvmti)->GetObjectSize(tags->jvmti, loader, &size);
		t->items[t->count++] =
		    (struct path_target){.objects = 1, .bytes = (double)size, .node = node};
		t->objects++;
		t->bytes += (double)size;
	}
	(*tags->jni)->DeleteLocalRef(tags->jni, loader);
	return t->count < PATH_TARGETS_SITE;
}

enum gcs_status path_targets_of_loaders(const struct path_question *q, struct climb *c,
    struct path_targets *targets, struct gcs_error *err)
{
	struct path_targets loaders = {.items = NULL};
	if (path_targets_loaders(q, &targets->none, &loaders))
		for (uint32_t i = 0; i < c->tags.count && add_loader(c, q, &loaders, i); i++)
			continue;
	if (loaders.count != 0) {
		path_targets_free(targets);
		*targets = loaders;
		return GCS_OK;
	}
	path_targets_free(&loaders);
	if (targets->count != 0)
		return GCS_OK;
	return gcs_fail(err, GCS_ARGUMENT, "%s, and no class loader does", targets->none.text);
}
