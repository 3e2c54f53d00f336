// @module-tag debian/chromium-headless-shell
// The editor for documents as people at a reception use it, by keyboard and mouse: what they write is stored, is there again, and is what
// is pasted, dragged and undone. Its policy is that of the dashboard: each page must end without a violation of it.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkAccessibility, isFit, runsNothing } from '#test/support/browser.ts';
import type { TestPage } from '#test/support/chromium.ts';
import { openOffice } from './office.ts';

const office = openOffice('captured');

interface Window {
  getComputedStyle(element: unknown): { readonly backgroundColor: string };
}
interface Node {
  readonly type: string;
  readonly attrs?: Readonly<Record<string, unknown>>;
  readonly content?: readonly Node[];
  readonly text?: string;
  readonly marks?: readonly { readonly type: string; readonly attrs?: { readonly href: string } }[];
}
interface Stored {
  readonly document: { readonly content: readonly Node[] } | null;
  readonly html: string;
  readonly text: string;
}

/** One line for each block: `bullet_list(Montag | Dienstag)`, with marks around their text. */
const outline = ({ type, attrs, content = [], text, marks = [] }: Node): string => {
  if (type === 'text')
    return marks.reduce((inner, mark) => `${mark.attrs?.href ?? mark.type}<${inner}>`, text ?? '');
  if (type === 'placeholder') return `{{${attrs?.name}}}`;
  if (type === 'hard_break') return '/';
  const inner = content.map(outline);
  if (type === 'paragraph' || type === 'heading') {
    const align = attrs?.align === 'start' ? '' : ` ${attrs?.align}`;
    return type === 'paragraph' ? `${inner.join('')}${align}` : `h${attrs?.level}${align}(${inner.join('')})`;
  }
  const about = type === 'image' ? (attrs?.alt ?? '') : type === 'button' ? attrs?.href : '';
  return `${type}(${[about, ...inner].filter((one) => one !== '').join(' | ')})`;
};

const stored = (id: string) => office.ask<Stored>('GET', `/templates/${id}`);
const outlineOf = async (id: string): Promise<string[]> =>
  ((await stored(id)).document?.content ?? []).map(outline);

const PARAGRAPH = { type: 'paragraph', content: [{ type: 'text', text: 'Hallo' }] };
const newTemplate = async (name: string, content: readonly unknown[] = [PARAGRAPH]): Promise<string> =>
  (await office.ask('POST', '/templates', { name, subject: 'Hallo', document: { version: 1, content } })).id;

const editorOf = (page: TestPage) => page.getByRole('textbox', { name: 'Text der Mail' });

const openEditor = async (id: string): Promise<TestPage> => {
  const page = await office.open(`templates/${id}`);
  await editorOf(page).click();
  await page.keyboard.press('Control+End');
  return page;
};

const save = async (page: TestPage): Promise<void> => {
  await page.getByRole('button', { name: 'Speichern', exact: true }).click();
  await expect.poll(() => page.getByText('Noch nicht gespeichert.').count()).toBe(0);
};

