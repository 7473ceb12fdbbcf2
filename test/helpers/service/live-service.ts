import assert from 'node:assert/strict'
import type { CreatedMerchant, NewMerchant } from '../../../src/merchants/account/create-merchant.ts'
import { TIME_INVARIANTS } from '../../../src/operations/verify/invariants/merchants/time-invariants.ts'
import { OVERDUE_INVARIANTS } from '../../../src/operations/verify/invariants/payments/overdue-invariants.ts'
import { verifyCell } from '../../../src/operations/verify/verify.ts'
import { movableClock } from '../../../src/platform/time/clock.ts'
import { type Entry, type Operator, startOperator } from '../../fakes/operator.ts'
import { type HttpRail, httpRail } from './http-rail.ts'
import { type Client, startService, type TestService, type TestServiceOptions } from './test-service.ts'

/** The service with a live rail to an operator that pays when the test tells it to. */
export type LiveService = TestService & {
  operator: Operator
  rail: HttpRail
  /** A verified merchant with a client for each mode. */
  shop(input?: Partial<NewMerchant>): Promise<Shop>
  /** The operator's own entry for a charge. */
  entryOf(chargeId: string): Entry | undefined
  /** Fails when any invariant of the ledger is broken. */
  verify(): Promise<void>
}
export type Shop = { merchant: CreatedMerchant; live: Client; test: Client }

const HOUR = 3_600_000
export const DAY = 24 * HOUR
const OF_CLOCKS = [...OVERDUE_INVARIANTS, ...TIME_INVARIANTS].map(({ id }) => id)
const LOOK_MS = 10
const QUIET_LOOKS = 3
const MOST_LOOKS = 200
let payers = 0

/** A phone that no other charge of this process uses. */
export function newPayer(): string {
  payers += 1
  return `2567801${String(payers).padStart(5, '0')}`
}

export async function startLiveService(options: TestServiceOptions = {}): Promise<LiveService> {
  const operator = await startOperator({ pays: 'when told' })
  const clock = options.clock ?? movableClock()
  const rail = httpRail(operator.url, clock)
  const service = await startService({
    ...options,
    clock,
    liveRails: options.liveRails ?? { op1_momo: rail },
  }).catch(async (error) => {
    await operator.close()
    throw error
  })
  return {
    ...service,
    operator,
    rail,
    shop: async (input) => {
      const merchant = await service.merchant({ verified: true, ...input })
      return { merchant, live: service.client(merchant.keys.live), test: service.client(merchant.keys.test) }
    },
    entryOf: (id) => [...operator.book.values()].find((entry) => entry.external_id === id),
    verify: () => assertVerified(service),
    close: async () => {
      await operator.close()
      await rail.close()
      await untilWritten(service)
      await service.close()
    },
  }
}

const BUSY = `select 1 from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle' limit 1`

/**
 * The answer to a question that was cut off is still being stored; without its database the product would retry that for a
 * minute. Waits until nothing is being written.
 */
async function untilWritten({ rows }: TestService): Promise<void> {
  for (let looks = 0, quiet = 0; quiet < QUIET_LOOKS && looks < MOST_LOOKS; looks += 1) {
    quiet = (await rows(BUSY)).length === 0 ? quiet + 1 : 0
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

/** A second process of this installation, with the same clock and the same live rail. */
export const startBeside = (
  { database, clock, rail }: LiveService,
  options: Pick<TestServiceOptions, 'role'> = {},
): Promise<TestService> => startService({ ...options, database, clock, liveRails: { op1_momo: rail } })

export async function assertVerified(service: TestService): Promise<void> {
  for (const app of service.gateway.cells) {
    const findings = await verifyCell(app.db, service.clock.now())
    assert.ok(findings.length > 10, 'verify looks at every invariant')
    assert.deepEqual(
      // The test decides when background tasks run here, and moves the clock both ways.
      findings.filter(({ id, violations }) => violations > 0 && !OF_CLOCKS.includes(id)),
      [],
    )
  }
}

/** Waits in real time for something that another part of this process is about to do. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + 30_000
  while (!(await holds())) {
    if (performance.now() > giveUpAt) assert.fail(`never came true: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
