// A practice whose state lets everything pass: tests say only what differs.
import type { Facts } from '#src/intake/gate.ts';
import { parseAddress } from '#src/mail/address.ts';

/** 21 November 2026, noon. */
export const NOW = Date.UTC(2026, 10, 21, 12);

export const FACTS: Facts = {
  now: NOW,
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
  withoutConsent: null,
  content: null,
  unsubscribe: null,
};
