/*
 * Where objects begin in the old generation of Serial and Parallel, by the collector's own table:
 * an entry for each card says where the object begins that crosses the card's border. So a walk can
 * begin anywhere, not only at the bottom.
 *
 * At a safepoint, in the VM thread, for addresses below the old generation's top. Plain loads.
 */
#ifndef GCSPY_AGENT_VM_STARTS_H
#define GCSPY_AGENT_VM_STARTS_H

#include "vm.h"

/*
 * An address at which an object begins: `address` itself, or the last one before it. 0 if `address`
 * is no border of a card or outside the table's range, or the table's entry is impossible. The
 * result must be verified by the walk. Needs VM_OBJECT_STARTS.
 */
uint64_t vm_start_before(const struct vm *vm, uint64_t address);

#endif
