import { mayDo } from '../../../api/access/allow.ts'
import { parseListWindow } from '../../../api/http/lists/lists.ts'
import { type BulkDraft, listUnsentDrafts } from '../../../payments/payouts/bulk/drafts/draft.ts'
import { type BulkCallSummary, listBatches } from '../../../payments/payouts/bulk/find-batches.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Empty, Section, Status } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { buildPageQuery, cursorsOf, type ListColumn, Pager, Table } from '../../parts/table.tsx'
import { BULK } from '../texts/bulk.ts'
import type { DashboardVisit } from '../visit.ts'

const { list: columns, drafts } = BULK
const MAX_FILE_BYTES = 2 * 1024 * 1024
// A thousand lines of phone, amount, reference and name.
const MAX_PASTED_CHARACTERS = 150_000

export const UPLOAD_BULK: FormSpec = {
  path: '/bulk/upload',
  action: 'bulk.draft',
  fields: [
    {
      name: 'file',
      label: BULK.upload.file,
      kind: 'file',
      hint: BULK.upload.hint,
      accept: '.xlsx,.csv,.txt,.tsv,text/csv,text/plain',
      about: ['lines'],
    },
  ],
  submit: BULK.upload.submit,
  maxFileBytes: MAX_FILE_BYTES,
}
export const PASTE_BULK: FormSpec = {
  path: '/bulk/paste',
  action: 'bulk.draft',
  fields: [
    {
      name: 'lines',
      label: BULK.paste.lines,
      kind: 'lines',
      hint: BULK.paste.hint,
      placeholder: BULK.paste.example,
      rows: 8,
      maxLength: MAX_PASTED_CHARACTERS,
    },
  ],
  submit: BULK.paste.submit,
}

const COLUMNS: readonly ListColumn<BulkCallSummary>[] = [
  { title: columns.lines, cell: ({ total }) => columns.recipients(total), at: 'who' },
  { title: columns.accepted, cell: ({ accepted }) => accepted, figures: true },
  { title: columns.refused, cell: ({ done, accepted }) => done - accepted, figures: true },
  {
    title: columns.status,
    cell: ({ done, total }) =>
      done < total ? <Status word={BULK.running} tone="open" /> : <Status word={BULK.complete} tone="good" />,
    at: 'state',
  },
  column.when(columns.created, ({ createdAt }) => createdAt),
  column.id(),
]
const DRAFT_COLUMNS: readonly ListColumn<Omit<BulkDraft, 'csv'>>[] = [
  column.text(drafts.columns.name, ({ name }) => name),
  { title: drafts.columns.lines, cell: ({ lines }) => lines, figures: true },
  column.text(drafts.columns.by, ({ madeName }) => madeName),
  column.time(drafts.columns.created, ({ createdAt }) => createdAt),
  column.time(drafts.columns.expires, ({ expiresAt }) => expiresAt),
]

/** Lists the bulk calls of a merchant and the drafts that are not sent yet, with the forms that start one. */
export async function showBulk(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, caller, query } = visit
  const window = { ...parseListWindow(buildPageQuery(query)), endingBefore: query.before ?? null }
  const [batches, drafted] = await Promise.all([listBatches(app, caller, window), listUnsentDrafts(app, caller)])
  const here = visit.to('/bulk')
  return pageReply(
    BULK.title,
    <>
      <h1>{BULK.title}</h1>
      <p>{BULK.lead}</p>
      {mayDo(caller, 'bulk.draft') && (
        <div class="split">
          <Section title={BULK.upload.title}>
            <FormBox of={UPLOAD_BULK} visit={visit} state={state} />
            <p class="hint">
              {BULK.upload.template} <a href={visit.to('/bulk/template.xlsx')}>{BULK.upload.excel}</a>,{' '}
              <a href={visit.to('/bulk/template.csv')}>{BULK.upload.csv}</a>
            </p>
          </Section>
          <Section title={BULK.paste.title}>
            <FormBox of={PASTE_BULK} visit={visit} state={state} />
          </Section>
        </div>
      )}
      {drafted.length > 0 && (
        <Section title={drafts.title}>
          <Table
            caption={drafts.title}
            rows={drafted}
            columns={DRAFT_COLUMNS}
            {...(mayDo(visit.caller, 'bulk.draft')
              ? { href: ({ id }: Pick<BulkDraft, 'id'>) => visit.to(`/bulk/drafts/${id}`) }
              : {})}
          />
        </Section>
      )}
      {batches.data.length === 0 ? (
        <Empty title={BULK.empty.title}>
          <p>{BULK.empty.says}</p>
        </Empty>
      ) : (
        <Table caption={BULK.title} rows={batches.data} columns={COLUMNS} href={({ id }) => visit.to(`/bulk/${id}`)} />
      )}
      <Pager cursors={cursorsOf(batches)} query={query} here={here} />
    </>,
    { status: state?.status ?? 200 },
  )
}
