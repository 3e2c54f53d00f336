// A machine as its operator has it, in a directory: what `sendwerk setup` makes, the daemon on it, backups, a replica, and another host
// beside it. The pages of docs/operate are run there, with the names that they have; `namesHere` says what stands for them.
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { parse, stringify } from 'yaml';
import { loadConfig } from '#src/kernel/config/config.ts';
import { startApp, type TestApp } from './app.ts';
import type { Ran } from './command.ts';
import { type ConfigFile, overlay } from './daemon.ts';
import type { Block } from './document-samples.ts';
import { endProcess, freePort, spawnMortal, until } from './process.ts';
import { openShell, sendwerk } from './shell.ts';

const LITESTREAM = path.resolve('node_modules/@flydotio/litestream-linux-x64/litestream');
/** Paths of a server. A text that names one which is not below these is not run: it would be the path of this machine. */
const PLACES = 'copy|etc|opt|root|run|usr/local|var';
const done: Ran = { exitCode: 0, printed: '' };

const portsOf = async () => ({
  http: await freePort(),
  inbound: await freePort(),
  submission: await freePort(),
  dns: await freePort(),
  metrics: await freePort(),
});

export const openMachine = async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'machine-'));
  const at = (...parts: readonly string[]): string => path.join(root, ...parts);
  const etc = at('etc/sendwerk');
  for (const directory of ['etc/postfix', 'etc/bind', 'etc/prometheus', 'opt/sendwerk', 'root', 'var/tmp'])
    await mkdir(at(directory), { recursive: true });
  const ports = await portsOf();
  const other = await startApp({
    config: {
      service: { host: 'mail.new.example', managed_suffix: 'send.new.example' },
      http: { listen: `127.0.0.1:${await freePort()}` },
    },
  });

  const config: ConfigFile = {
    service: {
      public_origin: `http://127.0.0.1:${ports.http}`,
      host: 'mail.example.org',
      managed_suffix: 'send.example.org',
    },
    http: { listen: `127.0.0.1:${ports.http}` },
    operators: ['you@example.net'],
    smtp: {
      inbound: {
        listen: `127.0.0.1:${ports.inbound}`,
        postmaster: 'operator@example.net',
        tls: { cert: path.join(etc, 'mail.crt'), key: path.join(etc, 'mail.key') },
      },
      submission: { listen: `127.0.0.1:${ports.submission}` },
    },
    dns: {
      authoritative: { listen: `127.0.0.1:${ports.dns}` },
      resolvers: [`127.0.0.1:${ports.dns}`],
      zones: { addresses: ['127.0.0.1'] },
    },
    backup: { dir: at('var/backups/sendwerk') },
    replica: { to: `file://${at('mnt/replica')}`, metrics: `127.0.0.1:${ports.metrics}` },
    doctor: { time_server: '127.0.0.1' },
  };
  const trusted = getCACertificates('default');
  let app: TestApp | undefined;
  let litestream: ReturnType<typeof spawnMortal> | undefined;
  let here = path.join(etc, 'service.yaml');

  const stopLitestream = async (): Promise<void> => {
    if (litestream !== undefined) await endProcess(litestream);
    litestream = undefined;
  };
  const startLitestream = async (): Promise<Ran> => {
    const file = at('run/litestream.yml');
    await mkdir(at('run'), { recursive: true });
    const made = await sendwerk(['litestream-config', '--out', file, '--config', here]);
    if (made.exitCode !== 0) return made;
    litestream = spawnMortal(LITESTREAM, ['replicate', '-config', file], { stdio: 'ignore' });
    const { dbs }: { dbs: readonly { replicas: readonly [{ path: string }] }[] } = parse(
      await readFile(file, 'utf8'),
    );
    const places = dbs.map(({ replicas: [{ path: place }] }) => place);
    await until('all files are in the replica', async () => {
      const names = await readdir(at('mnt/replica'), { recursive: true }).catch(() => []);
      const copied = names.flatMap((name) => /^(.*)\/generations\/.*\/snapshots\/./.exec(name)?.[1] ?? []);
      return places.every((place) => copied.some((name) => at('mnt/replica', name) === place));
    });
    return done;
  };
  const start = async (): Promise<Ran> => {
    app ??= await startApp({ home: etc, config });
    return done;
  };
  const stop = async (): Promise<Ran> => {
    await app?.stop();
    app = undefined;
    return done;
  };

  const played: Readonly<Record<string, () => Promise<Ran>>> = {
    'reload sendwerk': async () => {
      await app?.reconfigure({});
      return done;
    },
    'start sendwerk': start,
    'stop sendwerk': stop,
    'restart sendwerk': async () => {
      await stop();
      return start();
    },
    'enable sendwerk': start,
    'disable sendwerk': stop,
    'start sendwerk-backup': () => sendwerk(['backup', '--config', here]),
    'enable sendwerk-backup.timer': async () => done,
    'disable sendwerk-backup.timer': async () => done,
    'enable sendwerk-litestream': startLitestream,
    'restart postfix': async () => done,
  };
  /** With --now in any case. */
  const systemctl = async (words: readonly string[]): Promise<Ran> => {
    const [verb = '', ...units] = words.filter((word) => word !== '--now');
    for (const unit of units) {
      const play = played[`${verb} ${unit}`];
      const ran = (await play?.()) ?? { exitCode: 1, printed: `not played: systemctl ${verb} ${unit}\n` };
      if (ran.exitCode !== 0) return ran;
    }
    return done;
  };

  /** With what a host has at fixed places. */
  const command = (words: readonly string[]): Promise<Ran> => {
    const hidden = words.find((word) => word.startsWith(at('root')));
    if (hidden !== undefined && words[0] !== 'setup')
      throw new Error(`the user sendwerk, as whom this runs, cannot read ${hidden}`);
    return sendwerk([
      ...words,
      ...(words[0] === 'setup' ? ['--root', root] : []),
      ...(words[0] === 'fleet' ? ['--fleet', path.join(etc, 'fleet.yaml')] : []),
      ...(words[0] === 'litestream-restore' ? ['--litestream', LITESTREAM] : []),
    ]);
  };
  const shell = await openShell(
    root,
    {
      // The operator's command runs the program by that.
      node: ([, ...words]) => command(words),
      systemctl,
      'systemd-tmpfiles': async () => done,
      rndc: async () => done,
      userdel: async () => done,
    },
    {},
  );
  const program = at('opt/sendwerk/current/node_modules/.bin/node');
  await mkdir(path.dirname(program), { recursive: true });
  await rename(path.join(shell.bin, 'node'), program);
  const script = (name: string, text: string) =>
    writeFile(path.join(shell.bin, name), `#!/bin/bash\n${text}\n`, { mode: 0o755 });
  const operatorCommand = (await readFile('bin/sendwerk', 'utf8')).replaceAll(
    /^(root|home)=(.*)/gm,
    (_, name, place) => `${name}=${at(place)}`,
  );
  const nameConfig = (): Promise<void> =>
    writeFile(
      path.join(shell.bin, 'sendwerk'),
      operatorCommand.replace(/^config=.*/m, () => `config=${here}`),
      { mode: 0o755 },
    );
  await nameConfig();
  await script('runuser', 'shift 3; exec "$@"');
  await script('postconf', `exec /usr/sbin/postconf -c ${at('etc/postfix')} "$@"`);
  // The other machine reaches every port that it is asked to try.
  await script('ssh', `grep -o "'[0-9]* open'" | tr -d "'"`);
  for (const name of ['main.cf', 'master.cf']) await writeFile(at('etc/postfix', name), '');

  /** What stands here for what a page says, in this order. */
  const namesHere: (readonly [RegExp, string])[] = [
    [/https:\/\/mail\.new\.example|https:\/\/mail2\.example\.com/g, other.origin],
    [/https:\/\/mail1\.example\.com/g, `http://127.0.0.1:${ports.http}`],
    [/mail\.example\.org:587/g, `127.0.0.1:${ports.submission}`],
    [/--server 127\.0\.0\.1(?!:)/g, `--server 127.0.0.1:${ports.inbound}`],
    [/@203\.0\.113\.10/g, `@127.0.0.1 -p ${ports.dns}`],
    [/mail1\.example\.com/g, 'mail.example.org'],
    [/mail2\.example\.com/g, 'mail.new.example'],
    // A passphrase costs two seconds of CPU each time.
    [/(tenant export .*) --passphrase-file \S+/g, '$1 --key /etc/sendwerk/age.public'],
    [/(tenant import .*) --passphrase-file \S+/g, '$1 --key /etc/sendwerk/age.secret'],
    [
      /sendwerk tenant import (?=\/var\/tmp\/praxis-sonnenhof)/g,
      `sendwerk tenant import --config ${other.home}/service.yaml `,
    ],
    // It shows what there is, and ends with 1 because nothing is erased.
    [/(tenant erase \S+)$/gm, '$1 || [ $? = 1 ]'],
    [/\bDIR\b/g, '/var/backups/sendwerk'],
    [/\bSLUG\b/g, 'praxis-am-markt'],
    [/\bTIME\b/g, '2999-01-01T00:00:00Z'],
    [/\bFILE\b/g, '/etc/sendwerk/passphrase'],
    [new RegExp(`(?<![\\w.*-/])/(?=(?:${PLACES})/)`, 'g'), `${root}/`],
  ];
  const textHere = (text: string): string =>
    namesHere.reduce((all, [name, place]) => all.replaceAll(name, place), text);
  const codeHere = (block: Block): string => {
    const foreign = block.text.match(/(?<![\w.*$:</-])\/[a-z][\w/.-]*/g) ?? [];
    const outside = foreign.filter((one) => !new RegExp(`^/(?:${PLACES})/`).test(one));
    if (outside.length > 0) throw new Error(`${block.file}:${block.line} names ${outside} of this machine`);
    const text = textHere(block.text).replaceAll(/\bsudo (?:-u \w+ )?/g, '');
    return text;
  };

  const machine = {
    root,
    at,
    other,
    ports,
    textHere,
    command,
    app: (): TestApp => {
      if (app === undefined) throw new Error('the service is stopped');
      return app;
    },
    /** What stands for a path from here on. */
    callHere: (name: string, place: string): void => {
      namesHere.unshift([new RegExp(`(?<=\\s)${name}(?=\\s)`, 'g'), place]);
    },
    start,
    stop,
    startLitestream,
    stopLitestream,
    /** Commands are those of a host with that configuration from here on. */
    goTo: async (configFile: string): Promise<void> => {
      here = configFile;
      await nameConfig();
    },
    /** Runs what a page names in its text. */
    type: (code: string) =>
      shell.run([{ block: { file: code, line: 1, language: 'sh', text: code }, code: textHere(code) }]),
    run: (blocks: readonly Block[], before = '') =>
      shell.run(blocks.map((block) => ({ block, code: before + codeHere(block) }))),
    /** Throws where the service would not take these keys beside its others. */
    configure: async (text: string): Promise<void> => {
      const file = path.join(etc, 'changed.yaml');
      const installed: ConfigFile = parse(await readFile(path.join(etc, 'service.yaml'), 'utf8'));
      await writeFile(file, stringify(overlay(installed, parse(textHere(text)))));
      loadConfig(file, {});
    },
    close: async (): Promise<void> => {
      setDefaultCACertificates(trusted);
      await stopLitestream();
      await shell.stop();
      await app?.stop();
      await other.remove();
      await rm(root, { recursive: true, force: true });
    },
  };
  return machine;
};

export type Machine = Awaited<ReturnType<typeof openMachine>>;
