// The words of the service's own mails, in German and English: notice in, subject and plain text out. A subject is
// kept and shown, so nothing secret is in it; nothing that strangers typed is repeated to other strangers. Pure.
import type { Language } from '#src/kernel/language.ts';
import { type BillingPhrases, billingPhrases } from './billing-texts.ts';
import { type CampaignPhrases, campaignPhrases } from './campaign-texts.ts';
import { type DomainPhrases, domainPhrases, type Words } from './domain-texts.ts';
import { type FaultPhrases, faultPhrases } from './fault-texts.ts';
import { type FollowerPhrases, followerPhrases } from './follower-texts.ts';
import { type FormPhrases, formPhrases } from './form-texts.ts';
import { type ForwardPhrases, forwardPhrases } from './forward-texts.ts';
import { momentInWords } from './moment.ts';
import { type PausePhrases, pausePhrases } from './pause-texts.ts';
import type { Notice, NoticeContent } from './schema.ts';
import { type UsagePhrases, usagePhrases } from './usage-texts.ts';

export interface Mail {
  readonly subject: string;
  readonly text: string;
}

type Mailed = Exclude<Notice, { kind: 'nothing' }>;
type Of<K extends NoticeContent['kind']> = Extract<NoticeContent, { kind: K }>;

interface Phrases {
  readonly greeting: string;
  readonly closing: (service: string) => string;
  readonly sign_in_code: (content: Of<'sign_in_code'>, service: string) => Words;
  readonly invitation: (content: Of<'invitation'>, service: string) => Words;
  readonly owner_welcome: (content: Of<'owner_welcome'>, service: string) => Words;
  readonly abuse_ticket: (content: Of<'abuse_ticket'>, service: string) => Words;
  readonly domain: DomainPhrases;
  readonly usage: UsagePhrases;
  readonly billing: BillingPhrases;
  readonly pause: PausePhrases;
  readonly follower: FollowerPhrases;
  readonly forward: ForwardPhrases;
  readonly campaign: CampaignPhrases;
  readonly form: FormPhrases;
  readonly faults: FaultPhrases;
}

const de: Phrases = {
  domain: domainPhrases.de,
  usage: usagePhrases.de,
  billing: billingPhrases.de,
  pause: pausePhrases.de,
  follower: followerPhrases.de,
  forward: forwardPhrases.de,
  campaign: campaignPhrases.de,
  form: formPhrases.de,
  faults: faultPhrases.de,
  greeting: 'Guten Tag,',
  closing: (service) =>
    `${service}\n\nDiese E-Mail wurde automatisch versendet. Antworten darauf werden nicht gelesen.`,
  sign_in_code: ({ code, minutes, link }, service) => ({
    subject: `Ihr Anmeldecode für ${service}`,
    paragraphs: [
      `mit diesem Code melden Sie sich bei ${service} an:`,
      code,
      'Geben Sie ihn auf der Seite ein, auf der Sie ihn angefordert haben. Sie finden sie auch hier:',
      link,
      `Der Code gilt ${minutes === 1 ? 'eine Minute' : `${minutes} Minuten`} und nur für eine Anmeldung. Geben Sie ihn nicht weiter.`,
      'Sie haben keinen Code angefordert? Dann hat vermutlich jemand Ihre Adresse versehentlich eingegeben. Sie müssen nichts tun.',
    ],
  }),
  invitation: ({ practice, inviter, link, expiresAt }, service) => ({
    subject: `Einladung zu „${practice}“ bei ${service}`,
    paragraphs: [
      inviter === null
        ? `Sie sind eingeladen, bei ${service} Mitglied von „${practice}“ zu werden.`
        : `${inviter} lädt Sie ein, bei ${service} Mitglied von „${practice}“ zu werden.`,
      'So nehmen Sie die Einladung an:',
      link,
      `Der Link gilt bis ${momentInWords(expiresAt, 'de')}. Geben Sie ihn nicht weiter: Er ist nur für Sie bestimmt.`,
      'Sie haben keine Einladung erwartet? Dann müssen Sie nichts tun. Ohne Ihre Zustimmung werden Sie nicht Mitglied.',
    ],
  }),
  owner_welcome: ({ practice, link }, service) => ({
    subject: `Sie sind Owner von „${practice}“ bei ${service}`,
    paragraphs: [
      `der Betreiber von ${service} hat Sie als Owner von „${practice}“ eingetragen. Sie können dort alles verwalten, auch die Mitglieder und ihre Rechte.`,
      'Hier melden Sie sich mit dieser E-Mail-Adresse an:',
      link,
      'Sie haben das nicht erwartet? Dann wenden Sie sich bitte an den Betreiber. Solange Sie sich nicht anmelden, geschieht in Ihrem Namen nichts.',
    ],
  }),
  abuse_ticket: ({ ticketId, stage }) => {
    const stages = {
      open: {
        subject: 'Ihre Meldung ist eingegangen',
        paragraphs: [
          'vielen Dank für Ihre Meldung. Sie ist bei uns eingegangen und hat diese Nummer:',
          ticketId,
          'Wir sehen sie uns an und schreiben Ihnen, wenn die Prüfung beginnt und wenn sie abgeschlossen ist.',
        ],
      },
      investigating: {
        subject: 'Ihre Meldung wird geprüft',
        paragraphs: [
          'wir prüfen jetzt Ihre Meldung mit dieser Nummer:',
          ticketId,
          'Wir schreiben Ihnen, wenn die Prüfung abgeschlossen ist.',
        ],
      },
      closed: {
        subject: 'Die Prüfung Ihrer Meldung ist abgeschlossen',
        paragraphs: [
          'wir haben die Prüfung Ihrer Meldung mit dieser Nummer abgeschlossen:',
          ticketId,
          'Vielen Dank, dass Sie sich die Zeit genommen haben. Sollten Sie wieder etwas beobachten, melden Sie es bitte erneut.',
        ],
      },
    };
    const { subject, paragraphs } = stages[stage];
    return {
      subject: `${subject} (${ticketId})`,
      paragraphs: [
        ...paragraphs,
        'Sie haben uns nichts gemeldet? Dann hat jemand anderes Ihre Adresse angegeben. Sie müssen nichts tun.',
      ],
    };
  },
};

