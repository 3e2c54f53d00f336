// Where the data of a person are: every table, with each column that holds a text. The erasure walks through this list, and a test
// fails where a table or column is in no part of it.

/** What happens to a row that quotes the address: see erase-row.ts. */
export type Fate =
  | 'replace'
  | 'remove'
  | 'recipient'
  | 'message'
  | 'content'
  | 'shared'
  | 'mail'
  | 'mailbox'
  | 'forward'
  | 'suppression'
  | 'consent'
  | 'audit';

export interface Place {
  readonly table: string;
  /** Primary key. */
  readonly keys: readonly string[];
  /** Columns in which the address is looked for. */
  readonly searched: readonly string[];
  /** Those of them in which it may be a part of a longer word that is no address. */
  readonly opaque?: readonly string[];
  /** Other columns of text and bytes: ids, names of the program, hashes, sealed values. */
  readonly others?: readonly string[];
  readonly fate: Fate;
  /** Name of the count in the certificate. */
  readonly kind: string;
}

/** In this order: what leads to other rows comes before them. */
export const places: readonly Place[] = [
  {
    table: 'recipients',
    keys: ['id'],
    searched: ['address', 'diagnostic'],
    others: ['field', 'status', 'enhanced_code', 'upstream'],
    fate: 'recipient',
    kind: 'copies',
  },
  {
    table: 'messages',
    keys: ['seq'],
    searched: [
      ...['internet_message_id', 'from_json', 'to_json', 'cc_json', 'bcc_json', 'reply_to_json', 'subject'],
      ...['tag', 'tags_json', 'metadata_json', 'settings_json', 'decisions_json'],
    ],
    others: ['id', 'project_id', 'route_id', 'template_id', 'message_kind', 'channel', 'source', 'status'],
    fate: 'message',
    kind: 'mentions_in_messages',
  },
  {
    table: 'message_bodies',
    keys: ['message_seq'],
    searched: ['text', 'html', 'headers_json', 'data_json', 'calendar_json', 'parts_json'],
    others: ['sealed'],
    fate: 'content',
    kind: 'mentions_in_messages',
  },
  {
    table: 'shared_contents',
    keys: ['id'],
    searched: ['text', 'html', 'data_json'],
    fate: 'shared',
    kind: 'mentions_in_messages',
  },
  {
    table: 'attachments',
    keys: ['message_seq', 'position'],
    searched: ['filename', 'content_id'],
    // Files of mail to others: see the certificate.
    others: ['content_type', 'content'],
    fate: 'content',
    kind: 'mentions_in_messages',
  },
  {
    table: 'captures',
    keys: ['seq'],
    searched: ['recipient', 'return_path'],
    others: ['id', 'message_id', 'source'],
    fate: 'remove',
    kind: 'captured_mails',
  },
  {
    table: 'inbound_settings',
    keys: ['only'],
    searched: ['options_json'],
    fate: 'mailbox',
    kind: 'mailbox_settings',
  },
  {
    table: 'inbound_messages',
    keys: ['seq'],
    searched: [
      ...[
        'mail_from',
        'recipients_json',
        'from_json',
        'to_json',
        'cc_json',
        'subject',
        'internet_message_id',
      ],
      ...['in_reply_to', 'references_json', 'auth_json', 'spam_json'],
    ],
    others: ['id', 'state', 'state_reason', 'thread_id'],
    fate: 'mail',
    kind: 'mails_received',
  },
  {
    table: 'inbound_texts',
    keys: ['message_seq'],
    searched: ['text'],
    fate: 'replace',
    kind: 'mentions_in_mails_received',
  },
  {
    table: 'inbound_forwards',
    keys: ['seq'],
    searched: ['recipient', 'target', 'diagnostic'],
    others: ['kind', 'status'],
    fate: 'forward',
    kind: 'forwarded_copies',
  },
  {
    table: 'forward_targets',
    keys: ['seq'],
    searched: ['address_key', 'address', 'failure'],
    others: ['status'],
    fate: 'remove',
    kind: 'forwarding_addresses',
  },
  {
    table: 'events',
    keys: ['seq'],
    searched: ['data_json'],
    others: ['id', 'type'],
    fate: 'replace',
    kind: 'events',
  },
  {
    table: 'suppressions',
    keys: ['seq'],
    searched: ['address', 'note'],
    others: [
      ...['id', 'address_hash', 'scope', 'project_id', 'route_id', 'reason', 'source_message_id'],
      'lifted_json',
    ],
    fate: 'suppression',
    kind: 'suppressions',
  },
  {
    table: 'subscribers',
    keys: ['seq'],
    searched: ['address', 'name', 'data_json'],
    others: ['id', 'address_hash', 'status'],
    fate: 'replace',
    kind: 'mentions_in_lists',
  },
  {
    // Those of the person are reduced by forgetPerson before.
    table: 'consent_entries',
    keys: ['seq'],
    searched: ['openings_json'],
    others: ['id', 'address_hash', 'facts_json', 'hash', 'client_term'],
    fate: 'consent',
    kind: 'mentions_in_consent',
  },
  {
    table: 'erasures',
    keys: ['seq'],
    searched: ['reason'],
    // The address is sealed until all is erased.
    others: ['id', 'address_hash', 'sealed_address', 'requested_by', 'progress_json', 'counts_json'],
    fate: 'replace',
    kind: 'mentions_in_erasures',
  },
  {
    table: 'imports',
    keys: ['seq'],
    searched: ['request_json', 'failure'],
    others: ['id', 'kind', 'status', 'progress_json', 'counts_json'],
    fate: 'replace',
    kind: 'import_reports',
  },
  {
    table: 'import_faults',
    keys: ['import_seq', 'line'],
    searched: ['address', 'reason'],
    others: ['outcome'],
    fate: 'replace',
    kind: 'import_reports',
  },
  {
    table: 'campaign_links',
    keys: ['campaign_seq', 'url'],
    searched: ['url'],
    fate: 'replace',
    kind: 'links',
  },
  {
    table: 'idempotency_keys',
    keys: ['project_id', 'key'],
    searched: ['key', 'response_json'],
    opaque: ['key'],
    others: ['project_id', 'request_hash'],
    fate: 'replace',
    kind: 'stored_answers',
  },
  {
    table: 'webhook_deliveries',
    keys: ['seq'],
    searched: ['response_excerpt', 'error'],
    others: ['id', 'event', 'status'],
    fate: 'replace',
    kind: 'webhooks',
  },
  {
    table: 'webhooks',
    keys: ['number'],
    searched: ['last_error'],
    others: [
      'id',
      'name',
      'sealed_url',
      'events_json',
      'inbound_mail',
      'sealed_secret',
      'sealed_former',
      'status',
      'disabled_reason',
    ],
    fate: 'replace',
    kind: 'webhooks',
  },
  {
    table: 'alerts',
    keys: ['number'],
    searched: ['last_error'],
    others: ['id', 'name', 'kind', 'sealed_url', 'events_json', 'language', 'status', 'disabled_reason'],
    fate: 'replace',
    kind: 'alerts',
  },
  {
    table: 'alert_counts',
    keys: ['alert', 'sending', 'event'],
    searched: ['samples_json'],
    others: ['event'],
    fate: 'replace',
    kind: 'alerts',
  },
  {
    table: 'domain_reports',
    keys: ['seq'],
    searched: ['fault_detail'],
    others: ['id', 'kind', 'domain', 'organisation', 'report_id', 'sender', 'fault'],
    fate: 'replace',
    kind: 'reports',
  },
  {
    table: 'audit',
    keys: ['seq'],
    searched: ['before_json', 'after_json'],
    others: [
      'id',
      'action',
      'actor_kind',
      'actor_id',
      'actor_name',
      'target_type',
      'target_id',
      'client_address',
      'request_id',
    ],
    fate: 'audit',
    kind: 'audit_entries',
  },
];

