import { type Mail, type Of, wordsFor } from '#src/accounts/mails/in-words.ts';
import { formOf } from '#src/kernel/language.ts';

const { moment } = wordsFor('de');

export const words = {
  /** Around each mail of the service. */
  frame: {
    greeting: 'Guten Tag,',
    closing: (service: string) =>
      `${service}\n\nDiese E-Mail wurde automatisch versendet. Antworten darauf werden nicht gelesen.`,
  },
  mails: {
    forward_confirmation: (
      { practice, link, expiresAt }: Of<'forward_confirmation'>,
      service: string,
    ): Mail => ({
      subject: `Sollen E-Mails an „${practice}“ zu Ihnen weitergeleitet werden?`,
      paragraphs: [
        `„${practice}“ empfängt E-Mails über ${service} und möchte sie an diese Adresse weiterleiten. Das geschieht nur, wenn Sie es bestätigen:`,
        link,
        `Bestätigen können Sie es bis ${moment(expiresAt)}. Auf derselben Seite können Sie ablehnen und die Weiterleitung später beenden.`,
        'Sie haben das nicht erwartet? Dann müssen Sie nichts tun. Solange Sie es nicht bestätigen, wird nichts weitergeleitet.',
      ],
    }),
    abuse_ticket: ({ ticketId, stage }: Of<'abuse_ticket'>): Mail => {
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
  },
  abuse: {
    title: 'Missbrauch melden',
    intro:
      'Haben Sie über diesen Dienst eine E-Mail erhalten, die Sie nicht bestellt haben oder die Sie täuschen soll? Melden Sie sie hier. Wir prüfen jede Meldung.',
    email: 'Ihre E-Mail-Adresse',
    emailNote: 'Dorthin schreiben wir Ihnen, wie es mit Ihrer Meldung weitergeht.',
    name: 'Ihr Name',
    subject: 'Betreff',
    description: 'Was ist vorgefallen?',
    source: 'Die gemeldete E-Mail als Datei (.eml)',
    sourceNote: 'Höchstens 10 MB. Am meisten hilft uns die E-Mail mit allen Kopfzeilen.',
    optional: 'freiwillig',
    send: 'Meldung absenden',
    receivedTitle: 'Ihre Meldung ist eingegangen',
    received: 'Vielen Dank. Wir bestätigen Ihnen den Eingang per E-Mail und prüfen Ihre Meldung.',
    number: 'Nummer Ihrer Meldung',
  },
  waitlist: {
    title: 'Sie stehen auf der Warteliste',
    text: 'Vielen Dank. Wir schreiben Ihnen, sobald ein Platz frei ist.',
    home: 'Zur Startseite',
    form: {
      heading: 'Einen Platz bekommen',
      intro:
        'Tragen Sie sich ein. Wir schreiben Ihnen, sobald ein Platz frei ist; das verpflichtet Sie zu nichts.',
      email: 'Ihre E-Mail-Adresse',
      plan: 'Wie viel möchten Sie senden?',
      upTo: (mails: string) => `bis ${mails} E-Mails im Monat`,
      name: 'Ihr Name oder der Ihrer Praxis',
      note: 'Möchten Sie uns etwas dazu sagen?',
      optional: 'freiwillig',
      trap: 'Bitte leer lassen',
      send: 'Eintragen',
      kept: (days: number) =>
        `Ihre Angaben sieht nur der Betreiber. Sie werden nach ${formOf(days, { one: 'einem Tag', other: `${days} Tagen` }, 'de')} gelöscht, auf Ihren Wunsch früher.`,
    },
  },
  legal: {
    privacy_url: 'Datenschutzerklärung',
    email: 'E-Mail',
    phone: 'Telefon',
    represented_by: 'Vertreten durch',
    register: 'Register',
    vat_id: 'USt-IdNr.',
    authority: 'Aufsichtsbehörde',
    imprint_url: 'Impressum',
  },
  /** What a person is told of their data: what was erased, what is kept and why, and the parts that are shown. */
  person: {
    kept: {
      member: {
        what: 'das Konto dieser Adresse als Mitglied der Praxis',
        why: 'Wer in der Praxis arbeitet, wird unter „Mitglieder“ entfernt.',
      },
    },
  },
};

export type Words = typeof words;
