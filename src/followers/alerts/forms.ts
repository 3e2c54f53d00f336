// A message in the two forms that chat tools take, and its way there.
//
// Slack, and Mattermost and Rocket.Chat, which take the same form: blocks of plain text, in which nothing is markup, and `text`.
// Slack shows `text` in notifications; the other two know no such blocks and show it as the message, so nothing that is their
// Markdown, their `@channel`, or Slack's own markup is left in it.
//
// Microsoft Teams, as its workflows take it ("when a Teams webhook request is received"): an Adaptive Card 1.4. All text is in
// runs of a RichTextBlock, the one element of a card in which nothing is Markdown.
import type { Outbound, OutboundOutcome } from '#src/kernel/outbound/outbound.ts';
import type { AlertKind } from './rules.ts';
import type { AlertMessage } from './words.ts';

/** Characters that Slack takes. */
const MAX_HEADER = 150;
const MAX_SECTION = 3_000;
const MAX_TEXT = 10_000;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Control characters of Slack's as entities; cut where that gets too long, never within one. */
const escapedWithin = (text: string, max: number): string => {
  const pieces = [...text].map((character) => entities[character] ?? character);
  if (pieces.join('').length <= max) return pieces.join('');
  let cut = '';
  for (const piece of pieces) {
    if (cut.length + piece.length >= max) break;
    cut += piece;
  }
  return `${cut}…`;
};

/** Characters that look alike and mean nothing. */
const likenesses: Readonly<Record<string, string>> = {
  '*': '∗',
  _: '＿',
  '~': '∼',
  '`': 'ʹ',
  '[': '［',
  ']': '］',
  '(': '（',
  ')': '）',
  '|': '∣',
  '#': '＃',
  '!': 'ǃ',
  '\\': '＼',
};
/** Between an @ and a name, so that no one is called; between the parts of an address, so that it is no link. */
const GAP = '\u2060';

const withoutMarkup = (text: string): string =>
  [...text]
    .map((character) => likenesses[character] ?? character)
    .join('')
    .replace(/@|:\/\//g, `$&${GAP}`);

const plain = (text: string, max: number) => ({
  type: 'plain_text',
  text: escapedWithin(text, max),
  emoji: false,
});

const paragraph = ({ text, samples }: AlertMessage['lines'][number]): string =>
  [text, ...samples.map((sample) => `• ${sample}`)].join('\n');

export const slackBody = ({ title, lines, when, link }: AlertMessage): string => {
  const said = [title, ...lines.map(paragraph), ...(when === null ? [] : [when])].join('\n');
  const text = `${escapedWithin(withoutMarkup(said), MAX_TEXT)}\n${link.url}`;
  const section = (line: AlertMessage['lines'][number]) => ({
    type: 'section',
    text: plain(paragraph(line), MAX_SECTION),
  });
  const target = `<${escapedWithin(link.url, MAX_SECTION)}|${escapedWithin(link.text.replaceAll('|', '∣'), MAX_HEADER)}>`;
  return JSON.stringify({
    text,
    blocks: [
      { type: 'header', text: plain(title, MAX_HEADER) },
      ...lines.map(section),
      {
        type: 'context',
        elements: [
          ...(when === null ? [] : [plain(when, MAX_SECTION)]),
          { type: 'mrkdwn', text: target, verbatim: true },
        ],
      },
    ],
  });
};

/** Characters; a line, a sample. All together stay far below the 28 KB that a message may have. */
const MAX_LINE = 300;
const MAX_SAMPLE = 120;

const cut = (text: string, max: number): string => {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
};

type Look = Readonly<Record<string, string | boolean>>;
const rich = (text: string, max: number, look: Look = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text: cut(text, max), ...look }],
});

const SMALL: Look = { size: 'Small', isSubtle: true };

export const teamsBody = ({ title, lines, when, link }: AlertMessage): string =>
  JSON.stringify({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            rich(title, MAX_LINE, { size: 'Medium', weight: 'Bolder' }),
            ...lines.flatMap(({ text, samples }) => [
              rich(text, MAX_LINE),
              ...samples.map((sample) => rich(`• ${sample}`, MAX_SAMPLE, SMALL)),
            ]),
            ...(when === null ? [] : [rich(when, MAX_LINE, SMALL)]),
          ],
          actions: [{ type: 'Action.OpenUrl', title: cut(link.text, MAX_LINE), url: link.url }],
        },
      },
    ],
  });

const bodies: Readonly<Record<AlertKind, (message: AlertMessage) => string>> = {
  slack: slackBody,
  teams: teamsBody,
};

/** Posts a message to a chat tool. */
export const post = (
  outbound: Pick<Outbound, 'post'>,
  { id, kind, url }: { readonly id: string; readonly kind: AlertKind; readonly url: string },
  message: AlertMessage,
): Promise<OutboundOutcome> =>
  outbound.post({
    url,
    headers: { 'Content-Type': 'application/json' },
    body: bodies[kind](message),
    owner: `alert ${id}`,
  });
