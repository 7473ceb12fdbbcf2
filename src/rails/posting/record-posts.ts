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
import { isGuardBroken } from '../../platform/db/guarded.ts'
import type { App } from '../../program/app.ts'
import { acceptFirstPosts } from '../attempts.ts'
import { type LockedMovement, lockMovements, TRAVELLING_NOUNS, type TravellingNoun } from '../lock-movements.ts'
import type { NewlyAccepted } from '../mover.ts'

/** The answer to the first post of a movement whose caller waits, and the writes for it, which are decided on the locked rows. */
type PostRecord = {
  noun: TravellingNoun
  row: { merchantId: number; id: string }
  /** The key that waits for the answer; null where none does. */
  owner: RunningKey | null
  answer: Answer
  evidence: readonly Call[]
  /** Whether an earlier try has recorded it. */
  isRecorded(locked: LockedMovement<string>): boolean
  /** An acceptance that needs no look at the rows where nobody else has touched them; null for every other answer. */
  acceptance: PlainAcceptance | null
  /** Returns the writes to the movement and its attempt; none when another answer counts by now. */
  movementWrites(locked: LockedMovement<string>): readonly Call[]
}

/** The reference of the attempt, when its submit ended, when it is asked about first, and how its noun shows several. */
type PlainAcceptance = {
  reference: string
  submitEndedAt: Date
  followAt(): Date
  publishNew(rows: readonly NewlyAccepted[]): Call
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
        runDistinct(posts, movementKey, async (group, isWhole) => {
          const own = isWhole ? turn : {}
          return (await recordPlainly(app, group, own)) ?? recordOnLockedRows(app, group, own)
        }),
      keyOf: ({ row }) => row.merchantId,
      refuses: false,
    }),
)

const movementKey = ({ row }: PostRecord) => `${row.merchantId} ${row.id}`

/**
 * Records acceptances in one flush, without reading anything first. Null where a key waits, or something is not as this process knows it:
 * then nothing was written. Locks in the order of everybody: movements before attempts.
 */
async function recordPlainly(
  app: App,
  posts: readonly PostRecord[],
  turn: Partial<BatchTurn>,
): Promise<ItemOutcome<Answer | null>[] | null> {
  const [first] = posts
  const rows = posts.flatMap(({ noun, row, owner, acceptance }) =>
    noun !== first?.noun || owner !== null || acceptance === null
      ? []
      : [{ merchantId: row.merchantId, id: row.id, ...acceptance, followAt: acceptance.followAt() }],
  )
  const publishNew = first?.acceptance?.publishNew
  if (publishNew === undefined || rows.length < posts.length) return null
  rows.sort((a, b) => a.merchantId - b.merchantId || (a.id < b.id ? -1 : 1))
  const evidence = joinRowCalls(posts.flatMap((post) => post.evidence))
  const last = [publishNew(rows), acceptFirstPosts(rows), ...evidence]
  const value = posts.map(({ answer }) => itemDone<Answer | null>(answer))
  try {
    return await app.db.transactionFor({ kind: 'outcome', ...turn }, async () => ({ value, last }))
  } catch (error) {
    if (isGuardBroken(error)) return null
    throw error
  }
}

function recordOnLockedRows(
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
    const owners = posts.flatMap(({ owner }) => owner ?? [])
    const [keys] = owners.length === 0 ? [[]] : await tx.send(findKeys(owners))
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
