// Fails where the dashboard has become heavier than its budgets: what a browser loads before it shows anything, and with each page.
import { buildDashboard, chunksOf, importedAtOnce } from './build.ts';

const KIB = 1024;
/** Of gzip. */
const BUDGETS = {
  'first scripts': 45 * KIB,
  style: 8 * KIB,
  /** The editor's library is large; it is loaded where a template or campaign is written. */
  editor: 115 * KIB,
  /** Of documents: it has blocks, dialogs and what is pasted into it. */
  'document editor': 130 * KIB,
  page: 15 * KIB,
} as const;
/** Until the first content: the HTML, the style, the scripts, the page's own, and who is signed in. */
const MAX_REQUESTS = 6;

const { metafile, sizes } = await buildDashboard();
const { outputs } = metafile;
const sum = (files: Iterable<string>): number =>
  [...files].reduce((total, file) => total + (sizes.get(file) ?? 0), 0);

const byEntry = (ending: string): string =>
  Object.keys(outputs).find((file) => outputs[file]?.entryPoint?.endsWith(ending)) ?? ending;
const main = byEntry('dashboard/main.tsx');
const first = importedAtOnce(metafile, main);
const rows: { readonly what: string; readonly budget: keyof typeof BUDGETS; readonly bytes: number }[] = [
  { what: 'first scripts', budget: 'first scripts', bytes: sum(first) },
  { what: 'style', budget: 'style', bytes: sum([byEntry('style.css')]) },
];
const problems: string[] = [];
for (const file of chunksOf(metafile)) {
  const entry = outputs[file]?.entryPoint ?? '';
  const own = [...importedAtOnce(metafile, file)].filter((one) => !first.has(one));
  const budget = /document-editor/.test(entry)
    ? 'document editor'
    : /codemirror|\/editor\//.test(entry)
      ? 'editor'
      : 'page';
  rows.push({ what: entry.replace('src/dashboard/', ''), budget, bytes: sum(own) });
  const requests = 1 + 1 + first.size + own.length + 1;
  if (budget === 'page' && requests > MAX_REQUESTS)
    problems.push(`${entry}: ${requests} requests, at most ${MAX_REQUESTS}`);
}
for (const { what, budget, bytes } of rows) {
  console.log(`${what.padEnd(52)} ${(bytes / KIB).toFixed(1).padStart(6)} of ${BUDGETS[budget] / KIB} KiB`);
  if (bytes > BUDGETS[budget])
    problems.push(`${what}: ${(bytes / KIB).toFixed(1)} KiB of gzip, at most ${BUDGETS[budget] / KIB}`);
}
if (problems.length > 0) throw new Error(`The dashboard is too heavy:\n${problems.join('\n')}`);
