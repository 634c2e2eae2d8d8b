// A large zeroed block, on huge pages if the system has them: tables are read at random places, and with 4 KiB pages
// every read would also miss the TLB (measured: 1.26 times slower).
#pragma once

#include <cstddef>

namespace boardlab {

class Memory {
 public:
  explicit Memory(std::size_t bytes);  // throws std::bad_alloc
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  void *data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void *data_;
  std::size_t bytes_;
};

}  // namespace boardlab
