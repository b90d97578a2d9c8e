"use strict";
// Plays a run: bodies, contacts and curves. No libraries, no network; the data stand in the page, or come from the
// server that sent it while a simulation is still going on.

const by = (id) => document.getElementById(id);
const facts = JSON.parse(by("data").textContent);

function bytes(text) {
  const raw = atob(text), out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out.buffer;
}
const floats = (text) => new Float32Array(bytes(text));
const whole = (text) => new Int32Array(bytes(text));

// --- the run -------------------------------------------------------------------------------------------------------

const bodies = facts.bodies, count = bodies.length;
const CONTACT = 9; // floats of a contact: point, impulse on the first body, whether it slides, both bodies
const run = { times: [], poses: [], nodes: [], stress: [], contacts: [], curves: {}, failed: [] };

function append(part) {
  const poses = floats(part.poses), nodes = floats(part.nodes), stress = floats(part.stress);
  const contacts = floats(part.contacts), n = part.times.length;
  const width = 7 * count, soft = n ? nodes.length / n : 0, tense = n ? stress.length / n : 0;
  let at = 0;
  for (let f = 0; f < n; f++) {
    run.times.push(part.times[f]);
    run.poses.push(poses.subarray(f * width, (f + 1) * width));
    run.nodes.push(nodes.subarray(f * soft, (f + 1) * soft));
    run.stress.push(stress.subarray(f * tense, (f + 1) * tense));
    run.contacts.push(contacts.subarray(at, at + CONTACT * part.contact_counts[f]));
    at += CONTACT * part.contact_counts[f];
  }
  for (const name in part.curves) run.curves[name] = (run.curves[name] || []).concat(part.curves[name]);
  run.failed = run.failed.concat(part.failed);
}
append(facts.frames);

// --- little mathematics: column-major 4 x 4 matrices, quaternions (w, x, y, z) ---------------------------------------

const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const plus = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const unit = (a) => scaled(a, 1 / (Math.hypot(...a) || 1));

function product(a, b) {
  const out = new Float32Array(16);
  for (let c = 0; c < 4; c++) for (let r = 0; r < 4; r++)
    for (let k = 0; k < 4; k++) out[4 * c + r] += a[4 * k + r] * b[4 * c + k];
  return out;
}
function looking(eye, target, up) {
  const z = unit(sub(eye, target)), x = unit(cross(up, z)), y = cross(z, x);
  return new Float32Array([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1]);
}
function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2);
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0]);
}
function parallel(half, near, far) {
  return new Float32Array([1 / half, 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, 2 / (near - far), 0, 0, 0, (far + near) / (near - far), 1]);
}
function rotated(q, v) {
  const u = [q[1], q[2], q[3]], t = scaled(cross(u, v), 2);
  return plus(plus(v, scaled(t, q[0])), cross(u, t));
}

// --- shaders -------------------------------------------------------------------------------------------------------

