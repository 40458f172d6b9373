/* Finds the RTLD_DEFAULT and RTLD_NOLOAD of dlfcn.h, which POSIX does not have. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "vm.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

#include "vm_internal.h"

static const char *const CAPABILITIES[VM_CAPABILITY_COUNT] = {
#define X(id, words) words,
    VM_CAPABILITIES(X)
#undef X
};

static const struct {
	const char *name;
	const char *flag;
} COLLECTORS[] = {{"unknown", NULL},
#define X(id, words, option) {words, option},
    VM_COLLECTORS(X)
#undef X
};
enum { COLLECTOR_COUNT = sizeof COLLECTORS / sizeof COLLECTORS[0] };

void vm_set(
    struct vm *vm, enum vm_capability capability, enum vm_support support, const char *format, ...)
{
	va_list arguments;
	vm->support[capability] = support;
	va_start(arguments, format);
	(void)vsnprintf(vm->why[capability], sizeof vm->why[capability], format, arguments);
	va_end(arguments);
}

void vm_set_exported(struct vm *vm, enum vm_capability capability)
{
	vm_set(vm, capability, VM_EXPORTED, "%s", "");
}

void vm_set_like(struct vm *vm, enum vm_capability capability, enum vm_capability other)
{
	vm_set(vm, capability, VM_MISSING, "%s", vm->why[other]);
}

void vm_set_missing(
    struct vm *vm, enum vm_capability first, enum vm_capability last, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(vm->why[first], sizeof vm->why[first], format, arguments);
	va_end(arguments);
	vm->support[first] = VM_MISSING;
	for (int i = (int)first + 1; i <= (int)last; i++)
		vm_set_like(vm, (enum vm_capability)i, first);
}

bool vm_require(
    struct vm *vm, enum vm_collector collector, enum vm_capability first, enum vm_capability last)
{
	if (vm->collector != collector)
		vm_set_missing(vm, first, last, "The collector is %s, not %s.",
		    vm_collector_name(vm->collector), vm_collector_name(collector));
	else if (!vm_has(vm, VM_HEAP_RANGE))
		vm_set_missing(vm, first, last, "%s", vm->why[VM_HEAP_RANGE]);
	return vm->collector == collector && vm_has(vm, VM_HEAP_RANGE);
}

void vm_set_unexported(struct vm *vm, enum vm_capability capability, const char *names)
{
	vm_set(vm, capability, VM_MISSING, "HotSpot %s does not export %.*s.", vm->release,
	    (int)strcspn(names, " "), names);
}

/* Finds the symbol in the process, or in a libjvm that was loaded privately. */
static void *find_in_process(void *context, const char *name)
{
	(void)context;
	void *symbol = dlsym(RTLD_DEFAULT, name);
	if (symbol != NULL)
		return symbol;
	void *library = dlopen("libjvm.so", RTLD_LAZY | RTLD_NOLOAD);
	if (library == NULL)
		return NULL;
	symbol = dlsym(library, name);
	dlclose(library); /* the JVM keeps its own reference */
	return symbol;
}

static void open_release(struct vm *vm)
{
	struct vm_field field = {0};
	(void)snprintf(vm->release, sizeof vm->release, "?");
	if (vm_structs_field(&vm->structs, "Abstract_VM_Version::_s_vm_release", &field) &&
	    field.is_static) {
		const char *release = (const char *)vm_load_pointer(field.address);
		if (release != NULL)
			(void)snprintf(vm->release, sizeof vm->release, "%s", release);
	}
	if (vm_structs_field(&vm->structs, "Abstract_VM_Version::_vm_major_version", &field) &&
	    field.is_static)
		vm->major = (int)vm_load_u32(field.address);
	else
		vm->major = (int)strtol(vm->release, NULL, 10);
}

static void open_collector(struct vm *vm)
{
	if (!vm_has(vm, VM_FLAGS)) {
		vm_set_like(vm, VM_COLLECTOR, VM_FLAGS);
		return;
	}
	for (size_t i = 1; i < COLLECTOR_COUNT; i++) {
		bool used = false;
		if (vm_flag_bool(vm, COLLECTORS[i].flag, &used) && used) {
			vm->collector = (enum vm_collector)i;
			vm_set_exported(vm, VM_COLLECTOR);
			return;
		}
	}
	vm_set(vm, VM_COLLECTOR, VM_MISSING, "HotSpot %s runs a collector unknown to this agent.",
	    vm->release);
}

