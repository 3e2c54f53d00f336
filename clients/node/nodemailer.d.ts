import type { AcceptedMessage, NewMessage, Sendwerk, SendwerkOptions } from './index.js';

export interface SendwerkInfo extends AcceptedMessage {
  envelope: { from: string | false; to: string[] };
  /** The service's id of the message. */
  messageId: string;
  accepted: string[];
  /** Suppressed recipients, who get nothing. */
  rejected: string[];
  response: string;
}

/** In a mail: what only the API has, such as a template, a route, tags or a time. It wins over the mail's own fields. */
export interface SendwerkFields {
  sendwerk?: Partial<NewMessage>;
}

export interface SendwerkTransport {
  name: string;
  version: string;
  supportsAbortSignal: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the type of a mail is nodemailer's, of whatever version.
  send(mail: any, callback: (error: Error | null, info: SendwerkInfo) => void): void;
  // biome-ignore lint/suspicious/noExplicitAny: nodemailer hands a callback on, of whatever type.
  verify(...args: any[]): any;
}

export declare function sendwerkTransport(options: SendwerkOptions | Sendwerk): SendwerkTransport;
