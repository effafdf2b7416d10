#include "experiments/drivers/cli.h"

int main(int argc, char** argv) { return speclab::experiments::run_cli(argc, argv); }