const MANY = 20000, SHADOW = count > MANY ? 1024 : 2048; // cells of the shadow map each way
const TEXELS = 2048; // width of the texture of poses; a body takes four texels: two frames of (position, quaternion)
const PLACE = `
uniform highp sampler2D poses; uniform float blend;
vec4 texel(int k) { return texelFetch(poses, ivec2(k % ${TEXELS}, k / ${TEXELS}), 0); }
vec3 turn(vec4 q, vec3 v) { vec3 t = 2.0 * cross(q.yzw, v); return v + q.x * t + cross(q.yzw, t); }
void pose(float body, out vec3 at, out vec4 q) {
  int k = 4 * int(body + 0.5);
  vec4 p = texel(k + 1), r = texel(k + 3);
  at = mix(texel(k).xyz, texel(k + 2).xyz, blend);
  q = normalize(mix(p, dot(p, r) < 0.0 ? -r : r, blend));
}`;
const LIGHT = `
uniform highp sampler2DShadow shadow; uniform mat4 light; uniform vec3 sun; uniform float shadows;
float lit(vec3 world, vec3 normal) {
  if (shadows < 0.5) return 1.0;
  vec4 p = light * vec4(world, 1.0); vec3 s = 0.5 * p.xyz + 0.5;
  if (any(lessThan(s, vec3(0.0))) || any(greaterThan(s, vec3(1.0)))) return 1.0;
  float sum = 0.0, bias = 0.0015 + 0.004 * (1.0 - max(dot(normal, sun), 0.0));
  if (${count > MANY}) return texture(shadow, vec3(s.xy, s.z - bias)); // very many bodies are small: edges need not be soft
  for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++)
    sum += texture(shadow, vec3(s.xy + vec2(i, j) / ${SHADOW}.0, s.z - bias));
  return sum / 9.0;
}
vec3 shade(vec3 colour, vec3 normal, vec3 world, vec3 eye) {
  vec3 to = normalize(eye - world); if (dot(normal, to) < 0.0) normal = -normal;
  float direct = max(dot(normal, sun), 0.0) * lit(world, normal), sky = 0.5 + 0.5 * normal.z;
  float gloss = pow(max(dot(normal, normalize(sun + to)), 0.0), 48.0) * direct;
  return colour * (0.34 + 0.24 * sky + 0.62 * direct) + 0.16 * gloss;
}`;
const HEAD = "#version 300 es\nprecision highp float; precision highp int;\n";
const SOLID = [HEAD + PLACE + `
in vec3 corner, normal; in vec4 who, local, turned, tint; uniform mat4 camera; uniform float coloured; uniform float top;
out vec3 vNormal, vWorld; out vec4 vTint; flat out float vBody;
vec3 ramp(float s) { s = clamp(s, 0.0, 1.0); return clamp(vec3(1.7 * s - 0.35, 1.0 - 1.9 * abs(s - 0.55), 1.15 - 1.6 * s), 0.05, 1.0); }
void main() {
  vec3 at; vec4 q; pose(who.x, at, q);
  vWorld = at + turn(q, local.xyz + turn(turned, corner * local.w));
  vNormal = turn(q, turn(turned, normal)); vBody = who.x; vTint = tint;
  if (coloured > 0.5) vTint.rgb = ramp(texel(4 * int(who.x + 0.5)).w / top);
  gl_Position = camera * vec4(vWorld, 1.0);
}`, HEAD + LIGHT + `
in vec3 vNormal, vWorld; in vec4 vTint; flat in float vBody; uniform vec3 eye; uniform float chosen; out vec4 colour;
void main() {
  vec3 c = shade(vTint.rgb, normalize(vNormal), vWorld, eye);
  if (abs(vBody - chosen) < 0.5) c = mix(c, vec3(1.0, 0.72, 0.1), 0.45);
  colour = vec4(c, vTint.a);
}`];
const DEPTH = [SOLID[0], HEAD + "in vec4 vTint; void main() { if (vTint.a < 0.5) discard; }"];
const NUMBER = [SOLID[0], HEAD + `in vec4 vTint; flat in float vBody; out vec4 colour;
void main() { if (vTint.a < 0.05) discard; int k = int(vBody + 1.5); colour = vec4(k & 255, (k >> 8) & 255, k >> 16, 255) / 255.0; }`];
// Balls are squares that face the eye, or the light; their fragments are points of the ball. So a ball is two triangles.
const BALL = HEAD + PLACE + `
in vec3 corner; in vec4 who, local, turned, tint; uniform mat4 camera; uniform vec3 eye, sun; uniform float coloured, top, distant;
out vec3 vWorld, vCentre; out vec4 vTint; out vec2 vAt; flat out float vBody, vRadius;
vec3 ramp(float s) { s = clamp(s, 0.0, 1.0); return clamp(vec3(1.7 * s - 0.35, 1.0 - 1.9 * abs(s - 0.55), 1.15 - 1.6 * s), 0.05, 1.0); }
void main() {
  vec3 at; vec4 q; pose(who.x, at, q);
  vCentre = at + turn(q, local.xyz); vRadius = local.w; vBody = who.x; vTint = tint; vAt = corner.xy;
  if (coloured > 0.5) vTint.rgb = ramp(texel(4 * int(who.x + 0.5)).w / top);
  vec3 to = eye - vCentre, z = distant > 0.5 ? sun : normalize(to), x = normalize(cross(abs(z.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0), z));
  float d = dot(to, to), wide = distant > 0.5 ? 1.0 : sqrt(d / max(d - vRadius * vRadius, 1e-6 * d));
  vWorld = vCentre + vRadius * wide * (corner.x * x + corner.y * cross(z, x));
  gl_Position = camera * vec4(vWorld, 1.0);
}`;
const BALL_POINT = `
in vec3 vWorld, vCentre; in vec4 vTint; in vec2 vAt; flat in float vBody, vRadius; uniform vec3 eye; uniform mat4 camera;
vec3 normalHere() { // of the ball where the ray meets it; sets its depth
  vec3 ray = normalize(vWorld - eye), to = vCentre - eye; float along = dot(to, ray);
  vec3 side = to - along * ray; float rest = vRadius * vRadius - dot(side, side);
  if (rest < 0.0) discard;
  vec3 n = (-side - sqrt(rest) * ray) / vRadius; vec4 p = camera * vec4(vCentre + vRadius * n, 1.0);
  gl_FragDepth = 0.5 * p.z / p.w + 0.5;
  return n;
}`;
const BALLS = [BALL, HEAD + LIGHT + BALL_POINT + `uniform float chosen; out vec4 colour;
void main() {
  vec3 n = normalHere(), c = shade(vTint.rgb, n, vCentre + vRadius * n, eye);
  if (abs(vBody - chosen) < 0.5) c = mix(c, vec3(1.0, 0.72, 0.1), 0.45);
  colour = vec4(c, vTint.a);
}`];
// Of very many balls the squares count as flat: hidden ones are then left out before their light is computed.
const BALLS_MANY = [BALL, BALLS[1].replace(/gl_FragDepth.*;/, "")];
const BALLS_DEPTH = [BALL, HEAD + "in vec4 vTint; in vec2 vAt; void main() { if (vTint.a < 0.5 || dot(vAt, vAt) > 1.0) discard; }"];
const BALLS_NUMBER = [BALL, HEAD + BALL_POINT + `out vec4 colour;
void main() { normalHere(); if (vTint.a < 0.05) discard; int k = int(vBody + 1.5); colour = vec4(k & 255, (k >> 8) & 255, k >> 16, 255) / 255.0; }`];
const SKIN = [HEAD + `in vec3 corner; in float stress; uniform mat4 camera; out vec3 vWorld; out float vStress;
void main() { vWorld = corner; vStress = stress; gl_Position = camera * vec4(corner, 1.0); }`, HEAD + LIGHT + `
in vec3 vWorld; in float vStress; uniform vec3 eye; out vec4 colour;
vec3 viridis(float s) { s = clamp(s, 0.0, 1.0); return mix(mix(vec3(0.27, 0.0, 0.33), vec3(0.13, 0.57, 0.55), min(2.0 * s, 1.0)), vec3(0.99, 0.91, 0.14), max(2.0 * s - 1.0, 0.0)); }
void main() { colour = vec4(shade(viridis(vStress), normalize(cross(dFdx(vWorld), dFdy(vWorld))), vWorld, eye), 1.0); }`];
const FLOOR = [HEAD + `in vec3 corner; uniform mat4 camera; out vec3 vWorld; void main() { vWorld = corner; gl_Position = camera * vec4(corner, 1.0); }`,
HEAD + LIGHT + `in vec3 vWorld; uniform vec3 eye, normal, middle; uniform float cell, reach, opacity; out vec4 colour;
void main() {
  vec3 a = normalize(abs(normal.z) > 0.9 ? vec3(1.0, 0.0, 0.0) : cross(vec3(0.0, 0.0, 1.0), normal)), b = cross(normal, a);
  vec2 p = vec2(dot(vWorld, a), dot(vWorld, b)) / cell, w = fwidth(p), d = abs(fract(p - 0.5) - 0.5) / max(w, 1e-6);
  float line = (1.0 - min(min(d.x, d.y), 1.0)) * clamp(0.35 / max(w.x, w.y), 0.0, 1.0);
  float fade = 1.0 - smoothstep(0.55, 1.0, length(vWorld - middle) / reach);
  vec3 c = mix(vec3(0.93, 0.94, 0.95), vec3(0.72, 0.75, 0.79), 0.6 * line) * (0.62 + 0.38 * lit(vWorld, normal));
  colour = vec4(c, fade * opacity);
}`];
const LINE = [HEAD + `in vec3 corner; in vec3 tint; uniform mat4 camera; out vec3 vTint;
void main() { vTint = tint; gl_Position = camera * vec4(corner, 1.0); }`, HEAD + "in vec3 vTint; out vec4 colour; void main() { colour = vec4(vTint, 1.0); }"];

