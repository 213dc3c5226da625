// node onnxruntime.js MODEL THREADS REPEAT NAME=NUMBERS.bin:SHAPE[:TYPE]...: runs a model with inputs of int64, or of
// float32 where TYPE says so, in ONNX Runtime (npm's onnxruntime-node, found by NODE_PATH) and prints {"min_us": ...},
// the best run after two to warm up.
const fs = require('fs');
const ort = require('onnxruntime-node');

async function main([model, threads, repeat, ...inputs]) {
  const options = {intraOpNumThreads: Number(threads), interOpNumThreads: 1, graphOptimizationLevel: 'all'};
  const session = await ort.InferenceSession.create(model, options);
  const feeds = {};
  for (const input of inputs) {
    const [, name, file, shape, type] = input.match(/^(.*?)=(.*?):([0-9x]*)(?::(.*))?$/);
    const bytes = fs.readFileSync(file);
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    const numbers = type === 'float32' ? new Float32Array(buffer) : new BigInt64Array(buffer);
    feeds[name] = new ort.Tensor(type || 'int64', numbers, shape.split('x').map(Number));
  }
  let best = Infinity;
  for (let i = -2; i < Number(repeat); ++i) {
    const start = process.hrtime.bigint();
    await session.run(feeds);
    const took = Number(process.hrtime.bigint() - start) / 1e3;
    if (i >= 0) best = Math.min(best, took);
  }
  console.log(JSON.stringify({min_us: best}));
}

main(process.argv.slice(2));
