// The stages that solve for velocities (the CPU's `impact.rs`, `smooth.rs`). Impact and smooth motion are solved alike:
//
//   BEGIN   contacts, problem of the impact, or of the smooth motion where nothing strikes;   AGAIN  the same with a wider search
//   ROUNDS  working set and root by level 0;   HARD  by all levels
//   FINISH  velocity, impulses and residuals of the root; then the next problem
#pragma once
#include "residual.h"
#include "stepper.h"

constexpr double SLOWEST_IMPACT = 1e-5, IMPACT_VIOLATION = 1e-6, SMOOTH_VIOLATION = 1e-9, BEGAN_INSIDE = 1e-5, WIDER = 10.0, PASSES = 1e-6;
constexpr int EXCHANGES = 4, ATTEMPTS = 6;

struct SolveStage : Stepper {
  using Stepper::Stepper;

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
      flight.warm_id[place] = id;
      store3(flight.warm_impulse[place], set.impulse(i));
    });
    if (lanes.leads()) {
      flight.warm_count = active;
      flight.is_warm = 1;
      store6(flight.warm_velocity, ladder.root);
    }
    lanes.sync();
  }
  FN void load_warm() {
    lanes.sync();
    lanes.each(env.warm_count, [&](int i) {
      flight.warm_id[i] = env.warm_id[i];
      for (int k = 0; k < 3; ++k) flight.warm_impulse[i][k] = env.warm_impulse[i][k];
    });
    if (lanes.leads()) {
      flight.warm_count = env.warm_count;
      flight.is_warm = env.is_warm;
      for (int k = 0; k < 6; ++k) flight.warm_velocity[k] = env.warm_velocity[k];
    }
    lanes.sync();
  }

  /// Shows the lanes of the next stage a problem.
  FN void pose(const Problem& p, const V6& start, bool is_impact) {
    lanes.sync();
    if (lanes.leads()) {
      flight.problem = p;
      store6(flight.start, start);
      flight.is_impact = is_impact;
      flight.exchange = 0;
    }
    save();
  }
  CALL Stage pose_smooth(const Body& body, const V6& start) {
    Coupling coupling = coupling_of(env);
    FreeStep free = free_step(env, common, coupling, body.center, body.rotation, body.turn, start);
    allow(start, false);
    pose(Problem::of(free.response, free.turning_response, free.velocity, env.friction, common.most_passes), start, false);
    return ROUNDS;
  }
  FN Stage search(double wanted) {
    Body body = own_body();
    report = {};
    load_warm();
    double needed = needed_margin(body, body.velocity);
    bool serves = is_known && !is_exchanged && required >= needed && margin >= wanted;
    if (!serves) {
      if (wanted > 0.0) find_within(body, larger(needed, wanted)); else find(body);
    }
    if (status != STEPPED) return DONE;
    report.candidates = contacts.count;
    if (env.steps == 0 && smallest_gap(lanes, contacts) < -BEGAN_INSIDE) fail(UNSURE);
    if (lanes.leads()) store6(flight.impulse, {{0, 0, 0, 0, 0, 0}});
    if (allow(body.velocity, true) >= -SLOWEST_IMPACT) return pose_smooth(body, body.velocity);
    double w = 1.0 / env.mass;
    pose(Problem::of(v3(w, w, w), inverse_moment_at(body.turn), body.velocity, env.friction, common.most_passes), body.velocity, true);
    return ROUNDS;
  }
  FN Stage begin() {
    begin_step();
    if (lanes.leads()) flight.attempt = 0;
    return search(0.0);
  }
  FN Stage again() {
    load();
    return search(flight.wanted);
  }
  FN Stage smooth() {
    load();
    return pose_smooth(own_body(), load6(flight.start));
  }

  FN Ladder ladder_of(Problem& p) {
    return {lanes, contacts, p, {scratch, 0}, {flight.is_impact ? 0 : flight.warm_count, flight.warm_id, flight.warm_impulse}};
  }
  FN Stage solve(bool is_quick) {
    load();
    Problem p = flight.problem;
    p.iterations = p.evaluations = 0;
    Ladder ladder = ladder_of(p);
    ladder.is_quick = is_quick;
    if (flight.is_impact) ladder.solve(false, load6(flight.start), IMPACT_VIOLATION);
    else ladder.solve(flight.is_warm != 0, load6(flight.warm_velocity), SMOOTH_VIOLATION);
    if (ladder.status == BEYOND) return HARD;
    if (ladder.status != STEPPED) fail((Status)ladder.status);
    lanes.sync();
    if (lanes.leads()) {
      flight.problem.iterations = p.iterations;
      flight.problem.evaluations = p.evaluations;
      flight.problem.limit = p.limit;
      flight.set_count = ladder.set.count;
      flight.level = ladder.level;
      flight.softness = ladder.softness;
      store6(flight.root, ladder.root);
    }
    lanes.sync();
    return FINISH;
  }

  /// Gives up faces that only hinder: the problem once more without them.
  FN bool solves_again(const Body& body, const Ladder& ladder, const V6& start, const V6& velocity) {
    if (flight.exchange >= EXCHANGES || !exchange_faces(body, ladder, velocity)) return false;
    allow(start, flight.is_impact != 0);
    lanes.sync();
    if (lanes.leads()) flight.exchange += 1;
    save();
    return true;
  }
  FN Stage finish() {
    load();
    Problem p = flight.problem;
    Ladder ladder = ladder_of(p);
    ladder.set.count = flight.set_count;
    ladder.level = flight.level;
    ladder.softness = flight.softness;
    ladder.root = load6(flight.root);
    p.post(lanes);
    ladder.finish();
    note(ladder);
    Body body = own_body();
    V6 start = load6(flight.start), impulse = load6(flight.impulse);
    if (flight.is_impact) {
      note_residuals(ladder);
      if (solves_again(body, ladder, start, ladder.velocity)) return ROUNDS;
      V6 velocity = make_passive(ladder, start, impulse);
      lanes.sync();
      if (lanes.leads()) {
        store6(flight.start, velocity);
        store6(flight.impulse, impulse);
      }
      save();
      return SMOOTH;
    }
    keep_warm(ladder);
    if (solves_again(body, ladder, start, middle(start, ladder.velocity))) return ROUNDS;
    note_residuals(ladder);
    V6 end = make_passive(ladder, start, impulse), mean = middle(start, end);
    double path = needed_margin(body, mean);
    bool is_beyond = path > AHEAD * margin && margin < LARGEST_MARGIN;
    if (margin >= LARGEST_MARGIN || (is_beyond && flight.attempt == ATTEMPTS)) fail(FAR_OFF);
    lanes.sync();
    if (lanes.leads()) {
      flight.attempt += 1;
      flight.wanted = lesser(path, WIDER * margin);
      store6(flight.end, end);
      store6(flight.mean, mean);
      store6(flight.impulse, impulse);
    }
    save();
    return is_beyond ? AGAIN : MOVE;
  }
};
