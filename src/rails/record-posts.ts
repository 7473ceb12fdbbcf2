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

/** The answer to the first post of a movement whose caller waits, and what it writes. Decided on the locked rows. */
type PostRecord = {
  noun: Noun
  row: { merchantId: number; id: string }
  /** The key that waits for the answer; null for a customer on a hosted page. */
  owner: HeldKey | null
  answer: Answer
  evidence: readonly Call[]
  /** Whether an earlier try has written it. */
  isRecorded(locked: LockedPost<string>): boolean
  /** What it writes to the movement and its attempt; nothing when another answer counts by now. */
  shown(locked: LockedPost<string>): readonly Call[]
}

/**
 * Records the answer to a first post and answers its caller. Those that come while one commit is under way share the next one
 * (ledger.md 7). Null when the movement was taken back before.
 */
export const recordPost = (app: App, post: PostRecord): Promise<Answer | null> => records(app).add(post)

const records = defineLane(
  'record posts',
  (app): Batch<PostRecord, Answer | null> =>
    batch({
      // Of two answers about one movement in one batch, the later one gets its own transaction.
      run: (posts, turn) =>
        runApart(posts, nameOf, (some, isWhole) => recordOnce(app, some, isWhole ? turn : {})),
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
    const found = await tx.send(...locks)
    // Read once the movements are locked: whoever finishes one of these keys holds its movement.
    const [keys] = await tx.send(findKeys(posts.flatMap(({ owner }) => owner ?? [])))
    const keyByName = new Map(keys.map((row) => [ownerName(row), row]))
    const lockedById = new Map(found.flat().map((locked) => [locked.id, locked]))
    const kept: PostRecord[] = []
    const writes: Call[] = []
    const evidence: Call[] = []
    for (const post of posts) {
      const locked = lockedById.get(post.row.id)
      assert(locked, 'a live movement has an attempt')
      if (locked.voided) continue
      kept.push(post)
      if (post.isRecorded(locked)) continue
      writes.push(...post.shown(locked))
      evidence.push(...post.evidence)
    }
    const shown = new Set(kept)
    const toldTo = ({ owner, answer }: PostRecord) => {
      const key = owner === null ? undefined : keyByName.get(ownerName(owner))
      return (owner && key && answerFor(owner, key)) ?? answer
    }
    return {
      value: posts.map((post) => done(shown.has(post) ? toldTo(post) : null)),
      // The movements before their keys, as the mover takes them.
      last: joinRows([...writes, ...keysOf(kept), ...evidence]),
    }
  })
}

const keysOf = (posts: readonly PostRecord[]): Call[] =>
  posts
    .flatMap(({ owner, answer }) => (owner === null ? [] : [{ owner, answer }]))
    .sort((a, b) => byOwner(a.owner, b.owner))
    .map(({ owner, answer }) => finishKey(owner, answer))
