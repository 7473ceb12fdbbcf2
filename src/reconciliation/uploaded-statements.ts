import { createHash } from 'node:crypto'
import { type Actor, nameOf } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { App, Gateway } from '../app.ts'
import { call } from '../platform/db/database.ts'
import { firstRow } from '../platform/db/first-row.ts'
import { statement } from '../platform/db/statement.ts'
import { writeAll } from '../platform/db/write-all.ts'
import { newId } from '../platform/ids.ts'
import { domainRefusal, notFound } from '../platform/refusal.ts'
import { importAs, lookAtStatement } from './import-statement.ts'
import type { Leg } from './leg.ts'
import type { Difference } from './statement-differences.ts'
import { fromBytes } from './statement-file.ts'

/** What a dry run has found. At most so many differences of each kind are kept; `counts` has all of them. */
export type KeptLook = {
  leg: Leg
  from: string
  to: string
  counts: Readonly<Partial<Record<Difference['kind'], number>>>
  differences: Pick<Difference, 'kind' | 'subject' | 'details'>[]
}
/** A statement that somebody has uploaded and looked at. */
export type UploadedStatement = {
  id: string
  name: string
  digest: Buffer
  installation: string | null
  madeBy: string
  madeAt: Date
  looked: KeptLook
  importedAt: Date | null
  importedBy: string | null
  /** Whether its bytes are still there. */
  isKept: boolean
}

export const MOST_STATEMENT_BYTES = 10 * 1024 * 1024
const MOST_NAME = 255
const WEEK_MS = 7 * 86_400_000
const COLUMNS = `id, name, digest, installation, made_by as "madeBy", made_at as "madeAt", looked, imported_at as "importedAt",
  imported_by as "importedBy", bytes is not null as "isKept"`
const ADD = statement(
  'add uploaded statement',
  `insert into statement_files (id, name, bytes, digest, installation, made_by, made_at, looked)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
)
const FIND = statement<UploadedStatement>(
  'uploaded statement',
  `select ${COLUMNS} from statement_files where id = $1`,
)
const LATEST = statement<UploadedStatement>(
  'latest uploaded statements',
  `select ${COLUMNS} from statement_files order by made_at desc, id desc limit 20`,
)
const BYTES = statement<{ bytes: Buffer | null }>(
  'bytes of uploaded statement',
  'select bytes from statement_files where id = $1',
)
const IMPORTED = statement(
  'uploaded statement is imported',
  `update statement_files set imported_at = $2, imported_by = $3, bytes = null where id = $1 and imported_at is null`,
)
const DROP = statement(
  'drop old uploaded statements',
  'update statement_files set bytes = null where bytes is not null and made_at <= $1 returning 1',
)

/** Keeps a file with what a dry run finds in it; nothing is imported. Throws a refusal that names the line that cannot be read. */
export async function lookAtUpload(
  gateway: Gateway,
  actor: Actor,
  upload: { name: string; bytes: Buffer; installation: string | null },
): Promise<string> {
  allow(actor, 'statement.import')
  const { name, bytes, installation } = upload
  const known = gateway.rails.live.op1_momo?.installations ?? []
  if (installation !== null && !known.some(({ id }) => id === installation))
    throw domainRefusal('bad_statement', 'there is no such installation')
  const { leg, period, counts, kept } = await lookAtStatement(gateway, {
    ...{ source: fromBytes(name, bytes), installation, period: null },
  })
  const id = newId('stf_', 'platform')
  const at = gateway.clock.now()
  const looked: KeptLook = {
    ...{ leg, from: period.from.toISOString(), to: period.to.toISOString() },
    ...{ counts, differences: kept },
  }
  const digest = createHash('sha256').update(bytes).digest()
  const cut = name.slice(0, MOST_NAME) || 'statement'
  const values = [
    id,
    cut,
    bytes,
    digest,
    installation,
    nameOf(actor),
    at.toISOString(),
    JSON.stringify(looked),
  ]
  const act = { actor, action: 'statement.import', at, merchantId: null, subject: id } as const
  await writeAll(gateway.directory, [
    call(ADD, ...values),
    auditRow({ ...act, after: { looked: true, digest: digest.toString('hex') } }),
  ])
  return id
}

/** Imports a file that somebody has looked at. Again, or by two at once, it changes nothing more. Throws Refusal. */
export async function importUpload(gateway: Gateway, actor: Actor, id: string): Promise<void> {
  allow(actor, 'statement.import')
  const { name, installation, importedAt } = await getUpload(gateway, id)
  if (importedAt !== null) return
  const [row] = await gateway.directory.query(BYTES, [id])
  if (!row?.bytes)
    throw domainRefusal('conflict', 'this file was kept for a week only: upload it again to import it')
  const source = fromBytes(name, row.bytes)
  await importAs(gateway, actor, { source, installation, period: null, dryRun: false, importId: id })
  await gateway.directory.query(IMPORTED, [id, gateway.clock.now().toISOString(), nameOf(actor)])
}

/** An uploaded statement, or 404. */
export async function getUpload({ directory }: Gateway, id: string): Promise<UploadedStatement> {
  const found = await firstRow(directory.query(FIND, [id]))
  if (found === null) throw notFound('statement')
  return found
}

/** The latest twenty. */
export const latestUploads = ({ directory }: Gateway): Promise<UploadedStatement[]> => directory.query(LATEST)

/** Drops the bytes of what nobody has imported for a week. Answers how many. */
export async function dropOldUploads({ directory, witness }: App): Promise<number> {
  const old = new Date(witness.earlierMs() - WEEK_MS).toISOString()
  return (await directory.query(DROP, [old])).length
}
