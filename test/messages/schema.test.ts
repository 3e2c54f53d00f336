import { expect, test } from 'vitest';
import { type Decision, packDecisions, unpackDecisions } from '#src/messages/schema.ts';

const decisions: Decision[] = [
  { gate: 'kind_and_route', verdict: 'passed', facts: { route: 'outgoing' } },
  { gate: 'suppression', verdict: 'suppressed', facts: { suppressed: [{ address: 'a@example.org' }] } },
  { gate: 'content', verdict: 'blocked', facts: {} },
];

test('unpacked verdicts equal the packed ones', () => {
  expect(unpackDecisions(packDecisions(decisions))).toEqual(decisions);
});

test('a gate that passed is stored with its facts only', () => {
  expect(packDecisions(decisions.slice(0, 1))).toBe('[["kind_and_route",{"route":"outgoing"}]]');
});