// --- WebGL -----------------------------------------------------------------------------------------------------------

const canvas = by("scene");
const gl = canvas.getContext("webgl2", { antialias: count <= MANY, preserveDrawingBuffer: true });
if (!gl) { by("trouble").style.display = "flex"; by("trouble").textContent = "This browser shows no WebGL 2: the run cannot be drawn here."; throw new Error("no WebGL 2"); }

function program([vertex, fragment]) {
  const p = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source); gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(p, shader);
  }
  ["corner", "normal", "who", "local", "turned", "tint", "stress"].forEach((name, k) => gl.bindAttribLocation(p, k, name));
  gl.linkProgram(p);
  if (!gl.getProgramParameter(p, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(p));
  const at = {}, n = gl.getProgramParameter(p, gl.ACTIVE_UNIFORMS);
  for (let i = 0; i < n; i++) { const name = gl.getActiveUniform(p, i).name; at[name] = gl.getUniformLocation(p, name); }
  return { p, at };
}
const programs = {
  solid: program(SOLID), depth: program(DEPTH), number: program(NUMBER),
  "solid balls": program(count > MANY ? BALLS_MANY : BALLS), "depth balls": program(BALLS_DEPTH), "number balls": program(BALLS_NUMBER),
  skin: program(SKIN), floor: program(FLOOR), line: program(LINE),
};

function buffer(data, usage) {
  const b = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, b); gl.bufferData(gl.ARRAY_BUFFER, data, usage || gl.STATIC_DRAW);
  return b;
}
function attribute(place, b, size, divisor, stride, offset) {
  gl.bindBuffer(gl.ARRAY_BUFFER, b); gl.enableVertexAttribArray(place);
  gl.vertexAttribPointer(place, size, gl.FLOAT, false, stride || 0, offset || 0); gl.vertexAttribDivisor(place, divisor || 0);
}

const SQUARE = new Float32Array([-1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0]);
const WIDTH = 16; // floats of an instance: who (4), local (4), turned (4), tint (4)
const meshes = facts.geometries.map((g) => {
  const corners = g.kind === "ball" ? SQUARE : floats(g.corners);
  const normals = g.kind === "ball" ? corners : floats(g.normals);
  const instances = floats(g.instances), vao = gl.createVertexArray();
  gl.bindVertexArray(vao);
  attribute(0, buffer(corners), 3); attribute(1, buffer(normals), 3);
  const b = buffer(instances);
  for (let k = 0; k < 4; k++) attribute(2 + k, b, 4, 1, 4 * WIDTH, 16 * k);
  return { vao, corners: corners.length / 3, instances: instances.length / WIDTH, solid: g.opacity > 0.5, ball: g.kind === "ball" };
});
gl.bindVertexArray(null);

const poseTexture = gl.createTexture(), poseRows = Math.max(1, Math.ceil(4 * count / TEXELS));
const poseData = new Float32Array(4 * TEXELS * poseRows);
gl.bindTexture(gl.TEXTURE_2D, poseTexture);
gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, TEXELS, poseRows, 0, gl.RGBA, gl.FLOAT, poseData);
gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST); gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);

const shadowTexture = gl.createTexture(), shadowTarget = gl.createFramebuffer();
gl.bindTexture(gl.TEXTURE_2D, shadowTexture);
gl.texImage2D(gl.TEXTURE_2D, 0, gl.DEPTH_COMPONENT24, SHADOW, SHADOW, 0, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT, null);
for (const [k, v] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR], [gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]]) gl.texParameteri(gl.TEXTURE_2D, k, v);
gl.bindFramebuffer(gl.FRAMEBUFFER, shadowTarget);
gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, shadowTexture, 0);
gl.bindFramebuffer(gl.FRAMEBUFFER, null);

