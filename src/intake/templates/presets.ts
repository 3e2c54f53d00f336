// German templates that a practice starts with. Subjects do not mention a person or health, because anyone who sees the screen
// reads them. The service adds a footer with the sender's identity and the unsubscribe link. What the practice has said about
// itself is filled in (`practice-values.ts`); the sender gives the rest. Pure.
import type { Kind } from '#src/messages/kinds.ts';

/** A paragraph, facts as a list of label and value, or a link with its label. */
export type Part =
  | string
  | { readonly facts: readonly (readonly [label: string, value: string])[] }
  | { readonly link: string; readonly label: string };

export interface Preset {
  readonly name: string;
  readonly description: string;
  readonly kind: Kind;
  readonly subject: string;
  readonly parts: readonly Part[];
}

const GREETING = 'Guten Tag {{name}},';
const CLOSING = ['Freundliche Grüße', '{{practice.name}}'].join('\n');
const WHEN_AND_WHERE: Part = {
  facts: [
    ['Datum', '{{datum}}'],
    ['Uhrzeit', '{{uhrzeit}} Uhr'],
    ['Ort', '{{practice.address}}'],
  ],
};

export const presets: readonly Preset[] = [
  {
    name: 'terminbestaetigung',
    description: 'Bestätigt einen vereinbarten Termin.',
    kind: 'termin',
    subject: 'Ihr Termin am {{datum}}',
    parts: [
      GREETING,
      'wir haben für Sie folgenden Termin eingetragen:',
      WHEN_AND_WHERE,
      'Sollten Sie den Termin nicht wahrnehmen können, sagen Sie uns bitte rechtzeitig Bescheid. Sie erreichen uns telefonisch unter {{practice.phone}}.',
      CLOSING,
    ],
  },
  {
    name: 'terminerinnerung',
    description: 'Erinnert an einen bevorstehenden Termin.',
    kind: 'termin',
    subject: 'Erinnerung an Ihren Termin am {{datum}}',
    parts: [
      GREETING,
      'wir möchten Sie an Ihren bevorstehenden Termin erinnern:',
      WHEN_AND_WHERE,
      'Sollten Sie verhindert sein, rufen Sie uns bitte an, damit wir den Termin anderweitig vergeben können. Sie erreichen uns unter {{practice.phone}}.',
      CLOSING,
    ],
  },
  {
    name: 'terminverschiebung',
    description: 'Teilt mit, dass ein Termin auf eine andere Zeit gelegt wurde.',
    kind: 'termin',
    subject: 'Ihr Termin wurde verschoben',
    parts: [
      GREETING,
      'leider mussten wir Ihren Termin am {{alter_termin}} verschieben. Ihr neuer Termin:',
      WHEN_AND_WHERE,
      'Passt Ihnen diese Zeit nicht, rufen Sie uns bitte unter {{practice.phone}} an. Wir finden dann gemeinsam einen anderen Termin.',
      'Bitte entschuldigen Sie die Umstände.',
      CLOSING,
    ],
  },
  {
    name: 'terminabsage',
    description: 'Sagt einen Termin von Seiten der Praxis ab.',
    kind: 'termin',
    subject: 'Ihr Termin am {{datum}} entfällt',
    parts: [
      GREETING,
      'leider muss Ihr Termin am {{datum}} um {{uhrzeit}} Uhr entfallen.',
      'Bitte vereinbaren Sie unter {{practice.phone}} einen neuen Termin mit uns. Wir bitten um Ihr Verständnis.',
      CLOSING,
    ],
  },
  {
    name: 'recall',
    description: 'Lädt ein, einen neuen Termin zu vereinbaren; nur an Personen, die darum gebeten haben.',
    kind: 'recall',
    subject: 'Zeit für Ihren nächsten Termin',
    parts: [
      GREETING,
      'Sie haben uns gebeten, Sie an Ihren nächsten Termin in unserer Praxis zu erinnern. Es ist nun wieder so weit.',
      'Bitte vereinbaren Sie unter {{practice.phone}} einen Termin mit uns. Haben Sie bereits einen vereinbart, betrachten Sie diese Nachricht bitte als gegenstandslos.',
      CLOSING,
    ],
  },
  {
    name: 'unterlagen-abholbereit',
    description:
      'Teilt mit, dass ein Rezept, eine Überweisung oder andere Unterlagen abgeholt werden können.',
    kind: 'transactional',
    subject: 'Ihre Unterlagen liegen zur Abholung bereit',
    parts: [
      GREETING,
      'die von Ihnen angeforderten Unterlagen liegen für Sie bereit. Sie können sie während unserer Öffnungszeiten am Empfang abholen: {{oeffnungszeiten}}.',
      'Bitte bringen Sie Ihre Versichertenkarte mit. Holt jemand anderes die Unterlagen für Sie ab, geben Sie bitte eine Vollmacht mit.',
      CLOSING,
    ],
  },
  {
    name: 'nachricht-liegt-bereit',
    description: 'Weist auf eine Nachricht im geschützten Bereich hin, ohne ihren Inhalt zu nennen.',
    kind: 'transactional',
    subject: 'Eine Nachricht liegt für Sie bereit',
    parts: [
      GREETING,
      'im geschützten Bereich unserer Praxis liegt eine neue Nachricht für Sie. Zu Ihrem Schutz steht ihr Inhalt nicht in dieser E-Mail.',
      { label: 'Nachricht lesen', link: '{{link}}' },
      'Bei Fragen erreichen Sie uns telefonisch unter {{practice.phone}}.',
      CLOSING,
    ],
  },
  {
    name: 'newsletter-anmeldung',
    description: 'Bittet um die Bestätigung einer Anmeldung zum Newsletter (Double-Opt-in).',
    kind: 'doi',
    subject: 'Bitte bestätigen Sie Ihre Anmeldung',
    parts: [
      'Guten Tag,',
      'diese E-Mail-Adresse wurde für den Newsletter von {{practice.name}} angemeldet. Erst wenn Sie die Anmeldung bestätigen, nehmen wir die Adresse in den Verteiler auf.',
      { label: 'Anmeldung bestätigen', link: '{{bestaetigungslink}}' },
      'Haben Sie sich nicht angemeldet, brauchen Sie nichts zu tun: Ohne Ihre Bestätigung erhalten Sie keinen Newsletter.',
      CLOSING,
    ],
  },
  {
    name: 'newsletter',
    description: 'Ein Rundschreiben mit einer Überschrift, einem Text und einem Link.',
    kind: 'newsletter',
    subject: '{{betreff}}',
    parts: [
      'Guten Tag,',
      '{{text}}',
      { label: '{{link_text}}', link: '{{link}}' },
      'Sie erhalten diese E-Mail, weil Sie unseren Newsletter bestellt haben.',
      CLOSING,
    ],
  },
  {
    name: 'willkommen',
    description: 'Begrüßt neue Patientinnen und Patienten.',
    kind: 'transactional',
    subject: 'Willkommen in unserer Praxis',
    parts: [
      GREETING,
      'herzlich willkommen bei uns. Damit bei Ihrem ersten Besuch alles bereitliegt, bringen Sie bitte Ihre Versichertenkarte und, falls vorhanden, eine Liste Ihrer Medikamente mit.',
      {
        facts: [
          ['Anschrift', '{{practice.address}}'],
          ['Öffnungszeiten', '{{oeffnungszeiten}}'],
          ['Telefon', '{{practice.phone}}'],
        ],
      },
      'Haben Sie vorab Fragen, rufen Sie uns gern an.',
      CLOSING,
    ],
  },
];

