// One step of one environment (the CPU's `step/mod.rs`). Nothing is written to the environment's state before the step is known to
// be good; otherwise its status says why the host has to take it.
//
//   predict, detect -> impact -> smooth -> project -> advance -> correct -> state + report
#pragma once
#include "detection.h"
#include "drive.h"
#include "projection.h"
#include "residual.h"

constexpr double SLOWEST_IMPACT = 1e-5, IMPACT_VIOLATION = 1e-6, SMOOTH_VIOLATION = 1e-9, BEGAN_INSIDE = 1e-5;
constexpr double FAST = 1.5e-3, SHORT = 0.25, STOPPED = 0.25, WIDER = 10.0;
constexpr double CORRECTED = 0.2e-6, GAINED = 0.5, SUNK = 10e-6, BENT = 5.0 * CORRECTED, NEAR_BENDS = 2.0, COUNTED = 4.0, PASSES = 1e-6;
constexpr int CORRECTIONS = 8, EXCHANGES = 4, ATTEMPTS = 6, PUSHES = 2;

struct Stepper {
  const Lanes& lanes;
  const Common& common;
  Environment& env;
  Contacts& contacts;
  Scratch& scratch;
  Rows kept;                 // those of the environment
  double margin, required;   // of the contacts at hand
  bool is_known, is_exchanged;
  int status;
  Report report;

  FN void fail(Status why) { if (status == STEPPED) status = why; }

  /// Finds the contacts within a margin.
  CALL void find_within(const Body& body, double wanted) {
    lanes.sync();
    contacts.set_margin(wanted, env.dt);
    contacts.rows = kept;
    if (!detect(lanes, common, env, body, wanted, contacts, scratch)) {
      bool fits = contacts.count <= WIDE_ROWS;
      contacts.rows = {scratch.wide[0], WIDE_ROWS};
      lanes.sync();
      if (!fits || !detect(lanes, common, env, body, wanted, contacts, scratch)) {
        contacts.count = 0;
        fail(MANY_CONTACTS);
      }
    }
    margin = required = wanted;
    is_known = true;
    is_exchanged = false;
  }
  FN double needed_margin(const Body& body, const V6& velocity) {
    double closed = closed_within(common, env, body, velocity, AHEAD * env.dt);
    if (!(closed >= 0.0)) fail(FAR_OFF);
    return search_margin(closed);
  }
  /// Finds the contacts that the velocities need; fast parts search a quarter of it first.
  CALL void find(const Body& body) {
    double wanted = needed_margin(body, body.velocity);
    if (status != STEPPED) return;
    if (wanted > FAST) {
      find_within(body, SHORT * wanted);
      if (status != STEPPED) return;
      int index;
      double per_step = 1.0 / env.dt;
      double worst = lanes.smallest(contacts.count, index, [&](int i) {
        return contacts.normal_speed(i, body.velocity) + larger(contacts.gap(i), 0.0) * per_step;
      });
      if (AHEAD * env.dt * -lesser(worst, 0.0) > STOPPED * wanted) {
        required = wanted;
        return;
      }
    }
    find_within(body, wanted);
  }

  /// b of the smooth stage; returns the fastest approach beyond what an impact allows, as a negative speed.
  CALL double allow(const V6& start, bool is_impact) {
    double per_step = 1.0 / env.dt;
    int index;
    double worst = lanes.smallest(contacts.count, index, [&](int i) {
      double closing = larger(contacts.gap(i), 0.0) * per_step, speed = contacts.normal_speed(i, start) + closing;
      contacts.set_approach(i, is_impact ? closing : larger(speed + closing, 0.0));
      return speed;
    });
    lanes.sync();
    return lesser(worst, 0.0);
  }

  /// Gives up faces that press where another one lets the node pass.
  CALL bool exchange_faces(const Body& body, const Ladder& ladder, const V6& velocity) {
    int exchanged = lanes.count_if(ladder.set.count, [&](int i) {
      int contact = ladder.set.s.contact[i];
      if (!(contacts.rows.id(contact) & HAS_OTHER)) return false;
      LawRow row = ladder.set.row(i);
      if (!(row.depth(row.velocity(ladder.root)) > 0.0)) return false;
      Face other;
      if (!other_face(common, env, body, contacts.id(contact), other)) return false;
      if (!(fma(env.dt, dot(other.normal, row.velocity(velocity)), other.distance) >= -PASSES)) return false;
      contacts.set_normal(contact, other.normal);
      contacts.set_gap(contact, other.distance);
      contacts.rows.id(contact) &= ~HAS_OTHER;
      return true;
    });
    lanes.sync();
    is_exchanged |= exchanged > 0;
    return exchanged > 0;
  }

