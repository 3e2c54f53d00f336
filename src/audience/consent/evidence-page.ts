// The evidence of one person's consent as a page to read and print. What was shown and sent is there as text: nothing of it is
// interpreted by the browser. Pure.
import { KEYS_PATH } from '#src/kernel/evidence-key.ts';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml, page } from '#src/kernel/page.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import {
  type ConsentAction,
  type ConsentFacts,
  type ConsentWay,
  type PersonalName,
  withheldMails,
} from './entry.ts';
import type { Evidence } from './evidence-schema.ts';

interface Words {
  readonly title: (address: string) => string;
  readonly about: (practice: string, service: string, time: string) => string;
  readonly proves: string;
  readonly check: (keys: string) => string;
  readonly actions: Readonly<Record<ConsentAction, string>>;
  /** More of an action, by its way. */
  readonly ways: Readonly<Record<ConsentWay, string>>;
  readonly personal: Readonly<Record<PersonalName, string>>;
  readonly time: string;
  readonly list: string;
  readonly allLists: string;
  readonly basis: string;
  readonly way: string;
  readonly details: string;
  readonly answers: string;
  readonly wording: (version: number | null) => string;
  readonly form: string;
  readonly mail: string;
  readonly gone: string;
  /** Of a mail whose link can still confirm. */
  readonly notYet: string;
  readonly place: string;
  readonly hash: string;
  readonly head: string;
  readonly key: string;
  readonly signature: string;
}

const words: Readonly<Record<Language, Words>> = {
  de: {
    title: (address) => `Nachweis der Einwilligung: ${address}`,
    about: (practice, service, time) =>
      `Alle Einträge, die das Einwilligungsprotokoll von ${practice} zu dieser Adresse hat, der älteste zuerst. Erstellt von ${service} am ${time}.`,
    proves:
      'Jeder Eintrag trägt eine Prüfsumme (SHA-256), die von ihm und von allen Einträgen davor abhängt, und der Dienst hat alles zusammen signiert. Das beweist, dass nichts verändert wurde, seit der Inhaber des Schlüssels es signiert hat. Wer das war, beweist erst der Fingerabdruck unten: Er muss einer von denen sein, die der Dienst veröffentlicht. Dieses Blatt allein beweist nichts.',
    check: (keys) =>
      `Geprüft wird die JSON-Fassung dieses Nachweises: sendwerk consent verify DATEI --origin ADRESSE, mit der Adresse, unter der Ihnen der Dienst bekannt ist. Der Befehl vergleicht den Schlüssel mit ${keys} und mit dem DNS. Endet er mit 0, ist alles in Ordnung, mit 1, wurde etwas verändert, mit 2, ist der Schlüssel unbekannt.`,
    actions: {
      request: 'Die Adresse wurde eingetragen',
      mail: 'Die Bestätigungsmail wurde versandt',
      confirm: 'Die Anmeldung wurde bestätigt',
      import: 'Der Absender hat eine vorhandene Einwilligung versichert',
      withdraw: 'Die Einwilligung endete',
      wording: 'Der Text der Einwilligung wurde festgelegt',
      tracking: 'Öffnen und Klicken dürfen ausgewertet werden',
      no_tracking: 'Widerspruch gegen die Auswertung von Öffnen und Klicken',
    },
    ways: {
      form: 'über das Formular',
      api: 'über die Schnittstelle des Absenders',
      import: 'beim Einlesen einer Datei',
      mail: 'per Mail',
      link: 'über den Link in der Bestätigungsmail',
      button: 'über den Link in der Bestätigungsmail und den Knopf auf seiner Seite',
      preferences: 'auf der Seite der Einstellungen',
      unsubscribe: 'durch Abmeldung',
      complaint: 'durch Beschwerde als Spam',
      bounce: 'weil das Postfach keine Mail annahm',
      declined: 'durch Ablehnung',
      removed: 'der Absender hat die Adresse entfernt',
      expired: 'die Bestätigung blieb aus',
      erased: 'durch Löschung der Daten der Person',
      rectified: 'die Adresse wurde berichtigt',
    },
    personal: {
      address: 'Adresse',
      name: 'Name',
      ip: 'IP-Adresse',
      user_agent: 'Browser',
      form_address: 'Adresse des Formulars',
      message_id: 'Message-ID der Mail',
      evidence: 'Beleg nach Angabe des Absenders',
    },
    time: 'Zeitpunkt',
    list: 'Liste',
    allLists: 'alle',
    basis: 'Rechtsgrundlage',
    way: 'Weg',
    details: 'Weiteres',
    answers: 'Bezieht sich auf Eintrag',
    wording: (version) => `Text der Einwilligung${version === null ? '' : `, Fassung ${version}`}`,
    form: 'Formular, wie es gezeigt wurde (HTML als Text)',
    mail: 'Mail, wie sie versandt wurde (RFC 5322)',
    gone: 'wird nicht mehr aufbewahrt',
    notYet:
      'noch nicht: Der Link in der Mail gilt noch. Sie ist hier, sobald die Person geantwortet hat oder der Link abgelaufen ist.',
    place: 'Nummer im Protokoll',
    hash: 'Prüfsumme des Eintrags',
    head: 'Letzter Eintrag des Protokolls',
    key: 'Fingerabdruck des Schlüssels (Ed25519)',
    signature: 'Signatur der JSON-Fassung',
  },
  en: {
    title: (address) => `Evidence of consent: ${address}`,
    about: (practice, service, time) =>
      `All entries that the consent ledger of ${practice} has of this address, the oldest first. Made by ${service} on ${time}.`,
    proves:
      'Each entry has a checksum (SHA-256) that depends on it and on all entries before it, and the service has signed all of it. That proves that nothing was changed since the holder of the key signed it. Who that was is proved by the fingerprint below alone: it must be one of those that the service publishes. This sheet by itself proves nothing.',
    check: (keys) =>
      `What is checked is the JSON form of this evidence: sendwerk consent verify FILE --origin ADDRESS, with the address by which you know the service. The command compares the key with ${keys} and with the DNS. Exit code 0: all is right; 1: something was changed; 2: the key is not known.`,
    actions: {
      request: 'The address was entered',
      mail: 'The confirmation mail was sent',
      confirm: 'The subscription was confirmed',
      import: 'The sender asserted that consent had been given',
      withdraw: 'The consent ended',
      wording: 'The text of the consent was set',
      tracking: 'Opens and clicks may be recorded',
      no_tracking: 'Objection to the recording of opens and clicks',
    },
    ways: {
      form: 'by the form',
      api: "by the sender's API",
      import: 'by the import of a file',
      mail: 'by mail',
      link: 'by the link in the confirmation mail',
      button: 'by the link in the confirmation mail and the button on its page',
      preferences: 'on the page of preferences',
      unsubscribe: 'by unsubscribing',
      complaint: 'by a complaint as spam',
      bounce: 'because the mailbox took no mail',
      declined: 'by declining',
      removed: 'the sender removed the address',
      expired: 'it was not confirmed',
      erased: "by the erasure of the person's data",
      rectified: 'the address was corrected',
    },
    personal: {
      address: 'Address',
      name: 'Name',
      ip: 'IP address',
      user_agent: 'Browser',
      form_address: 'Address of the form',
      message_id: 'Message-ID of the mail',
      evidence: 'Proof, as the sender states it',
    },
    time: 'Time',
    list: 'List',
    allLists: 'all',
    basis: 'Legal basis',
    way: 'Way',
    details: 'More',
    answers: 'Refers to entry',
    wording: (version) => `Text of the consent${version === null ? '' : `, version ${version}`}`,
    form: 'Form as it was shown (HTML as text)',
    mail: 'Mail as it was sent (RFC 5322)',
    gone: 'kept no longer',
    notYet:
      'not yet: the link in the mail is still valid. The mail is here once the person has answered or the link has ended.',
    place: 'Number in the ledger',
    hash: 'Checksum of the entry',
    head: 'Last entry of the ledger',
    key: 'Fingerprint of the key (Ed25519)',
    signature: 'Signature of the JSON form',
  },
};

