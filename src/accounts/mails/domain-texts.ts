// The words of the mails about a practice's domain, in German and English. What was found in the DNS is another's text:
// it is put behind a label, on one line, and is no link. Pure.
import type { Language } from '#src/kernel/language.ts';
import { FIRST_BROADCAST_DAY, warmupCaps } from '../tenants/rules.ts';
import type { NoticeContent, ToldRecord } from './schema.ts';

export interface Words {
  readonly subject: string;
  readonly paragraphs: readonly string[];
}

type Of<K extends NoticeContent['kind']> = Extract<NoticeContent, { kind: K }>;

export interface DomainPhrases {
  readonly verified: (content: Of<'domain_verified'>, service: string) => Words;
  readonly lost: (content: Of<'domain_lost'>, service: string) => Words;
  readonly alert: (content: Of<'dns_alert'>, service: string) => Words;
  readonly recovered: (content: Of<'dns_recovered'>, service: string) => Words;
}

const UNSEEN = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/gu;

/** What others wrote, on one line and no link. */
export const quoted = (text: string): string => text.replace(UNSEEN, ' ').replaceAll('://', ': //');

interface RecordLabels {
  readonly name: string;
  readonly type: string;
  readonly wanted: string;
  /** In the place of a value with a link in it: merged with what was found, it may be another's. */
  readonly below: string;
  readonly absent: string;
  readonly found: string;
  readonly nothing: string;
  readonly unknown: string;
  /** Of a record that is right itself. */
  readonly behind: string;
  readonly proxied: string;
}

const wanted = (value: string | null, { absent, below }: RecordLabels): string => {
  if (value === null) return absent;
  return value.includes('://') ? below : value;
};

const record = ({ name, type, value, found, problem }: ToldRecord, labels: RecordLabels): string => {
  const state = problem === null ? labels.unknown : problem === 'proxied' ? labels.proxied : labels.nothing;
  const behind = problem === null ? ` (${labels.behind})` : '';
  const seen = found.length === 0 ? [state] : found.map((text) => `${quoted(text)}${behind}`);
  return [
    `${labels.name}: ${name}`,
    `${labels.type}: ${type}`,
    `${labels.wanted}: ${wanted(value, labels)}`,
    ...seen.map((text) => `${labels.found}: ${text}`),
  ].join('\n');
};

const germanLabels: RecordLabels = {
  name: 'Name',
  type: 'Typ',
  wanted: 'Soll',
  below: 'siehe unten',
  absent: 'kein solcher Eintrag, er ist zu entfernen',
  found: 'Gefunden',
  nothing: 'kein solcher Eintrag',
  unknown: 'nicht festzustellen, weil die zuständigen Nameserver nicht oder mit einem Fehler antworten',
  behind:
    'der Eintrag selbst ist da, aber ein anderer, auf den es dabei ankommt, ist nicht abzurufen oder stimmt nicht',
  proxied: 'kein CNAME, sondern Adressen eines Proxys',
};

const englishLabels: RecordLabels = {
  name: 'Name',
  type: 'Type',
  wanted: 'Expected',
  below: 'see below',
  absent: 'no such record, remove it',
  found: 'Found',
  nothing: 'no such record',
  unknown: 'unknown, because the name servers in charge do not answer or answer with an error',
  behind: 'the record itself is there, but another one that it depends on cannot be fetched or is not right',
  proxied: 'no CNAME, but addresses of a proxy',
};

