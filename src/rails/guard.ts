import { assertOutsideTransaction } from '../platform/db/open-transaction.ts'
import type { Movement, Rail, Rails } from './rail.ts'

/** The same rails, but every call throws when a transaction is open around it (rails.md 1.3). */
export function guardRails(rails: Rails): Rails {
  const guarded = new Map<Rail, Rail>()
  const guardOnce = (rail: Rail) => {
    const known = guarded.get(rail) ?? guard(rail)
    guarded.set(rail, known)
    return known
  }
  const all = (side: Rails['test']) =>
    Object.fromEntries(Object.entries(side).map(([channel, rail]) => [channel, guardOnce(rail)]))
  return { test: all(rails.test), live: all(rails.live) }
}

function guard(rail: Rail): Rail {
  return {
    ...rail,
    // Read each time: contracts come and go while the process runs.
    get installations() {
      return rail.installations
    },
    ...(rail.collect ? { collect: guardMovement(rail.name, rail.collect) } : {}),
    ...(rail.disburse ? { disburse: guardMovement(rail.name, rail.disburse) } : {}),
    ...(rail.lookupAccountHolder ? { lookupAccountHolder: guardLookup(rail) } : {}),
    ...(rail.balance ? { balance: guardBalance(rail) } : {}),
    readiness: (...asked) => rail.readiness(...asked),
  }
}

function guardLookup(rail: Rail): NonNullable<Rail['lookupAccountHolder']> {
  return async (phone, deadline) => {
    assertOutsideTransaction(`${rail.name}.lookupAccountHolder`)
    return (rail.lookupAccountHolder as NonNullable<Rail['lookupAccountHolder']>)(phone, deadline)
  }
}

function guardBalance(rail: Rail): NonNullable<Rail['balance']> {
  return async (...asked) => {
    assertOutsideTransaction(`${rail.name}.balance`)
    return (rail.balance as NonNullable<Rail['balance']>)(...asked)
  }
}

function guardMovement<Failure>(name: string, movement: Movement<Failure>): Movement<Failure> {
  return {
    submit(attempt, deadline) {
      assertOutsideTransaction(`${name}.submit`)
      return movement.submit(attempt, deadline)
    },
    status(attempt, deadline) {
      assertOutsideTransaction(`${name}.status`)
      return movement.status(attempt, deadline)
    },
  }
}