const soft = facts.soft.map((s) => ({ ...s, triangles: whole(s.triangles), lines: whole(s.lines), map: whole(s.nodes), weights: floats(s.weights) }));
const skinBuffer = buffer(new Float32Array(4), gl.DYNAMIC_DRAW), skinArray = gl.createVertexArray();
gl.bindVertexArray(skinArray); attribute(0, skinBuffer, 3, 0, 16, 0); attribute(6, skinBuffer, 1, 0, 16, 12);
const lineBuffer = buffer(new Float32Array(6), gl.DYNAMIC_DRAW), lineArray = gl.createVertexArray();
gl.bindVertexArray(lineArray); attribute(0, lineBuffer, 3, 0, 24, 0); attribute(5, lineBuffer, 3, 0, 24, 12);
const floorBuffer = buffer(new Float32Array(18), gl.DYNAMIC_DRAW), floorArray = gl.createVertexArray();
gl.bindVertexArray(floorArray); attribute(0, floorBuffer, 3);
gl.bindVertexArray(null);

// --- what is shown ---------------------------------------------------------------------------------------------------

const ui = { time: run.times[0] || 0, playing: false, speed: 1, chosen: -1, follow: false, contacts: false, joints: false, axes: false, colour: "body", dirty: true };
const view = { target: [...facts.centre], distance: 2.6 * facts.reach, azimuth: -0.96, elevation: 0.42 };
const SUN = unit([0.35, -0.45, 0.9]);
let frame = -1, shadowed = -1, skins = 0, strokes = 0;

function frameAt(time) { // the last frame at or before a time
  let low = 0, high = run.times.length - 1;
  while (low < high) { const middle = (low + high + 1) >> 1; if (run.times[middle] <= time) low = middle; else high = middle - 1; }
  return low;
}
function speedOf(f, b) {
  const g = f > 0 ? f - 1 : Math.min(1, run.times.length - 1), h = run.times[f] - run.times[g];
  if (!h) return 0;
  const p = run.poses[f], q = run.poses[g];
  const way = Math.hypot(...[0, 1, 2].map((c) => near(p[7 * b + c], q[7 * b + c], c) - p[7 * b + c]));
  return Number.isFinite(way) ? way / Math.abs(h) : 0;
}
function near(x, y, axis) { // the image of y that is nearest to x, where space repeats itself
  const period = facts.periods[axis];
  return period ? y - period * Math.round((y - x) / period) : y;
}
function loadFrame(f) {
  const next = Math.min(f + 1, run.poses.length - 1), a = run.poses[f], b = run.poses[next];
  for (let i = 0; i < count; i++) {
    const at = 16 * i, from = 7 * i;
    for (let c = 0; c < 3; c++) { poseData[at + c] = a[from + c]; poseData[at + 8 + c] = near(a[from + c], b[from + c], c); }
    if (Number.isNaN(a[from])) for (let c = 0; c < 3; c++) poseData[at + c] = poseData[at + 8 + c] = 1e9 * facts.reach; // not in the scene
    else if (Number.isNaN(b[from])) for (let c = 0; c < 3; c++) poseData[at + 8 + c] = a[from + c]; // about to leave it
    poseData[at + 3] = ui.colour === "speed" ? speedOf(f, i) : 0;
    for (let k = 0; k < 4; k++) { poseData[at + 4 + k] = a[from + 3 + k]; poseData[at + 12 + k] = b[from + 3 + k]; }
  }
  gl.bindTexture(gl.TEXTURE_2D, poseTexture);
  gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, TEXELS, poseRows, gl.RGBA, gl.FLOAT, poseData);
  loadSkins(f); loadLines(f);
  frame = f;
}
function loadSkins(f) {
  const out = [], nodes = run.nodes[f], stress = run.stress[f];
  let first = 0;
  for (const s of soft) {
    const points = s.map.length / 4, place = new Float32Array(3 * points);
    for (let p = 0; p < points; p++) for (let k = 0; k < 4; k++) {
      const node = s.map[4 * p + k], w = s.weights[4 * p + k];
      if (node >= 0) for (let c = 0; c < 3; c++) place[3 * p + c] += w * nodes[3 * node + c];
    }
    s.place = place;
    for (const p of s.triangles) out.push(place[3 * p], place[3 * p + 1], place[3 * p + 2], s.stressed ? stress[first + p] : 0.35);
    if (s.stressed) first += points;
  }
  skins = out.length / 4;
  gl.bindBuffer(gl.ARRAY_BUFFER, skinBuffer); gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(out), gl.DYNAMIC_DRAW);
}
function placed(point, f) { // a point of a body, or of the world, in frame f
  const [b, ...local] = point, p = run.poses[f];
  return b < 0 ? local : plus([p[7 * b], p[7 * b + 1], p[7 * b + 2]], rotated([p[7 * b + 3], p[7 * b + 4], p[7 * b + 5], p[7 * b + 6]], local));
}
function loadLink(link, f, stroke) { // springs are zigzags, the rest straight lines
  const at = link.points.map((point) => placed(point, f));
  for (let k = 0; k + 1 < at.length; k++) {
    const along = sub(at[k + 1], at[k]), turns = link.kind === "spring" ? 16 : 1;
    const side = scaled(unit(cross(along, Math.abs(unit(along)[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0])), 0.03 * facts.reach);
    const on = (n) => plus(plus(at[k], scaled(along, n / turns)), scaled(side, n === 0 || n === turns ? 0 : n % 2 ? 1 : -1));
    for (let n = 0; n < turns; n++) stroke(on(n), on(n + 1), link.colour);
  }
}
function loadLines(f) {
  const out = [];
  const stroke = (a, b, c) => out.push(...a, ...c, ...b, ...c);
  for (const s of soft) for (let i = 0; i + 1 < s.lines.length; i += 2) {
    const p = (k) => [s.place[3 * k], s.place[3 * k + 1], s.place[3 * k + 2]];
    stroke(p(s.lines[i]), p(s.lines[i + 1]), [0.45, 0.3, 0.15]);
  }
  for (const link of facts.links) if (ui.joints || (link.kind !== "joint" && link.kind !== "motor")) loadLink(link, f, stroke);
  const list = run.contacts[f];
  if (ui.contacts && list && facts.impulse > 0) for (let i = 0; i < list.length; i += CONTACT) {
    const at = [list[i], list[i + 1], list[i + 2]], push = [list[i + 3], list[i + 4], list[i + 5]], size = Math.hypot(...push);
    if (size < 1e-6 * facts.impulse) continue;
    const tint = list[i + 6] > 0.5 ? [0.9, 0.45, 0.05] : [0.1, 0.35, 0.8];
    const length = 0.35 * facts.reach * Math.min(1, Math.sqrt(size / facts.impulse)), along = scaled(unit(push), length), tip = plus(at, along);
    stroke(at, tip, tint);
    const side = unit(cross(along, Math.abs(along[2]) < 0.9 * length ? [0, 0, 1] : [1, 0, 0]));
    for (const sign of [-1, 1]) stroke(tip, plus(plus(at, scaled(along, 0.8)), scaled(side, sign * 0.08 * length)), tint);
  }
  if (ui.axes) for (let b = 0; b < count; b++) if (!bodies[b].fixed) {
    const p = run.poses[f], at = [p[7 * b], p[7 * b + 1], p[7 * b + 2]], q = [p[7 * b + 3], p[7 * b + 4], p[7 * b + 5], p[7 * b + 6]];
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]].forEach((e, k) => stroke(at, plus(at, scaled(rotated(q, e), 1.4 * bodies[b].size)), [[0.8, 0.1, 0.1], [0.1, 0.6, 0.1], [0.15, 0.3, 0.9]][k]));
  }
  strokes = out.length / 6;
  gl.bindBuffer(gl.ARRAY_BUFFER, lineBuffer); gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(out), gl.DYNAMIC_DRAW);
}

