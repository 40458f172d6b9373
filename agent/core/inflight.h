/*
 * Calls into the agent by threads that are not its own: JVMTI callbacks, and gcs_sampling_* by
 * other native code. The agent can be taken down only once none is in flight, and disabling an
 * event does not wait for its callbacks: HotSpot may have read a callback's address long before it
 * calls it.
 *
 * Every such call begins with inflight_enter and, where that returned true, ends with
 * inflight_leave. In between everything of the agent exists.
 *
 * Why that holds. A caller adds itself to the count and then reads whether the agent is open; the
 * agent is closed first and then the count is read. All four are sequentially consistent, so that
 * in their one total order either the caller's addition comes before the closer's read, which
 * therefore waits for it, or the closer's store comes before the caller's read, which therefore
 * turns away. Every change of the count is a read-modify-write, so that all of them behind a
 * caller's subtraction continue its release sequence: the closer's read of 0 happens after all that
 * any caller did in between. A caller that turns away touches nothing but the count, which is never
 * freed; the library stays mapped (-z nodelete). The last one to leave posts a semaphore if
 * somebody waits. By the same argument no post is lost: the closer says that it waits and then
 * reads the count, and a caller that leaves subtracts itself and then reads whether somebody waits.
 *
 * A call that was late for one agent and enters the next one finds that one whole; JVMTI callbacks
 * compare the environment as well.
 */
#ifndef GCSPY_AGENT_INFLIGHT_H
#define GCSPY_AGENT_INFLIGHT_H

#include <stdbool.h>
#include <stdint.h>

/* False: the agent is closed, and the caller returns at once. Any thread, also the VM thread: two
 * atomic operations. */
bool inflight_enter(void);
void inflight_leave(void);

/* Whether the agent is open, for a call in flight that waits for something else. */
bool inflight_open(void);

/* From now on calls may enter. One thread at a time, as inflight_close. */
void inflight_begin(void);

/* From now on none enters; waits until none is in flight, at most until `deadline_ns` of the
 * monotonic clock. The number that is left: 0 is success. It may be called again. */
unsigned inflight_close(uint64_t deadline_ns);

#endif