const de: DomainPhrases = {
  verified: ({ practice, host, managedHost, link }, service) => ({
    subject: `Die Domain ${host} ist bestätigt`,
    paragraphs: [
      `die DKIM-Einträge von ${host} sind im DNS gefunden worden. „${practice}“ versendet bei ${service} ab jetzt von dieser Domain.`,
      `Damit sich die Empfänger an die Domain gewöhnen, beginnt heute ihre Aufwärmphase: In den ersten ${warmupCaps.length} Tagen gelten Tagesgrenzen, und Newsletter können von dort ab Tag ${FIRST_BROADCAST_DAY} verschickt werden. Bis dahin verschicken Sie Newsletter bitte mit einem Absender unter ${managedHost}.`,
      'Ob alle übrigen Einträge stimmen, sehen Sie hier:',
      link,
      'Sie haben diese Domain nicht eingerichtet? Dann wenden Sie sich bitte an die übrigen Owner oder an den Betreiber.',
    ],
  }),
  lost: ({ practice, host, managedHost, link }, service) => ({
    subject: `Die Domain ${host} gehört nicht mehr zu „${practice}“`,
    paragraphs: [
      `ein anderes Konto bei ${service} hat durch Einträge im DNS nachgewiesen, dass es über ${host} verfügt. „${practice}“ versendet deshalb nicht mehr von dieser Domain, sondern von ${managedHost}.`,
      'Wenn die Domain Ihnen gehört, prüfen Sie bitte, wer ihre DNS-Einträge ändern kann. Sie können sie hier erneut hinzufügen; dafür sind neue DKIM-Einträge nötig:',
      link,
      'Sie haben die Domain selbst abgegeben? Dann müssen Sie nichts tun.',
    ],
  }),
  alert: ({ practice, host, records, link }) => ({
    subject: `DNS-Einträge von ${host} stimmen nicht`,
    paragraphs: [
      `bei der Domain ${host}, von der „${practice}“ versendet, ist im DNS nicht alles so, wie es sein muss. E-Mails können deshalb im Spam landen oder abgewiesen werden.`,
      ...records.map((one) => record(one, germanLabels)),
      'Was im Einzelnen zu tun ist, sehen Sie hier:',
      link,
      'Sie haben die Einträge gerade geändert? Dann müssen Sie nichts tun: Wir schreiben Ihnen, sobald sie wieder stimmen.',
    ],
  }),
  recovered: ({ practice, host, records, link }) => ({
    subject: `DNS-Einträge von ${host} stimmen wieder`,
    paragraphs: [
      `bei der Domain ${host}, von der „${practice}“ versendet, stimmen diese Einträge im DNS wieder:`,
      records.map(({ name, type }) => `${type} ${name}`).join('\n'),
      'Den Stand aller Einträge sehen Sie hier:',
      link,
      'Sie haben nichts geändert? Dann war es vermutlich eine Störung der Nameserver. Sie müssen nichts tun.',
    ],
  }),
};

const en: DomainPhrases = {
  verified: ({ practice, host, managedHost, link }, service) => ({
    subject: `The domain ${host} has been verified`,
    paragraphs: [
      `The DKIM records of ${host} have been found in the DNS. From now on “${practice}” sends from this domain at ${service}.`,
      `So that receivers get used to the domain, its warm-up begins today: daily limits apply in the first ${warmupCaps.length} days, and newsletters can be sent from it from day ${FIRST_BROADCAST_DAY} on. Until then send newsletters from an address at ${managedHost}.`,
      'Whether all other records are right you see here:',
      link,
      'You did not set up this domain? Then please ask the other owners or the operator.',
    ],
  }),
  lost: ({ practice, host, managedHost, link }, service) => ({
    subject: `The domain ${host} no longer belongs to “${practice}”`,
    paragraphs: [
      `Another account at ${service} has proved by records in the DNS that it controls ${host}. “${practice}” therefore no longer sends from this domain, but from ${managedHost}.`,
      'If the domain is yours, please check who can change its DNS records. You can add it again here; that takes new DKIM records:',
      link,
      'You did not expect this? Then someone else may have access to your DNS. If you have given the domain away, you need not do anything.',
    ],
  }),
  alert: ({ practice, host, records, link }) => ({
    subject: `DNS records of ${host} are not right`,
    paragraphs: [
      `Something in the DNS of ${host}, the domain that “${practice}” sends from, is not as it must be. Your emails may be treated as spam or refused.`,
      ...records.map((one) => record(one, englishLabels)),
      'What to do about each of them you see here:',
      link,
      'You did not expect this? Then please ask whoever looks after your DNS. We write to you as soon as the records are right again.',
    ],
  }),
  recovered: ({ practice, host, records, link }) => ({
    subject: `DNS records of ${host} are right again`,
    paragraphs: [
      `In the DNS of ${host}, the domain that “${practice}” sends from, these records are right again:`,
      records.map(({ name, type }) => `${type} ${name}`).join('\n'),
      'The state of all records you see here:',
      link,
      'You did not change anything? Then the name servers were probably disturbed. You need not do anything.',
    ],
  }),
};

export const domainPhrases: Readonly<Record<Language, DomainPhrases>> = { de, en };
