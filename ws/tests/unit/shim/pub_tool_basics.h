/* The little of Valgrind that the pure modules use, for the host. */

#ifndef SHIM_H
#define SHIM_H

#include <assert.h>
#include <fnmatch.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char      UChar;
typedef int                Int;
typedef unsigned int       UInt;
typedef long long          Long;
typedef unsigned long long ULong;
typedef unsigned long      UWord;
typedef long               Word;
typedef UWord              Addr;
typedef size_t             SizeT;
typedef char               HChar;
typedef UChar              Bool;
#define True  1
#define False 0

#define VGAPPEND(a, b) a##b
#define VG_(name)      VGAPPEND(shim_, name)
#define tl_assert      assert

#define PRINTF_CHECK(format, first)

#define shim_malloc(what, szB)       malloc(szB)
#define shim_calloc(what, n, szB)    calloc(n, szB)
#define shim_realloc(what, ptr, szB) realloc(ptr, szB)
#define shim_free                    free
#define shim_memcpy                  memcpy
#define shim_memset                  memset
#define shim_ssort                   qsort
#define shim_strlen                  strlen
#define shim_strchr                  strchr
#define shim_strrchr                 strrchr
#define shim_strncmp                 strncmp
#define VG_STREQ(a, b)               (strcmp(a, b) == 0)
#define shim_strstr                  strstr
#define shim_string_match(wild, s)   (fnmatch(wild, s, 0) == 0)
#define shim_strtoll10(s, end)       strtoll(s, end, 10)
#define shim_strtoull10(s, end)      strtoull(s, end, 10)
#define shim_snprintf                snprintf

/* Valgrind's takes no minus. */
static inline ULong shim_strtoull16(const char* s, char** end)
{
   *end = (char*)s;
   return *s == '-' ? 0 : strtoull(s, end, 16);
}

#define UNLIKELY(x)  (x)
#define VG_MIN(a, b) ((a) < (b) ? a : b)
#define VG_MAX(a, b) ((a) > (b) ? a : b)

#endif
