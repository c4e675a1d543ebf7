// SPDX-License-Identifier: BSD-2-Clause
// devtools.mjs DIR FILE - the stacks of a trace as the engine of Chrome's performance panel has them
// (@paulirish/trace_engine, unpacked at DIR): a line for each thread and stack, PID TID STACK SAMPLES.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const [dir, file] = process.argv.slice(2);
const samples = await import(resolve(dir, 'handlers/SamplesHandler.js'));

samples.reset();
for (const event of JSON.parse(readFileSync(file, 'utf8')).traceEvents)
	samples.handleEvent(event);
await samples.finalize({});

// Without the root, which all have.
const stackOf = (node) => (node.parent.parent ? stackOf(node.parent) + ';' : '') + node.functionName;

for (const [pid, threads] of samples.data().profilesInProcess)
	for (const [tid, { parsedProfile }] of threads) {
		const counts = new Map();
		for (const id of parsedProfile.samples) {
			const stack = stackOf(parsedProfile.nodeById(id));
			counts.set(stack, (counts.get(stack) ?? 0) + 1);
		}
		for (const [stack, count] of counts)
			console.log(`${pid} ${tid} ${stack} ${count}`);
	}
