// What docs/webhooks.md says in words, against what holds.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { eventTypes, TEST_EVENT } from '#src/events/catalogue.ts';
import { deliveryHeaders } from '#src/followers/webhooks/sign.ts';
import { permissions } from '#src/kernel/access.ts';
import { webhooks } from '#src/kernel/config/sections.ts';
import { HOUR, MINUTE, SECOND } from '#src/kernel/time.ts';

const read = (name: string): string => readFileSync(path.join(import.meta.dirname, '../..', name), 'utf8');
const text = read('docs/webhooks.md');

test('names every header field of a delivery', () => {
  const [, table = ''] = text.split('| Header | Value |');
  const named = [...table.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
  expect(named.toSorted()).toEqual(Object.keys(deliveryHeaders).toSorted());
});

test('names no event that there is not', () => {
  const known: readonly string[] = [...eventTypes, TEST_EVENT, ...permissions];
  const named = [...text.matchAll(/\b(?:message|suppression|inbound|webhook)\.[a-z_]+\b/g)].map(
    ([name]) => name,
  );
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});

test('tells the waits and limits that hold where nothing else is configured', () => {
  const { retry, jitter, timeout } = webhooks.parse({});
  const word = (ms: number): string =>
    ms >= HOUR ? `${ms / HOUR} h` : ms >= MINUTE ? `${ms / MINUTE} min` : `${ms / SECOND} s`;
  const waits = retry.map(word);
  expect(text).toContain(`${waits.slice(0, -1).join(', ')} and ${waits.at(-1)}, each ±${jitter * 100} %`);
  expect(text).toContain(`the whole exchange may take ${timeout / SECOND} seconds`);
});

test('shows configuration keys that there are', () => {
  const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(text) ?? [];
  const { security } = parse(yaml);
  const example = read('config/service.example.yaml');
  for (const key of Object.keys(security)) expect(example).toMatch(new RegExp(`^\\s*(?:# )?${key}:`, 'm'));
});
