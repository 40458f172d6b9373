/* dl_iterate_phdr. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "native_modules.h"

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/memory.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct native_module *modules; /* never taken out */
static uint32_t count, room;
static atomic_uint_least64_t generation;
static unsigned long long unloaded; /* modules so far */

uint64_t native_modules_generation(void)
{
	return atomic_load_explicit(&generation, memory_order_relaxed);
}

/* The note with the build id, in one of the mapped segments of notes. */
static void read_id(const char *at, size_t bytes, char id[2 * MODULE_ID + 1])
{
	ElfW(Nhdr) note;
	while (bytes >= sizeof note) {
		memcpy(&note, at, sizeof note);
		const size_t name = (note.n_namesz + (size_t)3) & ~(size_t)3;
		const size_t whole =
		    sizeof note + name + ((note.n_descsz + (size_t)3) & ~(size_t)3);
		const unsigned char *value = (const unsigned char *)at + sizeof note + name;
		if (whole > bytes)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    memcmp(at + sizeof note, "GNU", 4) == 0 && note.n_descsz <= MODULE_ID) {
			for (uint32_t i = 0; i < note.n_descsz; i++)
				snprintf(id + 2 * (size_t)i, 3, "%02x", value[i]);
			return;
		}
		at += whole;
		bytes -= whole;
	}
}

static void absolute(char path[MODULE_PATH], const char *name)
{
	ssize_t length;
	path[0] = '\0';
	if (name[0] == '\0') { /* the program */
		length = readlink("/proc/self/exe", path, MODULE_PATH - 1);
		path[length < 0 ? 0 : length] = '\0';
		return;
	}
	if (name[0] != '/' && strchr(name, '/') != NULL &&
	    getcwd(path, MODULE_PATH - 1 - strlen(name)) != NULL)
		strcat(path, "/");
	snprintf(path + strlen(path), MODULE_PATH - strlen(path), "%s", name);
}

static void describe(struct native_module *m, const struct dl_phdr_info *info)
{
	memset(m, 0, sizeof *m);
	m->bias = info->dlpi_addr;
	m->start = UINT64_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const uint64_t start = info->dlpi_addr + p->p_vaddr, end = start + p->p_memsz;
		if (p->p_type == PT_LOAD) {
			m->start = start < m->start ? start : m->start;
			m->end = end > m->end ? end : m->end;
		} else if (p->p_type == PT_NOTE && m->id[0] == '\0') {
			read_id((const char *)(uintptr_t)start, p->p_memsz, m->id);
		}
	}
}

static struct native_module *add(void)
{
	if (count == room) {
		const uint32_t more = room == 0 ? 64 : room * 2;
		struct native_module *larger = gcs_realloc(modules, more * sizeof *larger);
		if (larger == NULL)
			return NULL;
		modules = larger;
		room = more;
	}
	return &modules[count++];
}

/* The modules that are there now get the present generation; those that are gone keep an earlier one. */
static int visit(struct dl_phdr_info *info, size_t size, void *context)
{
	const uint64_t now = *(const uint64_t *)context;
	struct native_module found;
	(void)size;
	describe(&found, info);
	for (uint32_t i = count; i-- != 0;)
		if (modules[i].start == found.start && modules[i].end == found.end &&
		    modules[i].until + 1 >= now && strcmp(modules[i].id, found.id) == 0) {
			modules[i].until = now;
			return 0;
		}
	struct native_module *m = add();
	if (m == NULL)
		return 1;
	*m = found;
	m->until = now;
	absolute(m->path, info->dlpi_name == NULL ? "" : info->dlpi_name);
	return 0;
}

static int read_unloaded(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	*(unsigned long long *)context = info->dlpi_subs;
	return 1;
}

/* Lock held. */
static void update(void)
{
	uint64_t now = native_modules_generation();
	(void)dl_iterate_phdr(visit, &now);
}

void native_modules_update(void)
{
	pthread_mutex_lock(&lock);
	update();
	pthread_mutex_unlock(&lock);
}

void native_modules_closed(void)
{
	unsigned long long now = 0;
	pthread_mutex_lock(&lock);
	(void)dl_iterate_phdr(read_unloaded, &now);
	if (now != unloaded)
		atomic_fetch_add(&generation, 1);
	unloaded = now;
	update();
	pthread_mutex_unlock(&lock);
}

bool native_modules_find(uint64_t address, uint64_t of, struct native_module *module)
{
	const struct native_module *best = NULL;
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < count; i++) {
		const struct native_module *m = &modules[i];
		if (address >= m->start && address < m->end && m->until >= of &&
		    (best == NULL || m->until < best->until))
			best = m;
	}
	if (best != NULL)
		*module = *best;
	pthread_mutex_unlock(&lock);
	return best != NULL;
}

void native_modules_forget(void)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
	lock = fresh;
}
