/*
 * Plain loads from the VM's memory. They are volatile because the JVM may write concurrently
 * (values may be inconsistent with each other, but no word is torn), and they fault like any load:
 * only for addresses inside objects that the JVM never frees, checked when the VM was opened.
 *
 * Nothing here synchronizes with the JVM. In a pause, in the VM thread, its own synchronization has made
 * all visible. Outside, what a pointer leads to was written before the pointer, which HotSpot stores
 * with release, and is read after it: an address that depends on a load orders the two on every
 * processor that HotSpot runs on, although C11 promises that for memory_order_consume alone. Words that
 * no pointer connects may be of different times.
 *
 * Any thread; no locks, no system calls.
 */
#ifndef GCSPY_AGENT_VM_LOAD_H
#define GCSPY_AGENT_VM_LOAD_H

#include <stdint.h>

static inline uint8_t vm_load_u8(uintptr_t address)
{
	return *(const volatile uint8_t *)address;
}

static inline uint32_t vm_load_u32(uintptr_t address)
{
	return *(const volatile uint32_t *)address;
}

static inline uint64_t vm_load_u64(uintptr_t address)
{
	return *(const volatile uint64_t *)address;
}

static inline uintptr_t vm_load_pointer(uintptr_t address)
{
	return *(const volatile uintptr_t *)address;
}

#endif
