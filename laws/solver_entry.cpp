// What the solver's module exports.
#include "laws/solver_module.hpp"

extern "C" __attribute__((visibility("default"))) const lawful::laws::SolverModule::Entry lawful_solver{
    lawful::laws::solver_name, lawful::laws::ask_solver, lawful::laws::obligations};
