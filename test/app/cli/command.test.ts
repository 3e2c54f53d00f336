import { expect, test } from 'vitest';
import {
  type Command,
  configOption,
  defineCommand,
  readCommandLine,
  UsageError,
} from '#src/app/cli/command.ts';

/** Says what it was called with. */
const commands: readonly Command[] = [
  defineCommand({
    name: 'serve',
    summary: 'run the daemon',
    options: { config: configOption },
    run: (values) => ({ exitCode: 0, output: JSON.stringify(values) }),
  }),
  defineCommand({
    name: 'admin plan',
    summary: 'put a practice on a plan',
    options: {
      practice: { value: 'ID|SLUG', required: true, about: 'the practice' },
      note: { value: 'TEXT', about: 'why' },
      json: { about: 'print JSON' },
    },
    run: (values, { LANG }) => ({ exitCode: 0, output: JSON.stringify({ ...values, LANG }) }),
  }),
  defineCommand({
    name: 'admin plans',
    summary: 'list the plans',
    options: {},
    run: () => ({ exitCode: 0, output: 'plans' }),
  }),
];

const read = (line: string) => readCommandLine(line === '' ? [] : line.split(' '), commands);
const outputOf = async (line: string) => {
  const asked = read(line);
  if ('usage' in asked) throw new Error(`only a usage: ${asked.usage}`);
  return (await asked.run({ LANG: 'de' })).output;
};

test.each([
  ['serve', '{"config":"config/service.yaml"}'],
  ['serve --config a.yaml', '{"config":"a.yaml"}'],
  ['--config a.yaml serve', '{"config":"a.yaml"}'],
  ['admin plan --practice x', '{"practice":"x","json":false,"LANG":"de"}'],
  ['admin plan --json --practice=-x --note n', '{"practice":"-x","note":"n","json":true,"LANG":"de"}'],
  ['admin plans', 'plans'],
])('`%s` runs with its values', async (line, output) => {
  expect(await outputOf(line)).toBe(output);
});

test.each([
  ['admin plam --practice x', 'unknown command: admin plam; the nearest is `admin plan`'],
  ['gibberish', 'unknown command: gibberish'],
  ['admin', 'admin is followed by one of: plan, plans'],
  ['admin plan', 'admin plan: --practice ID|SLUG is missing'],
  ['admin plan --practice=', 'admin plan: --practice is empty'],
  ['admin plan --practice', 'admin plan: --practice needs a value: ID|SLUG'],
  ['admin plan --practice --json', 'admin plan: --practice needs a value: ID|SLUG'],
  ['admin plan --practice x --json=yes', 'admin plan: --json takes no value'],
  ['admin plan --practise x', 'admin plan: unknown option --practise; the nearest is --practice'],
  ['admin plan -x', 'admin plan: unknown option -x'],
  ['admin plan --practice x y', 'admin plan: unexpected argument y'],
  ['admin plans --config a.yaml', 'admin plans: unknown option --config'],
])('`%s` is refused: %s', (line, message) => {
  expect(() => read(line)).toThrow(new UsageError(message));
});

test('without a command, the usage is the refusal', () => {
  expect(() => read('')).toThrow(UsageError);
  expect(() => read('')).toThrow(/^Usage: sendwerk <command>.*admin plan {2,}put a practice on a plan/s);
});

test.each(['help', '--help', '-h'])('`%s` lists all commands', (line) => {
  expect(read(line)).toEqual({
    usage: `Usage: sendwerk <command> [options]

  serve         run the daemon
  admin plan    put a practice on a plan
  admin plans   list the plans

\`sendwerk <command> --help\` describes its options.
`,
  });
});

test('`admin --help` lists what follows', () => {
  const asked = read('admin --help');
  expect(asked).toEqual({ usage: expect.stringContaining('admin plans') });
  expect(asked).toEqual({ usage: expect.not.stringContaining('serve') });
});

test('`<command> --help` describes its options, also where others are missing', () => {
  expect(read('admin plan --help')).toEqual({
    usage: `Usage: sendwerk admin plan --practice ID|SLUG [--note TEXT] [--json]

put a practice on a plan

  --practice ID|SLUG   the practice
  --note TEXT          why
  --json               print JSON
`,
  });
  expect(read('serve -h')).toEqual({
    usage: expect.stringContaining(
      '--config FILE   the configuration file; config/service.yaml where absent',
    ),
  });
});
