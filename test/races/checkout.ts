import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Form,
  type FormAnswer,
  openForm,
  payment,
  type Shown,
  sendForm,
  voucher,
} from '../crash/forms.ts'
import type { Merchant } from '../crash/installation.ts'
import { type Fleet, newKey, postUntilJudged, webOf } from './fleet.ts'
import { DONE_WITHIN_MS } from './money.ts'

/** What the operator does with the requests for one phone, and what becomes of such a payment. */
export type PayerKind = 'pays' | 'refused' | 'not served'

const QUESTION_MS = 6000
let payers = 0

/** A phone that no other payment has, and whose operator behaves so. */
export function newPayer({ operator }: Fleet, kind: PayerKind = 'pays'): string {
  payers += 1
  const phone = `25678${String(process.pid % 1000).padStart(3, '0')}${String(payers).padStart(4, '0')}`
  if (kind === 'refused') operator.onSubmit({ answer: 'refuse' }, phone)
  if (kind === 'not served') operator.onSubmit({ answer: 'refuse to serve' }, phone)
  return phone
}

/** Sends a form until the process is not too busy to judge it. The same token makes all of these one form. */
export const send = (fleet: Fleet, nth: number, form: Form): Promise<FormAnswer> =>
  sendUntilJudged((again) => webOf(fleet, nth + again), form)

/** The same to an address for each try. */
export async function sendUntilJudged(urlOf: (again: number) => string, form: Form): Promise<FormAnswer> {
  for (let again = 0; ; again += 1) {
    const answer = await sendForm(urlOf(again), form)
    if (answer.status !== 503 || answer.retryAfter === null) return answer
    await sleep(10)
  }
}

export const pay = (fleet: Fleet, nth: number, ...form: Parameters<typeof payment>): Promise<FormAnswer> =>
  send(fleet, nth, payment(...form))

/** Opens the page of a link as each of these customers, before any of them pays. */
export const openForms = (fleet: Fleet, links: readonly string[], cookies: readonly string[] = []) =>
  Promise.all(links.map((link, nth) => openAt(fleet, nth, { link, cookie: cookies[nth] ?? '' })))

async function openAt(
  fleet: Fleet,
  nth: number,
  { link, cookie }: { link: string; cookie: string },
): Promise<Shown> {
  for (let again = 0; again < 20; again += 1) {
    const shown = await openForm(webOf(fleet, nth + again), link, { cookie })
    if (shown !== null) return shown
    await sleep(20)
  }
  throw new Error(`no form at ${link}`)
}

/** Applies a gift card; answers with the cookie to pay with, empty when the card cannot be used here. */
export async function applyCard(
  fleet: Fleet,
  nth: number,
  { link, code }: { link: string; code: string },
): Promise<string> {
  const answer = await send(fleet, nth, voucher(link, code))
  return answer.location === `/pay/${link}` ? answer.cookie : ''
}

type NewLink = { amount: number; allow_multiple_uses?: boolean }

/** Links of this merchant, made by its key of the mode. */
export function newLinks(
  fleet: Fleet,
  { merchant, mode }: { merchant: Merchant; mode: 'test' | 'live' },
  bodies: readonly NewLink[],
): Promise<string[]> {
  const makeOne = async (body: NewLink, nth: number): Promise<string> => {
    const request = { path: '/v1/payment-links', apiKey: merchant.keys[mode], key: newKey('link'), body }
    const reply = await postUntilJudged(fleet, webOf(fleet, nth), request)
    if (reply.status !== 201) throw new Error(`a link of the race was refused: ${reply.text}`)
    return JSON.parse(reply.text).id
  }
  return Promise.all(bodies.map(makeOne))
}

export type Card = { id: string; code: string }

export async function newCards(
  fleet: Fleet,
  merchant: Merchant,
  { value, quantity }: { value: number; quantity: number },
): Promise<Card[]> {
  const wanted = ['--value', String(value), '--quantity', String(quantity)]
  const made = await fleet.installation.command(['gift-cards', 'issue', merchant.handle, ...wanted])
  if (made.code !== 0) throw new Error(`gift-cards issue: ${made.stderr}`)
  return made.json.cards
}

/** A charge on a link, those that were taken back too. */
export type LinkCharge = {
  id: string
  link: string
  status: string
  amount: number
  card: number
  phone: string | null
  email: string | null
  voided: boolean
}

const ON_LINKS = `select c.id, c.payment_link_id as link, c.status, c.amount::int, c.gift_card_amount::int as card, c.phone,
    c.email, c.voided_at is not null as voided
  from charges c where c.payment_link_id = any($1) order by c.created_at, c.id`

export const chargesOn = ({ installation }: Fleet, links: readonly string[]) =>
  installation.sql<LinkCharge>(ON_LINKS, [links])

export const isOpenOrPaid = ({ status, voided }: LinkCharge) => !voided && status !== 'failed'

/** Lets the operator be asked until no payment on these links is open. */
export async function allDecided(fleet: Fleet, links: readonly string[]): Promise<void> {
  const giveUpAt = performance.now() + DONE_WITHIN_MS
  for (let look = 0; ; look += 1) {
    const open = (await chargesOn(fleet, links)).filter(
      ({ status, voided }) => !voided && (status === 'pending' || status === 'authorized'),
    )
    if (open.length === 0) return
    if (performance.now() > giveUpAt) throw new Error(`still open after 20 s: ${JSON.stringify(open[0])}`)
    if (look % 5 === 0) fleet.installation.advance(QUESTION_MS)
    await sleep(30)
  }
}

/** How many answers there were of each status, for the table. */
export function countAnswers(answers: readonly FormAnswer[]): string {
  const counts = new Map<number, number>()
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${count} x ${status}`)
    .join(', ')
}

/** Answers that no race excuses. */
export function strangeAnswers(answers: readonly FormAnswer[], expected: readonly number[]): string[] {
  const strange = answers.filter(({ status }) => !expected.includes(status))
  return strange.length === 0 ? [] : [`unexpected: ${countAnswers(strange)}`]
}

/** How often the operator was asked to collect for these charges. */
export function promptsFor({ operator }: Fleet, charges: readonly LinkCharge[]): number {
  const ids = new Set(charges.map(({ id }) => id))
  return [...operator.book.values()].filter((entry) => ids.has(entry.external_id)).length
}
