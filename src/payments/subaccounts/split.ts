import { domainRefusal } from '../../platform/refusal.ts'
import { echo } from '../../platform/text/text.ts'
import type { SubaccountStatus } from './subaccount.ts'

/** One party's share of a charge as an amount in whole UGX. The rest of the net is the merchant's. */
export type SplitPart = { subaccountId: string; amount: number }

/** The status of each subaccount that a split may name, by id, locked by the transaction that decides. */
export type SubaccountStatuses = ReadonlyMap<string, SubaccountStatus>

type RequestedShare = { subaccount: string; amount: unknown; bps: unknown }

/** So many subaccounts may share a charge. */
export const MAX_PARTIES = 20
const WHOLE_BPS = 10_000 // Basis points.

/**
 * Checks the `split` of a charge and turns it into amounts of `net` (spec 2.8; G8). Throws `invalid split: ...` for the
 * first faulty item, with that item's first fault in the order of the contract.
 */
export function resolveSplit(split: readonly unknown[], net: number, known: SubaccountStatuses): SplitPart[] {
  if (split.length === 0) throw invalidSplit('split must be a non-empty list')
  if (split.length > MAX_PARTIES) throw invalidSplit(`split supports at most ${MAX_PARTIES} parties`)
  if (net === 0) throw invalidSplit('nothing to split: net amount is zero')
  const named = new Set<string>()
  const parts = split.map((value, index) => {
    const path = `split[${index}]`
    const item = parseItem(value, path)
    judgeParty(item.subaccount, named, known)
    named.add(item.subaccount)
    return { subaccountId: item.subaccount, amount: resolveAmount(item, path, net) }
  })
  // Each amount may be as large as a safe integer, so the sum needs BigInt to be exact.
  const total = parts.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  if (total > net) throw invalidSplit(`split total ${total} exceeds the net amount ${net} (amount minus fee)`)
  return parts
}

/** The subaccounts that a split names, even if it is invalid. */
export const listNamedSubaccounts = (split: readonly unknown[]): string[] =>
  split.slice(0, MAX_PARTIES).flatMap((value) => {
    const name = isObject(value) ? value.subaccount : null
    return typeof name === 'string' ? [name] : []
  })

function parseItem(value: unknown, path: string): RequestedShare {
  if (!isObject(value)) throw invalidSplit(`${path} must be an object`)
  const { subaccount, amount, bps } = value
  if (typeof subaccount !== 'string' || subaccount.trim() === '') throw invalidSplit(`${path}.subaccount is required`)
  return { subaccount, amount: amount ?? null, bps: bps ?? null }
}

function judgeParty(name: string, named: ReadonlySet<string>, known: SubaccountStatuses): void {
  if (named.has(name)) throw invalidSplit(`duplicate subaccount ${echo(name)} in split`)
  const status = known.get(name)
  if (status === undefined) throw invalidSplit(`unknown subaccount ${echo(name)}`)
  if (status !== 'active') throw invalidSplit(`subaccount ${echo(name)} is not active`)
}

function resolveAmount({ amount, bps }: RequestedShare, path: string, net: number): number {
  if ((amount === null) === (bps === null)) throw invalidSplit(`${path} must have exactly one of amount, bps`)
  if (amount !== null) {
    if (!isInteger(amount)) throw invalidSplit(`${path}.amount must be an integer`)
    if (amount <= 0) throw invalidSplit(`${path}.amount must be positive`)
    return amount
  }
  if (!isInteger(bps)) throw invalidSplit(`${path}.bps must be an integer`)
  if (bps < 1 || bps > WHOLE_BPS) throw invalidSplit(`${path}.bps must be in 1..${WHOLE_BPS}`)
  const share = calculateShare(net, bps)
  if (share === 0) throw invalidSplit(`${path}.bps of ${bps} resolves to zero on net ${net}`)
  return share
}

/** Returns floor(net x bps / 10000). Divided first, so that it is exact for every safe integer; the product could exceed them. */
export function calculateShare(net: number, bps: number): number {
  const rest = net % WHOLE_BPS
  return ((net - rest) / WHOLE_BPS) * bps + Math.floor((rest * bps) / WHOLE_BPS)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isInteger = (value: unknown): value is number => Number.isInteger(value)

const invalidSplit = (problem: string) => domainRefusal('invalid_split', `invalid split: ${problem}`)