function eyeOf() {
  const c = Math.cos(view.elevation);
  return plus(view.target, scaled([Math.cos(view.azimuth) * c, Math.sin(view.azimuth) * c, Math.sin(view.elevation)], view.distance));
}
function cameraMatrix() {
  const up = Math.abs(view.elevation) > 1.56 ? [-Math.cos(view.azimuth), -Math.sin(view.azimuth), 0] : [0, 0, 1];
  const far = view.distance + 12 * facts.reach, near = Math.max(view.distance - 6 * facts.reach, 1e-3 * view.distance);
  const lens = perspective(0.62, canvas.width / canvas.height, near, far);
  lens[9] = -by("bar").clientHeight / canvas.clientHeight; // the middle of what the bar leaves free
  return product(lens, looking(eyeOf(), view.target, up));
}
function use(name, camera, lightMatrix, blend) {
  const { p, at } = programs[name];
  gl.useProgram(p);
  gl.uniformMatrix4fv(at.camera, false, camera);
  gl.activeTexture(gl.TEXTURE0); gl.bindTexture(gl.TEXTURE_2D, poseTexture); if (at.poses) gl.uniform1i(at.poses, 0);
  if (at.blend) gl.uniform1f(at.blend, blend);
  if (at.coloured) { gl.uniform1f(at.coloured, ui.colour === "speed" ? 1 : 0); gl.uniform1f(at.top, facts.fastest || 1); }
  if (at.chosen) gl.uniform1f(at.chosen, ui.chosen < 0 ? -10 : ui.chosen);
  if (at.eye) gl.uniform3fv(at.eye, eyeOf());
  if (at.distant) { gl.uniform1f(at.distant, name.startsWith("depth") ? 1 : 0); gl.uniform3fv(at.sun, SUN); }
  if (at.shadow) {
    gl.activeTexture(gl.TEXTURE1); gl.bindTexture(gl.TEXTURE_2D, shadowTexture); gl.uniform1i(at.shadow, 1);
    gl.uniformMatrix4fv(at.light, false, lightMatrix); gl.uniform3fv(at.sun, SUN); gl.uniform1f(at.shadows, 1);
  }
  return at;
}
function drawMeshes(name, camera, lightMatrix, blend, which) {
  for (const balls of [false, true]) {
    const some = meshes.filter((m) => m.ball === balls && which(m));
    if (some.length) use(balls ? `${name} balls` : name, camera, lightMatrix, blend);
    for (const m of some) { gl.bindVertexArray(m.vao); gl.drawArraysInstanced(balls ? gl.TRIANGLE_STRIP : gl.TRIANGLES, 0, m.corners, m.instances); }
  }
}
function drawFloors(camera, lightMatrix) {
  for (const plane of facts.planes) {
    const n = plane.normal, level = n[2] > 0.7;
    const middle = sub(view.target, scaled(n, dot(n, view.target) - plane.offset)), reach = (level ? 5 : 1.6) * facts.reach;
    const a = unit(Math.abs(n[2]) > 0.9 ? [1, 0, 0] : cross([0, 0, 1], n)), b = cross(n, a);
    const at = (s, t) => plus(middle, plus(scaled(a, s * reach), scaled(b, t * reach)));
    gl.bindBuffer(gl.ARRAY_BUFFER, floorBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([...at(-1, -1), ...at(1, -1), ...at(1, 1), ...at(-1, -1), ...at(1, 1), ...at(-1, 1)]), gl.DYNAMIC_DRAW);
    const u = use("floor", camera, lightMatrix, 0);
    gl.uniform3fv(u.normal, n); gl.uniform3fv(u.middle, middle); gl.uniform1f(u.reach, reach);
    gl.uniform1f(u.cell, 10 ** Math.floor(Math.log10(facts.reach))); gl.uniform1f(u.opacity, level ? 1 : 0.1);
    gl.depthMask(level); gl.bindVertexArray(floorArray); gl.drawArrays(gl.TRIANGLES, 0, 6); gl.depthMask(true);
  }
}

