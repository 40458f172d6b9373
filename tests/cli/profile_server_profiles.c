#include "profile_server.h"

#include <stdio.h>
#include <string.h>

/* 2026-01-02 03:04:05 UTC */
#define MADE 1767323045000000000

static const char *const hostile[] = {
    "<script>alert(1)</script>",
    "]]></style><b>\"quoted\" & 'quoted'",
    "line\nfeed\x1b[31m\x01 tab\t; semicolon 12 34",
    "\xe2\x80\xaeright \xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d",
    "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97.\xe9\x9b\xbb\xe8\x84\xb3",
    "torn \xff\xfe \xe2\x82",
    "",
};

enum { HOSTILE = sizeof hostile / sizeof hostile[0] };

static uint32_t frame(struct gcs_profile *p, enum gcs_frame_kind kind, const char *class_name,
    const char *method, uint32_t line)
{
	struct gcs_frame f = {.class_name = class_name,
	    .method = method,
	    .file = kind == GCS_FRAME_JAVA ? "File.java" : "",
	    .line = line,
	    .kind = kind};
	return gcs_profile_add_frame(p, &f);
}

static uint32_t stack(struct gcs_profile *p, uint32_t parent, uint32_t number)
{
	struct gcs_stack s = {.parent = parent, .frame = number};
	return gcs_profile_add_stack(p, &s);
}

/* What a sample stands for; in totals, three samples whose objects have mostly died. */
static void entry(struct gcs_profile *p, uint32_t at, uint32_t class_name, uint32_t thread,
    double bytes, uint32_t age)
{
	bool totals = gcs_profile_head(p)->kind == GCS_PROFILE_ALLOCATED;
	struct gcs_profile_entry e = {
	    .stack = at,
	    .class_name = class_name,
	    .thread = thread,
	    .samples = totals ? 3 : 1,
	    .bytes = bytes,
	    .bytes_variance = bytes * 100,
	    .objects = bytes / 100,
	    .objects_variance = 4,
	    .age = age,
	    .lifetime_bytes = 1000u * age,
	};
	e.region = gcs_profile_add_name(p, age >= 3 ? "Old" : age == 0 ? "Eden" : "Humongous") + 1;
	if (totals) {
		e.size = age >= 3 ? 65536 : 1024;
		e.new_bytes = bytes / 8;
		e.new_objects = bytes / 800;
		e.live_bytes = bytes / 4;
		e.live_objects = bytes / 400;
		e.died_bytes[gcs_survival_bucket(age)] = bytes * 3 / 4;
	} else {
		e.id = 7u + at;
		e.size = 100;
		e.address = 0x10000 + 0x1000u * age;
	}
	gcs_profile_add_entry(p, &e);
}

/* main -> runtime frames -> work -> the JVM, and main alone. */
static void fill_plain(struct gcs_profile *p)
{
	uint32_t list = gcs_profile_add_name(p, "java.util.ArrayList");
	uint32_t array = gcs_profile_add_name(p, "byte[]");
	uint32_t main_thread = gcs_profile_add_name(p, "main");
	uint32_t worker = gcs_profile_add_name(p, "worker-*");
	uint32_t top = stack(p, GCS_NONE, frame(p, GCS_FRAME_JAVA, "app.Main", "main", 10));
	uint32_t reflect = stack(p, top,
	    frame(p, GCS_FRAME_JAVA, "jdk.internal.reflect.DirectMethodHandleAccessor", "invoke",
		103));
	uint32_t work = stack(p, reflect, frame(p, GCS_FRAME_JAVA, "app.Work", "run", 20));
	uint32_t vm = stack(p, work, frame(p, GCS_FRAME_VM, "libjvm.so", "JVM_NewArray", 0));
	entry(p, vm, array, main_thread, 600000, 3);
	entry(p, work, array, worker, 200000, 1);
	entry(p, top, list, main_thread, 100000, 0);
	entry(p, GCS_NONE, array, worker, 40000, 0);
}

static void fill_hostile(struct gcs_profile *p)
{
	char longest[GCS_MAX_TEXT + 1];
	memset(longest, 'L', sizeof longest - 1);
	longest[sizeof longest - 1] = '\0';
	uint32_t at = GCS_NONE;
	for (uint32_t i = 0; i <= HOSTILE; i++) {
		const char *text = i == HOSTILE ? longest : hostile[i];
		uint32_t name = gcs_profile_add_name(p, text);
		at = stack(p, at, frame(p, (enum gcs_frame_kind)(i % 5), text, text, i));
		entry(p, at, name, name, 1000 + i, i);
	}
}

/* 100,000 sites at the ends of stacks of 1 to 40 frames. */
static void fill_large(struct gcs_profile *p)
{
	enum { SITES = 100000, DEEP = 40 };
	char name[32];
	uint32_t thread = gcs_profile_add_name(p, "main");
	uint32_t class_name = gcs_profile_add_name(p, "byte[]");
	for (uint32_t i = 0; i < SITES; i++) {
		snprintf(name, sizeof name, "method%u", (unsigned)i);
		uint32_t parent = i % DEEP == 0 ? GCS_NONE : i - 1;
		uint32_t at = stack(p, parent, frame(p, GCS_FRAME_JAVA, "app.Large", name, i));
		entry(p, at, class_name, thread, 1000 + i, 0);
	}
}

/* What is allocated now is allocated elsewhere than most of before. */
static void fill_busy(struct gcs_profile *p)
{
	static uint64_t now;
	fill_plain(p);
	if (gcs_profile_head(p)->kind != GCS_PROFILE_ALLOCATED)
		return;
	struct gcs_profile_entry e = *gcs_profile_entry(p, 0);
	e.stack = stack(p, GCS_NONE, frame(p, GCS_FRAME_JAVA, "app.Now", "make", 30));
	e.samples = ++now;
	e.bytes = 1000.0 * (double)now;
	gcs_profile_add_entry(p, &e);
}

struct gcs_profile *served_profile(
    enum gcs_profile_kind kind, const char *of, unsigned long interval)
{
	struct gcs_profile_head head = {
	    .kind = kind,
	    .server = strcmp(of, "hostile") == 0 ? hostile[1] : "Profile server",
	    .as_of = "at the last collection",
	    .wall_ns = MADE,
	    .since_wall_ns = MADE - 60000000000,
	    .interval = interval,
	    .collections = 12,
	    .allocated_bytes = 5000000,
	    .allocated_objects = 50000,
	    .samples = 76,
	    .tracked = interval == 0 ? 0 : 4,
	    .died = 72,
	    /* All but "judged" and "dead" are older servers. */
	    .live_includes_new = strcmp(of, "judged") != 0 && strcmp(of, "dead") != 0,
	    .judged = {41, MADE - 2000000000, "Young"},
	    .judged_old = {3, MADE - 30000000000, "Full"},
	    .used_bytes = 2000000,
	    .dropped = strcmp(of, "hostile") == 0 ? 5 : 0,
	    .lost = strcmp(of, "hostile") == 0 ? 6 : 0,
	    .elsewhere = strcmp(of, "hostile") == 0 ? 7 : 0,
	};
	struct gcs_profile *p = gcs_profile_create(&head);
	if (strcmp(of, "hostile") == 0)
		fill_hostile(p);
	else if (strcmp(of, "large") == 0)
		fill_large(p);
	else if (strcmp(of, "busy") == 0)
		fill_busy(p);
	else if (strcmp(of, "empty") != 0 && strcmp(of, "dead") != 0)
		fill_plain(p);
	return p;
}
