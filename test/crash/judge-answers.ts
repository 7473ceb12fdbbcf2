import type { Installation } from './installation.ts'
import { type Answered, answersTo, type Book, type KeyedRequest } from './journal.ts'
import { type ChargeRow, GIVEN_TO_CARD } from './judge-charges.ts'
import type { PayoutRow } from './judge-payouts.ts'

type KeyRow = { key: string; object_id: string | null; status: number | null; body: string | null }
type ScheduleRow = { id: string; name: string }
/** What the requests made, by id: under which key or reference. */
type Made = { names: Map<string, string | null>; charges: Map<string, ChargeRow> }

const KEYS = 'select key, object_id, status, body from idempotency_keys'
const SCHEDULES = 'select id, name from schedules'

/** Acknowledged and not there, not kept under its key as it was answered, or never answered at all. */
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
      ...(request.what === 'refund' || request.what === 'form'
        ? []
        : notKept(answer, byKey.get(request.key))),
      ...notMade(request, answer, made),
    ])
  })
}

/** The first answer to a bulk call differs from a repeat's only in its marks (contract.md G13e). */
const unmarked = (body: string) => body.replaceAll('"replayed":true', '"replayed":false')

function notKept({ key, status, body, replayed }: Answered, stored: KeyRow | undefined): string[] {
  const kept = stored?.status === status && stored.body !== null
  const same = replayed ? stored?.body === body : unmarked(stored?.body ?? '') === unmarked(body)
  return kept && same ? [] : [`${key}: answer ${status} is not stored`]
}

function notMade(request: KeyedRequest, { status, body }: Answered, { names, charges }: Made): string[] {
  const { key, what } = request
  if (what === 'refund') return notRefunded(request, { status, body }, charges)
  // What a form led to is judged by its link, and a dispense by its claims.
  if (status >= 300 || what === 'form' || what === 'dispense') return []
  const said = JSON.parse(body)
  if (what !== 'bulk') return names.get(said.id) === key ? [] : [`${key}: no ${what}`]
  return said.results.flatMap(({ ok, id, reference }: any) =>
    !ok || names.get(id) === reference ? [] : [`${key}: no payout of ${reference}`],
  )
}

const isAlreadyRefunded = (body: string) => JSON.parse(body).code === 'already_refunded'

/** What a gift card had paid is given back at once, all else by a payout that has started. */
const hasStarted = (status: number) => status === 200 || status === 202

/** "Refunded" and "already refunded" both promise the one payout that gives the charge back, or the card that has it back. */
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
  if (isAlreadyRefunded(body))
    return refundId === null ? [`${key}: refunded already, but there is no refund`] : []
  return []
}

/** Charges that were given back without anybody having been told so and without a jam, or more than once told to have just been. */
export function refundsNobodyHeardOf(book: Book, charges: ChargeRow[]): string[] {
  const told = new Map<string, number[]>()
  for (const { status, body, request } of answersTo(book, 'refund')) {
    const id = request.path.split('/')[3] ?? ''
    if (hasStarted(status) || isAlreadyRefunded(body)) told.set(id, [...(told.get(id) ?? []), status])
  }
  return charges.flatMap(({ id, refund_id, jammed }) => {
    const statuses = told.get(id) ?? []
    const started = statuses.filter(hasStarted).length
    if (started > 1) return [`${id}: ${started} answers say that they started its refund`]
    return refund_id !== null && statuses.length === 0 && !jammed
      ? [`${id}: refunded unasked by ${refund_id}`]
      : []
  })
}
