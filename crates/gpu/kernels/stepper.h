// What the stages of a step share: the contacts at hand, the search for them, the projection of a pose.
#pragma once
#include "detection.h"
#include "drive.h"
#include "flight.h"
#include "projection.h"

constexpr double FAST = 1.5e-3, SHORT = 0.25, STOPPED = 0.25;

/// What an environment waits for; each is a function of its own, whose code the warps of a multiprocessor share.
enum Stage : int { BEGIN = 0, AGAIN, SMOOTH, ROUNDS, HARD, FINISH, MOVE, ARRIVE, CROSS, LAND, STAGES, DONE = STAGES };

struct Stepper {
  const Lanes& lanes;
  const Common& common;
  Environment& env;
  Scratch& scratch;
  Flight& flight;
  Rows kept;                 // those of the environment
  Contacts contacts;
  double margin, required;   // of the contacts at hand
  bool is_known, is_exchanged;
  int status;
  Report report;

  FN Stepper(const Lanes& lanes, const Common& common, Environment& env, KeptRows& rows, Scratch& scratch, Flight& flight)
      : lanes(lanes), common(common), env(env), scratch(scratch), flight(flight), kept{rows.number[0], ROWS}, status(STEPPED) {}
  FN double arm_unit() const { return arm_unit_of(env.shape[common.free_side], load3(env.center_of_mass)); }
  /// At the beginning of a step: the contacts that the last one found.
  FN void begin_step() {
    margin = env.margin;
    required = env.required;
    is_known = env.is_known != 0;
    is_exchanged = false;
    contacts = Contacts::of(env.is_known == IN_FLIGHT ? wide_rows() : kept, is_known ? env.rows : 0, arm_unit(), margin, env.dt);
    report = {};
  }
  /// What the last stage left.
  FN void load() {
    margin = flight.margin;
    required = flight.required;
    is_known = flight.is_known != 0;
    is_exchanged = flight.is_exchanged != 0;
    contacts = Contacts::of(flight.is_wide ? wide_rows() : kept, flight.count, arm_unit(), margin, env.dt);
    report = flight.report;
  }
  /// For the next stage.
  FN void save() {
    lanes.sync();
    if (lanes.leads()) {
      flight.margin = margin;
      flight.required = required;
      flight.is_known = is_known;
      flight.is_exchanged = is_exchanged;
      flight.is_wide = contacts.rows.at != kept.at;
      flight.count = contacts.count;
      flight.report = report;
    }
    lanes.sync();
  }
  FN Rows wide_rows() const { return {flight.wide[0], WIDE_ROWS}; }

  FN void fail(Status why) { if (status == STEPPED) status = why; }

  /// Where contacts are put first. Depth networks find many and are dear: they are asked once.
  FN Rows first_rows() const {
    bool asks = network_of(common, env, 0) != nullptr || network_of(common, env, 1) != nullptr;
    return asks ? wide_rows() : kept;
  }
  /// Moves contacts that the usual rows have room for there.
  FN void keep_few() {
    if (contacts.rows.at == kept.at || contacts.count > ROWS) return;
    lanes.each(contacts.count, [&](int i) {
      for (int column = 0; column < COLUMNS; ++column) kept.at[column * ROWS + i] = contacts.rows.at[column * WIDE_ROWS + i];
    });
    contacts.rows = kept;
  }
  /// Finds the contacts within a margin.
  CALL void find_within(const Body& body, double wanted) {
    lanes.sync();
    contacts.set_margin(wanted, env.dt);
    contacts.rows = first_rows();
    bool is_found = detect(lanes, common, env, body, wanted, contacts, scratch);
    if (!is_found && contacts.rows.at == kept.at && contacts.count <= WIDE_ROWS) {
      contacts.rows = wide_rows();
      lanes.sync();
      is_found = detect(lanes, common, env, body, wanted, contacts, scratch);
    }
    if (is_found) {
      keep_few();
    } else {
      contacts.count = 0;
      fail(MANY_CONTACTS);
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
    int count = lanes.collect<BlockFound>(rows.count, 0,
      [&](int i, BlockFound& found) { if (rows.normal_speed(i, velocity) + per_time * rows.gap(i) <= limit) { found.count = 1; found.at[0] = i; } },
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

  /// The body at the beginning of the step.
  FN Body own_body() const {
    Quaternion rotation = {env.rotation[0], env.rotation[1], env.rotation[2], env.rotation[3]};
    M3 r = matrix(rotation);
    return Body::at(load3(env.center), rotation, load3(env.center_of_mass), stack(load3(env.linear), mul(r, load3(env.turning))));
  }
  FN M3 inverse_moment_at(const M3& turn) const {
    M3 moment;
#pragma unroll
    for (int k = 0; k < 9; ++k) moment.a[k] = env.moment[k];
    return mul(mul(turn, inverse(moment)), transpose(turn));
  }
};
