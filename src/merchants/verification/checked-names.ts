import { mayBeSameName } from '../../platform/text/same-name.ts'
import type { CheckedNumber, NameCheck } from './name-check.ts'
import type { VerificationAnswers } from './steps.ts'

/** A number of an application, the name that was given with it, and the check of it with the operator of the wallet. */
export type CheckedName = {
  what: CheckedNumber
  phone: string
  given: string | null
  /** Null where this very number was not checked yet. */
  check: NameCheck | null
  /** Whether the holder has another name, or the number has no wallet. */
  differs: boolean
}
type NamesInput = {
  answers: Partial<VerificationAnswers>
  /** The withdrawal number of the merchant. */
  withdrawal: string | null
  checks: ReadonlyMap<CheckedNumber, NameCheck>
}

/** Returns every number of an application, each compared with its check. */
export function compareNames({ answers: { settlement, directors }, withdrawal, checks }: NamesInput): CheckedName[] {
  const compare = (what: CheckedNumber, phone: string, given: string | null): CheckedName => {
    const latest = checks.get(what) ?? null
    // A check counts only for the number that was checked: it may have changed since.
    const check = latest?.phone === phone ? latest : null
    return { what, phone, given, check, differs: isOtherName(given, check) }
  }
  return [
    ...(settlement === undefined ? [] : [compare('settlement', settlement.phone, settlement.holder)]),
    ...(withdrawal === null ? [] : [compare('withdrawal', withdrawal, settlement?.holder ?? null)]),
    ...(directors ?? []).map(({ phone, name }, index) => compare(`director-${index}`, phone, name)),
  ]
}

const isOtherName = (given: string | null, check: NameCheck | null): boolean =>
  check !== null && (!check.active || (given !== null && check.name !== null && !mayBeSameName(given, check.name)))
