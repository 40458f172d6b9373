/* Made-up profiles; declared in ui_profile.h. */
#include "ui_profile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SECOND   INT64_C(1000000000)
#define STARTED  (INT64_C(1795220000) * SECOND)
#define INTERVAL 524288.0
#define DEEPEST  10

/* Stacks from the youngest frame on: class, method, file, line; kinds other than Java by a mark. */
struct shop_frame {
	const char *class_name, *method, *file;
	uint32_t line;
	enum gcs_frame_kind kind;
};

struct shop_site {
	const char *class_name, *thread;
	uint64_t size;    /* bytes of an object */
	unsigned samples; /* per round */
	unsigned age;
	struct shop_frame frame[DEEPEST];
};

#define RUN                                                                                        \
	{"java.util.concurrent.ThreadPoolExecutor", "runWorker", "ThreadPoolExecutor.java", 1136,  \
	    GCS_FRAME_JAVA},                                                                       \
	{                                                                                          \
		"java.lang.Thread", "run", "Thread.java", 840, GCS_FRAME_JAVA                      \
	}

static const struct shop_site shop[] = {
    {"byte[]", "http-worker-1", 8208, 61, 1,
	{{"java.util.Arrays", "copyOf", "Arrays.java", 3537, GCS_FRAME_JAVA},
	    {"java.io.ByteArrayOutputStream", "grow", "ByteArrayOutputStream.java", 100,
		GCS_FRAME_JAVA},
	    {"com.example.shop.render.PageWriter", "flush", "PageWriter.java", 88, GCS_FRAME_JAVA},
	    {"com.example.shop.http.Handler", "handle", "Handler.java", 41, GCS_FRAME_JAVA}, RUN}},
    {"java.util.HashMap$Node[]", "http-worker-2", 4112, 34, 3,
	{{"java.util.HashMap", "resize", "HashMap.java", 702, GCS_FRAME_JAVA},
	    {"java.util.HashMap", "putVal", "HashMap.java", 627, GCS_FRAME_JAVA},
	    {"com.example.shop.session.Sessions", "open", "Sessions.java", 57, GCS_FRAME_JAVA},
	    {"com.example.shop.http.Handler", "handle", "Handler.java", 38, GCS_FRAME_JAVA}, RUN}},
    {"char[]", "http-worker-1", 1040, 22, 0,
	{{"java.util.Arrays", "copyOfRange", "Arrays.java", 3822, GCS_FRAME_JAVA},
	    {"java.lang.AbstractStringBuilder", "append", "AbstractStringBuilder.java", 586,
		GCS_FRAME_JAVA},
	    {"com.example.shop.catalogue.Search", "highlight", "Search.java", 203, GCS_FRAME_JAVA},
	    {"jdk.internal.reflect.DirectMethodHandleAccessor", "invoke", "", 0, GCS_FRAME_JAVA},
	    {"java.lang.reflect.Method", "invoke", "Method.java", 580, GCS_FRAME_JAVA},
	    {"com.example.shop.http.Router", "dispatch", "Router.java", 19, GCS_FRAME_JAVA}, RUN}},
    {"com.example.shop.model.LineItem", "order-import", 48, 17, 9,
	{{"com.example.shop.model.Order", "addItem", "Order.java", 121, GCS_FRAME_JAVA},
	    {"com.example.shop.imports.OrderReader$Row", "read", "OrderReader.java", 64,
		GCS_FRAME_JAVA},
	    {"com.example.shop.imports.OrderReader", "run", "OrderReader.java", 31, GCS_FRAME_JAVA},
	    RUN}},
    {"java.lang.Object[]", "order-import", 2064, 12, 22,
	{{"java.util.ArrayList", "grow", "ArrayList.java", 244, GCS_FRAME_JAVA},
	    {"java.util.ArrayList", "add", "ArrayList.java", 483, GCS_FRAME_JAVA},
	    {"com.example.shop.model.Order", "addItem", "Order.java", 118, GCS_FRAME_JAVA},
	    {"com.example.shop.imports.OrderReader", "run", "OrderReader.java", 30, GCS_FRAME_JAVA},
	    RUN}},
    {"java.lang.String", "http-worker-2", 24, 9, 1,
	{{"java.lang.StringLatin1", "newString", "StringLatin1.java", 769, GCS_FRAME_JAVA},
	    {"java.lang.invoke.LambdaForm$MH/0x00007f1c", "invoke", "LambdaForm$MH", 0,
		GCS_FRAME_JAVA},
	    {"com.example.shop.catalogue.Price", "format", "Price.java", 77, GCS_FRAME_JAVA},
	    {"com.example.shop.http.Handler", "handle", "Handler.java", 44, GCS_FRAME_JAVA}, RUN}},
    {"int[]", "cache-warmer", 65552, 7, 40,
	{{"com.example.shop.catalogue.Index", "build", "Index.java", 350, GCS_FRAME_JAVA},
	    {"com.example.shop.catalogue.Index", "reload", "Index.java", 92, GCS_FRAME_JAVA}, RUN}},
    {"java.nio.DirectByteBuffer", "http-worker-3", 64, 4, 5,
	{{"java.nio.ByteBuffer", "allocateDirect", "ByteBuffer.java", 361, GCS_FRAME_JAVA},
	    {"sun.nio.ch.Util", "getTemporaryDirectBuffer", "Util.java", 240, GCS_FRAME_JAVA},
	    {"sun.nio.ch.IOUtil", "write", "IOUtil.java", 102, GCS_FRAME_NATIVE_METHOD}, RUN}},
    {"byte[]", "codec", 16400, 3, 2,
	{{"/usr/lib/libshopcodec.so", "encode_block", "", 0, GCS_FRAME_NATIVE},
	    {"com.example.shop.media.Codec", "encode0", "Codec.java", 0, GCS_FRAME_NATIVE_METHOD},
	    {"com.example.shop.media.Codec", "encode", "Codec.java", 53, GCS_FRAME_JAVA}, RUN}},
    {"java.util.concurrent.ConcurrentHashMap$Node", "http-worker-1", 32, 2, 61,
	{{"java.util.concurrent.ConcurrentHashMap", "putVal", "ConcurrentHashMap.java", 1027,
	     GCS_FRAME_JAVA},
	    {"com.example.shop.cache.Cache", "remember", "Cache.java", 29, GCS_FRAME_JAVA}, RUN}},
};

