// A document as MJML: the letterhead above, blocks of text together in one cell, two columns beside each other where there is room,
// and the place of the footer below. MJML makes of it what Outlook's engine, narrow screens and dark ones need. The same input makes
// the same text. Pure.
import { escapeHtml } from '../merge-fields.ts';
import { inlinesHtml, type Page, sideOf, sidesOf, type TextBlock, textBlockHtml } from './blocks-html.ts';
import { targetOf } from './link-target.ts';
import { FOOT, GROUND, type Look, SENDER_NAME } from './look.ts';
import type { Document, SimpleBlock } from './schema.ts';

/** Pixels. */
const WIDTH = 600;
const EDGE = 24;
const FONT = 'Arial,Helvetica,sans-serif';
const INK = { light: '#222222', dark: '#ececec' } as const;
/** Contrast 4.5:1 and more on the grounds. */
const FAINT = { dark: '#b0b0b0' } as const;
const PAGE = { light: '#f2f3f5', dark: '#121212' } as const;
const LINE = { light: '#d0d3d8', dark: '#4a4a4a' } as const;
const MAX_LOGO = { width: 240, height: 80 } as const;

const TEXT_TYPES: ReadonlySet<string> = new Set<TextBlock['type']>([
  'heading',
  'paragraph',
  'bullet_list',
  'ordered_list',
  'quotation',
  'signature',
]);
const isText = (block: SimpleBlock): block is TextBlock => TEXT_TYPES.has(block.type);

interface Frame extends Page {
  readonly look: Look;
  readonly direction: 'ltr' | 'rtl';
}

const attributes = (values: Readonly<Record<string, string | null>>): string =>
  Object.entries(values)
    .map(([name, value]) => (value === null ? '' : ` ${name}="${escapeHtml(value)}"`))
    .join('');

const textCell = (html: string, { sides }: Frame, padding = `0 ${EDGE}px`, kind = 'ink'): string =>
  `<mj-text${attributes({ align: sides.start, padding, 'css-class': kind })}>${html}</mj-text>`;

const otherCell = (block: Exclude<SimpleBlock, TextBlock>, frame: Frame, room: number): string => {
  const { look, sides } = frame;
  switch (block.type) {
    case 'image': {
      const { image, alt, decorative, width, align, href } = block.attrs;
      const picture = look.imageOf(image);
      if (picture === null) return '';
      const wanted = Math.round((room * width) / 100);
      return `<mj-image${attributes({
        src: picture.url,
        alt: decorative ? '' : alt,
        // A small one is not blown up.
        width: `${Math.min(wanted, picture.width)}px`,
        // On a telephone columns are as wide as the paper.
        'fluid-on-mobile': width === 100 && picture.width >= room ? 'true' : null,
        align: sideOf(align, sides),
        href: href === null ? null : targetOf(href),
        padding: `0 ${EDGE}px 16px`,
      })} />`;
    }
    case 'button': {
      const { href, align } = block.attrs;
      const label = inlinesHtml(
        block.content?.map((part) => ({ ...part, marks: part.marks?.filter(isNoLink) })),
        frame,
      );
      if (label === '') return '';
      return `<mj-button${attributes({
        href: targetOf(href) ?? '#',
        align: sideOf(align, sides),
        'css-class': 'act',
        padding: `4px ${EDGE}px 20px`,
      })}>${label}</mj-button>`;
    }
    case 'divider':
      return `<mj-divider${attributes({ padding: `8px ${EDGE}px 24px`, 'css-class': 'rule' })} />`;
    default:
      return block satisfies never;
  }
};

const isNoLink = ({ type }: { readonly type: string }): boolean => type !== 'link';

/** `room`: pixels that the content of the column has. */
const column = (blocks: readonly SimpleBlock[], frame: Frame, room: number): string => {
  const cells: string[] = [];
  let run = '';
  const endRun = (): void => {
    if (run !== '') cells.push(textCell(run, frame));
    run = '';
  };
  for (const block of blocks) {
    if (isText(block)) run += textBlockHtml(block, frame);
    else {
      endRun();
      cells.push(otherCell(block, frame, room));
    }
  }
  endRun();
  return `<mj-column direction="${frame.direction}">${cells.join('')}</mj-column>`;
};

const section = (columns: readonly string[], { direction }: Frame): string =>
  `<mj-section direction="${direction}" padding="0">${columns.join('')}</mj-section>`;

