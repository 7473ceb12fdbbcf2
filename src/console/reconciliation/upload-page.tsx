import { isWaiting } from '../../approvals/approval.ts'
import { approvalsAbout } from '../../approvals/find-approvals.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState } from '../../pages/form-spec.ts'
import { Facts, Note, Said, Section, Status, Time } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { type Column, Table } from '../../pages/table.tsx'
import { shown } from '../../pages/wording.ts'
import { DIFFERENCE_KINDS } from '../../reconciliation/statement-differences.ts'
import { type StatementState, stateOfStatement } from '../../reconciliation/statement-state.ts'
import { getUpload, type KeptLook, type UploadedStatement } from '../../reconciliation/uploaded-statements.ts'
import { RECONCILIATION } from '../texts/reconciliation.ts'
import type { ConsoleVisit } from '../visit.ts'
import { Details } from './details.tsx'
import { ReconciliationPages, RUNS } from './runs-page.tsx'

const { import: texts, detail } = RECONCILIATION
export const IMPORT = `${RUNS}/import`
// Often enough to show progress, and rare enough to be no load.
const REFRESH_SECONDS = 3

export const IMPORT_NOW: FormSpec = {
  ...{ path: `${IMPORT}/:id/import`, action: 'statement.import', fields: [], submit: detail.import },
  danger: true,
}
export const TAKE_BACK: FormSpec = {
  path: `${IMPORT}/:id/take-back`,
  action: 'statement.take-back',
  fields: [{ name: 'reason', label: detail.reason, most: 500 }],
  submit: detail.takeBack,
  once: true,
}

const TONES: Partial<Record<StatementState, 'good' | 'open' | 'bad' | 'warn'>> = {
  imported: 'good',
  looked: 'open',
  waits: 'open',
  looking: 'open',
  importing: 'open',
  'taking-back': 'open',
  failed: 'bad',
  'broken-off': 'warn',
}

export function StateOf({ state }: { state: StatementState }) {
  const tone = TONES[state]
  return <Status word={texts.states[state]} {...(tone === undefined ? {} : { tone })} />
}

const UNDER_WAY: readonly StatementState[] = ['waits', 'looking', 'importing', 'taking-back']

type Difference = KeptLook['differences'][number]
const DIFFERENCES: readonly Column<Difference>[] = [
  { title: detail.columns.kind, cell: ({ kind }) => detail.counts[kind] },
  { title: detail.columns.subject, cell: ({ subject }) => <code>{shown(subject)}</code> },
  { title: detail.columns.details, cell: ({ details }) => <Details details={details} /> },
]

/** Shows one statement: its progress, how it differs from our books, and the forms to import it and to take it back. */
export async function showUpload(visit: ConsoleVisit, form: FormState | null = null): Promise<Shown> {
  const { directory } = visit.gateway
  const upload = await getUpload(visit.gateway, visit.params.id ?? '')
  const approvals = await approvalsAbout({ db: directory, merchantId: 0 }, upload.id)
  const waiting = approvals.find((approval) => isWaiting(approval, visit.now))
  const state = stateOfStatement(upload)
  const isUnderWay = UNDER_WAY.includes(state)
  return shownPage(
    texts.title,
    <>
      <div class="top">
        <h1>{shown(upload.name)}</h1>
        <StateOf state={state} />
      </div>
      <ReconciliationPages visit={visit} at={`${IMPORT}/:id`} />
      <HowFar {...{ visit, upload, state }} />
      {waiting !== undefined && (
        <Note>
          {detail.asks} <a href={visit.to(`/approvals/${waiting.id}`)}>{waiting.id}</a>
        </Note>
      )}
      <TheFile upload={upload} />
      {upload.lookedAt !== null && <Found looked={upload.looked} />}
      {mayImport(upload, state) && (
        <Section title={detail.importing}>
          <FormBox of={IMPORT_NOW} visit={visit} state={form} params={{ id: upload.id }}>
            <p class="hint">
              {detail.importSays} {texts.again}
            </p>
          </FormBox>
        </Section>
      )}
      {mayTakeBack(upload, state) && waiting === undefined && (
        <Section title={detail.takeBack}>
          <FormBox of={TAKE_BACK} visit={visit} state={form} params={{ id: upload.id }}>
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

type HowFarProps = { visit: ConsoleVisit; upload: UploadedStatement; state: StatementState }

function HowFar({ visit, upload, state }: HowFarProps) {
  if (UNDER_WAY.includes(state)) return <Progress upload={upload} />
  if (state === 'failed')
    return (
      <Note tone="warn">
        <strong>{detail.failed}</strong>
        <p>
          <Said text={upload.failed} />
        </p>
        <p>
          {detail.failedSays} <a href={visit.to(IMPORT)}>{detail.anew}</a>
        </p>
      </Note>
    )
  if (state !== 'broken-off') return null
  return (
    <Note tone="warn">
      {detail.brokenOff}
      {upload.failed !== null && (
        <p>
          <Said text={upload.failed} />
        </p>
      )}
    </Note>
  )
}

function Progress({ upload: { step, done } }: { upload: UploadedStatement }) {
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

function TheFile({ upload }: { upload: UploadedStatement }) {
  const { facts } = detail
  const { looked, importedAt, takenBackAt } = upload
  return (
    <Section title={detail.file}>
      <Facts
        facts={[
          [facts.installation, <Said text={upload.installation ?? texts.unknown} />],
          [facts.by, <Said text={upload.madeBy} />],
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
          importedAt !== null && [facts.importedBy, <Said text={upload.importedBy} />],
          takenBackAt !== null && [facts.takenBack, <Time at={takenBackAt} />],
          takenBackAt !== null && [facts.takenBackBy, <Said text={upload.takenBackBy} />],
        ]}
      />
    </Section>
  )
}

function Found({ looked }: { looked: KeptLook }) {
  const { counts } = detail
  const judged = looked.judged?.map(({ side, installation }) => detail.judgedOf(side, installation))
  return (
    <>
      <Section title={detail.found}>
        <Facts
          facts={[
            [counts.lines, detail.count(looked.leg.lookedAt)],
            [counts.matched, detail.count(looked.leg.agreed)],
            ...DIFFERENCE_KINDS.map(
              (kind) => [counts[kind], detail.count(looked.counts[kind] ?? 0)] as const,
            ),
            judged !== undefined && [
              detail.judged,
              judged.length === 0 ? detail.judgedNothing : shown(judged.join(', ')),
            ],
          ]}
        />
      </Section>
      <Section title={detail.differences}>
        {looked.differences.length === 0 ? (
          <p>{detail.noDifferences}</p>
        ) : (
          <>
            <Table caption={detail.differences} rows={looked.differences} columns={DIFFERENCES} />
            <p class="hint">{detail.most}</p>
          </>
        )}
      </Section>
    </>
  )
}
