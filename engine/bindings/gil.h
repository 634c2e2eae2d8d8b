// Taking and letting go of the GIL, and calling Python, also while the interpreter ends.
//
// A daemon thread may be inside the engine when the main thread leaves Python. Up to Python 3.13 whoever then asks for
// the GIL, and that includes Python code which the engine has called, is ended by unwinding its stack (pthread_exit).
// C++ answers with std::terminate at the first catch-all, and destructors would use Python without the GIL. From 3.14
// on such a thread blocks for ever, until the process ends, and that is what it does here with every version.
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

// Whether the interpreter ends and this is not the thread that ends it.
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
    } catch (...) {  // the interpreter began to end while this thread waited: its stack must not be unwound further
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
