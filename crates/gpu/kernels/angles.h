// Angles from arithmetic that is the same everywhere: no call into a library of the host or of the device.
//
//   sine, cosine   x = y + k pi/2 in two parts (Cody & Waite 1980), |y| <= pi/4, Taylor polynomials
//   angle_of       t = smaller/larger of |x|, |y|; atan t = atan c + atan((t - c)/(1 + t c)), c = 0 or 1
#pragma once
#include "linear.h"

constexpr double PI = 3.14159265358979323846;
constexpr double TAU = 6.28318530717958647693;

/// The nearest whole number, for |x| < 2^51.
FN double nearest_whole(double x) { return rint(x); }

/// 2^k for |k| < 1000.
FN double power_of_two(int k) {
  u64 bits = (u64)(1023 + k) << 52;
#if ON_DEVICE
  return __longlong_as_double((long long)bits);
#else
  double out;
  std::memcpy(&out, &bits, 8);
  return out;
#endif
}
/// e^x for |x| < 600: x = k ln 2 + y, |y| <= ln(2)/2, Taylor polynomial.
CALL double exponential(double x) {
  double k = rint(x * 1.44269504088896340736);
  double y = fma(-k, 1.90821492927058770002e-10, fma(-k, 6.93147180369123816490e-01, x));
  double p = 1.0;
#pragma unroll
  for (int i = 14; i >= 1; --i) p = fma(p, y / i, 1.0);
  return p * power_of_two((int)k);
}
/// ln x for 1e-100 < x < 1e100, by Halley's method on e^y.
CALL double logarithm(double x) {
  int k = 0;
  double m = x;
  while (m > 1.5) { m *= 0.5; k += 1; }
  while (m < 0.75) { m *= 2.0; k -= 1; }
  double y = m - 1.0;
  for (int i = 0; i < 4; ++i) {
    double e = exponential(y);
    y += 2.0 * (m - e) / (m + e);
  }
  return fma((double)k, 0.69314718055994530942, y);
}

struct SineCosine { double sine, cosine; };

/// For |x| < 1e5; where it stands in a loop, the loop has no call.
FN SineCosine sine_cosine_here(double x) {
  double k = rint(x * 0.63661977236758134308);
  double y = fma(-k, 1.57079632679489655800, x);
  y = fma(-k, 6.12323399573676603587e-17, y);
  double z = y * y;
  double s = fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, -7.6471637318198164759e-13, 1.6059043836821614599e-10), -2.5052108385441718775e-08), 2.7557319223985890653e-06), -1.9841269841269841270e-04), 8.3333333333333333333e-03), -1.6666666666666666667e-01);
  s = fma(y * z, s, y);
  double c = fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, 4.7794773323873852974e-14, -1.1470745597729724714e-11), 2.0876756987868098979e-09), -2.7557319223985890653e-07), 2.4801587301587301587e-05), -1.3888888888888888889e-03), 4.1666666666666666667e-02), -0.5);
  c = fma(z, c, 1.0);
  int quarter = (int)(k - 4.0 * floor(0.25 * k));
  SineCosine r;
  r.sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
  r.cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
  return r;
}

CALL SineCosine sine_cosine(double x) { return sine_cosine_here(x); }

/// Angle of (x, y) in (-pi, pi]; zero at the origin.
FN double angle_of(double x, double y) {
  double ax = fabs(x), ay = fabs(y);
  bool is_steep = ax < ay;
  double low = is_steep ? ax : ay, high = is_steep ? ay : ax;
  bool is_far = low > 0.41421356237309503 * high;
  double above = is_far ? low - high : low, below = is_far ? high + low : high;
  double u = above / (below > 0.0 ? below : 1.0), s = u * u, f = s * s;
  double odd = fma(fma(fma(fma(fma(-0.017803896394812564, f, -0.05035049795312439), f, -0.06662950246036792), f, -0.09090896801472813), f, -0.14285714279244968), f, -0.3333333333333312);
  double even = fma(fma(fma(fma(0.03796390316111083, f, 0.05846866752275139), f, 0.07692045194561481), f, 0.11111110744657099), f, 0.19999999999940837);
  double from_base = fma(u, s * fma(s, even, odd), u);
  double near = x < 0.0 ? PI : 0.0, base = is_steep ? 0.5 * PI : near;
  base = is_far ? (x < 0.0 ? 0.75 * PI : 0.25 * PI) : base;
  double angle = is_steep == (x < 0.0) ? base + from_base : base - from_base;
  return y < 0.0 ? -angle : angle;
}

/// Angle nearest to another, up to whole turns.
FN double unwrapped(double angle, double near) { return fma(TAU, rint((near - angle) * (1.0 / TAU)), angle); }

/// Angle of the twist about z in (-pi, pi]: the rotation is a tilt after this twist.
FN double twist_angle(Quaternion q) {
  double angle = 2.0 * angle_of(q.w, q.z);
  return fma(-TAU, rint(angle * (1.0 / TAU)), angle);
}

/// Rotation vector of a rotation, at most half a turn.
CALL V3 rotation_vector(Quaternion q) {
  V3 v = v3(q.x, q.y, q.z);
  if (q.w < 0.0) v = -v;
  double s = norm(v), w = fabs(q.w);
  double f = s > 0.0 ? 2.0 * angle_of(w, s) / s : 2.0;
  return f * v;
}

/// Rotation by an angle about z.
FN Quaternion about_z(double angle) {
  SineCosine h = sine_cosine(0.5 * angle);
  return {0.0, 0.0, h.sine, h.cosine};
}
FN Quaternion about_y(double angle) {
  SineCosine h = sine_cosine(0.5 * angle);
  return {0.0, h.sine, 0.0, h.cosine};
}
