import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState, Values } from '../../pages/form-spec.ts'
import { Facts, Said, Section, Status, Time } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { type Column, Table } from '../../pages/table.tsx'
import { shown } from '../../pages/wording.ts'
import { DIFFERENCE_KINDS } from '../../reconciliation/statement-differences.ts'
import {
  getUpload,
  type KeptLook,
  latestUploads,
  MOST_STATEMENT_BYTES,
  type UploadedStatement,
} from '../../reconciliation/uploaded-statements.ts'
import { RECONCILIATION } from '../texts/reconciliation.ts'
import type { ConsoleVisit } from '../visit.ts'
import { ReconciliationPages, RUNS } from './runs-page.tsx'

const { import: texts, one } = RECONCILIATION
export const IMPORT = `${RUNS}/import`

export const UPLOAD: FormSpec = {
  path: IMPORT,
  action: 'statement.import',
  fields: [
    { name: 'installation', label: texts.installation, kind: 'select', optional: true },
    { name: 'statement', label: texts.file, kind: 'file', accept: 'text/csv,.csv' },
  ],
  submit: texts.submit,
  mostFileBytes: MOST_STATEMENT_BYTES,
}
export const IMPORT_NOW: FormSpec = {
  ...{ path: `${IMPORT}/:id/import`, action: 'statement.import', fields: [], submit: one.import },
  danger: true,
}

const stateOf = ({ importedAt, isKept }: UploadedStatement) =>
  importedAt !== null ? (
    <Status word={texts.imported} tone="good" />
  ) : isKept ? (
    <Status word={texts.waiting} tone="open" />
  ) : (
    <Status word={texts.gone} />
  )

const UPLOADED: readonly Column<UploadedStatement>[] = [
  { title: texts.uploaded.name, cell: ({ name }) => shown(name) },
  { title: texts.uploaded.by, cell: ({ madeBy }) => <Said text={madeBy} /> },
  { title: texts.uploaded.at, cell: ({ madeAt }) => <Time at={madeAt} /> },
  { title: texts.uploaded.state, cell: stateOf },
]

/** Uploading a statement to look at it, and those that were uploaded last. */
export async function showImport(visit: ConsoleVisit, state: FormState | null = null): Promise<Shown> {
  const { gateway } = visit
  const known = gateway.rails.live.op1_momo?.installations ?? []
  const installation = [
    { value: '', label: texts.unknown },
    ...known.map(({ id }) => ({ value: id, label: id })),
  ]
  const uploads = await latestUploads(gateway)
  const [first] = known
  const only: Values = first !== undefined && known.length === 1 ? { installation: first.id } : {}
  return shownPage(
    texts.title,
    <>
      <h1>{texts.title}</h1>
      <ReconciliationPages visit={visit} at={IMPORT} />
      <p class="quiet">{texts.lead}</p>
      <FormBox of={UPLOAD} visit={visit} state={state} choices={{ installation }} values={only}>
        <p class="hint">{texts.columnsSay}</p>
      </FormBox>
      {uploads.length > 0 && (
        <Section title={texts.latest}>
          <Table
            caption={texts.latest}
            rows={uploads}
            columns={UPLOADED}
            href={({ id }) => visit.to(`${IMPORT}/${id}`)}
          />
        </Section>
      )}
    </>,
    { status: state?.status ?? 200 },
  )
}

type Difference = KeptLook['differences'][number]
const DIFFERENCES: readonly Column<Difference>[] = [
  { title: one.columns.kind, cell: ({ kind }) => one.counts[kind] },
  { title: one.columns.subject, cell: ({ subject }) => <code>{shown(subject)}</code> },
  { title: one.columns.details, cell: ({ details }) => <code>{shown(JSON.stringify(details))}</code> },
]

/** One uploaded statement: what it says against our books, and importing it. */
export async function showUpload(visit: ConsoleVisit, state: FormState | null = null): Promise<Shown> {
  const upload = await getUpload(visit.gateway, visit.params.id ?? '')
  const { looked, importedAt } = upload
  const { facts, counts } = one
  return shownPage(
    texts.title,
    <>
      <div class="top">
        <h1>{shown(upload.name)}</h1>
        {stateOf(upload)}
      </div>
      <ReconciliationPages visit={visit} at={`${IMPORT}/:id`} />
      <Section title={one.file}>
        <Facts
          facts={[
            [facts.installation, <Said text={upload.installation} />],
            [facts.by, <Said text={upload.madeBy} />],
            [facts.at, <Time at={upload.madeAt} />],
            [facts.period, <Time at={looked.from} />],
            [facts.until, <Time at={looked.to} />],
            [facts.digest, <code class="long">{upload.digest.toString('hex')}</code>],
            importedAt !== null && [facts.imported, <Time at={importedAt} />],
            importedAt !== null && [facts.importedBy, <Said text={upload.importedBy} />],
          ]}
        />
      </Section>
      <Section title={one.found}>
        <Facts
          facts={[
            [counts.lines, looked.leg.lookedAt],
            [counts.matched, looked.leg.agreed],
            ...DIFFERENCE_KINDS.map((kind) => [counts[kind], looked.counts[kind] ?? 0] as const),
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
      {importedAt === null && upload.isKept && (
        <FormBox of={IMPORT_NOW} visit={visit} state={state} params={{ id: upload.id }}>
          <p class="hint">
            {one.importSays} {texts.again}
          </p>
        </FormBox>
      )}
    </>,
    { status: state?.status ?? 200 },
  )
}
