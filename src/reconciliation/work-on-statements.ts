import type { App } from '../app.ts'
import { assert } from '../platform/assert.ts'
import { crashPoint } from '../platform/crash-point.ts'
import { isPassing } from '../platform/db/errors.ts'
import { newId } from '../platform/ids.ts'
import { domainRefusal, Refusal } from '../platform/refusal.ts'
import { importAs, lookAtStatement, type Places } from './import-statement.ts'
import type { Period } from './statement-differences.ts'
import { fromBytes } from './statement-file.ts'
import { claimedJob, claimJob, keepSpan, keptLook, LostJob, type StatementJob } from './statement-jobs.ts'
import { takeBack } from './take-back-statement.ts'
import { bytesOf } from './uploaded-statements.ts'

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

const MOST_TRIES = 5
// The database may be away; another worker repeats the work.
const AGAIN_MS = 5000
const MUCH_LATER_MS = 60_000

type Mine = ReturnType<typeof claimedJob>
type Working = { job: StatementJob; claimed: Mine }

async function work(app: App, { job, claimed }: Working): Promise<void> {
  const gateway = placesOf(app)
  const { went } = claimed
  if (job.approvedBy !== null) {
    await takeBack(gateway, job, went)
    await claimed.takenBack(job.approvedBy)
    return
  }
  const bytes = await bytesOf(app, job.id)
  if (bytes === null)
    throw domainRefusal('conflict', 'this file was kept for a week only: upload it again to import it')
  const { id, name, installation } = job
  const input = { source: fromBytes(name, bytes), installation, period: null, went }
  if (job.wanted === 'look')
    return void (await claimed.looked(keptLook(await lookAtStatement(gateway, input))))
  const by = job.askedBy ?? ''
  const begun = ({ span }: { span: Period }) => keepSpan(app, id, span)
  const done = await importAs(gateway, by, { ...input, importId: id, begun })
  crashPoint('statement.covered')
  await claimed.imported(keptLook(done))
}

function placesOf(app: App): Places {
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
async function afterFault(error: unknown, { job, claimed }: Working): Promise<void> {
  if (error instanceof LostJob) return
  if (error instanceof Refusal && job.approvedBy === null) return void (await claimed.failed(error.message))
  const passes = isPassing(error)
  if (!passes && job.approvedBy === null && job.tries >= MOST_TRIES)
    await claimed.failed(`it failed ${job.tries} times: the log of the worker says why`)
  else await claimed.release(passes ? AGAIN_MS : MUCH_LATER_MS).catch(() => {})
  throw error
}
