// Renderer, light, ground and camera. Lengths are millimetres, z points up.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { lightAsStudio } from "./studio";

export const MM = 1000;

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(32, 1, 1, 20000);
  readonly orbit: OrbitControls;
  private key = new THREE.DirectionalLight(0xfff4e2, 1.5);
  private ground: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;
  private shadow: THREE.Mesh<THREE.PlaneGeometry, THREE.ShadowMaterial>;
  private isDirty = true;
  /** Share of the resolution while the picture moves; a slow renderer lowers it, a still picture is drawn in full. */
  private share = 0.6;
  private isFull = false;
  private pace = 30;
  private last = 0;
  private rendered = 0;
  private shaded = 0;

  constructor(private canvas: HTMLCanvasElement) {
    lightAsStudio();
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, stencil: true, preserveDrawingBuffer: true });
    this.renderer.toneMapping = THREE.ACESFilmicToneMapping;
    this.renderer.toneMappingExposure = 0.95;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.localClippingEnabled = true;
    this.scene.background = backdrop();
    this.camera.up.set(0, 0, 1);
    this.orbit = new OrbitControls(this.camera, canvas);
    this.orbit.enableDamping = true;
    this.orbit.dampingFactor = 0.12;
    this.orbit.maxPolarAngle = Math.PI * 0.93;
    this.orbit.addEventListener("change", () => this.dirty());
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(2048, 2048);
    this.key.shadow.bias = -0.0004;
    this.key.shadow.normalBias = 0.4;
    this.key.shadow.radius = 4;
    const rim = new THREE.DirectionalLight(0x9fc4ff, 1.1);
    rim.position.set(-300, 400, 200);
    const fill = new THREE.DirectionalLight(0xbfd4ff, 0.5);
    fill.position.set(-400, -300, 150);
    this.scene.add(this.key, this.key.target, rim, fill);
    this.ground = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), groundMaterial());
    this.ground.renderOrder = -2;
    this.shadow = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), new THREE.ShadowMaterial({ opacity: 0.42 }));
    this.shadow.receiveShadow = true;
    this.shadow.renderOrder = -1;
    this.scene.add(this.ground, this.shadow);
  }

  /** Places camera, light and ground around a box [mm]; `view` is the part of it to look at. */
  frame(all: THREE.Box3, view: THREE.Box3, ground: number, isWide: boolean) {
    const size = all.getSize(new THREE.Vector3()).length() || 100;
    const center = view.getCenter(new THREE.Vector3());
    const radius = Math.max(view.getSize(new THREE.Vector3()).length() / 2, 5);
    const distance = radius / Math.sin((this.camera.fov * Math.PI) / 360) * (isWide ? 1.0 : 1.04);
    const direction = isWide ? new THREE.Vector3(0.62, -1, 0.34) : new THREE.Vector3(0.55, -1, 0.62);
    this.camera.position.copy(center).addScaledVector(direction.normalize(), distance);
    this.camera.near = distance / 100;
    this.camera.far = distance * 60;
    this.camera.updateProjectionMatrix();
    this.orbit.target.copy(center);
    this.orbit.minDistance = radius / 12;
    this.orbit.maxDistance = distance * 8;
    this.orbit.update();
    this.key.position.copy(center).add(new THREE.Vector3(0.55, -0.55, 1.1).multiplyScalar(size * 1.3));
    this.key.target.position.copy(center);
    const reach = size * 0.75;
    const shadow = this.key.shadow.camera;
    [shadow.left, shadow.right, shadow.top, shadow.bottom] = [-reach, reach, reach, -reach];
    [shadow.near, shadow.far] = [size * 0.1, size * 4];
    shadow.updateProjectionMatrix();
    this.key.shadow.needsUpdate = true;
    for (const plane of [this.ground, this.shadow]) {
      plane.position.set(center.x, center.y, ground - (plane === this.ground ? 0.02 * radius * 0.1 : 0));
      plane.scale.setScalar(size * 9);
    }
    const cell = 10 ** Math.round(Math.log10(radius / 2.5));
    this.ground.material.uniforms.cell.value = cell;
    this.ground.material.uniforms.reach.value = size * 2.2;
    this.ground.material.uniforms.center.value.set(center.x, center.y);
    this.dirty();
  }

  /** Brings the camera nearer to what it looks at. */
  zoom(factor: number) {
    this.camera.position.sub(this.orbit.target).divideScalar(factor).add(this.orbit.target);
    this.dirty();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement ?? this.canvas;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2) * (this.isFull ? 1 : this.share));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.dirty();
  }

  dirty() {
    this.isDirty = true;
  }

  /** Draws now, in full resolution and with its shadows. */
  renderInFull() {
    this.isFull = true;
    this.resize();
    this.renderer.shadowMap.needsUpdate = true;
    this.isDirty = false;
    this.rendered = performance.now();
    this.renderer.render(this.scene, this.camera);
  }

  render() {
    this.orbit.update();
    const now = performance.now();
    const passed = now - this.last;
    this.last = now;
    if (!this.isDirty) {
      if (!this.isFull && now - this.rendered > 250 && this.rendered > 0) {
        this.isFull = true;
        this.resize();
      } else return false;
    } else if (now - this.rendered < 1000) {
      // time between pictures tells how fast the renderer is: its work is not done when the call returns
      this.pace += 0.2 * (Math.min(passed, 1000) - this.pace);
      if (this.pace < 25 && !this.isFull && this.share < 1) {
        [this.share, this.isFull] = [1, true];
        this.resize();
      } else if (this.pace > 70 && (this.isFull || this.share > 0.5)) {
        this.share = this.isFull ? Math.min(this.share, 0.7) : 0.5;
        this.isFull = false;
        this.pace = 40;
        this.resize();
      }
    }
    // a slow renderer draws shadows less often
    this.renderer.shadowMap.autoUpdate = this.pace < 50;
    if (now - this.shaded > 400) {
      this.renderer.shadowMap.needsUpdate = true;
      this.shaded = now;
    }
    this.isDirty = false;
    this.rendered = now;
    this.renderer.render(this.scene, this.camera);
    return true;
  }
}

