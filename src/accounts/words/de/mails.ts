// The mails to members about their practice, its domain and its plan.

import type { SlowedReason } from '#src/accounts/entry/slowed-token.ts';
import {
  type Mail,
  type Of,
  type Person,
  planName,
  quotedShort,
  type Seen,
  wordsFor,
} from '#src/accounts/mails/in-words.ts';
import { FIRST_BROADCAST_DAY, warmupCaps } from '#src/accounts/tenants/rules.ts';
import { formOf } from '#src/kernel/language.ts';

const { counted, date, dayOf, figures, moment, monthOf } = wordsFor('de');

/** What becomes of requests to be put on a list. */
const WAITING =
  'Wer sich in der Zeit über ein Formular für eine Liste anmeldet, wird gespeichert und bekommt die Bestätigungsmail danach.';

const seenAs = (seen: Seen): readonly string[] => {
  const { share, counts, limit } = figures(seen);
  const [count, whole] = counts;
  const what =
    seen.measure === 'hard_bounces'
      ? 'der E-Mails an Adressen, die es nicht gibt'
      : 'der E-Mails, die Empfänger als Spam gemeldet haben';
  const advice =
    seen.measure === 'hard_bounces'
      ? 'Das ist jetzt zu tun: Entfernen Sie ungültige Adressen aus Ihrer Liste und klären Sie, woher sie stammen. Schreiben Sie nur an Adressen, die Ihnen die Empfänger selbst gegeben und bestätigt haben.'
      : 'Das ist jetzt zu tun: Entfernen Sie alle aus Ihrer Liste, die Ihre E-Mails nicht ausdrücklich bestellt haben, und machen Sie das Abbestellen leicht.';
  return [
    `Auf dem Versandweg „${seen.route}“ liegt der Anteil ${what}, bei ${share} (${count} von ${whole}, gezählt seit dem ${date(seen.from)}). Ab ${limit} wird der Versand angehalten, damit der Ruf Ihrer Domain keinen Schaden nimmt.`,
    advice,
  ];
};

/** What left the usual range. */
const beyondAs = ({ measure, count, whole, usual, limit }: SlowedReason): string => {
  const of = whole === null ? '' : `${counted(count)} von ${counted(whole)} E-Mails`;
  switch (measure) {
    case 'mails_per_hour':
      return `${counted(count)} E-Mails in einer Stunde, üblich sind höchstens etwa ${counted(usual)}. Ab ${counted(limit)} wird es verlangsamt.`;
    case 'mails_per_day':
      return `${counted(count)} E-Mails an einem Tag, üblich sind höchstens etwa ${counted(usual)}. Ab ${counted(limit)} wird es verlangsamt.`;
    case 'hard_bounces':
      return `${of} von gestern und heute gingen an Adressen, die es nicht gibt.`;
    case 'complaints':
      return `${of} von gestern und heute haben Empfänger als Spam gemeldet.`;
    case 'by_hand':
      return '';
  }
};

const personOf = ({ by, name }: Person, service: string): string => {
  if (by === 'operator') return `der Betreiber von ${service}`;
  return by === 'member' ? name : `jemand mit dem API-Token „${name}“`;
};

