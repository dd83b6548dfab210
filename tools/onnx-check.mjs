#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Compare the values of a network with those of ONNX Runtime, node by node.
//
//   node tools/onnx-check.mjs MODEL.onnx FOLDER [NAME=2x3x4]... [--run COMMAND] [--tolerance 1e-4]
//   node tools/onnx-check.mjs FOLDER --run COMMAND    each N.onnx in FOLDER, with FOLDER/N for its values
//
// Inputs are FOLDER/NAME.npy, made of random numbers where missing; symbolic dimensions need a shape
// on the command line. COMMAND MODEL FOLDER NAME=2x3x4... writes FOLDER/NAME.npy for the values that
// it computed (build/tests/network_values does). Each is compared with ONNX Runtime's value of that
// name: differences in units of its largest magnitude. Exit code 1: one differs by more than the
// tolerance, or has another shape; 77: onnxruntime-node is not installed (npm, NODE_PATH).
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

// --- protocol buffers: as much as node outputs and new graph outputs need
function* fields(bytes) {
  let at = 0;
  const varint = () => {
    let value = 0, scale = 1;
    for (;;) {
      const byte = bytes[at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  };
  while (at < bytes.length) {
    const key = varint(), wire = key & 7, number = Math.floor(key / 8);
    if (wire === 2) {
      const size = varint();
      yield [number, bytes.subarray(at, at + size)];
      at += size;
    } else if (wire === 0) {
      yield [number, varint()];
    } else {
      at += wire === 1 ? 8 : 4;
    }
  }
}

function message(number, body) {
  const head = [number * 8 + 2];
  let size = body.length;
  for (; size > 127; size >>>= 7) head.push((size & 127) | 128);
  head.push(size);
  return Buffer.concat([Buffer.from(head), body]);
}

// The model with every value as an output: fields of two `graph` messages are merged.
function withAllOutputs(model) {
  const outputs = [], given = new Set();
  for (const [number, graph] of fields(model)) {
    if (number !== 7) continue;
    for (const [part, body] of fields(graph)) {
      if (part !== 1 && part !== 12) continue;
      for (const [field, name] of fields(body)) {
        if (part === 12 && field === 1) given.add(name.toString());
        if (part === 1 && field === 2 && name.length) outputs.push(name.toString());
      }
    }
  }
  const more = outputs.filter((name) => !given.has(name));
  const infos = more.map((name) => message(12, message(1, Buffer.from(name))));
  return Buffer.concat([model, message(7, Buffer.concat(infos))]);
}

// --- .npy
const kinds = {
  "<f4": ["float32", Float32Array], "<i8": ["int64", BigInt64Array],
  "<i4": ["int32", Int32Array], "|u1": ["uint8", Uint8Array], "|b1": ["bool", Uint8Array],
};
const fileOf = (folder, name) => path.join(folder, [...Buffer.from(name)].map((byte) => {
  const character = String.fromCharCode(byte);
  return /[A-Za-z0-9._-]/.test(character) ? character
    : "%" + byte.toString(16).toUpperCase().padStart(2, "0");
}).join("") + ".npy");

function readNpy(file) {
  const bytes = readFileSync(file);
  const wide = bytes[6] > 1, start = wide ? 12 : 10;
  const end = start + (wide ? bytes.readUInt32LE(8) : bytes.readUInt16LE(8));
  const head = bytes.toString("latin1", start, end);
  const [type, Kind] = kinds[/'descr': *'([^']*)'/.exec(head)[1]];
  const dims = /'shape': *\(([^)]*)\)/.exec(head)[1].split(",").filter((x) => x.trim()).map(Number);
  const data = bytes.subarray(end);
  return { type, dims, data: new Kind(data.buffer.slice(data.byteOffset, data.byteOffset + data.length)) };
}

