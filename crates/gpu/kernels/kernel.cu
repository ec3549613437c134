// Entry points on the device. The groups of LANES lanes of a block take the stages of the environments that it has in hand; what
// they cannot finish they put on the list of the host.
#include "pool.h"

#ifdef ENVIRONMENT_BYTES
static_assert(sizeof(Environment) == ENVIRONMENT_BYTES, "src/records.rs and kernels/environment.h differ");
static_assert(sizeof(KeptRows) == ROWS_BYTES, "src/records.rs and kernels/environment.h differ");
static_assert(sizeof(Common) == COMMON_BYTES, "src/records.rs and kernels/environment.h differ");
static_assert(sizeof(MotionRecord) == MOTION_BYTES, "src/records.rs and kernels/environment.h differ");
static_assert(sizeof(WaypointPair) == WAYPOINT_PAIR_BYTES, "src/records.rs and kernels/environment.h differ");
static_assert(sizeof(Scratch) <= SCRATCH_BYTES, "src/records.rs and kernels/environment.h differ");
static_assert(sizeof(Flight) <= FLIGHT_BYTES, "src/records.rs and kernels/flight.h differ");
static_assert(sizeof(Board) == BOARD_BYTES, "src/records.rs and kernels/lanes.h differ");
static_assert(sizeof(DepthNetwork) == DEPTH_NETWORK_BYTES, "src/depth_network.rs and kernels/depth_network.h differ");
#endif

/// counters: next place in the list, length of the host's list. `more` steps are added to what an environment has to take. A block
/// uses `slots` of its SLOTS places.
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
take_steps(const Common* common, Environment* environments, KeptRows* rows, Scratch* scratch, Flight* flights, const int* list, int count,
           int more, int slots, int* counters, int* left) {
  __shared__ Pool pool;
  for (int i = threadIdx.x; i < SLOTS; i += BLOCK) {
    pool.state[i] = i < slots ? EMPTY : BUSY;
    pool.cost[0][i] = pool.cost[1][i] = 0;
  }
  if (threadIdx.x == 0) pool.lock = pool.current = pool.is_exhausted = pool.tickets = pool.working = pool.hard = 0;
  __syncthreads();
  Lanes lanes;
  Work work = {environments, list, count, more, counters, left};
  for (;;) {
    int slot;
    Stage stage = pick(&pool, work, slot);
    if (stage == DONE) return;
    if (slot >= 0) {
      int index = pool.index[slot];
      long long began = clock64();
      size_t place = (size_t)blockIdx.x * SLOTS + slot;
      Stage next = take(stage, lanes, *common, environments[index], rows[index], scratch[place], flights[place]);
      lanes.sync();
      if (lanes.leads()) {
        if (next == DONE) leave(work, index);
        if (stage == ROUNDS || stage == ARRIVE) pool.cost[stage == ROUNDS][slot] = (int)((clock64() - began) >> 8);
        __threadfence_block();
        *(volatile int*)&pool.state[slot] = next == DONE ? (int)EMPTY : (int)next;
        atomicSub(stage == HARD ? &pool.hard : &pool.working, 1);
      }
    }
    __syncwarp();
  }
}

/// Copies the listed environments to or from a dense array.
extern "C" __global__ void gather(const Environment* environments, const int* list, Environment* out) {
  const u64* from = (const u64*)(environments + list[blockIdx.x]);
  u64* to = (u64*)(out + blockIdx.x);
  for (int i = threadIdx.x; i < (int)(sizeof(Environment) / 8); i += blockDim.x) to[i] = from[i];
}
extern "C" __global__ void scatter(Environment* environments, const int* list, const Environment* from_dense) {
  const u64* from = (const u64*)(from_dense + blockIdx.x);
  u64* to = (u64*)(environments + list[blockIdx.x]);
  for (int i = threadIdx.x; i < (int)(sizeof(Environment) / 8); i += blockDim.x) to[i] = from[i];
}

/// Reads motion and summary of the listed environments; replaces their waypoints.
extern "C" __global__ void read_motions(const Environment* environments, const int* list, int count, MotionRecord* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) copy_motion(environments[list[i]], out[i]);
}
extern "C" __global__ void set_waypoints(Environment* environments, const int* list, int count, const WaypointPair* points) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) set_waypoint_pair(environments[list[i]], points[i]);
}

/// What a learner sees of every environment: position, quaternion, velocity, turning in body axes, contact force and torque,
/// penetration, status; in columns.
extern "C" __global__ void observe(const Environment* environments, int count, double* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Environment& env = environments[i];
  V3 origin = Body::at(load3(env.center), {env.rotation[0], env.rotation[1], env.rotation[2], env.rotation[3]}, load3(env.center_of_mass), {}).origin;
  double value[22] = {origin.x, origin.y, origin.z, env.rotation[0], env.rotation[1], env.rotation[2], env.rotation[3],
                      env.linear[0], env.linear[1], env.linear[2], env.turning[0], env.turning[1], env.turning[2]};
  for (int k = 0; k < 6; ++k) value[13 + k] = env.impulse[k] / env.dt;
  value[19] = env.report.penetration;
  value[20] = (double)env.steps * env.dt;
  value[21] = (double)env.status;
  for (int k = 0; k < 22; ++k) out[(size_t)k * count + i] = value[k];
}
