/*
 * Calls of the library that can fail, wrapped by the linker (--wrap) and made to fail at random, by
 * a seed: allocation, threads, sockets, files. Any thread.
 */
#ifndef GCSPY_TESTS_FAULTS_H
#define GCSPY_TESTS_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

/* From now on each wrapped call fails with the probability 1/`rarity`; 0: none. */
void faults_set(uint64_t seed, uint32_t rarity);

/* Fails that call only: "malloc" … */
void faults_only(const char *call);

/*
 * Also calls on files fail: open, write (half of the bytes go before the disk is full), pread,
 * ftruncate, close (which closes nevertheless). Off after faults_set.
 */
void faults_files(bool fail);

/* Calls that were made to fail since faults_set. */
unsigned faults_made(void);

#endif