/** `2026-11-22 19:02:56 UTC`. */
const timeOf = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;

type Row = readonly [label: string, value: string];

const rows = (all: readonly Row[]): string =>
  `<dl>\n${all.map(([label, value]) => `<dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd>\n`).join('')}</dl>`;

const sectionOf = (
  say: Words,
  entry: Evidence['entries'][number],
  documents: Evidence['documents'],
  withheld: ReadonlySet<string>,
): string => {
  const facts = entry.facts as unknown as ConsentFacts;
  const details = Object.entries(facts.details).map(([name, value]) => `${name}: ${value}`);
  const personal = Object.keys(facts.commitments).map((name): Row => {
    const label = say.personal[name as PersonalName] ?? name;
    return [label, entry.openings[name]?.value ?? say.gone];
  });
  const document = (label: string, hash: string | null): string => {
    if (hash === null) return '';
    const content = documents[hash]?.content;
    const missing = withheld.has(hash) ? say.notYet : say.gone;
    const text = content === undefined ? missing : Buffer.from(content, 'base64').toString();
    return `<h3>${escapeHtml(label)}</h3>\n<pre>${escapeHtml(text)}</pre>\n<p class="note">SHA-256 ${escapeHtml(hash)}</p>\n`;
  };
  const known = rows([
    [say.time, timeOf(facts.at)],
    [say.list, facts.list_name ?? say.allLists],
    [say.way, say.ways[facts.way]],
    [say.basis, facts.legal_basis],
    ...personal,
    ...(details.length === 0 ? [] : [[say.details, details.join('; ')] as const]),
    ...(facts.answers === null ? [] : [[say.answers, facts.answers] as const]),
    [say.place, `${entry.seq} (${entry.id})`],
    [say.hash, entry.hash],
  ]);
  return `<section>
<h2>${escapeHtml(timeOf(facts.at))}: ${escapeHtml(say.actions[facts.action])}</h2>
${known}
${document(say.wording(facts.wording_version), facts.wording)}${document(say.form, facts.form)}${document(say.mail, facts.mail)}</section>`;
};

export const evidencePage = (evidence: Evidence, language: Language): RouteResult => {
  const say = words[language];
  const { address, practice, service, made_at, entries, documents, head, signature } = evidence;
  const withheld = withheldMails(evidence);
  return page({
    language,
    title: say.title(address),
    serviceName: practice.name,
    body: `<p>${escapeHtml(say.about(practice.name, service.name, timeOf(made_at)))}</p>
${entries.map((entry) => sectionOf(say, entry, documents, withheld)).join('\n')}
<section>
<p>${escapeHtml(say.proves)}</p>
<p>${escapeHtml(say.check(`${service.origin}${KEYS_PATH}`))}</p>
${rows([
  [say.head, `${head.seq}, ${head.hash}`],
  [say.key, signature.fingerprint],
  [say.signature, signature.value],
])}
</section>`,
  });
};
