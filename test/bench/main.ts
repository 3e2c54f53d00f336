// `npm run bench -- CASE [--runs N] [--messages N] [--only peers|ours]`: measures the daemon beside its peers, in the
// same run on the same machine; `budget` what a message costs (`--statements` lists them, `--keep` adds to the trend). Exit code 1 where a message was lost or doubled.
import { statfs } from 'node:fs/promises';
import { cpus, release, tmpdir } from 'node:os';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { benchBudget } from '#test/bench/budget.ts';
import { benchRedirect } from '#test/bench/redirect.ts';
import { benchSearch } from '#test/bench/search.ts';
import { benchSend, type CaseOptions } from '#test/bench/send.ts';
import { benchWebhooks } from '#test/bench/webhooks.ts';

const cases: Readonly<Record<string, (options: CaseOptions) => Promise<void>>> = {
  budget: benchBudget,
  send: benchSend,
  redirect: benchRedirect,
  search: benchSearch,
  webhooks: benchWebhooks,
};

/** statfs(2): the usual file systems by their magic numbers. A queue in memory would measure no sync. */
const FILE_SYSTEMS: Readonly<Record<number, string>> = {
  61267: 'ext4',
  1481003842: 'xfs',
  2435016766: 'btrfs',
  16914836: 'tmpfs',
  2035054128: 'overlayfs',
  801189825: 'zfs',
};

async function main(args: readonly string[]): Promise<number> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      runs: { type: 'string', default: '3' },
      messages: { type: 'string', default: '5000' },
      only: { type: 'string', default: 'all' },
      statements: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
    },
  });
  const run = cases[positionals[0] ?? ''];
  const [runs, messages] = [Number(values.runs), Number(values.messages)];
  const { only, statements, keep } = values;
  const known = only === 'peers' || only === 'ours' || only === 'all';
  if (run === undefined || !(runs >= 1) || !(messages >= 1) || !known) {
    console.error(
      `usage: bench ${Object.keys(cases).join('|')} [--runs 3] [--messages 5000] [--only peers|ours] [--statements] [--keep]`,
    );
    return 1;
  }
  const { type } = await statfs(tmpdir());
  console.log(
    `${messages} messages, ${runs} runs; ${cpus().length} CPUs (${cpus()[0]?.model}), Linux ${release()},` +
      ` Node ${process.version}, data and queues in ${tmpdir()} on ${FILE_SYSTEMS[type] ?? type.toString(16)}\n`,
  );
  await run({ runs, messages, only, statements, keep });
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
