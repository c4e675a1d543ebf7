// SPDX-License-Identifier: BSD-2-Clause
// catapult.js DIR FILE - the counters of a trace as chrome://tracing has them (traceviewer, unpacked at
// DIR): a line for each value, PID TIME-IN-US NAME KEY VALUE. Exit status 1: it has something to warn of.
'use strict';
const fs = require('fs');
const path = require('path');
const [dir, file] = process.argv.slice(2).map((name) => path.resolve(name));

require(path.join(dir, 'catapult_build/node_bootstrap.js'));
// What its own list of places would say, which is a program of Python 2.
HTMLImportsLoader.addArrayToSourcePath(['tracing', 'tracing/third_party', 'tracing/third_party/gl-matrix/dist',
	'tracing/third_party/jszip', 'third_party', 'third_party/polymer', 'third_party/d3'].map((name) => path.join(dir, name)));
for (const part of ['importer/import.html', 'model/model.html', 'extras/full_config.html'])
	HTMLImportsLoader.loadHTML('/tracing/' + part);

const model = new tr.Model();
const options = new tr.importer.ImportOptions();

options.shiftWorldToZero = false;
options.pruneEmptyContainers = false;
new tr.importer.Import(model, options).importTraces([fs.readFileSync(file, 'utf8')]);
for (const warning of model.importWarnings) {
	console.error(warning.message);
	process.exitCode = 1;
}
for (const process of Object.values(model.processes))
	for (const counter of Object.values(process.counters))
		for (const series of counter.series)
			for (const { timestamp, value } of series.samples)
				console.log(process.pid, Math.round(timestamp * 1000), counter.name, series.name, value);
