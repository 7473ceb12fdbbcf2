import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { call } from '../../platform/db/database.ts'
import { firstRow } from '../../platform/db/first-row.ts'
import { statement } from '../../platform/db/statement.ts'
import { domainRefusal, notFound } from '../../platform/refusal.ts'
import type { Gateway } from '../../program/app.ts'
import { type Approval, PLATFORM_TAG } from './approval.ts'
import { type Asker, askForApproval } from './ask-for-approval.ts'
import type { Effect } from './effect.ts'

type ImportedStatement = { name: string; digest: string; isBegun: boolean; isTakenBack: boolean }
const SELECT_STATEMENT = `select name, encode(digest, 'hex') as digest, asked_at is not null and wanted is null as "isBegun",
  taken_back_at is not null as "isTakenBack" from statement_files where id = $1`
const FIND = statement<ImportedStatement>('statement to take back', SELECT_STATEMENT)
const LOCK = statement<ImportedStatement>('lock statement to take back', `${SELECT_STATEMENT} for no key update`)

/** Asks to take back a whole imported statement of an operator. Throws Refusal. */
export async function askTakeBack(
  { directory, clock }: Pick<Gateway, 'directory' | 'clock'>,
  caller: Asker,
  { id, reason }: { id: string; reason: string },
): Promise<Approval> {
  allow(caller, 'statement.take-back')
  const { name, digest } = judgeTakeBack(await firstRow(directory.query(FIND, [id])))
  const command = { kind: 'take-back-statement', statement: id, name, digest, reason } as const
  return askForApproval(caller, {
    db: directory,
    clock,
    merchantId: 0,
    tag: PLATFORM_TAG,
    mode: 'live',
    subject: id,
    command,
  })
}

/** Writes only the audit: a worker takes back the approved statement afterwards, in parts, however long it takes. */
export const TAKE_BACK_STATEMENT: Effect<'take-back-statement'> = {
  async run({ tx, actor, approval, command, at }) {
    const [[row]] = await tx.send(call(LOCK, command.statement))
    judgeTakeBack(row ?? null)
    const act = { actor, action: 'statement.take-back', at, merchantId: null } as const
    return [auditRow({ ...act, subject: command.statement, after: { approval, digest: command.digest } })]
  },
  async afterCommit({ cells }) {
    cells[0]?.nudge('import-statements')
  },
}

function judgeTakeBack(imported: ImportedStatement | null): ImportedStatement {
  if (imported === null) throw notFound('statement')
  if (imported.isTakenBack) throw domainRefusal('conflict', 'this statement was taken back already')
  if (!imported.isBegun) throw domainRefusal('conflict', 'nothing of this statement is kept that could be taken back')
  return imported
}