const SETTINGS = 'what the practice has set up or written itself';
const COUNTS = 'numbers';
const HASHES = 'keyed hashes';

/** Tables that are not walked through, and why. */
export const otherTables: Readonly<Record<string, string>> = {
  practice: SETTINGS,
  projects: SETTINGS,
  routes: SETTINGS,
  roles: SETTINGS,
  api_tokens: SETTINGS,
  inbound_hooks: SETTINGS,
  templates: SETTINGS,
  template_versions: SETTINGS,
  lists: SETTINGS,
  campaigns: SETTINGS,
  campaign_contents: SETTINGS,
  page_settings: SETTINGS,
  billing: 'ids of the practice at the payment provider, and the state of its subscription',
  sending_domains: 'hosts',
  dkim_keys: 'sealed',
  dns_checks: 'what the DNS says',
  dmarc_sources: 'addresses of servers',
  tls_sessions: 'hosts',
  members: 'those who work for the practice: removed by DELETE …/members/{memberID}',
  counters: COUNTS,
  channel_counters: COUNTS,
  monthly_usage: COUNTS,
  daily_volume: COUNTS,
  guardrail_watch: COUNTS,
  guardrail_baselines: COUNTS,
  event_cursors: COUNTS,
  list_counts: COUNTS,
  campaign_counters: COUNTS,
  form_counters: COUNTS,
  form_alerts: 'the state of forms',
  queue: 'goes with its recipient',
  removed_attachments: COUNTS,
  pseudonymous_to: COUNTS,
  audit_retention: COUNTS,
  inbound_removed: COUNTS,
  confirmation_mails: 'goes with its subscriber',
  search_texts: 'written again with its message',
  inbound_pieces: 'goes with its mail',
  import_pieces: 'gone when the import has ended, for which an erasure waits where its file has the address',
  import_addresses: HASHES,
  soft_bounces: HASHES,
  automatic_replies: HASHES,
  campaign_exclusions: HASHES,
  consent_documents: 'removed by forgetPerson',
  consent_head: HASHES,
  tracking_objections: HASHES,
};

/** Tables of platform.db, and why none is part of a practice's erasure. */
export const platformTables: Readonly<Record<string, string>> = {
  tenants: 'practices',
  projects: 'practices',
  domains: 'hosts',
  dkim_tokens: 'hosts',
  credentials: 'hashes, and names of tokens',
  greylist: 'networks of servers, and digests',
  queue_due: COUNTS,
  master_key_check: 'sealed',
  evidence_keys: 'public keys of the installation',
  accounts: 'those who sign in: of several practices',
  memberships: 'those who sign in: of several practices',
  sessions: 'those who sign in: of several practices',
  sign_in_codes: HASHES,
  invitations: HASHES,
  notices: 'sealed; mails to those who sign in',
  abuse_tickets: "the operator's",
  abuse_ticket_sources: "the operator's",
  abuse_ticket_steps: "the operator's",
  waitlist: "the operator's",
  audit: 'of the installation: no entry is about a correspondent of a practice',
  audit_retention: COUNTS,
  domain_work: COUNTS,
  event_followers: 'practices',
  inbound_tenants: 'practices',
  inbound_hooks: 'hashes',
};
