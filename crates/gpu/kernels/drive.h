// Set-points of the drive, the spring to them, and the step without contact (the CPU's `drive.rs`, `coupling.rs`,
// `passive_midpoint.rs`).
//
//   G V = 2/T M V0 + F + K, B terms,   G = 2/T M + C(w) + B + T/2 K,   V1 = 2V - V0,   W = 2/T G^-1
#pragma once
#include "angles.h"
#include "environment.h"

struct Target { V3 position; Quaternion rotation; };

/// Spring and damper over one step; targets are those of the centre of mass.
struct Coupling {
  bool is_there;
  V3 stiffness, damping, turning_stiffness, turning_damping;
  Target target, next;
  double twist;
};

CALL double set_point(const Drive& d, double time, V3& position) {
  int after = 0;
  while (after < d.waypoints && d.at[after].time <= time) after += 1;
  if (d.waypoints == 0) {
    position = v3(0, 0, 0);
    return 0.0;
  }
  if (after == 0 || after == d.waypoints) {
    const Waypoint& only = d.at[after == 0 ? 0 : after - 1];
    position = load3(only.position);
    return only.angle;
  }
  const Waypoint &a = d.at[after - 1], &b = d.at[after];
  double t = (time - a.time) / (b.time - a.time);
  position = scaled_sum(t, load3(b.position) - load3(a.position), load3(a.position));
  return fma(t, b.angle - a.angle, a.angle);
}

FN Quaternion rotation_of(const Waypoint& at) { return {at.rotation[0], at.rotation[1], at.rotation[2], at.rotation[3]}; }

/// A part of the way from one rotation to another, through the smaller angle.
CALL Quaternion towards(Quaternion from, Quaternion to, double part) {
  V3 way = rotation_vector(mul(conjugate(from), to));
  double angle = norm(way);
  SineCosine half = sine_cosine(0.5 * part * angle);
  double share = angle > 0.0 ? half.sine / angle : 0.0;
  return mul(from, {share * way.x, share * way.y, share * way.z, half.cosine});
}

/// Rotation of the set-point before its turn about z.
CALL Quaternion set_rotation(const Drive& d, double time) {
  int after = 0;
  while (after < d.waypoints && d.at[after].time <= time) after += 1;
  if (after == 0 || after == d.waypoints) return rotation_of(d.at[after == 0 ? 0 : after - 1]);
  const Waypoint &a = d.at[after - 1], &b = d.at[after];
  return towards(rotation_of(a), rotation_of(b), (time - a.time) / (b.time - a.time));
}

/// Angle of the set-point about the part's z axis, counted over whole turns.
CALL double set_angle(const Drive& d, double time) {
  V3 unused;
  double angle = set_point(d, time, unused);
  if (!d.has_rotations) return angle;
  double twist = 0.0;
  for (int k = 0; k < d.waypoints && d.at[k].time <= time; ++k) twist = unwrapped(twist_angle(rotation_of(d.at[k])), twist);
  return angle + unwrapped(twist_angle(set_rotation(d, time)), twist);
}

/// How far a body that has turned by `spin` is ahead of its set-point about z. Tilted over and without turns it has no angle to count.
FN double set_twist(const Drive& d, double time, double spin) {
  bool has_turns = false;
  for (int k = 0; k < d.waypoints; ++k) has_turns = has_turns || d.at[k].angle != 0.0;
  return d.has_rotations && !has_turns ? 0.0 : spin - set_angle(d, time);
}

CALL Target target_at(const Environment& env, double time) {
  const Drive& d = env.drive;
  V3 position;
  double angle = set_point(d, time, position), tilt = d.tilt;
  position.x += d.offset;
  if (time >= d.span[0] && time < d.span[1]) {
    position.x += d.shift[0] * sine_cosine(TAU * d.shift[1] * (time - d.span[0])).sine;
    tilt += d.swing[0] * sine_cosine(TAU * d.swing[1] * (time - d.span[0])).sine;
  }
  Quaternion turn = about_z(angle);
  if (d.has_rotations) turn = mul(set_rotation(d, time), turn);
  Quaternion rotation = mul(about_y(tilt), turn);
  return {position + mul(matrix(rotation), load3(env.center_of_mass)), rotation};
}

