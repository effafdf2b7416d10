#pragma once
// Errors of all programs, each with the exit code that main returns for it (results/TABLES.md lists
// the codes).

#include <stdexcept>
#include <string>
#include <string_view>

namespace speclab {

enum class ExitCode : int {
  ok = 0,
  internal = 1,
  config = 2,
  corrupt_results = 3,
  locked = 4,
  drift = 5,
  some_cells_failed = 6,
  bad_model_file = 7,
  cannot_write = 8,
  device_missing = 9,
  slower = 10,
  ambiguous = 11,
  invalid_measurement = 12,
  interrupted = 130,
  terminated = 143,
};

/// Base of all errors. The message says where it is, what was found, what is allowed and what to
/// change.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// One error class for each exit code, so a catch can name exactly the errors it handles.
template <ExitCode Code>
class CodedError : public Error {
 public:
  explicit CodedError(const std::string& message) : Error(Code, message) {}
};

using ContractError = CodedError<ExitCode::internal>;     ///< a programmer's mistake
using ConfigError = CodedError<ExitCode::config>;         ///< config file, command line, prompt
using DataError = CodedError<ExitCode::corrupt_results>;  ///< rows, traces and other data files
using LockedError = CodedError<ExitCode::locked>;         ///< somebody else holds the run folder
using DriftError = CodedError<ExitCode::drift>;  ///< a resumed run is not the run that was begun
using ModelFileError = CodedError<ExitCode::bad_model_file>;  ///< GGUF, safetensors, tokenizer data
using WriteError = CodedError<ExitCode::cannot_write>;        ///< permission, full disk
using DeviceError =
    CodedError<ExitCode::device_missing>;  ///< no such device, or no such path on it
using AmbiguousError =
    CodedError<ExitCode::ambiguous>;  ///< a name or number that means several things
using InterruptedError = CodedError<ExitCode::interrupted>;  ///< Ctrl-C; the run can be resumed

/// The memory of a device or of the process is full. The caller can give up the work that asked for
/// it.
class OutOfMemoryError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// A value that must be a finite number is NaN or infinite.
class NotFiniteError : public ModelFileError {
 public:
  using ModelFileError::ModelFileError;
};

[[noreturn]] void throw_contract_error(const char* condition, const char* file, int line,
                                       const std::string& message);

inline constexpr std::size_t kLongestPath = 4096;  ///< bytes of a path that is printed whole

/// `text` with control bytes, quotes and invalid UTF-8 escaped, cut to `max_length`: safe to print
/// on a terminal.
std::string escaped(std::string_view text, std::size_t max_length = 120);

}  // namespace speclab

/// Checks a programmer's assumption; on in every build. The message is only built on failure.
#define SPECLAB_EXPECT(condition, message) \
  ((condition) ? void(0)                   \
               : ::speclab::throw_contract_error(#condition, __FILE__, __LINE__, (message)))
