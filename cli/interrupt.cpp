#include "cli/interrupt.hpp"

#include "io/bad_input.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace lawful::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

/// What ends the waiting in wait_for_input(): a signal that comes just before a system call waits would not. Both ends
/// are -1 in programs that do not wait.
int wakes[2] = {-1, -1};

void note(int signal) {
  interrupted = signal;
  const int kept = errno;
  if (wakes[1] >= 0 && ::write(wakes[1], "", 1) < 0) errno = kept;  // full: it wakes anyway
  errno = kept;
}

/// Of a program that goes on after Ctrl-C: the second one before the first was taken ends it at once.
void note_or_end(int signal) {
  if (interrupted != 0) _exit(130);
  note(signal);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one ends the program
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the limit of sizes is a write that fails, as on a full disk
}

void go_on_after_interrupts() {
  if (::pipe2(wakes, O_CLOEXEC | O_NONBLOCK) != 0) throw io::Failure("the machine has no more file descriptors");
  struct sigaction action {};
  action.sa_handler = note_or_end;
  sigaction(SIGINT, &action, nullptr);
  // A terminal that goes away may say so more than once.
  struct sigaction hangup {};
  sigaction(SIGHUP, nullptr, &hangup);
  action.sa_handler = note;
  if (hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

bool take_interrupt() {
  if (interrupted != SIGINT) return false;
  interrupted = 0;
  return true;
}

void wait_for_input() {
  while (true) {
    check_interrupt();
    pollfd either[2] = {{STDIN_FILENO, POLLIN, 0}, {wakes[0], POLLIN, 0}};
    if (::poll(either, 2, -1) < 0 && errno != EINTR) return;  // read() says what is wrong
    char signals[64];
    if (either[1].revents != 0 && ::read(wakes[0], signals, sizeof signals) > 0) continue;
    if (either[0].revents != 0) return;
  }
}

bool interrupt_came() { return interrupted != 0; }

void check_interrupt() {
  if (interrupt_came()) throw Interrupted{interrupted};
}

}  // namespace lawful::cli