function draw() {
  const f = frameAt(ui.time), next = Math.min(f + 1, run.times.length - 1), span = run.times[next] - run.times[f];
  const blend = span > 0 ? Math.min(1, (ui.time - run.times[f]) / span) : 0;
  if (f !== frame) loadFrame(f);
  if (ui.follow && ui.chosen >= 0) {
    const a = run.poses[f], b = run.poses[next], k = 7 * ui.chosen;
    const to = [0, 1, 2].map((c) => a[k + c] * (1 - blend) + near(a[k + c], b[k + c], c) * blend);
    if (to.every(Number.isFinite)) view.target = to;
  }
  const reach = 1.3 * facts.reach, light = product(parallel(reach, 0.1 * reach, 6 * reach), looking(plus(facts.centre, scaled(SUN, 3 * reach)), facts.centre, [0, 1, 0]));
  gl.enable(gl.DEPTH_TEST);
  if (shadowed !== f + blend) { // turning the camera changes no shadow
    gl.bindFramebuffer(gl.FRAMEBUFFER, shadowTarget); gl.viewport(0, 0, SHADOW, SHADOW);
    gl.clear(gl.DEPTH_BUFFER_BIT); gl.disable(gl.BLEND);
    drawMeshes("depth", light, light, blend, (m) => m.solid);
    shadowed = f + blend;
  }
  gl.bindFramebuffer(gl.FRAMEBUFFER, null); gl.viewport(0, 0, canvas.width, canvas.height);
  gl.clearColor(0.933, 0.945, 0.957, 1); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  const camera = cameraMatrix();
  gl.enable(gl.BLEND); gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  drawFloors(camera, light);
  drawMeshes("solid", camera, light, blend, (m) => m.solid);
  if (skins) { use("skin", camera, light, blend); gl.bindVertexArray(skinArray); gl.drawArrays(gl.TRIANGLES, 0, skins); }
  if (strokes) { use("line", camera, light, blend); gl.bindVertexArray(lineArray); gl.drawArrays(gl.LINES, 0, strokes); }
  gl.depthMask(false); drawMeshes("solid", camera, light, blend, (m) => !m.solid); gl.depthMask(true);
  drawTimeline(); drawCurves(); drawPicked();
  by("clock").textContent = `${ui.time.toFixed(3)} s  #${f}`;
}

function bodyAt(x, y) { // number of the body under a pixel, -1 for none
  const target = gl.createFramebuffer(), colour = gl.createRenderbuffer(), depth = gl.createRenderbuffer(), got = new Uint8Array(4);
  gl.bindFramebuffer(gl.FRAMEBUFFER, target);
  for (const [b, format, point] of [[colour, gl.RGBA8, gl.COLOR_ATTACHMENT0], [depth, gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT]]) {
    gl.bindRenderbuffer(gl.RENDERBUFFER, b); gl.renderbufferStorage(gl.RENDERBUFFER, format, canvas.width, canvas.height);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, point, gl.RENDERBUFFER, b);
  }
  gl.viewport(0, 0, canvas.width, canvas.height); gl.disable(gl.BLEND); gl.clearColor(0, 0, 0, 0); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  drawMeshes("number", cameraMatrix(), null, 0, (m) => m.solid);
  gl.readPixels(x, canvas.height - 1 - y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, got);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  [colour, depth].forEach((b) => gl.deleteRenderbuffer(b)); gl.deleteFramebuffer(target);
  return got[0] + 256 * got[1] + 65536 * got[2] - 1;
}

// --- curves ----------------------------------------------------------------------------------------------------------

function sharp(c) { // a 2D canvas in device pixels
  const r = window.devicePixelRatio || 1, w = Math.round(c.clientWidth * r), h = Math.round(c.clientHeight * r);
  if (c.width !== w || c.height !== h) { c.width = w; c.height = h; }
  const g = c.getContext("2d"); g.setTransform(r, 0, 0, r, 0, 0); g.clearRect(0, 0, c.clientWidth, c.clientHeight);
  return g;
}
const short = (v) => v === 0 ? "0" : Math.abs(v) >= 1e4 || Math.abs(v) < 1e-2 ? v.toExponential(1) : v.toPrecision(3);
const INK = ["#2c6fbb", "#d1690e", "#3a9150", "#7d4aa5"];

