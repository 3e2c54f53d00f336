import fs from 'node:fs';

const load = async (path: string, name: string, otherwise: unknown): Promise<any> =>
  fs.existsSync(new URL(path, import.meta.url)) ? (await import(path))[name] : otherwise;
export const sendingActs = await load('./people/sending.ts', 'sendingActs', []);
export const receivingActs = await load('./people/receiving.ts', 'receivingActs', []);
export const runningActs = await load('./people/running.ts', 'runningActs', []);
export const createBook = await load('./book.ts', 'createBook', () => ({
  accepted() {},
  unknown() {},
  closed() {},
  opened() {},
  erased() {},
  promised() {},
}));
export const openTruths = await load('./truths/open.ts', 'openTruths', () => ({
  afterStep() {},
  afterStart() {},
  async calm() {},
}));
