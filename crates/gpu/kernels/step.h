// One step of one environment in stages (the CPU's `step/mod.rs`). Nothing is written to the environment's state before the step is
// known to be good; otherwise its status says why the host has to take it.
//
//   BEGIN: contacts -> ROUNDS, FINISH of an impact -> SMOOTH -> ROUNDS, FINISH -> MOVE: project, advance
//     -> ARRIVE, CROSS: detect -> LAND: correct, write state and report
#pragma once
#include "arrive.h"
#include "solve.h"

/// After a stage: the next one, DONE where the step has failed.
FN Stage next_of(const Stepper& stepper, Stage next) {
  if (stepper.status == STEPPED) return next;
  stepper.lanes.sync();
  if (stepper.lanes.leads()) {
    stepper.env.status = stepper.status;
    stepper.env.is_known = NOWHERE;
  }
  stepper.lanes.sync();
  return DONE;
}

/// Sets the target of an environment; the first stage that it has to take.
FN Stage first_stage(Environment& env, int more) {
  if (more > 0) {
    env.target = env.steps + (u64)more;
    clear(env.summary);
  }
  if (env.is_known == IN_FLIGHT) env.is_known = NOWHERE;
  return env.status == STEPPED && env.steps < env.target ? BEGIN : DONE;
}

#define STAGE(name, kind, call) \
  CALL Stage name(const Lanes& lanes, const Common& common, Environment& env, KeptRows& rows, Scratch& scratch, Flight& flight) { \
    kind stage(lanes, common, env, rows, scratch, flight); \
    return next_of(stage, stage.call); \
  }
STAGE(take_begin, SolveStage, begin())
STAGE(take_again, SolveStage, again())
STAGE(take_smooth, SolveStage, smooth())
STAGE(take_rounds, SolveStage, solve(true))
STAGE(take_hard, SolveStage, solve(false))
STAGE(take_finish, SolveStage, finish())
STAGE(take_move, MoveStage, run())
STAGE(take_arrive, ArriveStage, arrive())
STAGE(take_cross, ArriveStage, cross_edges())
STAGE(take_land, ArriveStage, land())
#undef STAGE

/// Takes one stage; the next one.
FN Stage take(Stage stage, const Lanes& lanes, const Common& common, Environment& env, KeptRows& rows, Scratch& scratch, Flight& flight) {
  switch (stage) {
    case BEGIN: return take_begin(lanes, common, env, rows, scratch, flight);
    case AGAIN: return take_again(lanes, common, env, rows, scratch, flight);
    case SMOOTH: return take_smooth(lanes, common, env, rows, scratch, flight);
    case ROUNDS: return take_rounds(lanes, common, env, rows, scratch, flight);
    case HARD: return take_hard(lanes, common, env, rows, scratch, flight);
    case FINISH: return take_finish(lanes, common, env, rows, scratch, flight);
    case MOVE: return take_move(lanes, common, env, rows, scratch, flight);
    case ARRIVE: return take_arrive(lanes, common, env, rows, scratch, flight);
    case CROSS: return take_cross(lanes, common, env, rows, scratch, flight);
    default: return take_land(lanes, common, env, rows, scratch, flight);
  }
}
