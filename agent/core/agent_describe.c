/* General information about the JVM. Declared in agent.h. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/format.h>

#include "agent.h"
#include "vm.h"

void agent_info(struct agent *a, const char *key, const char *format, const char *value)
{
	char text[GCS_MAX_NAME + 1];
	snprintf(text, sizeof text, format, value);
	(void)gcs_server_set_info(a->server, key, text, NULL);
}

/* Copies a system property of the JVM; "" without it. */
static void get_property(struct agent *a, const char *property, char *text, size_t size)
{
	char *value = NULL;
	text[0] = '\0';
	if ((*a->jvmti)->GetSystemProperty(a->jvmti, property, &value) != JVMTI_ERROR_NONE)
		return;
	snprintf(text, size, "%s", value);
	(*a->jvmti)->Deallocate(a->jvmti, (unsigned char *)value);
}

static void set_property(struct agent *a, const char *key, const char *property)
{
	char text[GCS_MAX_NAME + 1];
	get_property(a, property, text, sizeof text);
	if (text[0] != '\0')
		agent_info(a, key, "%s", text);
}

/* The main class or archive. The program's arguments may be secrets: only the first word of its
 * command is ever disclosed. */
static void name_program(struct agent *a)
{
	char command[GCS_MAX_NAME + 1];
	snprintf(a->name, sizeof a->name, "HotSpot, process %ld", (long)getpid());
	get_property(a, "sun.java.command", command, sizeof command);
	command[strcspn(command, " ")] = '\0';
	if (command[0] == '\0')
		return;
	agent_info(a, "Program", "%s", command);
	const char *base = strrchr(command, '/');
	snprintf(a->name, sizeof a->name, "%.200s, process %ld", base == NULL ? command : base + 1,
	    (long)getpid());
	(void)gcs_server_set_name(a->server, a->name, NULL);
}

/* Capabilities that apply to every collector, or to this one. */
static bool matters(const struct agent *a, enum vm_capability capability)
{
	enum vm_collector collector = vm_collector(a->vm);
	switch (capability) {
	case VM_GENERATION_SPACES:
	case VM_GENERATION_RANGES:
	case VM_OBJECT_STARTS:
		return collector == VM_COLLECTOR_SERIAL || collector == VM_COLLECTOR_PARALLEL;
	case VM_G1_REGIONS:
	case VM_G1_COMMITTED:
	case VM_G1_PARSABLE:
		return collector == VM_COLLECTOR_G1;
	case VM_Z_PAGES:
	case VM_Z_LIVE:
	case VM_Z_AGE:
	case VM_Z_RELOCATION:
	case VM_Z_TOTALS:
		return collector == VM_COLLECTOR_ZGC;
	case VM_SHENANDOAH_REGIONS:
	case VM_SHENANDOAH_LIVE:
	case VM_SHENANDOAH_AGE:
	case VM_SHENANDOAH_TOTALS:
		return collector == VM_COLLECTOR_SHENANDOAH;
	case VM_SHENANDOAH_MARKS:
	case VM_OBJECTS: /* reported with the heavy volume, which needs them */
	case VM_STACK_CHUNKS:
		return false;
	case VM_UNLOADED_CLASSES:
		return collector == VM_COLLECTOR_G1;
	case VM_EPSILON_SPACE:
		return collector == VM_COLLECTOR_EPSILON;
	default:
		return true;
	}
}

void agent_describe(struct agent *a)
{
	char text[160], number[40];
	name_program(a);
	snprintf(text, sizeof text, "%ld", (long)getpid());
	agent_info(a, "Process", "%s", text);
	set_property(a, "JVM", "java.vm.name");
	set_property(a, "Version", "java.vm.version");
	agent_info(a, "Collector", "%s", vm_collector_name(vm_collector(a->vm)));
	gcs_format_number(number, sizeof number, (int64_t)vm_max_heap(a->vm), GCS_BYTES);
	if (vm_max_heap(a->vm) != 0)
		agent_info(a, "Heap limit", "%s", number);
	struct vm_range heap = vm_heap_range(a->vm);
	if (heap.high != heap.low) {
		snprintf(text, sizeof text, "0x%llx-0x%llx", (unsigned long long)heap.low,
		    (unsigned long long)heap.high);
		agent_info(a, "Heap range", "%s", text);
	}
	if (vm_flag_is(a->vm, "NativeMemoryTracking", "off"))
		agent_info(a, "Native memory tracking", "%s",
		    "off; -XX:NativeMemoryTracking=summary turns it on");
	else if (vm_flag_is(a->vm, "NativeMemoryTracking", "summary") ||
		 vm_flag_is(a->vm, "NativeMemoryTracking", "detail"))
		agent_info(a, "Native memory tracking", "%s",
		    "on; the plugin nmt shows it, as jcmd PID VM.native_memory does");
	agent_info(a, "Agent", "GCspy %s", gcs_version());
	if (!vm_has_tables(a->vm)) {
		agent_info(
		    a, "Not available: what the JVM's tables tell", "%s", vm_why(a->vm, VM_FLAGS));
		return;
	}
	for (int i = 0; i < VM_CAPABILITY_COUNT; i++) {
		char key[GCS_MAX_NAME + 1];
		if (vm_has(a->vm, (enum vm_capability)i) || !matters(a, (enum vm_capability)i))
			continue;
		snprintf(key, sizeof key, "Not available: %s",
		    vm_capability_text((enum vm_capability)i));
		agent_info(a, key, "%s", vm_why(a->vm, (enum vm_capability)i));
	}
}
