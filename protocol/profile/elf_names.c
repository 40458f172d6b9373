#include "elf_names.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <gcspy/memory.h>

enum { MOST_ID = 64 };

typedef struct Dwfl Dwfl;
typedef struct Dwfl_Module Dwfl_Module;
typedef struct Dwfl_Line Dwfl_Line;

/* libdw's interface, elfutils/libdwfl.h, as far as it is used here; it has been the same since version 0.130. */
static struct {
	struct {
		void *find_elf, *find_debuginfo, *section_address;
		char **debuginfo_path;
	} callbacks;
	Dwfl *(*begin)(const void *callbacks);
	Dwfl_Module *(*report_offline)(Dwfl *, const char *name, const char *path, int fd);
	int (*report_end)(Dwfl *, void *, void *);
	void (*end)(Dwfl *);
	void *(*getelf)(Dwfl_Module *, uint64_t *bias);
	int (*build_id)(Dwfl_Module *, const unsigned char **bits, uint64_t *address);
	const char *(*addrinfo)(
	    Dwfl_Module *, uint64_t at, uint64_t *offset, void *symbol, void *, void *, void *);
	Dwfl_Line *(*getsrc)(Dwfl_Module *, uint64_t at);
	const char *(*lineinfo)(
	    Dwfl_Line *, uint64_t *at, int *line, int *column, uint64_t *, uint64_t *);
	/* Of C++'s library; NULL without. */
	char *(*demangle)(const char *name, char *buffer, size_t *size, int *status);
	bool tried, ready;
} dw;

struct elf_file {
	Dwfl_Module *module;
	uint64_t bias;
};

static bool find(void *library, const char *symbol, void *function, size_t size)
{
	void *found = library == NULL ? NULL : dlsym(library, symbol);
	memcpy(function, &found, size);
	return found != NULL;
}

static bool open_library(void)
{
	if (dw.tried)
		return dw.ready;
	dw.tried = true;
	void *l = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
#define FIND(member, symbol) find(l, symbol, &dw.member, sizeof dw.member)
	dw.ready = FIND(callbacks.find_debuginfo, "dwfl_standard_find_debuginfo") &&
		   FIND(callbacks.section_address, "dwfl_offline_section_address") &&
		   FIND(begin, "dwfl_begin") && FIND(report_offline, "dwfl_report_offline") &&
		   FIND(report_end, "dwfl_report_end") && FIND(end, "dwfl_end") &&
		   FIND(getelf, "dwfl_module_getelf") && FIND(build_id, "dwfl_module_build_id") &&
		   FIND(addrinfo, "dwfl_module_addrinfo") && FIND(getsrc, "dwfl_module_getsrc") &&
		   FIND(lineinfo, "dwfl_lineinfo");
#undef FIND
	(void)find(dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL), "__cxa_demangle", &dw.demangle,
	    sizeof dw.demangle);
	return dw.ready;
}

static bool has_id(Dwfl_Module *module, const char *id)
{
	const unsigned char *bits;
	uint64_t address;
	char text[2 * MOST_ID + 1] = "";
	const int count = dw.build_id(module, &bits, &address);
	for (int i = 0; i < count && i < MOST_ID; i++)
		snprintf(text + 2 * (size_t)i, 3, "%02x", bits[i]);
	return strcmp(text, id) == 0;
}

static bool is_old(const struct stat *s, int64_t since_ns)
{
	return (int64_t)s->st_ctim.tv_sec * 1000000000 + s->st_ctim.tv_nsec <= since_ns;
}

struct elf_file *elf_open(const char *path, const char *id, int64_t since_ns)
{
	struct stat s;
	/* Not a device or a pipe that a profile of others names. */
	if (stat(path, &s) != 0 || !S_ISREG(s.st_mode) ||
	    (id[0] == '\0' && !is_old(&s, since_ns)) || !open_library())
		return NULL;
	struct elf_file *file = gcs_zalloc(sizeof *file);
	Dwfl *dwfl = file == NULL ? NULL : dw.begin(&dw.callbacks);
	if (dwfl != NULL)
		file->module = dw.report_offline(dwfl, path, path, -1);
	if (file != NULL && file->module != NULL && dw.report_end(dwfl, NULL, NULL) == 0 &&
	    dw.getelf(file->module, &file->bias) != NULL && has_id(file->module, id))
		return file;
	if (dwfl != NULL)
		dw.end(dwfl);
	gcs_free(file);
	return NULL;
}

/* Where the list of parameters, or what follows it, begins: after the name's last "(" that is not in
 * brackets or the name of an operator. */
static void cut_parameters(char *name)
{
	int depth = 0;
	for (char *at = name; *at != '\0'; at++) {
		if (strncmp(at, "operator", 8) == 0) {
			at += 8;
			at += strspn(at, "<>-");
			if (strncmp(at, "()", 2) == 0)
				at += 2;
		}
		if (strncmp(at, "(anonymous namespace)", 21) == 0)
			at += 20;
		else if (*at == '<')
			depth++;
		else if (*at == '>' && depth != 0)
			depth--;
		else if (*at == '(' && depth == 0 && at != name) {
			*at = '\0';
			return;
		}
		if (*at == '\0')
			return;
	}
}

static void put_function(struct elf_code *code, const char *symbol)
{
	int status = -1;
	char *plain = dw.demangle != NULL && strncmp(symbol, "_Z", 2) == 0
			  ? dw.demangle(symbol, NULL, NULL, &status)
			  : NULL;
	snprintf(code->function, sizeof code->function, "%s", plain == NULL ? symbol : plain);
	if (plain != NULL)
		cut_parameters(code->function);
	free(plain);
	/* A symbol's version. */
	char *version = strstr(code->function, "@@");
	if (version != NULL)
		*version = '\0';
}

bool elf_find(struct elf_file *file, uint64_t address, struct elf_code *code)
{
	unsigned char symbol[64]; /* a GElf_Sym */
	uint64_t offset = 0;
	int line = 0;
	const char *name =
	    dw.addrinfo(file->module, address + file->bias, &offset, symbol, NULL, NULL, NULL);
	if (name == NULL)
		return false;
	put_function(code, name);
	Dwfl_Line *at = dw.getsrc(file->module, address + file->bias);
	const char *source = at == NULL ? NULL : dw.lineinfo(at, NULL, &line, NULL, NULL, NULL);
	const char *slash = source == NULL ? NULL : strrchr(source, '/');
	snprintf(code->file, sizeof code->file, "%s",
	    source == NULL  ? ""
	    : slash == NULL ? source
			    : slash + 1);
	code->line = source != NULL && line > 0 ? (uint32_t)line : 0;
	return true;
}
