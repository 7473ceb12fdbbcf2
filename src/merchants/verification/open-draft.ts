import type { PersonCaller } from '../../api/access/actor.ts'
import { assert } from '../../platform/assert.ts'
import type { TransactionWork, Tx } from '../../platform/db/database.ts'
import { retryOnUniqueViolation } from '../../platform/db/unique-violation.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import { findMerchantsById } from '../account/merchant.ts'
import { findAnswers, openAnswers, saveAnswers } from './answers.ts'
import type { Application, ApplicationKey } from './application.ts'
import { ANSWER_STEPS, type AnswerStep, type VerificationAnswers } from './steps.ts'
import { lockLatestApplication, openApplication } from './write-application.ts'

/**
 * Changes the draft of a merchant in one commit. The first change opens it; the first change after a rejection opens the next one with
 * the answers of the rejected one. Throws 409 while an application is under review, and after one was approved.
 */
export const changeDraft = <T>(
  app: App,
  { merchantId, name }: Pick<PersonCaller, 'merchantId' | 'name'>,
  change: (tx: Tx, draft: ApplicationKey) => ReturnType<TransactionWork<T>>,
): Promise<T> =>
  // Of two changes that open it at once, one fails and is retried: then it finds the draft open.
  retryOnUniqueViolation(() =>
    app.db.transactionFor({ of: merchantId }, async (tx) => {
      const [[latest]] = await tx.send(lockLatestApplication(merchantId))
      const draft = await openNextDraft(app, tx, { latest, merchantId, by: name })
      return change(tx, draft)
    }),
  )

async function openNextDraft(
  app: App,
  tx: Tx,
  { latest, merchantId, by }: { latest: Application | undefined; merchantId: number; by: string },
): Promise<ApplicationKey> {
  if (latest?.state === 'draft') return latest
  if (latest?.state === 'submitted') throw underReview()
  const [[merchant]] = await tx.send(findMerchantsById([merchantId]))
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
  const [rows] = await tx.send(findAnswers(from))
  const answers = openAnswers(app, from, rows)
  const copied = ANSWER_STEPS.flatMap((step) => copyStep(app, { to, step, answers, at, by }))
  if (copied.length > 0) await tx.send(...copied)
}

function copyStep<S extends AnswerStep>(
  app: App,
  {
    to,
    step,
    answers,
    at,
    by,
  }: { to: ApplicationKey; step: S; answers: Partial<VerificationAnswers>; at: Date; by: string },
) {
  const own = answers[step]
  return own === undefined ? [] : [saveAnswers(app, { ...to, step }, { answers: own, at, by })]
}

export const underReview = () =>
  new Refusal(409, 'conflict', 'the application is being reviewed and cannot be changed now')
const verifiedAlready = () => new Refusal(409, 'conflict', 'this business is verified already')
