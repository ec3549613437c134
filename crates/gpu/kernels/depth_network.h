// Value and gradient of a depth network at G nodes (the CPU's `crates/network/src/kernel`), in single precision.
//
//   h1 = a(W1 x + b1), h2 = a(W2 h1 + b2), h3 = a(W3 h2 + b3), y = o(w4.h3 + b4);   a: slope `left` below zero, 1 above
//   g3 = o' w4 a3', g2 = (W3^T g3) a2', g1 = (W2^T g2) a1', dy/dx = W1^T g1
//
// A group of G lanes takes G nodes at a time, whose activations lie in the memory that the lanes share. A lane has 8 neurons of 8
// nodes in registers: so 16 numbers that are read serve 64 multiplications. Every sum runs over its terms in ascending order by
// fused operations, as on the CPU: value and gradient have its bits, whatever the number of lanes and the nodes beside.
#pragma once
#include "environment.h"

constexpr int OWN = 8;  // neurons and nodes of a lane

enum Output : int { PLAIN = 0, TANH = 1, SIGMOID = 2 };

/// Ranges of the inputs and of the output: middle and half width [m].
struct FieldRanges { double middle[3], half[3], output_middle, output_half; };

/// A network in x, y, z with three hidden layers.
struct DepthNetwork {
  float matrix[4][NEURONS][NEURONS];  // W2, W3 by rows of their inputs; then W3, W2 by rows of their outputs
  float first[3][NEURONS];            // W1 by rows of its inputs
  float bias[3][NEURONS], last[NEURONS], last_bias;
  float left;
  int output, unused;
  FieldRanges ranges;
};

/// What a lane knows of its neurons and nodes.
struct NetworkLane {
  float sum[OWN][OWN];  // neurons x nodes
  u64 is_right[3];      // a bit per sum of each layer: whether it is above zero
};

/// Reads OWN numbers that lie on 16 bytes; weights stay in the cache of constant data.
template <bool IS_WEIGHT> FN void read_own(const float* from, float (&to)[OWN]) {
#if ON_DEVICE
  const float4* at = (const float4*)from;
  float4 a = IS_WEIGHT ? __ldg(at) : at[0], b = IS_WEIGHT ? __ldg(at + 1) : at[1];
  to[0] = a.x; to[1] = a.y; to[2] = a.z; to[3] = a.w;
  to[4] = b.x; to[5] = b.y; to[6] = b.z; to[7] = b.w;
#else
  for (int k = 0; k < OWN; ++k) to[k] = from[k];
#endif
}
FN int first_neuron(int lane) { return OWN * (lane % (NEURONS / OWN)); }
FN int first_node(int lane) { return OWN * (lane / (NEURONS / OWN)); }

/// sum[neuron][node] = start[neuron] + sum_k matrix[k][neuron] activation[k][node].
FN void multiply(const float (*matrix)[NEURONS], int terms, const float* start, const NetworkTile& tile, int lane, NetworkLane& own) {
  int neuron = first_neuron(lane), node = first_node(lane);
#pragma unroll
  for (int j = 0; j < OWN; ++j)
#pragma unroll
    for (int p = 0; p < OWN; ++p) own.sum[j][p] = start == nullptr ? 0.0f : start[neuron + j];
#pragma unroll 2
  for (int k = 0; k < terms; ++k) {
    float weight[OWN], value[OWN];
    read_own<true>(matrix[k] + neuron, weight);
    read_own<false>(tile.activation[k] + node, value);
#pragma unroll
    for (int j = 0; j < OWN; ++j)
#pragma unroll
      for (int p = 0; p < OWN; ++p) own.sum[j][p] = fmaf(weight[j], value[p], own.sum[j][p]);
  }
}
/// Applies the activation of a layer.
FN void activate(float left, int layer, NetworkLane& own) {
  u64 bits = 0;
#pragma unroll
  for (int j = 0; j < OWN; ++j)
#pragma unroll
    for (int p = 0; p < OWN; ++p) {
      bool is_right = own.sum[j][p] > 0.0f;
      bits |= (is_right ? 1ull : 0ull) << (j * OWN + p);
      own.sum[j][p] *= is_right ? 1.0f : left;
    }
  own.is_right[layer] = bits;
}
/// Multiplies by the slopes of a layer.
FN void chain(float left, int layer, NetworkLane& own) {
#pragma unroll
  for (int j = 0; j < OWN; ++j)
#pragma unroll
    for (int p = 0; p < OWN; ++p) own.sum[j][p] *= (own.is_right[layer] >> (j * OWN + p)) & 1ull ? 1.0f : left;
}
FN void store(const NetworkLane& own, int lane, NetworkTile& tile) {
  int neuron = first_neuron(lane), node = first_node(lane);
#pragma unroll
  for (int j = 0; j < OWN; ++j)
#pragma unroll
    for (int p = 0; p < OWN; ++p) tile.activation[neuron + j][node + p] = own.sum[j][p];
}