/** A dark backdrop, lighter at the horizon. */
function backdrop(): THREE.Texture {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [16, 256];
  const context = canvas.getContext("2d")!;
  const gradient = context.createLinearGradient(0, 0, 0, 256);
  gradient.addColorStop(0, "#161b23");
  gradient.addColorStop(0.55, "#2a323d");
  gradient.addColorStop(1, "#12161c");
  context.fillStyle = gradient;
  context.fillRect(0, 0, 16, 256);
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}

/** A grid that fades out with distance. */
function groundMaterial() {
  return new THREE.ShaderMaterial({
    transparent: true,
    depthWrite: false,
    uniforms: { cell: { value: 10 }, reach: { value: 500 }, center: { value: new THREE.Vector2() } },
    vertexShader: `
      varying vec2 place;
      void main() {
        vec4 world = modelMatrix * vec4(position, 1.0);
        place = world.xy;
        gl_Position = projectionMatrix * viewMatrix * world;
      }`,
    fragmentShader: `
      uniform float cell; uniform float reach; uniform vec2 center;
      varying vec2 place;
      float lines(float size) {
        vec2 at = place / size;
        vec2 width = fwidth(at);
        vec2 near = abs(fract(at - 0.5) - 0.5) / max(width, vec2(1e-6));
        return (1.0 - min(min(near.x, near.y), 1.0)) * (1.0 - smoothstep(0.2, 0.9, max(width.x, width.y)));
      }
      void main() {
        float fade = 1.0 - smoothstep(0.0, 1.0, distance(place, center) / reach);
        float line = max(lines(cell) * 0.32, lines(cell * 10.0) * 0.75);
        vec3 color = mix(vec3(0.055, 0.068, 0.085), vec3(0.42, 0.50, 0.60), line);
        gl_FragColor = vec4(color, fade * mix(0.82, 0.62, line));
      }`,
  });
}
