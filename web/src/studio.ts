// A photo studio as a formula: the light that surfaces reflect, without an environment map. A map would have to be
// filtered before the first picture, which takes many seconds where the browser has no graphics card.

import { ShaderChunk } from "three";

const STUDIO = `
#if defined( STANDARD )
  // light from a direction in world axes (z up), blurred as a surface of this roughness does
  float softBox( vec3 along, vec3 center, vec2 size, float blur ) {
    vec3 side = normalize( cross( vec3( 0.0, 0.0, 1.0 ), center ) );
    vec3 up = cross( center, side );
    float front = dot( along, center );
    vec2 place = vec2( dot( along, side ), dot( along, up ) ) / max( front, 0.05 );
    vec2 edge = smoothstep( size + blur, max( size - blur, vec2( 0.0 ) ), abs( place ) );
    return edge.x * edge.y * smoothstep( 0.0, 0.25, front );
  }
  vec3 studio( vec3 along, float roughness ) {
    float blur = 0.06 + 1.1 * roughness;
    float spread = 1.0 / ( 1.0 + 2.2 * roughness );
    vec3 floorLight = vec3( 0.20, 0.215, 0.24 );
    vec3 wall = vec3( 0.36, 0.39, 0.43 );
    vec3 ceiling = vec3( 0.40, 0.44, 0.50 );
    float height = along.z;
    vec3 light = mix( wall, ceiling, smoothstep( 0.0, 0.9, height ) );
    light = mix( floorLight, light, smoothstep( -0.45 - 0.5 * blur, 0.10 + 0.5 * blur, height ) );
    light += vec3( 1.0, 0.965, 0.90 ) * 1.4 * spread * softBox( along, normalize( vec3( 0.75, -0.55, 0.75 ) ), vec2( 0.42, 0.30 ), blur );
    light += vec3( 0.80, 0.89, 1.0 ) * 1.9 * spread * softBox( along, normalize( vec3( -0.95, 0.15, 0.45 ) ), vec2( 0.22, 0.75 ), blur );
    light += vec3( 0.95, 0.97, 1.0 ) * 1.2 * spread * softBox( along, normalize( vec3( 0.2, 0.95, 0.55 ) ), vec2( 0.9, 0.16 ), blur );
    light += vec3( 1.0 ) * 0.9 * spread * softBox( along, normalize( vec3( -0.35, -0.9, 0.22 ) ), vec2( 0.10, 0.5 ), blur );
    return light;
  }
#endif
`;

const REFLECT = `
#if defined( STANDARD ) && defined( RE_IndirectSpecular )
  {
    vec3 reflected = reflect( - geometryViewDir, geometryNormal );
    reflected = normalize( mix( reflected, geometryNormal, pow2( material.roughness ) ) );
    radiance += studio( inverseTransformDirection( reflected, viewMatrix ), material.roughness );
    vec3 facing = inverseTransformDirection( geometryNormal, viewMatrix );
    iblIrradiance += PI * mix( vec3( 0.10, 0.11, 0.13 ), vec3( 0.52, 0.54, 0.58 ), 0.5 + 0.5 * facing.z );
  }
#endif
`;

/** Adds the studio to every standard material that is compiled from now on. */
export function lightAsStudio() {
  if (ShaderChunk.lights_pars_begin.includes("softBox")) return;
  ShaderChunk.lights_pars_begin += STUDIO;
  ShaderChunk.lights_fragment_maps += REFLECT;
}
