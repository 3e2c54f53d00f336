// The wizard leads a new practice to its first real mail: ordered steps, each with the API call that completes it. Pure.
import type { z } from 'zod';
import { missingLegal } from '#src/intake/gates/sender-gates.ts';
import type { Language } from '#src/kernel/language.ts';
import type { PracticeFacts } from './facts.ts';
import { dnsTrouble } from './rules.ts';
import type { onboardingSchema } from './schema.ts';

type Method = 'GET' | 'POST' | 'PATCH';

interface Step {
  readonly id: z.infer<typeof onboardingSchema>['steps'][number]['id'];
  readonly isDone: (facts: PracticeFacts, now: number) => boolean;
  readonly optional?: true;
  readonly action: readonly [Method, string];
  readonly words: Readonly<Record<Language, readonly [title: string, hint: string]>>;
}

const steps: readonly Step[] = [
  {
    id: 'practice',
    isDone: () => true,
    action: ['GET', ''],
    words: {
      de: [
        'Praxis anlegen',
        'Sie ist angelegt und hat einen bereitgestellten Host, von dem sie senden kann.',
      ],
      en: ['Create the practice', 'It exists and has a managed host to send from.'],
    },
  },
  {
    id: 'legal',
    isDone: (facts) => missingLegal(facts).length === 0,
    action: ['PATCH', '/compliance'],
    words: {
      de: ['Impressum eintragen', 'Straße, Ort und die Adresse Ihrer Datenschutzerklärung.'],
      en: ['Fill in the legal block', 'Street, city and the address of your privacy notice.'],
    },
  },
  {
    id: 'domain',
    isDone: ({ kind, pendingDomain }) => kind === 'custom' || pendingDomain !== null,
    optional: true,
    action: ['POST', '/custom-domain'],
    words: {
      de: ['Eigene Domain verbinden', 'Ohne eigene Domain senden Sie vom bereitgestellten Host.'],
      en: ['Attach your own domain', 'Without one you send from the managed host.'],
    },
  },
  {
    id: 'dns',
    isDone: (facts, now) => facts.pendingDomain === null && dnsTrouble(facts, now) === null,
    action: ['POST', '/check-dns'],
    words: {
      de: [
        'DNS-Einträge veröffentlichen',
        'Tragen Sie die Einträge beim Anbieter Ihrer Domain ein und prüfen Sie sie.',
      ],
      en: ['Publish the DNS records', "Enter the records at your domain's provider, then check them."],
    },
  },
  {
    id: 'token',
    isDone: ({ hasToken }) => hasToken,
    action: ['POST', '/api-tokens'],
    words: {
      de: ['API-Token erstellen', 'Mit ihm sendet Ihre Software. Es wird nur einmal gezeigt.'],
      en: ['Create an API token', 'Your software sends with it. It is shown only once.'],
    },
  },
  {
    id: 'test_message',
    isDone: ({ relayedBy }) => relayedBy.length > 0,
    action: ['POST', '/send'],
    words: {
      de: ['Testnachricht senden', 'Im abgesicherten Modus an eine Adresse, die der Betreiber erlaubt hat.'],
      en: ['Send a test message', 'In safe mode to an address that the operator has allowed.'],
    },
  },
  {
    id: 'team',
    isDone: ({ members }) => members > 1,
    optional: true,
    action: ['POST', '/members'],
    words: {
      de: ['Team einladen', 'Am besten auch einen zweiten Inhaber.'],
      en: ['Invite your team', 'Preferably with a second owner.'],
    },
  },
  {
    id: 'go_live',
    isDone: ({ practice }) => practice.safe_mode === 0,
    action: ['POST', '/cutover'],
    words: {
      de: ['Live gehen', 'Beendet den abgesicherten Modus, sobald die Liste davor vollständig ist.'],
      en: ['Go live', 'Ends safe mode once the checklist is complete.'],
    },
  },
];

/** `current` is the first required step that is not done. */
export const onboardingOf = (
  facts: PracticeFacts,
  language: Language,
  now: number,
): z.infer<typeof onboardingSchema> => {
  const presented = steps.map(({ id, isDone, optional = false, action: [method, path], words }) => {
    const [title, hint] = words[language];
    return {
      id,
      done: isDone(facts, now),
      optional,
      title,
      hint,
      action: { method, path: `/api/practices/${facts.practice.id}${path}` },
    };
  });
  const current = presented.find(({ done, optional }) => !done && !optional)?.id ?? null;
  return { steps: presented, current, complete: current === null };
};