/// e^x - 1: x = n ln 2 + r, 2^n E(r) + (2^n - 1), E by its series.
FN float exponential_minus_one(float x) {
  x = x > 87.0f ? 87.0f : x < -87.0f ? -87.0f : x;
  float shifted = fmaf(x, 1.44269504088896340736f, 12582912.0f), n = shifted - 12582912.0f;  // rounds to a whole number
  float r = fmaf(n, 2.1219444e-4f, fmaf(n, -0.6933594f, x));
  float series = 1.0f / 40320.0f;
  series = fmaf(series, r, 1.0f / 5040.0f);
  series = fmaf(series, r, 1.0f / 720.0f);
  series = fmaf(series, r, 1.0f / 120.0f);
  series = fmaf(series, r, 1.0f / 24.0f);
  series = fmaf(series, r, 1.0f / 6.0f);
  series = fmaf(series, r, 1.0f / 2.0f);
  float e = fmaf(series * r, r, r), power = float_of_bits((bits_of_float(shifted) << 23) + 0x3f800000u);
  return fmaf(power, e, power - 1.0f);
}
/// Value of the output and its slope.
FN void output_of(int kind, float x, float& y, float& slope) {
  y = x;
  slope = 1.0f;
  if (kind == TANH) {
    float e = exponential_minus_one(x + x);
    y = e / (e + 2.0f);
    slope = fmaf(-y, y, 1.0f);
  } else if (kind == SIGMOID) {
    y = 1.0f / (exponential_minus_one(-x) + 2.0f);
    slope = y * (1.0f - y);
  }
}

/// Values at the scaled coordinates that stand in the first three rows of the tile; the slopes of the output come beside them.
FN void network_values(const Lanes& lanes, const DepthNetwork& network, NetworkTile& tile, PerLane<NetworkLane>& all) {
#pragma unroll
  for (int layer = 0; layer < 3; ++layer) {
    lanes.as_lanes([&](int lane) {
      NetworkLane& own = all[lane];
      multiply(layer == 0 ? network.first : network.matrix[layer - 1], layer == 0 ? 3 : NEURONS, network.bias[layer], tile, lane, own);
      activate(network.left, layer, own);
    });
    lanes.as_lanes([&](int lane) { store(all[lane], lane, tile); });
  }
  lanes.as_lanes([&](int lane) {
    float sum = network.last_bias;
#pragma unroll 8
    for (int k = 0; k < NEURONS; ++k) sum = fmaf(network.last[k], tile.activation[k][lane], sum);
    output_of(network.output, sum, tile.value[lane], tile.gradient[0][lane]);
  });
}

/// Gradients by the scaled coordinates, after the values.
FN void network_gradients(const Lanes& lanes, const DepthNetwork& network, NetworkTile& tile, PerLane<NetworkLane>& all) {
  lanes.as_lanes([&](int lane) {
    NetworkLane& own = all[lane];
    int neuron = first_neuron(lane), node = first_node(lane);
#pragma unroll
    for (int j = 0; j < OWN; ++j)
#pragma unroll
      for (int p = 0; p < OWN; ++p) own.sum[j][p] = fmaf(network.last[neuron + j], tile.gradient[0][node + p], 0.0f);
    chain(network.left, 2, own);
    store(own, lane, tile);
  });
#pragma unroll
  for (int layer = 1; layer >= 0; --layer) {
    lanes.as_lanes([&](int lane) {
      multiply(network.matrix[3 - layer], NEURONS, nullptr, tile, lane, all[lane]);
      chain(network.left, layer, all[lane]);
    });
    lanes.as_lanes([&](int lane) { store(all[lane], lane, tile); });
  }
  lanes.as_lanes([&](int lane) {
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      float sum = 0.0f;
#pragma unroll 8
      for (int k = 0; k < NEURONS; ++k) sum = fmaf(network.first[axis][k], tile.activation[k][lane], sum);
      tile.gradient[axis][lane] = sum;
    }
  });
}