  FN void note(const Ladder& ladder) {
    report.level = ladder.level > report.level ? ladder.level : report.level;
    report.iterations += ladder.p.iterations;
    report.evaluations += ladder.p.evaluations;
    if (ladder.status != STEPPED) fail((Status)ladder.status);
  }
  CALL void note_residuals(const Ladder& ladder) {
    Residuals r = judge(lanes, ladder);
    report.coulomb = larger(report.coulomb, r.coulomb);
    report.complementarity = larger(report.complementarity, r.complementarity);
    report.cone = larger(report.cone, r.cone);
    if (!(r.coulomb <= CONVERGED)) fail(UNSOLVED);
  }
  /// Shrinks the impulses until contact does no work; returns the velocity and adds the impulse.
  CALL V6 make_passive(const Ladder& ladder, const V6& start, V6& impulse) {
    const Problem& p = ladder.p;
    V6 generalised = ladder.generalised;
    auto work = [&](const V6& g, double& first, double& square) {
      V3 f = linear(g), t = angular(g);
      first = 0.5 * (dot(g, start) + dot(g, p.free));
      square = 0.5 * (dot(f, times(p.response, f)) + dot(t, mul(p.turning_response, t)));
    };
    double first, square;
    work(generalised, first, square);
    V6 velocity = ladder.velocity;
    if (first + square > 0.0) {
      double scale = square > 0.0 ? larger(-first / square, 0.0) : 0.0;
      if (scale < 1.0) {
#pragma unroll
        for (int k = 0; k < 6; ++k) generalised.a[k] *= scale;
        velocity = p.respond(generalised);
        work(generalised, first, square);
      }
    }
    double done = first + square;
    report.energy_injected += larger(done, 0.0);
    report.contact_work += done;
    impulse = scaled_sum(1.0, generalised, impulse);
    return velocity;
  }

  /// Keeps root and impulses of a solve for the next, by identity.
  CALL void keep_warm(const Ladder& ladder) {
    const Set& set = ladder.set;
    auto acts = [&](int i) { LawRow row = set.row(i); return row.depth(row.velocity(ladder.root)) > 0.0; };
    int active = lanes.count_if(set.count, acts);
    report.active = active;
    if (active > WARM) return fail(MANY_ACTIVE);
    lanes.sync();
    lanes.each(set.count, [&](int i) {
      if (!acts(i)) return;
      u32 id = contacts.id(set.s.contact[i]);
      int place = 0;
      for (int j = 0; j < set.count; ++j) place += acts(j) && contacts.id(set.s.contact[j]) < id ? 1 : 0;
      scratch.warm_id[place] = id;
      store3(scratch.warm_impulse[place], set.impulse(i));
    });
    if (lanes.leads()) {
      scratch.warm_count = active;
      scratch.is_warm = 1;
      store6(scratch.warm_velocity, ladder.root);
    }
    lanes.sync();
  }
  FN void load_warm() {
    lanes.sync();
    lanes.each(env.warm_count, [&](int i) {
      scratch.warm_id[i] = env.warm_id[i];
      for (int k = 0; k < 3; ++k) scratch.warm_impulse[i][k] = env.warm_impulse[i][k];
    });
    if (lanes.leads()) {
      scratch.warm_count = env.warm_count;
      scratch.is_warm = env.is_warm;
      for (int k = 0; k < 6; ++k) scratch.warm_velocity[k] = env.warm_velocity[k];
    }
    lanes.sync();
  }

  CALL V6 impact(const Body& body, const M3& inverse_moment, V6& impulse) {
    const V6& start = body.velocity;
    if (allow(start, true) >= -SLOWEST_IMPACT) return start;
    double w = 1.0 / env.mass;
    Problem p = Problem::of(v3(w, w, w), inverse_moment, start, env.friction, common.most_passes);
    V6 velocity = start;
    for (int exchange = 0;; ++exchange) {
      p.iterations = p.evaluations = 0;
      Ladder ladder{lanes, contacts, p, {scratch, 0}, {0, scratch.warm_id, scratch.warm_impulse}};
      ladder.solve(false, start, IMPACT_VIOLATION);
      note(ladder);
      if (status != STEPPED) return start;
      note_residuals(ladder);
      if (exchange < EXCHANGES && exchange_faces(body, ladder, ladder.velocity)) {
        allow(start, true);
        continue;
      }
      velocity = make_passive(ladder, start, impulse);
      break;
    }
    return velocity;
  }