static struct gcs_profile *begin(
    enum gcs_profile_kind kind, unsigned round, int64_t judged_ns, uint64_t interval)
{
	bool garbage = kind == GCS_PROFILE_RECENT || kind == GCS_PROFILE_FREQUENT;
	struct gcs_profile_head head = {
	    .kind = kind,
	    .server = "HotSpot 21.0.2 (G1), pid 4711",
	    .as_of =
		kind == GCS_PROFILE_ALLOCATED ? "since sampling began" : "at the last collection",
	    .wall_ns = STARTED + (60 + 3 * (int64_t)round) * SECOND,
	    .since_wall_ns = STARTED,
	    .interval = interval,
	    .judged = {40 + round, judged_ns, "Young"},
	    .judged_old = {31, STARTED + 40 * SECOND, "Old"},
	    .used_bytes = interval != UINT64_MAX ? UINT64_C(166) << 20 : 0,
	    .collections = 40 + round,
	    .allocated_bytes = 3e9 + round * 1e8,
	    .allocated_objects = 4e7,
	    .samples = 5722 + 190 * round,
	    .tracked = 1911,
	    .died = 3811,
	    .dropped = 12,
	    .lost = round > 1 ? 3 : 0,
	    .garbage_seen = garbage ? 3811 : 0,
	};
	return gcs_profile_create(&head);
}

static uint32_t add_stack(struct gcs_profile *p, const struct shop_site *site)
{
	uint32_t stack = GCS_NONE;
	for (int i = DEEPEST - 1; i >= 0; i--) {
		const struct shop_frame *f = &site->frame[i];
		if (f->class_name == NULL)
			continue;
		struct gcs_frame frame = {f->class_name, f->method, f->file, f->line, f->kind};
		struct gcs_stack next = {stack, gcs_profile_add_frame(p, &frame)};
		stack = gcs_profile_add_stack(p, &next);
	}
	return stack;
}

