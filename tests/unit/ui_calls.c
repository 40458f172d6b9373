#include "ui_calls.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sites_view.h"
#include "ui_profile.h"

void calls_open_shop(struct world *w, const char *key, int width, int height)
{
	world_open(w, width, height);
	world_live(w, 12);
	world_key(w, key);
	world_wait(w, 0);
	world_answer(w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
}

void calls_next(struct world *w, struct gcs_profile *profile)
{
	world_key(w, "R");
	world_wait(w, 0);
	world_answer(w, GCS_OK, "", profile);
	/* Large ones are decoded by a thread. */
	const struct timespec pause = {.tv_nsec = 1000000};
	for (int i = 0; i < 30000 && profiles_are_awaited(&w->app); i++) {
		nanosleep(&pause, NULL);
		app_poll(&w->app);
	}
	app_tick(&w->app);
	app_frame(&w->app);
}

void calls_settle(struct world *w)
{
	const struct timespec pause = {.tv_nsec = 2000000};
	for (int i = 0; i < 5000 && !w->app.view->settled(w->app.view_self, &w->app); i++) {
		nanosleep(&pause, NULL);
		w->app.now_ms += 2;
		app_poll(&w->app);
		app_tick(&w->app);
	}
	app_frame(&w->app);
}

bool calls_says(struct world *w, const char *text)
{
	return window_says(&w->app, text);
}

static uint32_t add(struct gcs_profile *p, uint32_t parent, const char *method)
{
	struct gcs_frame frame = {"app.Main", method, "Main.java", 1, GCS_FRAME_JAVA};
	return gcs_profile_add_stack(
	    p, &(struct gcs_stack){parent, gcs_profile_add_frame(p, &frame)});
}

static struct gcs_profile *begin(void)
{
	struct gcs_profile_head head = {.kind = GCS_PROFILE_LIVE,
	    .server = "test",
	    .as_of = "now",
	    .wall_ns = INT64_C(1795220000000000000),
	    .since_wall_ns = INT64_C(1795219000000000000),
	    .interval = 1024,
	    .judged = {99, INT64_C(1795219900000000000), "Full"},
	    .samples = 2};
	return gcs_profile_create(&head);
}

static void sample(struct gcs_profile *p, uint32_t stack, const char *class_name)
{
	struct gcs_profile_entry e = {.stack = stack,
	    .class_name = gcs_profile_add_name(p, class_name),
	    .samples = 1,
	    .bytes = 4096,
	    .bytes_variance = 1 << 20,
	    .objects = 2,
	    .objects_variance = 1,
	    .age = 1,
	    .size = 2048};
	e.thread = gcs_profile_add_name(p, "main");
	world_must(gcs_profile_add_entry(p, &e), "entry");
}

struct gcs_profile *calls_single(void)
{
	struct gcs_profile *p = begin();
	sample(p, add(p, GCS_NONE, "main"), "byte[]");
	return p;
}

struct gcs_profile *calls_recursive(uint32_t depth)
{
	struct gcs_profile *p = begin();
	uint32_t stack = add(p, GCS_NONE, "main"), half = stack;
	for (uint32_t i = 0; i < depth; i++) {
		stack = add(p, stack, "walk");
		half = i == depth / 2 ? stack : half;
	}
	sample(p, stack, "app.Leaf");
	sample(p, half, "app.Branch");
	return p;
}

struct gcs_profile *calls_names(void)
{
	static const char *const names[] = {
	    "com.example.\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e.\xe9\x80\xa3\xe6\x83\xb3",
	    "com.example.\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d.\xd9\x85\xd8\xb1\xd8\xad\xd8\xa8",
	    "two\nlines\tand\x01more", "", "semi;colon"};
	struct gcs_profile *p = begin();
	uint32_t root = add(p, GCS_NONE, "main");
	char text[4001];
	for (size_t i = 0; i + 20 < sizeof text; i += 15)
		memcpy(text + i, "Very.Long.Name.", 16);
	sample(p, add(p, root, text), text);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		sample(p, add(p, root, names[i]), names[i]);
	return p;
}

bool calls_save(struct gcs_profile *profile, const char *path)
{
	struct gcs_error err;
	bool ok = sites_save(profile, false, path, &err);
	gcs_profile_free(profile);
	return ok;
}