  CALL V6 smooth(const Body& body, const Coupling& coupling, const V6& start, V6& impulse) {
    FreeStep free = free_step(env, common, coupling, body.center, body.rotation, body.turn, start);
    Problem p = Problem::of(free.response, free.turning_response, free.velocity, env.friction, common.most_passes);
    for (int exchange = 0;; ++exchange) {
      allow(start, false);
      p.iterations = p.evaluations = 0;
      Ladder ladder{lanes, contacts, p, {scratch, 0}, {scratch.warm_count, scratch.warm_id, scratch.warm_impulse}};
      ladder.solve(scratch.is_warm != 0, load6(scratch.warm_velocity), SMOOTH_VIOLATION);
      note(ladder);
      if (status != STEPPED) return start;
      keep_warm(ladder);
      if (exchange < EXCHANGES && exchange_faces(body, ladder, middle(start, ladder.velocity))) continue;
      note_residuals(ladder);
      return make_passive(ladder, start, impulse);
    }
  }

  CALL double potential(const Coupling& coupling, V3 center, Quaternion rotation, const M3& turn, const V6& velocity, double time) {
    V3 at = scaled_sum(time, linear(velocity), center);
    Quaternion q = turned(rotation, time * mul_t(turn, angular(velocity)));
    double total = -env.mass * dot(load3(common.gravity), at);
    if (coupling.is_there) {
      V3 shift, turn_error;
      coupling_error(coupling, at, q, coupling.next, shift, turn_error);
      total += coupling_energy(coupling, shift, turn_error);
    }
    return total;
  }
  /// Projects a velocity of the pose and pays for it; number of pivots.
  CALL int project_paid(const Contacts& rows, const Coupling& coupling, const Body& body, double time, const M3& inverse_moment, double& tank, V6& u) {
    V6 wanted = u;
    Projection done = project(lanes, rows, time, margin, 1.0 / env.mass, inverse_moment, u);
    if (!done.is_complete) fail(CANNOT_PROJECT);
    if (done.pivots == 0 || !done.is_complete) return 0;
    double without = potential(coupling, body.center, body.rotation, body.turn, wanted, time);
    double work = potential(coupling, body.center, body.rotation, body.turn, u, time) - without;
    if (work > tank) fail(CUT_SHORT);
    report.projection_work += work;
    tank = larger(tank - larger(work, 0.0), 0.0);
    return done.pivots;
  }

  /// Lists the contacts that a velocity brings within a gap; none where they are many.
  CALL int list_near(const Contacts& rows, const V6& velocity, double time, double gap) {
    lanes.sync();
    double per_time = 1.0 / time, limit = gap * per_time;
    int count = lanes.collect<IntFound>(rows.count, 0,
      [&](int i, IntFound& found) { if (rows.normal_speed(i, velocity) + per_time * rows.gap(i) <= limit) { found.count = 1; found.at[0] = i; } },
      [&](int place, int i) { if (place < MOST_NEAR) scratch.near[place] = rows.id(i); });
    return count < MOST_NEAR ? count : 0;
  }

  /// The body after a motion at constant velocity.
  CALL static Body moved_by(const Body& from, const V6& u, double time, V3 com, const V6& end, V3 turning_in_body) {
    Quaternion q = turned(from.rotation, time * mul_t(from.turn, angular(u)));
    Body next = Body::at(scaled_sum(time, linear(u), from.center), q, com, end);
    next.velocity = stack(linear(end), mul(next.turn, turning_in_body));
    return next;
  }

