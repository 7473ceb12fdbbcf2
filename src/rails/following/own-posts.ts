import { defineLane, type Lane } from '../../platform/batches/lane.ts'
import { crashPoint } from '../../platform/processes/crash-point.ts'
import { parseTagOfAnyPrefix } from '../../platform/text/ids.ts'
import { msLeft, type TimeSpan } from '../../platform/time/clock.ts'
import type { Moment } from '../../platform/time/moment.ts'
import type { App } from '../../program/app.ts'
import { callbackDigestFor, isSameDigest } from '../callback-token.ts'
import type { OperatorCallback } from '../callbacks.ts'
import type { TravellingNoun } from '../lock-movements.ts'
import type { Followed, Movable, Mover } from '../mover.ts'
import { askAboutMovement, type HeardCallback, QUESTION_DEADLINE_MS } from './ask.ts'
import { followSafely } from './follow-safely.ts'
import { type QuestionPlaces, questionPlaces } from './question-places.ts'

// The operator of most charges calls back while the process that posted it still knows all about it. Such a callback writes nothing: it
// leads to the question at once, and the commit that ends the charge stores it (rails.md 4.3). Nothing about money is only in memory:
// where this process dies, the ladder asks.

/** A charge that this process posts and keeps until its operator has called back, or somebody else may ask about it. */
export type OwnPost = {
  /** The acceptance is stored, and nobody else asks about the charge until `until` is over. */
  accepted(post: AcceptedPost): void
  /** Anything else was stored: the charge goes the way of all others. */
  leave(): void
}
type AcceptedPost = { row: Followed<Movable, string>; until: TimeSpan; ask(question: OwnQuestion): Promise<boolean> }
type OwnQuestion = { deadlineMs: number; onAnswer(): void; heard: HeardCallback }

/** A callback that waits for its question. `otherwise` stores it the way of all others. */
type Waiting = HeardCallback & { otherwise(): Promise<void> }
/** `id` of the charge, `digest` of the token of its callbacks. */
type KeptPost = { id: string; digest: Buffer; heard: Waiting | null; accepted: AcceptedPost | null }

const MAX_KEPT = 20_000
// A question that is begun later than this before the end of the time might be asked twice.
const MIN_LEFT_MS = 2000

const NOT_KEPT: OwnPost = { accepted: () => {}, leave: () => {} }

const postsOfCell = defineLane('callbacks of own posts', (app) => new OwnPosts(app, questionPlaces(app, 'charge')))

/** Keeps a charge that this process is about to post. The caller must call one of the two functions in the end. */
export function keepOwnPost(app: App, noun: TravellingNoun, { id, railReference, channel }: Movable): OwnPost {
  if (noun !== 'charge' || railReference === null) return NOT_KEPT
  const digest = callbackDigestFor(app, { reference: railReference, channel })
  return digest === null ? NOT_KEPT : postsOfCell(app).keep(id, digest)
}

/** Takes a callback about a charge that this process keeps. False where it does not: then the caller stores it. */
export const hearOwnPost = (app: App, callback: OperatorCallback, otherwise: () => Promise<void>): boolean =>
  postsOfCell(app).hear(callback, otherwise)

type TakenPost<Row, Failure extends string> = {
  mover: Mover<Row & Movable, Failure>
  row: Row
  installation: string
  mark: Moment
}

/**
 * Builds the movement as its acceptance left it, with the question about it. `sinceMs`: before the acceptance was stored, so that its first
 * question by anybody else is no sooner than counted here.
 */
export function buildAcceptedPost<Row extends Movable, Failure extends string>(
  app: App,
  { mover, row, installation, mark }: TakenPost<Row, Failure>,
  { nth, sinceMs }: { nth: number; sinceMs: number },
): AcceptedPost {
  const followed: Followed<Row, Failure> = {
    ...row,
    ...{ tag: parseTagOfAnyPrefix(row.id) ?? '', installation, state: 'accepted', nth, reposts: 0 },
    ...{ firstSentAt: mark.at, sendingSince: mark.at, submitEndedAt: new Date(sinceMs), questionCount: 0 },
    ...{ notFoundCount: 0, firstNotFoundAt: null, refusedAs: null, refusalToConfirm: false },
    ...{ callbackSeenAt: null, lastAnswer: null },
  }
  const until = { fromMs: sinceMs, untilMs: sinceMs + (app.ladders.of(installation).firstMs[0] ?? 0) }
  const ask: AcceptedPost['ask'] = ({ deadlineMs, onAnswer, heard }) =>
    followSafely(app, mover, followed, () =>
      askAboutMovement(app, mover, { row: followed, deadline: app.deadlineIn(deadlineMs), onAnswer, heard }),
    )
  return { row: followed, until, ask }
}

