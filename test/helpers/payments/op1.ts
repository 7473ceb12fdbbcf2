import { pino } from 'pino'
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../emulator/emulator.ts'
import { type MovableClock, movableClock } from '../../../src/platform/time/clock.ts'
import type { ConfiguredRail } from '../../../src/rails/configured-rail.ts'
import { openOp1Rail } from '../../../src/rails/op1-momo/adapter.ts'
import type { Op1Installation } from '../../../src/rails/op1-momo/installation.ts'
import type { RailAlarm } from '../../../src/rails/rail-observer.ts'

/** A breaker that no number of faults opens. */
export const NEVER_OPENS = {
  ...{ faultsInRow: 10_000, share: 1, minCalls: 10_000, windowSeconds: 10, openSeconds: 5 },
}

/** A contract with this operator, with both products. */
export const contractWith = (
  emulator: Pick<Emulator, 'url' | 'credentials' | 'targetEnvironment' | 'currency'>,
  changes: Partial<Op1Installation> = {},
): Op1Installation => ({
  id: 'ug-1',
  baseUrl: emulator.url,
  targetEnvironment: emulator.targetEnvironment,
  currency: emulator.currency,
  active: true,
  foreignPhones: false,
  collection: emulator.credentials.collection,
  disbursement: emulator.credentials.disbursement,
  callback: null,
  statusPerSecond: null,
  submitConnections: 64,
  submitPerSecond: null,
  lookupsPerSecond: 1000,
  tokenRenewSeconds: 600,
  tokenTimeoutMs: 40_000,
  timeouts: { connect: 3, headers: 25, body: 10, submit: 25, answer: 5 },
  noteMaxLength: 120,
  repostHours: 24,
  chargeRepostSeconds: 60,
  thinLadder: false,
  breaker: { faultsInRow: 5, share: 0.5, minCalls: 20, windowSeconds: 10, openSeconds: 5 },
  reasonOverrides: {},
  floatAlarmAmount: null,
  ...changes,
})

/** The real adapter to an operator of its own. */
export type Wired = {
  emulator: Emulator
  rail: ConfiguredRail
  clock: MovableClock
  alarms: RailAlarm[]
  close(): Promise<void>
}

export async function wireUp({
  operator,
  contract,
}: {
  operator?: EmulatorOptions
  contract?: Partial<Op1Installation>
} = {}): Promise<Wired> {
  const emulator = await startEmulator({ clock: 'virtual', statusCap: null, ...operator })
  const clock = movableClock()
  const alarms: RailAlarm[] = []
  const rail = openOp1Rail({
    choice: { of: () => null, refresh: async () => {} },
    installations: [contractWith(emulator, contract)],
    clock,
    log: pino({ level: 'silent' }),
    budget: { takeFirst: async () => true, slowDown: async () => {} },
    alarms: { raise: (alarm) => alarms.push(alarm) },
    observer: { request: () => {}, breaker: () => {} },
  })
  return {
    ...{ emulator, rail, clock, alarms },
    close: async () => {
      await emulator.close()
      await rail.close()
    },
  }
}
