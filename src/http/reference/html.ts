// Writes a page of the reference as HTML. It is whole without script: the language of the samples is chosen by radio buttons, what
// is nested is folded. The script adds the search and fills in the id of a practice.
import { escapeHtml } from '#src/kernel/page.ts';
import type { ServiceInfo } from '../api-facts.ts';
import { markdownAddressOf } from './markdown.ts';
import { addressOf, type Block, type Field, type Page, type PageLink, type Section } from './model.ts';
import type { Reference } from './pages.ts';
import { type Language, languageNames, languages, type Samples } from './samples.ts';

/** Descriptions mark code with backticks, as in the declarations, and links as Markdown does. */
const prose = (raw: string): string =>
  escapeHtml(raw)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\[([^\]]+)\]\(([/#][^)\s]*)\)/g, '<a href="$2">$1</a>');

/** A longer list stands in columns where there is room. */
const MANY = 12;

/** Where a long name may be broken. */
const lineBreaks = (text: string): string => escapeHtml(text).replace(/([_.|/])(?=\w{2})/g, '$1<wbr>');

const fieldItem = ({ name, type, isRequired, text, fields }: Field): string => {
  const inner =
    fields.length === 0
      ? ''
      : `<details><summary>${fields.length === 1 ? '1 field' : `${fields.length} fields`} of ${escapeHtml(name)}</summary>${fieldList(fields)}</details>`;
  const required = isRequired ? ' <b>required</b>' : '';
  return `<li><code>${lineBreaks(name)}</code> <i>${lineBreaks(type)}</i>${required}${text === '' ? '' : `<p>${prose(text)}</p>`}${inner}</li>`;
};
const fieldList = (fields: readonly Field[]): string =>
  `<ul class="f">${fields.map(fieldItem).join('\n')}</ul>`;

const captioned = (caption: string, inner: string): string =>
  caption === '' ? inner : `<p class="c">${prose(caption)}</p>${inner}`;

/** Wide code scrolls by itself, also by keyboard. */
const codeBox = (text: string, label: string, classes: string): string =>
  `<pre class="${classes}" tabindex="0" aria-label="${escapeHtml(label)}" role="region"><code>${escapeHtml(text)}</code></pre>`;

const languagesIn = (samples: Samples): readonly Language[] =>
  languages.filter((language) => samples[language] !== undefined);

const sampleBoxes = (samples: Samples, place: string): string =>
  languagesIn(samples)
    .map((language) =>
      codeBox(samples[language] ?? '', `${languageNames[language]}: ${place}`, `s s-${language}`),
    )
    .join('\n');

const written = (block: Block, place: string): string => {
  switch (block.kind) {
    case 'prose':
      return `<p>${prose(block.text)}</p>`;
    case 'list':
      return `<ul${block.items.length > MANY ? ' class="many"' : ''}>${block.items.map((item) => `<li>${prose(item)}</li>`).join('')}</ul>`;
    case 'terms':
      return captioned(
        block.caption,
        `<dl>${block.rows.map(([term, text]) => `<div><dt>${prose(term)}</dt><dd>${prose(text)}</dd></div>`).join('\n')}</dl>`,
      );
    case 'fields':
      return captioned(block.caption, fieldList(block.fields));
    case 'code':
      return captioned(block.caption, codeBox(block.text, `${block.caption}: ${place}`, 'k'));
    case 'samples':
      return captioned(block.caption, sampleBoxes(block.samples, place));
    case 'index':
      return `<ul class="i">${block.entries
        .map(
          ({ id, href, title, text }) =>
            `<li id="${escapeHtml(id)}"><a href="${escapeHtml(href)}">${lineBreaks(title)}</a>${text === '' ? '' : ` ${prose(text)}`}</li>`,
        )
        .join('\n')}</ul>`;
    case 'folded':
      return `<details><summary>${prose(block.summary)}</summary>${block.blocks.map((one) => written(one, place)).join('\n')}</details>`;
    default:
      return block satisfies never;
  }
};

const sectionHtml = ({ id, title, call, blocks, aside }: Section): string => {
  const line = call
    ? `<p class="call"><b class="m ${call.method.toLowerCase()}">${call.method}</b> <code>${lineBreaks(call.path)}</code>${call.isDeprecated ? ' <b class="old">deprecated</b>' : ''}</p>`
    : '';
  const main = `<div>${line}${blocks.map((block) => written(block, title)).join('\n')}</div>`;
  const beside =
    aside.length > 0 ? `<div class="a">${aside.map((block) => written(block, title)).join('\n')}</div>` : '';
  return `<section id="${id}"${beside === '' ? '' : ' class="two"'}><h2><a href="#${id}">${prose(title)}</a></h2>${main}${beside}</section>`;
};

const chooser = (samples: Samples): string =>
  `<fieldset class="l"><legend>Language of the samples</legend>${languagesIn(samples)
    .map(
      (language, index) =>
        `<label><input type="radio" name="language" id="l-${language}" value="${language}"${index === 0 ? ' checked' : ''}><span>${languageNames[language]}</span></label>`,
    )
    .join('')}</fieldset>`;

const navigation = (links: readonly PageLink[], present: string): string =>
  `<nav id="subjects" aria-label="Subjects"><ul>${links
    .map(
      ({ name, title }) =>
        `<li><a href="${addressOf(name)}"${name === present ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`,
    )
    .join('')}</ul></nav>`;

/** The whole page, in UTF-8. */
export const pageAsHtml = (page: Page, reference: Reference, info: ServiceInfo): string => {
  const { name, title, summary, blocks, sections } = page;
  const service = escapeHtml(info.name);
  const hasCalls = sections.some(({ call }) => call);
  const hasSamples = sections.some(({ aside }) => aside.some(({ kind }) => kind === 'samples'));
  const contents =
    sections.length > 1
      ? `<ul class="o">${sections
          .map(({ id, title: text }) => `<li><a href="#${id}">${prose(text)}</a></li>`)
          .join('')}</ul>`
      : '';
  const setup = hasCalls
    ? `<details class="u"><summary>Once, before the samples</summary>${sampleBoxes(reference.setup(page), 'before the samples')}</details>`
    : '';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} – ${service} API</title><meta name="description" content="${escapeHtml(summary)}">
<link rel="stylesheet" href="/reference/style.css"><link rel="alternate" type="text/markdown" href="${markdownAddressOf(name)}">
<script src="/reference/script.js" defer></script></head><body>
<header><a class="h" href="/reference">${service} API</a>
<div role="search" class="q" hidden><label for="q">Search</label><input id="q" type="search" autocomplete="off" spellcheck="false" placeholder="Calls, fields, errors, events"></div>
<a href="/reference#all-calls">All calls</a><a class="j" href="#subjects">Subjects</a>
<div id="found" role="region" aria-label="Found" hidden><p role="status"></p><ul></ul></div></header>
${navigation(reference.links, name)}
<main><h1>${escapeHtml(title)}</h1><p class="lead">${escapeHtml(summary)}</p>
${blocks.map((block) => written(block, title)).join('\n')}
${contents}${hasSamples ? chooser(reference.setup(page)) : ''}${setup}
${sections.map(sectionHtml).join('\n')}
<p class="e"><a href="${markdownAddressOf(name)}">This page as Markdown</a></p></main></body></html>
`;
};
