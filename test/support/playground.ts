// A practice as `sendwerk quickstart` prepares it, on ports of its own, and a shell beside it, in which what documents show is run
// as it stands. The playground itself would make RSA keys and send its first messages, which takes seconds of CPU.
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startApp } from './app.ts';
import type { Block } from './document-samples.ts';
import { freePort } from './process.ts';
import { openShell, sendwerk } from './shell.ts';

/** What the code of documents imports, and where it is. */
const PACKAGES = { nodemailer: 'node_modules/nodemailer', '@sendwerk/client': 'clients/node' };

const ROOT = path.join(import.meta.dirname, '..', '..');
/** The ports that documents name, in the order of those of the playground. */
const DOCUMENTED = { http: 8080, submission: 1587, inbound: 2525, dns: 1053 };

interface Playground {
  /** Runs the blocks in their order, as one script; rejects with the place of the one that fails. */
  run(blocks: readonly Block[]): Promise<string>;
  stop(): Promise<void>;
}

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

export const startPlayground = async (
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<Playground> => {
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
  const configFile = path.join(home, 'service.yaml');
  const shell = await openShell(
    home,
    {
      sendwerk: (args, cwd) =>
        sendwerk([
          ...args.map((arg) => (/\.json$/.test(arg) ? path.resolve(cwd, arg) : arg)),
          ...['--config', configFile],
        ]),
    },
    {
      SENDWERK_URL: origin,
      SENDWERK_TOKEN: token,
      SENDWERK_PRACTICE: practice.id,
      ADMIN_TOKEN: app.adminToken,
      PYTHONPATH: path.join(ROOT, 'clients/python'),
    },
  );
  const work = path.join(home, 'work');
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
    run: async (blocks) =>
      shell.run(await Promise.all(blocks.map(async (block) => ({ block, code: await commandOf(block) })))),
    stop: async () => {
      await shell.stop();
      await app.remove();
    },
  };
};
