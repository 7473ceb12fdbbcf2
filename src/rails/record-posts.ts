import type { App } from '../app.ts'
import type { Answer } from '../http/caller.ts'
import { answerFor, byOwner, findKeys, finishKey, type HeldKey, ownerName } from '../idempotency/keys.ts'
import { assert } from '../platform/assert.ts'
import { type Batch, batch } from '../platform/batch.ts'
import { done, type Outcome, type RunTurn } from '../platform/batch-run.ts'
import { joinRows } from '../platform/db/columns.ts'
import type { Call } from '../platform/db/database.ts'
import { defineLane } from '../platform/lane.ts'
import { runApart } from '../platform/run-apart.ts'
import { type LockedPost, lockPosts, NOUNS, type Noun } from './lock-posts.ts'

/** The answer to the first post of a movement whose caller waits, and the writes for it, which are decided on the locked rows. */
type PostRecord = {
  noun: Noun
  row: { merchantId: number; id: string }
  /** The key that waits for the answer; null for a customer on a hosted page. */
  owner: HeldKey | null
  answer: Answer
  evidence: readonly Call[]
  /** Whether an earlier try has recorded it. */
  isRecorded(locked: LockedPost<string>): boolean
  /** Returns the writes to the movement and its attempt; none when another answer counts by now. */
  shown(locked: LockedPost<string>): readonly Call[]
}

/**
 * Records the answer to a first post and returns the answer for its caller: null when the movement was taken back before. Answers
 * that come while one commit is under way share the next one (ledger.md 7).
 */
export const recordPost = (app: App, post: PostRecord): Promise<Answer | null> => records(app).add(post)

const records = defineLane(
  'record posts',
  (app): Batch<PostRecord, Answer | null> =>
    batch({
      // Where one batch has two answers about the same movement, the later one gets its own transaction.
      run: (posts, turn) =>
        runApart(posts, nameOf, (group, isWhole) => recordOnce(app, group, isWhole ? turn : {})),
      laneOf: ({ row }) => row.merchantId,
      refuses: false,
    }),
)

const nameOf = ({ row }: PostRecord) => `${row.merchantId} ${row.id}`

function recordOnce(
  app: App,
  posts: readonly PostRecord[],
  turn: Partial<RunTurn>,
): Promise<Outcome<Answer | null>[]> {
  return app.db.transactionFor({ kind: 'outcome', ...turn }, async (tx) => {
    const locks = NOUNS.flatMap((noun) => {
      const rows = posts.flatMap((post) => (post.noun === noun ? [post.row] : []))
      return rows.length === 0 ? [] : [lockPosts(noun, rows)]
    })
    const lockedRows = await tx.send(...locks)
    // Read after the movements are locked, because a transaction that finishes one of these keys holds its movement.
    const [keys] = await tx.send(findKeys(posts.flatMap(({ owner }) => owner ?? [])))
    const keyByName = new Map(keys.map((row) => [ownerName(row), row]))
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
      writes.push(...post.shown(locked))
      evidence.push(...post.evidence)
    }
    const recorded = new Set(standing)
    const answerTo = ({ owner, answer }: PostRecord) => {
      const key = owner === null ? undefined : keyByName.get(ownerName(owner))
      return (owner && key && answerFor(owner, key)) ?? answer
    }
    return {
      value: posts.map((post) => done(recorded.has(post) ? answerTo(post) : null)),
      // Movements are written before their keys, in the lock order of the mover.
      last: joinRows([...writes, ...keysOf(standing), ...evidence]),
    }
  })
}

const keysOf = (posts: readonly PostRecord[]): Call[] =>
  posts
    .flatMap(({ owner, answer }) => (owner === null ? [] : [{ owner, answer }]))
    .sort((a, b) => byOwner(a.owner, b.owner))
    .map(({ owner, answer }) => finishKey(owner, answer))