const sections = (document: Document, frame: Frame): string => {
  const made: string[] = [];
  let run: SimpleBlock[] = [];
  const endRun = (): void => {
    if (run.length > 0) made.push(section([column(run, frame, WIDTH - 2 * EDGE)], frame));
    run = [];
  };
  for (const block of document.content) {
    if (block.type !== 'columns') {
      run.push(block);
      continue;
    }
    endRun();
    const half = WIDTH / 2 - 2 * EDGE;
    made.push(
      section(
        block.content.map(({ content }) => column(content, frame, half)),
        frame,
      ),
    );
  }
  endRun();
  return made.join('');
};

const head = (frame: Frame): string => {
  const { look, sides, direction } = frame;
  const { logo, light } = look;
  const padding = `20px ${EDGE}px 20px`;
  const cell =
    logo === null
      ? textCell(
          `<p style="margin:0;font-size:18px;line-height:24px;font-weight:bold;color:${light.text}" class="name">${SENDER_NAME}</p>`,
          frame,
          padding,
        )
      : `<mj-image${attributes({
          src: logo.url,
          alt: logo.alt === '' ? SENDER_NAME : logo.alt,
          'css-class': 'logo',
          width: `${logoWidth(logo)}px`,
          align: sides.start,
          padding,
        })} />`;
  return `<mj-section direction="${direction}" padding="0" border-top="4px solid ${light.fill}" css-class="head"><mj-column direction="${direction}">${cell}</mj-column></mj-section>`;
};

const logoWidth = ({ width, height }: { readonly width: number; readonly height: number }): number =>
  Math.max(1, Math.round(width * Math.min(1, MAX_LOGO.width / width, MAX_LOGO.height / height)));

/** Colours in the dark. Where style sheets are not read, the light ones stay. */
const darkStyle = ({ dark }: Look): string =>
  [
    ':root{color-scheme:light dark;supported-color-schemes:light dark}',
    '@media (prefers-color-scheme:dark){',
    `body,.page{background-color:${PAGE.dark} !important}`,
    `.paper,.paper>table{background:${GROUND.dark} !important}`,
    `.ink div{color:${INK.dark} !important}`,
    `.ink .name,.ink .link{color:${dark.text} !important}`,
    `.act td,.act a{background:${dark.fill} !important;color:${dark.on} !important}`,
    // Dark letters of a logo without a ground of its own would be lost.
    `.logo img{background:${GROUND.light} !important}`,
    `.rule p{border-top-color:${LINE.dark} !important}`,
    `.foot div,.foot a{color:${FAINT.dark} !important}`,
    `.foot div div{border-top-color:${LINE.dark} !important}`,
    '}',
  ].join('');

export const mjmlOf = (document: Document, look: Look): string => {
  const { direction = 'ltr' } = document;
  const { light, language, title, signature } = look;
  const frame: Frame = { look, direction, sides: sidesOf(direction), colour: light.text, signature };
  const defaults = [
    `<mj-all font-family="${FONT}" />`,
    `<mj-text font-size="16px" line-height="24px" color="${INK.light}" />`,
    `<mj-button font-size="16px" line-height="24px" font-weight="bold" inner-padding="12px 24px" border-radius="6px" background-color="${light.fill}" color="${light.on}" />`,
    `<mj-divider border-width="1px" border-color="${LINE.light}" />`,
  ].join('');
  return [
    `<mjml${attributes({ lang: language, dir: direction })}>`,
    '<mj-head>',
    title === null ? '' : `<mj-title>${escapeHtml(title)}</mj-title>`,
    `<mj-attributes>${defaults}</mj-attributes>`,
    '<mj-raw><meta name="color-scheme" content="light dark" /><meta name="supported-color-schemes" content="light dark" /></mj-raw>',
    `<mj-style>${darkStyle(look)}</mj-style>`,
    '</mj-head>',
    `<mj-body width="${WIDTH}px" background-color="${PAGE.light}" css-class="page">`,
    `<mj-wrapper direction="${direction}" background-color="${GROUND.light}" padding="0" css-class="paper">`,
    head(frame),
    sections(document, frame),
    section(
      [
        `<mj-column direction="${direction}">${textCell(FOOT, frame, `0 ${EDGE}px ${EDGE}px`, 'foot')}</mj-column>`,
      ],
      frame,
    ),
    '</mj-wrapper>',
    '</mj-body>',
    '</mjml>',
  ].join('');
};
