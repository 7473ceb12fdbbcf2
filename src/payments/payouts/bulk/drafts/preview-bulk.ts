import type { PersonCaller } from '../../../../api/access/actor.ts'
import { allow } from '../../../../api/access/allow.ts'
import { lockHeads } from '../../../../ledger/book.ts'
import { payoutFee } from '../../../../ledger/fees.ts'
import { Refusal } from '../../../../platform/refusal.ts'
import type { App } from '../../../../program/app.ts'
import { lockGuards } from '../../desk/lock-desk.ts'
import { checkPayoutReadiness } from '../../payout-readiness.ts'
import { DEFAULT_PAYOUT_CHANNEL } from '../../payout-request.ts'
import type { BulkBatch } from '../bulk-batch.ts'
import { judgeBulkCall, toStoredItem } from '../bulk-payouts.ts'
import type { ItemResult } from '../bulk-results.ts'
import { openChunk, runItem } from '../run-item.ts'
import { type BulkDraft, getDraft } from './draft.ts'
import { type DraftLine, parseDraftLines } from './draft-lines.ts'

/** A line with the result that it would have. `sameAs`: an earlier line with the same phone and amount, which may be a mistake. */
export type PreviewLine = DraftLine & {
  result:
    | { kind: 'pays'; amount: number; fee: number }
    /** An earlier line has the same reference, phone and amount, so the two are paid once. */
    | { kind: 'repeats'; line: number }
    | { kind: 'paid before'; payoutId: string; at: Date | null }
    | { kind: 'refused'; error: string; code: string }
  sameAs: number | null
}

/** The results that a draft would have now. Whole UGX. `refusal`: why the whole call would be refused, or null. */
export type BulkPreview = {
  draft: BulkDraft
  lines: PreviewLine[]
  refusal: Refusal | null
  pays: { count: number; amount: number; fees: number }
  paidBefore: number
  refused: number
  available: number
}

/**
 * Previews a draft: its items run like those of a call, under the same locks and by the same rules, but nothing is written.
 * Throws 404.
 */
export async function previewBulk(app: App, caller: PersonCaller, id: string): Promise<BulkPreview> {
  allow(caller, 'bulk.draft')
  const draft = await getDraft(app, caller, id)
  const lines = await parseDraftLines(draft)
  const judged = await judgeLines(app, caller, { draft, lines })
  const previewLines = withTwins(lines, judged.results)
  const paying = previewLines.flatMap(({ result }) => (result.kind === 'pays' ? [result] : []))
  return {
    ...{ draft, lines: previewLines, refusal: judged.refusal, available: judged.available },
    pays: {
      count: paying.length,
      amount: paying.reduce((sum, { amount }) => sum + amount, 0),
      fees: paying.reduce((sum, { fee }) => sum + fee, 0),
    },
    paidBefore: previewLines.filter(({ result }) => result.kind === 'paid before' || result.kind === 'repeats').length,
    refused: previewLines.filter(({ result }) => result.kind === 'refused').length,
  }
}

type JudgedLines = { results: ItemResult[]; refusal: Refusal | null; available: number }

async function judgeLines(
  app: App,
  caller: PersonCaller,
  { draft, lines }: { draft: BulkDraft; lines: readonly DraftLine[] },
): Promise<JudgedLines> {
  const { merchantId, mode } = caller
  const at = app.clock.now()
  const items = lines.map(({ item }) => toStoredItem(item, draft.id))
  // Every stored call counts as earlier: this id and time sort after all of them.
  const batch: BulkBatch = {
    ...{
      merchantId,
      mode,
      id: 'zzzz',
      key: '',
      items,
      total: items.length,
      done: 0,
      accepted: 0,
      createdAt: at,
      limitedKey: null,
    },
  }
  const readiness = await checkPayoutReadiness(app, { mode, channel: DEFAULT_PAYOUT_CHANNEL })
  return app.db.transactionFor<JudgedLines>({ of: merchantId }, async (tx) => {
    const [terms, stops] = await tx.send(...lockGuards([caller]))
    const [heads] = await tx.send(lockHeads([caller]))
    const refusal = catchRefusal(() => judgeBulkCall(caller, { terms, stops, heads }))
    const available = heads[0]?.available ?? 0
    const chunk = await openChunk(app, tx, { batch, items, readiness, at, guards: { terms, stops } })
    const results = items.map((item, index) => runItem(app, chunk, { item, index }))
    return { value: { results, refusal, available } }
  })
}

function catchRefusal(judge: () => void): Refusal | null {
  try {
    judge()
    return null
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/** Adds to each line its result, and the first line that pays the same amount to the same phone. */
function withTwins(lines: readonly DraftLine[], results: readonly ItemResult[]): PreviewLine[] {
  const twins = new Map<string, number>()
  const references = new Map<string, number>()
  return lines.map((line, index) => {
    const { item } = line
    const result = presentResult(line, results[index] as ItemResult, references)
    if (!item.ok) return { ...line, result, sameAs: null }
    const twin = `${item.phone} ${item.amount}`
    const sameAs = twins.get(twin) ?? null
    if (sameAs === null) twins.set(twin, line.line)
    return { ...line, result, sameAs }
  })
}

function presentResult(
  { item, line }: DraftLine,
  result: ItemResult,
  references: Map<string, number>,
): PreviewLine['result'] {
  if ('error' in result) return { kind: 'refused', error: result.error, code: result.code }
  if (result.replayed) {
    const before = references.get(result.reference)
    // The reference is spent by an earlier line of this draft, whose payout does not exist yet.
    if (before !== undefined) return { kind: 'repeats', line: before }
    return { kind: 'paid before', payoutId: result.payoutId, at: result.firstAcceptedAt }
  }
  references.set(result.reference, line)
  const amount = item.ok ? item.amount : 0
  return { kind: 'pays', amount, fee: payoutFee(amount) }
}
