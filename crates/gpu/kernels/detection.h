// Nodes of either part against the surface of the other (the CPU's `detect.rs`, `node_query.rs`, `thinning.rs`).
//
// Blocks of 32 nodes that miss the other part are skipped; blocks and nodes that the conforming other part hides by less than
// 0.1 um are left out. The nodes that remain are queried one per lane; contacts keep the order of the nodes.
#pragma once
#include "crossings.h"
#include "network_nodes.h"
#include "rim_places.h"
#include "thread_crossings.h"

constexpr double DIP = 0.1e-6;
constexpr double STEEPEST_EDGE = 0.1;
constexpr double UPRIGHT = 0.99;

/// Which nodes are left out: between heights of the other part where the dip without them is small.
struct Thinning {
  bool is_used, by_block;
  double bend, low, high;

  FN bool hides(double left, double lowest, double highest) const {
    if (!is_used || !(bend * left * left <= DIP)) return false;
    double beyond = STEEPEST_EDGE * left;
    return lowest > low + beyond && highest < high - beyond;
  }
};

CALL Thinning thinning_of(const Query& q, double apart, double reach) {
  Thinning none = {false, false, 0, 0, 0};
  V3 axis = column(q.turn, 2);
  double low, high, radius;
  if (is_round(*q.of)) {
    if (!q.of->has_wall || !q.against->has_wall || q.of->is_bore == q.against->is_bore) return none;
    double one = fma(axis.z, q.of->wall_heights[0], q.shift.z), two = fma(axis.z, q.of->wall_heights[1], q.shift.z);
    low = larger(q.against->wall_heights[0], lesser(one, two));
    high = lesser(q.against->wall_heights[1], larger(one, two));
    radius = lesser(q.of->wall_radius, q.against->wall_radius);
  } else {
    if (axis.z < 0.0) return none;
    low = larger(q.against->heights[0], q.of->heights[0] + q.shift.z);
    high = lesser(q.against->heights[1], q.of->heights[1] + q.shift.z);
    radius = q.of->root;
  }
  auto beside = [&](double height) {
    double along = (height - q.shift.z) / axis.z, x = fma(along, axis.x, q.shift.x), y = fma(along, axis.y, q.shift.y);
    return sqrt(fma(x, x, y * y));
  };
  double farthest = larger(beside(low), beside(high)), tilt = sqrt(fma(axis.x, axis.x, axis.y * axis.y));
  if (!(fabs(axis.z) >= UPRIGHT)) return none;
  if (is_round(*q.of)) {
    double turned = tilt * (high - low), bend = farthest / (8.0 * radius * radius), room = radius - farthest;
    bool is_shallow = bend * apart * apart <= DIP && turned * turned <= DIP * 8.0 * room;
    if (!(low < high && room > 0.0 && is_shallow)) return none;
    return {true, true, bend, q.against->wall_heights[0] + reach, q.against->wall_heights[1] - reach};
  }
  double wave = fma(tilt, radius, farthest);
  return {true, false, wave / (8.0 * radius * radius), q.against->endless[0] + reach, q.against->endless[1] - reach};
}

#if defined(ONLY_THREADS)
typedef const Shape ShapeInLoop;  // what the loop reads of it stays in registers
#else
typedef const Shape& ShapeInLoop; // outlines are read by number
#endif

/// Appends the contacts of the nodes of one side to `contacts`, which has `count` and `put`. `memory` has the lists of blocks and nodes.
template <class Record, class Memory>
FN void detect_nodes(const Lanes& lanes, const Query& q, double apart, double horizon, double margin, Record& contacts, Memory& memory) {
  const Thinning thinning = thinning_of(q, apart, margin);
  // copies: what is read through a reference is read again in every round
  const M3 turn = q.turn;
  const V3 shift = q.shift;
  const double t = q.of->parameter, grown = fabs(t) * q.of->spread;
  const double lowest = q.against->heights[0] - margin, highest = q.against->heights[1] + margin, radius = q.against->radii[1] + margin;
  const double *nodes = q.nodes->node, *left = q.nodes->left;
  const int blocks = q.nodes->blocks, last = q.nodes->count;
  int *block_list = memory.block;
  u16 *list = memory.listed;
  ShapeInLoop against = *q.against;
  int selected = lanes.collect<BlockFound>(blocks, 0,
    [&](int block, BlockFound& found) {
      const double* box = q.nodes->box + 6 * block;
      if (!is_block_near(box, grown, turn, shift, lowest, highest, radius)) return;
      if (thinning.by_block) {
        const double* slope = q.nodes->box_slope + 6 * block;
        V3 r = row(turn, 2);
        V3 now = v3(fma(t, slope[0], box[0]), fma(t, slope[1], box[1]), fma(t, slope[2], box[2]));
        V3 size = v3(fma(t, slope[3], box[3]), fma(t, slope[4], box[4]), fma(t, slope[5], box[5]));
        double c = shift.z + dot(r, now), h = fabs(r.x) * size.x + fabs(r.y) * size.y + fabs(r.z) * size.z;
        if (thinning.hides(left[block], c - h, c + h)) return;
      }
      found.count = 1;
      found.at[0] = block;
    },
    [&](int place, int block) { if (place < BLOCKS) block_list[place] = block; });
  // first the nodes that may touch, then their faces: so all lanes have a face to evaluate
  int listed = lanes.collect<BlockFound>(32 * selected, 0,
    [&](int k, BlockFound& found) {
      int block = block_list[k >> 5], i = 32 * block + (k & 31);
      if (i >= last) return;
      V3 point = mul(turn, node_at(nodes, t, i)) + shift;
      if (!(point.z >= lowest && point.z <= highest && fma(point.x, point.x, point.y * point.y) <= radius * radius)) return;
      if (!thinning.by_block && thinning.hides(left[block], point.z, point.z)) return;
      if (!may_touch(against, point, margin)) return;
      found.count = 1;
      found.at[0] = i;
    },
    [&](int place, int i) { if (place < LISTED) list[place] = (u16)i; });
  if (listed > LISTED) {
    contacts.count = WIDE_ROWS + 1;
    return;
  }
  contacts.count = lanes.collect<Found>(listed, contacts.count,
    [&](int k, Found& found) {
      int i = list[k];
      V3 point = mul(turn, node_at(nodes, t, i)) + shift;
      NodeContacts choice(point, q.moving + cross(q.turning, point), horizon, margin, (q.first + (u32)i) * PIECES, found);
      pieces_of(against, point, margin, choice);
    },
    [&](int place, const Contact& own) {
      contacts.put(place, mul(q.out, own.point) + q.out_shift, q.sign * mul(q.out, own.normal), own.gap, own.id);
    });
}

