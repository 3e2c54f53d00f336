// The words of the mails about a campaign that has ended, has stopped by itself or does not go on, in German and English. Pure.
import type { Language } from '#src/kernel/language.ts';
import type { Words } from './domain-texts.ts';
import { momentInWords } from './moment.ts';
import type { NoticeContent } from './schema.ts';

type CampaignNotice = Extract<NoticeContent, { kind: 'campaign' }>;
type Counts = CampaignNotice['counts'];

export type CampaignPhrases = (content: CampaignNotice) => Words;

const locales: Readonly<Record<Language, string>> = { de: 'de-DE', en: 'en-GB' };

const counted = (count: number, language: Language): string => count.toLocaleString(locales[language]);

type Reasons = Readonly<Record<string, string>>;

const germanReasons: Reasons = {
  pending: 'nicht bestätigt',
  unsubscribed: 'abgemeldet',
  bounced: 'Adresse unzustellbar',
  complained: 'als Spam gemeldet',
  no_consent: 'keine nachweisbare Einwilligung',
  suppressed: 'gesperrte Adresse',
  missing_value: 'ein Wert für die Vorlage fehlt',
  unusable_value: 'ein Wert passt nicht in die Vorlage',
};
const englishReasons: Reasons = {
  pending: 'not confirmed',
  unsubscribed: 'unsubscribed',
  bounced: 'undeliverable address',
  complained: 'reported as spam',
  no_consent: 'no evidence of consent',
  suppressed: 'suppressed address',
  missing_value: 'a value of the template is missing',
  unusable_value: 'a value does not fit into the template',
};

/** Of refusals, and of what a campaign waits for. A code that has no words here is one that its mails do not get. */
const germanCodes: Reasons = {
  attachment_rejected: 'ein Anhang ist nicht erlaubt',
  conflict: 'eine ihrer Listen oder Einstellungen passt nicht mehr zu ihr',
  consent_required: 'eine nachgewiesene Einwilligung fehlt',
  content_blocked: 'der Inhalt wurde von der Prüfung abgelehnt',
  deferred: 'der Mailserver des Betreibers weist viele ihrer E-Mails vorübergehend zurück',
  dkim_not_verified: 'die DKIM-Einträge der Absenderdomain sind nicht bestätigt',
  from_not_allowed: 'der Absender gehört zu keiner Domain der Praxis',
  header_not_allowed: 'ein Kopffeld ist nicht erlaubt',
  impressum_incomplete: 'das Impressum der Praxis ist unvollständig',
  invalid_recipient: 'an die Adresse kann nicht gesendet werden',
  invalid_request: 'der Inhalt oder eine Angabe ist ungültig',
  kind_not_allowed_on_route: 'der Versandweg passt nicht zur Art der Nachricht',
  no_recipients: 'niemand auf ihren Listen konnte sie bekommen; warum, steht unten',
  not_found: 'ihr Projekt, ihr Versandweg oder ihre Vorlage gibt es nicht mehr',
  promotional_on_transactional: 'Werbung darf über diesen Versandweg nicht gesendet werden',
  safe_mode_recipient: 'die Praxis ist im abgesicherten Modus',
  unsupported_media_type: 'ein Anhang hat ein Format, das nicht angenommen wird',
};
const englishCodes: Reasons = {
  attachment_rejected: 'an attachment is not allowed',
  conflict: 'one of its lists or settings no longer fits it',
  consent_required: 'evidence of consent is missing',
  content_blocked: 'the check of the content refused it',
  deferred: 'the operator’s mail server refuses many of its emails for now',
  dkim_not_verified: 'the DKIM records of the sender’s domain are not verified',
  from_not_allowed: 'the sender belongs to no domain of the practice',
  header_not_allowed: 'a header field is not allowed',
  impressum_incomplete: 'the imprint of the practice is incomplete',
  invalid_recipient: 'the address cannot be sent to',
  invalid_request: 'the content or a setting is not valid',
  kind_not_allowed_on_route: 'the route does not fit the kind of message',
  no_recipients: 'no one on its lists could get it; the reasons are below',
  not_found: 'its project, route or template no longer exists',
  promotional_on_transactional: 'promotional mail may not be sent over this route',
  safe_mode_recipient: 'the practice is in safe mode',
  unsupported_media_type: 'an attachment has a format that is not accepted',
};