const en: Phrases = {
  domain: domainPhrases.en,
  usage: usagePhrases.en,
  billing: billingPhrases.en,
  pause: pausePhrases.en,
  follower: followerPhrases.en,
  forward: forwardPhrases.en,
  campaign: campaignPhrases.en,
  form: formPhrases.en,
  faults: faultPhrases.en,
  greeting: 'Hello,',
  closing: (service) => `${service}\n\nThis email was sent automatically. Replies to it are not read.`,
  sign_in_code: ({ code, minutes, link }, service) => ({
    subject: `Your sign-in code for ${service}`,
    paragraphs: [
      `Use this code to sign in to ${service}:`,
      code,
      'Enter it on the page where you asked for it. You also find that page here:',
      link,
      `The code is valid for ${minutes === 1 ? 'one minute' : `${minutes} minutes`} and for one sign-in only. Do not share it.`,
      'You did not ask for a code? Then someone has probably entered your address by mistake. You need not do anything.',
    ],
  }),
  invitation: ({ practice, inviter, link, expiresAt }, service) => ({
    subject: `Invitation to “${practice}” at ${service}`,
    paragraphs: [
      inviter === null
        ? `You are invited to become a member of “${practice}” at ${service}.`
        : `${inviter} invites you to become a member of “${practice}” at ${service}.`,
      'To accept the invitation:',
      link,
      `The link is valid until ${momentInWords(expiresAt, 'en')}. Do not share it: it is meant for you alone.`,
      'You did not expect an invitation? Then you need not do anything. You do not become a member unless you agree.',
    ],
  }),
  owner_welcome: ({ practice, link }, service) => ({
    subject: `You are an owner of “${practice}” at ${service}`,
    paragraphs: [
      `The operator of ${service} has made you an owner of “${practice}”. You can manage everything there, including its members and their permissions.`,
      'Sign in here with this email address:',
      link,
      'You did not expect this? Then please contact the operator. Nothing is done in your name unless you sign in.',
    ],
  }),
  abuse_ticket: ({ ticketId, stage }) => {
    const stages = {
      open: {
        subject: 'We have received your report',
        paragraphs: [
          'Thank you for your report. We have received it under this number:',
          ticketId,
          'We will look into it, and write to you when the investigation begins and when it is closed.',
        ],
      },
      investigating: {
        subject: 'We are investigating your report',
        paragraphs: [
          'We are now investigating your report with this number:',
          ticketId,
          'We will write to you when the investigation is closed.',
        ],
      },
      closed: {
        subject: 'Your report has been closed',
        paragraphs: [
          'We have closed the investigation of your report with this number:',
          ticketId,
          'Thank you for taking the time. Should you notice anything again, please report it.',
        ],
      },
    };
    const { subject, paragraphs } = stages[stage];
    return {
      subject: `${subject} (${ticketId})`,
      paragraphs: [
        ...paragraphs,
        'You did not report anything? Then someone else has given your address. You need not do anything.',
      ],
    };
  },
};