function writeNpy(file, descr, dims, data) {
  const shape = dims.map((d) => `${d},`).join(" ");
  const head = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape}), }`;
  const padded = head.padEnd(Math.ceil((head.length + 11) / 64) * 64 - 11) + "\n";
  const size = Buffer.alloc(2);
  size.writeUInt16LE(padded.length);
  writeFileSync(file, Buffer.concat([Buffer.from("\x93NUMPY\x01\x00", "latin1"), size, Buffer.from(padded, "latin1"),
    Buffer.from(data.buffer, data.byteOffset, data.byteLength)]));
}

// --- the comparison
function* random(seed) {
  for (let x = seed >>> 0; ;) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    yield x / 2 ** 31 - 1;
  }
}

function inputsOf(model) { // name -> [element type, dimensions], of inputs that are no initializers
  const inputs = new Map(), initializers = new Set();
  for (const [number, graph] of fields(model)) {
    if (number !== 7) continue;
    for (const [part, body] of fields(graph)) {
      if (part === 5) for (const [field, name] of fields(body)) if (field === 8) initializers.add(name.toString());
      if (part !== 11) continue;
      let name = "", element = 0;
      const dims = [];
      for (const [field, value] of fields(body)) {
        if (field === 1) name = value.toString();
        if (field !== 2) continue;
        for (const [, tensor] of fields(value)) for (const [what, shape] of fields(tensor)) {
          if (what === 1) element = shape;
          else for (const [, dim] of fields(shape)) {
            const size = [...fields(dim)].find(([kind]) => kind === 1);
            dims.push(size ? size[1] : 0);
          }
        }
      }
      inputs.set(name, [element, dims]);
    }
  }
  return [...inputs].filter(([name]) => !initializers.has(name));
}

function takeInputs(model, folder, shapes) {
  const numbers = random(1), feeds = {};
  for (const [name, [element, declared]] of inputsOf(model)) {
    const file = fileOf(folder, name), dims = shapes.get(name) ?? declared;
    if (!existsSync(file)) {
      const count = dims.reduce((a, b) => a * b, 1);
      const descr = { 1: "<f4", 7: "<i8", 6: "<i4", 9: "|b1", 2: "|u1" }[element];
      const data = new kinds[descr][1](count);
      for (let i = 0; i < count; i++) {
        const x = numbers.next().value;
        data[i] = element === 1 ? x : element === 7 ? BigInt(x > 0) : Number(x > 0);
      }
      writeNpy(file, descr, dims, data);
    }
    feeds[name] = readNpy(file);
  }
  return feeds;
}

function difference(ours, theirs) {
  let worst = 0, range = 0;
  for (let i = 0; i < ours.data.length; i++) {
    const a = Number(ours.data[i]), b = Number(theirs.data[i]);
    if (Object.is(a, b) || a === b) {
      range = Number.isFinite(b) ? Math.max(range, Math.abs(b)) : range;
      continue;
    }
    if (!Number.isFinite(a) || !Number.isFinite(b)) return Infinity;
    worst = Math.max(worst, Math.abs(a - b));
    range = Math.max(range, Math.abs(b));
  }
  return worst === 0 ? 0 : worst / (range || 1);
}

async function check(ort, file, folder, given, options) {
  const model = readFileSync(file);
  const shapes = new Map(given.map((text) => {
    const at = text.lastIndexOf("=");
    return [text.slice(0, at), text.slice(at + 1).split("x").filter((x) => x).map(Number)];
  }));
  const arrays = takeInputs(model, folder, shapes);
  if (options.run) {
    const ran = spawnSync(options.run, [file, folder, ...given], { stdio: "inherit" });
    if (ran.status !== 0) return 1;
  }
  const session = await ort.InferenceSession.create(withAllOutputs(model),
    { graphOptimizationLevel: "disabled", intraOpNumThreads: 1, logSeverityLevel: 3 });
  const feeds = {};
  for (const [name, { type, data, dims }] of Object.entries(arrays)) feeds[name] = new ort.Tensor(type, data, dims);
  const results = await session.run(feeds);
  let compared = 0, worst = 0, where = "", wrong = 0;
  for (const [name, theirs] of Object.entries(results)) {
    if (!existsSync(fileOf(folder, name))) continue;
    const ours = readNpy(fileOf(folder, name));
    const same = ours.dims.length === theirs.dims.length && ours.dims.every((d, i) => d === theirs.dims[i]);
    const off = same ? difference(ours, theirs) : Infinity;
    compared++;
    if (!(off <= Number(options.tolerance))) {
      wrong++;
      console.log(`${name}: ${same ? `differs by ${off.toExponential(2)} of its range`
        : `shape [${ours.dims}]: expected [${theirs.dims}]`}`);
    }
    if (off > worst) [worst, where] = [off, name];
  }
  console.log(`${path.basename(file)}: ${compared} values compared, ${wrong} differ; largest difference `
    + `${worst.toExponential(2)} of the range${where ? ` (${where})` : ""}`);
  return wrong ? 1 : 0;
}

async function main() {
  const words = [], options = { run: "", tolerance: "1e-4" };
  for (let i = 2; i < process.argv.length; i++) {
    const word = process.argv[i];
    if (word.startsWith("--")) options[word.slice(2)] = process.argv[++i];
    else words.push(word);
  }
  const [file, folder, ...given] = words;
  const several = file && !folder && statSync(file).isDirectory();
  if (!folder && !several) {
    console.error("usage: onnx-check.mjs MODEL.onnx FOLDER [NAME=2x3x4]... [--run COMMAND] [--tolerance 1e-4]");
    return 2;
  }
  let ort;
  try {
    ort = createRequire(import.meta.url)("onnxruntime-node");
  } catch {
    console.log("onnxruntime-node is not installed");
    return 77;
  }
  if (!several) return check(ort, file, folder, given, options);
  let failed = 0;
  for (const name of readdirSync(file).filter((x) => x.endsWith(".onnx"))) {
    const model = path.join(file, name);
    try {
      failed |= await check(ort, model, model.slice(0, -5), [], options);
    } catch (error) {
      console.log(`${name}: ${error.message}`);
      failed = 1;
    }
  }
  return failed;
}

process.exitCode = await main();
