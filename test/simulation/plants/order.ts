// Faults of order: something is said, sent or forgotten before what must come first is on the disk, or is written in a transaction of
// its own, so that a crash comes between.
import type { Plant } from '#test/simulation/plant.ts';

export const faultsOfOrder: readonly Plant[] = [
  {
    name: 'sync-left-out',
    what: 'Callers are answered after the commit, before its sync has ended.',
    file: 'src/kernel/db/durable-file.ts',
    replacements: [{ from: 'await syncing.catch(breakDown);', to: 'void syncing.catch(breakDown);' }],
  },
  {
    name: 'failed-sync-answered',
    what: 'Callers whose commit was not synced are answered as if it had been.',
    file: 'src/kernel/db/durable-file.ts',
    replacements: [
      {
        from: 'if (fault !== null) return refuseCommitted(done, fault);',
        to: 'if (isReplaced && fault !== null) return refuseCommitted(done, fault);',
      },
    ],
  },
  {
    name: 'hold-due-not-awaited',
    what: 'A message is stored and answered before the registry durably notes that its tenant has something due.',
    file: 'src/intake/accept.ts',
    replacements: [
      {
        from: 'const release = await intake.holdDue(tenantId, now);',
        to: 'const held = intake.holdDue(tenantId, now);',
      },
      {
        from: '    release();\n',
        to: '    held.then(\n      (release) => release(),\n      () => undefined,\n    );\n',
      },
    ],
  },
  {
    name: 'key-after-message',
    what: 'An idempotency key is stored after its message, in another transaction.',
    file: 'src/intake/accept.ts',
    replacements: [
      {
        from: '  usageReached: boolean;\n',
        to: '  usageReached: boolean;\n  readonly answered: ((db: TenantDb) => void)[];\n',
      },
      {
        from: '  if (request) keepAnswer(db, evaluation.projectId, request, { status: 202, body: answer }, now);\n',
        to: `  if (request)
    wakings.answered.push((file) =>
      keepAnswer(file, evaluation.projectId, request, { status: 202, body: answer }, now),
    );
`,
      },
      { from: 'usageReached: false, tally', to: 'usageReached: false, answered: [], tally' },
      {
        from: '    if (wakings.usageReached) intake.usageReached(tenantId);\n    return result;\n',
        to: `    if (wakings.usageReached) intake.usageReached(tenantId);
    for (const keep of wakings.answered) await intake.files.write(tenantId, keep);
    return result;
`,
      },
    ],
  },
  {
    name: 'cursor-before-write',
    what: 'What is remembered of how far webhooks have read the log moves before the deliveries are committed.',
    file: 'src/followers/webhooks/queue.ts',
    replacements: [
      {
        from: "import type { Following } from '#src/events/follow.ts';\n",
        to: "import type { Following } from '#src/events/follow.ts';\nimport { followStore } from '#src/events/follow-store.ts';\n",
      },
      {
        from: 'return takeTurn(db, { ...looking(), claim, key, practiceUrl: practiceUrl(tenantId) });',
        to: `const turn = takeTurn(db, { ...looking(), claim, key, practiceUrl: practiceUrl(tenantId) });
            seenOf.set(tenantId, followStore(db).cursor('webhooks') ?? ahead.seen);
            return turn;`,
      },
    ],
  },
  {
    name: 'audience-cursor-apart',
    what: 'The cursor of the audience moves in a transaction after the one that counts: a crash in between counts the events twice.',
    file: 'src/audience/log/follow.ts',
    replacements: [
      {
        from: '      while (more && !signal.aborted)\n        more = await files.write(tenantId, (db) => {\n',
        to: '      while (more && !signal.aborted) {\n        const read = { place: null as number | null };\n        more = await files.write(tenantId, (db) => {\n',
      },
      {
        from: `          followStore(db).moveCursor('audience', place);
          return applied === PER_TRANSACTION || events.length === LOOKED_AT;
        });
`,
        to: `          read.place = place;
          return applied === PER_TRANSACTION || events.length === LOOKED_AT;
        });
        const { place } = read;
        if (place !== null)
          await files.write(tenantId, (db) => followStore(db).moveCursor('audience', place));
      }
`,
      },
    ],
  },
  {
    name: 'campaign-progress-apart',
    what: 'How far a campaign has come is written after its messages: a crash in between hands the same people over again.',
    file: 'src/audience/campaigns/hand-over.ts',
    replacements: [
      {
        from: '  await intake.transact(tenantId, (db, accept) => {\n',
        to: '  const come: { row: CampaignRow | null } = { row: null };\n  await intake.transact(tenantId, (db, accept) => {\n    come.row = null;\n',
      },
      {
        from: "    campaignStore(db).update({ ...next, ...progress });\n  });\n  return 'handed_over';\n",
        to: `    come.row = { ...next, ...progress };
  });
  const { row: reached } = come;
  if (reached !== null) await files.write(tenantId, (db) => campaignStore(db).update(reached));
  return 'handed_over';
`,
      },
    ],
  },
  {
    name: 'token-record-first',
    what: 'A revoked token goes from the file first: a crash in between leaves one that works and that no owner sees.',
    file: 'src/people/tokens.ts',
    replacements: [
      {
        from: `    await storage.platform.write((db) => credentialStore(db).revoke(tokenId, tenantId, clock.now()));
    await storage.tenants.write(tenantId, (db) => {
      if (!tokenStore(db).remove(tokenId)) throw noSuchToken();
`,
        to: `    await storage.tenants.write(tenantId, (db) => {
      if (!tokenStore(db).remove(tokenId)) throw noSuchToken();
`,
      },
      {
        from: `before: presentToken(row), after: null }, clock.now());
    });
`,
        to: `before: presentToken(row), after: null }, clock.now());
    });
    await storage.platform.write((db) => credentialStore(db).revoke(tokenId, tenantId, clock.now()));
`,
      },
    ],
  },
  {
    name: 'moved-while-sending',
    what: 'A tenant that moves is copied without waiting for the end of what is being sent.',
    file: 'src/accounts/moving/leave.ts',
    replacements: [{ from: '      await endOfWork(hasEnded, id, patience);\n', to: '      hasEnded(id);\n' }],
  },
];
