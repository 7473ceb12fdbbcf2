import { domainRefusal } from '../platform/refusal.ts'
import { echo } from '../platform/text.ts'

const MOST_PARTIES = 20

/**
 * Judges the `split` of a charge (G8). No merchant has subaccounts yet, so every split that names one names an unknown
 * one: this always throws `invalid split: ...`, in the order in which the contract lists the faults.
 */
export function refuseSplit(split: readonly unknown[], net: number): never {
  if (split.length === 0) throw invalidSplit('split must be a non-empty list')
  if (split.length > MOST_PARTIES) throw invalidSplit(`split supports at most ${MOST_PARTIES} parties`)
  if (net === 0) throw invalidSplit('nothing to split: net amount is zero')
  const first = split[0]
  if (typeof first !== 'object' || first === null || Array.isArray(first))
    throw invalidSplit('split[0] must be an object')
  const name = (first as { subaccount?: unknown }).subaccount
  if (typeof name !== 'string' || name.trim() === '') throw invalidSplit('split[0].subaccount is required')
  throw invalidSplit(`unknown subaccount ${echo(name)}`)
}

const invalidSplit = (problem: string) => domainRefusal('invalid_split', `invalid split: ${problem}`)
