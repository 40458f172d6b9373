/*
 * Criterion's workers share memory that has the same address in all of them. boxfort, the part of
 * Criterion that makes it, tries random addresses (0x200000000000 + rand_r() * 16 MiB, modulo 2^22
 * steps), and nearly all of them are the thread sanitizer's own or closed by it. This rand_r, which
 * nothing else here calls, picks from the 256 GiB at 0x550000000000: the sanitizer leaves them to
 * the program, and they are below where Linux loads position-independent programs.
 */
#include <stdlib.h>

int rand_r(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return (int)(0x350000u | (*seed >> 16 & 0x3fffu));
}
