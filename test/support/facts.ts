// A practice whose state lets everything pass: tests say only what differs.
import type { Draft } from '#src/intake/draft.ts';
import { type Facts, factsOfDraft } from '#src/intake/gate.ts';
import { KNOWN_CONTROLS } from '#src/intake/gates/envelope-gates.ts';
import type { Settings } from '#src/kernel/config/config.ts';
import { configSchema } from '#src/kernel/config/schema.ts';
import { defaultLimits } from '#src/kernel/limits.ts';
import { parseAddress } from '#src/mail/address.ts';

/** 21 November 2026, noon. */
export const NOW = Date.UTC(2026, 10, 21, 12);

/** What the configuration says where a file says only what it must. */
export const SETTINGS: Settings = configSchema.parse({
  service: {
    public_origin: 'http://mail.example.com',
    host: 'mail.example.com',
    managed_suffix: 'send.example.com',
  },
  data_dir: '/var/lib/sendwerk',
  secrets: { master_key_file: 'master.key' },
  upstreams: [{ name: 'relay', kind: 'smtp', host: 'localhost' }],
});

export const FACTS: Facts = {
  now: NOW,
  config: {
    ...SETTINGS,
    safe_mode: { ...SETTINGS.safe_mode, allowlist: ['seed@testers.example', '@own.example'] },
  },
  takesUtf8: false,
  limits: defaultLimits,
  kind: 'transactional',
  stream: 'transactional',
  scheduledAt: null,
  mails: 1,
  pause: null,
  safeMode: false,
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
  brake: null,
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
