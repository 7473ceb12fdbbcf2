import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState, Values } from '../../pages/form-spec.ts'
import { Said, Section, Time } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { type Column, Table } from '../../pages/table.tsx'
import { shown } from '../../pages/wording.ts'
import { stateOfStatement } from '../../reconciliation/statement-state.ts'
import {
  latestUploads,
  MOST_STATEMENT_BYTES,
  type UploadedStatement,
} from '../../reconciliation/uploaded-statements.ts'
import { RECONCILIATION } from '../texts/reconciliation.ts'
import type { ConsoleVisit } from '../visit.ts'
import { ReconciliationPages } from './runs-page.tsx'
import { IMPORT, StateOf } from './upload-page.tsx'

const { import: texts } = RECONCILIATION
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
const UPLOADED: readonly Column<UploadedStatement>[] = [
  { title: texts.uploaded.name, cell: ({ name }) => shown(name) },
  { title: texts.uploaded.by, cell: ({ madeBy }) => <Said text={madeBy} /> },
  { title: texts.uploaded.at, cell: ({ madeAt }) => <Time at={madeAt} /> },
  { title: texts.uploaded.state, cell: (upload) => <StateOf state={stateOfStatement(upload)} /> },
]

/** Shows the form that uploads a statement for inspection, and the latest uploads. */
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
