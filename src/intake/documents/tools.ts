// Makes text and HTML of documents, and HTML of MJML. Loaded when something is written for the first time.
import { formatPath } from '#src/kernel/fields.ts';
import { say } from '#src/kernel/say.ts';
import { unfit } from '#src/kernel/validate.ts';
import { mjmlOf } from '#src/mail/document/mjml.ts';
import { problemsIn } from '#src/mail/document/problems.ts';
import { textOf } from '#src/mail/document/text.ts';
import { lookOf } from './letterhead-look.ts';
import { letterheadStore } from './letterhead-store.ts';
import { createRenderMjml } from './render-mjml.ts';
import type { DocumentTools } from './write-content.ts';

/** Characters of HTML, as the bound of HTML that is given. */
const MAX_HTML = 1_000_000;

export const createTools = (imageOf: DocumentTools['imageOf']): DocumentTools => {
  const render = createRenderMjml();
  const htmlOf: DocumentTools['htmlOf'] = (mjml, path) => {
    const { html, problem } = render(mjml);
    if (html === null) throw unfit([{ path, message: say`cannot be rendered: ${problem ?? ''}` }]);
    if (html.length > MAX_HTML)
      throw unfit([{ path, message: say`makes HTML of more than ${MAX_HTML} characters` }]);
    return html;
  };
  return {
    imageOf,
    htmlOf,
    make: (db, document, subject) => {
      const look = lookOf(document, {
        letterhead: letterheadStore(db).get(),
        subject,
        imageOf: (id) => imageOf(db, id),
      });
      return { html: htmlOf(mjmlOf(document, look), 'body.document'), text: textOf(document, look) };
    },
    problemsOf: (db, document, path) =>
      problemsIn(document, (id) => imageOf(db, id)).map((problem) => ({
        path: formatPath(path, problem.path),
        message: problem.message,
      })),
  };
};
