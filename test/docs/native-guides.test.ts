// The guides for services whose forms are not served: the fields, statuses, events and paths that they lead to are there, and
// the sample of each is accepted.
import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { eventTypes } from '#src/events/catalogue.ts';
import { statuses } from '#src/messages/rules.ts';
import { startApp } from '#test/support/app.ts';

const app = await startApp();
afterAll(() => app.remove());
const sender = await app.createSender();
const { text } = await app.request('GET', '/openapi.yaml');
const description: {
  paths: Readonly<Record<string, object>>;
  components: { schemas: Readonly<Record<string, { properties: object }>> };
} = parse(text);
const fields = Object.keys(description.components.schemas.NewMessage?.properties ?? {});

/** The backquoted words of each cell of the tables below a heading that begins so. */
const rowsBelow = (page: string, heading: string): string[][][] =>
  (page.split(`\n## ${heading}`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word)),
    );

test.each(['mailgun', 'brevo', 'ses', 'sendgrid-native'])('the guide for who comes from %s', async (name) => {
  const page = readFileSync(`docs/from-${name}.md`, 'utf8');

  const ofAttachment = ['filename', 'content', 'content_id', 'url', 'name:value'];
  const named = rowsBelow(page, 'Fields').flatMap(([, here = []]) => here);
  expect(named.length).toBeGreaterThan(7);
  expect(named.filter((word) => ![...fields, ...ofAttachment].includes(word))).toEqual([]);

  const outcomes = rowsBelow(page, 'Statuses').filter(([, , event = []]) => event.length > 0);
  expect(outcomes.length).toBeGreaterThan(8);
  for (const [foreign = [], status = [], event = []] of outcomes) {
    expect(foreign.length).toBeGreaterThan(0);
    expect(statuses).toContain(status[0]);
    expect(eventTypes).toContain(event[0]);
  }

  // The sample has a variable of the shell in its path, and is sent below.
  const paths = [...page.matchAll(/(\/api\/[\w/{}-]+)/g)].map(([path]) => path);
  expect(paths.filter((path) => path !== '/api/practices/' && !(path in description.paths))).toEqual([]);

  const body = JSON.parse(/-d '(\{.*\})'/.exec(page)?.[1] ?? '');
  const answer = await app.request('POST', `${sender.base}/send`, body, sender.token);
  expect([answer.status, answer.text]).toEqual([202, expect.stringContaining('"queued"')]);
});
