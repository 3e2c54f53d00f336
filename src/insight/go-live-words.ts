// Title and hint of each go-live check, in German and English. A hint says what to do and names what is missing. Pure.
import type { HostCheck } from '#src/domains/records/host-check.ts';
import { missingLegal } from '#src/intake/gates/sender-gates.ts';
import type { Language } from '#src/kernel/language.ts';
import { type CheckId, dnsTrouble, failingIn, type GoLiveFacts } from './rules.ts';

interface Words {
  readonly title: string;
  readonly hint: (facts: GoLiveFacts, now: number) => string;
}

/** Enough names, like `TXT example.org (multiple)`, to begin with; `check-dns` returns all of them. */
const MAX_NAMED = 5;
const namesOfFailing = (check: HostCheck | undefined): string => {
  const failing = (check === undefined ? [] : failingIn(check)).map(
    ({ type, name, status }) => `${type} ${name} (${status})`,
  );
  return [...failing.slice(0, MAX_NAMED), ...(failing.length > MAX_NAMED ? ['…'] : [])].join(', ');
};

const legalNames: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  de: { street: 'Straße', city: 'Ort', privacy_url: 'Datenschutzerklärung' },
  en: { street: 'street', city: 'city', privacy_url: 'privacy URL' },
};
const missingIn = (facts: GoLiveFacts, language: Language): string =>
  missingLegal(facts)
    .map((name) => legalNames[language][name] ?? name)
    .join(', ');

const de: Readonly<Record<CheckId, Words>> = {
  legal: {
    title: 'Impressum',
    hint: (facts) => `Es fehlt: ${missingIn(facts, 'de')}. Tragen Sie es bei den Angaben zur Praxis ein.`,
  },
  sending_domain: {
    title: 'Absender-Domain',
    hint: ({ pendingDomain }) =>
      `${pendingDomain} ist noch nicht geprüft. Veröffentlichen Sie die DKIM-Einträge und prüfen Sie das DNS, oder kehren Sie zum bereitgestellten Host zurück.`,
  },
  dns_records: {
    title: 'DNS-Einträge',
    hint: (facts, now) =>
      dnsTrouble(facts, now) === 'failing'
        ? `Diese Einträge stimmen nicht: ${namesOfFailing(facts.lastCheck?.check)}. Berichtigen Sie sie und prüfen Sie das DNS.`
        : `Die Einträge von ${facts.host} wurden seit 48 Stunden nicht geprüft. Prüfen Sie das DNS.`,
  },
  public_origin: {
    title: 'Öffentliche Adresse',
    hint: ({ publicOrigin }) =>
      `Abmelde- und Bestätigungslinks beginnen mit ${publicOrigin}. Der Betreiber muss service.public_origin auf eine https-Adresse setzen, die alle erreichen.`,
  },
  upstream: {
    title: 'Versandweg',
    hint: () =>
      'Mails werden nur aufbewahrt, nicht zugestellt. Der Betreiber muss unter upstreams einen Weg einrichten, der sie zustellt.',
  },
  owner: {
    title: 'Verantwortliche Person',
    hint: () => 'Es gibt keinen aktiven Inhaber. Der Betreiber kann einen benennen.',
  },
  test_message: {
    title: 'Testnachricht',
    hint: () =>
      'Unter den neuesten Mails hat noch keine den Versandweg verlassen. Senden Sie eine an eine Adresse, die der abgesicherte Modus erlaubt.',
  },
  approval: {
    title: 'Freigabe',
    hint: ({ isHeld }) =>
      isHeld
        ? 'Der Betreiber hat den abgesicherten Modus eingeschaltet und muss die Praxis freigeben. Bitten Sie ihn darum.'
        : 'Im Tarif Test gibt der Betreiber die Praxis frei. Bitten Sie ihn darum.',
  },
  dmarc_policy: {
    title: 'DMARC-Richtlinie',
    hint: () =>
      'Mit p=quarantine oder p=reject kommen Mails, die andere unter Ihrem Namen fälschen, in den Spam oder gar nicht an.',
  },
  bimi: {
    title: 'Logo (BIMI)',
    hint: () =>
      'Ein BIMI-Eintrag zeigt Ihr Logo neben der Mail, sobald DMARC durchgesetzt wird. Manche Anbieter verlangen dafür ein Zertifikat.',
  },
  inbound: {
    title: 'Empfang',
    hint: ({ host }) => `Mit einem MX auf in.${host} können Sie Antworten hier empfangen.`,
  },
  second_owner: {
    title: 'Vertretung',
    hint: () => 'Ein zweiter Inhaber hilft, wenn der erste ausfällt.',
  },
};

const en: Readonly<Record<CheckId, Words>> = {
  legal: {
    title: 'Legal block',
    hint: (facts) => `Missing: ${missingIn(facts, 'en')}. Set it with PATCH /api/practices/{id}/compliance.`,
  },
  sending_domain: {
    title: 'Sending domain',
    hint: ({ pendingDomain }) =>
      `${pendingDomain} has not been verified. Publish its DKIM records and check DNS, or restore the managed domain.`,
  },
  dns_records: {
    title: 'DNS records',
    hint: (facts, now) =>
      dnsTrouble(facts, now) === 'failing'
        ? `These records are not right: ${namesOfFailing(facts.lastCheck?.check)}. Correct them and check DNS.`
        : `The records of ${facts.host} have not been checked within 48 hours. Check DNS.`,
  },
  public_origin: {
    title: 'Public origin',
    hint: ({ publicOrigin }) =>
      `Links to unsubscribe and to confirm begin with ${publicOrigin}. The operator must set service.public_origin to an https address that everyone can reach.`,
  },
  upstream: {
    title: 'Upstream',
    hint: () => 'Mail is only kept, not delivered. The operator must configure an upstream that delivers.',
  },
  owner: {
    title: 'Owner',
    hint: () => 'There is no active owner. The operator can name one.',
  },
  test_message: {
    title: 'Test message',
    hint: () =>
      'None of the newest mails has left by an upstream that delivers. Send one to an address that safe mode allows.',
  },
  approval: {
    title: 'Approval',
    hint: ({ isHeld }) =>
      isHeld
        ? 'The operator has switched safe mode on and has to approve the practice. Ask for it.'
        : 'On the plan Test the operator has to approve the practice. Ask for it.',
  },
  dmarc_policy: {
    title: 'DMARC policy',
    hint: () =>
      'With p=quarantine or p=reject, mail that others forge in your name goes to spam or is refused.',
  },
  bimi: {
    title: 'Logo (BIMI)',
    hint: () =>
      'A BIMI record shows your logo beside the mail once DMARC is enforced. Some providers ask for a certificate.',
  },
  inbound: {
    title: 'Receiving',
    hint: ({ host }) => `With an MX at in.${host} you can receive replies here.`,
  },
  second_owner: {
    title: 'Second owner',
    hint: () => 'A second owner helps when the first is away.',
  },
};

export const goLiveWords: Readonly<Record<Language, Readonly<Record<CheckId, Words>>>> = { de, en };