const phrases: Readonly<Record<Language, Phrases>> = { de, en };

/** What mail programs would make a link of: an address with `://`, or a name of a host. */
const LINK_LIKE = /:\/\/|[\p{L}\p{N}][.\u3002\uff0e\uff61]\p{L}{2}/u;

/**
 * The name that someone gave a practice, for a mail that the service writes to others. It must not send strangers a link in our
 * name, so what would be a link is set apart at its dots and slashes.
 */
const harmless = (name: string): string =>
  LINK_LIKE.test(name) ? name.replace(/[./:\u3002\uff0e\uff61]+(?=[^\s./:])/gu, '$& ') : name;

/** A token's name is freely chosen; a member's address is not. */
const harmlessPerson = <P extends { readonly by: string; readonly name: string }>({ by, name }: P) => ({
  name: by === 'token' ? harmless(name) : name,
});

const wordsOf = (notice: Mailed, service: string): Words => {
  const language = phrases[notice.language];
  switch (notice.kind) {
    case 'sign_in_code':
      return language.sign_in_code(notice, service);
    case 'invitation':
      return language.invitation({ ...notice, practice: harmless(notice.practice) }, service);
    case 'owner_welcome':
      return language.owner_welcome({ ...notice, practice: harmless(notice.practice) }, service);
    case 'abuse_ticket':
      return language.abuse_ticket(notice, service);
    case 'domain_verified':
      return language.domain.verified({ ...notice, practice: harmless(notice.practice) }, service);
    case 'domain_lost':
      return language.domain.lost({ ...notice, practice: harmless(notice.practice) }, service);
    case 'dns_alert':
      return language.domain.alert({ ...notice, practice: harmless(notice.practice) }, service);
    case 'dns_recovered':
      return language.domain.recovered({ ...notice, practice: harmless(notice.practice) }, service);
    case 'plan_usage':
      return language.usage({ ...notice, practice: harmless(notice.practice) });
    case 'billing':
      return language.billing({ ...notice, practice: harmless(notice.practice) });
    case 'practice_paused': {
      const { cause } = notice;
      const shown =
        'reason' in cause ? { ...cause, ...harmlessPerson(cause), reason: harmless(cause.reason) } : cause;
      return language.pause.paused({ ...notice, practice: harmless(notice.practice), cause: shown }, service);
    }
    case 'practice_resumed':
      return language.pause.resumed(
        { ...notice, ...harmlessPerson(notice), practice: harmless(notice.practice) },
        service,
      );
    case 'follower_disabled':
      return language.follower({
        ...notice,
        practice: harmless(notice.practice),
        name: harmless(notice.name),
      });
    case 'forward_confirmation':
      return language.forward.confirmation({ ...notice, practice: harmless(notice.practice) }, service);
    case 'forward_ended':
      return language.forward.ended({ ...notice, practice: harmless(notice.practice) });
    case 'campaign':
      return language.campaign({
        ...notice,
        practice: harmless(notice.practice),
        name: harmless(notice.name),
      });
    case 'form_alert':
      return language.form({
        ...notice,
        practice: harmless(notice.practice),
        list: harmless(notice.list),
      });
    case 'storage_faults':
      return language.faults(notice, service);
    default:
      return notice satisfies never;
  }
};

/** `service` is the name under which the service speaks. Lines end in LF and are as long as their paragraphs. */
export const mailOf = (notice: Mailed, service: string): Mail => {
  const { subject, paragraphs } = wordsOf(notice, service);
  const { greeting, closing } = phrases[notice.language];
  return { subject, text: `${[greeting, ...paragraphs, closing(service)].join('\n\n')}\n` };
};
