// Entry points on the device. A group of LANES lanes takes one environment after another from a counter; what it cannot finish it
// puts on the list of the host.
#include "step.h"

#ifndef BLOCK
#define BLOCK 64
#endif
#ifndef RESIDENT
#define RESIDENT 6
#endif
#ifdef ENVIRONMENT_BYTES
static_assert(sizeof(Environment) == ENVIRONMENT_BYTES, "src/records.rs and kernels/environment.h differ");
static_assert(sizeof(KeptRows) == ROWS_BYTES, "src/records.rs and kernels/environment.h differ");
static_assert(sizeof(Common) == COMMON_BYTES, "src/records.rs and kernels/environment.h differ");
static_assert(sizeof(MotionRecord) == MOTION_BYTES, "src/records.rs and kernels/environment.h differ");
static_assert(sizeof(WaypointPair) == WAYPOINT_PAIR_BYTES, "src/records.rs and kernels/environment.h differ");
static_assert(sizeof(Scratch) <= SCRATCH_BYTES, "src/records.rs and kernels/environment.h differ");
#endif

/// counters: next place in the list, length of the host's list. `more` steps are added to what an environment has to take.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
take_steps(const Common* common, Environment* environments, KeptRows* rows, Scratch* scratch, const int* list, int count, int more,
           int* counters, int* left) {
  __shared__ Board boards[BLOCK / LANES];
  Lanes lanes = Lanes::own(boards + threadIdx.x / LANES);
  Scratch& own = scratch[blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES];
  for (;;) {
    int place = 0;
    if (lanes.leads()) place = atomicAdd(counters, 1);
    place = lanes.from_leader(place);
    if (place >= count) return;
    int index = list == nullptr ? place : list[place];
    Environment& env = environments[index];
    int status = take_all(lanes, *common, env, rows[index], own, more);
    if (status > FROZEN && lanes.leads()) left[atomicAdd(counters + 1, 1)] = index;
    lanes.sync();
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
