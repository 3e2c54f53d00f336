import { expect, test } from 'vitest';
import { type Decision, packDecisions, unpackDecisions } from '#src/messages/decisions.ts';

const decisions: Decision[] = [
  { gate: 'kind_and_route', verdict: 'passed', facts: { route: 'outgoing' } },
  { gate: 'suppression', verdict: 'suppressed', facts: { suppressed: [{ address: 'a@example.org' }] } },
  { gate: 'content', verdict: 'blocked', facts: {} },
];

test('verdicts come back as they were', () => {
  expect(unpackDecisions(packDecisions(decisions))).toEqual(decisions);
});

test('those of the first versions do, too', () => {
  expect(unpackDecisions(JSON.stringify(decisions))).toEqual(decisions);
});

test('what has passed takes no more room than its gate and its facts', () => {
  expect(packDecisions(decisions.slice(0, 1))).toBe('[["kind_and_route",{"route":"outgoing"}]]');
});
