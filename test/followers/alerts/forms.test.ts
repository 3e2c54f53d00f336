// The messages in the forms of the chat tools: what stands in them is said and does nothing, and they are never too long.
import { describe, expect, test } from 'vitest';
import { slackBody, teamsBody } from '#src/followers/alerts/forms.ts';
import type { AlertMessage } from '#src/followers/alerts/words.ts';

const message: AlertMessage = {
  title: 'Praxis am Markt: 1.001 Ereignisse',
  lines: [
    { text: '1.000 abgewiesene E-Mails', samples: ['e…@example.org (5.1.1, unknown_address)'] },
    { text: '1 als Spam gemeldete E-Mail', samples: [] },
  ],
  when: '28. November 2026, 15:30–15:42 Uhr MEZ',
  link: { text: 'In Sendwerk ansehen', url: 'https://mail.example.com' },
};

interface Text {
  readonly type: string;
  readonly text: string;
  readonly emoji?: boolean;
}
interface SlackForm {
  readonly text: string;
  readonly blocks: readonly {
    readonly type: string;
    readonly text?: Text;
    readonly elements?: readonly Text[];
  }[];
}
interface TeamsForm {
  readonly type: string;
  readonly attachments: readonly {
    readonly contentType: string;
    readonly content: {
      readonly type: string;
      readonly version: string;
      readonly body: readonly {
        readonly type: string;
        readonly inlines: readonly { readonly type: string; readonly text: string }[];
      }[];
      readonly actions: readonly { readonly type: string; readonly title: string; readonly url: string }[];
    };
  }[];
}
const slack = (said: AlertMessage): SlackForm => JSON.parse(slackBody(said));
const teams = (said: AlertMessage): TeamsForm => JSON.parse(teamsBody(said));
const textsOf = ({ blocks }: SlackForm): Text[] =>
  blocks.flatMap(({ text, elements = [] }) => [...(text ? [text] : []), ...elements]);
const runsOf = ({ attachments }: TeamsForm): string[] =>
  attachments.flatMap(({ content }) =>
    content.body.flatMap(({ inlines }) => inlines.map(({ text }) => text)),
  );

test('Slack gets blocks of plain text, and a text for notifications and for tools without blocks', () => {
  const form = slack(message);
  expect(form.blocks.map(({ type }) => type)).toEqual(['header', 'section', 'section', 'context']);
  expect(textsOf(form).map(({ type, text }) => [type, text])).toEqual([
    ['plain_text', 'Praxis am Markt: 1.001 Ereignisse'],
    ['plain_text', '1.000 abgewiesene E-Mails\n• e…@example.org (5.1.1, unknown_address)'],
    ['plain_text', '1 als Spam gemeldete E-Mail'],
    ['plain_text', '28. November 2026, 15:30–15:42 Uhr MEZ'],
    ['mrkdwn', '<https://mail.example.com|In Sendwerk ansehen>'],
  ]);
  expect(form.text.split('\n')).toEqual([
    'Praxis am Markt: 1.001 Ereignisse',
    '1.000 abgewiesene E-Mails',
    '• e…@\u2060example.org （5.1.1, unknown＿address）',
    '1 als Spam gemeldete E-Mail',
    '28. November 2026, 15:30–15:42 Uhr MEZ',
    'https://mail.example.com',
  ]);
});

test('Teams gets an Adaptive Card 1.4 of text runs', () => {
  const form = teams(message);
  const [attachment, ...others] = form.attachments;
  expect(others).toEqual([]);
  expect([form.type, attachment?.contentType, attachment?.content.type, attachment?.content.version]).toEqual(
    ['message', 'application/vnd.microsoft.card.adaptive', 'AdaptiveCard', '1.4'],
  );
  expect(runsOf(form)).toEqual([
    'Praxis am Markt: 1.001 Ereignisse',
    '1.000 abgewiesene E-Mails',
    '• e…@example.org (5.1.1, unknown_address)',
    '1 als Spam gemeldete E-Mail',
    '28. November 2026, 15:30–15:42 Uhr MEZ',
  ]);
  expect(attachment?.content.actions).toEqual([
    { type: 'Action.OpenUrl', title: 'In Sendwerk ansehen', url: 'https://mail.example.com' },
  ]);
});

