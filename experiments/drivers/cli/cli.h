#pragma once
namespace speclab::experiments {

/// The program: parses the command line, runs the command, maps errors to exit codes.
int run_cli(int argc, char** argv);

}  // namespace speclab::experiments
