/*
 * Names of native frames that a server has sent without (profile.h): the function, and the file and line of
 * the call where the library's file has them. They are looked up here, where a user asks, never in the
 * program that is watched (docs/decisions/011-native-call-sites.md).
 */
#ifndef GCSPY_PROFILE_NATIVE_NAMES_H
#define GCSPY_PROFILE_NATIVE_NAMES_H

/* Profiles have names from now on, when they are decoded. At the start of a program. Any thread decodes. */
void native_names_use(void);

#endif
