import { mayBeSameName } from '../platform/same-name.ts'
import type { CheckedNumber, NameCheck } from './name-check.ts'
import type { Answers } from './steps.ts'

/** A number of an application, with the name that was given with it and what the operator of the wallet said. */
export type HeardName = {
  what: CheckedNumber
  phone: string
  given: string | null
  /** Null: nobody has asked about this very number. */
  check: NameCheck | null
  /** The holder is somebody else, or there is no wallet. */
  differs: boolean
}
type Numbers = {
  answers: Partial<Answers>
  /** Where the merchant withdraws to. */
  withdrawal: string | null
  checks: ReadonlyMap<CheckedNumber, NameCheck>
}

/** Every number of an application, with what was heard of it. */
export function heardNames({ answers: { settlement, directors }, withdrawal, checks }: Numbers): HeardName[] {
  const heard = (what: CheckedNumber, phone: string, given: string | null): HeardName => {
    const found = checks.get(what) ?? null
    // A number that was changed since has not been asked about.
    const check = found?.phone === phone ? found : null
    return { what, phone, given, check, differs: isOther(given, check) }
  }
  return [
    ...(settlement === undefined ? [] : [heard('settlement', settlement.phone, settlement.holder)]),
    ...(withdrawal === null ? [] : [heard('withdrawal', withdrawal, settlement?.holder ?? null)]),
    ...(directors ?? []).map(({ phone, name }, place) => heard(`director-${place}`, phone, name)),
  ]
}

const isOther = (given: string | null, check: NameCheck | null): boolean =>
  check !== null &&
  (!check.active || (given !== null && check.name !== null && !mayBeSameName(given, check.name)))
