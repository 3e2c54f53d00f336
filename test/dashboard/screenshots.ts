// `npm run screenshots [-- NAME...]`: every page of the list, light, dark and as wide as a telephone, into dist/screenshots; those
// of README and docs, smaller, into docs/images. Time and port are always the same, so that pictures change only where pages do.
import { execFile } from 'node:child_process';
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { argv, exit, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PHONE } from '#test/support/browser.ts';
import { type Chromium, startChromium } from '#test/support/chromium.ts';
import { pages, type ShownPage, show, viewing } from './pages.ts';
import { type Scene, startScene } from './scene.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SHOTS = path.join(ROOT, 'dist/screenshots');
const README = path.join(ROOT, 'docs/images');
const NOW = Date.UTC(2026, 10, 20, 9, 24);
const PORT = 8_480;
const COLOURS = '64';

const forms = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  phone: { width: PHONE, height: 812 },
} as const;

const shoot = async (chromium: Chromium, scene: Scene, shown: ShownPage): Promise<void> => {
  for (const [form, how] of Object.entries(forms)) {
    const page = await chromium.newPage(viewing(scene, shown, { ...how, now: NOW, reducedMotion: true }));
    await show(page, scene, shown);
    await page.screenshot({
      path: path.join(SHOTS, `${shown.name}-${form}.png`),
      fullPage: form !== 'phone',
    });
    if (shown.isInReadme && form === 'light') {
      const file = path.join(README, `${shown.name}.png`);
      await page.screenshot({ path: file });
      await promisify(execFile)('pngquant', [
        '--force',
        '--strip',
        '--nofs',
        '--output',
        file,
        COLOURS,
        file,
      ]);
      stdout.write(`${file}: ${Math.ceil((await stat(file)).size / 1_024)} KiB\n`);
    }
    for (const problem of await page.problems()) stdout.write(`${shown.name}, ${form}: ${problem}\n`);
    await chromium.closePages();
  }
};

await mkdir(SHOTS, { recursive: true });
await mkdir(README, { recursive: true });
const names = argv.slice(2);
const scene = await startScene({ now: NOW, port: PORT });
const chromium = await startChromium();
try {
  for (const shown of pages)
    if (names.length === 0 || names.includes(shown.name)) await shoot(chromium, scene, shown);
} finally {
  await chromium.close();
  await scene.stop();
}
stdout.write(`${SHOTS}\n`);
// Threads that tests share are still there.
exit();
