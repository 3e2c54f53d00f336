import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Certificate as Pem } from '#src/kernel/certificate.ts';
import { createLog } from '#src/kernel/log.ts';
import { watchFiles } from '#src/operations/certificates/files.ts';
import { type Certificate, createCertificate } from '#test/support/certificate.ts';

const [FIRST, NEXT, LAST] = [1, 2, 3].map(() => createCertificate(['mail.example.com'])) as [
  Certificate,
  Certificate,
  Certificate,
];

const scene = (first = FIRST) => {
  const directory = mkdtempSync(path.join(tmpdir(), 'certificate-files-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const files = { cert: path.join(directory, 'a.crt'), key: path.join(directory, 'a.key') };
  const put = ({ certificate, key }: Certificate): void => {
    writeFileSync(files.cert, certificate);
    writeFileSync(files.key, key);
  };
  put(first);
  const used: string[] = [];
  const watch = () =>
    watchFiles(
      () => files,
      ({ cert }: Pem) => used.push(cert),
      createLog('silent'),
    );
  return { directory, files, put, used, watch };
};

test('a pair that was replaced is used at the next look, and only then', () => {
  const { put, used, watch } = scene();
  const watched = watch();
  watched.look(false);
  expect(used).toEqual([]);
  put(NEXT);
  watched.look(false);
  watched.look(false);
  expect(used).toEqual([NEXT.certificate]);
});

test.each([
  ['the key is not yet there', () => NEXT.certificate, () => FIRST.key, /key values mismatch/],
  ['the certificate is half written', () => NEXT.certificate.slice(0, 200), () => NEXT.key, /./],
  ['the file is empty', () => '', () => NEXT.key, /./],
])('a pair is kept out and named while %s; once it is whole it is used', (_, cert, key, why) => {
  const { files, put, used, watch } = scene();
  const watched = watch();
  writeFileSync(files.cert, cert());
  writeFileSync(files.key, key());
  watched.look(false);
  expect(watched.current().cert).toBe(FIRST.certificate);
  expect(watched.problem()).toMatch(why);
  put(NEXT);
  watched.look(false);
  expect([used, watched.problem()]).toEqual([[NEXT.certificate], null]);
});

test('symbolic links that are led to other files count as a change', () => {
  const { directory, files, used, watch } = scene();
  const lead = (name: 'cert' | 'key', content: string, version: string): void => {
    const target = path.join(directory, `${version}.${name}`);
    writeFileSync(target, content);
    symlinkSync(target, `${files[name]}.next`);
    renameSync(`${files[name]}.next`, files[name]);
  };
  lead('cert', LAST.certificate, '1');
  lead('key', LAST.key, '1');
  const watched = watch();
  expect(watched.current().cert).toBe(LAST.certificate);
  lead('cert', NEXT.certificate, '2');
  lead('key', NEXT.key, '2');
  watched.look(false);
  expect(used).toEqual([NEXT.certificate]);
});

test('without its own key a pair is no beginning', () => {
  const { watch } = scene({ ...FIRST, key: NEXT.key });
  expect(watch).toThrow(/key/);
});
