// The further part of dns-packet that tests use: whole messages.
declare module 'dns-packet' {
  interface Message {
    readonly id: number;
    readonly flags: number;
    readonly questions: readonly { readonly name: string; readonly type: string }[];
  }
  export function decode(message: Buffer): Message;
  export function encode(message: object): Buffer;
  export const AUTHORITATIVE_ANSWER: number;
}
