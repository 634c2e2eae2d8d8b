// Acquiring and releasing the GIL, and calling Python, also while the interpreter shuts down.
//
// A daemon thread may be inside the engine when the main thread shuts Python down. Up to Python 3.13, a thread that
// then requests the GIL, even in Python code which the engine has called, is ended by unwinding its stack
// (pthread_exit). C++ calls std::terminate at the first catch-all, and destructors would use Python without the GIL.
// From 3.14 on such a thread blocks until the process ends; here it does so with every version.
#pragma once

#include <Python.h>

#include <chrono>
#include <thread>

#ifdef __GLIBCXX__
#include <cxxabi.h>
#endif

namespace boardlab {

// Called when the module is imported.
void remember_main_thread();

// Whether the interpreter is shutting down on another thread.
bool is_cut_off();

[[noreturn]] inline void block_for_ever() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

// Calls into Python.
template <class Call>
auto in_python(const Call &call) {
#ifdef __GLIBCXX__
  try {
    return call();
  } catch (const abi::__forced_unwind &) {
    block_for_ever();
  }
#else
  return call();
#endif
}

// Holds the GIL.
class Gil {
 public:
  Gil() {
    if (is_cut_off()) block_for_ever();
    try {
      state_ = PyGILState_Ensure();
    } catch (...) {  // Python shut down while this thread waited: its stack must not be unwound further
      block_for_ever();
    }
  }
  ~Gil() {
    if (is_cut_off()) block_for_ever();
    PyGILState_Release(state_);
  }
  Gil(const Gil &) = delete;
  Gil &operator=(const Gil &) = delete;

 private:
  PyGILState_STATE state_;
};

// Releases the GIL and acquires it again at the end.
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
