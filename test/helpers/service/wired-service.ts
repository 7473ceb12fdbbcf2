import pg from 'pg'
import { behindWire } from '../database/cut-wire.ts'
import { testDatabase } from '../database/test-database.ts'
import { type LiveService, startLiveService } from './live-service.ts'
import { startService, type TestService } from './test-service.ts'

/** A service behind a wire that can be cut, and a second process connected to the database directly. */
export type WiredServices = {
  wired: Awaited<ReturnType<typeof behindWire>>
  service: LiveService
  worker: TestService
  /** A connection for holding locks. */
  beside: pg.Client
  close(): Promise<void>
}

export async function startWiredServices(env: Record<string, string> = {}): Promise<WiredServices> {
  const database = await testDatabase()
  const wired = await behindWire(database)
  const service = await startLiveService({ database: wired, env })
  const liveRails = { op1_momo: service.rail }
  const worker = await startService({ database, clock: service.clock, liveRails, env })
  const beside = new pg.Client({ connectionString: database.url, options: '-c search_path=cell_0' })
  await beside.connect()
  return {
    wired,
    service,
    worker,
    beside,
    close: async () => {
      await service.verify()
      await beside.end()
      await worker.close()
      await service.close()
      await wired.proxy.close()
      await database.drop()
    },
  }
}

/** Locks the row that every movement of this merchant's live money needs; call the returned function to release it. */
export async function holdHead({ beside }: WiredServices, merchantId: number): Promise<() => Promise<unknown>> {
  await beside.query('begin')
  await beside.query(`select 1 from ledger_heads where merchant_id = $1 and mode = 'live' for update`, [merchantId])
  return () => beside.query('rollback')
}

/** Runs `work` while the wire of the first process is cut. */
export async function whileCut({ wired }: WiredServices, work: () => Promise<void>): Promise<void> {
  await wired.proxy.close()
  try {
    await work()
  } finally {
    await wired.proxy.open()
  }
}

/** The stored evidence of the operator's answers about this movement. */
export const evidenceOf = (worker: TestService, subject: string): Promise<{ answer: string }[]> =>
  worker.rows(
    `select answer from rail_evidence e join rail_attempts a on a.merchant_id = e.merchant_id and a.id = e.attempt_id
     where a.subject = $1`,
    [subject],
  )
