import { assert } from '../../../platform/assert.ts'
import { isTemporary } from '../../../platform/db/errors.ts'
import { crashPoint } from '../../../platform/processes/crash-point.ts'
import { domainRefusal, Refusal } from '../../../platform/refusal.ts'
import { newId } from '../../../platform/text/ids.ts'
import type { App } from '../../../program/app.ts'
import { dryRunStatement, importWithId, type StatementGateway } from './import-statement.ts'
import type { StatementSpan } from './statement-differences.ts'
import { fromBytes } from './statement-file.ts'
import { claimedJob, claimJob, LostJob, type StatementJob, serializeFindings, storeSpan } from './statement-jobs.ts'
import { takeBack } from './take-back-statement.ts'
import { readUploadBytes } from './uploaded-statements.ts'

/**
 * Compares statements, imports them and takes them back, one file a run and in one process at a time: the task of the first cell works
 * for all of them. Returns 1 when there was one. A file of a process that died is claimed again once its lease has expired; nothing is
 * done twice.
 */
export async function workOnStatements(app: App): Promise<number> {
  if (app.allCells()[0] !== app) return 0
  const claim = newId('run_', 'platform')
  const job = await claimJob(app, claim)
  if (job === null) return 0
  crashPoint('statement.claimed')
  const claimed = claimedJob(app, job.id, claim)
  await work(app, { job, claimed }).catch((error) => afterFault(error, { job, claimed }))
  return 1
}

const MAX_TRIES = 5
// The database may be away; another worker repeats the work.
const RETRY_MS = 5000
const RETRY_FAULT_MS = 60_000

type ClaimedJob = ReturnType<typeof claimedJob>
type StatementWork = { job: StatementJob; claimed: ClaimedJob }

async function work(app: App, { job, claimed }: StatementWork): Promise<void> {
  const gateway = statementGateway(app)
  const { went } = claimed
  if (job.approvedBy !== null) {
    await takeBack(gateway, job, went)
    await claimed.takenBack(job.approvedBy)
    return
  }
  const bytes = await readUploadBytes(app, job.id)
  if (bytes === null)
    throw domainRefusal('conflict', 'this file was kept for a week only: upload it again to import it')
  const { id, name, installation } = job
  const input = { source: fromBytes(name, bytes), installation, period: null, went }
  if (job.wanted === 'look')
    return void (await claimed.looked(serializeFindings(await dryRunStatement(gateway, input))))
  const by = job.askedBy ?? ''
  const begun = ({ span }: { span: StatementSpan }) => storeSpan(app, id, span)
  const done = await importWithId(gateway, by, { ...input, importId: id, begun })
  crashPoint('statement.covered')
  await claimed.imported(serializeFindings(done))
}

function statementGateway(app: App): StatementGateway {
  const cells = app.allCells()
  return {
    ...{ ...app, cells },
    appOf({ cell }) {
      const served = cells.find((other) => other.cell === cell)
      assert(served, 'a merchant has a cell')
      return served
    },
  }
}

/** Handles an error: a wrong file fails, a passing error is retried, and any other is not retried for ever. */
async function afterFault(error: unknown, { job, claimed }: StatementWork): Promise<void> {
  if (error instanceof LostJob) return
  if (error instanceof Refusal && job.approvedBy === null) return void (await claimed.failed(error.message))
  const passes = isTemporary(error)
  if (!passes && job.approvedBy === null && job.tries >= MAX_TRIES)
    await claimed.failed(`it failed ${job.tries} times: the log of the worker says why`)
  else await claimed.release(passes ? RETRY_MS : RETRY_FAULT_MS).catch(() => {})
  throw error
}
