/* Preloaded into the command: one allocation, write or sync of the process fails, or all from one on.
 *
 *   FAULT_KIND=alloc|write|sync   FAULT_AFTER=N   FAULT_COUNT=1|0 (0: all later ones too)
 *   FAULT_REPORT=FILE             how many there were, for the next attempt
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

enum { NONE, ALLOC, WRITE, SYNC };
static int kind = NONE;
static long after, count;
static atomic_long seen;
static const char *report;

static int fails(int what) {
  if (kind != what) return 0;
  const long now = atomic_fetch_add(&seen, 1);
  return now >= after && (count == 0 || now < after + count);
}

static long number(const char *name) {
  const char *text = getenv(name);
  return text ? atol(text) : 0;
}

__attribute__((constructor)) static void begin(void) {
  const char *what = getenv("FAULT_KIND");
  after = number("FAULT_AFTER");
  count = number("FAULT_COUNT");
  report = getenv("FAULT_REPORT");
  if (!what) return;
  kind = !strcmp(what, "alloc") ? ALLOC : !strcmp(what, "write") ? WRITE : SYNC;
}

__attribute__((destructor)) static void end(void) {
  const long total = seen;
  kind = NONE;
  if (!report) return;
  FILE *file = fopen(report, "w");
  if (!file) return;
  fprintf(file, "%ld\n", total);
  fclose(file);
}

void *malloc(size_t size) {
  if (fails(ALLOC)) return errno = ENOMEM, NULL;
  return __libc_malloc(size);
}
void *calloc(size_t n, size_t size) {
  if (fails(ALLOC)) return errno = ENOMEM, NULL;
  return __libc_calloc(n, size);
}
void *realloc(void *memory, size_t size) {
  if (fails(ALLOC)) return errno = ENOMEM, NULL;
  return __libc_realloc(memory, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  if (fails(ALLOC)) return errno = ENOMEM, NULL;
  return __libc_memalign(alignment, size);
}

/* Files only: what goes to a terminal or a pipe is not at stake. */
static int is_file(int descriptor) {
  struct stat found;
  return fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int to, const void *bytes, size_t size) {
  if (is_file(to) && fails(WRITE)) return errno = EIO, -1;
  return REAL(write)(to, bytes, size);
}
ssize_t pwrite(int to, const void *bytes, size_t size, off_t at) {
  if (is_file(to) && fails(WRITE)) return errno = ENOSPC, -1;
  return REAL(pwrite)(to, bytes, size, at);
}
ssize_t pwrite64(int to, const void *bytes, size_t size, off64_t at) {
  if (is_file(to) && fails(WRITE)) return errno = ENOSPC, -1;
  return REAL(pwrite64)(to, bytes, size, at);
}
int fsync(int descriptor) {
  if (fails(SYNC)) return errno = EIO, -1;
  return REAL(fsync)(descriptor);
}
int fdatasync(int descriptor) {
  if (fails(SYNC)) return errno = EIO, -1;
  return REAL(fdatasync)(descriptor);
}
