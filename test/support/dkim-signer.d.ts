declare module 'dkim-signer' {
  interface DkimOptions {
    /** Joined by colons. */
    readonly headerFieldNames: string;
    /** PEM. */
    readonly privateKey: string;
    readonly domainName: string;
    readonly keySelector: string;
  }
  /** The field, without a line end. */
  export function DKIMSign(source: string, options: DkimOptions): string;
}