const choose = async (page: TestPage, menu: string, item: string): Promise<void> => {
  await page.getByRole('button', { name: menu, exact: true }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};

/** Two points, as PNG. */
const PNG = readFileSync('test/fixtures/pasted/points.png');

interface Given {
  readonly html?: string;
  readonly text?: string;
  readonly isFile?: boolean;
}
/** As the clipboard of another program gives it, or what is dragged out of it. */
const give = (page: TestPage, how: 'paste' | 'drop', given: Given): Promise<unknown> =>
  page.evaluate(`{
    const { html, text, file } = ${JSON.stringify({ ...given, file: given.isFile ? [...PNG] : undefined })};
    const data = new DataTransfer();
    if (html) data.setData('text/html', html);
    if (text) data.setData('text/plain', text);
    if (file) data.items.add(new File([new Uint8Array(file)], 'foto.png', { type: 'image/png' }));
    const to = document.querySelector('.writtentext');
    const { x, y } = to.lastElementChild.getBoundingClientRect();
    const about = { bubbles: true, cancelable: true, clientX: x + 5, clientY: y + 5 };
    to.dispatchEvent('${how}' === 'paste'
      ? new ClipboardEvent('paste', { ...about, clipboardData: data })
      : new DragEvent('drop', { ...about, dataTransfer: data }));
  }`);

test('a newsletter is written by keyboard and mouse, saved, and there again', async () => {
  const page = await office.open('templates');
  await page.getByRole('button', { name: 'Neue Vorlage' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('sommerfest');
  await dialog.getByLabel('Betreff').fill('Sommerfest am Samstag');
  await dialog.getByLabel('Art der Nachricht').selectOption('newsletter');
  await dialog.getByRole('button', { name: 'Anlegen und schreiben' }).click();
  const editor = editorOf(page);
  await editor.click();
  const { keyboard } = page;
  await keyboard.press('Control+a');
  await keyboard.press('Delete');
  await keyboard.type('# Sommerfest');
  await keyboard.press('Enter');
  await keyboard.type('Guten Tag {{name}}, wir feiern ');
  await keyboard.press('Control+b');
  await keyboard.type('am Samstag');
  await keyboard.press('Control+b');
  await keyboard.type('.');
  await keyboard.press('Enter');
  await keyboard.type('- Grillen');
  await keyboard.press('Enter');
  await keyboard.type('Musik');
  await keyboard.press('Enter');
  await keyboard.press('Enter');
  await choose(page, 'Einfügen', 'Schaltfläche …');
  await dialog.getByLabel('Aufschrift').fill('Jetzt anmelden');
  await dialog.getByLabel('Wohin er führt').fill('kein Ziel');
  await dialog.getByRole('button', { name: 'Übernehmen' }).click();
  await dialog.getByText('Das ist keine Adresse').waitFor();
  await dialog.getByLabel('Wohin er führt').fill('verein.example/fest');
  await dialog.getByRole('button', { name: 'Übernehmen' }).click();
  await choose(page, 'Einfügen', 'Bild …');
  await dialog
    .getByLabel('Bild auswählen')
    .setInputFiles({ name: 'garten.png', mimeType: 'image/png', buffer: PNG });
  await dialog.getByLabel('Was ist zu sehen?').fill('Der Garten am Abend');
  await checkAccessibility(page);
  await dialog.getByRole('button', { name: 'Bild einfügen' }).click();
  await editor.getByAltText('Der Garten am Abend').waitFor();
  await choose(page, 'Einfügen', 'Gruß und Unterschrift');
  await page.getByLabel('name', { exact: true }).fill('Erika & Co');
  const frame = page.frameLocator('iframe[title="Vorschau"]');
  await frame.getByText('Guten Tag Erika & Co, wir feiern am Samstag.').waitFor();
  await frame.getByAltText('Der Garten am Abend').waitFor();
  await isFit(page);
  await save(page);

  const id = page.url().split('/').at(-1) ?? '';
  expect(await outlineOf(id)).toEqual([
    'h1(Sommerfest)',
    'Guten Tag {{name}}, wir feiern strong<am Samstag>.',
    'bullet_list(list_item(Grillen) | list_item(Musik))',
    'button(https://verein.example/fest | Jetzt anmelden)',
    'image(Der Garten am Abend)',
    'signature()',
  ]);
  const { document } = await stored(id);
  await page.reload();
  await editor.getByAltText('Der Garten am Abend').waitFor();
  await editor.click();
  await keyboard.press('Control+Home');
  await keyboard.type('Unser ');
  await keyboard.press('Control+z');
  await expect.poll(() => page.getByText('Noch nicht gespeichert.').count()).toBe(0);
  await keyboard.type('Das ');
  await save(page);
  expect(await outlineOf(id)).toContain('h1(Das Sommerfest)');
  expect((await stored(id)).document?.content.slice(1)).toEqual(document?.content.slice(1));

  await page.getByRole('link', { name: 'Vorlagen' }).first().click();
  const folders = page.getByRole('navigation', { name: 'Arten von Vorlagen' });
  await folders.getByRole('link', { name: 'Rundschreiben' }).click();
  await page.getByRole('button', { name: 'Kopie anlegen sommerfest' }).click();
  await page.getByRole('heading', { name: 'sommerfest-2' }).waitFor();
  await editor.getByAltText('Der Garten am Abend').waitFor();
});

test('what is pasted from Word, Google Docs and web pages is what the blocks know', async () => {
  const id = await newTemplate('einfuegen');
  const page = await openEditor(id);
  const pasted = async (given: Given): Promise<string[]> => {
    await editorOf(page).focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await give(page, 'paste', given);
    await save(page);
    return outlineOf(id);
  };
  const fixture = (name: string) => ({
    html: readFileSync(`test/fixtures/pasted/${name}.html`, 'utf8'),
    text: 'beside it',
  });
  expect(await pasted(fixture('word'))).toEqual([
    'h1(Neue Sprechzeiten)',
    'Guten Tag, strong<ab Montag> sind wir em<länger> underline<für Sie> da. center',
    'bullet_list(list_item(Montag | bullet_list(list_item(bis 19 Uhr))) | list_item(Dienstag))',
    'Bitte bringen Sie mit:',
    'ordered_list(list_item(die Karte) | list_item(etwas Zeit))',
    'Telefon',
    '030 1234',
  ]);
  expect(await pasted(fixture('google-docs'))).toEqual([
    'h2 center(Sommerfest)',
    'Hallo {{name}}, wir feiern strong<am Samstag>em< im Garten>. https://verein.example/fest<Mehr dazu>',
    'bullet_list(list_item(Grillen | bullet_list(list_item(auch ohne Fleisch))) | list_item(Musik))',
  ]);
  expect(await pasted(fixture('web-page'))).toEqual([
    'h3(Grippe: was hilft)',
    'Wer sich strong<impfen> lässt, bleibt https://gesund.example/grippe?a=1&b=2<eher gesund>./Fragen Sie uns.',
    'Die Impfung',
    'Alter',
    'ab 60',
    'quotation(Vorbeugen ist besser.)',
    'Nicht klicken',
    'divider()',
  ]);
  expect(await pasted({ text: 'Hallo {{name}}\n\nBis bald' })).toEqual(['Hallo {{name}}', 'Bis bald']);
  await runsNothing(page);
});

test('images are pasted and dropped, and asked about; a picture of the text beside it is left alone', async () => {
  const id = await newTemplate('bilder');
  const page = await openEditor(id);
  const dialog = page.getByRole('dialog', { name: 'Bild' });
  await give(page, 'paste', { html: '<img src="https://gesund.example/bild.png">', isFile: true });
  await dialog.getByLabel('Nur Schmuck').check();
  await dialog.getByRole('button', { name: 'Bild einfügen' }).click();
  await page.locator('.writtentext').getByText('Nur Schmuck').waitFor();
  // Typed where an image is selected, text does not replace it.
  await page.keyboard.type('darunter');
  await give(page, 'drop', { isFile: true });
  await dialog.getByLabel('Was ist zu sehen?').fill('Hund');
  await dialog.getByRole('button', { name: 'Bild einfügen' }).click();
  await editorOf(page).getByAltText('Hund').waitFor();
  await page.keyboard.press('Enter');
  await give(page, 'paste', { html: '<p>Text</p>', isFile: true });
  await save(page);
  expect(await outlineOf(id)).toEqual(['Hallo', 'image()', 'darunter', 'image(Hund)', 'Text']);
  expect((await office.ask<{ data: unknown[] }>('GET', '/images')).data).toHaveLength(1);
});

test('a placeholder is one letter: it is inserted from the menu, and taken away whole', async () => {
  const id = await newTemplate('platzhalter');
  const page = await openEditor(id);
  const { keyboard } = page;
  await keyboard.type(', ');
  await choose(page, 'Platzhalter', 'Name');
  await keyboard.type('!');
  await choose(page, 'Platzhalter', 'Anderer Platzhalter …');
  await page.getByRole('dialog').getByLabel('Name des Platzhalters').fill('kurs.tag');
  await page.getByRole('dialog').getByRole('button', { name: 'Einsetzen' }).click();
  await page.locator('.chip').nth(1).waitFor();
  // Into the middle of its letters, where a browser would put the cursor.
  await page
    .locator('.chip')
    .first()
    .click({ position: { x: 12, y: 8 } });
  await keyboard.press('Backspace');
  await expect.poll(() => page.locator('.chip').count()).toBe(1);
  await keyboard.press('Control+z');
  await expect.poll(() => page.locator('.chip').count()).toBe(2);
  await keyboard.press('Control+End');
  // The first selects it, the next one goes past it.
  for (const _ of [1, 2, 3]) await keyboard.press('ArrowLeft');
  await keyboard.press('Backspace');
  await save(page);
  expect(await outlineOf(id)).toEqual(['Hallo, !{{kurs.tag}}']);
});

test('all of it is reached by keyboard, and nothing keeps the focus', async () => {
  const id = await newTemplate('tasten', [PARAGRAPH, { type: 'divider' }]);
  const page = await openEditor(id);
  const { keyboard } = page;
  const focused = () =>
    page.evaluate<string>(
      'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent.trim()',
    );
  await keyboard.press('Control+Home');
  await keyboard.press('Alt+ArrowDown');
  await keyboard.press('Alt+F10');
  expect(await focused()).toBe('Absatz: Text');
  await keyboard.press('ArrowRight');
  expect(await focused()).toBe('Fett');
  await keyboard.press('End');
  await keyboard.press('ArrowLeft');
  await keyboard.press('ArrowLeft');
  expect(await focused()).toBe('Diesen Teil entfernen');
  await keyboard.press('Escape');
  expect(await focused()).toBe('Text der Mail');
  await keyboard.press('Tab');
  expect(await focused()).toBe('Quelltext bearbeiten');
  await keyboard.press('Shift+Tab');
  await keyboard.press('Shift+Tab');
  expect(await focused()).toBe('Diesen Teil entfernen');
  await keyboard.press('Home');
  await keyboard.press('Enter');
  await expect.poll(focused).toBe('Text');
  await keyboard.press('ArrowDown');
  await keyboard.press('ArrowDown');
  await keyboard.press('Enter');
  await expect.poll(focused).toBe('Text der Mail');
  await keyboard.press('Control+End');
  await keyboard.press('Shift+Home');
  await expect.poll(() => page.evaluate('getSelection().toString()')).toBe('Hallo');
  await keyboard.press('Control+k');
  await page.getByRole('dialog').getByLabel('Wohin er führt').fill('anna@example.org');
  await keyboard.press('Enter');
  await expect.poll(focused).toBe('Text der Mail');
  await save(page);
  expect(await outlineOf(id)).toEqual(['divider()', 'h2(mailto:anna@example.org<Hallo>)']);
});

test('the mail is looked at dark, on a phone, without images and as text', async () => {
  const { id: image } = await office.ask('POST', '/images', { content: PNG.toString('base64') });
  const id = await newTemplate('vorschau', [
    PARAGRAPH,
    {
      type: 'image',
      attrs: { image, alt: 'Ein Baum', decorative: false, width: 50, align: 'start', href: null },
    },
  ]);
  const page = await office.open(`templates/${id}`);
  const frame = page.frameLocator('iframe[title="Vorschau"]');
  const ground = () =>
    frame
      .locator('body')
      .evaluate((body) => (globalThis as unknown as Window).getComputedStyle(body).backgroundColor);
  const isLoaded = () =>
    frame
      .getByAltText('Ein Baum')
      .evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth > 0);
  await expect.poll(isLoaded).toBe(true);
  const light = await ground();
  await page.getByRole('button', { name: 'Dunkel' }).click();
  await expect.poll(ground).not.toBe(light);
  await page.getByRole('button', { name: 'Ohne Bilder' }).click();
  await expect.poll(isLoaded).toBe(false);
  await page.getByRole('button', { name: 'Am Handy' }).click();
  expect((await page.getByTitle('Vorschau').boundingBox())?.width).toBeLessThanOrEqual(375);
  await page.getByRole('button', { name: 'Nur Text' }).click();
  await page.locator('pre').getByText('Hallo').waitFor();
  await page.getByRole('button', { name: 'Mail prüfen' }).click();
  await page.getByText('zeigt Gmail den Rest nicht.').waitFor();
  await isFit(page);
});

test('a document becomes source after a question, and stays it', async () => {
  const id = await newTemplate('quelltext');
  const page = await openEditor(id);
  await page.getByRole('button', { name: 'Quelltext bearbeiten' }).click();
  const dialog = page.getByRole('dialog', { name: 'Quelltext bearbeiten?' });
  await checkAccessibility(page);
  await dialog.getByRole('button', { name: 'Quelltext bearbeiten' }).click();
  await page.getByRole('textbox', { name: 'Gestaltet (HTML)' }).waitFor();
  expect((await stored(id)).document).not.toBeNull();
  await save(page);
  const { document, html } = await stored(id);
  expect(document).toBeNull();
  expect(html).toContain('Hallo');
  await page.reload();
  await page.getByRole('textbox', { name: 'Gestaltet (HTML)' }).waitFor();
});
