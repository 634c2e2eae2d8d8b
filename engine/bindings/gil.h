// Taking and letting go of the GIL, also while the interpreter ends.
//
// A daemon thread may be inside the engine when the main thread leaves Python. Up to Python 3.13 asking for the GIL
// then ends the thread by unwinding its stack (pthread_exit), which C++ answers with std::terminate at the first
// destructor or catch-all. From 3.14 on it blocks for ever, until the process ends, and that is what these classes do
// everywhere.
#pragma once

#include <Python.h>

#include <chrono>
#include <thread>

namespace boardlab {

// Called when the module is imported.
void remember_main_thread();

// Whether the interpreter ends and this is not the thread that ends it.
bool is_cut_off();

[[noreturn]] inline void block_for_ever() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

// Holds the GIL.
class Gil {
 public:
  Gil() {
    if (is_cut_off()) block_for_ever();
    try {
      state_ = PyGILState_Ensure();
    } catch (...) {  // the interpreter began to end while this thread waited: its stack must not be unwound further
      block_for_ever();
    }
  }
  ~Gil() { PyGILState_Release(state_); }
  Gil(const Gil &) = delete;
  Gil &operator=(const Gil &) = delete;

 private:
  PyGILState_STATE state_;
};

// Lets go of the GIL and takes it again at the end.
class WithoutGil {
 public:
  WithoutGil() : thread_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    if (is_cut_off()) block_for_ever();
    try {
      PyEval_RestoreThread(thread_);
    } catch (...) {  // as above
      block_for_ever();
    }
  }
  WithoutGil(const WithoutGil &) = delete;
  WithoutGil &operator=(const WithoutGil &) = delete;

 private:
  PyThreadState *thread_;
};

}  // namespace boardlab
