#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "eval/runner.hpp"
#include "process/jail_support.hpp"
#include "python/interpreter.hpp"
#include "worker/python_package.hpp"
#include "worker/python_zygote.hpp"

namespace assay::worker::testkit {

inline const process::JailSupport& support() {
  static const process::JailSupport kSupport = process::probe_jail_support();
  return kSupport;
}

/// A Python with torch: $ASSAY_PYTHON, or one in the usual places.
inline Result<python::Interpreter> find_python() {
  const SystemClock clock;
  std::optional<std::filesystem::path> named;
  if (const char* value = std::getenv("ASSAY_PYTHON")) named = value;
  ASSAY_TRY(auto found, python::find_interpreter(named, support(), clock));
  if (found.torch.empty()) return fail(ErrorCode::not_found, found.program.string() + " has none");
  return found;
}

/// Tests that run Python.
class PythonTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto interpreter = find_python();
    if (!interpreter) {
      missing_ = interpreter.error().message();
      return;
    }
    directory_.emplace(TempDir::create(std::filesystem::temp_directory_path(), "assay-").value());
    options_ = {.interpreter = *interpreter,
                .package = write_python_package(directory_->path()).value(),
                .limits = {.memory_bytes = std::uint64_t{512} << 20U}};
  }
  static void TearDownTestSuite() { directory_.reset(); }
  void SetUp() override {
    if (!missing_.empty()) GTEST_SKIP() << "needs a Python with torch: " << missing_;
  }

  static eval::Bounds within(std::chrono::nanoseconds time) {
    static const SystemClock kClock;
    return {.deadline = Deadline(kClock, time), .stop = {}};
  }

  static inline std::string missing_;
  static inline std::optional<TempDir> directory_;
  static inline PythonOptions options_;
};

}  // namespace assay::worker::testkit
