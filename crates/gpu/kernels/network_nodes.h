// The nodes of one part against the depth network of the other, as in the paper (the CPU's `neural.rs` for networks that are asked
// everywhere): every node inside the other part's bounding volume is asked, and its exact distance decides nothing.
//
//   gap = m + h f(x),   n = (h / h_k) df/dx_k, of unit length;   m, h middle and half width of a range
//
// A network has one distance and one normal per node: there is no other face at an edge, no crossing of edges, and nothing is
// detected early. Gradients are formed for the nodes of a tile where one of them is a contact.
#pragma once
#include "depth_network.h"
#include "query.h"

/// The network that answers for a part of this environment; none where its distance is exact.
FN const DepthNetwork* network_of(const Common& common, const Environment& env, int side) {
#if defined(ONLY_EXACT)
  return nullptr;
#else
  return env.shape[side].is_of_network ? common.network[side] : nullptr;
#endif
}

/// Lists the nodes inside the bounding volume of the other part; how many there are.
FN int list_inside(const Lanes& lanes, const Query& q, double margin, Scratch& memory) {
  const Shape& against = *q.against;
  const double t = q.of->parameter, grown = fabs(t) * q.of->spread;
  const double lowest = against.heights[0] - margin, highest = against.heights[1] + margin;
  const double inner = larger(against.radii[0] - margin, 0.0), outer = against.radii[1] + margin;
  const int last = q.nodes->count;
  int selected = lanes.collect<BlockFound>(q.nodes->blocks, 0,
    [&](int block, BlockFound& found) {
      if (!is_block_near(q.nodes->box + 6 * block, grown, q.turn, q.shift, lowest, highest, outer)) return;
      found.count = 1;
      found.at[0] = block;
    },
    [&](int place, int block) { if (place < BLOCKS) memory.block[place] = block; });
  return lanes.collect<BlockFound>(32 * selected, 0,
    [&](int k, BlockFound& found) {
      int node = 32 * memory.block[k >> 5] + (k & 31);
      if (node >= last) return;
      V3 point = mul(q.turn, node_at(q.nodes->node, t, node)) + q.shift;
      double squared = fma(point.x, point.x, point.y * point.y);
      if (point.z < lowest || point.z > highest || squared > outer * outer || squared < inner * inner) return;
      found.count = 1;
      found.at[0] = node;
    },
    [&](int place, int node) { if (place < LISTED) memory.listed[place] = (u16)node; });
}

/// Appends the contacts of the nodes of one side.
CALL void detect_by_network(const Lanes& lanes, const Query& q, const DepthNetwork& network, double margin, Contacts& contacts, Scratch& memory) {
  const FieldRanges& ranges = network.ranges;
  int listed = list_inside(lanes, q, margin, memory);
  if (listed > LISTED) {
    contacts.count = WIDE_ROWS + 1;
    return;
  }
  auto place_of = [&](int node) { return mul(q.turn, node_at(q.nodes->node, q.of->parameter, node)) + q.shift; };
  PerLane<NetworkLane> all;
#pragma unroll 1
  for (int base = 0; base < listed; base += G) {
    int count = listed - base < G ? listed - base : G;
    NetworkTile& tile = lanes.board().tile;
    lanes.sync();
    lanes.as_lanes([&](int lane) {
      V3 point = place_of(memory.listed[base + (lane < count ? lane : 0)]);
      tile.activation[0][lane] = (float)((point.x - ranges.middle[0]) / ranges.half[0]);
      tile.activation[1][lane] = (float)((point.y - ranges.middle[1]) / ranges.half[1]);
      tile.activation[2][lane] = (float)((point.z - ranges.middle[2]) / ranges.half[2]);
    });
    network_values(lanes, network, tile, all);
    auto gap_of = [&](int k) { return ranges.output_middle + ranges.output_half * (double)tile.value[k]; };
    if (lanes.count_if(count, [&](int k) { return gap_of(k) < margin; }) == 0) continue;
    network_gradients(lanes, network, tile, all);
    contacts.count = lanes.collect<Found>(count, contacts.count,
      [&](int k, Found& found) {
        double gap = gap_of(k);
        if (!(gap < margin)) return;
        V3 gradient = v3(ranges.output_half / ranges.half[0] * (double)tile.gradient[0][k],
                         ranges.output_half / ranges.half[1] * (double)tile.gradient[1][k],
                         ranges.output_half / ranges.half[2] * (double)tile.gradient[2][k]);
        double steep = norm(gradient);
        if (!(steep > 0.0)) return;
        int node = memory.listed[base + k];
        found.at[0] = {place_of(node), (1.0 / steep) * gradient, gap, (q.first + (u32)node) * PIECES};
        found.count = 1;
      },
      [&](int place, const Contact& own) {
        contacts.put(place, mul(q.out, own.point) + q.out_shift, q.sign * mul(q.out, own.normal), own.gap, own.id);
      });
  }
}