static void open_heap_range(struct vm *vm)
{
	struct vm_lookup lookup = {.structs = &vm->structs};
	struct vm_probe probe = {.reader = &vm->reader};
	int64_t limit = 0;
	if (vm_flag_number(vm, "MaxHeapSize", &limit) && limit > 0)
		vm->max_heap = (uint64_t)limit;
	const uintptr_t heap = vm_lookup_static(&lookup, "Universe::_collectedHeap");
	const size_t reserved = vm_lookup_offset(&lookup, "CollectedHeap::_reserved");
	const size_t start_at = vm_lookup_offset(&lookup, "MemRegion::_start");
	const size_t words_at = vm_lookup_offset(&lookup, "MemRegion::_word_size");
	if (lookup.missing != NULL) {
		vm_set_unexported(vm, VM_HEAP_RANGE, lookup.missing);
		return;
	}
	vm->heap = vm_load_pointer(heap);
	const uintptr_t start = vm_probe_word(&probe, vm->heap + reserved + start_at);
	const uintptr_t words = vm_probe_word(&probe, vm->heap + reserved + words_at);
	if (vm->heap == 0 || probe.failed) {
		vm->heap = 0;
		vm_set(vm, VM_HEAP_RANGE, VM_MISSING, "HotSpot %s has no heap (yet).", vm->release);
		return;
	}
	if (start == 0 || words == 0) {
		vm_set(vm, VM_HEAP_RANGE, VM_MISSING,
		    "The collector %s does not expose the range of its heap.",
		    vm_collector_name(vm->collector));
		return;
	}
	if (start % VM_WORD != 0 || words > (UINTPTR_MAX - start) / VM_WORD) {
		vm_set(vm, VM_HEAP_RANGE, VM_MISSING,
		    "The heap of HotSpot %s is not where its tables say.", vm->release);
		return;
	}
	vm->range = (struct vm_range){.low = start, .high = start + words * VM_WORD};
	vm_set_exported(vm, VM_HEAP_RANGE);
}

struct vm *vm_open_tables(vm_symbol_fn *find, void *context, JNIEnv *env, struct gcs_error *err)
{
	struct vm *vm = gcs_zalloc(sizeof *vm);
	const char *missing = NULL;
	if (vm == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory for the description of the VM");
		return NULL;
	}
	vm->machine = vm_machine_here();
	vm_reader_init(&vm->reader);
	if (!vm_structs_load(&vm->structs, find, context, &missing)) {
		for (int i = 0; i < VM_CAPABILITY_COUNT; i++)
			vm_set(vm, (enum vm_capability)i, VM_MISSING,
			    "This JVM does not export %s: it is no HotSpot of JDK 11 or later, or "
			    "one without that symbol.",
			    missing);
		vm->structs = (struct vm_structs){0};
		(void)snprintf(vm->release, sizeof vm->release, "?");
	} else {
		open_release(vm);
		vm_open_flags(vm);
		open_collector(vm);
		open_heap_range(vm);
		vm_open_perf(vm);
		vm_open_z(vm);
		vm_open_gc(vm);
		vm_open_spaces(vm);
		vm_open_g1(vm);
		vm_open_shenandoah(vm);
		vm_open_shenandoah_marks(vm);
		vm_open_gc_kinds(vm);
		vm_open_epsilon(vm);
		vm_open_thread(vm, env);
		vm_open_tlab(vm, env != NULL ? vm_thread_of(vm, env) : 0);
		vm_open_weak(vm, env);
		vm_open_objects(vm, env);
		vm_open_cards(vm);
		vm_open_starts(vm);
		vm_open_code(vm);
		vm_open_method(vm, env);
		vm_open_walk(vm);
		vm_open_mirror(vm, env);
	}
	vm_set(vm, VM_SAFE_READ, vm->reader.method != VM_READ_NONE ? VM_EXPORTED : VM_MISSING, "%s",
	    vm_reader_text(vm->reader.method));
	return vm;
}

struct vm *vm_open(JNIEnv *env, struct gcs_error *err)
{
	return vm_open_tables(find_in_process, NULL, env, err);
}

void vm_close(struct vm *vm)
{
	gcs_free(vm);
}

bool vm_has(const struct vm *vm, enum vm_capability capability)
{
	return vm->support[capability] != VM_MISSING;
}

enum vm_support vm_support(const struct vm *vm, enum vm_capability capability)
{
	return vm->support[capability];
}

const char *vm_why(const struct vm *vm, enum vm_capability capability)
{
	return vm->why[capability];
}

const char *vm_capability_text(enum vm_capability capability)
{
	return CAPABILITIES[capability];
}

enum vm_collector vm_collector(const struct vm *vm)
{
	return vm->collector;
}

const char *vm_collector_name(enum vm_collector collector)
{
	return COLLECTORS[collector].name;
}

const char *vm_release(const struct vm *vm)
{
	return vm->release;
}

bool vm_has_tables(const struct vm *vm)
{
	return vm->structs.fields.rows > 0;
}

int vm_jdk_major(const struct vm *vm)
{
	return vm->major;
}

struct vm_range vm_heap_range(const struct vm *vm)
{
	return vm->range;
}

uint64_t vm_max_heap(const struct vm *vm)
{
	return vm->max_heap;
}

bool vm_read(const struct vm *vm, void *to, uint64_t from, size_t bytes)
{
	return vm_reader_copy(&vm->reader, to, (uintptr_t)from, bytes);
}
