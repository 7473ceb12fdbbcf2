import { assertOutsideTransaction } from '../platform/db/open-transaction.ts'
import type { MovementRail, Rail, Rails } from './rail.ts'

/** Wraps the rails so that every call to an operator throws when a transaction is open around it (rails.md 1.3). */
export function guardRails(rails: Rails): Rails {
  const guarded = new Map<Rail, Rail>()
  const guardOnce = (rail: Rail) => {
    const wrapped = guarded.get(rail) ?? guard(rail)
    guarded.set(rail, wrapped)
    return wrapped
  }
  const guardAll = (byChannel: Rails['test']) =>
    Object.fromEntries(Object.entries(byChannel).map(([channel, rail]) => [channel, guardOnce(rail)]))
  return { test: guardAll(rails.test), live: guardAll(rails.live) }
}

function guard(rail: Rail): Rail {
  return {
    ...rail,
    // Read each time, because installations come and go while the process runs.
    get installations() {
      return rail.installations
    },
    ...(rail.collect ? { collect: guardMovement(rail.name, rail.collect) } : {}),
    ...(rail.disburse ? { disburse: guardMovement(rail.name, rail.disburse) } : {}),
    ...(rail.lookupAccountHolder ? { lookupAccountHolder: guardLookup(rail) } : {}),
    ...(rail.balance ? { balance: guardBalance(rail) } : {}),
    readiness: (...args) => rail.readiness(...args),
  }
}

function guardLookup(rail: Rail): NonNullable<Rail['lookupAccountHolder']> {
  return async (phone, deadline) => {
    assertOutsideTransaction(`${rail.name}.lookupAccountHolder`)
    return (rail.lookupAccountHolder as NonNullable<Rail['lookupAccountHolder']>)(phone, deadline)
  }
}

function guardBalance(rail: Rail): NonNullable<Rail['balance']> {
  return async (...args) => {
    assertOutsideTransaction(`${rail.name}.balance`)
    return (rail.balance as NonNullable<Rail['balance']>)(...args)
  }
}

function guardMovement<Failure>(name: string, movement: MovementRail<Failure>): MovementRail<Failure> {
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
