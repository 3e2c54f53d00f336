import { expect, test } from 'vitest';
import { watchDns } from '#src/inbound/checks/dns-health.ts';
import type { Log } from '#src/kernel/log.ts';
import { until } from '#test/support/process.ts';

const failed = { kind: 'failed', reason: 'refused' } as const;

test('a resolver that refuses the question for the root works as soon as it answers others', async () => {
  const stopping = new AbortController();
  const warnings: unknown[] = [];
  let answers = false;
  let asked = 0;
  const look = async () => (answers ? ({ kind: 'none', nameExists: true } as const) : failed);
  const { lookup, health } = watchDns({
    lookup: {
      txt: look,
      cname: look,
      mx: look,
      addresses: look,
      reverse: look,
      ns: async () => {
        asked += 1;
        return failed;
      },
    },
    clock: { now: () => 1_000 },
    log: { warn: (...words: unknown[]) => warnings.push(words) } as unknown as Log,
    stopping: stopping.signal,
    againMs: 20,
  });
  for (let times = 0; times < 5; times += 1) await lookup.txt('broken.example');
  await until('the resolver fails', () => health().state === 'failing');

  answers = true;
  await lookup.txt('whole.example');
  expect(health().state).toBe('ok');
  const before = asked;
  await until('it is asked again', () => asked > before);
  await lookup.txt('whole.example');
  expect(health()).toEqual({ state: 'ok', since: null });
  expect(warnings).toHaveLength(2);
  stopping.abort();
});
