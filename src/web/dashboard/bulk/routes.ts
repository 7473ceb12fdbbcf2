import { chooseColumns } from '../../../payments/payouts/bulk/drafts/choose-columns.ts'
import { draftBulk } from '../../../payments/payouts/bulk/drafts/draft-bulk.ts'
import { lookUpDraftHolders } from '../../../payments/payouts/bulk/drafts/look-up-draft-holders.ts'
import { sendDraft } from '../../../payments/payouts/bulk/drafts/send-draft.ts'
import { type MendLine, readLinesToMend } from '../../../payments/payouts/bulk/mend-batch.ts'
import { WORKBOOK_TYPE, writeWorkbook } from '../../../platform/spreadsheets/write-workbook.ts'
import { CSV_BOM, formatCsvLines } from '../../../platform/text/csv-text.ts'
import type { FormValues } from '../../parts/forms/form-spec.ts'
import { formRoute, getOnce, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { getObjectPath } from '../object-link.tsx'
import { BULK } from '../texts/bulk.ts'
import type { DashboardRoute, DashboardVisit } from '../visit.ts'
import { showBatch } from './batch-page.tsx'
import { PASTE_BULK, showBulk, UPLOAD_BULK } from './bulk-list.tsx'
import { CHOOSE_COLUMNS, parseColumns, showColumns } from './columns-page.tsx'
import { LOOK_UP_DRAFT_WALLETS } from './draft-lines.tsx'
import { PREPARE_DRAFT, parseFirstLine, SEND_DRAFT, showDraft } from './draft-page.tsx'

const MEND_COLUMNS = ['phone', 'amount', 'reference', 'name', 'problem'] as const satisfies (keyof MendLine)[]

const sendHandlers = {
  async submit(visit: DashboardVisit, { note = '', reading = '' }: FormValues): Promise<SurfaceReply> {
    const { app, caller, requestId, params } = visit
    const { key } = getOnce(visit)
    const input = { id: params.id ?? '', key, requestId, note: note === '' ? null : note, reading }
    const objectId = await sendDraft(app, caller, input)
    return redirectDone(
      visit.to(getObjectPath(objectId)),
      objectId.startsWith('prep_') ? BULK.draft.prepared : BULK.draft.sent,
    )
  },
  showRefused: (visit: DashboardVisit, state: Parameters<typeof showDraft>[1]) => showDraft(visit, state),
}

async function downloadLinesToMend(visit: DashboardVisit): Promise<SurfaceReply> {
  const id = visit.params.id ?? ''
  const lines = await readLinesToMend(visit.app, visit.caller, id)
  const columns = lines.some(({ metadata }) => metadata !== '')
    ? ([...MEND_COLUMNS, 'metadata'] as const)
    : MEND_COLUMNS
  const rows = lines.map((line) => columns.map((column) => line[column]))
  const body = Buffer.from(`${CSV_BOM}${formatCsvLines([columns, ...rows])}`)
  return { kind: 'file', name: `mend-${id}.csv`, type: 'text/csv; charset=utf-8', body }
}

const { sheet, ...HEADINGS } = BULK.template
const TEMPLATE_WIDTH = 22
// Excel keeps the zeros of phones and references in cells that are text before something is typed there.
const TEMPLATE_ROWS = Array.from({ length: 1000 }, () => Object.keys(HEADINGS).map(() => 'blank' as const))

async function downloadTemplateCsv(): Promise<SurfaceReply> {
  const body = Buffer.from(`${CSV_BOM}${formatCsvLines([Object.values(HEADINGS)])}`)
  return { kind: 'file', name: 'payouts.csv', type: 'text/csv; charset=utf-8', body }
}

async function downloadTemplateWorkbook(): Promise<SurfaceReply> {
  const columns = Object.entries(HEADINGS).map(([use, title]) => ({
    ...{ title, width: TEMPLATE_WIDTH },
    kind: use === 'amount' ? ('money' as const) : ('text' as const),
  }))
  const pieces: Uint8Array[] = []
  for await (const piece of writeWorkbook({ name: sheet, columns }, TEMPLATE_ROWS)) pieces.push(piece)
  const body = Buffer.concat(pieces)
  return { kind: 'file', name: 'payouts.xlsx', type: WORKBOOK_TYPE, body }
}

/** Bulk calls: upload or paste, preview, send, follow, mend. */
export const BULK_ROUTES: readonly DashboardRoute[] = [
  pageRoute('/bulk', showBulk, 'payouts.read'),
  pageRoute('/bulk/template.csv', downloadTemplateCsv, 'bulk.draft'),
  pageRoute('/bulk/template.xlsx', downloadTemplateWorkbook, 'bulk.draft'),
  pageRoute('/bulk/drafts/:id', showDraft, 'bulk.draft'),
  pageRoute('/bulk/drafts/:id/columns', showColumns, 'bulk.draft'),
  formRoute(CHOOSE_COLUMNS, {
    async submit(visit, values) {
      const said = parseColumns(visit, values)
      await chooseColumns(visit.app, visit.caller, said)
      return redirectDone(visit.to(`/bulk/drafts/${said.id}`))
    },
    showRefused: showColumns,
  }),
  pageRoute('/bulk/:id', showBatch, 'payouts.read'),
  pageRoute('/bulk/:id/mend', downloadLinesToMend, 'payouts.read'),
  formRoute(UPLOAD_BULK, {
    async submit(visit) {
      const { file } = visit
      const bytes = file?.bytes ?? Buffer.alloc(0)
      const id = await draftBulk(visit.app, visit.caller, { name: file?.name ?? '', bytes })
      return redirectDone(visit.to(`/bulk/drafts/${id}`))
    },
    showRefused: showBulk,
  }),
  formRoute(PASTE_BULK, {
    async submit(visit, { lines = '' }) {
      const id = await draftBulk(visit.app, visit.caller, { pasted: lines })
      return redirectDone(visit.to(`/bulk/drafts/${id}`))
    },
    showRefused: showBulk,
  }),
  formRoute(LOOK_UP_DRAFT_WALLETS, {
    async submit(visit, { from = '1' }) {
      const atLine = { ...visit, query: { from } }
      const lines = { id: visit.params.id ?? '', from: parseFirstLine(atLine) }
      return showDraft(atLine, null, await lookUpDraftHolders(visit.app, visit.caller, lines))
    },
    showRefused: (visit, state) => showDraft(visit, state),
  }),
  formRoute(SEND_DRAFT, sendHandlers),
  formRoute(PREPARE_DRAFT, sendHandlers),
]
