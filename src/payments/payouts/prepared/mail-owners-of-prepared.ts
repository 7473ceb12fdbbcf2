import type { PersonCaller } from '../../../api/access/actor.ts'
import type { Answer } from '../../../api/http/answer.ts'
import { readMailOwners } from '../../../merchants/account/mail-owners.ts'
import { addMail } from '../../../merchants/mails/mail.ts'
import type { App } from '../../../program/app.ts'
import { getPrepared } from './find-prepared.ts'
import { PREPARED_PREFIX } from './prepared-payout.ts'

/**
 * Mails the other owners that live money waits for the approval of one of them: once for each prepared payout, however often it was requested.
 * Runs after the commit, because mails have a database of their own; if the process dies between the two, a repeat of the request mails them.
 */
export async function mailOwnersOfPrepared(app: App, caller: PersonCaller, { objectId }: Answer): Promise<void> {
  if (caller.mode !== 'live' || !objectId?.startsWith(PREPARED_PREFIX)) return
  const { id, amount, recipients, kind } = await getPrepared(app, caller, objectId)
  const at = app.clock.now()
  for (const { email, handle } of await readMailOwners(app, caller.merchantId)) {
    if (email === caller.name) continue
    const values = {
      ...{
        business: handle,
        who: caller.name,
        amount: `UGX ${amount.toLocaleString('en-US')}`,
        recipients: String(recipients),
        kind,
      },
      link: `${app.baseUrl}/dashboard/payouts/prepared/${id}`,
    }
    const mail = addMail(app, { to: email, template: 'approval-waits', values, at, once: `${id} ${email}` })
    await app.directory.query(mail.statement, mail.values)
  }
}
