import { isWaiting } from '../../../operations/approvals/approval.ts'
import { readApprovalsAbout } from '../../../operations/approvals/find-approvals.ts'
import { DIFFERENCE_KINDS } from '../../../operations/reconciliation/statements/statement-differences.ts'
import {
  computeStatementState,
  type StatementState,
} from '../../../operations/reconciliation/statements/statement-state.ts'
import {
  getUpload,
  type StoredFindings,
  type UploadedStatement,
} from '../../../operations/reconciliation/statements/uploaded-statements.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Facts, Note, OutsideText, Section, Status, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { RECONCILIATION } from '../texts/reconciliation.ts'
import type { ConsoleVisit } from '../visit.ts'
import { ExceptionDetails } from './exception-details.tsx'
import { ReconciliationTabs, RUNS_PATH } from './runs-page.tsx'

const { import: texts, detail } = RECONCILIATION
export const IMPORT_PATH = `${RUNS_PATH}/import`
// Often enough to show progress, and rare enough to be no load.
const REFRESH_SECONDS = 3

export const IMPORT_NOW_FORM: FormSpec = {
  ...{ path: `${IMPORT_PATH}/:id/import`, action: 'statement.import', fields: [], submit: detail.import },
  danger: true,
}
export const TAKE_BACK_STATEMENT_FORM: FormSpec = {
  path: `${IMPORT_PATH}/:id/take-back`,
  action: 'statement.take-back',
  fields: [{ name: 'reason', label: detail.reason, maxLength: 500 }],
  submit: detail.takeBack,
  once: true,
}

const STATE_TONES: Partial<Record<StatementState, 'good' | 'open' | 'bad' | 'warn'>> = {
  imported: 'good',
  looked: 'open',
  waits: 'open',
  looking: 'open',
  importing: 'open',
  'taking-back': 'open',
  failed: 'bad',
  'broken-off': 'warn',
}

export function StatementStatus({ state }: { state: StatementState }) {
  const tone = STATE_TONES[state]
  return <Status word={texts.states[state]} {...(tone === undefined ? {} : { tone })} />
}

const STATES_UNDER_WAY: readonly StatementState[] = ['waits', 'looking', 'importing', 'taking-back']

type DifferenceRow = StoredFindings['differences'][number]
const DIFFERENCE_COLUMNS: readonly ListColumn<DifferenceRow>[] = [
  { title: detail.columns.kind, cell: ({ kind }) => detail.counts[kind] },
  { title: detail.columns.subject, cell: ({ subject }) => <code>{oneLine(subject)}</code> },
  { title: detail.columns.details, cell: ({ details }) => <ExceptionDetails details={details} /> },
]

/** Shows one statement: its progress, how it differs from our books, and the forms to import it and to take it back. */
export async function showUpload(visit: ConsoleVisit, form: FormState | null = null): Promise<SurfaceReply> {
  const { directory } = visit.gateway
  const upload = await getUpload(visit.gateway, visit.params.id ?? '')
  const approvals = await readApprovalsAbout({ db: directory, merchantId: 0 }, upload.id)
  const waiting = approvals.find((approval) => isWaiting(approval, visit.now))
  const state = computeStatementState(upload)
  const isUnderWay = STATES_UNDER_WAY.includes(state)
  return pageReply(
    texts.title,
    <>
      <div class="top">
        <h1>{oneLine(upload.name)}</h1>
        <StatementStatus state={state} />
      </div>
      <ReconciliationTabs visit={visit} at={`${IMPORT_PATH}/:id`} />
      <ImportProgress {...{ visit, upload, state }} />
      {waiting !== undefined && (
        <Note>
          {detail.asks} <a href={visit.to(`/approvals/${waiting.id}`)}>{waiting.id}</a>
        </Note>
      )}
      <StatementFacts upload={upload} />
      {upload.lookedAt !== null && <InspectionResult looked={upload.looked} />}
      {mayImport(upload, state) && (
        <Section title={detail.importing}>
          <FormBox of={IMPORT_NOW_FORM} visit={visit} state={form} params={{ id: upload.id }}>
            <p class="hint">
              {detail.importSays} {texts.again}
            </p>
          </FormBox>
        </Section>
      )}
      {mayTakeBack(upload, state) && waiting === undefined && (
        <Section title={detail.takeBack}>
          <FormBox of={TAKE_BACK_STATEMENT_FORM} visit={visit} state={form} params={{ id: upload.id }}>
            <p class="hint">{detail.takeBackSays}</p>
          </FormBox>
        </Section>
      )}
    </>,
    {
      status: form?.status ?? 200,
      ...(isUnderWay && form === null ? { refreshSeconds: REFRESH_SECONDS } : {}),
    },
  )
}

