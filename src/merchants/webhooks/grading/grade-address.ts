import type { Caller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { domainRefusal } from '../../../platform/refusal.ts'
import type { App } from '../../../program/app.ts'
import type { Merchant } from '../../account/merchant.ts'
import { readWebhookSecrets } from '../../account/secrets.ts'
import { newEventId } from '../events.ts'
import { type Grade, gradeReceiver } from './grade-receiver.ts'
import type { GradedAnswer, GradedMessage, MessageKit } from './messages.ts'

type GradeInput = {
  merchant: Pick<Merchant, 'id' | 'tag' | 'webhookUrl'>
  findSample: MessageKit['findSample']
}

/**
 * Tries the receiver at the first address of a merchant, in test mode: nothing that it is sent is kept, listed or sent again. Throws 400 without
 * an address and in live mode, 429 above the limit `grading`. Takes 25 seconds at most.
 */
export async function gradeAddress(app: App, caller: Caller, { merchant, findSample }: GradeInput): Promise<Grade> {
  const { id: merchantId, tag, webhookUrl: url } = merchant
  allow(caller, 'webhook.ping', merchantId)
  if (caller.mode !== 'test')
    throw domainRefusal('live_mode', 'a receiver is tried in test mode: its messages are about nothing')
  if (url === null) throw domainRefusal('no_webhook_url', 'there is no webhook address yet: enter one, then try it')
  await app.exactWindows.grade_receiver.takeNow(caller, app.clock.nowMs())
  const secrets = await readWebhookSecrets(app, [merchantId])
  const at = app.clock.now()
  const row = { actor: caller, action: 'webhook.ping', at, merchantId, mode: 'test', after: { graded: true } } as const
  await app.db.transaction(async () => ({ value: null, last: [auditRow(row)] }))
  const kit: MessageKit = {
    secrets: secrets.get(merchantId) ?? [],
    alias: app.config.webhookSignatureAlias,
    now: () => app.clock.now(),
    newEventId: () => newEventId(tag, app.clock.now()),
    findSample,
  }
  return gradeReceiver(kit, (message) => send(app, url, message))
}

async function send(app: App, url: string, { body, headers }: GradedMessage): Promise<GradedAnswer> {
  const attempt = await app.poster.post({ url, body, headers, keepAlive: true, mayRepeat: true })
  const ms = attempt.elapsedMs
  if (attempt.kind === 'answered') return { status: attempt.status, error: null, ms }
  if (attempt.kind === 'refused_target') return { status: null, error: 'refused target', ms }
  return { status: attempt.status, error: attempt.error, ms }
}
