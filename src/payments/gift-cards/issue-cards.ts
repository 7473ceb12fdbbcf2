import { type Actor, actorName } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { findCommand, storeOrFindCommand } from '../../merchants/account/command-keys.ts'
import { readMailOwners } from '../../merchants/account/mail-owners.ts'
import { type Merchant, merchantInactive } from '../../merchants/account/merchant.ts'
import { addMail } from '../../merchants/mails/mail.ts'
import { assert } from '../../platform/assert.ts'
import { textColumn } from '../../platform/db/columns.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { onUniqueViolation } from '../../platform/db/unique-violation.ts'
import { domainRefusal, invalidRequest } from '../../platform/refusal.ts'
import { newId } from '../../platform/text/ids.ts'
import { hasForbiddenControl } from '../../platform/text/text.ts'
import { kampalaIso } from '../../platform/time/kampala.ts'
import { parseIsoTime } from '../../platform/time/times.ts'
import type { App } from '../../program/app.ts'
import { hashCardCode, newCardCode, parseCardCode } from './card-code.ts'

/** The cards to issue. Whole UGX; `expires` is a day in Kampala, `YYYY-MM-DD`, on which the cards still pay. */
export type CardIssueInput = { value: number; quantity: number; expires: string | null; notes: string | null }

/** An issued card with its code, which is shown only once. */
export type IssuedCard = { id: string; code: string; value: number; expires_at: string }
/** `again`: an earlier call with this key issued them. */
export type IssuedCards = { cards: readonly IssuedCard[]; again: boolean }

type Issuer = Pick<Merchant, 'id' | 'tag' | 'active'> & Partial<Pick<Merchant, 'account'>>

export const MAX_CARDS_PER_ISSUE = 50
const MAX_NOTES_CHARACTERS = 1000
const DAY_MS = 86_400_000
const COMMAND = 'gift-cards issue'

// A repeat adds those cards of the first call that are missing. A code that another card already has makes the statement fail.
const ADD_CARDS = statement<{ id: string }>(
  'add gift cards',
  `insert into gift_cards (merchant_id, id, code_hash, last4, value, balance, notes, expires_at, created_at)
   select $1::bigint, n.id, n.code_hash, n.last4, $5::bigint, $5::bigint, $6::text, $7::timestamptz, $8::timestamptz
   from unnest($2::text[], $3::bytea[], $4::text[]) as n (id, code_hash, last4)
   on conflict (merchant_id, id) do nothing returning id`,
)

/**
 * Issues gift cards and returns their codes, which cannot be read later (contract.md G67). With `commandKey` a repeat
 * returns the same cards and issues no others. Throws Refusal.
 */
export async function issueCards(
  app: App,
  actor: Actor,
  { issuer, commandKey, ...issue }: CardIssueInput & { issuer: Issuer; commandKey?: string | undefined },
): Promise<IssuedCards> {
  allow(actor, 'card.issue', issuer.id)
  judgeIssue(issue)
  const earlier = commandKey === undefined ? null : await findIssue(app, issuer, { ...issue, commandKey })
  const { draft, again } = earlier ?? (await startIssue(app, issuer, { ...issue, commandKey }))
  const add = () =>
    app.db.transaction(async (tx) => {
      const [added] = await tx.send(addCards(app, issuer, { draft, notes: issue.notes }))
      if (added.length === 0) return { value: null }
      const act = { actor, action: 'card.issue', at: app.clock.now(), merchantId: issuer.id } as const
      const after = { cards: added.map(({ id }) => id), value: draft.value, expires_at: draft.expiresAt }
      return { value: null, last: [auditRow({ ...act, mode: 'live', after })] }
    })
  // Another command with this key may be storing the same cards. Its codes collide before its ids do, so the insert fails once; after that
  // both are stored and the second try adds nothing.
  await (commandKey === undefined ? add() : onUniqueViolation(add, add))
  await notifyOwnersOfCards(app, { merchantId: issuer.id, actor, cards: draft.cards })
  return { cards: draft.cards, again }
}

/** Parses a day to its end in Kampala; null if the text is no day. */
export function parseLastDay(text: string): Date | null {
  const start = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) ? parseIsoTime(`${text}T00:00:00+03:00`) : null
  return start && new Date(start.getTime() + DAY_MS)
}

