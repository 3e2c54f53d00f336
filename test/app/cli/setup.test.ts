// `sendwerk setup` into a directory that stands for a machine: what it makes there, and what a second run leaves.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { runCommandLine } from '#src/app/cli/commands.ts';
import type { Terminal } from '#src/app/cli/terminal.ts';
import { createWriter } from '#src/app/setup/apply.ts';
import { lookAtInstallation } from '#src/app/setup/machine.ts';
import { readNote } from '#src/app/setup/note.ts';
import { planOf } from '#src/app/setup/plan.ts';
import { createPrompter } from '#src/app/setup/prompter.ts';
import type { Answers } from '#src/app/setup/questions.ts';
import { loadConfig } from '#src/kernel/config/config.ts';

const PASSWORD = 'only the relay knows';
const CONFIG = 'etc/sendwerk/service.yaml';
const NOTE = 'etc/sendwerk/setup.json';

const createMachine = () => {
  const directory = mkdtempSync(join(tmpdir(), 'sendwerk-setup-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const root = join(directory, 'root');
  mkdirSync(root);
  const answersFile = join(directory, 'answers.yaml');
  writeFileSync(
    answersFile,
    `domain: praxis.test
addresses: [93.184.216.10]
relay_host: relay.post.test
relay_port: 465
relay_user: praxis
relay_password: ${PASSWORD}
operator: me@home.test
proxy: caddy
agree_to_terms: yes
`,
  );
  const run = async (args: readonly string[], input?: Terminal['input']) => {
    let printed = '';
    const print = (text: string): void => {
      printed += text;
    };
    const exitCode = await runCommandLine(['setup', '--root', root, ...args], {
      environment: {},
      signals: { onEnd: () => undefined, onReload: () => undefined },
      print,
      printAll: async () => undefined,
      printError: print,
      isTerminal: false,
      ...(input === undefined ? {} : { input }),
    });
    return { exitCode, printed };
  };
  /** Each file with its text, mode and time of change. */
  const files = (): Record<string, readonly [text: string, mode: string, changedAt: number]> =>
    Object.fromEntries(
      readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter((name) => statSync(join(root, name), { throwIfNoEntry: false })?.isFile())
        .map((name) => {
          const { mode, mtimeMs } = statSync(join(root, name));
          return [name, [readFileSync(join(root, name), 'utf8'), (mode & 0o777).toString(8), mtimeMs]];
        }),
    );
  return { root, answersFile, run, files, at: (name: string): string => join(root, name) };
};

test('a dry run prints each file with its mode and owner, and does nothing', async () => {
  const { run, files, answersFile } = createMachine();
  const { exitCode, printed } = await run(['--from', answersFile, '--dry-run']);
  expect(exitCode).toBe(0);
  expect(printed).toContain('make        0640 root:sendwerk /etc/sendwerk/service.yaml\n');
  expect(printed).toMatch(/run {9}useradd /);
  expect(printed).toMatch(/Nothing was done\.\n$/);
  expect(printed).not.toContain(PASSWORD);
  expect(files()).toEqual({});
});

test('one run makes all that the service needs; the next one changes nothing', async () => {
  const { run, files, at, root, answersFile } = createMachine();
  const first = await run(['--from', answersFile, '--zone-file', at('zone')]);
  expect(first.exitCode, first.printed).toBe(0);
  const made = files();
  const modeOf = (name: string): string | undefined => made[name]?.[1];
  for (const name of ['master.key', 'admin.token', 'relay.password', 'service.yaml'])
    expect(modeOf(`etc/sendwerk/${name}`), name).toBe('640');
  expect(modeOf(NOTE)).toBe('600');
  expect(modeOf('etc/systemd/system/sendwerk-backup.timer')).toBe('644');
  expect(statSync(at('var/lib/sendwerk')).mode & 0o777).toBe(0o700);
  expect(made[NOTE]?.[0]).not.toContain(PASSWORD);
  expect(first.printed).not.toContain(PASSWORD);

  // As the daemon reads it, where this directory is its root.
  const here = at('service.yaml');
  writeFileSync(here, (made[CONFIG]?.[0] ?? '').replaceAll('/etc/sendwerk', at('etc/sendwerk')));
  const { config } = loadConfig(here, {});
  rmSync(here);
  expect(config.service.host).toBe('mail.praxis.test');
  expect(config.upstreams[0]).toMatchObject({ kind: 'smtp', port: 465, tls: 'implicit', user: 'praxis' });
  expect(config.upstreams[0]?.kind === 'smtp' && config.upstreams[0].password?.reveal()).toBe(PASSWORD);

  const delegated = 'mail.praxis.test. 3600 IN NS ns1.mail.praxis.test.\n';
  expect(first.printed).toContain(delegated);
  expect(made.zone?.[0]).toContain(delegated);
  expect(first.printed).toContain('93.184.216.10 -> mail.praxis.test');
  expect(first.printed).toMatch(
    /me@home\.test.*\n.*ten minutes\.\n\n {2}https:\/\/mail\.praxis\.test\/app\/sign-in\n$/,
  );

  // The answers are known by now.
  const second = await run([]);
  expect(second.exitCode, second.printed).toBe(0);
  expect(second.printed).not.toMatch(/^(?:made|replaced|kept)/m);
  expect(files()).toEqual(made);
  expect(existsSync(root)).toBe(true);
});

test('a file that a person changed is left, with the proposal beside it until it is right again', async () => {
  const { run, files, at, answersFile } = createMachine();
  await run(['--from', answersFile]);
  const [proposed = ''] = files()[CONFIG] ?? [];
  const own = proposed.replace('name: Sendwerk', 'name: Post der Praxis');
  writeFileSync(at(CONFIG), own);
  const caddy = 'etc/caddy/Caddyfile';
  writeFileSync(at(caddy), 'mine');
  rmSync(at('etc/systemd/system/sendwerk.service'));

  const { exitCode, printed } = await run(['--relay-port', '587']);
  expect(exitCode).toBe(0);
  expect(readFileSync(at(CONFIG), 'utf8')).toBe(own);
  expect(readFileSync(at(`${CONFIG}.proposed`), 'utf8')).toBe(
    proposed.replace('port: 465\n    tls: implicit', 'port: 587\n    tls: required'),
  );
  expect(statSync(at(`${CONFIG}.proposed`)).mode & 0o777).toBe(0o640);
  expect(readFileSync(at(caddy), 'utf8')).toBe('mine');
  expect(printed).toContain(`diff /${CONFIG} /${CONFIG}.proposed`);
  expect(printed).toContain(`diff /${caddy} /${caddy}.proposed`);
  expect(printed).toMatch(/^made .*sendwerk\.service$/m);

  // The person takes the proposal.
  writeFileSync(at(CONFIG), readFileSync(at(`${CONFIG}.proposed`)));
  expect((await run([])).printed).toMatch(/^right .*service\.yaml$/m);
  expect(existsSync(at(`${CONFIG}.proposed`))).toBe(false);
});

test('what setup wrote follows the answers; keys stay, the password only where another one is given', async () => {
  const { run, files, at, answersFile } = createMachine();
  await run(['--from', answersFile]);
  const before = files();
  const file = at('password');
  writeFileSync(file, 'another one\n');
  const { printed } = await run(['--host', 'post.praxis.test', '--relay-password-file', file]);
  expect(printed).toMatch(/^replaced .*service\.yaml$/m);
  const after = files();
  expect(after[CONFIG]?.[0]).toContain('host: post.praxis.test');
  for (const name of ['master.key', 'admin.token'])
    expect(after[`etc/sendwerk/${name}`]).toEqual(before[`etc/sendwerk/${name}`]);
  expect(after['etc/sendwerk/relay.password']?.[0]).toBe('another one\n');
  expect(existsSync(at(`${CONFIG}.proposed`))).toBe(false);
});

test('a run that was cut off at any step, or within one, is brought to its end by the next', async () => {
  const whole = createMachine();
  await whole.run(['--from', whole.answersFile]);
  const names = Object.keys(whole.files()).sort();
  const { answers } = readNote(whole.at(NOTE));
  const steps = planOf(answers as Answers, PASSWORD, lookAtInstallation(whole.root)).filter(
    (step) => step.kind !== 'command',
  );
  expect(steps.length).toBeGreaterThan(10);
  for (const [cut, next] of steps.entries()) {
    const { run, root, files, at, answersFile } = createMachine();
    const writer = createWriter(root, { answers, files: {} }, false);
    for (const step of steps.slice(0, cut)) writer.apply(step);
    // Killed while it wrote.
    mkdirSync(dirname(at(next.path)), { recursive: true });
    const half = join(dirname(at(next.path)), `.${next.path.split('/').at(-1)}.setup`);
    if (next.kind === 'file' || next.kind === 'secret') writeFileSync(half, 'half');
    const { exitCode, printed } = await run(['--from', answersFile]);
    expect(exitCode, printed).toBe(0);
    expect(Object.keys(files()).sort(), next.path).toEqual(names);
    expect(files()[CONFIG]?.[0]).toBe(whole.files()[CONFIG]?.[0]);
    expect(Object.keys(files()).some((name) => name.endsWith('.proposed'))).toBe(false);
  }
});

test.each<[what: string, args: readonly string[], says: RegExp]>([
  ['nothing is known and no one can be asked', [], /--domain is missing: .*\n.*--host is missing/],
  ['an option is no name', ['--domain', 'http://x.test'], /--domain: .* is not a lower-case host name/],
  ['the file has another key', ['--from', 'FILE:relay: x'], /relay: expected a known key, the nearest is/],
  ['the file is no YAML', ['--from', 'FILE:a: [b'], /expected valid YAML/],
  ['the file is missing', ['--from', '/nowhere'], /\/nowhere cannot be read/],
  ['the password has two lines', ['--relay-password-file', 'FILE:a\nb'], /expected one line/],
])('it is refused, and nothing made, where %s', async (_what, args, says) => {
  const { run, files, answersFile } = createMachine();
  const named = args.map((word) => {
    if (!word.startsWith('FILE:')) return word;
    writeFileSync(answersFile, word.slice('FILE:'.length));
    return answersFile;
  });
  const { exitCode, printed } = await run(named);
  expect(exitCode).not.toBe(0);
  expect(printed).toMatch(says);
  expect(files()).toEqual({});
});

test('a person is asked, told why an answer cannot be, and does not see the password', async () => {
  const { run, files } = createMachine();
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const accepted = '';
  const names = [
    'https://praxis.test',
    'praxis.test',
    accepted,
    accepted,
    accepted,
    accepted,
    '93.184.216.10',
  ];
  const relay = ['relay.post.test', accepted, 'praxis', accepted];
  input.write(
    [...names, ...relay, 'me@home.test', accepted, 'perhaps', 'yes'].map((line) => `${line}\n`).join(''),
  );
  const { exitCode, printed } = await run(['--dry-run'], input);
  expect(exitCode, printed).toBe(0);
  expect(printed).toContain('leave out the part up to //');
  expect(printed).toContain('[mail.praxis.test]: ');
  expect(files()).toEqual({});
});

test('a password is asked for without being shown, and who ends the questions has made nothing', async () => {
  const shown: string[] = [];
  const input = new PassThrough();
  const prompter = createPrompter(input, (text) => void shown.push(text));
  const secret = prompter.askSecret('password: ');
  input.write('hunter2\n');
  expect(await secret).toBe('hunter2');
  const next = prompter.ask('name: ');
  input.end();
  await expect(next).rejects.toThrow('nothing was made');
  expect(shown.join('')).toContain('password: ');
  expect(shown.join('')).not.toContain('hunter2');
});
