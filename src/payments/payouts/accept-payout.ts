import { createHash } from 'node:crypto'
import { NOT_COUNTED } from '../../api/rate-limits/exact-window.ts'
import { inOpenMonth } from '../../ledger/book.ts'
import type { MerchantTerms } from '../../merchants/account/merchant.ts'
import type { Call, Tx } from '../../platform/db/database.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import { uuidFor } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { judgeRailAmount } from '../../rails/rail-amounts.ts'
import { openDesk } from './desk/desk.ts'
import { lockDesk } from './desk/lock-desk.ts'
import { type NewPayout, newPayout, type PayoutOrigin } from './new-payout.ts'
import { DEFAULT_PAYOUT_CHANNEL } from './payout-request.ts'
import { type CheckedRequest, openChecks } from './prepared/open-checks.ts'

/** A payout that is no API request: a withdrawal, or the pay-out of a subaccount. */
export type CommandPayoutInput = {
  holder: MerchantMode
  origin: Extract<PayoutOrigin, { kind: 'withdrawal' | 'subaccount' }>
  /** Whole UGX, or what chooses it by what the account can spend, on locked rows. */
  amount: number | ((available: number) => number)
  /** Claims, first in the transaction, what this payout belongs to. Throws where it is not there any more. */
  claim?(tx: Tx): Promise<void>
  /** Judges the rules before freeze and pause (G14a, G66). */
  before(terms: MerchantTerms): void
  /** Judges the rules after them, on rows that it locks. Returns the recipient. */
  payee(tx: Tx, amount: number): Promise<{ phone: string; name: string | null }>
  /** A repeated key creates nothing, because the payout's id is derived from it. */
  key?: string | undefined
  /** The request that must pass the rule of the second person; absent for commands and for withdrawals, which wait for our staff. */
  by?: CheckedRequest | undefined
  /** Returns what else this commit writes. */
  alongside?(payout: NewPayout): Call[]
}

/** Reserves and stores one payout in a transaction of its own. Throws Refusal with nothing written. */
export async function acceptPayout(app: App, input: CommandPayoutInput): Promise<NewPayout> {
  const accepted = await inOpenMonth(() => reserveAndStore(app, input))
  app.nudge('send-payouts')
  return accepted
}

function reserveAndStore(app: App, input: CommandPayoutInput): Promise<NewPayout> {
  const at = app.clock.now()
  return app.db.transaction(async (tx) => {
    const { payout, writes } = await judgeAndReserve(app, tx, { wanted: input, at })
    return { value: payout, last: [...writes, ...(input.alongside?.(payout) ?? [])] }
  })
}

/** Judges every rule of such a payout and reserves it in memory alone: nothing happens unless `writes` are sent. Throws Refusal. */
export async function judgeAndReserve(
  app: App,
  tx: Tx,
  { wanted, at }: { wanted: CommandPayoutInput; at: Date },
): Promise<{ payout: NewPayout; writes: Call[] }> {
  const { holder, origin, key, by } = wanted
  await wanted.claim?.(tx)
  const locked = await lockDesk(tx, { merchantModes: [holder], at, own: [], window: NOT_COUNTED })
  const { merchantId, mode } = holder
  const subaccounts = origin.kind === 'subaccount' ? [{ merchantId, mode, subaccountId: origin.subaccountId }] : []
  const desk = await openDesk(app, tx, { ...locked, at, subaccounts })
  const checks = await openChecks(tx, by === undefined ? [] : [by], at)
  const terms = desk.termsOf(merchantId)
  wanted.before(terms)
  const stop = desk.findStop(holder)
  if (stop !== null) throw stop
  const amount = chooseAmount(
    wanted,
    desk.availableFor({ ...holder, subaccountId: subaccounts[0]?.subaccountId ?? null }),
  )
  const payee = await wanted.payee(tx, amount)
  judgeRailAmount({ mode, side: 'disburse', amount }, app.config)
  const payout = newPayout(
    app,
    { merchantId, tag: terms.tag, mode },
    { origin, amount, ...payee, channel: DEFAULT_PAYOUT_CHANNEL, reference: null, at },
  )
  if (key !== undefined) setIdForKey(payout, terms.tag, key)
  const reserve = () => {
    desk.reserve(payout)
    return payout
  }
  if (by === undefined) reserve()
  else checks.passing(by, amount, reserve)
  return { payout, writes: [...desk.writes(), ...checks.writes()] }
}

const chooseAmount = ({ amount }: CommandPayoutInput, available: number): number =>
  typeof amount === 'number' ? amount : amount(available)

function setIdForKey(payout: NewPayout, tag: string, key: string): void {
  payout.id = payoutIdForKey(tag, key)
  payout.railReference = uuidFor(payout.id)
}

/** Derives the id of a payout from the key of its command: the same key gives the same id. */
export const payoutIdForKey = (tag: string, key: string) =>
  `pout_${tag}${createHash('sha256').update(key).digest('hex').slice(0, 24)}`
