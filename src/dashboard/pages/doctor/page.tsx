// What the service's look at its own installation has found. The sentences are those of the command, in English; commands are copied
// as they are.
import type { DoctorFinding } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction, useRefreshed } from '#dashboard/data.ts';
import { Head, Lamp, Time, type Tone } from '#dashboard/parts/basics.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { Empty, ErrorNote, Loaded, Note } from '#dashboard/parts/feedback.tsx';
import { Table } from '#dashboard/parts/table.tsx';
import { number, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

/** While a look is going on, its end is near. */
const EVERY_MS = 2_000;

const tones = { ok: 'good', warn: 'warn', fail: 'bad', skipped: 'plain' } as const satisfies Record<
  DoctorFinding['state'],
  Tone
>;
const ORDER = ['fail', 'warn', 'ok', 'skipped'] as const;

interface Row extends DoctorFinding {
  readonly id: string;
}

/** What has to be mended comes first. */
const rowsOf = (findings: readonly DoctorFinding[]): Row[] =>
  findings
    .map((finding, index) => ({ ...finding, id: `${finding.number} ${index}` }))
    .sort((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state) || one.number - other.number);

const Summary = ({ findings }: { readonly findings: readonly DoctorFinding[] }) => {
  const w = translated(words);
  const count = (state: DoctorFinding['state']): number =>
    findings.filter((finding) => finding.state === state).length;
  const [failures, warnings] = [count('fail'), count('warn')];
  const parts = [
    ...(failures > 0 ? [w.failures(failures)] : []),
    ...(warnings > 0 ? [w.warnings(warnings)] : []),
  ];
  return (
    <Note kind={failures > 0 ? 'bad' : warnings > 0 ? 'warn' : 'good'}>
      <p>
        <strong>{parts.join(', ') || w.allWell}</strong>
      </p>
    </Note>
  );
};

const DoctorPage = () => {
  const w = translated(words);
  const state = useRefreshed((abort) => call('GET /api/admin/doctor', {}, { abort }), EVERY_MS);
  const look = useAction(async (round_trip: boolean) => {
    await call('POST /api/admin/doctor', { body: { round_trip } });
    state.reload();
  });
  const isRunning = look.isRunning || state.value?.running === true;
  return (
    <>
      <Head
        title={w.pages['operator/doctor']}
        intro={w.intro}
        actions={
          <>
            <button type="button" disabled={isRunning} onClick={() => void look.run(false)}>
              {isRunning ? w.running : w.again}
            </button>
            <Confirm
              button={w.withMail}
              title={w.withMailTitle}
              text={w.withMailText}
              onConfirm={async () => void look.run(true)}
            />
          </>
        }
      />
      <ErrorNote error={look.error} />
      <Loaded data={state}>
        {({ findings, ended_at }) =>
          ended_at === null ? (
            <Empty title={w.none} text={w.noneText} />
          ) : (
            <>
              <Summary findings={findings} />
              <Table<Row>
                caption={w.pages['operator/doctor']}
                rows={rowsOf(findings)}
                columns={[
                  {
                    head: w.check,
                    isMain: true,
                    cell: (finding) =>
                      `${number(finding.number)}. ${w.names[finding.number] ?? finding.name}`,
                  },
                  {
                    head: w.state,
                    cell: (finding) => <Lamp tone={tones[finding.state]} text={w.states[finding.state]} />,
                  },
                  {
                    head: w.found,
                    cell: ({ found, mend }) => (
                      <div lang="en" class="value">
                        {found}
                        {mend !== null && (
                          <div class="quiet">
                            <code>{mend}</code>
                          </div>
                        )}
                      </div>
                    ),
                  },
                  { head: w.at, cell: ({ checked_at }) => <Time at={checked_at} relative /> },
                ]}
              />
            </>
          )
        }
      </Loaded>
    </>
  );
};

export default DoctorPage;
