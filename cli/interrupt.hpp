// Ctrl-C: the first asks the program to stop at the next safe place, the second ends it at once.
#pragma once

namespace lawful::cli {

/// The program was asked to stop. It exits 130.
struct Interrupted {};

/// From now on the first SIGINT or SIGTERM is noticed by check_interrupt(), and SIGPIPE is an error of write().
void catch_interrupts();

/// Throws Interrupted where a signal came.
void check_interrupt();

}  // namespace lawful::cli
