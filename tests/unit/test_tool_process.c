/* What /proc says of a process, read for `gcspy attach` and `gcspy list` (H1, Q2). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "process.h"

#define STATUS                                                                                     \
	"Name:\tjava\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t10384\nPid:\t10384\n"             \
	"Uid:\t1000\t1001\t1002\t1003\nGid:\t100\t101\t102\t103\nFDSize:\t64\n"                    \
	"NSpid:\t10384\nSigBlk:\t0000000000000000\nSigCgt:\t2000000101005ccf\n"

static struct process_status status;

Test(process, status_of_a_jvm)
{
	cr_assert(process_parse_status(STATUS, 10384, &status));
	cr_assert_eq(status.state, 'S');
	cr_assert_eq(status.user, 1001, "the effective one");
	cr_assert_eq(status.group, 101);
	cr_assert_eq(status.inner_pid, 10384);
	cr_assert(status.takes_quit);
}

/* Replaces the line that begins with a field's name. */
static const char *with(const char *field, const char *line)
{
	static char text[2000];
	const char *at = strstr(STATUS, field);
	const char *rest = strchr(at, '\n') + 1;
	snprintf(text, sizeof text, "%.*s%s%s", (int)(at - STATUS), STATUS, line, rest);
	return text;
}

Test(process, status_in_other_states)
{
	cr_assert(process_parse_status(with("NSpid:", "NSpid:\t10384\t77\t5\n"), 10384, &status));
	cr_assert_eq(status.inner_pid, 5, "the innermost of a container in a container");
	cr_assert(process_parse_status(with("NSpid:", ""), 10384, &status));
	cr_assert_eq(status.inner_pid, 10384, "a kernel without PID namespaces");
	cr_assert(process_parse_status(with("State:", "State:\tT (stopped)\n"), 1, &status));
	cr_assert_eq(status.state, 'T');
	cr_assert(process_parse_status(with("State:", "State:\tZ (zombie)\n"), 1, &status));
	cr_assert_eq(status.state, 'Z');
	/* With -Xrs: signals 1, 2, 3 and 15 are left alone. */
	cr_assert(process_parse_status(with("SigCgt:", "SigCgt:\t2000000101001cc8\n"), 1, &status));
	cr_assert_not(status.takes_quit);
	cr_assert(process_parse_status(with("SigCgt:", "SigCgt:\t0000000000000004\n"), 1, &status));
	cr_assert(status.takes_quit, "SIGQUIT is bit 2");
}

