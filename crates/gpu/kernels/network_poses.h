// Contacts of two parts at many poses by depth networks alone, as in the paper (the CPU's `neural.rs` for networks that are asked
// everywhere): every node inside the other part's bounding volume is asked of that part's network in x, y, z.
//
//   list       the nodes inside, and their coordinates scaled to [-1, 1], in columns
//   network    value f and gradient of all listed points at once (`network.cu`; on the host the CPU's own inference)
//   contacts   gap = m + h f,   n = (h / h_k) df/dx_k, of unit length;   m, h middle and half width of a range
#pragma once
#include "poses.h"

/// Where the points of one pose and side stand in the columns.
struct PoseRange { int first, count; };

/// Columns of one side: `room` places each.
struct NetworkColumns {
  float* inputs;     // 3 columns
  float* values;
  float* gradients;  // 3 columns
  u32* nodes;
  int room, unused;
};

/// Takes places behind those that others took; returns the first.
FN int take_places(int* taken, int count) {
#if ON_DEVICE
  return atomicAdd(taken, count);
#else
  int first = *taken;
  *taken += count;
  return first;
#endif
}

FN V3 asked_point(const Query& q, int node) { return mul(q.turn, node_at(q.nodes->node, 0.0, node)) + q.shift; }

/// Lists the nodes of one side at one pose. Where the columns have too little room, `taken` says how much there should be.
FN void list_at(const Lanes& lanes, const Common& common, const Shape* shapes, const PartPose& pose, int side, double margin, const FieldRanges& ranges,
                const NetworkColumns& columns, PoseMemory& memory, int* taken, PoseRange& range) {
  const Query& q = shared_query(lanes, common, shapes, body_at(pose), side, memory.query);
  const Shape& against = shapes[1 - side];
  double lowest = against.heights[0] - margin, highest = against.heights[1] + margin;
  double inner = larger(against.radii[0] - margin, 0.0), outer = against.radii[1] + margin;
  int count = lanes.collect<BlockFound>(q.nodes->count, 0,
    [&](int node, BlockFound& found) {
      V3 point = asked_point(q, node);
      double squared = fma(point.x, point.x, point.y * point.y);
      if (point.z < lowest || point.z > highest || squared > outer * outer || squared < inner * inner) return;
      found.count = 1;
      found.at[0] = node;
    },
    [&](int place, int node) { if (place < LISTED) memory.listed[place] = (u16)node; });
  int first = lanes.leads() ? take_places(taken, count) : 0;
  first = lanes.from_leader(first);
  if (lanes.leads()) range = {first, count};
  if (first + count > columns.room) return;
  lanes.each(count, [&](int k) {
    int node = memory.listed[k];
    V3 point = asked_point(q, node);
    float* out = columns.inputs + first + k;
    out[0] = (float)((point.x - ranges.middle[0]) / ranges.half[0]);
    out[columns.room] = (float)((point.y - ranges.middle[1]) / ranges.half[1]);
    out[2 * (size_t)columns.room] = (float)((point.z - ranges.middle[2]) / ranges.half[2]);
    columns.nodes[first + k] = (u32)node;
  });
}

/// Contacts of one pose from the values and gradients at its points.
FN void network_contacts_at(const Lanes& lanes, const Common& common, const Shape* shapes, const PartPose& pose, double margin, const FieldRanges* ranges,
                            const NetworkColumns* columns, const PoseRange* range, int room, PoseMemory& memory, PoseContact* found, PoseSummary& summary) {
  PoseContacts contacts{found, room, 0};
  for (int side = 0; side < 2; ++side) {
    const Query& q = shared_query(lanes, common, shapes, body_at(pose), side, memory.query);
    // the network is that of the other part
    const FieldRanges& scale = ranges[1 - side];
    const NetworkColumns& own = columns[side];
    int first = range[side].first;
    contacts.count = lanes.collect<Found>(range[side].count, contacts.count,
      [&](int k, Found& result) {
        int place = first + k;
        double gap = scale.output_middle + scale.output_half * (double)own.values[place];
        if (!(gap < margin)) return;
        const float* slope = own.gradients + place;
        size_t column = own.room;
        V3 gradient = v3(scale.output_half / scale.half[0] * (double)slope[0], scale.output_half / scale.half[1] * (double)slope[column],
                         scale.output_half / scale.half[2] * (double)slope[2 * column]);
        double steep = norm(gradient);
        if (!(steep > 0.0)) return;
        int node = (int)own.nodes[place];
        result.at[0] = {asked_point(q, node), (1.0 / steep) * gradient, gap, (q.first + (u32)node) * PIECES};
        result.count = 1;
      },
      [&](int place, const Contact& own) {
        contacts.put(place, mul(q.out, own.point) + q.out_shift, q.sign * mul(q.out, own.normal), own.gap, own.id);
      });
  }
  summarise(lanes, contacts, summary);
}
