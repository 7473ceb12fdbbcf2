import { askTakeBack } from '../../operations/approvals/take-back-statement.ts'
import { computeStatementState } from '../../operations/reconciliation/statements/statement-state.ts'
import { listUploads, type UploadedStatement } from '../../operations/reconciliation/statements/uploaded-statements.ts'
import { answerRows, command } from './frame/command.ts'
import { requireText } from './frame/input.ts'
import { WrongUsage } from './frame/wrong-usage.ts'

const presentUpload = (uploadedStatement: UploadedStatement) => ({
  id: uploadedStatement.id,
  file: uploadedStatement.name,
  installation: uploadedStatement.installation,
  state: computeStatementState(uploadedStatement),
  from: uploadedStatement.looked.from,
  to: uploadedStatement.looked.to,
  made_by: uploadedStatement.madeBy,
  made_at: uploadedStatement.madeAt.toISOString(),
  imported_at: uploadedStatement.importedAt?.toISOString() ?? null,
})

const list = command({
  usage: 'statements list',
  says: 'the latest twenty statements of an operator that were uploaded or imported, and how far each is',
  async run({ gateway }) {
    return answerRows(await listUploads(gateway), {
      none: 'no statement was imported yet',
      present: presentUpload,
      lines: (uploadedStatement) =>
        `${uploadedStatement.id} ${computeStatementState(uploadedStatement).padEnd(11)} ${uploadedStatement.name}, ${uploadedStatement.looked.from} to ${uploadedStatement.looked.to}, by ${uploadedStatement.madeBy}`,
    })
  },
})

const takeBack = command({
  usage: 'statements take-back --id X --reason R',
  says: 'ask for an import to be taken back whole, with the exceptions that stand on it alone; an operator approves it on the console',
  async run(input) {
    const id = requireText(input, 'id')
    if (!/^stf_[a-z0-9]{16,40}$/.test(id)) throw new WrongUsage('--id must look like stf_...')
    const approval = await askTakeBack(input.gateway, input.actor, {
      id,
      reason: requireText(input, 'reason'),
    })
    const json = { statement: id, approval: approval.id, expires_at: approval.expiresAt.toISOString() }
    return { json, lines: [`${approval.id} waits for an operator on /console/approvals`] }
  },
})

export const statementCommands = [list, takeBack]