export const words = {
  sign_in_code: ({ code, minutes, link }: Of<'sign_in_code'>, service: string): Mail => ({
    subject: `Ihr Anmeldecode für ${service}`,
    paragraphs: [
      `mit diesem Code melden Sie sich bei ${service} an:`,
      code,
      'Geben Sie ihn auf der Seite ein, auf der Sie ihn angefordert haben. Sie finden sie auch hier:',
      link,
      `Der Code gilt ${formOf(minutes, { one: 'eine Minute', other: `${minutes} Minuten` }, 'de')} und nur für eine Anmeldung. Geben Sie ihn nicht weiter.`,
      'Sie haben keinen Code angefordert? Dann hat vermutlich jemand Ihre Adresse versehentlich eingegeben. Sie müssen nichts tun.',
    ],
  }),
  invitation: ({ practice, inviter, link, expiresAt }: Of<'invitation'>, service: string): Mail => ({
    subject: `Einladung zu „${practice}“ bei ${service}`,
    paragraphs: [
      inviter === null
        ? `Sie sind eingeladen, bei ${service} Mitglied von „${practice}“ zu werden.`
        : `${inviter} lädt Sie ein, bei ${service} Mitglied von „${practice}“ zu werden.`,
      'So nehmen Sie die Einladung an:',
      link,
      `Der Link gilt bis ${moment(expiresAt)}. Geben Sie ihn nicht weiter: Er ist nur für Sie bestimmt.`,
      'Sie haben keine Einladung erwartet? Dann müssen Sie nichts tun. Mitglied werden Sie erst, wenn Sie sie annehmen.',
    ],
  }),
  owner_welcome: ({ practice, link }: Of<'owner_welcome'>, service: string): Mail => ({
    subject: `Sie sind Inhaber von „${practice}“ bei ${service}`,
    paragraphs: [
      `der Betreiber von ${service} hat Sie als Inhaber von „${practice}“ eingetragen. Sie können dort alles verwalten, auch die Mitglieder und ihre Rechte.`,
      'Hier melden Sie sich mit dieser E-Mail-Adresse an:',
      link,
      'Sie haben das nicht erwartet? Dann wenden Sie sich bitte an den Betreiber. Solange Sie sich nicht anmelden, geschieht in Ihrem Namen nichts.',
    ],
  }),
  domain_verified: ({ practice, host, managedHost, link }: Of<'domain_verified'>, service: string): Mail => ({
    subject: `Die Domain ${host} ist bestätigt`,
    paragraphs: [
      `die DKIM-Einträge von ${host} sind im DNS gefunden worden. „${practice}“ versendet bei ${service} ab jetzt von dieser Domain.`,
      `Damit sich die Empfänger an die Domain gewöhnen, beginnt heute ihre Aufwärmphase: In den ersten ${warmupCaps.length} Tagen gelten Tagesgrenzen, und Newsletter können von dort ab Tag ${FIRST_BROADCAST_DAY} verschickt werden. Bis dahin verschicken Sie Newsletter bitte mit einem Absender unter ${managedHost}.`,
      'Ob alle übrigen Einträge stimmen, sehen Sie hier:',
      link,
      'Sie haben diese Domain nicht eingerichtet? Dann wenden Sie sich bitte an die übrigen Inhaber oder an den Betreiber.',
    ],
  }),
  domain_lost: ({ practice, host, managedHost, link }: Of<'domain_lost'>, service: string): Mail => ({
    subject: `Die Domain ${host} gehört nicht mehr zu „${practice}“`,
    paragraphs: [
      `ein anderes Konto bei ${service} hat durch Einträge im DNS nachgewiesen, dass es über ${host} verfügt. „${practice}“ versendet deshalb nicht mehr von dieser Domain, sondern von ${managedHost}.`,
      'Wenn die Domain Ihnen gehört, prüfen Sie bitte, wer ihre DNS-Einträge ändern kann. Sie können sie hier erneut hinzufügen; dafür sind neue DKIM-Einträge nötig:',
      link,
      'Sie haben die Domain selbst abgegeben? Dann müssen Sie nichts tun.',
    ],
  }),
  plan_usage: (content: Of<'plan_usage'>): Mail => {
    const { practice, plan, month, share, used, cap, resetsAt, refuses, managedHost, link } = content;
    const [useds, caps] = [counted(used), counted(cap)];
    const limit = managedHost ? 'ohne eigene Domain' : `im Tarif ${planName(plan)}`;
    const day = dayOf(resetsAt);
    const atCap =
      refuses === 'all'
        ? `Bis zum ${day} (0 Uhr UTC) werden keine weiteren E-Mails angenommen, auch keine Terminbestätigungen. ${WAITING}`
        : `Bis zum ${day} (0 Uhr UTC) werden keine Newsletter und keine andere Werbung mehr angenommen. Terminbestätigungen, Erinnerungen und andere Mitteilungen gehen weiter hinaus.`;
    const before =
      refuses === 'all'
        ? `Sind 100 % erreicht, werden bis zum ${day} (0 Uhr UTC) keine weiteren E-Mails angenommen, auch keine Terminbestätigungen.`
        : `Sind 100 % erreicht, werden bis zum ${day} (0 Uhr UTC) keine Newsletter und keine andere Werbung mehr angenommen. Terminbestätigungen, Erinnerungen und andere Mitteilungen gehen weiter hinaus.`;
    const more = managedHost
      ? 'Mit einer eigenen, bestätigten Domain gilt die Grenze des Tarifs. Den aktuellen Stand sehen Sie hier:'
      : 'Ein größerer Tarif hebt die Grenze an. Den aktuellen Stand sehen Sie hier:';
    return {
      subject:
        share === 100
          ? `Das Monatskontingent von „${practice}“ ist ausgeschöpft`
          : `„${practice}“ hat ${share} % des Monatskontingents verbraucht`,
      paragraphs: [
        `„${practice}“ hat im ${monthOf(month)} bisher ${useds} von ${caps} E-Mails verbraucht, die ${limit} im Monat möglich sind. Damit sind ${share} % erreicht.`,
        share === 100 ? atCap : before,
        more,
        link,
        'Sie haben nicht so viel versendet? Dann prüfen Sie bitte, wer Zugang hat, und ersetzen Sie die API-Token.',
      ],
    };
  },
  billing: ({ practice, what, at, testCap, link }: Of<'billing'>): Mail =>
    what.is === 'payment_failed'
      ? {
          subject: `Die Zahlung für „${practice}“ ist fehlgeschlagen`,
          paragraphs: [
            `die letzte Zahlung für den Tarif Supporter von „${practice}“ ist fehlgeschlagen. Der Zahlungsdienst versucht sie erneut.`,
            `Der Tarif bleibt bis zum ${moment(what.planKeptUntil)}. Ist bis dahin nicht bezahlt, gilt wieder der Tarif Test mit ${testCap} E-Mails im Monat.`,
            'Das ist jetzt zu tun: Prüfen Sie die hinterlegte Zahlungsart. Ein Inhaber öffnet die Verwaltung des Abonnements hier:',
            link,
            'Zahlungsdaten werden nur auf der Seite des Zahlungsdienstes eingegeben. Senden Sie sie niemandem per E-Mail.',
          ],
        }
      : {
          subject: `Für „${practice}“ gilt wieder der Tarif Test`,
          paragraphs: [
            what.isUnpaid
              ? `der Tarif Supporter von „${practice}“ ist am ${moment(at)}, zu Ende gegangen, weil er nicht bezahlt ist.`
              : `das Abonnement des Tarifs Supporter für „${practice}“ ist beendet, und mit ihm am ${moment(at)}, der Tarif.`,
            `Seither gilt der Tarif Test mit ${testCap} E-Mails im Monat. Sind sie verbraucht, werden bis zum nächsten Monat keine weiteren angenommen, auch keine Terminbestätigungen.`,
            'Es geht nichts verloren: Alle Daten und Einstellungen bleiben. Ein Inhaber kann den Tarif jederzeit hier wieder abschließen:',
            link,
          ],
        },
  practice_paused: ({ practice, at, cause, link }: Of<'practice_paused'>, service: string): Mail => {
    const when = moment(at);
    const resumption =
      cause.by === 'operator'
        ? 'Nur der Betreiber kann den Versand wieder freigeben. Bitte wenden Sie sich an ihn. Den aktuellen Stand sehen Sie hier:'
        : cause.by === 'guardrail'
          ? 'Ist die Liste bereinigt, setzt ein Inhaber den Versand hier fort:'
          : 'Ein Inhaber kann den Versand jederzeit fortsetzen. Den aktuellen Stand sehen Sie hier:';
    return {
      subject: `Der Versand von „${practice}“ ist angehalten`,
      paragraphs: [
        ...(cause.by === 'guardrail'
          ? [`seit dem ${when}, ist der Versand von „${practice}“ angehalten.`, ...seenAs(cause)]
          : [
              `${personOf(cause, service)} hat den Versand von „${practice}“ am ${when}, angehalten. Begründung:`,
              cause.reason,
            ]),
        'Es geht nichts verloren: E-Mails, die schon angenommen sind, warten und gehen hinaus, sobald der Versand fortgesetzt wird. Neue werden bis dahin nicht angenommen. Wer sich in der Zeit über ein Formular für eine Liste anmeldet, wird gespeichert und bekommt die Bestätigungsmail danach.',
        resumption,
        link,
        cause.by === 'guardrail'
          ? 'Sie haben diese E-Mails nicht versendet? Dann prüfen Sie bitte, wer Zugang hat, und ersetzen Sie die API-Token.'
          : 'Sie haben das nicht erwartet? Dann wenden Sie sich bitte an die übrigen Inhaber oder an den Betreiber.',
      ],
    };
  },
  token_slowed: (
    { practice, token, at, by, reason, perHour, link }: Of<'token_slowed'>,
    service: string,
  ): Mail => ({
    subject: `Das API-Token „${token}“ von „${practice}“ ist verlangsamt`,
    paragraphs: [
      by === 'brake'
        ? `Seit dem ${moment(at)}, ist das API-Token „${token}“ von „${practice}“ verlangsamt, weil es nicht mehr im üblichen Rahmen ist: ${beyondAs(reason)}`
        : `${by === 'operator' ? `Der Betreiber von ${service}` : 'Ein Mitglied Ihrer Praxis'} hat das API-Token „${token}“ von „${practice}“ am ${moment(at)}, verlangsamt.${reason.note === null ? '' : ` Begründung: ${quotedShort(reason.note)}`}`,
      `Es geht nichts verloren: Was mit diesem Token gesendet wird, ist angenommen und wartet; davon gehen ${counted(perHour)} E-Mails in der Stunde hinaus. Andere Token sind davon nicht betroffen.`,
      'Stammt das von Ihnen, zum Beispiel ein geplanter Versand? Dann bestätigen Sie es hier mit einem Klick, und alles geht sofort hinaus:',
      link,
      'Stammt es nicht von Ihnen? Dann hat vermutlich jemand das Token oder das Programm, das es benutzt, zum Beispiel ein Formular Ihrer Website. Widerrufen Sie das Token auf derselben Seite und verwerfen Sie, was wartet.',
    ],
  }),
  practice_resumed: ({ practice, at, link, ...person }: Of<'practice_resumed'>, service: string): Mail => ({
    subject: `Der Versand von „${practice}“ geht weiter`,
    paragraphs: [
      `${personOf(person, service)} hat den Versand von „${practice}“ am ${moment(at)}, fortgesetzt.`,
      'E-Mails, die gewartet haben, gehen jetzt hinaus, und neue werden wieder angenommen. Den aktuellen Stand sehen Sie hier:',
      link,
      'Sie haben das nicht erwartet? Dann wenden Sie sich bitte an die übrigen Inhaber oder an den Betreiber.',
    ],
  }),
};
export type Words = typeof words;
