// The part of the untyped package dkim-signer that is used: its canonicalisation (RFC 6376 §3.4).
declare module 'dkim-signer' {
  export const DKIMCanonicalizer: {
    relaxedBody(body: string): string;
    relaxedHeaderLine(line: string): { key: string; value: string };
  };
}
