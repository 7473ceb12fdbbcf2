import type { Answer } from '../../api/http/answer.ts'
import {
  answerForObject,
  compareKeyOwners,
  findKeys,
  finishKey,
  formatKeyOwner,
  type RunningKey,
} from '../../api/idempotency/keys.ts'
import { assert } from '../../platform/assert.ts'
import { type Batch, newBatch } from '../../platform/batches/batch.ts'
import { type BatchTurn, type ItemOutcome, itemDone } from '../../platform/batches/batch-run.ts'
import { defineLane } from '../../platform/batches/lane.ts'
import { runDistinct } from '../../platform/batches/run-distinct.ts'
import { joinRowCalls } from '../../platform/db/columns.ts'
import type { Call } from '../../platform/db/database.ts'
import type { App } from '../../program/app.ts'
import { type LockedMovement, lockMovements, TRAVELLING_NOUNS, type TravellingNoun } from '../lock-movements.ts'

/** The answer to the first post of a movement whose caller waits, and the writes for it, which are decided on the locked rows. */
type PostRecord = {
  noun: TravellingNoun
  row: { merchantId: number; id: string }
  /** The key that waits for the answer; null for a customer on a hosted page. */
  owner: RunningKey | null
  answer: Answer
  evidence: readonly Call[]
  /** Whether an earlier try has recorded it. */
  isRecorded(locked: LockedMovement<string>): boolean
  /** Returns the writes to the movement and its attempt; none when another answer counts by now. */
  movementWrites(locked: LockedMovement<string>): readonly Call[]
}

/**
 * Records the answer to a first post and returns the answer for its caller: null when the movement was taken back before. Answers
 * that come while one commit is under way share the next one (ledger.md 7).
 */
export const recordPost = (app: App, post: PostRecord): Promise<Answer | null> => postRecordLane(app).add(post)

const postRecordLane = defineLane(
  'record posts',
  (app): Batch<PostRecord, Answer | null> =>
    newBatch({
      // Where one batch has two answers about the same movement, the later one gets its own transaction.
      run: (posts, turn) =>
        runDistinct(posts, movementKey, (group, isWhole) => recordOnce(app, group, isWhole ? turn : {})),
      keyOf: ({ row }) => row.merchantId,
      refuses: false,
    }),
)

const movementKey = ({ row }: PostRecord) => `${row.merchantId} ${row.id}`

function recordOnce(
  app: App,
  posts: readonly PostRecord[],
  turn: Partial<BatchTurn>,
): Promise<ItemOutcome<Answer | null>[]> {
  return app.db.transactionFor({ kind: 'outcome', ...turn }, async (tx) => {
    const locks = TRAVELLING_NOUNS.flatMap((noun) => {
      const rows = posts.flatMap((post) => (post.noun === noun ? [post.row] : []))
      return rows.length === 0 ? [] : [lockMovements(noun, rows)]
    })
    const lockedRows = await tx.send(...locks)
    // Read after the movements are locked, because a transaction that finishes one of these keys holds its movement.
    const [keys] = await tx.send(findKeys(posts.flatMap(({ owner }) => owner ?? [])))
    const keyByName = new Map(keys.map((row) => [formatKeyOwner(row), row]))
    const lockedById = new Map(lockedRows.flat().map((locked) => [locked.id, locked]))
    const standing: PostRecord[] = []
    const writes: Call[] = []
    const evidence: Call[] = []
    for (const post of posts) {
      const locked = lockedById.get(post.row.id)
      assert(locked, 'a live movement has an attempt')
      if (locked.voided) continue
      standing.push(post)
      if (post.isRecorded(locked)) continue
      writes.push(...post.movementWrites(locked))
      evidence.push(...post.evidence)
    }
    const recorded = new Set(standing)
    const answerTo = ({ owner, answer }: PostRecord) => {
      const key = owner === null ? undefined : keyByName.get(formatKeyOwner(owner))
      return (owner && key && answerForObject(owner, key)) ?? answer
    }
    return {
      value: posts.map((post) => itemDone(recorded.has(post) ? answerTo(post) : null)),
      // Movements are written before their keys, in the lock order of the mover.
      last: joinRowCalls([...writes, ...finishKeysOf(standing), ...evidence]),
    }
  })
}

const finishKeysOf = (posts: readonly PostRecord[]): Call[] =>
  posts
    .flatMap(({ owner, answer }) => (owner === null ? [] : [{ owner, answer }]))
    .sort((a, b) => compareKeyOwners(a.owner, b.owner))
    .map(({ owner, answer }) => finishKey(owner, answer))
