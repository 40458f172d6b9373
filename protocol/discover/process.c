#include "process.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Behind "NAME:" at the beginning of a line, or NULL. */
static const char *field(const char *text, const char *name)
{
	size_t length = strlen(name);
	for (const char *at = text; at != NULL; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, name, length) == 0 && at[length] == ':')
			return at + length + 1 + strspn(at + length + 1, " \t");
	}
	return NULL;
}

/* The number at `index` of a field, -1 without it. */
static long number(const char *value, unsigned index)
{
	for (; value != NULL; index--) {
		char *end;
		if (!isdigit((unsigned char)*value))
			return -1;
		long n = strtol(value, &end, 10);
		if (index == 0)
			return n;
		value = end + strspn(end, " \t");
	}
	return -1;
}

/* The last number of a field: of NSpid, the one in the innermost namespace. */
static long last_number(const char *value)
{
	long last = -1;
	for (unsigned i = 0; i < 40; i++) { /* Linux nests at most 32 deep */
		long n = number(value, i);
		if (n < 0)
			break;
		last = n;
	}
	return last;
}

bool process_parse_status(const char *text, long pid, struct process_status *status)
{
	const char *state = field(text, "State");
	const char *caught = field(text, "SigCgt");
	*status = (struct process_status){
	    .user = number(field(text, "Uid"), 1),
	    .group = number(field(text, "Gid"), 1),
	    .inner_pid = last_number(field(text, "NSpid")),
	};
	if (status->inner_pid <= 0)
		status->inner_pid = pid;
	if (state == NULL || !isalpha((unsigned char)*state) || status->user < 0 ||
	    status->group < 0 || caught == NULL || !isxdigit((unsigned char)*caught))
		return false;
	status->state = *state;
	unsigned long long mask = strtoull(caught, NULL, 16);
	status->takes_quit = (mask >> (SIGQUIT - 1) & 1) != 0;
	return true;
}

static bool is_file(const char *path, size_t length, const char *name)
{
	size_t tail = strlen(name);
	return length > tail && path[length - tail - 1] == '/' &&
	       strncmp(path + length - tail, name, tail) == 0;
}

static void take_agent(const char *path, size_t length, struct process_libraries *libraries)
{
	unsigned i = 0;
	while (i < libraries->agent_count && (strncmp(libraries->agents[i], path, length) != 0 ||
						 libraries->agents[i][length] != '\0'))
		i++;
	if (i < libraries->agent_count || i == PROCESS_AGENTS ||
	    length >= sizeof libraries->agents[0])
		return;
	snprintf(libraries->agents[i], sizeof libraries->agents[0], "%.*s", (int)length, path);
	libraries->agent_count++;
}

void process_take_map(const char *line, struct process_libraries *libraries)
{
	static const char deleted[] = " (deleted)";
	/* Range, rights, offset, device and inode come before the path. */
	for (int i = 0; i < 5; i++) {
		line += strcspn(line, " \n");
		line += strspn(line, " ");
	}
	size_t length = strcspn(line, "\n");
	if (*line != '/')
		return;
	/* A file that an upgrade has replaced. */
	if (length > sizeof deleted - 1 &&
	    strncmp(line + length - (sizeof deleted - 1), deleted, sizeof deleted - 1) == 0)
		length -= sizeof deleted - 1;
	if (is_file(line, length, "libjvm.so") && length < sizeof libraries->jvm)
		snprintf(libraries->jvm, sizeof libraries->jvm, "%.*s", (int)length, line);
	const char *name = line + length;
	while (name[-1] != '/')
		name--;
	libraries->openj9 = libraries->openj9 || strncmp(name, "libj9vm", 7) == 0;
	if (is_file(line, length, "libgcspyagent.so"))
		take_agent(line, length, libraries);
}

