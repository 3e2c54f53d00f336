// A tenant that another host has taken over. Those who look for it here learn where it is: its tokens, links, return paths and
// addresses are found as before, and lead to this error instead of to its file. What comes for it over HTTP (http/forward.ts)
// and by SMTP (smtp/moved-recipients.ts, relay/hand-on.ts) is handed on to that host; a person who is signed in here gets the address.
import { AppError } from './errors.ts';
import { say } from './say.ts';

/** Where a tenant is now. */
export interface NewHost {
  /** `https://mail.example.com` */
  readonly origin: string;
  /** Its service host: `mail.example.com`. */
  readonly host: string;
  /** Where mail for it is handed on: the listener for mail from the world. */
  readonly mail: { readonly host: string; readonly port: number };
}

export class TenantMoved extends AppError<'not_found'> {
  readonly newHost: NewHost;

  constructor(newHost: NewHost) {
    super('not_found', say`This practice has moved to ${newHost.origin}.`, {
      hint: say`Sign in there. API tokens and links go on working, here for some weeks and there for good.`,
    });
    this.newHost = newHost;
  }
}
