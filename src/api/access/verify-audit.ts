import { type Call, call, type Database } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { type AuditAnchor, CHAIN_START, computeSeal, NO_ANCHOR, SEALED_TEXT_SQL } from './audit-chain.ts'

/** The result of following a chain: null in `broken` when every row is as it was sealed, else a sentence about the first that is not. */
export type AuditProof = { anchor: AuditAnchor; broken: string | null }

const SEALS = statement<{ number: number; id: number; hash: Buffer; text: string | null }>(
  'audit seals with their rows',
  `select s.number, s.audit_id as id, s.hash, case when a.id is not null then ${SEALED_TEXT_SQL} end as text
   from audit_seals s left join audit a on a.id = s.audit_id where s.number > $1 order by s.number limit $2`,
)
const HIGHEST = statement<{ id: number | null }>('highest audit id', 'select max(id) as id from audit')
// Steps of rows and not of ids: in a cluster each server numbers from a start of its own, far above the one before.
const stepOf = (table: string, column: string) =>
  `(select max(id) as last from (select ${column} as id from ${table} where ${column} > $1 order by 1 limit $2) rows) step`
// An unsealed row is in the queue, to which its own commit added it. A row that is in neither was not written by the service.
const ROW_WITHOUT_SEAL = statement<{ last: number | null; id: number | null; queued: boolean }>(
  'audit rows without a seal',
  `select step.last, found.id, found.queued from ${stepOf('audit', 'id')} left join lateral (
     select a.id, q.audit_id is not null as queued from audit a left join audit_to_seal q on q.audit_id = a.id
     where a.id > $1 and a.id <= step.last and not exists (select from audit_seals s where s.audit_id = a.id)
       and (q.audit_id is null or a.at <= $3) order by a.id limit 1) found on true`,
)
const QUEUED_WITHOUT_ROW = statement<{ last: number | null; id: number | null }>(
  'audit rows that wait and are gone',
  `select step.last, found.id from ${stepOf('audit_to_seal', 'audit_id')} left join lateral (
     select q.audit_id as id from audit_to_seal q where q.audit_id > $1 and q.audit_id <= step.last
       and not exists (select from audit a where a.id = q.audit_id) order by 1 limit 1) found on true`,
)

const SEALS_PER_STEP = 1000
const ROWS_PER_STEP = 10_000
const MAX_SEAL_LAG_MS = 60_000

/**
 * Follows one chain from its first row, in steps of bounded size, and names the first row that was edited, is missing, or was
 * added without a seal. With an anchor that was kept elsewhere it also finds a chain that was cut or rebuilt.
 */
export async function verifyAudit(db: Database, now: Date, kept: AuditAnchor | null = null): Promise<AuditProof> {
  const chain = await followSeals(db, kept)
  if (chain.broken !== null) return chain
  return { ...chain, broken: await findUnsealed(db, now) }
}

async function followSeals(db: Database, kept: AuditAnchor | null): Promise<AuditProof> {
  let anchor = NO_ANCHOR
  let hash: Buffer = CHAIN_START
  const broken = (why: string): AuditProof => ({ anchor, broken: why })
  for (;;) {
    const seals = await db.query(SEALS, [anchor.number, SEALS_PER_STEP])
    for (const seal of seals) {
      if (seal.number !== anchor.number + 1) return broken(`seal ${anchor.number + 1} is missing`)
      if (seal.text === null) return broken(`audit row ${seal.id} is missing`)
      hash = computeSeal(hash, seal.text)
      if (!hash.equals(seal.hash)) return broken(`audit row ${seal.id} or its seal ${seal.number} was edited`)
      anchor = { number: seal.number, hash: hash.toString('hex') }
      if (kept?.number === anchor.number && kept.hash !== anchor.hash)
        return broken(`seal ${kept.number} is not the one that was kept: the chain was made anew`)
    }
    if (seals.length < SEALS_PER_STEP) break
  }
  if (kept !== null && kept.number > anchor.number) return broken(`seal ${kept.number} is missing`)
  return { anchor, broken: null }
}

async function findUnsealed(db: Database, now: Date): Promise<string | null> {
  const gone = await findInSteps(db, (from) => call(QUEUED_WITHOUT_ROW, from, ROWS_PER_STEP))
  if (gone !== null) return `audit row ${gone.id} is missing`
  const late = new Date(now.getTime() - MAX_SEAL_LAG_MS).toISOString()
  const unsealed = await findInSteps(db, (from) => call(ROW_WITHOUT_SEAL, from, ROWS_PER_STEP, late))
  if (unsealed === null) return null
  return unsealed.queued
    ? `audit row ${unsealed.id} has waited for its seal for more than a minute`
    : `audit row ${unsealed.id} was added without a seal`
}

/** Goes through a table in steps up to the row that is the last now. Returns the first that a step finds. */
async function findInSteps<Row extends { last: number | null; id: number | null }>(
  db: Database,
  stepFrom: (id: number) => Call<Row>,
): Promise<Row | null> {
  const [highest] = await db.query(HIGHEST)
  for (let from = 0; ; ) {
    const { statement, values } = stepFrom(from)
    const [step] = await db.query(statement, values)
    if (step === undefined || step.last === null) return null
    if (step.id !== null) return step
    if (step.last >= (highest?.id ?? 0)) return null
    from = step.last
  }
}