const REFUSED = 'refused:';

const lines = (
  rows: readonly (readonly [label: string, count: number])[],
  { leftOut }: Counts,
  [reasons, left, other]: readonly [reasons: Reasons, left: string, other: string],
  language: Language,
): string =>
  [
    ...rows,
    ...leftOut.map(
      ({ reason, count }) => [`${left}, ${reasons[reason.replace(REFUSED, '')] ?? other}`, count] as const,
    ),
  ]
    .map(([label, count]) => `${label}: ${counted(count, language)}`)
    .join('\n');

/** Null: there are no words for it. */
const reasonOf = (codes: Reasons, begin: string, reason: string | null): string | null => {
  const words = codes[reason ?? ''];
  return words === undefined ? null : `${begin}${words}.`;
};

const germanCounts = (counts: Counts): string =>
  lines(
    [
      ['Empfänger', counts.handedOver],
      ['Davon versendet', counts.sent],
      ['Davon noch in der Warteschlange', counts.queued],
      ['Davon bisher zugestellt', counts.delivered],
      ['Davon unzustellbar', counts.hardBounced],
      ['Davon vorübergehend unzustellbar', counts.softBounced],
      ['Davon fehlgeschlagen', counts.failed],
      ['Davon als Spam gemeldet', counts.complained],
    ],
    counts,
    [{ ...germanCodes, ...germanReasons }, 'Ausgelassen', 'aus einem anderen Grund'],
    'de',
  );

const englishCounts = (counts: Counts): string =>
  lines(
    [
      ['Recipients', counts.handedOver],
      ['Of these sent', counts.sent],
      ['Of these still queued', counts.queued],
      ['Of these delivered so far', counts.delivered],
      ['Of these undeliverable', counts.hardBounced],
      ['Of these undeliverable for now', counts.softBounced],
      ['Of these failed', counts.failed],
      ['Of these reported as spam', counts.complained],
    ],
    counts,
    [{ ...englishCodes, ...englishReasons }, 'Left out', 'for another reason'],
    'en',
  );

const de: CampaignPhrases = ({ practice, name, what, reason, at, counts, link }) => {
  const since = `seit dem ${momentInWords(at, 'de')}`;
  const said: Readonly<Record<CampaignNotice['what'], readonly [subject: string, ...paragraphs: string[]]>> =
    {
      finished: [
        `Kampagne „${name}“ ist versendet`,
        `die Kampagne „${name}“ von „${practice}“ ist am ${momentInWords(at, 'de')}, fertig geworden.`,
      ],
      stopped: [
        `Kampagne „${name}“ hat sich selbst angehalten`,
        `die Kampagne „${name}“ von „${practice}“ ist ${since}, angehalten: ${
          reason === 'complaints'
            ? 'Zu viele Empfänger haben sie als Spam gemeldet.'
            : `${counted(counts.hardBounced, 'de')} Adressen gibt es nicht, das sind zu viele.`
        } Damit der übrige Versand weitergehen kann, wartet sie, bis jemand sie fortsetzt oder abbricht.`,
        reason === 'complaints'
          ? 'Das ist jetzt zu tun: Prüfen Sie, ob alle auf der Liste Ihre E-Mails bestellt haben, und setzen Sie die Kampagne erst dann fort.'
          : 'Das ist jetzt zu tun: Prüfen Sie, woher die Adressen stammen, entfernen Sie ungültige von der Liste, und setzen Sie die Kampagne dann auf ihrer Seite fort. Die unzustellbaren Adressen sind bereits gesperrt; was bisher gezählt wurde, hält sie nicht noch einmal an.',
      ],
      stalled: [
        `Kampagne „${name}“ geht nicht weiter`,
        `von der Kampagne „${name}“ von „${practice}“ ist ${since}, keine E-Mail mehr hinausgegangen. ${reasonOf(germanCodes, 'Der Grund: ', reason) ?? 'Ein Grund dafür ist nicht bekannt; vielleicht nimmt der Mailserver des Betreibers zurzeit nichts an.'} Sie geht von selbst weiter, sobald das möglich ist.`,
        'Das ist jetzt zu tun: Beheben Sie den Grund, wenn Sie es können. Bleibt es dabei, wenden Sie sich bitte an den Betreiber.',
      ],
      restored: [
        `Kampagne „${name}“ wartet auf Ihre Entscheidung`,
        `die Daten von „${practice}“ wurden vermutlich aus einer Sicherung wiederhergestellt, oder der Dienst war länger aus. Die Kampagne „${name}“ war dabei nicht zu Ende. Damit niemand dieselbe E-Mail zweimal bekommt, ist sie ${since}, angehalten.`,
        'Das ist jetzt zu tun: Prüfen Sie, wie weit sie gekommen war, und setzen Sie sie fort oder brechen Sie sie ab.',
      ],
      failed: [
        `Kampagne „${name}“ ist fehlgeschlagen`,
        `die Kampagne „${name}“ von „${practice}“ konnte nicht versendet werden. ${reasonOf(germanCodes, 'Der Grund: ', reason) ?? 'Den Grund kennt der Betreiber.'}`,
        'Das ist jetzt zu tun: Duplizieren Sie sie, beheben Sie den Grund, und senden Sie sie erneut.',
      ],
    };
  const [subject, ...paragraphs] = said[what];
  return {
    subject,
    paragraphs: [...paragraphs, germanCounts(counts), 'Den aktuellen Stand sehen Sie hier:', link],
  };
};

