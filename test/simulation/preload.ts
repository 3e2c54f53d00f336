// What the service loads with its first use, loaded before: reading files of the program takes real time, which no seed decides.

const LATE = [
  '#src/http/forward.ts',
  '#src/http/openapi.ts',
  '#src/http/reference/files.ts',
  '#src/accounts/moving/arrive.ts',
  '#src/accounts/moving/leave.ts',
  '#src/mail/tolerant-splitter.ts',
  '#src/inbound/reading/safe-html.ts',
  'mailauth/lib/spf/index.js',
  'mailauth/lib/dmarc/index.js',
  'mailauth/lib/dkim/verify.js',
];

export const preload = async (): Promise<void> => {
  for (const file of LATE) await import(file);
};
