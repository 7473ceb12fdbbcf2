import { computeStatementState } from '../../../operations/reconciliation/statements/statement-state.ts'
import {
  listUploads,
  MAX_STATEMENT_BYTES,
  type UploadedStatement,
} from '../../../operations/reconciliation/statements/uploaded-statements.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { liveInstallations } from '../../../rails/live-rails.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState, FormValues } from '../../parts/forms/form-spec.ts'
import { OutsideText, Section, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { RECONCILIATION } from '../texts/reconciliation.ts'
import type { ConsoleVisit } from '../visit.ts'
import { ReconciliationTabs } from './runs-page.tsx'
import { IMPORT_PATH, StatementStatus } from './upload-page.tsx'

const { import: texts } = RECONCILIATION
export const UPLOAD_STATEMENT_FORM: FormSpec = {
  path: IMPORT_PATH,
  action: 'statement.import',
  fields: [
    { name: 'installation', label: texts.installation, kind: 'select', optional: true },
    { name: 'statement', label: texts.file, kind: 'file', accept: 'text/csv,.csv' },
  ],
  submit: texts.submit,
  maxFileBytes: MAX_STATEMENT_BYTES,
}
const UPLOAD_COLUMNS: readonly ListColumn<UploadedStatement>[] = [
  { title: texts.uploaded.name, cell: ({ name }) => oneLine(name) },
  { title: texts.uploaded.by, cell: ({ madeBy }) => <OutsideText text={madeBy} /> },
  { title: texts.uploaded.at, cell: ({ madeAt }) => <Time at={madeAt} /> },
  {
    title: texts.uploaded.state,
    cell: (upload) => <StatementStatus state={computeStatementState(upload)} />,
  },
]

/** Shows the form that uploads a statement for inspection, and the latest uploads. */
export async function showImport(visit: ConsoleVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { gateway } = visit
  const known = liveInstallations(gateway)
  const installation = [{ value: '', label: texts.unknown }, ...known.map(({ id }) => ({ value: id, label: id }))]
  const uploads = await listUploads(gateway)
  const [first] = known
  const only: FormValues = first !== undefined && known.length === 1 ? { installation: first.id } : {}
  return pageReply(
    texts.title,
    <>
      <h1>{texts.title}</h1>
      <ReconciliationTabs visit={visit} at={IMPORT_PATH} />
      <p class="quiet">{texts.lead}</p>
      <FormBox of={UPLOAD_STATEMENT_FORM} visit={visit} state={state} choices={{ installation }} values={only}>
        <p class="hint">{texts.columnsSay}</p>
      </FormBox>
      {uploads.length > 0 && (
        <Section title={texts.latest}>
          <Table
            caption={texts.latest}
            rows={uploads}
            columns={UPLOAD_COLUMNS}
            href={({ id }) => visit.to(`${IMPORT_PATH}/${id}`)}
          />
        </Section>
      )}
    </>,
    { status: state?.status ?? 200 },
  )
}