const en: CampaignPhrases = ({ practice, name, what, reason, at, counts, link }) => {
  const since = `since ${momentInWords(at, 'en')}`;
  const said: Readonly<Record<CampaignNotice['what'], readonly [subject: string, ...paragraphs: string[]]>> =
    {
      finished: [
        `Campaign “${name}” has been sent`,
        `The campaign “${name}” of “${practice}” was completed on ${momentInWords(at, 'en')}.`,
      ],
      stopped: [
        `Campaign “${name}” has paused itself`,
        `The campaign “${name}” of “${practice}” has been paused ${since}: ${
          reason === 'complaints'
            ? 'too many recipients reported it as spam.'
            : `${counted(counts.hardBounced, 'en')} addresses do not exist, which is too many.`
        } It waits until someone resumes or cancels it, so that all other mail can go on.`,
        reason === 'complaints'
          ? 'What to do now: check that everyone on the list has asked for your emails, and resume the campaign only then.'
          : 'What to do now: check where the addresses came from, remove invalid ones from the list, then resume the campaign on its page. The undeliverable addresses are suppressed already; what was counted until now does not stop it again.',
      ],
      stalled: [
        `Campaign “${name}” does not go on`,
        `No email of the campaign “${name}” of “${practice}” has left ${since}. ${reasonOf(englishCodes, 'The reason: ', reason) ?? 'The reason is not known; perhaps the operator’s mail server takes nothing at the moment.'} It goes on by itself as soon as it can.`,
        'What to do now: remove the reason if you can. If this does not change, please contact the operator.',
      ],
      restored: [
        `Campaign “${name}” waits for your decision`,
        `The data of “${practice}” were probably restored from a backup, or the service was off for some time, while the campaign “${name}” was not completed. It has been paused ${since}, so that no one gets the same email twice.`,
        'What to do now: check how far it had come, and resume or cancel it.',
      ],
      failed: [
        `Campaign “${name}” has failed`,
        `The campaign “${name}” of “${practice}” could not be sent. ${reasonOf(englishCodes, 'The reason: ', reason) ?? 'The operator knows the reason.'}`,
        'What to do now: duplicate it, remove the reason, and send it again.',
      ],
    };
  const [subject, ...paragraphs] = said[what];
  return {
    subject,
    paragraphs: [...paragraphs, englishCounts(counts), 'See the current state here:', link],
  };
};

export const campaignPhrases: Readonly<Record<Language, CampaignPhrases>> = { de, en };
