// Preloaded into a daemon: makes its disk fail for real. As long as the file named by FAILING_DISK exists, the calls that
// it names fail with its errno, on files whose path has the text. Its content: calls, errno, text; `pwrite fsync 5 tenants/`.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static int fails(const char *call, int descriptor) {
  const char *file = getenv("FAILING_DISK");
  if (file == NULL) return 0;
  int saved = errno;
  // Not by the functions below, which would ask again.
  int rule = syscall(SYS_openat, AT_FDCWD, file, O_RDONLY | O_CLOEXEC);
  if (rule < 0) {
    errno = saved;
    return 0;
  }
  char content[512], name[64], path[1024];
  ssize_t length = syscall(SYS_read, rule, content, sizeof content - 1);
  syscall(SYS_close, rule);
  snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
  ssize_t end = readlink(name, path, sizeof path - 1);
  errno = saved;
  if (length <= 0 || end <= 0) return 0;
  content[length] = path[end] = '\0';
  int named = 0;
  char *rest = NULL;
  for (char *word = strtok_r(content, " \n", &rest); word != NULL; word = strtok_r(NULL, " \n", &rest)) {
    int code = atoi(word);
    if (code == 0) {
      named |= strcmp(word, call) == 0;
      continue;
    }
    char *text = strtok_r(NULL, " \n", &rest);
    if (!named || text == NULL || strstr(path, text) == NULL) return 0;
    errno = code;
    return 1;
  }
  return 0;
}

#define REAL(type, name, ...)                        \
  static type (*real)(__VA_ARGS__);                  \
  if (real == NULL) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name);

#define WRITE(name, call)                                                          \
  ssize_t name(int descriptor, const void *bytes, size_t count, off64_t at) {          \
    REAL(ssize_t, name, int, const void *, size_t, off64_t)                             \
    return fails(call, descriptor) ? -1 : real(descriptor, bytes, count, at);          \
  }
WRITE(pwrite, "pwrite")
WRITE(pwrite64, "pwrite")

#define READ(name)                                                                      \
  ssize_t name(int descriptor, void *bytes, size_t count, off64_t at) {                \
    REAL(ssize_t, name, int, void *, size_t, off64_t)                                   \
    return fails("pread", descriptor) ? -1 : real(descriptor, bytes, count, at);       \
  }
READ(pread)
READ(pread64)

#define SYNC(name)                                            \
  int name(int descriptor) {                                  \
    REAL(int, name, int)                                      \
    return fails("fsync", descriptor) ? -1 : real(descriptor); \
  }
SYNC(fsync)
SYNC(fdatasync)
