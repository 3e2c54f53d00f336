// A practice whose state lets everything pass: tests say only what differs.
import type { Draft } from '#src/intake/draft.ts';
import { type Facts, factsOfDraft } from '#src/intake/gate.ts';
import { KNOWN_CONTROLS } from '#src/intake/gates/control-headers.ts';
import { defaultLimits } from '#src/kernel/limits.ts';
import { parseAddress } from '#src/mail/address.ts';

/** 21 November 2026, noon. */
export const NOW = Date.UTC(2026, 10, 21, 12);

export const FACTS: Facts = {
  now: NOW,
  takesUtf8: false,
  limits: defaultLimits,
  kind: 'transactional',
  stream: 'transactional',
  scheduledAt: null,
  mails: 1,
  pause: null,
  safeMode: false,
  safeModeAllowed: ['seed@testers.example', '@own.example'],
  simulatorDomain: 'simulator.mail.example.com',
  sendingHosts: ['praxis.example', 'praxis.send.example.com'],
  pendingDomain: 'neu.example',
  from: parseAddress('noreply@praxis.example'),
  route: { id: 'r1', slug: 'outgoing', type: 'transactional' },
  practiceName: 'Praxis am Markt',
  legal: { street: 'Am Markt 1', city: '20095 Hamburg', privacy_url: 'https://praxis.example/datenschutz' },
  dkimBroken: false,
  plan: null,
  warmup: null,
  suppressed: new Map(),
  consent: null,
  isAskedFor: false,
  seesPractice: true,
  content: null,
  controls: KNOWN_CONTROLS,
  unsubscribe: null,
};

/** The facts of this draft in that state. */
export const factsFor = (draft: Draft, state: Partial<Facts> = {}): Facts => {
  const facts = { ...FACTS, ...state };
  return { ...facts, ...factsOfDraft(draft, facts) };
};