const partAsText = (part: Part): string => {
  if (typeof part === 'string') return part;
  if ('facts' in part) return part.facts.map(([label, value]) => `${label}: ${value}`).join('\n');
  return `${part.label}:\n${part.link}`;
};

const P = '<p style="margin:0 0 16px">';

/** The words above hold no character that HTML would take for markup. */
const partAsHtml = (part: Part): string => {
  if (typeof part === 'string') return `${P}${part.replaceAll('\n', '<br>\n')}</p>`;
  if ('facts' in part)
    return `${P}${part.facts.map(([label, value]) => `${label}: <strong>${value}</strong>`).join('<br>\n')}</p>`;
  return `${P}<a href="${part.link}">${part.label}</a></p>`;
};

export const presetText = ({ parts }: Preset): string => `${parts.map(partAsText).join('\n\n')}\n`;

/** The HTML has no colours, so that readers see their own light or dark ones. */
export const presetHtml = ({ subject, parts }: Preset): string => `<!doctype html>
<html lang="de">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${subject}</title>
</head>
<body style="margin:0;padding:24px 16px;font-family:Arial,Helvetica,sans-serif;font-size:16px;line-height:1.5">
<div style="max-width:560px;margin:0 auto">
${parts.map(partAsHtml).join('\n')}
</div>
</body>
</html>
`;