static void add_sample(struct gcs_profile *p, const struct shop_site *site, uint32_t stack,
    uint32_t name, uint32_t thread, uint64_t samples, unsigned number)
{
	const bool live = gcs_profile_head(p)->kind == GCS_PROFILE_LIVE;
	double taken = 1 - exp(-(double)site->size / INTERVAL);
	double one = (double)samples / taken;
	struct gcs_profile_entry e = {
	    .stack = stack,
	    .class_name = name,
	    .thread = thread,
	    .samples = samples,
	    .bytes = one * (double)site->size,
	    .bytes_variance = one * (1 - taken) / taken * (double)(site->size * site->size),
	    .objects = one,
	    .objects_variance = one * (1 - taken) / taken,
	    .age = site->age + number % 3 + (live ? 1 : 0),
	    .lifetime_bytes = (site->age + 1) * UINT64_C(40000000),
	};
	bool totals = samples > 1;
	if (!totals) {
		e.id = number + 1;
		e.size = site->size + (number % 2) * 16;
		e.wall_ns = STARTED + number * SECOND / 10;
	} else {
		e.live_bytes = e.bytes * (site->age > 50 ? 1 : site->age > 8 ? 0.6 : 0.05);
		e.live_objects = e.objects / 10;
		for (uint32_t i = 0; i < GCS_SURVIVAL_BUCKETS; i++)
			e.died_bytes[i] = (e.bytes - e.live_bytes) *
					  (i == gcs_survival_bucket(site->age) ? 0.65 : 0.05);
	}
	gcs_profile_add_entry(p, &e);
}

static int64_t usual_time(unsigned round)
{
	return STARTED + (58 + 3 * (int64_t)round) * SECOND;
}

struct gcs_profile *profile_shop(enum gcs_profile_kind kind, unsigned round)
{
	return profile_shop_judged(kind, round, usual_time(round));
}

struct gcs_profile *profile_shop_judged(
    enum gcs_profile_kind kind, unsigned round, int64_t judged_ns)
{
	struct gcs_profile *p = begin(kind, round, judged_ns, (uint64_t)INTERVAL);
	unsigned number = 0;
	for (size_t i = 0; p != NULL && i < sizeof shop / sizeof *shop; i++) {
		const struct shop_site *site = &shop[i];
		uint32_t stack = add_stack(p, site);
		uint32_t name = gcs_profile_add_name(p, site->class_name);
		uint32_t thread = gcs_profile_add_name(p, site->thread);
		uint32_t other = gcs_profile_add_name(p, "http-worker-9");
		unsigned n = site->samples + round;
		if (kind == GCS_PROFILE_ALLOCATED) {
			add_sample(p, site, stack, name, gcs_profile_add_name(p, "http-worker-*"),
			    n * 30, number);
			continue;
		}
		for (unsigned k = 0; k < n; k++)
			add_sample(p, site, stack, name, k % 4 == 3 ? other : thread, 1, number++);
	}
	return p;
}

void profile_add_new(struct gcs_profile *p, unsigned count)
{
	struct gcs_frame frame = {
	    "com.example.shop.http.Request", "parse", "Request.java", 12, GCS_FRAME_JAVA};
	const uint32_t stack = gcs_profile_add_stack(
	    p, &(struct gcs_stack){GCS_NONE, gcs_profile_add_frame(p, &frame)});
	for (unsigned i = 0; i < count; i++)
		gcs_profile_add_entry(
		    p, &(struct gcs_profile_entry){.stack = stack,
			   .class_name = gcs_profile_add_name(p, "com.example.shop.http.Request"),
			   .thread = gcs_profile_add_name(p, "http-worker-1"),
			   .samples = 1,
			   .bytes = 1 << 20,
			   .objects = 1,
			   .size = 64});
}

