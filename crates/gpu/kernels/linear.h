// Vectors of three and six numbers, 3 x 3 matrices, quaternions. Every lane computes the same here.
#pragma once
#include "lanes.h"

struct V3 { double x, y, z; };
/// Row-major.
struct M3 { double a[9]; };
/// [linear; angular], world axes.
struct V6 { double a[6]; };
/// x, y, z, w.
struct Quaternion { double x, y, z, w; };

FN V3 v3(double x, double y, double z) { return {x, y, z}; }
FN V3 load3(const double* a) { return {a[0], a[1], a[2]}; }
FN void store3(double* a, V3 v) { a[0] = v.x; a[1] = v.y; a[2] = v.z; }
FN V3 operator+(V3 a, V3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
FN V3 operator-(V3 a, V3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
FN V3 operator-(V3 a) { return {-a.x, -a.y, -a.z}; }
FN V3 operator*(double s, V3 a) { return {s * a.x, s * a.y, s * a.z}; }
FN double dot(V3 a, V3 b) { return fma(a.x, b.x, fma(a.y, b.y, a.z * b.z)); }
FN V3 cross(V3 a, V3 b) {
  return {fma(a.y, b.z, -(a.z * b.y)), fma(a.z, b.x, -(a.x * b.z)), fma(a.x, b.y, -(a.y * b.x))};
}
/// s a + b.
FN V3 scaled_sum(double s, V3 a, V3 b) { return {fma(s, a.x, b.x), fma(s, a.y, b.y), fma(s, a.z, b.z)}; }
FN double norm(V3 a) { return sqrt(dot(a, a)); }
FN V3 times(V3 a, V3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

FN V3 row(const M3& m, int i) { return {m.a[3 * i], m.a[3 * i + 1], m.a[3 * i + 2]}; }
FN V3 column(const M3& m, int i) { return {m.a[i], m.a[3 + i], m.a[6 + i]}; }
FN V3 mul(const M3& m, V3 b) { return {dot(row(m, 0), b), dot(row(m, 1), b), dot(row(m, 2), b)}; }
/// Transposed.
FN V3 mul_t(const M3& m, V3 b) { return {dot(column(m, 0), b), dot(column(m, 1), b), dot(column(m, 2), b)}; }
FN M3 mul(const M3& a, const M3& b) {
  M3 c;
#pragma unroll
  for (int i = 0; i < 3; ++i)
#pragma unroll
    for (int j = 0; j < 3; ++j) c.a[3 * i + j] = dot(row(a, i), column(b, j));
  return c;
}
FN M3 transpose(const M3& a) { return {{a.a[0], a.a[3], a.a[6], a.a[1], a.a[4], a.a[7], a.a[2], a.a[5], a.a[8]}}; }
FN M3 scaled(double s, M3 a) {
#pragma unroll
  for (int i = 0; i < 9; ++i) a.a[i] *= s;
  return a;
}
FN M3 sum(M3 a, const M3& b) {
#pragma unroll
  for (int i = 0; i < 9; ++i) a.a[i] += b.a[i];
  return a;
}
/// S(a) b = a x b.
FN M3 skew(V3 a) { return {{0, -a.z, a.y, a.z, 0, -a.x, -a.y, a.x, 0}}; }
CALL M3 inverse(const M3& m) {
  V3 c = cross(row(m, 1), row(m, 2)), e = cross(row(m, 2), row(m, 0)), f = cross(row(m, 0), row(m, 1));
  double d = 1.0 / dot(row(m, 0), c);
  return {{c.x * d, e.x * d, f.x * d, c.y * d, e.y * d, f.y * d, c.z * d, e.z * d, f.z * d}};
}

FN V3 linear(const V6& v) { return {v.a[0], v.a[1], v.a[2]}; }
FN V3 angular(const V6& v) { return {v.a[3], v.a[4], v.a[5]}; }
FN V6 stack(V3 v, V3 w) { return {{v.x, v.y, v.z, w.x, w.y, w.z}}; }
FN V6 load6(const double* a) { return {{a[0], a[1], a[2], a[3], a[4], a[5]}}; }
FN void store6(double* a, const V6& v) {
#pragma unroll
  for (int k = 0; k < 6; ++k) a[k] = v.a[k];
}
FN V6 operator-(const V6& a, const V6& b) {
  V6 c;
#pragma unroll
  for (int k = 0; k < 6; ++k) c.a[k] = a.a[k] - b.a[k];
  return c;
}
/// s a + b.
FN V6 scaled_sum(double s, const V6& a, const V6& b) {
  V6 c;
#pragma unroll
  for (int k = 0; k < 6; ++k) c.a[k] = fma(s, a.a[k], b.a[k]);
  return c;
}
FN V6 middle(const V6& a, const V6& b) {
  V6 c;
#pragma unroll
  for (int k = 0; k < 6; ++k) c.a[k] = 0.5 * (a.a[k] + b.a[k]);
  return c;
}
FN double dot(const V6& a, const V6& b) {
  double s = 0.0;
#pragma unroll
  for (int k = 0; k < 6; ++k) s = fma(a.a[k], b.a[k], s);
  return s;
}
/// Velocity of the point at an arm.
FN V3 velocity_at(const V6& v, V3 arm) { return linear(v) + cross(angular(v), arm); }

FN Quaternion conjugate(Quaternion q) { return {-q.x, -q.y, -q.z, q.w}; }
FN Quaternion mul(Quaternion a, Quaternion b) {
  return {fma(a.w, b.x, fma(a.x, b.w, fma(a.y, b.z, -(a.z * b.y)))), fma(a.w, b.y, fma(a.y, b.w, fma(a.z, b.x, -(a.x * b.z)))),
          fma(a.w, b.z, fma(a.z, b.w, fma(a.x, b.y, -(a.y * b.x)))), fma(a.w, b.w, -fma(a.x, b.x, fma(a.y, b.y, a.z * b.z)))};
}
FN Quaternion normalized(Quaternion q) {
  double s = 1.0 / sqrt(fma(q.x, q.x, fma(q.y, q.y, fma(q.z, q.z, q.w * q.w))));
  return {q.x * s, q.y * s, q.z * s, q.w * s};
}
FN M3 matrix(Quaternion q) {
  double x = q.x + q.x, y = q.y + q.y, z = q.z + q.z;
  double xx = q.x * x, yy = q.y * y, zz = q.z * z, xy = q.x * y, xz = q.x * z, yz = q.y * z, wx = q.w * x, wy = q.w * y, wz = q.w * z;
  return {{1.0 - (yy + zz), xy - wz, xz + wy, xy + wz, 1.0 - (xx + zz), yz - wx, xz - wy, yz + wx, 1.0 - (xx + yy)}};
}
/// R cay(w), w in body axes.
FN Quaternion turned(Quaternion q, V3 w) {
  V3 h = 0.5 * w;
  double s = 1.0 / sqrt(1.0 + dot(h, h));
  return normalized(mul(q, {h.x * s, h.y * s, h.z * s, s}));
}
