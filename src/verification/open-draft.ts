import type { PersonCaller } from '../actors/actor.ts'
import type { App } from '../app.ts'
import { merchantsById } from '../merchants/merchant.ts'
import { assert } from '../platform/assert.ts'
import type { Tx, Work } from '../platform/db/database.ts'
import { againWhenTaken } from '../platform/db/taken.ts'
import { Refusal } from '../platform/refusal.ts'
import { answersOf, openAnswers, saveAnswers } from './answers.ts'
import type { Application, ApplicationKey } from './application.ts'
import { type Answers, STEPS, type Step } from './steps.ts'
import { lockLatest, openApplication } from './write-application.ts'

/**
 * Changes the draft of a merchant in one commit. The first change opens it; the first change after a rejection opens the next one with
 * the answers of the rejected one. Throws 409 while an application is under review, and after one was approved.
 */
export const inDraft = <T>(
  app: App,
  { merchantId, name }: Pick<PersonCaller, 'merchantId' | 'name'>,
  change: (tx: Tx, draft: ApplicationKey) => ReturnType<Work<T>>,
): Promise<T> =>
  // Of two changes that open it at once, one fails and is retried: then it finds the draft open.
  againWhenTaken(() =>
    app.db.transactionFor({ of: merchantId }, async (tx) => {
      const [[latest]] = await tx.send(lockLatest(merchantId))
      const draft = await draftAfter(app, tx, { latest, merchantId, by: name })
      return change(tx, draft)
    }),
  )

async function draftAfter(
  app: App,
  tx: Tx,
  { latest, merchantId, by }: { latest: Application | undefined; merchantId: number; by: string },
): Promise<ApplicationKey> {
  if (latest?.state === 'draft') return latest
  if (latest?.state === 'submitted') throw underReview()
  const [[merchant]] = await tx.send(merchantsById([merchantId]))
  assert(merchant, 'a caller has a merchant')
  if (merchant.kycStatus === 'verified') throw verifiedAlready()
  const draft = { merchantId, number: (latest?.number ?? 0) + 1 }
  const at = app.clock.now()
  await tx.send(openApplication(draft, at))
  if (latest !== undefined) await copyAnswers(app, tx, { from: latest, to: draft, at, by })
  return draft
}

/** Copies answers to another application. They are sealed again, because each is bound to its application. */
export async function copyAnswers(
  app: App,
  tx: Tx,
  { from, to, at, by }: { from: ApplicationKey; to: ApplicationKey; at: Date; by: string },
): Promise<void> {
  const [rows] = await tx.send(answersOf(from))
  const answers = openAnswers(app, from, rows)
  const copied = STEPS.flatMap((step) => copyOf(app, { to, step, answers, at, by }))
  if (copied.length > 0) await tx.send(...copied)
}

function copyOf<S extends Step>(
  app: App,
  {
    to,
    step,
    answers,
    at,
    by,
  }: { to: ApplicationKey; step: S; answers: Partial<Answers>; at: Date; by: string },
) {
  const own = answers[step]
  return own === undefined ? [] : [saveAnswers(app, { ...to, step }, { answers: own, at, by })]
}

export const underReview = () =>
  new Refusal(409, 'conflict', 'the application is being reviewed and cannot be changed now')
const verifiedAlready = () => new Refusal(409, 'conflict', 'this business is verified already')
