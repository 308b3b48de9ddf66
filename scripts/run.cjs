// Where every script of package.json begins, on whatever Node is there: in JavaScript so old that a Node without the rest can say so.
// `exec` comes before it in package.json, so that npm's signals reach this program also where `sh` stays otherwise; on Windows that word
// is exec.cmd.
const [major] = process.versions.node.split('.').map(Number);
const [, , name = '', ...args] = process.argv;

if (process.platform === 'win32') stop('Assent runs on Linux and macOS: on Windows, run it in WSL.');
else if (!major || major < 20) stop(`Assent needs Node.js 20 or newer, and this is ${process.version}.`);
else import('./programs.js').then((programs) => programs.run(name, args));

/** @param {string} why */
function stop(why) {
  console.error(why);
  process.exit(1);
}
