// The stage after the solves: the pose increment that opens all gaps, and early pushes where the motion bends (the CPU's `project.rs`).
#pragma once
#include "stepper.h"

constexpr double CORRECTED = 0.2e-6, BENT = 5.0 * CORRECTED, NEAR_BENDS = 2.0, COUNTED = 4.0;
constexpr int PUSHES = 2;

struct MoveStage : Stepper {
  using Stepper::Stepper;

  FN Stage run() {
    load();
    Body body = own_body();
    M3 inverse_moment = inverse_moment_at(body.turn);
    Coupling coupling = coupling_of(env);
    V3 com = load3(env.center_of_mass);
    V6 end = load6(flight.end), moved = load6(flight.mean);
    double tank = env.tank + larger(-report.contact_work, 0.0);
    project_paid(contacts, coupling, body, env.dt, inverse_moment, tank, moved);
    if (status != STEPPED) return DONE;
    // a motion that bends leaves the planes of its contacts: the nodes that were to end near are detected first
    double turning = norm(angular(moved)), bend = 0.0;
    int near = 0;
    if (0.5 * env.dt * turning * margin >= BENT) {
      bend = 0.5 * env.dt * turning * closed_within(common, env, body, moved, env.dt);
      if (bend >= BENT) near = list_near(contacts, moved, env.dt, NEAR_BENDS * bend);
    }
    V3 turning_in_body = mul_t(body.turn, angular(end));
    auto moved_body = [&](const Body& from, const V6& u, double time) { return moved_by(from, u, time, com, end, turning_in_body); };
    Body next = moved_body(body, moved, env.dt), unpushed = next;
    bool is_pushed = false;
    double push_depth = 0.0, push_tank = tank, push_spent = report.projection_work;
    for (int push = 0; push < PUSHES && near > 0; ++push) {
      Contacts early = Contacts::of({scratch.early.number[0], ROWS}, 0, contacts.arm_unit, COUNTED * bend, env.dt);
      detect_listed(lanes, common, env, next, scratch.near, near, COUNTED * bend, early, scratch);
      double least = smallest_gap(lanes, early), before = tank, spent = report.projection_work;
      if (least > -CORRECTED) break;
      V6 displacement = {{0, 0, 0, 0, 0, 0}};
      if (project_paid(early, coupling, next, 1.0, inverse_moment, tank, displacement) == 0) break;
      unpushed = next;
      next = moved_body(next, displacement, 1.0);
      is_pushed = true;
      push_depth = larger(-least, 0.0);
      push_tank = before;
      push_spent = spent;
      near = list_near(early, displacement, 1.0, bend);
    }
    if (status != STEPPED) return DONE;
    save();
    if (lanes.leads()) {
      flight.tank = tank;
      store_pose(flight.next, next);
      flight.is_pushed = is_pushed;
      flight.push_depth = push_depth;
      flight.push_tank = push_tank;
      flight.push_spent = push_spent;
      if (is_pushed) store_pose(flight.unpushed, unpushed);
    }
    lanes.sync();
    return ARRIVE;
  }
};
