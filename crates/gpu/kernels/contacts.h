// Candidate contacts of one environment in columns, and the free body that they act on.
#pragma once
#include "face_choice.h"

/// The free body at a pose, with its velocity in world axes.
struct Body {
  V3 center, origin;   // centre of mass, origin of the part's frame
  Quaternion rotation;
  M3 turn;
  V6 velocity;

  FN static Body at(V3 center, Quaternion rotation, V3 center_of_mass, const V6& velocity) {
    Body body;
    body.center = center;
    body.rotation = rotation;
    body.turn = matrix(rotation);
    body.origin = center - mul(body.turn, center_of_mass);
    body.velocity = velocity;
    return body;
  }
  FN V3 velocity_at_place(V3 place) const { return velocity_at(velocity, place - center); }
};

constexpr double NORMAL_UNITS = 2147483000.0, NORMAL_UNIT = 1.0 / NORMAL_UNITS;

/// Unit of stored arms: a power of two with which every arm of the free part is below 2^31.
FN double arm_unit_of(const Shape& shape, V3 center_of_mass) {
  double below = fabs(shape.heights[0] - center_of_mass.z), above = fabs(shape.heights[1] - center_of_mass.z);
  double wide = shape.radii[1] + norm(center_of_mass), reach = 1.1 * (wide + larger(below, above)) + 1e-3;
  double unit = 1.0 / 2147483648.0;
  while (unit * 1073741824.0 > reach) unit *= 0.5;
  while (unit * 2147483648.0 < reach) unit *= 2.0;
  return unit;
}

/// Unit of stored gaps: a power of two with which the margin of their search is below 2^30.
FN double gap_unit_of(double margin) {
  double unit = 1.0 / 2147483648.0;
  while (unit * 536870912.0 > margin && unit > 1e-30) unit *= 0.5;
  while (unit * 1073741000.0 < margin && unit < 1.0) unit *= 2.0;
  return unit;
}
constexpr double WIDER_SPEEDS = 4.0, FAR_UNITS = 4096.0;

/// The rows of an environment.
struct Contacts {
  Rows rows;
  int count;
  double arm_unit, gap_unit, gap_units, speed_unit, speed_units;  // units and how many of them are 1 m, 1 m/s

  FN static Contacts of(Rows rows, int count, double arm_unit, double margin, double dt) {
    Contacts contacts{rows, count, arm_unit, 0.0, 0.0, 0.0, 0.0};
    contacts.set_margin(margin, dt);
    return contacts;
  }
  FN void set_margin(double margin, double dt) {
    gap_unit = gap_unit_of(margin);
    gap_units = 1.0 / gap_unit;  // a power of two
    speed_unit = WIDER_SPEEDS * gap_unit / dt;
    speed_units = 1.0 / speed_unit;
  }

  FN V3 arm(int i) const { return arm_unit * v3((double)rows.arm(0, i), (double)rows.arm(1, i), (double)rows.arm(2, i)); }
  FN V3 normal(int i) const {
    V3 n = NORMAL_UNIT * v3((double)rows.normal(0, i), (double)rows.normal(1, i), (double)rows.normal(2, i));
    return fma(-0.5, dot(n, n), 1.5) * n;  // of unit length again
  }
  FN void set_normal(int i, V3 n) {
    rows.normal(0, i) = whole(n.x * NORMAL_UNITS);
    rows.normal(1, i) = whole(n.y * NORMAL_UNITS);
    rows.normal(2, i) = whole(n.z * NORMAL_UNITS);
  }
  FN static int whole(double x) { return (int)rint(lesser(larger(x, -2147483000.0), 2147483000.0)); }
  /// An odd number counts a larger unit: a face that was exchanged for another may be far beyond the margin.
  FN double gap(int i) const {
    int stored = rows.gap(i);
    return (stored & 1 ? FAR_UNITS : 1.0) * (gap_unit * (double)(stored >> 1));
  }
  FN void set_gap(int i, double gap) {
    double units = gap * gap_units;
    bool is_far = fabs(units) > 1073741000.0;
    rows.gap(i) = 2 * whole(lesser(larger(is_far ? units * (1.0 / FAR_UNITS) : units, -1073741000.0), 1073741000.0)) + (is_far ? 1 : 0);
  }
  FN double approach(int i) const { return speed_unit * (double)rows.approach(i); }
  /// Beyond the room of the number it is smaller: the contact then allows less.
  FN void set_approach(int i, double speed) { rows.approach(i) = whole(speed * speed_units); }
  FN u32 id(int i) const { return rows.id(i) & IDENTITY; }
  FN double normal_speed(int i, const V6& v) const { return dot(normal(i), velocity_at(v, arm(i))); }
  FN void put(int i, V3 arm, V3 normal, double gap, u32 id) {
    if (i >= rows.room) return;
    double units = 1.0 / arm_unit;  // a power of two
    rows.arm(0, i) = whole(arm.x * units); rows.arm(1, i) = whole(arm.y * units); rows.arm(2, i) = whole(arm.z * units);
    set_normal(i, normal);
    set_gap(i, gap);
    rows.id(i) = id;
  }
};

FN double smallest_gap(const Lanes& lanes, const Contacts& contacts) {
  int index;
  return lanes.smallest(contacts.count, index, [&](int i) { return contacts.gap(i); });
}
FN double deepest_of(const Lanes& lanes, const Contacts& contacts) { return larger(-smallest_gap(lanes, contacts), 0.0); }
