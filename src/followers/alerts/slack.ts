// A message as incoming webhooks of Slack take it: blocks of plain text, in which nothing is markup, and `text`, which Slack
// shows in notifications, and Mattermost and Rocket.Chat, which know no such blocks, as the message. They read their Markdown
// and `@channel` in it, and Slack its own, so nothing of either is left there. Pure.
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
/** Between an @ and a name, so that nobody is called; between the parts of an address, so that it is no link. */
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
