// Ctrl-C: the first asks the program to stop at the next safe place, the second ends it at once.
#pragma once

namespace lawful::cli {

/// The program was asked to stop. It exits 130.
struct Interrupted {
  int signal;
};

/// From now on the first SIGINT or SIGTERM is noticed by check_interrupt(), and SIGPIPE is an error of write().
void catch_interrupts();

/// From now on a SIGINT may be taken by take_interrupt(), and then the program goes on. One that comes before the last
/// was taken ends the program at once, with status 130. SIGHUP is noticed as SIGTERM is, unless it is ignored (nohup).
void go_on_after_interrupts();

/// Waits until stdin can be read, or throws Interrupted. After go_on_after_interrupts().
void wait_for_input();

/// Whether a SIGINT came since the last call. After go_on_after_interrupts().
bool take_interrupt();

/// Throws Interrupted where a signal came.
void check_interrupt();

/// Whether it would.
bool interrupt_came();

}  // namespace lawful::cli
