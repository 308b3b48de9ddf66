// --- The program -----------------------------------------------------------------------------------------------------

import { parseArgs } from 'node:util';
import { verdicts, verifyPackage } from './package.mjs';
import { explanationLine } from './times.mjs';

process.exitCode = run(process.argv.slice(2));

/** @param {string[]} args */
function run(args) {
  const given = optionsIn(args);
  if (!given) {
    process.stderr.write('usage: node verify.mjs --package DIR --checkpoint FILE --pubkey FILE\n');
    return verdicts.indexOf('unknown');
  }
  const { code, verdict, message, faults, explained } = verifyPackage({ ...given, progress: progressShown() });
  process.stdout.write(`${verdict}: ${message}\n`);
  for (const fault of faults.slice(1)) process.stderr.write(`${fault}\n`);
  for (const each of explained) process.stderr.write(`${explanationLine(each)}\n`);
  return code;
}

/** @param {string[]} args */
function optionsIn(args) {
  const option = /** @type {const} */ ({ type: 'string' });
  try {
    const { values } = parseArgs({ args, options: { package: option, checkpoint: option, pubkey: option } });
    const { package: packageDir, checkpoint: checkpointFile, pubkey: pubkeyFile } = values;
    return packageDir && checkpointFile && pubkeyFile ? { packageDir, checkpointFile, pubkeyFile } : null;
  } catch {
    return null;
  }
}

/** Shows each percent on a terminal. */
function progressShown() {
  let shown = 0;
  return (/** @type {number} */ done, /** @type {number} */ total) => {
    const percent = Math.floor((100 * done) / total);
    if (!process.stderr.isTTY || percent === shown) return;
    shown = percent;
    process.stderr.write(`\rChecking ${percent} %${done < total ? '' : '\n'}`);
  };
}
