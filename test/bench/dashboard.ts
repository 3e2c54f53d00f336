// The case `dashboard`: when a browser first paints the sign-in page and the page Post, beside an empty page of the same daemon in the
// same run, also on a processor four times as slow; and when the first row of a practice with a million messages is there.
import { openSqlite, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { type CaseOptions, median, spread, table } from '#test/bench/harness.ts';
import { makeInstallation, tenantFile } from '#test/bench/installation.ts';
import { fill, makeIndex, makePlaces } from '#test/bench/search.ts';
import { type Chromium, startChromium } from '#test/support/chromium.ts';
import { type Daemon, startDaemon } from '#test/support/daemon.ts';
import { cookiesOf } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';

interface List {
  readonly data: readonly { readonly id: string }[];
}

const OWNER = 'owner@example.org';
const SLOWER = 4;
/** A page of the daemon without a script, and next to nothing on it. */
const EMPTY = '/invitation/svc_inv_unknown';
/**
 * People come from another site, for which browsers give each page a process of its own. From nowhere they would do so for the
 * dashboard alone, because of its `Cross-Origin-Opener-Policy`, and the process would take longer than the page.
 */
const ANOTHER_SITE = 'data:text/html,<p>Another site</p>';
/** Loads to warm caches of the daemon and of the browser's process, before those that count. */
const WARM_UP = 1;

/** The cookie of the practice's owner, by the code from the service's own mail. */
const signedIn = async ({ request, adminToken }: Daemon, practiceId: string): Promise<string> => {
  await request('POST', `/api/practices/${practiceId}/owners`, { email: OWNER }, adminToken);
  const { body: all } = await request<List>(
    'GET',
    '/api/admin/practices?purpose=system',
    undefined,
    adminToken,
  );
  const captures = `/api/practices/${all.data[0]?.id}/captures`;
  await request('POST', '/api/auth/request-otp', { email: OWNER });
  let code: string | undefined;
  await until('the code is mailed', async () => {
    const { body: mails } = await request<List>('GET', captures, undefined, adminToken);
    for (const { id } of mails.data) {
      const { body: source } = await request<string>('GET', `${captures}/${id}`, undefined, adminToken);
      code ??= /^\s*(\d{6})\s*$/m.exec(source)?.[1];
    }
    return code !== undefined;
  });
  const { headers } = await request('POST', '/api/auth/verify-otp', { email: OWNER, code });
  return cookiesOf(headers);
};

interface Load {
  readonly path: string;
  readonly cookie?: string;
  readonly slower?: number;
  /** Of what is waited for; the first paint where absent. */
  readonly selector?: string;
}

/** Milliseconds from the navigation's start, in a browser that has nothing of the page yet. */
const load = async (chromium: Chromium, { origin }: Daemon, one: Load): Promise<number> => {
  const { path, cookie, slower = 1, selector } = one;
  const page = await chromium.newPage({ origin, ...(cookie === undefined ? {} : { cookie }) });
  const debug = await page.context().newCDPSession(page);
  await debug.send('Emulation.setCPUThrottlingRate', { rate: slower });
  const value =
    selector === undefined
      ? "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
      : `document.querySelector(${JSON.stringify(selector)}) && performance.now()`;
  await page.goto(ANOTHER_SITE);
  await page.goto(path, { waitUntil: 'commit' });
  const milliseconds = await page.evaluate<number>(`new Promise((resolve) => {
    const look = () => {
      const value = ${value};
      value ? resolve(value) : requestAnimationFrame(look);
    };
    look();
  })`);
  await chromium.closePages();
  return milliseconds;
};

export async function benchDashboard({ runs, messages, print }: CaseOptions): Promise<void> {
  await using started = new AsyncDisposableStack();
  const installation = await makeInstallation(1);
  started.defer(installation.remove);
  const practiceId = installation.practices[0]?.id ?? '';
  const db = openSqlite(tenantFile(installation, practiceId), {
    create: false,
    busyTimeoutMs: 0,
  }) as TenantDb;
  fill(db, makePlaces(db), messages);
  // Else the daemon would make it meanwhile.
  makeIndex(db, messages);
  db.close();
  const daemon = await startDaemon({ dataDir: installation.dataDir });
  started.defer(async () => void (await daemon.stop()));
  const cookie = await signedIn(daemon, practiceId);
  const chromium = await startChromium();
  started.defer(() => chromium.close());

  const post = { path: `/app/${practiceId}/post`, cookie };
  const rows: readonly (readonly [name: string, beside: string | null, load: Load])[] = [1, SLOWER].flatMap(
    (slower) => {
      const at = slower === 1 ? '' : `, processor ${slower} times slower`;
      return [
        [`an empty page${at}`, null, { path: EMPTY, slower }],
        [`sign-in${at}`, `an empty page${at}`, { path: '/app/sign-in', slower }],
        [`Post${at}`, `an empty page${at}`, { ...post, slower }],
        [`Post's first row${at}`, null, { ...post, slower, selector: 'tbody tr' }],
      ] as const;
    },
  );
  const figures = new Map(rows.map(([name]) => [name, [] as number[]]));
  for (let run = -WARM_UP; run < runs; run += 1)
    for (const [name, , one] of run % 2 === 0 ? rows : rows.toReversed()) {
      const milliseconds = await load(chromium, daemon, one);
      if (run >= 0) figures.get(name)?.push(milliseconds);
    }
  const ms = (name: string): number => median(figures.get(name) ?? []);
  print(
    table(
      ['', 'ms', 'x'],
      rows.map(([name, beside]) => [
        name,
        spread(figures.get(name) ?? []),
        beside === null ? '-' : (ms(name) / ms(beside)).toFixed(2),
      ]),
    ),
  );
  print(
    `- First contentful paint from the navigation's start, nothing cached; x: beside the empty page (wanted: at most 2).\n` +
      `- The first row among ${messages} messages: ${ms("Post's first row").toFixed(0)} ms (wanted: at most 1000).`,
  );
}
