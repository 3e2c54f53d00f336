// `npm run bench -- CASE [--runs N] [--messages N] [--only peers|ours]`: measures the daemon beside its peers, in the
// same run on the same machine. Exit code 1 where a message was lost or doubled. A whole run writes its section of
// bench/RESULTS.md; one that is smaller than usual is only printed. Of `budget`, `--statements` lists what was counted and
// `--keep` adds to the trend.
import process from 'node:process';
import { parseArgs } from 'node:util';
import { benchAccept } from '#test/bench/accept.ts';
import { benchBackup } from '#test/bench/backup.ts';
import { benchBudget } from '#test/bench/budget.ts';
import { benchBulk } from '#test/bench/bulk.ts';
import { benchCampaign } from '#test/bench/campaign.ts';
import { benchDashboard } from '#test/bench/dashboard.ts';
import { benchDepth } from '#test/bench/depth.ts';
import type { CaseOptions } from '#test/bench/harness.ts';
import { benchInbound } from '#test/bench/inbound.ts';
import { benchLongWork } from '#test/bench/long-work.ts';
import { benchRedirect } from '#test/bench/redirect.ts';
import { describeEnvironment, rsaMillis, writeSection } from '#test/bench/results.ts';
import { benchSearch } from '#test/bench/search.ts';
import { benchSend, benchSubmission } from '#test/bench/send.ts';
import { benchSoak } from '#test/bench/soak.ts';
import { benchTenants } from '#test/bench/tenants.ts';
import { benchWebhooks } from '#test/bench/webhooks.ts';

interface Case {
  readonly about: string;
  /** Of each run. */
  readonly messages: number;
  readonly run: (options: CaseOptions) => Promise<void>;
}

const RUNS = 3;

type GivenOptions = Pick<CaseOptions, 'only' | 'statements' | 'keep'> &
  Partial<Pick<CaseOptions, 'runs' | 'messages'>>;

const cases: Readonly<Record<string, Case>> = {
  budget: { about: 'what a message costs, beside its limits', messages: 5_000, run: benchBudget },
  send: { about: 'HTTP in, signed, out, beside Postfix with opendkim', messages: 5_000, run: benchSend },
  submission: { about: 'SMTP in, signed, out, beside the same', messages: 5_000, run: benchSubmission },
  inbound: { about: 'mail from the world, beside Postfix to maildir', messages: 5_000, run: benchInbound },
  accept: { about: 'accepting alone, beside a bare server', messages: 6_000, run: benchAccept },
  bulk: { about: 'one personalised mailing', messages: 100_000, run: benchBulk },
  campaign: { about: 'a campaign beside a mailing by one request', messages: 5_000, run: benchCampaign },
  depth: { about: 'relaying from a short and from a deep queue', messages: 1_000_000, run: benchDepth },
  tenants: {
    about: 'start and memory; 0, 1, 100 busy, 10,000 idle practices',
    messages: 15_000,
    run: benchTenants,
  },
  search: { about: 'finding among a million messages', messages: 1_000_000, run: benchSearch },
  dashboard: {
    about: 'first paint, and the first row of a million',
    messages: 1_000_000,
    run: benchDashboard,
  },
  'long-work': {
    about: 'a CSV, an import and an erasure beside sends',
    messages: 300_000,
    run: benchLongWork,
  },
  webhooks: { about: 'deliveries, beside a bare loop', messages: 5_000, run: benchWebhooks },
  redirect: { about: 'tracked links, beside /healthz', messages: 5_000, run: benchRedirect },
  backup: { about: 'a backup beside the daemon, beside cp -r', messages: 1_000, run: benchBackup },
  soak: {
    about: 'memory at full rate; messages: two million are half an hour',
    messages: 100_000,
    run: benchSoak,
  },
};
const names = Object.keys(cases);

const usage = `usage: bench CASE|all [--runs ${RUNS}] [--messages N] [--only peers|ours]; budget: [--statements] [--keep]
${names.map((name) => `  ${name.padEnd(10)} ${cases[name]?.about}; ${cases[name]?.messages} messages`).join('\n')}`;

async function runCase(name: string, { about, messages, run }: Case, given: GivenOptions): Promise<void> {
  const printed: string[] = [];
  const print = (text: string) => {
    console.log(`\n${text}`);
    printed.push(text);
  };
  const options = { runs: RUNS, messages, ...given };
  const [environment, rsaMs, start] = [await describeEnvironment(), rsaMillis(), performance.now()];
  console.log(`\n${name}: ${about}. ${environment}`);
  await run({ ...options, rsaMs, print });
  print(
    `${environment} RSA-2048: ${rsaMs.toFixed(3)} ms a signature before, ${rsaMillis().toFixed(3)} ms after. ` +
      `${options.messages} messages, ${options.runs} runs, ${((performance.now() - start) / 60_000).toFixed(1)} minutes.`,
  );
  const isWhole = options.only === 'all' && options.messages >= messages && options.runs >= RUNS;
  if (isWhole) await writeSection(name, printed.join('\n\n'), names);
}

async function main(args: readonly string[]): Promise<number> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      runs: { type: 'string' },
      messages: { type: 'string' },
      only: { type: 'string' },
      statements: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
    },
  });
  const [asked = ''] = positionals;
  const wanted = asked === 'all' ? names : names.filter((name) => name === asked);
  const { runs, messages, only = 'all', statements, keep } = values;
  const isKnown = only === 'peers' || only === 'ours' || only === 'all';
  if (wanted.length === 0 || !isKnown || !(Number(runs ?? 1) >= 1) || !(Number(messages ?? 1) >= 1)) {
    console.error(usage);
    return 1;
  }
  const given = {
    only: only as CaseOptions['only'],
    statements,
    keep,
    ...(runs === undefined ? {} : { runs: Number(runs) }),
    ...(messages === undefined ? {} : { messages: Number(messages) }),
  };
  let failed = 0;
  for (const name of wanted) {
    try {
      await runCase(name, cases[name] as Case, given);
    } catch (error) {
      console.error(`${name}:`, error);
      failed += 1;
    }
  }
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
