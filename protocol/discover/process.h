/*
 * Parses the texts under /proc/PID of a process that may be a JVM. Pure functions that accept any
 * text.
 */
#ifndef GCSPY_DISCOVER_PROCESS_H
#define GCSPY_DISCOVER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/* Of /proc/PID/status. */
struct process_status {
	char state;      /* as in the file: 'R', 'S', 'T' stopped, 't' traced, 'Z' zombie … */
	long user;       /* effective */
	long group;      /* effective */
	long inner_pid;  /* its number in its own PID namespace */
	bool takes_quit; /* it handles SIGQUIT, which else would end it */
};

/* False if a line is missing; NSpid alone may be, and is then `pid`. */
bool process_parse_status(const char *text, long pid, struct process_status *status);

enum { PROCESS_AGENTS = 4 };

/* Of /proc/PID/maps. */
struct process_libraries {
	char jvm[1024]; /* path of libjvm.so, or "" */
	bool openj9;    /* which is a JVM, but not HotSpot */
	/* Paths of libgcspyagent.so; a JVM may have loaded copies of it from several places. */
	char agents[PROCESS_AGENTS][1024];
	unsigned agent_count;
};

/* Takes one line of the file; all lines together fill a struct that began as zeros. */
void process_take_map(const char *line, struct process_libraries *libraries);

/*
 * The main class, module or archive in the words of a Java launcher's command line, each ended by a
 * NUL byte (/proc/PID/cmdline); "" if none is seen. Arguments may be secrets and are left out.
 */
void process_program(const char *words, size_t length, char *name, size_t size);

/*
 * The first of the words that a JVM tells as its command, which has blanks between words as well as in them:
 * as process_program finds it in the command line, if the command begins with that; else to the first blank.
 * No words are fine.
 */
void process_command(
    const char *command, const char *words, size_t length, char *name, size_t size);

/* Whether a program, as process_command finds it, is one of the JDK's own, such as jcmd or javac: by its module or
 * package. Source files that `java` compiles and executes are not. */
bool process_is_jdk_tool(const char *program);

/* Whether a JVM flag that is off by default is on after -XX:+FLAG and -XX:-FLAG in `text`, whatever
 * stands between them; the last one counts. `on` is what it is without any. */
bool process_flag(const char *text, size_t length, const char *flag, bool on);

/* 17 of "17.0.15", 8 of "1.8.0_402"; 0 of anything else. */
int process_java_major(const char *version);

/* Copies the value of JAVA_VERSION in a JDK's file "release"; false and "" without one. */
bool process_release_version(const char *text, char *version, size_t size);

#endif
