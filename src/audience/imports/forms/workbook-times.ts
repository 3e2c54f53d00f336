// Times in Excel workbooks: numbers of days whose cell's format shows a date (ECMA-376, 18.8.30). Pure.
import { DAY } from '#src/kernel/time.ts';

/** 1 January 1970, in days since 30 December 1899, and in days since 1 January 1904. */
const EPOCH_1900 = 25_569;
const EPOCH_1904 = 24_107;
const LAST_DAY = 2_958_465;

/** Formats that every workbook has: 14 to 22 are dates, but 18 to 21 show no day. */
const isBuiltIn = (id: number): boolean =>
  (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);

export const isTimeFormat = (id: number, code: string | undefined): boolean =>
  code === undefined
    ? isBuiltIn(id)
    : /[dy]/i.test(code.replace(/"[^"]*"|\[[^\]]*\]|\\./g, '')) && !/general/i.test(code);

/** `2026-05-04`, with `08:30` where it is not midnight; the number itself where it is no day. */
export const serialAsText = (serial: number, from1904: boolean): string => {
  if (!(serial > 0 && serial <= LAST_DAY)) return String(serial);
  const minutes = Math.round((serial - (from1904 ? EPOCH_1904 : EPOCH_1900)) * 1_440);
  const text = new Date((minutes * DAY) / 1_440).toISOString();
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : `${text.slice(0, 10)} ${text.slice(11, 16)}`;
};
