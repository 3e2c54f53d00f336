import type { Decision } from '#api';
import { words } from '#dashboard/words.ts';

export const gateWords = words<{
  readonly verdicts: Readonly<Record<Decision['verdict'], string>>;
  readonly gates: Readonly<Record<string, string>>;
}>({
  de: {
    verdicts: {
      passed: 'In Ordnung',
      warned: 'Hinweis',
      held: 'Zurückgehalten',
      suppressed: 'Gesperrt',
      blocked: 'Blockiert',
      refused: 'Abgelehnt',
    },
    gates: {
      kind_and_route: 'Art und Versandweg',
      sender_domain: 'Domain des Absenders',
      tenant_state: 'Versand läuft',
      recipient_count: 'Zahl der Empfänger',
      internationalised_addresses: 'Schreibweise der Adressen',
      headers: 'Kopffelder',
      attachments: 'Anhänge',
      schedule: 'Sendezeit',
      impressum: 'Impressum',
      dkim: 'Signatur der Domain (DKIM)',
      warmup_day: 'Aufwärmphase: Tag',
      consent: 'Einwilligung',
      safe_mode: 'Abgesicherter Modus',
      suppression: 'Sperrliste',
      plan_cap: 'Kontingent des Tarifs',
      warmup_volume: 'Aufwärmphase: Menge',
      promotional: 'Werbung',
      content: 'Inhalt',
      tracking: 'Messung von Öffnungen und Klicks',
      unsubscribe: 'Abmeldelink',
    },
  },
  en: {
    verdicts: {
      passed: 'Passed',
      warned: 'Note',
      held: 'Held',
      suppressed: 'Suppressed',
      blocked: 'Blocked',
      refused: 'Refused',
    },
    gates: {
      kind_and_route: 'Kind and route',
      sender_domain: 'Domain of the sender',
      tenant_state: 'Sending is not paused',
      recipient_count: 'Number of recipients',
      internationalised_addresses: 'Letters of the addresses',
      headers: 'Header fields',
      attachments: 'Attachments',
      schedule: 'Time of sending',
      impressum: 'Legal notice',
      dkim: 'Signature of the domain (DKIM)',
      warmup_day: 'Warm-up: day',
      consent: 'Consent',
      safe_mode: 'Safe mode',
      suppression: 'Suppression list',
      plan_cap: 'Limit of the plan',
      warmup_volume: 'Warm-up: volume',
      promotional: 'Advertising',
      content: 'Content',
      tracking: 'Tracking of opens and clicks',
      unsubscribe: 'Unsubscribe link',
    },
  },
});