class OwnPosts implements Lane {
  readonly #app: App
  readonly #places: QuestionPlaces
  readonly #kept = new Map<string, KeptPost>()
  /** Those that wait for a place, by installation. */
  readonly #waiting = new Map<string, KeptPost[]>()
  readonly #working = new Set<Promise<void>>()

  constructor(app: App, places: QuestionPlaces) {
    this.#app = app
    this.#places = places
    places.onFree(() => this.#startWaiting())
  }

  keep(id: string, digest: Buffer): OwnPost {
    this.#forgetOver()
    if (this.#kept.size >= MAX_KEPT) return NOT_KEPT
    const post: KeptPost = { id, digest, heard: null, accepted: null }
    this.#kept.set(id, post)
    return {
      accepted: (accepted) => {
        post.accepted = accepted
        if (post.heard !== null) this.#queue(post, accepted)
      },
      leave: () => this.#leave(post),
    }
  }

  hear(callback: OperatorCallback, otherwise: () => Promise<void>): boolean {
    const post = callback.subject === null ? undefined : this.#kept.get(callback.subject)
    if (post === undefined || !isSameDigest(callback.digest, post.digest)) return false
    const { accepted, heard } = post
    if (accepted !== null && this.#leftMs(accepted) < MIN_LEFT_MS) {
      this.#kept.delete(post.id)
      return false
    }
    if (heard !== null) {
      heard.times += 1
      return true
    }
    crashPoint('charge.called-back')
    post.heard = { at: this.#app.clock.now(), times: 1, bodySha256: callback.bodySha256, isStored: false, otherwise }
    if (accepted !== null) this.#queue(post, accepted)
    return true
  }

  waiting(): number {
    return this.#working.size + [...this.#waiting.values()].reduce((sum, posts) => sum + posts.length, 0)
  }

  async idle(): Promise<void> {
    // Those that wait are started when a question of the follower gives its place back.
    while (this.waiting() > 0) await (this.#working.size > 0 ? Promise.all(this.#working) : this.#places.empty())
  }

  #leftMs = ({ until }: AcceptedPost): number => msLeft(until, this.#app.clock.nowMs())

  /** They stand in the order of their posts, so those whose time is over come first. */
  #forgetOver(): void {
    for (const { id, accepted } of this.#kept.values()) {
      if (accepted === null || this.#leftMs(accepted) > 0) return
      this.#kept.delete(id)
    }
  }

  #leave(post: KeptPost): void {
    this.#kept.delete(post.id)
    if (post.heard !== null) this.#run(post.heard.otherwise())
    post.heard = null
  }

  #queue(post: KeptPost, { row: { installation } }: AcceptedPost): void {
    const waiting = this.#waiting.get(installation)
    if (waiting === undefined) this.#waiting.set(installation, [post])
    else waiting.push(post)
    this.#startWaiting()
  }

  #startWaiting(): void {
    for (const [installation, posts] of this.#waiting) {
      while (posts.length > 0 && this.#places.freeFor(installation) > 0) this.#start(posts.shift() as KeptPost)
      if (posts.length === 0) this.#waiting.delete(installation)
    }
  }

  #start(post: KeptPost): void {
    const { accepted, heard } = post
    if (accepted === null || heard === null || this.#leftMs(accepted) < MIN_LEFT_MS) {
      this.#leave(post)
      return
    }
    // From now on every further callback about it is stored.
    this.#kept.delete(post.id)
    this.#places.take(accepted.row.installation, (onAnswer) => this.#run(this.#ask(accepted, heard, onAnswer)))
  }

  async #ask(accepted: AcceptedPost, heard: Waiting, onAnswer: () => void): Promise<void> {
    const { row } = accepted
    try {
      if (!(await mayAsk(this.#app, row.installation))) return
      const deadlineMs = Math.min(this.#leftMs(accepted), QUESTION_DEADLINE_MS)
      // Where the answer could not be written, the callback is not stored with it either.
      if (!(await accepted.ask({ deadlineMs, onAnswer, heard }))) heard.isStored = false
    } catch (error) {
      heard.isStored = false
      this.#app.log.warn(
        { err: error, object_id: row.id },
        'a charge that was called back about waits for the database',
      )
    } finally {
      if (!heard.isStored) await heard.otherwise()
    }
  }

  #run(work: Promise<void>): Promise<void> {
    const watched = work
      .catch((error) => this.#app.log.warn({ err: error }, 'a callback was not noted; it is asked anyway'))
      .finally(() => this.#working.delete(watched))
    this.#working.add(watched)
    return watched
  }
}

/** Takes a question from the budget of the contract, where it has one. */
async function mayAsk({ statusBudget }: App, installation: string): Promise<boolean> {
  if (!statusBudget.limited().includes(installation)) return true
  if (statusBudget.waitMs(installation, [0]) > 0) return false
  return (await statusBudget.takeTurn(installation, [0], 1)).count === 1
}
