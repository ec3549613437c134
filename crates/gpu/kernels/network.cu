// Value and gradient of a depth network at many points (the CPU's `crates/network/src/inference.rs`), single precision.
//
//   h1 = a(W1 x + b1), h2 = a(W2 h1 + b2), h3 = a(W3 h2 + b3), y = o(w4.h3 + b4);   a: slope `left` below zero, 1 above
//   g3 = o' w4 a3', g2 = (W3^T g3) a2', g1 = (W2^T g2) a1', dy/dx = W1^T g1
//
// A block takes tiles of 128 points. The activations of a tile and both big matrices, as they are and transposed, stay in shared
// memory; a thread has 4 neurons x 8 points in registers, so that 12 numbers from shared memory serve 32 multiplications.
constexpr int WIDTH = 64, TILE = 128, PITCH = TILE + 4, THREADS = 256, MOST_INPUTS = 8, OWN = 4, POINTS = 8;

enum Output : int { IDENTITY = 0, TANH = 1, SIGMOID = 2 };

struct Shared {
  float matrix[4][WIDTH][WIDTH];  // W2, W3 with the input first; then with the output first
  float act[WIDTH][PITCH];
  float x[MOST_INPUTS][TILE];
  float first[MOST_INPUTS][WIDTH], bias[3][WIDTH], last[WIDTH];
};

/// acc = bias + sum_k m[k][own] act[k][points].
__device__ __forceinline__ void multiply(const float (&m)[WIDTH][WIDTH], const Shared& s, int neuron, int point, const float* bias, float (&acc)[OWN][POINTS]) {
#pragma unroll
  for (int j = 0; j < OWN; ++j)
#pragma unroll
    for (int p = 0; p < POINTS; ++p) acc[j][p] = bias == nullptr ? 0.0f : bias[neuron + j];
#pragma unroll 8
  for (int k = 0; k < WIDTH; ++k) {
    float4 w = *(const float4*)&m[k][neuron], a = *(const float4*)&s.act[k][point], b = *(const float4*)&s.act[k][point + 4];
    float weight[OWN] = {w.x, w.y, w.z, w.w}, value[POINTS] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
    for (int j = 0; j < OWN; ++j)
#pragma unroll
      for (int p = 0; p < POINTS; ++p) acc[j][p] = fmaf(weight[j], value[p], acc[j][p]);
  }
}
/// Applies the activation; a bit per number says where its slope is 1.
__device__ __forceinline__ unsigned activate(float left, float (&acc)[OWN][POINTS]) {
  unsigned bits = 0;
#pragma unroll
  for (int j = 0; j < OWN; ++j)
#pragma unroll
    for (int p = 0; p < POINTS; ++p) {
      bool is_right = acc[j][p] > 0.0f;
      bits |= (is_right ? 1u : 0u) << (j * POINTS + p);
      acc[j][p] = is_right ? acc[j][p] : left * acc[j][p];
    }
  return bits;
}
__device__ __forceinline__ void slope(unsigned bits, float left, float (&acc)[OWN][POINTS]) {
#pragma unroll
  for (int j = 0; j < OWN; ++j)
#pragma unroll
    for (int p = 0; p < POINTS; ++p)
      if (!((bits >> (j * POINTS + p)) & 1u)) acc[j][p] *= left;
}
/// All threads have read the old activations before any writes, and see the new ones.
__device__ __forceinline__ void put(Shared& s, int neuron, int point, const float (&acc)[OWN][POINTS]) {
  __syncthreads();
#pragma unroll
  for (int j = 0; j < OWN; ++j) {
    *(float4*)&s.act[neuron + j][point] = make_float4(acc[j][0], acc[j][1], acc[j][2], acc[j][3]);
    *(float4*)&s.act[neuron + j][point + 4] = make_float4(acc[j][4], acc[j][5], acc[j][6], acc[j][7]);
  }
  __syncthreads();
}
/// Sum over the 16 threads that share the points.
__device__ __forceinline__ float over_neurons(float a) {
#pragma unroll
  for (int o = 8; o > 0; o /= 2) a += __shfl_xor_sync(0xffffffffu, a, o, 16);
  return a;
}

