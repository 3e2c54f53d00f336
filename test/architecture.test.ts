// Keeps the house's rules by reading the sources: who may import whom, what is pure, and where SQL, libraries and the
// process may appear. Each rule is proved on sources that break it.
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOMS } from '#test/support/rooms.ts';
import {
  type Finding,
  findAtModuleLevel,
  findImports,
  findInCode,
  type Import,
  importsOf,
  isBarrel,
  mask,
  type Source,
} from '#test/support/source-rules.ts';

const SRC = join(import.meta.dirname, '..', 'src');
const sources: readonly Source[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  // What runs in browsers has rules of its own, below.
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts') && !name.startsWith('dashboard'))
  .map((name) => ({ path: name.replaceAll(sep, '/'), text: readFileSync(join(SRC, name), 'utf8') }))
  .sort((a, b) => a.path.localeCompare(b.path));

// These only go down: lower them with the house. To raise one, docs/decisions/ gets a line that says what was tried instead.
const MAX_ROOMS = 21;
const MAX_FLOORS = 10;
const MAX_ARROWS = 98;
const MAX_LINES = 400;

const roomOf = (path: string): string => path.split('/')[0] ?? path;
const levelOf = (path: string): number => ROOMS.indexOf(roomOf(path));
const isIn = (path: string, places: readonly string[]): boolean =>
  places.some((place) => place === path || (place.endsWith('/') && path.startsWith(place)));
const localImports = (source: Source): Import[] => importsOf(source).filter(({ isLocal }) => isLocal);

const importsGoDown = (source: Source): Finding[] =>
  levelOf(source.path) === -1
    ? [`${source.path}:1 is in no room: put its folder into ROOMS`]
    : findImports(
        source,
        ({ isLocal, target }) =>
          isLocal &&
          (levelOf(target) < levelOf(source.path) ||
            (roomOf(source.path) === 'kernel' && roomOf(target) === 'mail')),
        'imports go down only: turn the dependency round, or take it as an argument of open…()',
      );

/** What decides and does nothing else: files of these names, all of mail/, and each file whose opening comment says "Pure.". */
const PURE_NAMES = /(?:^|\/)(?:rules|gates?|outcome|routing)\.ts$|(?:^|\/)gates\/|^mail\//;
const openingComment = (text: string): string =>
  /^(?:\/\/[^\n]*\n)*/.exec(text)?.[0].replace(/\n\/\/ ?/g, ' ') ?? '';
const isPure = ({ path, text }: Source): boolean =>
  PURE_NAMES.test(path) || /\bPure[.:,;]/.test(openingComment(text));
const IMPURE_MODULES =
  /^(?:node:(?:fs|net|tls|dns|dgram|https?|http2|worker_threads|child_process|timers|os|readline|perf_hooks)(?:\/.*)?|better-sqlite3|pino|express|nodemailer(?:\/.*)?|smtp-server|node-cron)$/;
const IMPURE_FILES = /^kernel\/(?:db\/|(?:log|job|systemd)\.ts$)|(?:^|[/-])store\.ts$/;
const PURITY = 'a pure file takes facts and `now` as arguments: read them where it is called';
const impurities = (source: Source): Finding[] => [
  ...findImports(
    source,
    ({ target, isLocal, typeOnly }) => !typeOnly && (isLocal ? IMPURE_FILES : IMPURE_MODULES).test(target),
    PURITY,
  ),
  ...findInCode(
    source,
    /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b|\bsystemClock\b|\bset(?:Timeout|Interval|Immediate)\b|\bfetch\(/g,
    PURITY,
  ),
];

/** Also of what pure files import; kernel/time.ts holds the clock beside the pure arithmetic of times. */
const purity = (all: readonly Source[]): Finding[] => {
  const byPath = new Map(all.map((source) => [source.path, source]));
  const seen = new Set(['kernel/time.ts']);
  const follow = (source: Source): Finding[] => {
    if (seen.has(source.path)) return [];
    seen.add(source.path);
    const next = localImports(source).flatMap(({ target, typeOnly }) =>
      typeOnly ? [] : (byPath.get(target) ?? []),
    );
    return [...impurities(source), ...next.flatMap(follow)];
  };
  return all.filter(isPure).flatMap(follow);
};

/** Files that import each other in a circle, types included. */
const circles = (all: readonly Source[]): Finding[] => {
  const targets = new Map(
    all.map((source) => [source.path, localImports(source).map(({ target }) => target)] as const),
  );
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): Finding[] => {
    if (way.includes(path)) return [[...way.slice(way.indexOf(path)), path].join(' -> ')];
    if (done.has(path)) return [];
    const found = (targets.get(path) ?? []).flatMap((target) => visit(target, [...way, path]));
    done.add(path);
    return found;
  };
  return all.flatMap(({ path }) => visit(path, []));
};

/** Where a package may be imported. */
const HOMES: Readonly<Record<string, readonly string[]>> = {
  express: ['http/'],
  'smtp-server': ['smtp/strict-server.ts'],
  nodemailer: ['relay/smtp/connect.ts'],
  'better-sqlite3': ['kernel/db/'],
  pino: ['kernel/log.ts'],
  'node-cron': ['kernel/job.ts'],
  'prom-client': ['operations/metrics/registry.ts'],
  stripe: ['accounts/billing/stripe.ts'],
  mrml: ['intake/documents/render-mjml.ts'],
  sharp: ['intake/images/remake.ts'],
  process: ['main.ts'],
};
const packageHomes = (source: Source): Finding[] =>
  Object.entries(HOMES).flatMap(([name, homes]) =>
    isIn(source.path, homes)
      ? []
      : findImports(
          source,
          ({ target, isLocal }) => !isLocal && target.replace(/^node:/, '').split('/')[0] === name,
          `belongs into ${homes.join(' and ')} only`,
        ),
  );

const processInMain = (source: Source): Finding[] =>
  source.path === 'main.ts'
    ? []
    : findInCode(
        source,
        /(?<![.\w$])(?:globalThis\.)?process\s*(?:\?\.|\.|\[)/g,
        'only main.ts touches the process: take what is needed as an argument',
      );

const READ_ONE_BY_ONE = 'kernel/db/sqlite.ts';
const liveIterators = (source: Source): Finding[] =>
  source.path === READ_ONE_BY_ONE
    ? []
    : findInCode(
        source,
        /\biterate\s*\(/g,
        `a statement that is left in the middle blocks its file: use eachRow of ${READ_ONE_BY_ONE}`,
      );

const sqlInStores = (source: Source): Finding[] =>
  /(?:^|[/-])store\.ts$/.test(source.path) || isIn(source.path, ['kernel/db/'])
    ? []
    : findInCode(
        source,
        /\.(?:prepare|pragma)\(|\b(?:\w*[dD]b|database|connection)\.exec\(/g,
        'SQL is in store.ts or *-store.ts only',
      );

const nothingAtImport = (source: Source): Finding[] => [
  ...findAtModuleLevel(
    source,
    /\b(?:setTimeout|setInterval|setImmediate|createServer|createConnection|createSocket|new Worker|fetch)\s*\(|\b(?:net|tls|dgram|socket|server)\.(?:connect|listen|bind)\s*\(/g,
    'nothing starts at import: start it in a function that also returns a stop()',
  ),
  ...findAtModuleLevel(
    source,
    /\b(?:(?:read|write|open|stat|exists|mkdir|readdir)\w*Sync|(?<!\.)readFile|(?<!\.)writeFile)\s*\(/g,
    'no file is touched at import: read it in a function',
  ),
];

const names = (source: Source): Finding[] => [
  ...(/(?:^|\/)(?:utils?|helpers?|common|services?)(?:\/|\.ts$)/.test(source.path)
    ? [`${source.path}:1 names no subject: put it into the room that uses it`]
    : []),
  ...(isBarrel(source) ? [`${source.path}:1 only re-exports: import from where things are`] : []),
  ...findInCode(source, /\bexport\s+default\b|\bas\s+default\s*\}/g, 'export it by its name'),
];

/** Tables of data may be longer: a file without a function. */
const size = ({ path, text }: Source): Finding[] => {
  const lines = text.trimEnd().split('\n').length;
  return lines > MAX_LINES && /=>|\bfunction\b/.test(mask(text).code)
    ? [`${path}:${MAX_LINES + 1} has ${lines} lines: split it by subject`]
    : [];
};

/** The first word of a comment that says something about a thing without naming it. */
const FRAGMENT =
  /(?:\/\*\*\s+(?:\* )?|^(?<!\/\/[^\n]*\n)[\t ]*\/\/ )((?:Of|By|As(?! (?:long|soon|far) as)|(?:At|For|From|In|On|To|Under|With) wh(?:ich|om))\b)/gm;
const fragments = ({ path, text }: Source): Finding[] =>
  [...text.matchAll(FRAGMENT)].map(
    ({ 0: { length }, 1: word, index }) =>
      `${path}:${text.slice(0, index + length).split('\n').length} begins with "${word}": begin the comment with what it describes, as in "The language of the mail."`,
  );

interface Rule {
  readonly says: string;
  readonly find: (all: readonly Source[]) => Finding[];
  /** Sources, as path and text, which break the rule once each. */
  readonly bad: readonly (readonly [path: string, text: string])[];
  readonly good: readonly (readonly [path: string, text: string])[];
}
const each = (rule: (source: Source) => Finding[]) => (all: readonly Source[]) => all.flatMap(rule);

const rules: readonly Rule[] = [
  {
    says: 'imports go down, types included',
    find: each(importsGoDown),
    bad: [
      ['messages/store.ts', "import { accept } from '#src/intake/accept.ts';"],
      ['messages/store.ts', "import type { Draft } from '../intake/draft.ts';"],
      ['messages/store.ts', "const late = await import('#src/http/server.ts');"],
      ['accounts/x.ts', "import {\n  messageStore,\n} from '#src/messages/store.ts';"],
      ['kernel/time.ts', "import { parseReply } from '#src/mail/reply.ts';"],
      ['mail/verp.ts', "export { AppError } from '#src/kernel/errors.ts';"],
      ['http/server.ts', "import type { App } from '#src/app/app.ts';"],
      ['gadgets/store.ts', 'export const x = 1;'],
    ],
    good: [
      ['intake/accept.ts', "import { messageStore } from '#src/messages/store.ts';"],
      ['messages/store.ts', "// import { accept } from '#src/intake/accept.ts';"],
      ['messages/store.ts', 'const quoted = "import { accept } from \'#src/intake/accept.ts\'";'],
    ],
  },
  {
    says: 'no circle of imports, types included',
    find: (all) => circles([...all, { path: 'mail/b.ts', text: "import type { A } from './a.ts';" }]),
    bad: [['mail/a.ts', "import { b } from './b.ts';"]],
    good: [['mail/c.ts', "import { b } from './b.ts';"]],
  },
  {
    says: 'what decides is pure, and what it imports',
    find: (all) =>
      purity([...all, { path: 'intake/chance.ts', text: '\nexport const now = () => Date.now();' }]),
    bad: [
      ['messages/rules.ts', "import { readFileSync } from 'node:fs';"],
      ['mail/dsn.ts', "import type { Log } from 'pino';\nimport { resolve } from 'node:dns/promises';"],
      ['messages/queue/rules.ts', "import { queueStore } from './store.ts';"],
      ['intake/answer.ts', '// Answers. Pure.\nconst today = () => new Date();'],
      ['intake/gates.ts', "import { now } from './chance.ts';"],
    ],
    good: [
      ['mail/verp.ts', "import { createHmac } from 'node:crypto';"],
      ['intake/draft.ts', "// Drafts. Pure.\nimport type { RecipientField } from '#src/messages/store.ts';"],
      ['relay/claim.ts', "import { readFile } from 'node:fs/promises';"],
    ],
  },
  {
    says: 'SQL is in stores and in kernel/db/',
    find: each(sqlInStores),
    bad: [
      ['relay/claim.ts', "db.prepare('SELECT 1').get();"],
      ['messages/search.ts', "tenantDb.exec('DELETE FROM t');"],
    ],
    good: [
      ['people/credential-store.ts', "db.prepare('SELECT 1');"],
      ['mail/reply.ts', 'const found = LINE.exec(text) ?? /a(b)/.exec(text);'],
      ['relay/claim.ts', 'const text = "db.prepare(\'SELECT 1\')"; /* db.prepare( */'],
    ],
  },
  {
    says: 'no statement is left in the middle of its rows',
    find: each(liveIterators),
    bad: [
      ['inbound/store.ts', 'const after = (seq) => rows.iterate(seq);'],
      ['kernel/db/memory.ts', 'for (const row of statement.iterate()) yield row;'],
    ],
    good: [
      ['inbound/store.ts', 'const after = (seq) => eachRow(rows, seq);'],
      [READ_ONE_BY_ONE, 'for (const row of statement.iterate()) visit(row);'],
    ],
  },
  {
    says: 'libraries and the process stay in their rooms',
    find: each((source) => [...packageHomes(source), ...processInMain(source)]),
    bad: [
      ['intake/routes.ts', "import express from 'express';"],
      ['accounts/tenants/create.ts', "import Database from 'better-sqlite3';"],
      ['relay/smtp/session.ts', "import { SMTPServer } from 'smtp-server';"],
      ['feedback/receive.ts', "import c from 'nodemailer/lib/smtp-connection';"],
      ['app/app.ts', "import { env } from 'node:process';"],
      ['relay/claim.ts', 'const home = process.env.HOME;'],
    ],
    good: [['relay/claim.ts', "// process.env\nconst line = 'process.exit()'; job.process.run();"]],
  },
  {
    says: 'nothing starts and no file is read at import',
    find: each(nothingAtImport),
    bad: [
      ['kernel/x.ts', 'export const timer = setTimeout(tick, 5);'],
      ['kernel/x.ts', "const f = () => {\n  return 1;\n};\nawait readFile('a');"],
    ],
    good: [['kernel/x.ts', 'export const start = () => setInterval(tick, 1_000);']],
  },
  {
    says: 'names have a subject: no utils, no barrel, no default export',
    find: each(names),
    bad: [
      ['kernel/utils/x.ts', ''],
      ['mail/index.ts', "export { a } from './a.ts';\nexport type { B } from './b.ts';\n"],
      ['mail/a.ts', 'export default class {}'],
    ],
    good: [['kernel/service-name.ts', "const text = 'export default';"]],
  },
  {
    says: 'a comment begins with what it describes, not with "Of", "By", "As" or "In which"',
    find: each(fragments),
    bad: [
      ['mail/a.ts', '/** Of the tenant. */'],
      ['mail/a.ts', '/**\n   * By id or slug; undefined\n   * if there is none.\n   */'],
      ['mail/a.ts', '  // As it came, line by line.\n  // Of all lines.'],
      ['mail/a.ts', '/** From which mail goes out. */'],
    ],
    good: [
      ['mail/a.ts', '/** The language of the mail. */\n// As long as it is kept, it counts.'],
      [
        'mail/a.ts',
        '// A line ends here.\n// By these words the next sentence begins.\nconst a = 1; // Of one line.',
      ],
    ],
  },
  {
    says: `no file of logic is longer than ${MAX_LINES} lines`,
    find: each(size),
    bad: [['mail/a.ts', `const f = () => 1;\n${'x;\n'.repeat(MAX_LINES)}`]],
    good: [['mail/a.ts', "'data',\n".repeat(MAX_LINES + 1)]],
  },
];

describe.each(rules)('$says', ({ find, bad, good }) => {
  test('in all sources', () => {
    const findings = find(sources);
    expect(findings, findings.join('\n')).toEqual([]);
  });
  test.each(bad)('not in %s: %s', (path, text) => {
    expect(find([{ path, text }])).toHaveLength(1);
  });
  test.each(good)('well in %s: %s', (path, text) => {
    expect(find([{ path, text }])).toEqual([]);
  });
});

test('the dashboard imports its own files, the types of the API, and packages; it sets no markup from strings', () => {
  const files = readdirSync(join(SRC, 'dashboard'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => ({
      path: `dashboard/${name.replaceAll(sep, '/')}`,
      text: readFileSync(join(SRC, 'dashboard', name), 'utf8'),
    }));
  expect(files.length).toBeGreaterThan(0);
  expect(circles(files)).toEqual([]);
  const findings = files.flatMap((file) => [
    ...findImports(
      file,
      ({ target, isLocal }) =>
        isLocal ? roomOf(target) !== 'dashboard' : /^(?:node:|#(?!api$|dashboard\/))/.test(target),
      'a page shares only types with the daemon, by its API',
    ),
    ...findInCode(
      file,
      /\b(?:inner|outer)HTML\b|\binsertAdjacentHTML\b|\bdangerouslySetInnerHTML\b|\beval\(/g,
      'no markup from strings',
    ),
    ...size(file),
    ...fragments(file),
  ]);
  expect(findings, findings.join('\n')).toEqual([]);
});

test('the house stays small: rooms, floors and arrows', () => {
  const arrows = new Map(ROOMS.map((room): [string, Set<string>] => [room, new Set()]));
  for (const source of sources)
    for (const { target } of localImports(source))
      if (roomOf(target) !== roomOf(source.path)) arrows.get(roomOf(source.path))?.add(roomOf(target));
  const floorOf = (room: string): number => 1 + Math.max(0, ...[...(arrows.get(room) ?? [])].map(floorOf));
  const house = {
    rooms: new Set(sources.map(({ path }) => roomOf(path))).size,
    floors: Math.max(...ROOMS.map(floorOf)),
    arrows: [...arrows.values()].reduce((sum, { size }) => sum + size, 0),
  };
  expect(house.rooms, JSON.stringify(house)).toBeLessThanOrEqual(MAX_ROOMS);
  expect(house.floors, JSON.stringify(house)).toBeLessThanOrEqual(MAX_FLOORS);
  expect(house.arrows, JSON.stringify(house)).toBeLessThanOrEqual(MAX_ARROWS);
});
