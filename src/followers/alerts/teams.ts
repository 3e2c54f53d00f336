// A message as workflows of Microsoft Teams take it ("when a Teams webhook request is received"): an Adaptive Card 1.4. All
// text stands in runs of a RichTextBlock, the one element of a card in which nothing is Markdown. Pure.
import type { AlertMessage } from './words.ts';

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
