// The words of the mails about the subscription to a paid plan, in German and English. Pure.
import type { Language } from '#src/kernel/language.ts';
import type { Words } from './domain-texts.ts';
import { momentInWords } from './moment.ts';
import type { NoticeContent } from './schema.ts';

export type BillingPhrases = (content: Extract<NoticeContent, { kind: 'billing' }>) => Words;

const de: BillingPhrases = ({ practice, what, at, testCap, link }) =>
  what.is === 'payment_failed'
    ? {
        subject: `Die Zahlung für „${practice}“ ist fehlgeschlagen`,
        paragraphs: [
          `die letzte Zahlung für den Tarif Supporter von „${practice}“ ist fehlgeschlagen. Der Zahlungsdienst versucht sie erneut.`,
          `Der Tarif bleibt bis zum ${momentInWords(what.planKeptUntil, 'de')}. Ist bis dahin nicht bezahlt, gilt wieder der Tarif Test mit ${testCap} E-Mails im Monat.`,
          'Das ist jetzt zu tun: Prüfen Sie die hinterlegte Zahlungsart. Ein Owner öffnet die Verwaltung des Abonnements hier:',
          link,
          'Zahlungsdaten werden nur auf der Seite des Zahlungsdienstes eingegeben. Senden Sie sie niemandem per E-Mail.',
        ],
      }
    : {
        subject: `Für „${practice}“ gilt wieder der Tarif Test`,
        paragraphs: [
          what.isUnpaid
            ? `der Tarif Supporter von „${practice}“ ist am ${momentInWords(at, 'de')}, zu Ende gegangen, weil er nicht bezahlt ist.`
            : `das Abonnement des Tarifs Supporter für „${practice}“ ist beendet, und mit ihm am ${momentInWords(at, 'de')}, der Tarif.`,
          `Seither gilt der Tarif Test mit ${testCap} E-Mails im Monat. Sind sie verbraucht, werden bis zum nächsten Monat keine weiteren angenommen, auch keine Terminbestätigungen.`,
          'Es geht nichts verloren: Alle Daten und Einstellungen bleiben. Ein Owner kann den Tarif jederzeit hier wieder abschließen:',
          link,
        ],
      };

const en: BillingPhrases = ({ practice, what, at, testCap, link }) =>
  what.is === 'payment_failed'
    ? {
        subject: `The payment for “${practice}” has failed`,
        paragraphs: [
          `The last payment for the Supporter plan of “${practice}” has failed. The payment provider will try again.`,
          `The plan is kept until ${momentInWords(what.planKeptUntil, 'en')}. If it is not paid by then, the Test plan with ${testCap} emails a month applies again.`,
          'What to do now: check the payment method. An owner opens the page of the subscription here:',
          link,
          'Payment details are entered on the page of the payment provider only. Do not send them to anyone by email.',
        ],
      }
    : {
        subject: `The Test plan applies to “${practice}” again`,
        paragraphs: [
          what.isUnpaid
            ? `The Supporter plan of “${practice}” ended on ${momentInWords(at, 'en')}, because it is not paid.`
            : `The subscription to the Supporter plan for “${practice}” has ended, and with it the plan, on ${momentInWords(at, 'en')}.`,
          `The Test plan with ${testCap} emails a month applies since then. Once they are used up, no more are accepted until the next month, not even appointment confirmations.`,
          'Nothing is lost: all data and settings are kept. An owner can subscribe again at any time here:',
          link,
        ],
      };

export const billingPhrases: Readonly<Record<Language, BillingPhrases>> = { de, en };
