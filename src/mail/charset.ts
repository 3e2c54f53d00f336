// Bytes in a declared character set as text. What is not declared, or declared as something nobody knows, is read as
// most programs do: as UTF-8 where it is that, else as Windows-1252. Nothing throws. Pure.

const FALLBACK = 'windows-1252';
/** Declared where nobody thought about it: the bytes may be anything. */
const NOTHING_SAID = /^(?:|us-ascii|ascii|ansi_x3\.4-1968|unknown-8bit|x-unknown|binary|default)$/i;

const decoderOf = (label: string) => {
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
};

const guess = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder(FALLBACK).decode(bytes);
  }
};

/** `label` as in `charset=`, null where there is none. */
export const decodeText = (bytes: Uint8Array, label: string | null): string => {
  const said = label?.trim() ?? '';
  if (NOTHING_SAID.test(said)) return guess(bytes);
  // What calls itself UTF-8 and is not is Windows-1252 more often than it is damaged.
  if (/^utf-?8$/i.test(said)) return guess(bytes);
  return decoderOf(said)?.decode(bytes) ?? guess(bytes);
};
