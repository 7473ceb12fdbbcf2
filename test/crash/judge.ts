import { lastNine, readPhone } from '../../src/platform/phone.ts'
import { serviceSignature } from '../../src/webhooks/signature.ts'
import type { Operator } from '../fakes/operator.ts'
import { FAILING_PHONES } from './clients.ts'
import type { Installation, Merchant } from './installation.ts'
import { type Book, readJournal } from './journal.ts'

/** What the comparison of all books found. Every list must be empty; each entry names its key or id. */
export type Findings = {
  lost: string[]
  doubled: string[]
  falselyFailed: string[]
  /** Ended otherwise than it had to, or not at all. */
  wrongEnd: string[]
  eventsLost: string[]
  /** Received by a merchant that it does not belong to, with a wrong signature or with other bytes than were stored. */
  wrongDeliveries: string[]
}
/** No fault: at-least-once delivery is allowed to repeat. */
export type Judgement = { findings: Findings; duplicateSends: number; mostMovementsOfOneReference: number }

type Row = {
  id: string
  handle: string
  mode: 'test' | 'live'
  status: string
  reference: string
  phone: string
  net: number
  rail_reference: string
  credits: number
  credited: number
}
type KeyRow = { key: string; object_id: string | null; status: number | null; body: string | null }
type EventRow = { id: string; handle: string; subject: string; type: string; body: string }

const CHARGES = `select c.id, m.handle, c.mode, c.status, c.reference, c.phone, c.rail_reference,
    (c.amount - c.gift_card_amount - c.fee)::float8 as net, count(t.subject)::int as credits,
    coalesce(sum(t.amount), 0)::float8 as credited
  from charges c join merchants m on m.id = c.merchant_id
  left join transfers t on t.merchant_id = c.merchant_id and t.subject = c.id and t.kind = 'charge_net'
  where c.voided_at is null group by c.merchant_id, c.id, m.handle`
const KEYS = 'select key, object_id, status, body from idempotency_keys'
const EVENTS = `select e.id, m.handle, e.subject, e.type, e.body
  from events e join merchants m on m.id = e.merchant_id where e.type like 'charge.%'`

/** Compares the clients' book, the receivers' books and the operator's book with the database. */
export async function judge(
  installation: Installation,
  books: { journalPath: string; operator?: Operator },
): Promise<Judgement> {
  const book = readJournal(books.journalPath)
  const [charges, keys, events] = await Promise.all([
    installation.sql<Row>(CHARGES),
    installation.sql<KeyRow>(KEYS),
    installation.sql<EventRow>(EVENTS),
  ])
  const merchants = new Map(installation.merchants.map((merchant) => [merchant.handle, merchant]))
  const delivered = judgeDeliveries(merchants, events)
  return {
    findings: {
      lost: lostOnes(book, charges, keys),
      doubled: [...doubledOnes(book, charges), ...doubledAtOperator(books.operator)],
      falselyFailed: charges.filter((charge) => isFalselyFailed(charge, books.operator)).map(describe),
      wrongEnd: charges.filter((charge) => endsWrongly(charge, books.operator)).map(describe),
      eventsLost: [...withoutEvent(charges, events), ...delivered.lost],
      wrongDeliveries: delivered.wrong,
    },
    duplicateSends: delivered.duplicates,
    mostMovementsOfOneReference: Math.max(0, ...(books.operator?.movements().values() ?? [])),
  }
}

const describe = (charge: Row) => `${charge.reference} ${charge.id} ${charge.mode} ${charge.status}`

