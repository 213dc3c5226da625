// node tokens.js MODEL THREADS LAYERS HEADS SIZE PREFILL PAST...: times a decoder in ONNX Runtime (npm's onnxruntime-node,
// found by NODE_PATH), a token behind each past and a prompt, and prints the least milliseconds as JSON.
const ort = require('onnxruntime-node');

async function main([model, ...numbers]) {
  const [threads, layers, heads, size, prefill, ...pasts] = numbers.map(Number);
  const options = {intraOpNumThreads: threads, interOpNumThreads: 1, graphOptimizationLevel: 'all'};
  const session = await ort.InferenceSession.create(model, options);
  const best = {};
  const time = async (name, past, length, repeat) => {
    const ids = BigInt64Array.from({length}, (_, i) => BigInt(past + i));
    const feeds = {
      input_ids: new ort.Tensor('int64', ids, [1, length]),
      attention_mask: new ort.Tensor('int64', new BigInt64Array(past + length).fill(1n), [1, past + length]),
    };
    for (let i = 0; i < layers; ++i)
      for (const kind of ['key', 'value'])
        feeds[`past.${i}.${kind}`] = new ort.Tensor('float32', new Float32Array(heads * past * size).fill(0.1), [1, heads, past, size]);
    best[name] = Infinity;
    for (let i = -1; i < repeat; ++i) {
      const start = process.hrtime.bigint();
      await session.run(feeds);
      const took = Number(process.hrtime.bigint() - start) / 1e6;
      if (i >= 0) best[name] = Math.min(best[name], took);
    }
  };
  for (const past of pasts) await time(past, past, 1, 8);
  await time('prefill', 0, prefill, 2);
  console.log(JSON.stringify(best));
}

main(process.argv.slice(2));