function plot(c, title, time, series, log) {
  const g = sharp(c), w = c.clientWidth, h = c.clientHeight, left = 44, top = 15, bottom = 5;
  const map = (v) => log ? Math.log10(Math.max(v, 1e-18)) : v;
  let low = Infinity, high = -Infinity;
  for (const s of series) for (const v of s.values) if (Number.isFinite(v) && (!log || v > 0)) { low = Math.min(low, map(v)); high = Math.max(high, map(v)); }
  if (!(low <= high)) { low = 0; high = 1; }
  if (high - low < 1e-12 * Math.max(1, Math.abs(high))) { high += 0.5; low -= 0.5; }
  const t0 = run.times[0], t1 = Math.max(run.times[run.times.length - 1], t0 + 1e-9);
  const X = (t) => left + (w - left - 6) * (t - t0) / (t1 - t0), Y = (v) => h - bottom - (h - top - bottom) * (map(v) - low) / (high - low);
  g.fillStyle = "#33404d"; g.font = "11px system-ui, sans-serif"; g.fillText(title, left, 10);
  let right = left + g.measureText(title).width + 10; // where the next name stands
  g.fillStyle = "#78828d"; g.fillText(short(log ? 10 ** high : high), 0, top + 6); g.fillText(short(log ? 10 ** low : low), 0, h - bottom);
  g.strokeStyle = "#dde2e7"; g.strokeRect(left, top, w - left - 6, h - top - bottom);
  series.forEach((s, k) => {
    g.strokeStyle = INK[k % INK.length]; g.lineWidth = 1.3; g.beginPath();
    const stride = Math.max(1, Math.floor(time.length / (2 * w)));
    for (let i = 0, on = false; i < time.length; i += stride) { const v = s.values[i]; if (!Number.isFinite(v) || (log && v <= 0)) { on = false; continue; } if (on) g.lineTo(X(time[i]), Y(v)); else g.moveTo(X(time[i]), Y(v)); on = true; }
    g.stroke();
    if (series.length > 1) { g.fillStyle = INK[k % INK.length]; g.fillText(s.name, right, 10); right += g.measureText(s.name).width + 7; }
  });
  g.strokeStyle = "#c22"; g.lineWidth = 1; g.beginPath(); g.moveTo(X(ui.time), top); g.lineTo(X(ui.time), h - bottom); g.stroke();
  c.onclick = (e) => seek(t0 + (t1 - t0) * Math.min(1, Math.max(0, (e.offsetX - left) / (w - left - 6))));
}
const PANELS = [["iterations", ["iterations"], false], ["certificate", ["residual"], true], ["penetration [m]", ["penetration"], true], ["energy [J]", ["kinetic", "potential", "total"], false]];
const panels = PANELS.map(() => by("curves").appendChild(document.createElement("canvas")));
function drawCurves() {
  const time = run.curves.time || [];
  if (!time.length || !by("curves").clientHeight) return;
  PANELS.forEach(([title, names, log], k) => plot(panels[k], title, time, names.map((name) => ({ name, values: run.curves[name] || [] })), log));
}
function drawTimeline() {
  const c = by("timeline"), g = sharp(c), w = c.clientWidth, h = c.clientHeight, t0 = run.times[0], t1 = Math.max(run.times[run.times.length - 1], t0 + 1e-9);
  g.fillStyle = "#d5dbe1"; g.fillRect(0, h / 2 - 3, w, 6);
  g.fillStyle = "#2c6fbb"; g.fillRect(0, h / 2 - 3, w * (ui.time - t0) / (t1 - t0), 6);
  g.fillStyle = "#d62728"; for (const t of run.failed) g.fillRect(Math.min(w - 2, w * (t - t0) / (t1 - t0)), h / 2 - 8, 2, 16);
  g.beginPath(); g.arc(Math.min(w - 6, Math.max(6, w * (ui.time - t0) / (t1 - t0))), h / 2, 6, 0, 7); g.fillStyle = "#1f5a9e"; g.fill();
}
function drawPicked() {
  const panel = by("picked"), b = ui.chosen;
  panel.style.display = b < 0 ? "none" : "block";
  if (b < 0) return;
  const body = bodies[b], f = frameAt(ui.time), p = run.poses[f];
  panel.querySelector("h2").textContent = body.name;
  panel.querySelector(".facts").textContent = `${body.fixed ? "fixed" : body.mass === null ? "moved by a function" : short(body.mass) + " kg"}, ${Number.isNaN(p[7 * b]) ? "not in the scene now" : `at (${[0, 1, 2].map((c) => p[7 * b + c].toFixed(3)).join(", ")}) m, ${short(speedOf(f, b))} m/s`}`;
  const stride = Math.max(1, Math.floor(run.times.length / 600)), time = [], place = [[], [], []], speed = [], force = [];
  for (let i = 0; i < run.times.length; i += stride) {
    time.push(run.times[i]); for (let c = 0; c < 3; c++) place[c].push(run.poses[i][7 * b + c]); speed.push(speedOf(i, b)); force.push(forceOn(i, b));
  }
  const c = panel.querySelectorAll("canvas");
  plot(c[0], "position [m]", time, ["x", "y", "z"].map((name, k) => ({ name, values: place[k] })), false);
  plot(c[1], "speed [m/s]", time, [{ name: "", values: speed }], false);
  plot(c[2], "contact force [N]", time, [{ name: "", values: force }], false);
}
function forceOn(f, b) { // size of the sum of contact forces on a body in the step that led to a frame
  const list = run.contacts[f], sum = [0, 0, 0];
  for (let i = 0; i < list.length; i += CONTACT) {
    const sign = (list[i + 7] === b ? 1 : 0) - (list[i + 8] === b ? 1 : 0);
    for (let c = 0; c < 3; c++) sum[c] += sign * list[i + 3 + c];
  }
  return Math.hypot(...sum) / facts.step;
}

// --- hands -----------------------------------------------------------------------------------------------------------