/* Options of the launcher whose value is the next word. */
static bool takes_value(const char *word)
{
	static const char *const names[] = {"-cp", "-classpath", "--class-path", "-p",
	    "--module-path", "--upgrade-module-path", "--add-modules", "--limit-modules",
	    "--add-reads", "--add-exports", "--add-opens", "--patch-module", "--source",
	    "--enable-native-access", "--describe-module", "-d"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(word, names[i]) == 0)
			return true;
	return false;
}

void process_program(const char *words, size_t length, char *name, size_t size)
{
	const char *end = words + length;
	bool next_is_it = false, skip = true; /* the first word is the launcher */
	name[0] = '\0';
	while (words < end) {
		const char *stop = memchr(words, '\0', (size_t)(end - words));
		if (stop == NULL)
			return; /* cut off */
		if (skip) {
			skip = false;
		} else if (next_is_it || (words[0] != '-' && words[0] != '@')) {
			snprintf(name, size, "%s", words);
			return;
		} else {
			next_is_it = strcmp(words, "-jar") == 0 || strcmp(words, "-m") == 0 ||
				     strcmp(words, "--module") == 0;
			skip = takes_value(words);
			if (strncmp(words, "--module=", 9) == 0) {
				snprintf(name, size, "%s", words + 9);
				return;
			}
		}
		words = stop + 1;
	}
}

void process_command(const char *command, const char *words, size_t length, char *name, size_t size)
{
	name[0] = '\0';
	if (words != NULL)
		process_program(words, length, name, size);
	const size_t exact = strlen(name);
	if (exact != 0 && strncmp(command, name, exact) == 0 &&
	    (command[exact] == ' ' || command[exact] == '\0'))
		return;
	snprintf(name, size, "%.*s", (int)strcspn(command, " "), command);
}

bool process_is_jdk_tool(const char *program)
{
	/* "jdk.jcmd/sun.tools.jcmd.JCmd"; before JDK 9, and where the tool starts another JVM, without a module. */
	static const char *const beginnings[] = {
	    "sun.tools.", "com.sun.tools.", "sun.security.tools.", "jdk.jshell."};
	static const char launcher[] = "com.sun.tools.javac.launcher.", jar[] = ".jar";
	const char *slash = strrchr(program, '/'), *name = slash == NULL ? program : slash + 1;
	const size_t length = strlen(name), suffix = sizeof jar - 1;
	if (strncmp(name, launcher, sizeof launcher - 1) == 0 ||
	    (length >= suffix && strcmp(name + length - suffix, jar) == 0))
		return false;
	if (slash != NULL &&
	    (strncmp(program, "jdk.", 4) == 0 || strncmp(program, "java.", 5) == 0))
		return true;
	for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
		if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

bool process_flag(const char *text, size_t length, const char *flag, bool on)
{
	size_t name = strlen(flag);
	for (size_t i = 0; i + 5 + name <= length; i++) {
		const char *at = text + i;
		if (memcmp(at, "-XX:", 4) != 0 || (at[4] != '+' && at[4] != '-') ||
		    memcmp(at + 5, flag, name) != 0)
			continue;
		/* Another flag may begin with this one's name. */
		if (i + 5 + name == length || !isalnum((unsigned char)at[5 + name]))
			on = at[4] == '+';
	}
	return on;
}

int process_java_major(const char *version)
{
	if (strncmp(version, "1.", 2) == 0)
		version += 2;
	size_t digits = strspn(version, "0123456789");
	if (digits == 0 || digits > 4)
		return 0;
	return (int)strtol(version, NULL, 10);
}

bool process_release_version(const char *text, char *version, size_t size)
{
	static const char key[] = "JAVA_VERSION=\"";
	version[0] = '\0';
	for (const char *at = text; at != NULL; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, key, sizeof key - 1) != 0)
			continue;
		at += sizeof key - 1;
		size_t length = strcspn(at, "\"\n");
		if (at[length] != '"')
			return false;
		snprintf(version, size, "%.*s", (int)length, at);
		return length != 0;
	}
	return false;
}
