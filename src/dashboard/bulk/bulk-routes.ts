import type { Values } from '../../pages/form-spec.ts'
import { onceOf } from '../../pages/route.ts'
import { doneTo, type Shown } from '../../pages/shown.ts'
import { draftBulk } from '../../payouts/bulk/drafts/draft-bulk.ts'
import { namesOfDraft } from '../../payouts/bulk/drafts/names-of-draft.ts'
import { sendDraft } from '../../payouts/bulk/drafts/send-draft.ts'
import { linesToMend, type MendLine } from '../../payouts/bulk/mend-batch.ts'
import { CSV_START, csvLines } from '../../platform/csv-text.ts'
import { pathOf } from '../payouts/prepared-page.tsx'
import { BULK } from '../texts/bulk.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'
import { showBatch } from './batch-page.tsx'
import { PASTE, showBulk, UPLOAD } from './bulk-list.tsx'
import { NAMES } from './draft-lines.tsx'
import { firstInView, PREPARE, SEND, showDraft } from './draft-page.tsx'

const COLUMNS = ['phone', 'amount', 'reference', 'name', 'problem'] as const satisfies (keyof MendLine)[]

const sends = {
  async submit(visit: DashboardVisit, { note = '' }: Values): Promise<Shown> {
    const { app, caller, requestId, params } = visit
    const { key } = onceOf(visit)
    const input = { id: params.id ?? '', key, requestId, note: note === '' ? null : note }
    const objectId = await sendDraft(app, caller, input)
    return doneTo(
      visit.to(pathOf(objectId)),
      objectId.startsWith('prep_') ? BULK.draft.prepared : BULK.draft.sent,
    )
  },
  again: (visit: DashboardVisit, state: Parameters<typeof showDraft>[1]) => showDraft(visit, state),
}

async function downloadMend(visit: DashboardVisit): Promise<Shown> {
  const id = visit.params.id ?? ''
  const lines = await linesToMend(visit.app, visit.caller, id)
  const rows = lines.map((line) => COLUMNS.map((column) => line[column]))
  const body = Buffer.from(`${CSV_START}${csvLines([COLUMNS, ...rows])}`)
  return { kind: 'file', name: `mend-${id}.csv`, type: 'text/csv; charset=utf-8', body }
}

/** Bulk calls: upload or paste, preview, send, follow, mend. */
export const BULK_ROUTES: readonly DashboardRoute[] = [
  page('/bulk', (visit) => showBulk(visit), 'payouts.read'),
  page('/bulk/drafts/:id', (visit) => showDraft(visit), 'bulk.draft'),
  page('/bulk/:id', (visit) => showBatch(visit), 'payouts.read'),
  page('/bulk/:id/mend', downloadMend, 'payouts.read'),
  form(UPLOAD, {
    async submit(visit) {
      const { file } = visit
      const bytes = file?.bytes ?? Buffer.alloc(0)
      const id = await draftBulk(visit.app, visit.caller, { name: file?.name ?? '', bytes })
      return doneTo(visit.to(`/bulk/drafts/${id}`))
    },
    again: showBulk,
  }),
  form(PASTE, {
    async submit(visit, { lines = '' }) {
      const id = await draftBulk(visit.app, visit.caller, { pasted: lines })
      return doneTo(visit.to(`/bulk/drafts/${id}`))
    },
    again: showBulk,
  }),
  form(NAMES, {
    async submit(visit, { from = '1' }) {
      const atLine = { ...visit, query: { from } }
      const lines = { id: visit.params.id ?? '', from: firstInView(atLine) }
      return showDraft(atLine, null, await namesOfDraft(visit.app, visit.caller, lines))
    },
    again: (visit, state) => showDraft(visit, state),
  }),
  form(SEND, sends),
  form(PREPARE, sends),
]