const redraw = () => { ui.dirty = true; };
function seek(time) { ui.time = Math.min(run.times[run.times.length - 1], Math.max(run.times[0], time)); redraw(); }
function play(on) { ui.playing = on; by("play").innerHTML = on ? "&#10074;&#10074;" : "&#9654;"; if (on && ui.time >= run.times[run.times.length - 1]) ui.time = run.times[0]; redraw(); }
function stepBy(n) { play(false); const f = Math.min(run.times.length - 1, Math.max(0, frameAt(ui.time) + n)); seek(run.times[f]); }
function again() { frame = shadowed = -1; redraw(); }
function toggle(name) { ui[name] = !ui[name]; const b = by(name === "axes" ? "frames" : name); if (b) b.classList.toggle("on", ui[name]); again(); }
function look(name) {
  [view.azimuth, view.elevation] = { iso: [-0.96, 0.42], front: [-Math.PI / 2, 0.02], side: [0, 0.02], top: [-Math.PI / 2, Math.PI / 2] }[name];
  redraw();
}
function fit() { view.target = [...facts.centre]; view.distance = 2.6 * facts.reach; redraw(); }
function choose(b) { ui.chosen = b; redraw(); }
function shot() { draw(); canvas.toBlob((blob) => { const a = document.createElement("a"); a.href = URL.createObjectURL(blob); a.download = "signorini.png"; a.click(); }); }

by("play").onclick = () => play(!ui.playing);
by("back").onclick = () => stepBy(-1); by("ahead").onclick = () => stepBy(1);
by("speed").onchange = (e) => { ui.speed = Number(e.target.value); };
by("view").onchange = (e) => look(e.target.value);
by("fit").onclick = fit; by("shot").onclick = shot;
by("follow").onclick = () => toggle("follow"); by("contacts").onclick = () => toggle("contacts"); by("frames").onclick = () => toggle("axes"); by("joints").onclick = () => toggle("joints");
by("colour").onchange = (e) => { ui.colour = e.target.value; again(); };
by("picked").querySelector(".close").onclick = () => choose(-1);
document.addEventListener("keydown", (e) => {
  const keys = { " ": () => play(!ui.playing), ArrowLeft: () => stepBy(-1), ArrowRight: () => stepBy(1), f: fit, c: () => toggle("contacts"), a: () => toggle("axes"), j: () => toggle("joints"), s: shot };
  if (keys[e.key] && e.target.tagName !== "SELECT") { keys[e.key](); e.preventDefault(); }
});
{
  const c = by("timeline"), go = (e) => seek(run.times[0] + (run.times[run.times.length - 1] - run.times[0]) * Math.min(1, Math.max(0, e.offsetX / c.clientWidth)));
  c.onpointerdown = (e) => { c.setPointerCapture(e.pointerId); play(false); go(e); }; c.onpointermove = (e) => { if (e.buttons) go(e); };
}
{
  let from = null, moved = 0;
  canvas.onpointerdown = (e) => { canvas.setPointerCapture(e.pointerId); from = [e.clientX, e.clientY]; moved = 0; };
  canvas.onpointermove = (e) => {
    if (!from) return;
    const dx = e.clientX - from[0], dy = e.clientY - from[1]; from = [e.clientX, e.clientY]; moved += Math.abs(dx) + Math.abs(dy);
    if (e.buttons & 2 || e.shiftKey) {
      const z = unit(sub(eyeOf(), view.target)), x = unit(cross([0, 0, 1], z)), y = cross(z, x), s = view.distance / canvas.clientHeight * 0.64;
      view.target = plus(view.target, plus(scaled(x, -dx * s), scaled(y, dy * s)));
    } else { view.azimuth -= 0.006 * dx; view.elevation = Math.max(-1.55, Math.min(1.55, view.elevation + 0.006 * dy)); }
    redraw();
  };
  canvas.onpointerup = (e) => {
    if (from && moved < 4) { const r = canvas.width / canvas.clientWidth; choose(bodyAt(Math.round(e.offsetX * r), Math.round(e.offsetY * r))); }
    from = null;
  };
  canvas.oncontextmenu = (e) => e.preventDefault();
  canvas.addEventListener("wheel", (e) => { view.distance *= Math.exp(0.0012 * e.deltaY); redraw(); e.preventDefault(); }, { passive: false });
}
function resize() { const r = window.devicePixelRatio || 1; canvas.width = Math.round(canvas.clientWidth * r); canvas.height = Math.round(canvas.clientHeight * r); redraw(); }
window.addEventListener("resize", resize);

// --- live ------------------------------------------------------------------------------------------------------------

let waiting = facts.live;
async function poll() {
  try {
    const answer = await fetch(`frames?from=${run.times.length}`);
    const part = await answer.json();
    const atEnd = ui.time >= run.times[run.times.length - 1] - 1e-12;
    if (part.times.length) { append(part); if (atEnd && !ui.playing) seek(run.times[run.times.length - 1]); redraw(); }
    waiting = !part.done;
  } catch (error) { waiting = false; }
  describe();
  if (waiting) setTimeout(poll, 250);
}
function describe() {
  by("title").querySelector("h1").textContent = facts.title;
  by("title").querySelector("p").textContent = facts.note + (waiting ? `${facts.note ? "\n" : ""}computing: ${(run.times[run.times.length - 1] || 0).toFixed(3)} s so far` : "");
}

let last = performance.now();
const pace = { frames: 0, since: last, rate: 0 };
function tick(now) {
  const passed = Math.min(0.1, (now - last) / 1000); last = now;
  if (ui.playing) {
    ui.time += passed * ui.speed;
    if (ui.time >= run.times[run.times.length - 1]) { ui.time = run.times[run.times.length - 1]; play(false); }
    ui.dirty = true;
  }
  if (ui.dirty) { ui.dirty = false; draw(); pace.frames += 1; }
  if (now - pace.since > 1000) { pace.rate = 1000 * pace.frames / (now - pace.since); pace.frames = 0; pace.since = now; }
  requestAnimationFrame(tick);
}
describe(); resize();
if (facts.live) poll();
if (facts.play) play(true);
requestAnimationFrame(tick);
window.signorini = { run, ui, view, pace, bodies, seek, play, choose, bodyAt, draw, look, toggle };
