/*
 * Where objects begin in the old generation of Serial and Parallel, by the collector's own table:
 * an entry for each card says where the object begins that reaches over the card's border. So a walk
 * can begin anywhere, and not only at the bottom.
 *
 * At a safepoint, in the VM thread, for addresses below the old generation's top. Plain loads.
 */
#ifndef GCSPY_AGENT_VM_STARTS_H
#define GCSPY_AGENT_VM_STARTS_H

#include "vm.h"

/*
 * An address at which an object begins: `address` itself, or the last one before it. 0 if `address`
 * is no border of a card or outside of what the table covers, or the table makes no sense there.
 * What it says is the JVM's word, to be checked by the walk. Needs VM_OBJECT_STARTS.
 */
uint64_t vm_start_before(const struct vm *vm, uint64_t address);

#endif
