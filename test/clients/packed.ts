// The clients as their users get them: packed as a release has them, and installed into an empty directory, without a network.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { env, execPath } from 'node:process';
import { promisify } from 'node:util';
import type { Sender, TestApp } from '#test/support/app.ts';
import { packNodeClient, packPythonClient } from '../../bin/release/clients.ts';

export const ROOT = path.join(import.meta.dirname, '../..');
const run = promisify(execFile);
const PYTHON = '/usr/bin/python3';
/** Any; no file in an archive is from before 1980. */
const COMMIT_TIME = 1_700_000_000;
/** Of samples. */
const PATIENCE_MS = 60_000;

export interface Installed extends AsyncDisposable {
  readonly directory: string;
}

const emptyDirectory = async (): Promise<Installed> => {
  const directory = await mkdtemp(path.join(tmpdir(), 'client-'));
  return {
    directory,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
};

/** With nodemailer beside it, as in a program that has it already. */
export const installNode = async (): Promise<Installed> => {
  const made = await emptyDirectory();
  const { directory } = made;
  await writeFile(path.join(directory, 'package.json'), '{ "private": true, "type": "module" }');
  const quiet = ['--cache', path.join(directory, '.npm'), '--silent'];
  const file = await packNodeClient(directory, COMMIT_TIME, false);
  const installing = ['install', '--offline', '--no-audit', '--no-fund', `./${file}`, ...quiet];
  await run('npm', installing, { cwd: directory });
  await symlink(path.join(ROOT, 'node_modules/nodemailer'), path.join(directory, 'node_modules/nodemailer'));
  return made;
};

/** A wheel of plain Python is installed by unpacking it. */
export const installPython = async (): Promise<Installed> => {
  const made = await emptyDirectory();
  const { directory } = made;
  const wheel = packPythonClient(directory, COMMIT_TIME);
  await run(PYTHON, ['-m', 'zipfile', '-e', wheel, 'site'], { cwd: directory });
  return made;
};

/** The environment of samples, and nothing of this process that they could lean on. */
const environment = ({ practice, token }: Sender, more: Readonly<Record<string, string>>) => ({
  PATH: env.PATH,
  SENDWERK_TOKEN: token,
  SENDWERK_PRACTICE: practice.id,
  ...more,
});

/** What it prints. Rejects with what it says where it fails. */
export const runPython = async (
  { directory }: Installed,
  code: string,
  sender: Sender,
  more: Readonly<Record<string, string>> = {},
): Promise<string> => {
  await writeFile(path.join(directory, 'main.py'), code);
  const variables = environment(sender, { PYTHONPATH: path.join(directory, 'site'), ...more });
  const { stdout } = await run(PYTHON, ['main.py'], { cwd: directory, env: variables, timeout: PATIENCE_MS });
  return stdout;
};

export const runNode = async (
  { directory }: Installed,
  files: Readonly<Record<string, string>>,
  main: string,
  sender: Sender,
  more: Readonly<Record<string, string>> = {},
): Promise<string> => {
  await mkdir(directory, { recursive: true });
  for (const [name, code] of Object.entries(files)) await writeFile(path.join(directory, name), code);
  const variables = environment(sender, more);
  const { stdout } = await run(execPath, [main], { cwd: directory, env: variables, timeout: PATIENCE_MS });
  return stdout;
};

/** The samples of a client's page, with this service in the place of the one that they name. */
export const samplesOf = async (client: string, fence: string, { origin }: TestApp): Promise<string[]> => {
  const text = await readFile(path.join(ROOT, 'clients', client, 'README.md'), 'utf8');
  return [...text.matchAll(new RegExp(`\`\`\`${fence}\\n([^]*?)\`\`\``, 'g'))].map(([, code = '']) =>
    code.replaceAll('https://mail.example.com', origin),
  );
};
