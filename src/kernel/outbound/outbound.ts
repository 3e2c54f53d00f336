// Requests to addresses that tenants name: webhooks and chat tools. What keeps them out of the operator's own network stands
// here alone.

/** Why a URL cannot be used, for who gave it. */
export interface TargetRefusal {
  readonly message: string;
  readonly hint: string;
}

export interface OutboundRequest {
  /** As `refusalOf` lets it pass; it is looked at once more. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whose connections may be used: nobody shares any with another key. */
  readonly owner: string;
}

/** What became of one exchange. */
export type OutboundOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** The first KiB of the answer as text. */
      readonly excerpt: string;
      /** ms that it asks to be spared for (Retry-After); null where it does not. */
      readonly retryAfter: number | null;
    }
  | {
      readonly kind: 'failed';
      /** What went wrong, for the tenant: nothing of the operator's network. */
      readonly error: string;
      /** It cost the whole time that an exchange may take. */
      readonly timedOut: boolean;
    };

export interface Outbound {
  /** Null where it may be used. A name that cannot be looked up at the moment may. Never rejects. */
  refusalOf(url: string): Promise<TargetRefusal | null>;
  /** POSTs once, follows nowhere. Never rejects. */
  post(request: OutboundRequest): Promise<OutboundOutcome>;
  /** Ends what is under way and idle connections. */
  stop(): void;
}
