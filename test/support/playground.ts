// A practice as `sendwerk quickstart` prepares it, on ports of its own, and a shell beside it, in which what documents show is run
// as it stands. The playground itself would make RSA keys and send its first messages, which takes seconds of CPU.
import { type ExecFileException, execFile } from 'node:child_process';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { env } from 'node:process';
import { buffer } from 'node:stream/consumers';
import { runCommandLine } from '#src/app/cli/commands.ts';
import { startApp } from './app.ts';
import type { Block } from './document-samples.ts';
import { freePort } from './process.ts';

/** What the code of documents imports, and where it is. */
const PACKAGES = { nodemailer: 'node_modules/nodemailer', '@sendwerk/client': 'clients/node' };

const ROOT = path.join(import.meta.dirname, '..', '..');
const PATIENCE_MS = 60_000;
/** The ports that documents name, in the order of those of the playground. */
const DOCUMENTED = { http: 8080, submission: 1587, inbound: 2525, dns: 1053 };

interface Shell {
  /** Runs the blocks in their order, as one script; rejects with the place of the one that fails. */
  run(blocks: readonly Block[]): Promise<string>;
  stop(): Promise<void>;
}

const noSignals = { onEnd: () => undefined, onReload: () => undefined };

/** Runs `sendwerk` in this process: a process for each call would take half a second of CPU. */
const serveCommands = async (configFile: string) => {
  const server = createServer(async (request, response) => {
    const [cwd = '', ...args] = (await buffer(request)).toString().split('\0').slice(0, -1);
    let printed = '';
    const print = (text: string): void => {
      printed += text;
    };
    const known = args.map((arg) => (/\.json$/.test(arg) ? path.resolve(cwd, arg) : arg));
    const exitCode = await runCommandLine([...known, '--config', configFile], {
      environment: {},
      signals: noSignals,
      print,
      printAll: async () => {},
      printError: print,
      isTerminal: false,
    });
    response.setHeader('X-Exit-Code', exitCode).end(printed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, stop: () => server.close() };
};

/** What the playground's configuration has beside that of all tests. */
const configOf = (origin: string, { http, submission, inbound, dns }: typeof DOCUMENTED) => ({
  service: { public_origin: origin, host: 'mail.sendwerk.test', managed_suffix: 'send.sendwerk.test' },
  http: { listen: `127.0.0.1:${http}` },
  smtp: {
    submission: { listen: `127.0.0.1:${submission}` },
    inbound: { listen: `127.0.0.1:${inbound}` },
  },
  dns: { authoritative: { listen: `127.0.0.1:${dns}` } },
  operators: ['operator@example.org'],
});

const sendwerkAt = (port: number): string => `#!/bin/bash
out=$(mktemp)
code=$(printf '%s\\0' "$PWD" "$@" | curl -sS --data-binary @- -o "$out" -w '%header{x-exit-code}' http://127.0.0.1:${port})
cat "$out"
rm "$out"
exit "$code"
`;

export const startPlayground = async (
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<Shell> => {
  const ports = {
    http: await freePort(),
    submission: await freePort(),
    inbound: await freePort(),
    dns: await freePort(),
  };
  const origin = `http://127.0.0.1:${ports.http}`;
  const app = await startApp({
    config: configOf(origin, ports),
  });
  const { home } = app;
  const { practice, token, base } = await app.createSender();
  await app.completeLegal(practice.id);
  for (const call of ['presets/seed', 'inbound/enable'])
    await app.request('POST', `${base}/${call}`, call === 'presets/seed' ? undefined : {}, token);
  const commands = await serveCommands(path.join(home, 'service.yaml'));

  const bin = path.join(home, 'bin');
  const work = path.join(home, 'work');
  for (const directory of [bin, work]) await mkdir(directory);
  await writeFile(path.join(bin, 'sendwerk'), sendwerkAt(commands.port));
  await chmod(path.join(bin, 'sendwerk'), 0o700);
  // A request that is refused fails.
  await writeFile(path.join(home, '.curlrc'), 'fail-with-body\n');
  for (const [name, place] of Object.entries(PACKAGES)) {
    const target = path.join(work, 'node_modules', name);
    await mkdir(path.dirname(target), { recursive: true });
    await symlink(path.join(ROOT, place), target);
  }
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(work, name), content);

  const withPorts = (text: string): string =>
    Object.entries(DOCUMENTED).reduce(
      (all, [name, port]) =>
        all.replaceAll(new RegExp(`\\b${port}\\b`, 'g'), String(ports[name as keyof typeof ports])),
      text,
    );
  const commandOf = async ({ language, text, line }: Block): Promise<string> => {
    if (language === 'sh') return withPorts(text);
    const [program, file] = language === 'js' ? ['node', `${line}.mjs`] : ['python3', `${line}.py`];
    await writeFile(path.join(work, file), withPorts(text));
    return `${program} ${file}\n`;
  };

  return {
    run: async (blocks) => {
      const steps = await Promise.all(
        blocks.map(async (block) => `echo "@@ ${block.file}:${block.line}" >&2\n${await commandOf(block)}`),
      );
      return new Promise((resolve, reject) => {
        const done = (error: ExecFileException | null, stdout: string, stderr: string): void => {
          if (error === null) resolve(stdout);
          else reject(new Error(`${error.code} at ${stderr.split('@@ ').at(-1)}\n${stdout.slice(-2_000)}`));
        };
        execFile(
          'bash',
          ['-c', `set -euo pipefail\n${steps.join('\n')}`],
          {
            cwd: work,
            timeout: PATIENCE_MS,
            env: {
              ...env,
              SENDWERK_URL: origin,
              SENDWERK_TOKEN: token,
              SENDWERK_PRACTICE: practice.id,
              HOME: home,
              PATH: `${bin}:${env.PATH}`,
              ADMIN_TOKEN: app.adminToken,
              PYTHONPATH: path.join(ROOT, 'clients/python'),
            },
          },
          done,
        );
      });
    },
    stop: async () => {
      commands.stop();
      await app.remove();
    },
  };
};