function judgeIssue({ value, quantity, expires, notes }: CardIssueInput): void {
  if (!Number.isSafeInteger(value) || value < 1) throw invalidRequest('value must be a whole number above 0', 'value')
  if (!Number.isSafeInteger(quantity) || quantity < 1 || quantity > MAX_CARDS_PER_ISSUE)
    throw invalidRequest(`quantity must be a whole number from 1 to ${MAX_CARDS_PER_ISSUE}`, 'quantity')
  if (expires !== null && parseLastDay(expires) === null)
    throw invalidRequest('expires must be a day, YYYY-MM-DD', 'expires')
  if (notes === null) return
  if ([...notes].length > MAX_NOTES_CHARACTERS || hasForbiddenControl(notes, true))
    throw invalidRequest(`notes must be at most ${MAX_NOTES_CHARACTERS} characters without control characters`, 'notes')
}

/** All random values and times of an issue, stored under its key before any card is, so that a repeat uses the same ones. */
type CardDraft = { cards: readonly IssuedCard[]; value: number; expiresAt: string; at: string }
type KeyedDraft = { draft: CardDraft; again: boolean }
type KeyedIssue = CardIssueInput & { commandKey: string | undefined }

async function startIssue(app: App, issuer: Issuer, { commandKey, ...issue }: KeyedIssue): Promise<KeyedDraft> {
  const draft = drawDraft(app, issuer, issue)
  if (commandKey === undefined) return { draft, again: false }
  const { made, again } = await storeOrFindCommand(app, issueCommand(issuer, { ...issue, commandKey }), draft)
  return { draft: made, again }
}

async function findIssue(
  app: App,
  issuer: Issuer,
  issue: CardIssueInput & { commandKey: string },
): Promise<KeyedDraft | null> {
  const draft = await findCommand<CardDraft>(app, issueCommand(issuer, issue))
  return draft && { draft, again: true }
}

const issueCommand = (issuer: Issuer, { commandKey, ...issue }: CardIssueInput & { commandKey: string }) => ({
  key: commandKey,
  command: COMMAND,
  input: { merchant: issuer.id, ...issue },
})

function drawDraft(app: App, issuer: Issuer, { value, quantity, expires }: CardIssueInput): CardDraft {
  if (!issuer.active) throw merchantInactive(issuer)
  const { amountMax } = app.config
  if (value > amountMax)
    throw domainRefusal('amount_too_large', `value exceeds the maximum of ${amountMax}`, { field: 'value' })
  const at = app.clock.now()
  const expiresAt = parseLastDay(expires ?? addYear(at))
  if (expiresAt === null || expiresAt <= at)
    throw domainRefusal('expires_in_past', 'expires must not lie in the past', { field: 'expires' })
  const until = expiresAt.toISOString()
  const draw = () => ({ id: newId('gc_', issuer.tag), code: newCardCode(), value, expires_at: until })
  return { cards: Array.from({ length: quantity }, draw), value, expiresAt: until, at: at.toISOString() }
}

/** The same day in Kampala a year later; a 29 February becomes 1 March. */
function addYear(at: Date): string {
  const day = kampalaIso(at).slice(0, 10)
  const next = `${Number(day.slice(0, 4)) + 1}${day.slice(4)}`
  return parseLastDay(next) === null ? next.replace('-02-29', '-03-01') : next
}

function addCards(
  app: App,
  issuer: Issuer,
  { draft, notes }: { draft: CardDraft; notes: string | null },
): Call<{ id: string }> {
  const { cards, value, expiresAt, at } = draft
  return call(
    ADD_CARDS,
    issuer.id,
    textColumn(cards.map((card) => card.id)),
    cards.map((card) => hashCardCode(app.vault, issuer.id, parseOwnCode(card))),
    textColumn(cards.map((card) => card.code.slice(-4))),
    value,
    notes,
    expiresAt,
    at,
  )
}

function parseOwnCode(card: IssuedCard): string {
  const code = parseCardCode(card.code)
  assert(code, 'a code of our own can be read')
  return code
}

const UGX = new Intl.NumberFormat('en-US')

/** Mails the owners that cards were issued, because anybody with a code can pay with it. A repeat of the call sends no second mail. */
async function notifyOwnersOfCards(
  app: App,
  { merchantId, actor, cards }: { merchantId: number; actor: Actor; cards: readonly IssuedCard[] },
): Promise<void> {
  const [first] = cards
  if (first === undefined) return
  const at = app.clock.now()
  const each = `UGX ${UGX.format(first.value)}`
  const all = `UGX ${UGX.format(first.value * cards.length)}`
  for (const { email, handle } of await readMailOwners(app, merchantId)) {
    const values = { business: handle, who: actorName(actor), count: String(cards.length), each, all }
    const once = `cards ${first.id} ${email}`
    const mail = addMail(app, { to: email, template: 'cards-issued', values, at, once })
    await app.directory.query(mail.statement, mail.values)
  }
}
