// Rules about the message's structure: its parts and its HTML. Pure.
import type { Reading } from '../reading/read-content.ts';
import type { TextReading } from '../reading/text.ts';
import type { ContentRule, RuleMatch } from './rule.ts';

/** Octets of an HTML part that Gmail shows. */
const CLIPPED_FROM = 102 * 1_024;
/** A preheader is hidden text and usual. The longest have some 250 letters, and some mails have two, one for phones. */
const UNSEEN_LETTERS = 500;
const FEW_LETTERS = 60;
const LARGE_DATA = 20_000;
/** Two parts are compared if each has this many long words; the HTML must have this share of those of the text. */
const COMPARED_WORDS = 25;
const COMMON_SHARE = 0.2;

const nothing: RuleMatch = { detail: null };

const foreign =
  (...names: readonly string[]) =>
  ({ html }: Reading): RuleMatch | null => {
    const found = names.filter((name) => html?.foreign.has(name));
    return found.length > 0 ? { detail: found.join(', ') } : null;
  };

/** The share of the long words in `one` that `other` has too; null if either has too few. */
const commonShare = (one: TextReading, other: TextReading): number | null => {
  if (one.marks.length < COMPARED_WORDS || other.marks.length < COMPARED_WORDS) return null;
  const known = new Uint8Array(65_536);
  for (const mark of other.marks) known[mark] = 1;
  let common = 0;
  for (const mark of one.marks) common += known[mark] ?? 0;
  return common / one.marks.length;
};

/** A code unit is one to three octets of UTF-8, so that most need not be counted. */
const isClipped = (html: string): boolean =>
  html.length > CLIPPED_FROM || (html.length * 3 > CLIPPED_FROM && Buffer.byteLength(html) > CLIPPED_FROM);