struct gcs_profile *profile_many(enum gcs_profile_kind kind, uint32_t sites)
{
	struct gcs_profile *p = begin(kind, 0, usual_time(0), (uint64_t)INTERVAL);
	char text[80];
	uint32_t thread = p != NULL ? gcs_profile_add_name(p, "main") : 0;
	uint32_t root = GCS_NONE;
	for (uint32_t i = 0; p != NULL && i < 10; i++) {
		snprintf(text, sizeof text, "com.example.layer%u.Layer", i);
		struct gcs_frame frame = {text, "call", "Layer.java", i + 1, GCS_FRAME_JAVA};
		root = gcs_profile_add_stack(
		    p, &(struct gcs_stack){root, gcs_profile_add_frame(p, &frame)});
	}
	for (uint32_t i = 0; p != NULL && i < sites; i++) {
		snprintf(text, sizeof text, "com.example.generated.Maker%u", i / 7);
		struct gcs_frame frame = {text, "make", "Maker.java", i % 7 + 1, GCS_FRAME_JAVA};
		uint32_t stack = gcs_profile_add_stack(
		    p, &(struct gcs_stack){root, gcs_profile_add_frame(p, &frame)});
		snprintf(text, sizeof text, "com.example.generated.Thing%u", i % 1000);
		struct shop_site site = {.size = 16 + i % 97 * 8, .age = i % 50};
		add_sample(p, &site, stack, gcs_profile_add_name(p, text), thread, 1, i);
	}
	return p;
}

static void fill(char *text, size_t size, const char *piece)
{
	size_t n = strlen(piece), used = 0;
	while (used + n < size) {
		memcpy(text + used, piece, n);
		used += n;
	}
	text[used] = 0;
}

struct gcs_profile *profile_strange(enum gcs_profile_kind kind)
{
	static const char *const names[] = {
	    "com.example.\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e.\xe9\x80"
	    "\xa3\xe6\x83\xb3\xe9\x85\x8d\xe5\x88\x97",
	    "com.example.\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d.\xd9\x85\xd8\xb1\xd8\xad\xd8\xa8\xd8\xa7",
	    "two\nlines\tand\x01more", "", "\xff\xfe broken \xc3", "a.b.", "/", "....", "long"};
	struct gcs_profile *p = begin(kind, 0, usual_time(0), UINT64_MAX);
	char text[4001];
	fill(text, sizeof text, "Very.Long.Name");
	uint32_t stack = GCS_NONE;
	for (uint32_t i = 0; p != NULL && i < 5000; i++) {
		struct gcs_frame f = {text, text, text, UINT32_MAX - i % 2, GCS_FRAME_JAVA};
		uint32_t frame = i < 2 ? gcs_profile_add_frame(p, &f) : i / 3 % 2;
		stack = gcs_profile_add_stack(p, &(struct gcs_stack){stack, frame});
	}
	for (size_t i = 0; p != NULL && i < sizeof names / sizeof *names; i++) {
		bool last = strcmp(names[i], "long") == 0;
		const char *name = last ? text : names[i];
		struct gcs_frame f = {
		    name, name, name, (uint32_t)i, (enum gcs_frame_kind)(i % GCS_FRAME_KIND_COUNT)};
		struct gcs_stack s = {stack, gcs_profile_add_frame(p, &f)};
		uint32_t number = gcs_profile_add_name(p, name);
		double huge = i == 0 ? 1e300 : i == 1 ? 0 : (double)(i * 1000);
		struct gcs_profile_entry e = {
		    .stack = i == 3 ? GCS_NONE : gcs_profile_add_stack(p, &s),
		    .class_name = number,
		    .thread = number,
		    .samples = i == 0 ? UINT64_MAX : i,
		    .bytes = huge,
		    .bytes_variance = huge,
		    .objects = huge,
		    .objects_variance = huge,
		    .age = i == 0 ? UINT32_MAX : (uint32_t)i,
		    .lifetime_bytes = UINT64_MAX,
		    .size = UINT64_MAX - i,
		    .live_bytes = huge,
		    .died_bytes = {huge}};
		gcs_profile_add_entry(p, &e);
	}
	return p;
}

struct gcs_profile *profile_empty(enum gcs_profile_kind kind, uint64_t interval)
{
	struct gcs_profile_head head = {.kind = kind,
	    .server = "HotSpot 21.0.2 (G1), pid 4711",
	    .as_of = "at the last collection",
	    .wall_ns = STARTED,
	    .since_wall_ns = STARTED,
	    .interval = interval};
	return gcs_profile_create(&head);
}
