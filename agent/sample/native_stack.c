/* dladdr and dlsym's RTLD_DEFAULT are not in POSIX. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "native_stack.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/profile.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

enum { MAX_NATIVE = 64, MAX_NAME = 256 };

/* libunwind's functions by their symbols; its header defines the names as macros. On aarch64 the first
 * is not a function but code of the header. */
static struct {
	int (*getcontext)(unw_context_t *);
	int (*init_local)(unw_cursor_t *, unw_context_t *);
	int (*step)(unw_cursor_t *);
	int (*get_reg)(unw_cursor_t *, unw_regnum_t, unw_word_t *);
	int (*get_proc_name)(unw_cursor_t *, char *, size_t, unw_word_t *);
	const void *agent; /* start of this library */
	bool ready;
} unwind;

#define STRING(x) #x
#define SYMBOL(x) STRING(x)

static bool find(void *library, const char *symbol, void *function, size_t size)
{
	void *found = dlsym(library, symbol);
	memcpy(function, &found, size);
	return found != NULL;
}

#define FIND(member, name) find(library, SYMBOL(name), &unwind.member, sizeof unwind.member)
#if defined(__aarch64__)
#define FIND_CONTEXT()        true
#define TAKE_CONTEXT(context) unw_getcontext(context)
#else
#define FIND_CONTEXT()        FIND(getcontext, UNW_ARCH_OBJ(getcontext))
#define TAKE_CONTEXT(context) unwind.getcontext(context)
#endif

const char *native_stack_open(void)
{
	static const char *const why = "libunwind.so.8 is not installed, or not usable";
	if (unwind.ready)
		return NULL;
	void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
	Dl_info self;
	if (library == NULL || dladdr((const void *)&unwind, &self) == 0)
		return why;
	unwind.agent = self.dli_fbase;
	unwind.ready = FIND_CONTEXT() && FIND(init_local, unw_init_local) && FIND(step, unw_step) &&
		       FIND(get_reg, unw_get_reg) && FIND(get_proc_name, unw_get_proc_name);
	return unwind.ready ? NULL : why;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash == NULL ? path : slash + 1;
}

static uint32_t add_text(struct stack_table *d, const char *text)
{
	return stack_table_text(d, text, strlen(text));
}

/*
 * The function's name: exported, or from the library's symbol table, or its offset in the library.
 * The JVM's library has no symbol table in most builds, and the nearest exported symbol would be
 * wrong.
 */
static void name_function(
    unw_cursor_t *cursor, uintptr_t ip, const Dl_info *in, bool vm, char *name, size_t size)
{
	unw_word_t offset = 0;
	if (in->dli_sname != NULL)
		snprintf(name, size, "%s", in->dli_sname);
	else if (vm)
		snprintf(name, size, "(inside the JVM)");
	else if (unwind.get_proc_name(cursor, name, size, &offset) != 0)
		snprintf(name, size, "+0x%zx", ip - (uintptr_t)in->dli_fbase);
}

/* The frame at the cursor, or STACK_TABLE_NONE; sets `*stop` at code without a library: the JVM's
 * stubs. */
static uint32_t frame_at(struct symbolizer *n, unw_cursor_t *cursor, bool *stop)
{
	unw_word_t ip = 0;
	uint32_t number = STACK_TABLE_NONE;
	char name[MAX_NAME];
	Dl_info in;
	*stop = unwind.get_reg(cursor, UNW_REG_IP, &ip) != 0 || ip == 0;
	if (*stop || symbolizer_find_native(n, (uintptr_t)ip, &number))
		return number;
	/* The return address may be after the last instruction of the caller. */
	const void *in_caller = (const void *)(uintptr_t)(ip - 1);
	if (dladdr(in_caller, &in) == 0 || in.dli_fname == NULL) {
		*stop = true;
		return STACK_TABLE_NONE;
	}
	if (in.dli_fbase == unwind.agent)
		return STACK_TABLE_NONE;
	const char *library = base_name(in.dli_fname);
	bool vm = strncmp(library, "libjvm.", 7) == 0;
	name_function(cursor, (uintptr_t)ip, &in, vm, name, sizeof name);
	struct stack_table *d = symbolizer_stacks(n);
	struct stack_table_frame frame = {
	    .class_name = add_text(d, library),
	    .method = add_text(d, name),
	    .file = add_text(d, ""),
	    .kind = vm ? GCS_FRAME_VM : GCS_FRAME_NATIVE,
	};
	number = stack_table_add_frame(d, &frame);
	if (number != STACK_TABLE_NONE)
		symbolizer_keep_native(n, (uintptr_t)ip, number);
	return number;
}

uint32_t native_stack_add(struct symbolizer *n, uint32_t stack)
{
	unw_context_t context;
	unw_cursor_t cursor;
	uint32_t frames[MAX_NATIVE];
	uint32_t count = 0;
	bool stop = false;
	if (!unwind.ready || TAKE_CONTEXT(&context) != 0 ||
	    unwind.init_local(&cursor, &context) != 0)
		return stack;
	for (int i = 0; i < MAX_NATIVE && !stop; i++) {
		uint32_t frame = frame_at(n, &cursor, &stop);
		/* Merges frames of the JVM with the same name. */
		if (frame != STACK_TABLE_NONE && (count == 0 || frames[count - 1] != frame))
			frames[count++] = frame;
		if (unwind.step(&cursor) <= 0)
			break;
	}
	while (count != 0 && stack != STACK_TABLE_NONE) {
		struct stack_table_stack next = {stack, frames[--count]};
		stack = stack_table_add_stack(symbolizer_stacks(n), &next);
	}
	return stack;
}
