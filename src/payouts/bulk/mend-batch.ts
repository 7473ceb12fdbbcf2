import type { Caller } from '../../actors/actor.ts'
import type { App } from '../../app.ts'
import { draftOf } from './drafts/draft.ts'
import { linesOf } from './drafts/draft-lines.ts'
import { type BatchItem, getBatch, itemsOf } from './find-batches.ts'

/** A line to mend and send again: the cells of a bulk CSV, and the problem of the line. */
export type MendLine = { phone: string; amount: string; reference: string; name: string; problem: string }

const AGAIN = /-again(\d+)$/
const LONGEST_REFERENCE = 255

/**
 * Reads the lines of a call by which no recipient was paid, to be mended and sent again. A refused line keeps its reference, so that it is
 * not paid twice if it was paid meanwhile. The reference of a payout that failed later is spent, so its line gets the next one after it,
 * the same one at every call. Throws 404.
 */
export async function linesToMend(app: App, caller: Caller, id: string): Promise<MendLine[]> {
  await getBatch(app, caller, id)
  const items = await itemsOf(app, caller, id)
  const draft = await draftOf(app, caller.merchantId, id)
  const written = draft === null ? [] : await linesOf(draft)
  return items.flatMap((item) => {
    const problem = problemOf(item)
    if (problem === null) return []
    const line = item.phone === null ? (written[item.index]?.written ?? cellsOf(item)) : cellsOf(item)
    const { phone, amount, name } = line
    return [{ phone, amount, reference: referenceFor(item), name, problem }]
  })
}

function problemOf({ error, status, failureReason }: BatchItem): string | null {
  if (error !== null) return error
  return status === 'failed' ? `the payout failed: ${failureReason}` : null
}

const cellsOf = ({ phone, amount, name }: BatchItem) => ({
  phone: phone ?? '',
  amount: amount === null ? '' : String(amount),
  name: name ?? '',
})

function referenceFor({ reference, status }: BatchItem): string {
  if (status !== 'failed') return reference
  const [ending, number] = AGAIN.exec(reference) ?? ['', '0']
  const next = `-again${Number(number) + 1}`
  const stem = reference.slice(0, reference.length - ending.length)
  return `${stem.slice(0, LONGEST_REFERENCE - next.length)}${next}`
}
