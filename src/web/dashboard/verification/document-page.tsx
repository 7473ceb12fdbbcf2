import { addDocument, removeDocument } from '../../../merchants/verification/change-documents.ts'
import type { Document, DocumentKind } from '../../../merchants/verification/documents.ts'
import { readVerification } from '../../../merchants/verification/read-application.ts'
import { assert } from '../../../platform/assert.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormState, FormValues } from '../../parts/forms/form-spec.ts'
import { Empty, Note, Section } from '../../parts/parts.tsx'
import { pageReply, redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { VERIFICATION } from '../texts/verification.ts'
import type { DashboardVisit } from '../visit.ts'
import { ADD_DOCUMENT, REMOVE_DOCUMENT } from './step-specs.ts'
import { liveCaller, mayEdit, StepList, StepNote } from './wizard.tsx'

const { documents: texts } = VERIFICATION
const DOCUMENTS_PATH = '/verification/documents'

const COLUMNS: readonly ListColumn<Document>[] = [
  column.text(texts.columns.name, ({ name }) => name),
  { title: texts.columns.kind, cell: ({ kind }) => texts.kinds[kind] },
  { title: texts.columns.size, cell: ({ bytes }) => texts.size(bytes), figures: true },
  column.time(texts.columns.when, ({ addedAt }) => addedAt),
]

/** The documents as their merchant sees them: what was uploaded and when, never the files themselves. */
export function DocumentTable({
  visit,
  documents,
  mayRemove,
}: {
  visit: DashboardVisit
  documents: readonly Document[]
  mayRemove: boolean
}) {
  const removeColumn: ListColumn<Document> = {
    title: texts.columns.acts,
    cell: ({ id }) => <FormBox of={REMOVE_DOCUMENT} visit={visit} params={{ id }} compact />,
  }
  return <Table caption={texts.list} rows={documents} columns={mayRemove ? [...COLUMNS, removeColumn] : COLUMNS} />
}

/** Lists the documents, with the form that adds one. */
export async function showDocuments(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const verification = await readVerification(visit.app, visit.merchant.id)
  if (!mayEdit(visit, verification) && state === null) return redirectDone(visit.to('/verification'))
  return pageReply(
    VERIFICATION.steps.documents,
    <>
      <h1>{VERIFICATION.steps.documents}</h1>
      <StepList visit={visit} of={verification} here="documents" />
      <StepNote of={verification} step="documents" />
      {state?.path === REMOVE_DOCUMENT.path && <Note tone="bad">{state.fault}</Note>}
      <p>{texts.lead}</p>
      <p>{texts.needed}</p>
      {verification.documents.length === 0 ? (
        <Empty title={texts.none} />
      ) : (
        <DocumentTable visit={visit} documents={verification.documents} mayRemove />
      )}
      <Section title={texts.add} id="add">
        <FormBox of={ADD_DOCUMENT} visit={visit} state={state} />
      </Section>
    </>,
    { status: state?.status ?? 200, scripts: ['photos.js'] },
  )
}

export async function uploadDocument(visit: DashboardVisit, { kind }: FormValues): Promise<SurfaceReply> {
  const { file } = visit
  assert(file !== null, 'the form wants a file')
  // The form accepts only its choices, which are the kinds.
  await addDocument(visit.app, liveCaller(visit), { kind: kind as DocumentKind, file })
  return redirectDone(visit.to(DOCUMENTS_PATH), texts.added)
}

export async function dropDocument(visit: DashboardVisit): Promise<SurfaceReply> {
  await removeDocument(visit.app, liveCaller(visit), visit.params.id ?? '')
  return redirectDone(visit.to(DOCUMENTS_PATH), texts.removed)
}
