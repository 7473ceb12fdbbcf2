import type { Installation } from '../installation.ts'
import { type Answered, answersTo, type Book, type KeyedRequest } from '../journal.ts'
import { type ChargeRow, GIVEN_TO_CARD } from './judge-charges.ts'
import type { PayoutRow } from './judge-payouts.ts'

type KeyRow = { key: string; object_id: string | null; status: number | null; body: string | null }
type ScheduleRow = { id: string; name: string }
/** What the requests created, by id, with the key or reference of each. */
type Made = { names: Map<string, string | null>; charges: Map<string, ChargeRow> }

const KEYS = 'select key, object_id, status, body from idempotency_keys'
const SCHEDULES = 'select id, name from schedules'

/** Requests that were acknowledged but left no object, are stored under their key with another answer, or were never answered. */
export async function lostOnes(
  installation: Installation,
  book: Book,
  { charges, payouts }: { charges: ChargeRow[]; payouts: PayoutRow[] },
): Promise<string[]> {
  const [keys, schedules] = await Promise.all([
    installation.sql<KeyRow>(KEYS),
    installation.sql<ScheduleRow>(SCHEDULES),
  ])
  const byKey = new Map(keys.map((row) => [row.key, row]))
  const made: Made = {
    names: new Map([
      ...charges.map(({ id, reference }) => [id, reference] as const),
      ...payouts.filter(({ voided }) => !voided).map(({ id, reference }) => [id, reference] as const),
      ...schedules.map(({ id, name }) => [id, name] as const),
    ]),
    charges: new Map(charges.map((charge) => [charge.id, charge])),
  }
  return [...book.requests.values()].flatMap((request) => {
    const answers = book.answers.get(request.key) ?? []
    if (answers.length === 0) return [`${request.key}: never answered`]
    return answers.flatMap((answer) => [
      ...(request.what === 'refund' || request.what === 'form' ? [] : notKept(answer, byKey.get(request.key))),
      ...notMade(request, answer, made),
    ])
  })
}

/** The first answer to a bulk call differs from a repeated one only in its `replayed` marks (contract.md G13e). */
const unmarked = (body: string) => body.replaceAll('"replayed":true', '"replayed":false')

function notKept({ key, status, body, replayed }: Answered, stored: KeyRow | undefined): string[] {
  const kept = stored?.status === status && stored.body !== null
  const same = replayed ? stored?.body === body : unmarked(stored?.body ?? '') === unmarked(body)
  if (kept && same) return []
  return [`${key}: answer ${status} (replayed: ${replayed}) ${body} is not stored, but ${JSON.stringify(stored)}`]
}

function notMade(request: KeyedRequest, { status, body }: Answered, { names, charges }: Made): string[] {
  const { key, what } = request
  if (what === 'refund') return notRefunded(request, { status, body }, charges)
  // Forms are judged by their links, and dispenses by their claims.
  if (status >= 300 || what === 'form' || what === 'dispense') return []
  const said = JSON.parse(body)
  if (what !== 'bulk') return names.get(said.id) === key ? [] : [`${key}: no ${what}`]
  return said.results.flatMap(({ ok, id, reference }: any) =>
    !ok || names.get(id) === reference ? [] : [`${key}: no payout of ${reference}`],
  )
}

const isAlreadyRefunded = (body: string) => JSON.parse(body).code === 'already_refunded'

/** A charge paid by a gift card is refunded at once (200), any other by a payout that has started (202). */
const hasStarted = (status: number) => status === 200 || status === 202

/** "Refunded" and "already refunded" both promise exactly one refund, by a payout or back to the gift card. */
function notRefunded(
  { key, path }: KeyedRequest,
  { status, body }: Pick<Answered, 'status' | 'body'>,
  charges: Map<string, ChargeRow>,
): string[] {
  const refundId = charges.get(path.split('/')[3] ?? '')?.refund_id ?? null
  if (hasStarted(status)) {
    const said = JSON.parse(body).refund?.id ?? GIVEN_TO_CARD
    return said === refundId ? [] : [`${key}: its refund is ${refundId}`]
  }
  if (isAlreadyRefunded(body)) return refundId === null ? [`${key}: refunded already, but there is no refund`] : []
  return []
}

/** Charges refunded with neither a jam nor an answer that says so, or with two answers that both say they started the refund. */
export function unexplainedRefunds(book: Book, charges: ChargeRow[]): string[] {
  const told = new Map<string, number[]>()
  for (const { status, body, request } of answersTo(book, 'refund')) {
    const id = request.path.split('/')[3] ?? ''
    if (hasStarted(status) || isAlreadyRefunded(body)) told.set(id, [...(told.get(id) ?? []), status])
  }
  return charges.flatMap(({ id, refund_id, jammed }) => {
    const statuses = told.get(id) ?? []
    const started = statuses.filter(hasStarted).length
    if (started > 1) return [`${id}: ${started} answers say that they started its refund`]
    return refund_id !== null && statuses.length === 0 && !jammed ? [`${id}: refunded unasked by ${refund_id}`] : []
  })
}
