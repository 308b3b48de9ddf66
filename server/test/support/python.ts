import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Debian's, for which its packages are. */
export const python = '/usr/bin/python3';
const packages = ['requests_oauthlib', 'authlib'];
const imported = existsSync(python) && spawnSync(python, ['-c', `import ${packages.join(', ')}`]).status === 0;
export const skip = imported ? false : `there is no ${python} with ${packages.join(' and ')}`;