Test(process, status_that_is_none)
{
	static const char *const texts[] = {"", "\n", "\n\n\n", "State:", "State:\tS", "Uid:\t1\t1",
	    "StateX:\tS\nUid:\t0\t0\nGid:\t0\t0\nSigCgt:\t4\n", "State:\t\nUid:\t0\t0\n"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		cr_assert_not(process_parse_status(texts[i], 1, &status), "%zu", i);
	static const char *const fields[] = {"State:", "Uid:", "Gid:", "SigCgt:"};
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
		cr_assert_not(
		    process_parse_status(with(fields[i], ""), 1, &status), "%s", fields[i]);
	cr_assert_not(process_parse_status(with("Uid:", "Uid:\t0\n"), 1, &status));
	cr_assert_not(process_parse_status(with("Uid:", "Uid:\t-1\t-1\n"), 1, &status));
	cr_assert_not(process_parse_status(with("SigCgt:", "SigCgt:\tx\n"), 1, &status));
	/* A name may hold anything but a line break, which the kernel escapes. */
	cr_assert(
	    process_parse_status(with("Name:", "Name:\tState: Z\\nUid:\t9\t9\n"), 1, &status));
	cr_assert_eq(status.state, 'S');
	cr_assert_eq(status.user, 1001);
}

static struct process_libraries libraries_of(const char *const *lines, size_t count)
{
	struct process_libraries l = {0};
	for (size_t i = 0; i < count; i++)
		process_take_map(lines[i], &l);
	return l;
}

#define MAPPED(path) "7f0dd8000000-7f0dd8200000 r-xp 00000000 fe:00 1234     " path "\n"

Test(process, libraries_of_a_jvm)
{
	static const char *const lines[] = {
	    "00400000-00401000 r-xp 00000000 fe:00 99 /usr/bin/java\n",
	    "7f0dd8000000-7f0dd8200000 rw-p 00000000 00:00 0 \n",
	    "7ffd1000-7ffd2000 rw-p 00000000 00:00 0                          [stack]\n",
	    MAPPED("/opt/my jdk/lib/server/libjvm.so"),
	    MAPPED("/home/u/build/lib/libgcspyagent.so"),
	};
	struct process_libraries l = libraries_of(lines, 5);
	cr_assert_str_eq(l.jvm, "/opt/my jdk/lib/server/libjvm.so");
	cr_assert_eq(l.agent_count, 1);
	cr_assert_str_eq(l.agents[0], "/home/u/build/lib/libgcspyagent.so");
	cr_assert_not(l.openj9);
	l = libraries_of(lines, 4);
	cr_assert_eq(l.agent_count, 0);
	l = libraries_of(lines, 3);
	cr_assert_str_eq(l.jvm, "");
}

Test(process, libraries_that_were_replaced_or_are_others)
{
	static const char *const upgraded[] = {
	    MAPPED("/j/lib/server/libjvm.so (deleted)"), MAPPED("/x/libgcspyagent.so (deleted)")};
	struct process_libraries l = libraries_of(upgraded, 2);
	cr_assert_str_eq(l.jvm, "/j/lib/server/libjvm.so");
	cr_assert_eq(l.agent_count, 1);
	cr_assert_str_eq(l.agents[0], "/x/libgcspyagent.so");
	static const char *const openj9[] = {
	    MAPPED("/j9/lib/default/libj9vm29.so"), MAPPED("/j9/lib/server/libjvm.so")};
	cr_assert(libraries_of(openj9, 2).openj9);
	static const char *const similar[] = {MAPPED("/x/mylibjvm.so"), MAPPED("/x/libjvm.so.1"),
	    MAPPED("/x/libjvm.so/y"), MAPPED("libjvm.so"), MAPPED("/x/libgcspyagent.so.old"),
	    MAPPED("[libjvm.so]")};
	l = libraries_of(similar, 6);
	cr_assert_str_eq(l.jvm, "");
	cr_assert_eq(l.agent_count, 0);
}

/* Each segment of a library has a line; several copies of the agent count once each. */
Test(process, copies_of_the_agent)
{
	static const char *const lines[] = {MAPPED("/a/libgcspyagent.so"),
	    MAPPED("/a/libgcspyagent.so"), MAPPED("/b c/libgcspyagent.so"),
	    MAPPED("/a/libgcspyagent.so"), MAPPED("/d/libgcspyagent.so"),
	    MAPPED("/e/libgcspyagent.so"), MAPPED("/f/libgcspyagent.so")};
	struct process_libraries l = libraries_of(lines, 4);
	cr_assert_eq(l.agent_count, 2);
	cr_assert_str_eq(l.agents[0], "/a/libgcspyagent.so");
	cr_assert_str_eq(l.agents[1], "/b c/libgcspyagent.so");
	l = libraries_of(lines, 7);
	cr_assert_eq(l.agent_count, PROCESS_AGENTS, "no more than there is room for");
}

Test(process, libraries_in_hostile_lines)
{
	static char longest[9000];
	static const char *const lines[] = {"", "\n", "/", " /", "a b c d e /",
	    "a b c d e  (deleted)", "a b c d e / (deleted)\n", "a b c d e /libjvm.so", "     ",
	    "1 2 3 4 5", "a b c d e"};
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		struct process_libraries l = libraries_of(&lines[i], 1);
		cr_assert_str_eq(l.jvm, i == 7 ? "/libjvm.so" : "", "%zu", i);
	}
	memset(longest, 'x', sizeof longest - 1);
	memcpy(longest, "a b c d e /", 11);
	memcpy(longest + sizeof longest - 12, "/libjvm.so", 11);
	const char *line = longest;
	cr_assert_str_eq(libraries_of(&line, 1).jvm, "", "too long to be kept");
}

/* Words in one literal, each ended by a NUL byte; the literal's own is the last one's. */
#define PROGRAM(words, expected)                                                                   \
	do {                                                                                       \
		process_program(words, sizeof(words), name, sizeof name);                          \
		cr_assert_str_eq(name, expected);                                                  \
	} while (0)