FN Coupling coupling_of(const Environment& env) {
  const Drive& d = env.drive;
  Coupling c;
  c.is_there = d.is_driven != 0;
  c.stiffness = load3(d.stiffness);
  c.turning_stiffness = load3(d.turning_stiffness);
  if (d.is_given) {
    c.damping = load3(d.linear_damping);
    c.turning_damping = load3(d.turning_damping);
    c.target = {load3(d.target), {d.target[3], d.target[4], d.target[5], d.target[6]}};
    c.next = {load3(d.next_target), {d.next_target[3], d.next_target[4], d.next_target[5], d.next_target[6]}};
    c.twist = d.twist;
    return c;
  }
  double time = (double)env.steps * env.dt;
  c.damping = v3(d.damping * env.mass, d.damping * env.mass, d.damping * env.mass);
  c.turning_damping = v3(env.moment[0] * d.damping, env.moment[4] * d.damping, env.moment[8] * d.damping);
  c.target = target_at(env, time);
  c.next = target_at(env, time + env.dt);
  c.twist = set_twist(d, time, env.spin);
  return c;
}

/// Error against a target: translation in world axes, rotation in body axes with the twist counted over whole turns.
CALL void coupling_error(const Coupling& c, V3 center, Quaternion rotation, const Target& target, V3& shift, V3& turn) {
  Quaternion relative = mul(conjugate(target.rotation), rotation);
  double angle = twist_angle(relative);
  Quaternion twist = about_z(angle), back = conjugate(twist);
  V3 tilt = mul(matrix(back), rotation_vector(mul(relative, back)));
  shift = center - target.position;
  turn = v3(tilt.x, tilt.y, fma(TAU, rint((c.twist - angle) * (1.0 / TAU)), angle));
}
FN double coupling_energy(const Coupling& c, V3 shift, V3 turn) {
  return 0.5 * (dot(c.stiffness, times(shift, shift)) + dot(c.turning_stiffness, times(turn, turn)));
}

/// The step without contact from a velocity in world axes.
struct FreeStep {
  V6 velocity;          // V_f
  V3 response;          // W, linear
  M3 turning_response;  // W, angular, world axes
};

CALL FreeStep free_step(const Environment& env, const Common& common, const Coupling& c, V3 center, Quaternion rotation, const M3& r, const V6& start) {
  double step = env.dt, per_step = 2.0 / step;
  V3 v0 = linear(start), w0 = mul_t(r, angular(start));
  M3 moment;
#pragma unroll
  for (int k = 0; k < 9; ++k) moment.a[k] = env.moment[k];
  double m = per_step * env.mass;
  V3 gain = v3(m, m, m);
  M3 turning_gain = scaled(per_step, moment);
  V3 force = m * v0 + load3(env.drive.force) + load3(env.drive.wrench) + env.mass * load3(common.gravity);
  V3 torque = per_step * mul(moment, w0) + load3(env.drive.wrench + 3);
  if (c.is_there) {
    V3 shift, turn;
    coupling_error(c, center, rotation, c.target, shift, turn);
    V3 target_v = (1.0 / step) * (c.next.position - c.target.position);
    V3 target_w = (1.0 / step) * rotation_vector(mul(conjugate(c.target.rotation), c.next.rotation));
    V3 ahead = (0.5 * step) * c.stiffness + c.damping, turning = (0.5 * step) * c.turning_stiffness + c.turning_damping;
    gain = gain + ahead;
    turning_gain.a[0] += turning.x; turning_gain.a[4] += turning.y; turning_gain.a[8] += turning.z;
    force = force + times(ahead, target_v) - times(c.stiffness, shift);
    torque = torque + times(turning, target_w) - times(c.turning_stiffness, turn);
  }
  V3 middle_v = v3(force.x / gain.x, force.y / gain.y, force.z / gain.z), about = w0;
  auto inverse_at = [&](V3 w) { return inverse(sum(turning_gain, scaled(-1.0, skew(mul(moment, w))))); };
  M3 inverted = inverse_at(about);
  for (int sweep = 0; sweep < 8; ++sweep) {
    V3 next = mul(inverted, torque);
    double change = norm(next - about);
    about = next;
    inverted = inverse_at(about);
    if (change <= 1e-14 * norm(about)) break;
  }
  V3 middle_w = mul(inverted, torque);
  FreeStep out;
  out.velocity = stack(2.0 * middle_v - v0, mul(r, 2.0 * middle_w - w0));
  out.response = v3(per_step / gain.x, per_step / gain.y, per_step / gain.z);
  out.turning_response = scaled(per_step, mul(mul(r, inverted), transpose(r)));
  return out;
}
