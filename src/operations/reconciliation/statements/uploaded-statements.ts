import { createHash } from 'node:crypto'
import { type Actor, actorName } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { call } from '../../../platform/db/database.ts'
import { firstRow } from '../../../platform/db/first-row.ts'
import { statement } from '../../../platform/db/statement.ts'
import { writeInTransaction } from '../../../platform/db/write-in-transaction.ts'
import { domainRefusal, notFound } from '../../../platform/refusal.ts'
import { newId } from '../../../platform/text/ids.ts'
import type { App, Gateway } from '../../../program/app.ts'
import { liveInstallations } from '../../../rails/live-rails.ts'
import type { RailSide } from '../../../rails/rail.ts'
import type { Leg } from '../leg.ts'
import { readStatementSpan } from './stage-statement.ts'
import type { StatementDifference } from './statement-differences.ts'
import { fromBytes } from './statement-file.ts'
import { cutFileName, serializeNotCompared } from './statement-jobs.ts'

/** The stored result of a comparison. At most so many differences of each kind are stored; `counts` has all of them. */
export type StoredFindings = {
  leg: Leg
  from: string
  to: string
  counts: Readonly<Partial<Record<StatementDifference['kind'], number>>>
  differences: Pick<StatementDifference, 'kind' | 'subject' | 'details'>[]
  /** The sides and installations for which missing lines were judged. Absent in results from before this was stored. */
  judged?: { side: RailSide; installation: string }[]
}
/** A statement that staff uploaded, or imported by a command. */
export type UploadedStatement = {
  id: string
  name: string
  digest: Buffer
  installation: string | null
  madeBy: string
  madeAt: Date
  looked: StoredFindings
  lookedAt: Date | null
  /** The work that a worker is to do with it, and its progress. */
  wanted: 'look' | 'import' | null
  isClaimed: boolean
  step: string | null
  done: number | null
  /** When its import was requested; lines of it may be stored from then on. */
  askedAt: Date | null
  importedAt: Date | null
  importedBy: string | null
  failed: string | null
  isToBeTakenBack: boolean
  takenBackAt: Date | null
  takenBackBy: string | null
  /** Whether its bytes are still there. */
  isKept: boolean
}

export const MAX_STATEMENT_BYTES = 10 * 1024 * 1024
const WEEK_MS = 7 * 86_400_000
const COLUMNS = `id, name, digest, installation, made_by as "madeBy", made_at as "madeAt", looked, looked_at as "lookedAt", wanted,
  claim is not null as "isClaimed", step, done::float8 as done, asked_at as "askedAt", imported_at as "importedAt",
  imported_by as "importedBy", failed, taken_back_at as "takenBackAt", taken_back_by as "takenBackBy", bytes is not null as "isKept",
  exists (select from approvals a where a.merchant_id = 0 and a.kind = 'take-back-statement' and a.subject = f.id
    and a.status = 'approved') as "isToBeTakenBack"`
const ADD = statement(
  'add uploaded statement',
  `insert into statement_files (id, name, bytes, digest, installation, made_by, made_at, looked, wanted)
   values ($1, $2, $3, $4, $5, $6, $7, $8, 'look')`,
)
const FIND = statement<UploadedStatement>(
  'uploaded statement',
  `select ${COLUMNS} from statement_files f where id = $1`,
)
const LATEST = statement<UploadedStatement>(
  'latest uploaded statements',
  `select ${COLUMNS} from statement_files f order by made_at desc, id desc limit 20`,
)
const BYTES = statement<{ bytes: Buffer | null }>(
  'bytes of uploaded statement',
  'select bytes from statement_files where id = $1',
)
const REQUEST_IMPORT = statement<{ id: string }>(
  'import of uploaded statement is wanted',
  `update statement_files set wanted = 'import', asked_by = $2, asked_at = $3, failed = null, claimed_until = null
   where id = $1 and wanted is null and looked_at is not null and imported_at is null and taken_back_at is null and bytes is not null
   returning id`,
)
const DROP = statement(
  'drop old uploaded statements',
  'update statement_files set bytes = null where bytes is not null and wanted is null and made_at <= $1 returning 1',
)

/**
 * Stores a file for a worker, which compares it; nothing is imported. Throws a refusal that names the line that cannot be read, with
 * nothing stored.
 */
export async function uploadStatement(
  gateway: Gateway,
  actor: Actor,
  upload: { name: string; bytes: Buffer; installation: string | null },
): Promise<string> {
  allow(actor, 'statement.import')
  const { name, bytes, installation } = upload
  if (installation !== null && !liveInstallations(gateway).some(({ id }) => id === installation))
    throw domainRefusal('bad_statement', 'there is no such installation')
  const span = await readStatementSpan(gateway, { source: fromBytes(name, bytes), installation })
  const id = newId('stf_', 'platform')
  const at = gateway.clock.now()
  const digest = createHash('sha256').update(bytes).digest()
  const values = [
    cutFileName(name),
    bytes,
    digest,
    installation,
    actorName(actor),
    at.toISOString(),
    serializeNotCompared(span),
  ]
  const act = { actor, action: 'statement.import', at, merchantId: null, subject: id } as const
  await writeInTransaction(gateway.directory, [
    call(ADD, id, ...values),
    auditRow({ ...act, after: { looked: true, digest: digest.toString('hex') } }),
  ])
  wake(gateway)
  return id
}

const wake = ({ cells }: Gateway) => cells[0]?.nudge('import-statements')

/**
 * Requests that a worker imports a file that was compared. Repeated, or by two callers at once, it changes nothing more. Throws Refusal.
 */
export async function importUpload(gateway: Gateway, actor: Actor, id: string): Promise<void> {
  allow(actor, 'statement.import')
  const { importedAt, wanted, isKept, lookedAt, takenBackAt } = await getUpload(gateway, id)
  if (importedAt !== null || wanted === 'import' || takenBackAt !== null) return
  if (!isKept) throw domainRefusal('conflict', 'this file was kept for a week only: upload it again to import it')
  if (lookedAt === null) throw domainRefusal('conflict', 'this file was not looked at yet')
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    const [[requested]] = await tx.send(call(REQUEST_IMPORT, id, actorName(actor), at.toISOString()))
    const act = { actor, action: 'statement.import', at, merchantId: null, subject: id } as const
    return { value: null, last: requested ? [auditRow({ ...act, after: { imported: true } })] : [] }
  })
  wake(gateway)
}

/** The bytes of an uploaded statement; null when they were dropped. */
export async function readUploadBytes({ directory }: Pick<App, 'directory'>, id: string): Promise<Buffer | null> {
  const [row] = await directory.query(BYTES, [id])
  return row?.bytes ?? null
}

/** Reads an uploaded statement. Throws 404. */
export async function getUpload({ directory }: Gateway, id: string): Promise<UploadedStatement> {
  const upload = await firstRow(directory.query(FIND, [id]))
  if (upload === null) throw notFound('statement')
  return upload
}

/** The latest twenty. */
export const listUploads = ({ directory }: Gateway): Promise<UploadedStatement[]> => directory.query(LATEST)

/** Drops the bytes of files that were not imported within a week. Returns how many. */
export async function dropOldUploads({ directory, witness }: App): Promise<number> {
  const old = new Date(witness.earlierMs() - WEEK_MS).toISOString()
  return (await directory.query(DROP, [old])).length
}
