#include "core/memory.h"

#include <cstdlib>
#include <cstring>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace boardlab {

namespace {
constexpr std::size_t HUGE_PAGE = std::size_t{2} << 20;
}

Memory::Memory(std::size_t bytes) : bytes_((bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE) {
  data_ = std::aligned_alloc(HUGE_PAGE, bytes_);
  if (!data_) throw std::bad_alloc();
#ifdef __linux__
  madvise(data_, bytes_, MADV_HUGEPAGE);
#endif
  std::memset(data_, 0, bytes_);
}

Memory::~Memory() { std::free(data_); }

}  // namespace boardlab