Test(process, program_of_a_command_line)
{
	char name[40];
	PROGRAM("java\0Main", "Main");
	PROGRAM("/usr/bin/java\0-Xmx1g\0-cp\0a.jar:b.jar\0com.example.Main\0--password=x",
	    "com.example.Main");
	PROGRAM("java\0-Dkey=a b\0-jar\0/srv/my app.jar\0secret", "/srv/my app.jar");
	PROGRAM("java\0-p\0mods\0-m\0my.module/my.Main\0x", "my.module/my.Main");
	PROGRAM("java\0--module-path\0mods\0--module=my.module\0x", "my.module");
	PROGRAM("java\0@arguments\0--add-opens\0java.base/java.lang=ALL-UNNAMED\0Main", "Main");
	PROGRAM("java\0-XX:+UseG1GC\0Main.java", "Main.java");
	PROGRAM("java\0-version", "");
	PROGRAM("java\0-cp", "");
	PROGRAM("java\0-jar", "");
	PROGRAM("java\0-jar\0", "");
	PROGRAM("java", "");
	PROGRAM("", "");
	PROGRAM("java\0xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
	    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
	process_program("java\0Main", 9, name, sizeof name);
	cr_assert_str_eq(name, "", "the last word is cut off");
	process_program("", 0, name, sizeof name);
	cr_assert_str_eq(name, "");
}

/* What the JVM tells as its command is that of the line, if it begins so. */
Test(process, program_of_a_command_with_blanks)
{
	static const char line[] = "java\0-cp\0x\0-jar\0dir/sp ace/my app.jar\0some secret";
	char name[40];
	process_command("dir/sp ace/my app.jar some secret", line, sizeof line, name, sizeof name);
	cr_assert_str_eq(name, "dir/sp ace/my app.jar");
	process_command("dir/sp ace/my app.jar", line, sizeof line, name, sizeof name);
	cr_assert_str_eq(name, "dir/sp ace/my app.jar", "without arguments");
	process_command("dir/sp ace/my app.jars secret", line, sizeof line, name, sizeof name);
	cr_assert_str_eq(name, "dir/sp", "another one");
	process_command("Main secret", line, sizeof line, name, sizeof name);
	cr_assert_str_eq(name, "Main", "started by a file of arguments");
	process_command("my app.jar secret", NULL, 0, name, sizeof name);
	cr_assert_str_eq(name, "my", "the line cannot be read");
	process_command("", "java\0", 5, name, sizeof name);
	cr_assert_str_eq(name, "");
}

static bool flag(const char *text)
{
	return process_flag(text, strlen(text), "DisableAttachMechanism", false);
}

Test(process, tools_of_the_jdk)
{
	static const char *const tools[] = {"jdk.jcmd/sun.tools.jcmd.JCmd", "sun.tools.jstat.Jstat",
	    "jdk.compiler/com.sun.tools.javac.Main", "com.sun.tools.javac.Main",
	    "jdk.jfr/jdk.jfr.internal.tool.Main", "java.base/sun.security.tools.keytool.Main",
	    "jdk.jshell/jdk.internal.jshell.tool.JShellToolProvider",
	    "jdk.jshell.execution.RemoteExecutionControl"};
	/* The launcher compiles a source file, and executes it itself. */
	static const char *const others[] = {"jdk.compiler/com.sun.tools.javac.launcher.Main",
	    "jdk.compiler/com.sun.tools.javac.launcher.SourceLauncher", "shop.Server",
	    "shop/shop.Server", "/srv/jdk.jar", "jdk.jcmd/shop.jar", "java.app/a.jar", "java", ""};
	for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++)
		cr_assert(process_is_jdk_tool(tools[i]), "%s", tools[i]);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		cr_assert(!process_is_jdk_tool(others[i]), "%s", others[i]);
}

Test(process, flags_count_by_the_last_one)
{
	cr_assert_not(flag(""));
	cr_assert_not(flag("-Xmx1g -XX:+UseG1GC"));
	cr_assert(flag("-XX:+DisableAttachMechanism"));
	cr_assert(flag("-Xmx1g -XX:+DisableAttachMechanism -cp x"));
	cr_assert_not(flag("-XX:+DisableAttachMechanism -XX:-DisableAttachMechanism"));
	cr_assert(flag("-XX:-DisableAttachMechanism -XX:+DisableAttachMechanism"));
	cr_assert_not(flag("-XX:+DisableAttachMechanismX"));
	cr_assert_not(flag("XX:+DisableAttachMechanism"));
	cr_assert_not(flag("-XX:DisableAttachMechanism"));
	cr_assert_not(flag("-XX:+DisableAttachMechanis"));
	static const char words[] = "java\0-XX:+DisableAttachMechanism\0Main";
	cr_assert(process_flag(words, sizeof words, "DisableAttachMechanism", false));
	cr_assert_not(process_flag(words, 20, "DisableAttachMechanism", false), "cut off");
	cr_assert(process_flag("", 0, "DisableAttachMechanism", true), "what it was before");
}

Test(process, versions_of_java)
{
	static const struct {
		const char *text;
		int major;
	} versions[] = {{"17.0.15", 17}, {"25", 25}, {"25-ea", 25}, {"1.8.0_402", 8},
	    {"11.0.2", 11}, {"1.7", 7}, {"", 0}, {"x", 0}, {"1.", 0}, {"-17", 0},
	    {"99999999999999", 0}, {" 17", 0}};
	for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
		cr_assert_eq(process_java_major(versions[i].text), versions[i].major, "%s",
		    versions[i].text);
}

Test(process, version_in_a_release_file)
{
	char version[8];
	cr_assert(process_release_version(
	    "IMPLEMENTOR=\"X\"\nJAVA_RUNTIME_VERSION=\"17.0.15+6-x\"\nJAVA_VERSION=\"17.0.1\"\n",
	    version, sizeof version));
	cr_assert_str_eq(version, "17.0.1");
	cr_assert(process_release_version("JAVA_VERSION=\"25.0.3.7.9\"", version, sizeof version));
	cr_assert_str_eq(version, "25.0.3.", "cut to its place");
	static const char *const none[] = {"", "\n\n", "JAVA_VERSION=", "JAVA_VERSION=\"",
	    "JAVA_VERSION=\"17\n\"", "JAVA_VERSION=\"\"", "XJAVA_VERSION=\"17\""};
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
		cr_assert_not(process_release_version(none[i], version, sizeof version), "%zu", i);
		cr_assert_str_eq(version, "");
	}
}
