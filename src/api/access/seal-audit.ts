import { call, type Database } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { type AuditAnchor, CHAIN_START, computeSeal, SEALED_TEXT_SQL } from './audit-chain.ts'

// The join skips a queued row that was removed from the audit, so that it does not hold up the others.
const OLDEST_WAITING = statement<{ since: Date }>(
  'audit rows wait for a seal',
  `select a.at as since from audit_to_seal q join audit a on a.id = q.audit_id order by q.audit_id limit 1`,
)
// One process at a time continues a chain; the others skip it. The lock ends with the transaction.
const TAKE_TURN = statement<{ taken: boolean }>(
  'take turn to seal audit',
  `select pg_try_advisory_xact_lock(hashtext('seal audit'), hashtext(current_schema())) as taken`,
)
const LAST = statement<{ number: number; hash: Buffer }>(
  'last audit seal',
  'select number, hash from audit_seals order by number desc limit 1',
)
const ROWS_TO_SEAL = statement<{ id: number; text: string }>(
  'audit rows to seal',
  `select a.id, ${SEALED_TEXT_SQL} as text from audit_to_seal q join audit a on a.id = q.audit_id order by q.audit_id limit $1`,
)
const SEAL = statement(
  'seal audit rows',
  `insert into audit_seals (number, audit_id, hash)
   select n.number, n.audit_id, n.hash from unnest($1::bigint[], $2::bigint[], $3::bytea[]) as n (number, audit_id, hash)`,
)
const UNQUEUE = statement('audit rows are sealed', 'delete from audit_to_seal where audit_id = any($1::bigint[])')

export const MAX_ROWS_SEALED_AT_ONCE = 500
// A busy chain moves each second; the log needs one point a minute to compare with, not all of them.
const ANCHOR_EVERY_MS = 60_000

/** Reads how long the oldest row has waited for its seal, in seconds; 0 when none waits. */
export async function readSealLagSeconds(db: Database, nowMs: number): Promise<number> {
  const [waiting] = await db.query(OLDEST_WAITING)
  return waiting ? Math.max(0, (nowMs - waiting.since.getTime()) / 1000) : 0
}

/**
 * Seals committed rows, in this cell and in the directory, and logs how far each chain has come: at most once a minute, and a
 * last time when it stops. `runOnce` returns how many rows the longer of both chains sealed.
 */
export function newAuditSealer(app: App): { runOnce(): Promise<number>; stop(): Promise<void> } {
  const chains = [newChain(app, app.cell, app.db), newChain(app, 'directory', app.directory)]
  return {
    async runOnce() {
      let most = 0
      for (const chain of chains) most = Math.max(most, await chain.run())
      return most
    },
    stop: async () => {
      for (const chain of chains) chain.logAnchor()
    },
  }
}

function newChain(app: App, databaseName: string, db: Database) {
  let unlogged: AuditAnchor | null = null
  let loggedMs = 0
  function logAnchor(): void {
    if (unlogged === null) return
    app.log.info({ place: databaseName, ...unlogged }, 'audit anchor')
    unlogged = null
    loggedMs = app.clock.nowMs()
  }
  return {
    logAnchor,
    async run(): Promise<number> {
      const sealed = await sealNextRows(db)
      if (sealed !== null) unlogged = sealed.anchor
      if (app.clock.nowMs() - loggedMs >= ANCHOR_EVERY_MS) logAnchor()
      return sealed?.count ?? 0
    },
  }
}

/** Continues the chain over the next rows; null when there are none, or when another process is sealing. */
async function sealNextRows(db: Database): Promise<{ count: number; anchor: AuditAnchor } | null> {
  const [waiting] = await db.query(OLDEST_WAITING)
  if (!waiting) return null
  return db.transaction(async (tx) => {
    const [[turn], [last], rows] = await tx.send(
      call(TAKE_TURN),
      call(LAST),
      call(ROWS_TO_SEAL, MAX_ROWS_SEALED_AT_ONCE),
    )
    if (!turn?.taken || rows.length === 0) return { value: null }
    let { number, hash } = last ?? { number: 0, hash: CHAIN_START }
    const seals = rows.map(({ id, text }) => {
      number += 1
      hash = computeSeal(hash, text)
      return { number, id, hash }
    })
    const ids = seals.map(({ id }) => id)
    const addSeals = call(
      SEAL,
      seals.map((seal) => seal.number),
      ids,
      seals.map((seal) => seal.hash),
    )
    const anchor = { number, hash: hash.toString('hex') }
    return { value: { count: seals.length, anchor }, last: [addSeals, call(UNQUEUE, ids)] }
  })
}