  FN void run() {
    Quaternion rotation = {env.rotation[0], env.rotation[1], env.rotation[2], env.rotation[3]};
    V3 com = load3(env.center_of_mass);
    M3 r = matrix(rotation), moment;
#pragma unroll
    for (int k = 0; k < 9; ++k) moment.a[k] = env.moment[k];
    M3 inverse_in_body = inverse(moment);
    Body body = Body::at(load3(env.center), rotation, com, stack(load3(env.linear), mul(r, load3(env.turning))));
    M3 inverse_moment = mul(mul(r, inverse_in_body), transpose(r));
    Coupling coupling = coupling_of(env);
    V6 start, end, mean, impulse;
    double wanted = 0.0;
    for (int attempt = 0;; ++attempt) {
      report = {};
      impulse = {{0, 0, 0, 0, 0, 0}};
      load_warm();
      double needed = needed_margin(body, body.velocity);
      bool serves = is_known && !is_exchanged && required >= needed && margin >= wanted;
      if (!serves) {
        if (wanted > 0.0) find_within(body, larger(needed, wanted)); else find(body);
      }
      if (status != STEPPED) return;
      report.candidates = contacts.count;
      if (env.steps == 0 && smallest_gap(lanes, contacts) < -BEGAN_INSIDE) fail(UNSURE);
      start = impact(body, inverse_moment, impulse);
      if (status != STEPPED) return;
      end = smooth(body, coupling, start, impulse);
      if (status != STEPPED) return;
      mean = middle(start, end);
      double path = needed_margin(body, mean);
      if (!(path > AHEAD * margin && margin < LARGEST_MARGIN)) break;
      wanted = lesser(path, WIDER * margin);
      if (attempt == ATTEMPTS) fail(FAR_OFF);
      if (status != STEPPED) return;
    }
    if (margin >= LARGEST_MARGIN) fail(FAR_OFF);
    double tank = env.tank + larger(-report.contact_work, 0.0);

    V6 moved = mean;
    project_paid(contacts, coupling, body, env.dt, inverse_moment, tank, moved);
    if (status != STEPPED) return;
    // a motion that bends leaves the planes of its contacts: the nodes that were to end near are detected first
    double turning = norm(angular(moved)), bend = 0.0;
    int near = 0;
    if (0.5 * env.dt * turning * margin >= BENT) {
      bend = 0.5 * env.dt * turning * closed_within(common, env, body, moved, env.dt);
      if (bend >= BENT) near = list_near(contacts, moved, env.dt, NEAR_BENDS * bend);
    }
    V3 turning_in_body = mul_t(r, angular(end));
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
    if (status != STEPPED) return;
    find(next);
    if (is_pushed && status == STEPPED && deepest_of(lanes, contacts) > push_depth) {
      next = unpushed;
      tank = push_tank;
      report.projection_work = push_spent;
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
      if (status != STEPPED) return;
      if (deepest_of(lanes, contacts) <= deepest) {
        next = pushed;
      } else {
        tank = before;
        report.projection_work = spent;
        find(next);
      }
    }
    if (status != STEPPED) return;
    report.penetration = deepest_of(lanes, contacts);
    if (report.penetration > SUNK) return fail(CANNOT_PROJECT);
    double finite = dot(next.center, next.center) + dot(end, end) + norm(turning_in_body) + next.rotation.w;
    if (!is_finite(finite)) return fail(NOT_FINITE);
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
      env.is_known = contacts.rows.at == kept.at ? 1 : 0;  // else they are found again
      env.is_warm = scratch.is_warm;
      env.warm_count = scratch.warm_count;
      store6(env.warm_velocity, load6(scratch.warm_velocity));
      store6(env.impulse, impulse);
      env.report = report;
      add_step(env);
    }
    lanes.each(scratch.warm_count, [&](int i) {
      env.warm_id[i] = scratch.warm_id[i];
      for (int k = 0; k < 3; ++k) env.warm_impulse[i][k] = scratch.warm_impulse[i][k];
    });
  }
};

/// Steps an environment; the step of one that is frozen or waits for the host is left out.
FN int step(const Lanes& lanes, const Common& common, Environment& env, KeptRows& own, Scratch& scratch) {
  if (env.status != STEPPED) return env.status;
  double arm_unit = arm_unit_of(env.shape[common.free_side], load3(env.center_of_mass));
  Rows rows = {own.number[0], ROWS};
  Contacts contacts = Contacts::of(rows, env.is_known ? env.rows : 0, arm_unit, env.margin, env.dt);
  Stepper stepper{lanes, common, env, contacts, scratch, rows, env.margin, env.required, env.is_known != 0, false, STEPPED};
  stepper.run();
  lanes.sync();
  if (lanes.leads() && stepper.status != STEPPED) {
    env.status = stepper.status;
    env.is_known = 0;
  }
  lanes.sync();
  return stepper.status;
}

/// Takes the steps of an environment up to its target, which grows by `more`; stops where the host must take one.
FN int take_all(const Lanes& lanes, const Common& common, Environment& env, KeptRows& rows, Scratch& scratch, int more) {
  lanes.sync();
  if (more > 0) {
    if (lanes.leads()) {
      env.target = env.steps + (u64)more;
      clear(env.summary);
    }
    lanes.sync();
  }
  int status = env.status;
  while (status == STEPPED && env.steps < env.target) status = step(lanes, common, env, rows, scratch);
  return status;
}