/// weights: W1 b1 W2 b2 W3 b3 w4 b4, rows of outputs. points, values and gradients in columns with
/// `stride` places, of which the first `count` are used.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
network(const float* weights, int inputs, float left, int output, const float* points, int count, int stride, float* values, float* gradients) {
  extern __shared__ float4 memory[];
  Shared& s = *(Shared*)memory;
  const float *b1 = weights + WIDTH * inputs, *w2 = b1 + WIDTH, *b2 = w2 + WIDTH * WIDTH, *w3 = b2 + WIDTH, *b3 = w3 + WIDTH * WIDTH, *w4 = b3 + WIDTH;
  float b4 = w4[WIDTH];
  for (int i = threadIdx.x; i < WIDTH * WIDTH; i += THREADS) {
    int out = i / WIDTH, in = i % WIDTH;
    s.matrix[0][in][out] = s.matrix[2][out][in] = w2[i];
    s.matrix[1][in][out] = s.matrix[3][out][in] = w3[i];
  }
  for (int i = threadIdx.x; i < WIDTH; i += THREADS) {
    s.bias[0][i] = b1[i]; s.bias[1][i] = b2[i]; s.bias[2][i] = b3[i];
    s.last[i] = w4[i];
    for (int k = 0; k < inputs; ++k) s.first[k][i] = weights[i * inputs + k];
  }
  int neuron = OWN * (threadIdx.x % 16), point = POINTS * (threadIdx.x / 16);
  for (int tile = blockIdx.x; tile * TILE < count; tile += gridDim.x) {
    int start = tile * TILE;
    __syncthreads();
    for (int i = threadIdx.x; i < inputs * TILE; i += THREADS) {
      int k = i / TILE, p = i % TILE, at = start + p < count ? start + p : count - 1;
      s.x[k][p] = points[(size_t)k * stride + at];
    }
    __syncthreads();
    float acc[OWN][POINTS];
#pragma unroll
    for (int j = 0; j < OWN; ++j)
#pragma unroll
      for (int p = 0; p < POINTS; ++p) acc[j][p] = s.bias[0][neuron + j];
    for (int k = 0; k < inputs; ++k)
#pragma unroll
      for (int j = 0; j < OWN; ++j)
#pragma unroll
        for (int p = 0; p < POINTS; ++p) acc[j][p] = fmaf(s.first[k][neuron + j], s.x[k][point + p], acc[j][p]);
    unsigned one = activate(left, acc);
    put(s, neuron, point, acc);
    multiply(s.matrix[0], s, neuron, point, s.bias[1], acc);
    unsigned two = activate(left, acc);
    put(s, neuron, point, acc);
    multiply(s.matrix[1], s, neuron, point, s.bias[2], acc);
    unsigned three = activate(left, acc);
#pragma unroll
    for (int p = 0; p < POINTS; ++p) {
      float y = 0.0f;
#pragma unroll
      for (int j = 0; j < OWN; ++j) y = fmaf(s.last[neuron + j], acc[j][p], y);
      y = over_neurons(y) + b4;
      float steep = 1.0f;
      if (output == TANH) { y = tanhf(y); steep = 1.0f - y * y; }
      if (output == SIGMOID) { y = 1.0f / (1.0f + expf(-y)); steep = y * (1.0f - y); }
      if (neuron == 0 && start + point + p < count) values[start + point + p] = y;
#pragma unroll
      for (int j = 0; j < OWN; ++j) acc[j][p] = steep * s.last[neuron + j];
    }
    slope(three, left, acc);
    put(s, neuron, point, acc);
    multiply(s.matrix[3], s, neuron, point, nullptr, acc);
    slope(two, left, acc);
    put(s, neuron, point, acc);
    multiply(s.matrix[2], s, neuron, point, nullptr, acc);
    slope(one, left, acc);
    for (int k = 0; k < inputs; ++k)
#pragma unroll
      for (int p = 0; p < POINTS; ++p) {
        float g = 0.0f;
#pragma unroll
        for (int j = 0; j < OWN; ++j) g = fmaf(s.first[k][neuron + j], acc[j][p], g);
        g = over_neurons(g);
        if (neuron == 0 && start + point + p < count) gradients[(size_t)k * stride + start + point + p] = g;
      }
  }
}

/// The rate of plain multiplications and additions that this device reaches: 8 chains per thread.
extern "C" __global__ void fused_rate(int rounds, float by, float* out) {
  float a[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) a[k] = threadIdx.x + k;
  for (int i = 0; i < rounds; ++i)
#pragma unroll
    for (int k = 0; k < 8; ++k) a[k] = fmaf(a[k], by, 1.0f);
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += a[k];
  if (sum == 12345.0f) out[0] = sum;
}
