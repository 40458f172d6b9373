/*
 * Calls into the agent by threads that are not its own: JVMTI callbacks, and gcs_sampling_* by
 * other native code. The agent can be taken down only when none is in flight, and disabling an
 * event does not wait for its callbacks: HotSpot may have read a callback's address long before it
 * calls it.
 *
 * Every such call begins with inflight_enter and, if that returned true, ends with inflight_leave.
 * In between, all parts of the agent exist.
 *
 * Proof. A caller increments the count and then reads whether the agent is open; the closer first
 * closes the agent and then reads the count. All four operations are sequentially consistent: in
 * their total order either the caller's increment precedes the closer's read, which therefore waits
 * for it, or the closer's store precedes the caller's read, which therefore returns false. Every
 * change of the count is a read-modify-write, so that all of them after a caller's decrement
 * continue its release sequence: the closer's read of 0 happens after everything that any caller
 * did in between. A rejected caller touches nothing but the count, which is never freed; the
 * library stays mapped (-z nodelete). The last caller to leave posts a semaphore if the closer
 * waits. No post is lost, by the same argument: the closer announces that it waits and then reads
 * the count; a caller that leaves decrements it and then reads whether the closer waits.
 *
 * A call that was late for one agent and enters the next one finds that one complete; JVMTI
 * callbacks compare the environment as well.
 */
#ifndef GCSPY_AGENT_INFLIGHT_H
#define GCSPY_AGENT_INFLIGHT_H

#include <stdbool.h>
#include <stdint.h>

/* False: the agent is closed, and the caller must return at once. Any thread, including the VM
 * thread: two atomic operations. */
bool inflight_enter(void);
void inflight_leave(void);

/* Whether the agent is open, for a call in flight that waits for something else. */
bool inflight_open(void);

/* Opens the agent. One thread at a time, like inflight_close. */
void inflight_begin(void);

/* Closes the agent and waits until no call is in flight, at most until `deadline_ns` of the
 * monotonic clock. Returns the number still in flight: 0 is success. May be called again. */
unsigned inflight_close(uint64_t deadline_ns);

#endif
