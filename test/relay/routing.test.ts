import { describe, expect, test } from 'vitest';
import { type Candidate, type Choice, chooseUpstream } from '#src/relay/routing.ts';

const closed = (upstream: string): Candidate<string> => ({ upstream, state: 'closed', retryAt: null });
const halfOpen = (upstream: string): Candidate<string> => ({ upstream, state: 'half_open', retryAt: 5 });
const open = (upstream: string, retryAt: number | null): Candidate<string> => ({
  upstream,
  state: 'open',
  retryAt,
});

describe('the next message goes', () => {
  test.each<{ name: string; candidates: Candidate<string>[]; choice: Choice<string> }>([
    {
      name: 'to the first healthy one',
      candidates: [closed('a'), closed('b')],
      choice: { kind: 'use', upstream: 'a' },
    },
    {
      name: 'past one that is set aside',
      candidates: [open('a', 9), closed('b')],
      choice: { kind: 'use', upstream: 'b' },
    },
    {
      name: 'to a healthy one before any probe',
      candidates: [halfOpen('a'), closed('b')],
      choice: { kind: 'use', upstream: 'b' },
    },
    {
      name: 'as a probe where none is healthy',
      candidates: [open('a', 9), halfOpen('b'), halfOpen('c')],
      choice: { kind: 'probe', upstream: 'b' },
    },
    {
      name: 'nowhere before the first may be tried',
      candidates: [open('a', 9), open('b', 7)],
      choice: { kind: 'wait', until: 7 },
    },
    {
      name: 'nowhere, and nobody knows until when',
      candidates: [open('a', null)],
      choice: { kind: 'wait', until: null },
    },
    { name: 'nowhere without upstreams', candidates: [], choice: { kind: 'wait', until: null } },
  ])('$name', ({ candidates, choice }) => {
    expect(chooseUpstream(candidates)).toEqual(choice);
  });
});
