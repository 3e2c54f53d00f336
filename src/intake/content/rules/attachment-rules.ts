// Rules about attachments that are allowed but that some receivers reject. Pure.
import type { ContentRule } from './rule.ts';

/** Octets at each end of a file, where programs write the actions for opening it. */
const LOOKED_AT = 262_144;
const SCRIPT = /\/(?:JavaScript|JS)\b/;

const hasScript = (content: Uint8Array): boolean => {
  const ends = [
    content.subarray(0, LOOKED_AT),
    content.subarray(Math.max(LOOKED_AT, content.length - LOOKED_AT)),
  ];
  return ends.some((end) => {
    const bytes = Buffer.from(end.buffer, end.byteOffset, end.byteLength);
    // This is much faster than a regular expression, and most files have no such name.
    return (bytes.includes('/JavaScript') || bytes.includes('/JS')) && SCRIPT.test(bytes.toString('latin1'));
  });
};

export const attachmentRules: readonly ContentRule[] = [
  {
    id: 'pdf_script',
    weight: 8,
    finds: ({ content: { attachments } }) =>
      attachments.some(({ filename, content }) => /\.pdf$/i.test(filename) && hasScript(content))
        ? { detail: null }
        : null,
    why: {
      de: 'Ein PDF enthält JavaScript; manche Empfänger weisen das ab.',
      en: 'A PDF holds JavaScript, which some receivers reject.',
    },
    advice: {
      de: 'Speichern Sie es ohne Skripte, etwa als PDF/A.',
      en: 'Save it without scripts, for instance as PDF/A.',
    },
  },
];