export const htmlRules: readonly ContentRule[] = [
  {
    id: 'active_content',
    weight: 25,
    finds: foreign('script', 'handler', 'refresh'),
    why: {
      de: 'Die Mail enthält Skripte oder eine automatische Weiterleitung; Mailprogramme entfernen sie, Filter misstrauen ihnen.',
      en: 'The mail holds scripts or an automatic redirect: mail programs remove them, filters distrust them.',
    },
    advice: {
      de: 'Lassen Sie Skripte weg, und verlinken Sie eine Seite, die sie hat.',
      en: 'Leave scripts out and link to a page that has them.',
    },
  },
  {
    id: 'embedded_page',
    weight: 20,
    finds: foreign('iframe', 'frame', 'object', 'embed', 'applet'),
    why: {
      de: 'Eingebettete Seiten und Objekte zeigt kein Mailprogramm an.',
      en: 'No mail program shows embedded pages and objects.',
    },
    advice: { de: 'Verwenden Sie ein Bild mit einem Link.', en: 'Use an image with a link.' },
  },
  {
    id: 'form',
    weight: 20,
    finds: foreign('form'),
    why: {
      de: 'Formulare in Mails funktionieren selten und dienen meist dazu, Daten abzugreifen.',
      en: 'Forms in mail seldom work and mostly serve to steal data.',
    },
    advice: { de: 'Verlinken Sie das Formular auf Ihrer Website.', en: 'Link to the form on your website.' },
  },
  {
    id: 'hidden_text',
    weight: 15,
    finds: ({ html }) =>
      html !== null && html.unseenLetters > UNSEEN_LETTERS ? { detail: String(html.unseenLetters) } : null,
    why: {
      de: 'Die Mail enthält viel Text, den niemand sieht.',
      en: 'The mail holds much text that no one sees.',
    },
    advice: {
      de: 'Entfernen Sie verborgenen Text; ein kurzer Vorschautext ist in Ordnung.',
      en: 'Remove hidden text; a short preheader is fine.',
    },
  },
  {
    id: 'html_too_complex',
    weight: 30,
    finds: ({ html }) => (html?.isCut ? nothing : null),
    why: {
      de: 'Das HTML hat so viele Elemente, dass es nicht bis zum Ende geprüft wird.',
      en: 'The HTML has so many elements that it is not checked to its end.',
    },
    advice: { de: 'Vereinfachen Sie die Vorlage.', en: 'Simplify the template.' },
  },
  {
    id: 'image_only',
    weight: 10,
    finds: ({ html, htmlWords }) =>
      html !== null && html.images > 0 && (htmlWords?.letters ?? 0) < FEW_LETTERS ? nothing : null,
    why: { de: 'Die Mail besteht fast nur aus Bildern.', en: 'The mail is hardly more than images.' },
    advice: {
      de: 'Schreiben Sie das Wesentliche als Text; viele Programme laden Bilder nicht von selbst.',
      en: 'Write what matters as text; many programs do not load images by themselves.',
    },
  },
  {
    id: 'parts_differ',
    weight: 10,
    finds: ({ textWords, htmlWords }) => {
      if (textWords === null || htmlWords === null) return null;
      const share = commonShare(textWords, htmlWords);
      return share !== null && share < COMMON_SHARE ? nothing : null;
    },
    why: {
      de: 'Text und HTML sagen offenbar Verschiedenes.',
      en: 'Text and HTML seem to say different things.',
    },
    advice: {
      de: 'Geben Sie beiden Teilen denselben Inhalt, oder lassen Sie den Text aus dem HTML erzeugen.',
      en: 'Give both parts the same content, or have the text made of the HTML.',
    },
  },
  {
    id: 'html_clipped',
    weight: 8,
    finds: ({ content: { html } }) => (html !== null && isClipped(html) ? nothing : null),
    why: {
      de: 'Das HTML ist größer als 102 kB; Gmail schneidet den Rest ab.',
      en: 'The HTML is larger than 102 kB; Gmail clips the rest.',
    },
    advice: {
      de: 'Kürzen Sie die Vorlage, und betten Sie keine Bilder als Daten ein.',
      en: 'Shorten the template, and embed no images as data.',
    },
  },
  {
    id: 'unfinished_html',
    weight: 8,
    finds: ({ html }) => (html?.isUnfinished ? nothing : null),
    why: {
      de: 'Das HTML endet mitten in einem Tag, einem Kommentar oder einem Anführungszeichen.',
      en: 'The HTML ends within a tag, a comment or a quotation.',
    },
    advice: {
      de: 'Prüfen Sie, ob die Vorlage vollständig ist.',
      en: 'Check whether the template is complete.',
    },
  },
  {
    id: 'embedded_data',
    weight: 5,
    finds: ({ html }) =>
      html !== null && html.dataLength > LARGE_DATA ? { detail: String(html.dataLength) } : null,
    why: {
      de: 'Bilder stehen als Daten im HTML; Gmail und Outlook zeigen sie nicht an.',
      en: 'Images stand in the HTML as data; Gmail and Outlook do not show them.',
    },
    advice: {
      de: 'Hängen Sie Bilder mit content_id an, oder verlinken Sie sie.',
      en: 'Attach images with a content_id, or link to them.',
    },
  },
  {
    id: 'external_styles',
    weight: 5,
    finds: foreign('stylesheet'),
    why: {
      de: 'Stile aus einer verlinkten Datei laden Mailprogramme nicht.',
      en: 'Mail programs do not load styles from a linked file.',
    },
    advice: { de: 'Schreiben Sie die Stile in das HTML.', en: 'Write the styles into the HTML.' },
  },
  {
    id: 'no_text_part',
    weight: 5,
    finds: ({ content: { text, html, settings } }) =>
      (text === null || text.trim() === '') && html !== null && settings?.plain_text_fallback === false
        ? nothing
        : null,
    why: { de: 'Die Mail hat nur HTML und keinen Textteil.', en: 'The mail has HTML only and no text part.' },
    advice: {
      de: 'Senden Sie einen Textteil mit, oder setzen Sie plain_text_fallback.',
      en: 'Send a text part along, or set plain_text_fallback.',
    },
  },
];
