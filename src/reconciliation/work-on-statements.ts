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
 * Looks at statements, imports them and takes them back, one file a run and in one process at a time: the first cell's task does it for
 * all of them. Answers 1 when there was one. What a process that dies leaves is taken up again once its lease has ended; nothing is done
 * twice by that.
 */
export async function workOnStatements(app: App): Promise<number> {
  if (app.allCells()[0] !== app) return 0
  const claim = newId('run_', 'platform')
  const job = await claimJob(app, claim)
  if (job === null) return 0
  crashPoint('statement.claimed')
  const mine = claimedJob(app, job.id, claim)
  await work(app, { job, mine }).catch((error) => afterFault(error, { job, mine }))
  return 1
}

const MOST_TRIES = 5
// The database may be away; the same work is done again by whoever comes first.
const AGAIN_MS = 5000
const MUCH_LATER_MS = 60_000

type Mine = ReturnType<typeof claimedJob>
type Working = { job: StatementJob; mine: Mine }

async function work(app: App, { job, mine }: Working): Promise<void> {
  const gateway = placesOf(app)
  const { went } = mine
  if (job.approvedBy !== null) {
    await takeBack(gateway, job, went)
    await mine.takenBack(job.approvedBy)
    return
  }
  const bytes = await bytesOf(app, job.id)
  if (bytes === null)
    throw domainRefusal('conflict', 'this file was kept for a week only: upload it again to import it')
  const { id, name, installation } = job
  const wanted = { source: fromBytes(name, bytes), installation, period: null, went }
  if (job.wanted === 'look') return void (await mine.looked(keptLook(await lookAtStatement(gateway, wanted))))
  const by = job.askedBy ?? ''
  const begun = ({ span }: { span: Period }) => keepSpan(app, id, span)
  const done = await importAs(gateway, by, { ...wanted, importId: id, begun })
  crashPoint('statement.covered')
  await mine.imported(keptLook(done))
}

function placesOf(app: App): Places {
  const cells = app.allCells()
  return {
    ...{ ...app, cells },
    appOf({ cell }) {
      const found = cells.find((one) => one.cell === cell)
      assert(found, 'a merchant has a cell')
      return found
    },
  }
}

/** What the file says wrong ends it; what passes is tried again, and what does not pass is not tried for ever. */
async function afterFault(error: unknown, { job, mine }: Working): Promise<void> {
  if (error instanceof LostJob) return
  if (error instanceof Refusal && job.approvedBy === null) return void (await mine.failed(error.message))
  const passes = isPassing(error)
  if (!passes && job.approvedBy === null && job.tries >= MOST_TRIES)
    await mine.failed(`it failed ${job.tries} times: the log of the worker says why`)
  else await mine.release(passes ? AGAIN_MS : MUCH_LATER_MS).catch(() => {})
  throw error
}
