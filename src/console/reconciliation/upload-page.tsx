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

const { import: texts, one } = RECONCILIATION
export const IMPORT = `${RUNS}/import`
// Often enough to see it go on, and no load.
const REFRESH_SECONDS = 3

export const IMPORT_NOW: FormSpec = {
  ...{ path: `${IMPORT}/:id/import`, action: 'statement.import', fields: [], submit: one.import },
  danger: true,
}
export const TAKE_BACK: FormSpec = {
  path: `${IMPORT}/:id/take-back`,
  action: 'statement.take-back',
  fields: [{ name: 'reason', label: one.reason, most: 500 }],
  submit: one.takeBack,
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
  { title: one.columns.kind, cell: ({ kind }) => one.counts[kind] },
  { title: one.columns.subject, cell: ({ subject }) => <code>{shown(subject)}</code> },
  { title: one.columns.details, cell: ({ details }) => <Details of={details} /> },
]

/** One statement: how far it is, what it says against our books, importing it and taking it back. */
export async function showUpload(visit: ConsoleVisit, form: FormState | null = null): Promise<Shown> {
  const { directory } = visit.gateway
  const upload = await getUpload(visit.gateway, visit.params.id ?? '')
  const asked = await approvalsAbout({ db: directory, merchantId: 0 }, upload.id)
  const waiting = asked.find((approval) => isWaiting(approval, visit.now))
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
          {one.asks} <a href={visit.to(`/approvals/${waiting.id}`)}>{waiting.id}</a>
        </Note>
      )}
      <TheFile upload={upload} />
      {upload.lookedAt !== null && <Found looked={upload.looked} />}
      {mayImport(upload, state) && (
        <Section title={one.importing}>
          <FormBox of={IMPORT_NOW} visit={visit} state={form} params={{ id: upload.id }}>
            <p class="hint">
              {one.importSays} {texts.again}
            </p>
          </FormBox>
        </Section>
      )}
      {mayTakeBack(upload, state) && waiting === undefined && (
        <Section title={one.takeBack}>
          <FormBox of={TAKE_BACK} visit={visit} state={form} params={{ id: upload.id }}>
            <p class="hint">{one.takeBackSays}</p>
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

/** What was broken off is imported again as long as its bytes are there. */
const mayImport = ({ isKept }: UploadedStatement, state: StatementState) =>
  state === 'looked' || (state === 'broken-off' && isKept)
/** What lines it stored is known of imports since that is kept. */
const mayTakeBack = ({ askedAt }: UploadedStatement, state: StatementState) =>
  askedAt !== null && (state === 'imported' || state === 'broken-off')

type HowFarProps = { visit: ConsoleVisit; upload: UploadedStatement; state: StatementState }

function HowFar({ visit, upload, state }: HowFarProps) {
  if (UNDER_WAY.includes(state)) return <Progress upload={upload} />
  if (state === 'failed')
    return (
      <Note tone="warn">
        <strong>{one.failed}</strong>
        <p>
          <Said text={upload.failed} />
        </p>
        <p>
          {one.failedSays} <a href={visit.to(IMPORT)}>{one.anew}</a>
        </p>
      </Note>
    )
  if (state !== 'broken-off') return null
  return (
    <Note tone="warn">
      {one.brokenOff}
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
          {one.steps[step] ?? step}: {one.count(done ?? 0)}
        </p>
      )}
      <p>{one.under}</p>
    </Note>
  )
}

function TheFile({ upload }: { upload: UploadedStatement }) {
  const { facts } = one
  const { looked, importedAt, takenBackAt } = upload
  return (
    <Section title={one.file}>
      <Facts
        facts={[
          [facts.installation, <Said text={upload.installation ?? texts.unknown} />],
          [facts.by, <Said text={upload.madeBy} />],
          [facts.at, <Time at={upload.madeAt} />],
          [
            facts.period,
            <>
              <Time at={looked.from} />
              {one.until}
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
  const { counts } = one
  const judged = looked.judged?.map(({ side, installation }) => one.judgedOf(side, installation))
  return (
    <>
      <Section title={one.found}>
        <Facts
          facts={[
            [counts.lines, one.count(looked.leg.lookedAt)],
            [counts.matched, one.count(looked.leg.agreed)],
            ...DIFFERENCE_KINDS.map((kind) => [counts[kind], one.count(looked.counts[kind] ?? 0)] as const),
            judged !== undefined && [
              one.judged,
              judged.length === 0 ? one.judgedNothing : shown(judged.join(', ')),
            ],
          ]}
        />
      </Section>
      <Section title={one.differences}>
        {looked.differences.length === 0 ? (
          <p>{one.noDifferences}</p>
        ) : (
          <>
            <Table caption={one.differences} rows={looked.differences} columns={DIFFERENCES} />
            <p class="hint">{one.most}</p>
          </>
        )}
      </Section>
    </>
  )
}