const attacks = [
  '<!channel>',
  '<!here|here>',
  '<@U012AB3CD>',
  '<!subteam^SAZ94GDB8>',
  '<https://evil.example|Sendwerk>',
  '&lt;!channel&gt;',
  '@channel',
  '@all @here @everyone',
  '[Sendwerk](https://evil.example)',
  '![](https://evil.example/pixel.png)',
  '*fett* _kursiv_ ~durch~ `code` ```block```',
  '# Überschrift',
  '> Zitat',
  '|a|b|\n|-|-|',
  '<at>Erika</at>',
  '{{DATE(2017-02-14T06:08:39Z,SHORT)}}',
  '\\*nicht\\*',
  ':rotating_light:',
  'https://evil.example/login',
  '"}],"text":"<!channel>"',
];

describe.each(attacks)('%s in a name', (attack) => {
  const hostile: AlertMessage = {
    ...message,
    title: attack,
    lines: [{ text: attack, samples: [attack] }],
    when: null,
  };

  test('is no markup of Slack’s', () => {
    for (const { type, text, emoji } of textsOf(slack(hostile)).slice(0, -1)) {
      expect([type, emoji]).toEqual(['plain_text', false]);
      expect(text).not.toMatch(/[<>]|&(?!(?:amp|lt|gt);)/);
    }
    expect(textsOf(slack(hostile)).at(-1)?.text).toBe('<https://mail.example.com|In Sendwerk ansehen>');
  });

  test('is no markup in the text that tools without blocks show', () => {
    const said = slack(hostile).text.split('\n').slice(0, -1).join('\n');
    // No link, image, mention, emphasis, code, table, heading or quotation can be begun without one of these.
    expect(said).not.toMatch(/[<>*_~`[\]()|#!\\]|@[\w]|:\/\/\w/);
  });

  test('says the same to its reader', () => {
    const shown = textsOf(slack(hostile))[0]?.text ?? '';
    expect(shown.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')).toBe(attack);
    expect(runsOf(teams(hostile))[0]).toBe(attack);
  });

  test('is in no element of a card that reads Markdown', () => {
    const body = teams(hostile).attachments.flatMap(({ content }) => content.body);
    expect(new Set(body.map(({ type }) => type))).toEqual(new Set(['RichTextBlock']));
    expect(new Set(body.flatMap(({ inlines }) => inlines.map(({ type }) => type)))).toEqual(
      new Set(['TextRun']),
    );
  });
});

test('the link’s own text is no markup either', () => {
  const link = { text: 'In <!channel>|x ansehen', url: 'https://mail.example.com' };
  expect(textsOf(slack({ ...message, link })).at(-1)?.text).toBe(
    '<https://mail.example.com|In &lt;!channel&gt;∣x ansehen>',
  );
});

describe('at its longest', () => {
  const endless = (character: string): AlertMessage => ({
    title: character.repeat(5_000),
    lines: Array.from({ length: 16 }, () => ({
      text: character.repeat(5_000),
      samples: Array.from({ length: 5 }, () => character.repeat(1_000)),
    })),
    when: character.repeat(5_000),
    link: message.link,
  });

  test.each(['x', '&', '<', 'ü', '€', '😀'])('of %s it is what Slack takes', (character) => {
    const form = slack(endless(character));
    expect(form.blocks.length).toBeLessThanOrEqual(50);
    expect(form.text.length).toBeLessThanOrEqual(40_000);
    for (const { type, text } of form.blocks)
      expect(text?.text.length ?? 0).toBeLessThanOrEqual(type === 'header' ? 150 : 3_000);
    for (const { text } of textsOf(form)) {
      expect(text.isWellFormed()).toBe(true);
      expect(text).not.toMatch(/&(?!(?:amp|lt|gt);)/);
    }
  });

  test.each(['x', '&', '"', 'ü', '€', '😀'])(
    'of %s, with five samples of some, it is what Teams takes',
    (c) => {
      const all = endless(c);
      const some = all.lines.map((line, index) => (index < 6 ? line : { ...line, samples: [] }));
      const body = teamsBody({ ...all, lines: some.map((line) => ({ ...line, text: c.repeat(60) })) });
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(28 * 1_024);
      expect(body.isWellFormed()).toBe(true);
    },
  );
});
