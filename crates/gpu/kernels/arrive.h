// The last stages: contacts at the next pose, corrections of what is deep, and the state with its report (the CPU's `correct.rs`).
//
//   ARRIVE  contacts of nodes;   CROSS  crossings of edges;   LAND  the rest, and the search where it is not the usual one
#pragma once
#include "move.h"

constexpr double GAINED = 0.5, SUNK = 1e-6;
constexpr int CORRECTIONS = 8;

struct ArriveStage : Stepper {
  using Stepper::Stepper;

  FN Body at_pose(const Body& body, const double* pose) const {
    V6 end = load6(flight.end);
    Body at = Body::at(load3(pose), {pose[3], pose[4], pose[5], pose[6]}, load3(env.center_of_mass), end);
    at.velocity = stack(linear(end), mul(at.turn, mul_t(body.turn, angular(end))));
    return at;
  }
  FN Stage leave(Stage next, bool is_found) {
    lanes.sync();
    if (lanes.leads()) flight.is_found = is_found;
    save();
    return next;
  }
  /// The first half of `find_within` where that is all that `find` does and the usual rows suffice.
  FN Stage arrive() {
    load();
    Body next = at_pose(own_body(), flight.next);
    double wanted = needed_margin(next, next.velocity);
    if (status != STEPPED) return DONE;
    if (wanted > FAST) return leave(LAND, false);
    lanes.sync();
    contacts.set_margin(wanted, env.dt);
    contacts.rows = first_rows();
    if (!detect_sides(lanes, common, env, next, wanted, contacts, scratch)) return leave(LAND, false);
    margin = required = wanted;
    is_known = true;
    is_exchanged = false;
    return leave(CROSS, false);
  }
  FN Stage cross_edges() {
    load();
    Body next = at_pose(own_body(), flight.next);
    bool is_found = detect_edges(lanes, common, env, next, margin, contacts, scratch);
    if (is_found) keep_few();
    return leave(LAND, is_found);
  }

  FN Stage land() {
    load();
    Body body = own_body();
    M3 inverse_moment = inverse_moment_at(body.turn);
    Coupling coupling = coupling_of(env);
    V3 com = load3(env.center_of_mass);
    V6 end = load6(flight.end);
    V3 turning_in_body = mul_t(body.turn, angular(end));
    auto moved_body = [&](const Body& from, const V6& u, double time) { return moved_by(from, u, time, com, end, turning_in_body); };
    double tank = flight.tank;
    Body next = at_pose(body, flight.next);
    if (!flight.is_found) find(next);
    if (flight.is_pushed && status == STEPPED && deepest_of(lanes, contacts) > flight.push_depth) {
      next = at_pose(body, flight.unpushed);
      tank = flight.push_tank;
      report.projection_work = flight.push_spent;
      find(next);
    }
    double depth = infinity();
    for (int k = 0; k < CORRECTIONS && status == STEPPED; ++k) {
      double deepest = deepest_of(lanes, contacts);
      if (!(deepest > CORRECTED) || deepest > GAINED * depth) break;
      depth = deepest;
      V6 push = {{0, 0, 0, 0, 0, 0}};
      double before = tank, spent = report.projection_work;
      if (project_paid(contacts, coupling, next, 1.0, inverse_moment, tank, push) == 0) break;
      Body pushed = moved_body(next, push, 1.0);
      find(pushed);
      if (status != STEPPED) return DONE;
      if (deepest_of(lanes, contacts) <= deepest) {
        next = pushed;
      } else {
        tank = before;
        report.projection_work = spent;
        find(next);
      }
    }
    if (status != STEPPED) return DONE;
    report.penetration = deepest_of(lanes, contacts);
    if (report.penetration > SUNK) { fail(CANNOT_PROJECT); return DONE; }
    double finite = dot(next.center, next.center) + dot(end, end) + norm(turning_in_body) + next.rotation.w;
    if (!is_finite(finite)) { fail(NOT_FINITE); return DONE; }
    lanes.sync();
    if (lanes.leads()) {
      store3(env.center, next.center);
      env.rotation[0] = next.rotation.x; env.rotation[1] = next.rotation.y; env.rotation[2] = next.rotation.z; env.rotation[3] = next.rotation.w;
      store3(env.linear, linear(end));
      store3(env.turning, turning_in_body);
      env.spin = unwrapped(twist_angle(next.rotation), env.spin);
      env.tank = tank;
      env.steps += 1;
      env.margin = margin;
      env.required = required;
      env.rows = contacts.count;
      env.by_host = 0;
      env.is_known = contacts.rows.at == kept.at ? KEPT : IN_FLIGHT;
      env.is_warm = flight.is_warm;
      env.warm_count = flight.warm_count;
      store6(env.warm_velocity, load6(flight.warm_velocity));
      store6(env.impulse, load6(flight.impulse));
      env.report = report;
      add_step(env);
    }
    lanes.each(flight.warm_count, [&](int i) {
      env.warm_id[i] = flight.warm_id[i];
      for (int k = 0; k < 3; ++k) env.warm_impulse[i][k] = flight.warm_impulse[i][k];
    });
    return env.steps < env.target ? BEGIN : DONE;
  }
};
