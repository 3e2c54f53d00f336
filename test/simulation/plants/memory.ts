// Faults of memory: what is remembered beside a file is kept where the file has become another by a rollback or a write.
import type { Plant } from '#test/simulation/plant.ts';

export const faultsOfMemory: readonly Plant[] = [
  {
    name: 'counter-written-twice',
    what: 'What a transaction has counted is not forgotten when it is undone, and counts again when it is repeated.',
    file: 'src/accounts/counters/store.ts',
    replacements: [
      {
        from: '      for (const sum of Object.values(sums)) sum.forget();\n      knownVolumes.clear();\n',
        to: '      knownVolumes.clear();\n',
      },
    ],
  },
  {
    name: 'memory-kept-on-undo',
    what: 'What is remembered of the changes of one caller is kept when they are undone alone.',
    file: 'src/kernel/db/durable-file.ts',
    replacements: [
      {
        from: '      releaseSavepoint.run();\n      forgetMemory(db);\n      waiter.reject(',
        to: '      releaseSavepoint.run();\n      waiter.reject(',
      },
    ],
  },
  {
    name: 'ledger-head-kept',
    what: 'The end of the consent ledger is remembered from a transaction that was undone.',
    file: 'src/audience/consent/ledger.ts',
    replacements: [
      { from: '    forget: () => {\n      open = null;\n    },\n', to: '    forget: () => undefined,\n' },
    ],
  },
  {
    name: 'token-remembered',
    what: 'A token that was used before still opens the practice after its revocation.',
    file: 'src/accounts/entry/token-store.ts',
    replacements: [
      {
        from: '      revoke.run(now, tokenId, tenantId);\n      byHash.forget();\n',
        to: '      revoke.run(now, tokenId, tenantId);\n',
      },
    ],
  },
  {
    name: 'pause-remembered',
    what: 'The row of the practice is remembered from before its pause.',
    file: 'src/accounts/tenants/store.ts',
    replacements: [
      {
        from: 'updatePause: (row: PracticePause): void => write(() => updatePause.run(row)),',
        to: 'updatePause: (row: PracticePause): void => void updatePause.run(row),',
      },
    ],
  },
  {
    name: 'handed-over-in-spite',
    what: 'A mail handed over in memory leaves although its recipient has been suppressed since.',
    file: 'src/feedback/suppressions/store.ts',
    replacements: [{ from: '    version += 1;\n    isEmpty.forget();\n', to: '    isEmpty.forget();\n' }],
  },
];
