import type { VerifyRun } from '../../../operations/verify/verify-runs.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { column } from '../../parts/columns.tsx'
import { Empty, OutsideText, Section, Status } from '../../parts/parts.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { JOBS } from '../texts/jobs.ts'

const { verify: words, tasks } = JOBS

/** The result of a run: one word, the invariants that are broken, its error, and the breaches that were accepted. */
const VerifyResult = ({ run }: { run: VerifyRun }) => (
  <>
    <Verdict run={run} />
    {run.error !== null && (
      <p class="hint">
        <OutsideText text={run.error} />
      </p>
    )}
    {(run.accepted ?? []).map(({ id, count, offenders }) => (
      <div class="hint">
        <p>{words.accepted(id, count)}</p>
        <ul class="plain">
          {offenders.map((offender) => (
            <li>
              <code>{oneLine(offender)}</code>
            </li>
          ))}
          {count > offenders.length && <li>{words.more}</li>}
        </ul>
      </div>
    ))}
  </>
)

function Verdict({ run: { violations, broken, error } }: { run: VerifyRun }) {
  if (error !== null) return <Status word={words.unfinished} tone="warn" />
  if (violations === 0) return <Status word={words.holds} tone="good" />
  return (
    <>
      <Status word={words.broken} tone="bad" />
      <p class="hint">{(broken ?? []).map(({ id }) => id).join(', ')}</p>
    </>
  )
}

const COLUMNS: readonly ListColumn<VerifyRun>[] = [
  { title: words.columns.cell, cell: ({ cell }) => cell },
  column.time(words.columns.at, ({ begunAt }) => begunAt),
  { title: words.columns.by, cell: ({ runBy }) => (runBy === 'night' ? words.night : words.person) },
  {
    title: words.columns.rows,
    cell: ({ looked }) => (looked === null ? null : tasks.handled(looked)),
    figures: true,
  },
  {
    title: words.columns.took,
    cell: ({ begunAt, endedAt }) => words.seconds(Math.round((endedAt.getTime() - begunAt.getTime()) / 1000)),
    figures: true,
  },
  { title: words.columns.result, cell: (run) => <VerifyResult run={run} /> },
]

/** The latest runs of verify over the books. */
export const VerifyRuns = ({ runs }: { runs: readonly VerifyRun[] }) => (
  <Section title={words.title} id="verify">
    <p>{words.lead}</p>
    {runs.length === 0 ? <Empty title={words.none} /> : <Table caption={words.title} rows={runs} columns={COLUMNS} />}
  </Section>
)
