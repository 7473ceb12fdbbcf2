import type { PersonCaller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import { setPendingAfterRejection } from '../account/set-merchant.ts'
import { findAnswers, openAnswers } from './answers.ts'
import { storeDigests } from './digests.ts'
import { listDocuments } from './documents.ts'
import { underReview } from './open-draft.ts'
import { missingSteps } from './read-application.ts'
import { lockLatestApplication, submitApplicationRow } from './write-application.ts'

/**
 * Submits the draft to the reviewers; until they decide it cannot be changed. Throws a Refusal that names the incomplete steps, and 409
 * where there is no draft. `browser` is the cookie that marks the browser, for the digests.
 */
export async function submitApplication(app: App, caller: PersonCaller, browser: string | null = null): Promise<void> {
  allow(caller, 'verification.submit')
  const { merchantId, name } = caller
  const at = app.clock.now()
  await app.db.transactionFor({ of: merchantId }, async (tx) => {
    // Locks the merchant's row first, in the same order as a decision.
    const [, [latest]] = await tx.send(setPendingAfterRejection(merchantId), lockLatestApplication(merchantId))
    if (latest?.state === 'submitted') throw underReview()
    if (latest?.state !== 'draft') throw nothingToSubmit()
    const [rows, documents] = await tx.send(findAnswers(latest), listDocuments(merchantId))
    const answers = openAnswers(app, latest, rows)
    const missing = missingSteps({ answers, documents })
    if (missing.length > 0) throw domainRefusal('incomplete', `something is missing in: ${missing.join(', ')}`)
    const act = { actor: caller, action: 'verification.submit', at, merchantId } as const
    return {
      value: undefined,
      last: [
        submitApplicationRow(latest, { at, by: name }),
        storeDigests(app, { merchantId, answers, browser }, at),
        auditRow({
          ...act,
          before: { state: latest.state },
          after: { application: latest.number, state: 'submitted' },
        }),
      ],
    }
  })
}

const nothingToSubmit = () =>
  domainRefusal('nothing_to_submit', 'there is nothing new to submit: change what was rejected first')
