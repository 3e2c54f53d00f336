// The house's rules, kept by reading the sources: who may import whom, what is pure, where SQL, express, timers and the
// process may appear. Every exception stands in a table here with its reason; every rule is proved on bad examples.
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type Finding,
  findAtModuleLevel,
  findImports,
  findInCode,
  type Import,
  importsOf,
  isBarrel,
  type Source,
} from '#test/support/source-rules.ts';

const SRC = join(import.meta.dirname, '..', 'src');
const sources: readonly Source[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
  .map((name) => ({ path: name.replaceAll(sep, '/'), text: readFileSync(join(SRC, name), 'utf8') }))
  .sort((a, b) => a.path.localeCompare(b.path));

interface Exception {
  /** A path below src/, or with a trailing slash all below it. */
  readonly path: string;
  readonly why: string;
}

interface Sideways {
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

const levels = {
  ground: ['kernel', 'mail', 'db', 'config', 'config.ts'],
  ledgers:
    'tenants people domains suppressions consent templates messages queue counters events notices reputation abuse waitlist'.split(
      ' ',
    ),
  stations:
    'intake content compose relay feedback tracking retention unsubscribe inbound campaigns webhooks alerts activity compat practice-mail service-mail insight billing'.split(
      ' ',
    ),
  doors: ['http', 'smtp', 'dns', 'cli', 'dashboard'],
} as const;
const order = ['ground', 'ledgers', 'stations', 'doors'] as const;

const sideways: readonly Sideways[] = [
  { from: 'db/', to: 'kernel/', why: 'storage answers with the errors of the table' },
  { from: 'config.ts', to: 'kernel/', why: 'YAML, durations and secrets are the ground’s own craft' },
  { from: 'config/', to: 'kernel/', why: 'YAML, durations and secrets are the ground’s own craft' },
  { from: 'config.ts', to: 'config/', why: 'one slice: the entry and its parts' },
  { from: 'tenants/', to: 'events/', why: 'state and event are written in one transaction' },
  { from: 'reputation/', to: 'events/', why: 'state and audit are written in one transaction' },
  { from: 'reputation/', to: 'counters/', why: 'the guardrail judges what is counted, as it is counted' },
  { from: 'reputation/', to: 'tenants/', why: 'a pause stands in the practice’s row' },
  { from: 'reputation/', to: 'notices/', why: 'owners are told of pauses and resumptions' },
  { from: 'people/', to: 'events/', why: 'state and event are written in one transaction' },
  { from: 'domains/', to: 'events/', why: 'state and event are written in one transaction' },
  { from: 'abuse/', to: 'events/', why: 'state and audit are written in one transaction' },
  { from: 'waitlist/', to: 'events/', why: 'state and audit are written in one transaction' },
  {
    from: 'people/',
    to: 'notices/',
    why: 'who is let in or invited is told in the transaction that does it',
  },
  {
    from: 'abuse/',
    to: 'notices/',
    why: 'reporters are told of each stage in the transaction that reaches it',
  },
  {
    from: 'people/',
    to: 'tenants/store.ts',
    why: 'a member’s projects, and the plan that custom roles need; reading only',
  },
  { from: 'people/', to: 'tenants/plans.ts', why: 'which plans have custom roles' },
  {
    from: 'people/',
    to: 'tenants/system-tenant.ts',
    why: 'nobody becomes a member of the practice that sends the codes',
  },
  { from: 'waitlist/', to: 'tenants/plans.ts', why: 'what is waited for' },
  { from: 'tenants/', to: 'counters/', why: 'the operator sees practices with their usage; reading only' },
  { from: 'messages/', to: 'events/', why: 'a message shows its events' },
  {
    from: 'messages/told-fields.ts',
    to: 'suppressions/rules.ts',
    why: 'what is told of a suppression names its scope and reason; the words alone',
  },
  {
    from: 'domains/',
    to: 'tenants/store.ts',
    why: 'the practice’s row says which domain is in use, written with the domain in one transaction',
  },
  { from: 'domains/', to: 'tenants/present.ts', why: 'the audit keeps the practice as the API shows it' },
  { from: 'domains/', to: 'tenants/schema.ts', why: 'a change of the domain answers with the practice' },
  { from: 'domains/', to: 'tenants/practice-routes.ts', why: 'the parameters of a practice’s routes' },
  { from: 'domains/', to: 'notices/', why: 'owners are told of records that go bad' },
  { from: 'tenants/', to: 'counters/rules.ts', why: 'the warm-up counts UTC days' },
  {
    from: 'tenants/create.ts',
    to: 'domains/',
    why: 'a managed host gets its keys in the transaction that makes its tenant',
  },
  {
    from: 'tenants/create-practice.ts',
    to: 'domains/custom/custom-domain.ts',
    why: 'a domain given at the creation is refused as one asked for later would be',
  },
  {
    from: 'messages/present.ts',
    to: 'queue/store.ts',
    why: 'a recipient shows the time of its next attempt; reading only',
  },
  {
    from: 'messages/present.ts',
    to: 'tenants/store.ts',
    why: 'a message shows the names of its project and route; reading only',
  },
  { from: 'messages/routes.ts', to: 'tenants/store.ts', why: 'a filter names a project by its slug' },
  { from: 'insight/', to: 'content/', why: 'the report of placement rates subjects' },
  { from: 'alerts/', to: 'service-mail/moment.ts', why: 'a moment is said in the same words as in mails' },
  { from: 'suppressions/', to: 'events/', why: 'state and event are written in one transaction' },
  {
    from: 'suppressions/',
    to: 'tenants/store.ts',
    why: 'a suppression names its project or route; reading only',
  },
  {
    from: 'suppressions/place.ts',
    to: 'tenants/project-routes.ts',
    why: 'who is limited to projects is refused in the same words everywhere',
  },
  { from: 'notices/', to: 'tenants/plans.ts', why: 'a notice names the plan whose cap is reached' },
  { from: 'templates/', to: 'events/', why: 'state and audit are written in one transaction' },
  {
    from: 'templates/',
    to: 'messages/kinds.ts',
    why: 'a template says for which kind of message it is made',
  },
  { from: 'templates/', to: 'tenants/practice-routes.ts', why: 'the parameters of a practice’s routes' },
  {
    from: 'templates/',
    to: 'tenants/project-routes.ts',
    why: 'who is limited to projects changes nothing that is everybody’s',
  },
  { from: 'intake/', to: 'content/', why: 'the gates ask what the content is' },
  {
    from: 'intake/',
    to: 'compose/',
    why: 'scanners of whole messages look at one as it would leave, before it is accepted',
  },
  { from: 'relay/', to: 'compose/', why: 'an attempt composes and signs its copy' },
  {
    from: 'relay/',
    to: 'feedback/take-in.ts',
    why: 'what an attempt came to is heard of a recipient too: one way from there to status, events, counters, suppressions',
  },
  {
    from: 'tracking/',
    to: 'feedback/take-in.ts',
    why: 'an open or click is heard of a recipient too, and goes the one way of all that is',
  },
  {
    from: 'feedback/',
    to: 'compose/plain-text.ts',
    why: 'the operator reads HTML as text, made within bounds',
  },
  {
    from: 'feedback/opt-out.ts',
    to: 'unsubscribe/unsubscribe.ts',
    why: 'who opts out at their provider is taken at their word like those who follow the link',
  },
  ...['service-mail', 'compat', 'campaigns', 'feedback', 'inbound', 'practice-mail', 'alerts'].map(
    (station) => ({
      from: `${station}/`,
      to: 'intake/',
      why: 'all who send go the one way in',
    }),
  ),
];

const startsTheApp: readonly Exception[] = [
  { path: 'app.ts', why: 'puts its own parts together' },
  { path: 'app/', why: 'parts of it that are made of smaller ones' },
  { path: 'main.ts', why: 'the entry' },
  { path: 'cli/serve.ts', why: 'the command that runs the daemon' },
  { path: 'cli/quickstart.ts', why: 'runs a daemon of its own and talks to it' },
];

const usesConfiguration: readonly Exception[] = [
  { path: 'app.ts', why: 'hands each part its piece' },
  { path: 'app/', why: 'parts of the composition root' },
  { path: 'main.ts', why: 'reads it before anything starts' },
  { path: 'cli/', why: 'commands begin with the configuration file' },
  { path: 'config.ts', why: 'its own entry' },
  { path: 'config/', why: 'its own slice' },
];

const holdsSql: readonly Exception[] = [{ path: 'db/', why: 'opens, migrates and commits' }];

const opensSqlite: readonly Exception[] = [
  { path: 'db/', why: 'the ground that opens files' },
  {
    path: 'cli/dns.ts',
    why: 'reads the registry beside a running daemon, read-only and without its threads',
  },
];

const readsAtImport: readonly Exception[] = [];

const largeTables: readonly Exception[] = [];

const covers = (pattern: string, path: string): boolean =>
  pattern === path || (pattern.endsWith('/') && path.startsWith(pattern));

const isExcepted = (exceptions: readonly Exception[], path: string): boolean =>
  exceptions.some((exception) => covers(exception.path, path));

const outside =
  (exceptions: readonly Exception[], rule: (source: Source) => Finding[]) =>
  (source: Source): Finding[] =>
    isExcepted(exceptions, source.path) ? [] : rule(source);

const sliceOf = (path: string): string => path.split('/')[0] ?? path;
const levelOf = (path: string): number =>
  order.findIndex((level) => levels[level].some((slice) => slice === sliceOf(path)));

const isRoot = (path: string): boolean => path === 'app.ts' || path === 'main.ts' || path.startsWith('app/');

/** The slices and levels; both ends are looked at, also of `import type`. */
const imports = (source: Source): Finding[] => {
  const { path } = source;
  if (!isRoot(path) && levelOf(path) === -1)
    return [`${path}:1 belongs to no level: put its slice into \`levels\``];
  const toApp = findImports(
    source,
    ({ target }) => isRoot(target) && !isExcepted(startsTheApp, path),
    'nobody imports the composition root; take what is needed as an argument',
  );
  if (isRoot(path)) return toApp;
  const locals = (rule: (imported: Import) => boolean) => (imported: Import) =>
    imported.isLocal && !isRoot(imported.target) && rule(imported);
  return [
    ...toApp,
    ...findImports(
      source,
      locals(({ target }) => levelOf(target) > levelOf(path) || levelOf(target) === -1),
      'imports go down only; turn the dependency round, or pass it in from app.ts',
    ),
    ...findImports(
      source,
      locals(
        ({ target }) =>
          levelOf(target) === levelOf(path) &&
          sliceOf(target) !== sliceOf(path) &&
          !sideways.some(({ from, to }) => covers(from, path) && covers(to, target)),
      ),
      'a sideways import; move what both need down, or add it to `sideways` with a reason',
    ),
  ];
};

const configuration = outside(usesConfiguration, (source) =>
  findImports(
    source,
    ({ target, isLocal }) => isLocal && /^config(\.ts$|\/)/.test(target),
    'parts get their piece of the configuration as an argument from app.ts',
  ),
);

/** What decides and does nothing else, beside files of these names in any slice. */
const PURE: readonly RegExp[] = [
  /(?:^|\/)(?:rules|gates?|outcome|routing|agenda|breaker|draft)\.ts$/,
  /^intake\/(?:gates\/[^/]+|answer|preview|usage-rules|header-rules|inline-images|invitation|pascal-fields|score|tracking)\.ts$/,
  /^mail\//,
  /^messages\/(?:decisions|search-text|timeline|told-event|told-event-schema|told-fields)\.ts$/,
  /^compose\/(?:footer|inline-parts|invitation|service-fields|tracking)\.ts$/,
  /^templates\/(?:render|presets|present)\.ts$/,
  /^alerts\/(?:slack|teams|words)\.ts$/,
  /^content\/(?:alike|assessment|attachment-policy|language|rate-content|subject-risk|words)\.ts$/,
  /^content\/(?:attachments|reading|rules)\//,
  /^content\/scanners\/(?:list-codes|rspamd-answer)\.ts$/,
  /^domains\/check\//,
  /^domains\/custom\/standing\.ts$/,
  /^domains\/domain-connect\/(?:template|groups|apply-url)\.ts$/,
  /^domains\/keys\/key-rules\.ts$/,
  /^domains\/records\/(?:wanted-records|record-texts|zone-export|organizational-domain)\.ts$/,
  /^domains\/zones\/(?:zone[^/]*|resource-record|mta-sts)\.ts$/,
  /^dns\/answer\.ts$/,
  /^feedback\/simulator\.ts$/,
  /^smtp\/(?:destination|reply-line)\.ts$/,
  /^tracking\/machines\.ts$/,
  /^webhooks\/(?:envelope|sign)\.ts$/,
  /^intake\/(?:mime-body|mime-fields|validate-emails\/(?:providers|verdict))\.ts$/,
  /^insight\/(?:dns-state|go-live-words|onboarding|placement|providers)\.ts$/,
];
const IMPURE_MODULES =
  /^(?:node:(?:fs|net|tls|dns|dgram|http|https|http2|worker_threads|child_process|timers|os|readline|perf_hooks)(?:\/.*)?|better-sqlite3|pino|express|nodemailer(?:\/.*)?|smtp-server|node-cron)$/;
const IMPURE_PARTS = /^(?:db\/|kernel\/(?:log|runner|systemd)\.ts$|(?:.*\/)?(?:[a-z-]+-)?store\.ts$)/;

const isImpure = ({ target, isLocal, typeOnly }: Import): boolean =>
  isLocal ? IMPURE_PARTS.test(target) && !typeOnly : IMPURE_MODULES.test(target);

const PURITY = 'a pure file takes facts and `now` as arguments; read them where it is called';
const clockOrChance = (source: Source): Finding[] =>
  findInCode(
    source,
    /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b|\bsystemClock\b|\bset(?:Timeout|Interval|Immediate)\b|\bfetch\(/g,
    PURITY,
  );

const isPure = ({ path }: Source): boolean => PURE.some((pattern) => pattern.test(path));
const purity = (source: Source): Finding[] =>
  isPure(source) ? [...findImports(source, isImpure, PURITY), ...clockOrChance(source)] : [];

/** Pure files and all that they use, `import type` aside; `kernel/time.ts` holds the clock and the pure arithmetic. */
const purityOfAllUsed = (all: readonly Source[]): Finding[] => {
  const byPath = new Map(all.map((source) => [source.path, source]));
  const seen = new Set<string>(['kernel/time.ts']);
  const findings: Finding[] = [];
  const follow = (source: Source, via: string): void => {
    if (seen.has(source.path)) return;
    seen.add(source.path);
    for (const finding of [...findImports(source, isImpure, PURITY), ...clockOrChance(source)])
      findings.push(`${finding} (used by ${via})`);
    for (const { target, isLocal, typeOnly } of importsOf(source)) {
      const next = isLocal && !typeOnly ? byPath.get(target) : undefined;
      if (next) follow(next, source.path);
    }
  };
  for (const source of all.filter(isPure)) follow(source, 'itself');
  return findings;
};

const isStore = (path: string): boolean => /(?:^|[/-])store\.ts$/.test(path);
const sql = outside(holdsSql, (source) =>
  isStore(source.path)
    ? []
    : findInCode(
        source,
        /\.(?:prepare|pragma)\(|\b(?:\w*[dD]b|database|connection)\.exec\(/g,
        'SQL stands in store.ts or *-store.ts of its slice only',
      ),
);

const sqlite = outside(opensSqlite, (source) =>
  findImports(
    source,
    ({ target }) => target === 'better-sqlite3',
    'files are opened in db/; take a connection as an argument',
  ),
);

const packageHomes: readonly { readonly name: RegExp; readonly homes: readonly string[] }[] = [
  { name: /^express$/, homes: ['http/'] },
  { name: /^smtp-server(?:\/|$)/, homes: ['smtp/'] },
  { name: /^nodemailer(?:\/|$)/, homes: ['compose/', 'relay/'] },
];
const packages = (source: Source): Finding[] =>
  packageHomes.flatMap(({ name, homes }) =>
    homes.some((home) => covers(home, source.path))
      ? []
      : findImports(
          source,
          ({ target, isLocal }) => !isLocal && name.test(target),
          `belongs into ${homes.join(' and ')} only`,
        ),
  );

const processOnlyInMain = outside([{ path: 'main.ts', why: 'the entry' }], (source) => [
  ...findImports(
    source,
    ({ target }) => /^(?:node:)?process$/.test(target),
    'only main.ts touches the process; take what is needed as an argument',
  ),
  ...findInCode(
    source,
    /(?<![.\w$])(?:globalThis\.)?process\s*(?:\?\.|\.|\[)/g,
    'only main.ts touches the process; take what is needed as an argument',
  ),
]);

const nothingAtImport = (source: Source): Finding[] => [
  ...findAtModuleLevel(
    source,
    /\b(?:setTimeout|setInterval|setImmediate|createServer|createConnection|createSocket|new Worker|fetch)\s*\(|\b(?:net|tls|dgram|socket|server)\.(?:connect|listen|bind)\s*\(/g,
    'nothing starts at import; start it in a function that also returns a stop()',
  ),
  ...outside(readsAtImport, (file) =>
    findAtModuleLevel(
      file,
      /\b(?:(?:read|write|open|stat|exists|mkdir|readdir)\w*Sync|(?<!\.)readFile|(?<!\.)writeFile)\s*\(/g,
      'no file is touched at import; read it in a function',
    ),
  )(source),
];

const folders = ({ path }: Source): Finding[] =>
  /(?:^|\/)(?:utils?|helpers?|common|services?)(?:\/|\.ts$)/.test(path)
    ? [`${path}:1 names no subject: put it into the slice that uses it, or name what it is about`]
    : [];

const barrels = (source: Source): Finding[] =>
  isBarrel(source) ? [`${source.path}:1 only hands on exports: import from where they are`] : [];

const defaultExports = (source: Source): Finding[] =>
  findInCode(source, /\bexport\s+default\b|\bas\s+default\s*\}/g, 'export it by its name');

const MAX_LINES = 400;
const size = outside(largeTables, ({ path, text }) => {
  const lines = text.trimEnd().split('\n').length;
  return lines > MAX_LINES ? [`${path}:${MAX_LINES + 1} has ${lines} lines: split it by subject`] : [];
});

const findAll = (rule: (source: Source) => Finding[]): Finding[] => sources.flatMap(rule);
const messageOf = (findings: readonly Finding[]): string => findings.join('\n');

interface Rule {
  readonly says: string;
  readonly rule: (source: Source) => Finding[];
  readonly bad: readonly (readonly [path: string, text: string])[];
  readonly good: readonly (readonly [path: string, text: string])[];
}

const rules: readonly Rule[] = [
  {
    says: 'imports go down, and sideways only where the table allows it',
    rule: imports,
    bad: [
      ['messages/store.ts', "import { accept } from '#src/intake/accept.ts';"],
      ['messages/store.ts', "import type { Draft } from '#intake/draft.ts';"],
      ['messages/store.ts', "const late = await import('#src/http/door.ts');"],
      ['kernel/time.ts', "import { parseReply } from '#src/mail/reply.ts';"],
      ['mail/verp.ts', "import { AppError } from '#src/kernel/errors.ts';"],
      ['people/tokens.ts', "import {\n  messageStore,\n} from '#src/messages/store.ts';"],
      ['queue/store.ts', "export { messageStore } from '#src/messages/store.ts';"],
      ['compose/mime.ts', "import { accept } from '#src/intake/accept.ts';"],
      ['http/door.ts', "import { answer } from '#src/domains/dns/answer.ts';"],
      ['http/door.ts', "import type { App } from '#src/app/app.ts';"],
      ['cli/config.ts', "import { version } from '#app.ts/';"],
      ['tenants/create.ts', "import '#src/main.ts';"],
      ['gadgets/store.ts', 'export const x = 1;'],
      ['relay/claim.ts', "import { x } from '#src/gadgets/x.ts';"],
    ],
    good: [
      ['intake/accept.ts', "import { messageStore } from '#src/messages/store.ts';"],
      ['messages/store.ts', "import { kinds } from './kinds.ts';"],
      ['messages/store.ts', "// import { accept } from '#src/intake/accept.ts';"],
      ['messages/store.ts', 'const quoted = "import { accept } from \'#src/intake/accept.ts\'";'],
      ['app.ts', "import { createHttpDoor } from './http/door.ts';"],
      ['cli/serve.ts', "import { createApp } from '#src/app/app.ts';"],
    ],
  },
  {
    says: 'parts get their configuration as an argument',
    rule: configuration,
    bad: [
      ['relay/claim.ts', "import type { Config } from '#src/app/config/config.ts';"],
      ['http/door.ts', "import { formatListen } from '#config/values.ts';"],
    ],
    good: [['relay/claim.ts', "import { x } from './app/config/config.ts';"]],
  },
  {
    says: 'rules, gates and mail craft are pure',
    rule: purity,
    bad: [
      ['messages/rules.ts', "import { readFileSync } from 'node:fs';"],
      ['mail/dsn.ts', "import { resolve } from 'node:dns/promises';"],
      ['mail/dsn.ts', "import type { Log } from 'pino';"],
      ['relay/routing.ts', "import { createLog } from '#src/kernel/log.ts';"],
      ['queue/rules.ts', "import { queueStore } from './store.ts';"],
      ['kernel/breaker.ts', 'export const now = () => Date.now();'],
      ['kernel/breaker.ts', "import { systemClock } from '#src/kernel/time.ts';"],
      ['intake/gates.ts', 'const today = () => new Date();'],
      ['domains/zones/zone-records.ts', 'const started = () => performance.now();'],
      ['dns/answer.ts', "import net from 'node:net';"],
    ],
    good: [
      ['mail/verp.ts', "import { createHmac } from 'node:crypto';"],
      ['intake/draft.ts', "import type { RecipientField } from '#src/messages/store.ts';"],
      ['kernel/breaker.ts', 'const iso = (at: number) => new Date(at).toISOString(); // not Date.now()'],
      ['relay/claim.ts', "import { readFile } from 'node:fs/promises';"],
    ],
  },
  {
    says: 'SQL stands in stores and in db/',
    rule: sql,
    bad: [
      ['relay/claim.ts', "db.prepare('SELECT 1').get();"],
      ['messages/search.ts', "tenantDb.exec('DELETE FROM t');"],
      ['cli/dns.ts', "const v = db.pragma('user_version');"],
      ['messages/restore.ts', "db.prepare('SELECT 1');"],
    ],
    good: [
      ['people/credential-store.ts', "db.prepare('SELECT 1');"],
      ['db/migrate.ts', 'db.exec(sql);'],
      ['mail/reply.ts', 'const found = LINE.exec(text) ?? /a(b)/.exec(text);'],
      ['relay/claim.ts', 'const text = "db.prepare(\'SELECT 1\')"; /* db.prepare( */'],
    ],
  },
  {
    says: 'database files are opened in db/',
    rule: sqlite,
    bad: [['tenants/create.ts', "import Database from 'better-sqlite3';"]],
    good: [['db/sqlite.ts', "import Database from 'better-sqlite3';"]],
  },
  {
    says: 'express, smtp-server and nodemailer stay behind their doors',
    rule: packages,
    bad: [
      ['intake/routes.ts', "import express from 'express';"],
      ['relay/smtp/session.ts', "import { SMTPServer } from 'smtp-server';"],
      ['feedback/receive.ts', "import c from 'nodemailer/lib/smtp-connection';"],
    ],
    good: [
      ['http/door.ts', "import express from 'express';"],
      ['relay/smtp/connect.ts', "import c from 'nodemailer/lib/smtp-connection';"],
    ],
  },
  {
    says: 'only main.ts touches the process',
    rule: processOnlyInMain,
    bad: [
      ['app.ts', "import process from 'node:process';"],
      ['relay/claim.ts', 'const home = process.env.HOME;'],
      ['relay/claim.ts', 'const text = `$' + '{process.pid}`;'],
      ['kernel/log.ts', "const home = globalThis.process['env'];"],
    ],
    good: [
      ['relay/claim.ts', "// process.env\nconst line = 'process.exit()'; job.process.run();"],
      ['main.ts', "import process from 'node:process';"],
    ],
  },
  {
    says: 'nothing starts and no file is read at import',
    rule: nothingAtImport,
    bad: [
      ['kernel/x.ts', 'setInterval(() => 1, 1000);'],
      ['kernel/x.ts', 'export const timer = setTimeout(tick, 5);'],
      ['kernel/x.ts', 'export const parts = {\n  server: createServer(),\n};'],
      ['kernel/x.ts', "const text = readFileSync('a');"],
      ['kernel/x.ts', "const f = () => {\n  return 1;\n};\nawait readFile('a');"],
    ],
    good: [
      ['kernel/x.ts', 'export const start = () => setInterval(tick, 1_000);'],
      ['kernel/x.ts', 'export function start() {\n  return setTimeout(tick, 5);\n}'],
      ['kernel/x.ts', 'export const x = {\n  start() {\n    setTimeout(tick, 5);\n  },\n};'],
    ],
  },
  {
    says: 'no folder without a subject',
    rule: folders,
    bad: [
      ['kernel/utils/x.ts', ''],
      ['helpers/x.ts', ''],
      ['relay/common.ts', ''],
    ],
    good: [['kernel/service-name.ts', '']],
  },
  {
    says: 'no barrel files',
    rule: barrels,
    bad: [
      ['mail/index.ts', "// All of it.\nexport { a } from './a.ts';\nexport type { B } from './b.ts';\n"],
      ['mail/index.ts', "import { a } from './a.ts';\nexport { a };\n"],
      ['mail/index.ts', "export * from './a.ts';\nexport const b = 1;\n"],
    ],
    good: [['mail/a.ts', "import { b } from './b.ts';\nexport const a = b;\n"]],
  },
  {
    says: 'no default exports',
    rule: defaultExports,
    bad: [
      ['mail/a.ts', 'export default class {}'],
      ['mail/a.ts', 'export { a as default };'],
    ],
    good: [['mail/a.ts', "const text = 'export default';"]],
  },
  {
    says: 'no file of logic is longer than 400 lines',
    rule: size,
    bad: [['mail/a.ts', 'x;\n'.repeat(401)]],
    good: [['mail/a.ts', 'x;\n'.repeat(400)]],
  },
];

describe('the sources keep the rules', () => {
  test.each(rules)('$says', ({ rule }) => {
    const findings = findAll(rule);
    expect(findings, messageOf(findings)).toEqual([]);
  });

  test('what pure files use is pure as well', () => {
    const findings = purityOfAllUsed(sources);
    expect(findings, messageOf(findings)).toEqual([]);
  });

  test('the tables name only what exists and is used', () => {
    const allImports = sources.flatMap((source) =>
      importsOf(source).map(({ target }) => ({ from: source.path, to: target })),
    );
    const exceptions = [startsTheApp, usesConfiguration, holdsSql, opensSqlite, readsAtImport, largeTables];
    const missing = exceptions
      .flat()
      .filter(({ path }) => !sources.some((source) => covers(path, source.path)))
      .map(({ path }) => `${path} is excepted but does not exist: remove the row`);
    // Rows for whole slices stand for the plan; rows for single files must still be needed.
    const unused = sideways
      .filter(({ from }) => !from.endsWith('/'))
      .filter((row) => !allImports.some(({ from, to }) => covers(row.from, from) && covers(row.to, to)))
      .map(({ from, to }) => `${from} -> ${to} is allowed but not used: remove the row`);
    expect([...missing, ...unused]).toEqual([]);
  });
});

describe('each rule finds what breaks it', () => {
  const bad = rules.flatMap(({ says, rule, bad }) => bad.map(([path, text]) => ({ says, rule, path, text })));
  const good = rules.flatMap(({ says, rule, good }) =>
    good.map(([path, text]) => ({ says, rule, path, text })),
  );

  test.each(bad)('$says: not $path with $text', ({ rule, path, text }) => {
    const findings = rule({ path, text });
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatch(/^[\w/.-]+:\d+ .+/);
  });

  test.each(good)('$says: $path with $text is fine', ({ rule, path, text }) => {
    expect(rule({ path, text })).toEqual([]);
  });

  test('impurity is followed through what a pure file uses', () => {
    const all = [
      { path: 'queue/rules.ts', text: "import { a } from './a.ts';" },
      { path: 'queue/a.ts', text: "import type { Log } from '#src/kernel/log.ts';\n\nDate.now();" },
    ];
    expect(purityOfAllUsed(all)).toEqual([expect.stringContaining('queue/a.ts:3 Date.now')]);
  });

  test('a finding names the line of the statement', () => {
    const text = "// one\nimport { x } from './x.ts';\nimport {\n  y,\n} from '#src/http/door.ts';\n";
    expect(imports({ path: 'kernel/a.ts', text })).toEqual([
      expect.stringMatching(/^kernel\/a\.ts:3 imports http\/door\.ts/),
    ]);
  });
});
