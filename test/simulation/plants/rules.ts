// Faults of rules: a condition, a clause or a step is missing that matters only where several things meet.
import type { Plant } from '#test/simulation/plant.ts';

export const faultsOfRules: readonly Plant[] = [
  {
    name: 'claim-without-next-time',
    what: 'A claim does not write the time of the next attempt: after a crash the attempt is repeated at once.',
    file: 'src/messages/queue/store.ts',
    replacements: [
      { from: '        row.due_at = now + retryWait(policy, row.attempts, Math.random());\n', to: '' },
    ],
  },
  {
    name: 'held-mail-published',
    what: 'A mail received that is held or in quarantine is published before a person has released it.',
    file: 'src/inbound/store-mail.ts',
    replacements: [{ from: "  if (state !== 'inbox') return inboundSeq;\n", to: '' }],
  },
  {
    name: 'suppression-at-acceptance-only',
    what: 'The first claim of a mail does not ask for suppressions again.',
    file: 'src/relay/claim.ts',
    replacements: [
      {
        from: "isAllowed || message.source === 'system'\n",
        to: "isAllowed || row.attempts === 1 || message.source === 'system'\n",
      },
    ],
  },
  {
    name: 'second-copy-after-known-outcome',
    what: 'An outcome that the disk did not take at once counts as no attempt, though the relay has taken the mail.',
    file: 'src/relay/attempt.ts',
    replacements: [
      {
        from: '  const store = (db: TenantDb): number | null => {\n',
        to: '  let hasFailed = false;\n  const store = (db: TenantDb): number | null => {\n',
      },
      { from: '    if (outcome === null) {\n', to: '    if (outcome === null || hasFailed) {\n' },
      { from: '    onFailed();\n', to: '    hasFailed = true;\n    onFailed();\n' },
    ],
  },
  {
    name: 'erasure-leaves-captures',
    what: 'An erasure does not look for the recipient of captured mails.',
    file: 'src/relay/personal-data.ts',
    replacements: [{ from: "searched: ['recipient', 'return_path'],", to: "searched: ['return_path']," }],
  },
  {
    name: 'erasure-leaves-sources',
    what: 'An erasure ends before the sources of the mails received that it removed are gone.',
    file: 'src/inbound/personal-data.ts',
    replacements: [
      {
        from: '  finish: (files, tenantId) => removePieces(tenantId, { files, pace: (work) => work() }, null),\n',
        to: '',
      },
    ],
  },
  {
    name: 'status-falls',
    what: 'A recipient has the status of the last signal instead of the highest.',
    file: 'src/feedback/apply-signal.ts',
    replacements: [
      {
        from: '    status: statusOf(current),\n',
        to: '    status: statusOf(signals.at(-1)?.signal ?? current),\n',
      },
    ],
  },
  {
    name: 'lost-wake-up',
    what: 'What is accepted while the tenant is being claimed for does not wake the dispatcher.',
    file: 'src/relay/dispatcher.ts',
    replacements: [
      { from: '    const woken = claiming.get(key) ?? null;\n', to: '' },
      {
        from: 'heapOf(of).set(of, nextDue === null ? woken : Math.min(nextDue, woken ?? nextDue));',
        to: 'heapOf(of).set(of, nextDue);',
      },
    ],
  },
  {
    name: 'follower-not-woken-again',
    what: 'A queue that is woken during its turn has no further turn.',
    file: 'src/kernel/work/schedule.ts',
    replacements: [
      {
        from: '    if (turns.has(key)) again.add(key);\n    else if (!failing.has(key)) ready.add(key);\n',
        to: '    if (!turns.has(key) && !failing.has(key)) ready.add(key);\n',
      },
    ],
  },
  {
    name: 'claims-of-the-dead-kept',
    what: 'What a process that died had claimed is not put back into the queue.',
    file: 'src/relay/dispatcher.ts',
    replacements: [{ from: '            queue.releaseAll();\n', to: '' }],
  },
  {
    name: 'campaign-after-pause',
    what: 'The status of a campaign is not asked again in the transaction that hands people over.',
    file: 'src/audience/campaigns/hand-over.ts',
    replacements: [
      {
        from: "if (known?.status !== 'sending' || isBehind(row, known)) return;",
        to: 'if (known === undefined || isBehind(row, known)) return;',
      },
    ],
  },
  {
    name: 'tenant-clause-left-out',
    what: 'A later due time of one tenant is written to the rows of all tenants in the registry.',
    file: 'src/messages/queue/due-store.ts',
    replacements: [
      {
        from: "db.prepare<[number, string]>('UPDATE queue_due SET due_at = ? WHERE tenant_id = ?')",
        to: "db.prepare<[number]>('UPDATE queue_due SET due_at = ?')",
      },
      { from: 'else correct.run(dueAt, tenantId);', to: 'else correct.run(dueAt);' },
    ],
  },
  {
    name: 'registry-cleared-while-held',
    what: 'The registry forgets a tenant that has nothing due while a message is on its way into its file.',
    file: 'src/messages/queue/due-registry.ts',
    replacements: [
      {
        from: 'if (holds.has(tenantId) || lowering.has(tenantId) || ',
        to: 'if (lowering.has(tenantId) || ',
      },
    ],
  },
  {
    name: 'restored-queue-sent',
    what: 'Of a restored queue only what is both claimed and due is held; the rest is sent again.',
    file: 'src/messages/queue/store.ts',
    replacements: [
      {
        from: 'CASE WHEN claimed > 0 OR due_at <= ? THEN 2',
        to: 'CASE WHEN claimed > 0 AND due_at <= ? THEN 2',
      },
    ],
  },
  {
    name: 'numbers-given-again',
    what: 'A restored file gives numbers again that were given after its backup.',
    file: 'src/operations/staging.ts',
    replacements: [
      { from: '    leaveGap(db, given);\n    return now === null', to: '    return now === null' },
    ],
  },
  {
    name: 'webhook-overtakes',
    what: 'An event does not wait behind an earlier one of its message that has been tried in vain.',
    file: 'src/followers/webhooks/delivery-store.ts',
    replacements: [
      {
        from: "WHERE webhook = :webhook AND order_key = :order_key AND status = 'pending')",
        to: "WHERE webhook = :webhook AND order_key = :order_key AND status = 'pending' AND attempts = 0)",
      },
    ],
  },
  {
    name: 'reschedule-keeps-former-time',
    what: 'A scheduled message that gets a later time leaves at its former one.',
    file: 'src/intake/scheduled.ts',
    replacements: [
      {
        from: 'queueStore(db).release(id, 0, dueAt);',
        to: 'queueStore(db).release(id, 0, Math.min(waiting.dueAt, dueAt));',
      },
    ],
  },
  {
    name: 'received-twice',
    what: 'A mail that comes again because it could not be stored everywhere is taken for another one.',
    file: 'src/inbound/receive.ts',
    replacements: [
      {
        from: 'const ids = known?.ids ?? placements.map(() => newId());',
        to: 'const ids = placements.map(() => newId());',
      },
    ],
  },
];