/** Acknowledged with 2xx, and the charge is not there, or its key does not answer with the same bytes. */
function lostOnes(book: Book, charges: Row[], keys: KeyRow[]): string[] {
  const byId = new Map(charges.map((charge) => [charge.id, charge]))
  const byKey = new Map(keys.map((row) => [row.key, row]))
  const lost: string[] = []
  for (const [key, answers] of book.answers)
    for (const { status, body } of answers) {
      const stored = byKey.get(key)
      if (stored?.status !== status || stored.body !== body)
        lost.push(`${key}: answer ${status} is not stored`)
      if (status < 300 && byId.get(JSON.parse(body).id)?.reference !== key) lost.push(`${key}: no charge`)
    }
  for (const key of book.requests.keys()) if (!book.answers.has(key)) lost.push(`${key}: never answered`)
  return lost
}

/** Each key has exactly the charge that its answer shows, and there is no charge that nobody asked for. */
function doubledOnes(book: Book, charges: Row[]): string[] {
  const made = new Map<string, string[]>()
  for (const { reference, id } of charges) made.set(reference, [...(made.get(reference) ?? []), id])
  return [...made].flatMap(([reference, ids]) => {
    const answers = book.answers.get(reference) ?? []
    const wanted = answers.some(({ status }) => status < 300) ? 1 : 0
    return ids.length > wanted ? [`${reference}: ${ids.length} charges, ${wanted} acknowledged`] : []
  })
}

const doubledAtOperator = (operator: Operator | undefined) =>
  [...(operator?.movements() ?? [])]
    .filter(([, movements]) => movements > 1)
    .map(([reference, movements]) => `${reference}: ${movements} movements at the operator`)

const FAILS = new Set(FAILING_PHONES.map((phone) => lastNine(readPhone(phone) as string)))

function mustEnd(charge: Row, operator: Operator | undefined): 'succeeded' | 'failed' | 'authorized' {
  // What the operator never heard of ends by nothing but the operator's own word.
  if (charge.mode === 'live')
    return operator?.movements().has(charge.rail_reference) ? 'succeeded' : 'authorized'
  return FAILS.has(lastNine(charge.phone)) ? 'failed' : 'succeeded'
}

const isFalselyFailed = (charge: Row, operator: Operator | undefined) =>
  charge.status === 'failed' && mustEnd(charge, operator) !== 'failed'

function endsWrongly(charge: Row, operator: Operator | undefined): boolean {
  if (charge.status !== mustEnd(charge, operator)) return true
  const credits = charge.status === 'succeeded' ? 1 : 0
  return charge.credits !== credits || charge.credited !== credits * charge.net
}

function withoutEvent(charges: Row[], events: EventRow[]): string[] {
  const told = new Map<string, string[]>()
  for (const { subject, type } of events) told.set(subject, [...(told.get(subject) ?? []), type])
  return charges.flatMap(({ id, status }) => {
    const wanted = status === 'succeeded' || status === 'failed' ? `charge.${status}` : ''
    const types = (told.get(id) ?? []).join()
    return types === wanted ? [] : [`${id}: events "${types}", due "${wanted}"`]
  })
}

function judgeDeliveries(merchants: Map<string, Merchant>, events: EventRow[]) {
  const byId = new Map(events.map((event) => [event.id, event]))
  const received = new Map<string, number>()
  const wrong: string[] = []
  for (const merchant of merchants.values())
    for (const { body, headers } of merchant.receiver.received) {
      const event = byId.get(JSON.parse(body).id)
      const signature = serviceSignature(merchant.webhookSecret, Buffer.from(body))
      if (event?.handle !== merchant.handle) wrong.push(`${merchant.handle} received ${body}`)
      else if (event.body !== body) wrong.push(`${event.id}: other bytes than stored`)
      else if (headers['x-service-signature'] !== signature) wrong.push(`${event.id}: wrong signature`)
      else received.set(event.id, (received.get(event.id) ?? 0) + 1)
    }
  const lost = events.filter(({ id, handle }) => merchants.has(handle) && !received.has(id))
  const sends = [...received.values()].reduce((sum, times) => sum + times, 0)
  return { wrong, lost: lost.map(({ id }) => `${id}: never received`), duplicates: sends - received.size }
}
