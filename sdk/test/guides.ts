// The guides for partners, as somebody follows them: every block of code, in the order of the pages.
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runCommand } from '../../server/test/support/commands.ts';
import { type Deployment, freePort, type Program } from '../../server/test/support/programs.ts';
import { python } from '../../server/test/support/python.ts';
import { Visitor } from '../../server/test/support/visitor.ts';
import { until } from '../../server/test/support/waiting.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const languages = ['sh', 'js', 'python'] as const;
type Language = (typeof languages)[number];
/** A block that begins with a file's name is saved under it, for others to use; the rest are run. */
type Block = { page: string; language: Language; isTab: boolean; isNamed: boolean; file: string; text: string };

/** Each language as another advisor, so that each begins with people who have agreed to nothing. */
const advisors = { sh: 'avery', js: 'devon', python: 'ellis' };
const blockMsMax = 240_000;
/** Runs files in one process, and says which one it is at. */
const runners = {
  js: [
    process.execPath,
    '--input-type=module',
    '--eval',
    "for (const file of process.argv.slice(1)) { console.log('#', file); await import(file); }",
  ],
  python: [
    python,
    '-c',
    'import runpy, sys\nfor file in sys.argv[1:]:\n    print("#", file, flush=True)\n    runpy.run_path(file)',
  ],
};

export type Reader = {
  /** Runs a language's blocks, page after page, and returns what they printed. */
  run(language: Language): Promise<string>;
  /** Runs the shell's blocks that are for every reader, each in a terminal of its own. */
  runInNewTerminals(): Promise<string>;
  /** Runs a program of the code flow, and allows what it asks for as an advisor would. Returns the page at the end. */
  connect(language: 'js' | 'python'): Promise<string>;
};

/** Somebody with a sandbox of their own. The shell comes first: its blocks make the project. */
export async function makeReader(deployment: Deployment, program: Program): Promise<Reader> {
  const project = join(deployment.folder.path, 'hello-assent');
  const [port, redirectPort] = [await freePort(), await freePort()];
  const origin = `http://localhost:${program.port}`;
  const env = { ...deployment.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: process.env.HOME };
  const blocks = listBlocks();
  mkdirSync(project, { recursive: true });
  for (const block of blocks) writeFileSync(join(project, block.file), own(block));

  /** The reader's own values: the sandbox that runs, folders, and ports that are free. */
  function own({ language, page, text }: Block): string {
    return text
      .replaceAll('avery@sandbox.example', `${advisors[language]}@sandbox.example`)
      .replaceAll('http://localhost:8080', origin)
      .replaceAll('$ASSENT/.assent', deployment.folder.path)
      .replaceAll('../hello-assent', project)
      .replaceAll(/\b3000\b/g, String(page === 'connecting' ? redirectPort : port))
      .replaceAll(/^npm start$/gm, ':');
  }

  async function runFiles([command = '', ...args]: string[], names: string[], ASSENT_TOKEN = ''): Promise<string> {
    const settings = { ...env, ...(ASSENT_TOKEN && { ASSENT_TOKEN }) };
    const options = { cwd: project, env: settings, timeout: blockMsMax };
    return promisify(execFile)(command, [...args, ...names.map((name) => `./${name}`)], options).then(
      ({ stdout }) => stdout,
      (error) => assert.fail(`${error.stdout}\n${error.stderr}`),
    );
  }

  async function runShell(): Promise<string> {
    const names = blocks.flatMap(({ language, isNamed, file }) => (language === 'sh' && !isNamed ? file : []));
    const script = names.map((name) => `echo "# ${name}"; . ${join(project, name)}`).join('\n');
    const bash = promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', script], {
      cwd: root,
      env,
      timeout: blockMsMax,
    });
    return bash.then(
      ({ stdout }) => stdout,
      (error) => assert.fail(`${error.stdout}\n${error.stderr}`),
    );
  }

  return {
    async run(language) {
      if (language === 'sh') return runShell();
      // Up to the block that exports a token, there are client credentials.
      const exporting = blocks.findIndex(({ text }) => text.includes('export ASSENT_TOKEN='));
      assert.ok(exporting > 0);
      const filesOf = (some: Block[]) =>
        some.filter((each) => each.language === language && !each.isNamed).map(({ file }) => file);
      const said = await runFiles(runners[language], filesOf(blocks.slice(0, exporting)));
      const email = `${advisors[language]}@sandbox.example`;
      const { stdout } = await runCommand(['token', '--advisor', email], deployment.env);
      return said + (await runFiles(runners[language], filesOf(blocks.slice(exporting)), stdout.trim()));
    },

    async runInNewTerminals() {
      const forAll = blocks.filter(({ page, language, isTab }) => language === 'sh' && !isTab && page !== 'start');
      const said: string[] = [];
      for (const { file } of forAll) said.push(await runFiles(['bash', '-e', '-o', 'pipefail'], [file]));
      return said.join('');
    },

    async connect(language) {
      const [command, file] = language === 'js' ? [process.execPath, 'connect.js'] : [python, 'connect.py'];
      const child = spawn(command, [file], { cwd: project, env, stdio: ['ignore', 'pipe', 'ignore'] });
      try {
        const url = await addressPrinted(child);
        const location = new URL(await allow(url, `${advisors[language]}@sandbox.example`));
        // The sandbox knows port 3000, where something else may listen on this machine.
        location.port = String(redirectPort);
        // Python's answers one request.
        if (language === 'js') assert.equal((await fetch(new URL('/favicon.ico', location))).status, 400);
        return await (await fetch(location)).text();
      } finally {
        child.kill();
      }
    },
  };

  /** Signs in and allows what is asked for; returns where the browser is sent then. */
  async function allow(url: string, email: string): Promise<string> {
    const { password = '' } = deployment.folder.sandbox().advisors.find((each) => each.email === email) ?? {};
    const visitor = new Visitor(origin);
    const { location: path = '' } = await visitor.get(url);
    await visitor.submit(await visitor.get(path), '/sign-in', { email, password });
    const decided = await visitor.submit(await visitor.get(path), path, { decision: 'allow' });
    const { location = '' } = await visitor.get(decided.location ?? '');
    return location;
  }
}

async function addressPrinted(child: ChildProcess): Promise<string> {
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  await until('it prints an address', () => said.includes('\n'));
  return said.replace(/^Open /, '').trim();
}

/** In the order of docs/README.md. Generated clients have a test of their own: openapi.clients.test.ts. */
function listBlocks(): Block[] {
  const map = readFileSync(join(root, 'docs/README.md'), 'utf8');
  const pages = [...map.matchAll(/\]\(partners\/([\w-]+)\.md\)/g)].map(([, page = '']) => page);
  return pages.filter((page) => page !== 'clients').flatMap(blocksOf);
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, `docs/partners/${page}.md`), 'utf8');
  const fences = [...text.matchAll(/^```(js|sh|python)( \[\w+\])?\n(.*?)^```/gms)];
  return fences.map(([, fence, tab, text = ''], index) => {
    const language = fence as Language;
    const [, name] = /^(?:\/\/|#) (\w+\.(?:js|sh|py))\b/.exec(text) ?? [];
    const file = name ?? `${page}-${index + 1}.${language === 'python' ? 'py' : language}`;
    return { page, language, isTab: tab !== undefined, isNamed: name !== undefined, file, text };
  });
}
