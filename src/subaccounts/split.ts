import { domainRefusal } from '../platform/refusal.ts'
import { echo } from '../platform/text.ts'
import type { SubaccountStatus } from './subaccount.ts'

/** One party's share of a charge as an amount in whole UGX. The rest of the net is the merchant's. */
export type SplitPart = { subaccountId: string; amount: number }

/** The merchant's subaccounts that a split may name, locked by the deciding transaction. */
export type KnownSubaccounts = ReadonlyMap<string, SubaccountStatus>

type GivenShare = { subaccount: string; amount: unknown; bps: unknown }

const MOST_PARTIES = 20
const WHOLE = 10_000 // Basis points.

/**
 * Checks the `split` of a charge and turns it into amounts of `net` (spec 2.8; G8). Throws `invalid split: ...`, item by
 * item and for each in the order in which the contract lists the faults.
 */
export function resolveSplit(split: readonly unknown[], net: number, known: KnownSubaccounts): SplitPart[] {
  if (split.length === 0) throw invalidSplit('split must be a non-empty list')
  if (split.length > MOST_PARTIES) throw invalidSplit(`split supports at most ${MOST_PARTIES} parties`)
  if (net === 0) throw invalidSplit('nothing to split: net amount is zero')
  const seen = new Set<string>()
  const parts = split.map((given, index) => {
    const at = `split[${index}]`
    const item = readItem(given, at)
    judgeParty(item.subaccount, seen, known)
    seen.add(item.subaccount)
    return { subaccountId: item.subaccount, amount: resolveAmount(item, at, net) }
  })
  // Each may be very large, so the sum is computed exactly.
  const total = parts.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  if (total > net) throw invalidSplit(`split total ${total} exceeds the net amount ${net} (amount minus fee)`)
  return parts
}

/** The subaccounts that a split names, even if it is invalid. */
export const namesIn = (split: readonly unknown[]): string[] =>
  split.slice(0, MOST_PARTIES).flatMap((given) => {
    const name = isObject(given) ? given.subaccount : null
    return typeof name === 'string' ? [name] : []
  })

function readItem(given: unknown, at: string): GivenShare {
  if (!isObject(given)) throw invalidSplit(`${at} must be an object`)
  const { subaccount, amount, bps } = given
  if (typeof subaccount !== 'string' || subaccount.trim() === '')
    throw invalidSplit(`${at}.subaccount is required`)
  return { subaccount, amount: amount ?? null, bps: bps ?? null }
}

function judgeParty(name: string, seen: ReadonlySet<string>, known: KnownSubaccounts): void {
  if (seen.has(name)) throw invalidSplit(`duplicate subaccount ${echo(name)} in split`)
  const status = known.get(name)
  if (status === undefined) throw invalidSplit(`unknown subaccount ${echo(name)}`)
  if (status !== 'active') throw invalidSplit(`subaccount ${echo(name)} is not active`)
}

function resolveAmount({ amount, bps }: GivenShare, at: string, net: number): number {
  if ((amount === null) === (bps === null)) throw invalidSplit(`${at} must have exactly one of amount, bps`)
  if (amount !== null) {
    if (!isInteger(amount)) throw invalidSplit(`${at}.amount must be an integer`)
    if (amount <= 0) throw invalidSplit(`${at}.amount must be positive`)
    return amount
  }
  if (!isInteger(bps)) throw invalidSplit(`${at}.bps must be an integer`)
  if (bps < 1 || bps > WHOLE) throw invalidSplit(`${at}.bps must be in 1..${WHOLE}`)
  const share = shareOf(net, bps)
  if (share === 0) throw invalidSplit(`${at}.bps of ${bps} resolves to zero on net ${net}`)
  return share
}

/** floor(net x bps / 10000), exact for every safe integer: the product alone would not be. */
export function shareOf(net: number, bps: number): number {
  const rest = net % WHOLE
  return ((net - rest) / WHOLE) * bps + Math.floor((rest * bps) / WHOLE)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isInteger = (value: unknown): value is number => Number.isInteger(value)

const invalidSplit = (problem: string) => domainRefusal('invalid_split', `invalid split: ${problem}`)
