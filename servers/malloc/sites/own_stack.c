#include "own_stack.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include "own_memory.h"

/* As many threads are in the midst of a sample at most, or the sample is one without a stack. */
enum { STACKS = 1024, STACK_BYTES = 65536 };

static char *stacks;
static atomic_bool taken[STACKS];

/* Calls run(context) with the stack pointer at `top`. Its frame says where the caller's is. */
void own_stack_call(void *top, void (*run)(void *context), void *context)
    __attribute__((visibility("hidden")));

#if defined(__x86_64__)
__asm__(".pushsection .text\n"
	".globl own_stack_call\n"
	".hidden own_stack_call\n"
	".type own_stack_call, @function\n"
	"own_stack_call:\n"
	".cfi_startproc\n"
	"push %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset %rbp, -16\n"
	"mov %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	"mov %rdi, %rsp\n"
	"mov %rdx, %rdi\n"
	"call *%rsi\n"
	"mov %rbp, %rsp\n"
	"pop %rbp\n"
	".cfi_def_cfa %rsp, 8\n"
	"ret\n"
	".cfi_endproc\n"
	".size own_stack_call, . - own_stack_call\n"
	".popsection\n");
#elif defined(__aarch64__)
__asm__(".pushsection .text\n"
	".globl own_stack_call\n"
	".hidden own_stack_call\n"
	".type own_stack_call, %function\n"
	"own_stack_call:\n"
	".cfi_startproc\n"
	"stp x29, x30, [sp, -16]!\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset 29, -16\n"
	".cfi_offset 30, -8\n"
	"mov x29, sp\n"
	".cfi_def_cfa_register 29\n"
	"mov sp, x0\n"
	"mov x0, x2\n"
	"blr x1\n"
	"mov sp, x29\n"
	".cfi_def_cfa_register 31\n"
	"ldp x29, x30, [sp], 16\n"
	".cfi_def_cfa_offset 0\n"
	".cfi_restore 29\n"
	".cfi_restore 30\n"
	"ret\n"
	".cfi_endproc\n"
	".size own_stack_call, . - own_stack_call\n"
	".popsection\n");
#else
void own_stack_call(void *top, void (*run)(void *context), void *context)
{
	(void)top;
	run(context);
}
#endif

bool own_stacks_begin(void)
{
	stacks = own_memory_reserve((size_t)STACKS * STACK_BYTES);
	return stacks != NULL;
}

/* The lowest one that is free, so that few have pages; STACKS: none. */
static int take(void)
{
	int i = 0;
	for (; i < STACKS; i++) {
		bool is = false;
		if (!atomic_load_explicit(&taken[i], memory_order_relaxed) &&
		    atomic_compare_exchange_strong(&taken[i], &is, true))
			break;
	}
	return i;
}

/* What the thread does itself, such as a read that faults, cannot wait. */
static void block_signals(sigset_t *before)
{
	static const int own[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
	sigset_t others;
	sigfillset(&others);
	for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
		sigdelset(&others, own[i]);
	pthread_sigmask(SIG_BLOCK, &others, before);
}

bool own_stack_run(void (*run)(void *context), void *context)
{
	sigset_t before;
	block_signals(&before);
	const int i = take();
	if (i != STACKS) {
		own_stack_call(stacks + (size_t)(i + 1) * STACK_BYTES, run, context);
		atomic_store(&taken[i], false);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return i != STACKS;
}

void own_stacks_forget(void)
{
	for (int i = 0; i < STACKS; i++)
		atomic_store(&taken[i], false);
}