/** An import that broke off may be repeated as long as the bytes of the statement are stored. */
const mayImport = ({ isKept }: UploadedStatement, state: StatementState) =>
  state === 'looked' || (state === 'broken-off' && isKept)
/** Older imports cannot be taken back: which lines they stored was not recorded. */
const mayTakeBack = ({ askedAt }: UploadedStatement, state: StatementState) =>
  askedAt !== null && (state === 'imported' || state === 'broken-off')

type ImportProgressProps = { visit: ConsoleVisit; upload: UploadedStatement; state: StatementState }

function ImportProgress({ visit, upload, state }: ImportProgressProps) {
  if (STATES_UNDER_WAY.includes(state)) return <StepProgress upload={upload} />
  if (state === 'failed')
    return (
      <Note tone="warn">
        <strong>{detail.failed}</strong>
        <p>
          <OutsideText text={upload.failed} />
        </p>
        <p>
          {detail.failedSays} <a href={visit.to(IMPORT_PATH)}>{detail.anew}</a>
        </p>
      </Note>
    )
  if (state !== 'broken-off') return null
  return (
    <Note tone="warn">
      {detail.brokenOff}
      {upload.failed !== null && (
        <p>
          <OutsideText text={upload.failed} />
        </p>
      )}
    </Note>
  )
}

function StepProgress({ upload: { step, done } }: { upload: UploadedStatement }) {
  return (
    <Note>
      {step !== null && (
        <p>
          {detail.steps[step] ?? step}: {detail.count(done ?? 0)}
        </p>
      )}
      <p>{detail.under}</p>
    </Note>
  )
}

function StatementFacts({ upload }: { upload: UploadedStatement }) {
  const { facts } = detail
  const { looked, importedAt, takenBackAt } = upload
  return (
    <Section title={detail.file}>
      <Facts
        facts={[
          [facts.installation, <OutsideText text={upload.installation ?? texts.unknown} />],
          [facts.by, <OutsideText text={upload.madeBy} />],
          [facts.at, <Time at={upload.madeAt} />],
          [
            facts.period,
            <>
              <Time at={looked.from} />
              {detail.until}
              <Time at={looked.to} />
            </>,
          ],
          [facts.digest, <code class="long">{upload.digest.toString('hex')}</code>],
          importedAt !== null && [facts.imported, <Time at={importedAt} />],
          importedAt !== null && [facts.importedBy, <OutsideText text={upload.importedBy} />],
          takenBackAt !== null && [facts.takenBack, <Time at={takenBackAt} />],
          takenBackAt !== null && [facts.takenBackBy, <OutsideText text={upload.takenBackBy} />],
        ]}
      />
    </Section>
  )
}

function InspectionResult({ looked }: { looked: StoredFindings }) {
  const { counts } = detail
  const judged = looked.judged?.map(({ side, installation }) => detail.judgedOf(side, installation))
  return (
    <>
      <Section title={detail.found}>
        <Facts
          facts={[
            [counts.lines, detail.count(looked.leg.lookedAt)],
            [counts.matched, detail.count(looked.leg.agreed)],
            ...DIFFERENCE_KINDS.map((kind) => [counts[kind], detail.count(looked.counts[kind] ?? 0)] as const),
            judged !== undefined && [
              detail.judged,
              judged.length === 0 ? detail.judgedNothing : oneLine(judged.join(', ')),
            ],
          ]}
        />
      </Section>
      <Section title={detail.differences}>
        {looked.differences.length === 0 ? (
          <p>{detail.noDifferences}</p>
        ) : (
          <>
            <Table caption={detail.differences} rows={looked.differences} columns={DIFFERENCE_COLUMNS} />
            <p class="hint">{detail.most}</p>
          </>
        )}
      </Section>
    </>
  )
}
