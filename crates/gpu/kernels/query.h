// The nodes of one side in the frame of the other part: what detection reads for every node.
#pragma once
#include "contacts.h"

FN Query query_of(const Common& common, const Shape* shapes, const Body& body, int side) {
  M3 fixed_turn = matrix({common.fixed_rotation[0], common.fixed_rotation[1], common.fixed_rotation[2], common.fixed_rotation[3]});
  V3 fixed_origin = load3(common.fixed_position);
  bool is_free = side == common.free_side;
  const M3& own_turn = is_free ? body.turn : fixed_turn;
  const M3& other_turn = is_free ? fixed_turn : body.turn;
  V3 own_origin = is_free ? body.origin : fixed_origin, other_origin = is_free ? fixed_origin : body.origin;
  double sign = is_free ? 1.0 : -1.0;
  return {&common.nodes[side], &shapes[side], &shapes[1 - side], mul(transpose(other_turn), own_turn),
          mul_t(other_turn, own_origin - other_origin), mul_t(other_turn, sign * body.velocity_at_place(other_origin)),
          mul_t(other_turn, sign * angular(body.velocity)), other_turn, other_origin - body.center, sign,
          side == 0 ? 0u : (u32)common.nodes[0].count};
}

/// The same in the memory of the group: registers are few, and a copy per lane would not stay in the cache.
CALL const Query& shared_query(const Lanes& lanes, const Common& common, const Shape* shapes, const Body& body, int side, Query& shared) {
  lanes.sync();
  Query own = query_of(common, shapes, body, side);
  if (lanes.leads()) shared = own;
  lanes.sync();
  return shared;
}

/// Place of a node in its part's frame.
FN V3 node_at(const double* nodes, double t, int i) {
  const double* own = nodes + 7 * 32 * (i >> 5) + (i & 31);
  double r = own[0], c = own[32], s = own[64], z = own[96];
  if (t != 0.0) {
    double a = t * own[160];
    r = fma(t, own[128], r);
    z = fma(t, own[192], z);
    if (a != 0.0) {
      SineCosine turn = sine_cosine_here(a);
      double next = fma(c, turn.cosine, -(s * turn.sine));
      s = fma(s, turn.cosine, c * turn.sine);
      c = next;
    }
  }
  return v3(r * c, r * s, z);
}

/// Whether a block of nodes may come between two heights and within a radius of the other part's axis; `grown`: most that dimensions move
/// its nodes [m].
FN bool is_block_near(const double* box, double grown, const M3& turn, V3 shift, double lowest, double highest, double radius) {
  V3 middle = v3(box[0], box[1], box[2]), half = v3(box[3] + grown, box[4] + grown, box[5] + grown);
  auto along = [&](int k, double& c, double& h) {
    V3 r = row(turn, k);
    c = dot(r, middle) + (k == 0 ? shift.x : k == 1 ? shift.y : shift.z);
    h = fabs(r.x) * half.x + fabs(r.y) * half.y + fabs(r.z) * half.z + grown;
  };
  double cx, cy, cz, hx, hy, hz;
  along(0, cx, hx);
  along(1, cy, hy);
  along(2, cz, hz);
  double gx = larger(fabs(cx) - hx, 0.0), gy = larger(fabs(cy) - hy, 0.0);
  return cz + hz >= lowest && cz - hz <= highest && fma(gx, gx, gy * gy) <= radius * radius;
}