/// Fills `contacts` with those of the nodes of both sides; false where they are more than any room.
CALL bool detect_sides(const Lanes& lanes, const Common& common, const Environment& env, const Body& body, double margin, Contacts& contacts, Scratch& scratch) {
  contacts.count = 0;
  for (int side = 0; side < 2; ++side) {
    const Query& q = shared_query(lanes, common, env.shape, body, side, scratch.query);
    const DepthNetwork* network = network_of(common, env, 1 - side);
    if (network == nullptr) detect_nodes(lanes, q, common.nodes[1 - side].apart, env.dt, margin, contacts, scratch);
    else detect_by_network(lanes, q, *network, margin, contacts, scratch);
    if (contacts.count > WIDE_ROWS) return false;
    bool has_rims = is_round(env.shape[0]) && network_of(common, env, 0) == nullptr && network_of(common, env, 1) == nullptr;
    // the outside of a ring touches other walls between nodes and edges, which the processor knows
    if (has_rims && q.against->is_bore && fma(q.shift.x, q.shift.x, q.shift.y * q.shift.y) > q.against->radii[1] * q.against->radii[1]) {
      contacts.count = WIDE_ROWS + 1;
      return false;
    }
    if (has_rims) detect_rim_places(lanes, common, q, side, env.dt, margin, contacts, scratch);
    if (contacts.count > WIDE_ROWS) return false;
  }
  return true;
}

/// Appends the crossings of edges; false where there are more contacts than their room, `count` says how many.
CALL bool detect_edges(const Lanes& lanes, const Common& common, const Environment& env, const Body& body, double margin, Contacts& contacts, Scratch& scratch) {
  // where a network answers for a part, its edges are not known
  if (network_of(common, env, 0) != nullptr || network_of(common, env, 1) != nullptr) return contacts.count <= contacts.rows.room;
  const Query& q = shared_query(lanes, common, env.shape, body, 0, scratch.query);
  if (is_round(env.shape[0])) {
    detect_crossings(lanes, common, q, margin, contacts, scratch);
  } else if (!detect_thread_crossings(lanes, common, q, env.dt, margin, contacts, scratch)) {
    contacts.count = WIDE_ROWS + 1;
  }
  return contacts.count <= contacts.rows.room;
}

/// Fills `contacts` with all contacts nearer than `margin`; false where there are more than its room, `count` says how many.
FN bool detect(const Lanes& lanes, const Common& common, const Environment& env, const Body& body, double margin, Contacts& contacts, Scratch& scratch) {
  return detect_sides(lanes, common, env, body, margin, contacts, scratch) && detect_edges(lanes, common, env, body, margin, contacts, scratch);
}

/// Fills `contacts` with those of the nodes of listed contacts; crossings are not detected again, nor what a depth network answers.
CALL void detect_listed(const Lanes& lanes, const Common& common, const Environment& env, const Body& body, const u32* ids, int count, double margin, Contacts& contacts, Scratch& scratch) {
  contacts.count = 0;
  for (int side = 0; side < 2; ++side) {
    if (network_of(common, env, 1 - side) != nullptr) continue;
    const Query& q = shared_query(lanes, common, env.shape, body, side, scratch.query);
    contacts.count = lanes.collect<Found>(count, contacts.count,
      [&](int k, Found& found) {
        u32 node = ids[k] / PIECES;
        // the contacts of one node follow one another
        if (node - q.first >= (u32)q.nodes->count || (k > 0 && ids[k - 1] / PIECES == node)) return;
        V3 point = mul(q.turn, node_at(q.nodes->node, q.of->parameter, (int)(node - q.first))) + q.shift;
        NodeContacts choice(point, q.moving + cross(q.turning, point), env.dt, margin, node * PIECES, found);
        pieces_of(*q.against, point, margin, choice);
      },
      [&](int place, const Contact& own) {
        contacts.put(place, mul(q.out, own.point) + q.out_shift, q.sign * mul(q.out, own.normal), own.gap, own.id);
      });
  }
}

/// The other face of a contact's node at its edge.
CALL bool other_face(const Common& common, const Environment& env, const Body& body, u32 id, Face& other) {
  u32 node = id / PIECES;
  int side = node >= (u32)common.nodes[0].count ? 1 : 0;
  if (node >= (u32)(common.nodes[0].count + common.nodes[1].count)) return false;
  Query q = query_of(common, env.shape, body, side);
  V3 point = mul(q.turn, node_at(q.nodes->node, q.of->parameter, (int)(node - q.first))) + q.shift;
  OtherFace choice(q.moving + cross(q.turning, point), env.dt, (int)(id % PIECES));
  // whatever the margin was, the piece is within it
  pieces_of(*q.against, point, LARGEST_MARGIN, choice);
  other = {choice.other.distance, q.sign * mul(q.out, choice.other.normal)};
  return choice.is_found;
}
