import type { Caller } from '../../../api/access/actor.ts'
import { metadataCell } from '../../../api/http/bodies/metadata.ts'
import type { App } from '../../../program/app.ts'
import type { WrittenCells } from './bulk-csv.ts'
import { findDraftOfObject } from './drafts/draft.ts'
import { parseDraftLines } from './drafts/draft-lines.ts'
import { type BulkCallItem, getBatch, readBatchItems } from './find-batches.ts'

/** A line to mend and send again: the cells of a bulk CSV, and the problem of the line. */
export type MendLine = WrittenCells & { problem: string }

const RETRY_SUFFIX = /-again(\d+)$/
const MAX_REFERENCE_CHARACTERS = 255

/**
 * Reads the lines of a call by which no recipient was paid, to be mended and sent again. A refused line keeps its reference, so that it is
 * not paid twice if it was paid meanwhile. The reference of a payout that failed later is spent, so its line gets the next one after it,
 * the same one at every call. Throws 404.
 */
export async function readLinesToMend(app: App, caller: Caller, id: string): Promise<MendLine[]> {
  await getBatch(app, caller, id)
  const items = await readBatchItems(app, caller, id)
  const draft = await findDraftOfObject(app, caller.merchantId, id)
  const written = draft === null ? [] : await parseDraftLines(draft)
  return items.flatMap((item) => {
    const problem = findProblem(item)
    if (problem === null) return []
    const line = item.phone === null ? (written[item.index]?.written ?? itemCells(item)) : itemCells(item)
    return [{ ...line, reference: nextReference(item), problem }]
  })
}

function findProblem({ error, status, failureReason }: BulkCallItem): string | null {
  if (error !== null) return error
  return status === 'failed' ? `the payout failed: ${failureReason}` : null
}

const itemCells = ({ phone, amount, name, metadata }: BulkCallItem) => ({
  phone: phone ?? '',
  amount: amount === null ? '' : String(amount),
  name: name ?? '',
  metadata: metadataCell(metadata) ?? '',
})

function nextReference({ reference, status }: BulkCallItem): string {
  if (status !== 'failed') return reference
  const [ending, number] = RETRY_SUFFIX.exec(reference) ?? ['', '0']
  const next = `-again${Number(number) + 1}`
  const stem = reference.slice(0, reference.length - ending.length)
  return `${stem.slice(0, MAX_REFERENCE_CHARACTERS - next.length)}${next}`
}
