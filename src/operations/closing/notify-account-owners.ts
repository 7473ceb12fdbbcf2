import { readMailOwners } from '../../merchants/account/mail-owners.ts'
import type { Merchant } from '../../merchants/account/merchant.ts'
import { addMail } from '../../merchants/mails/mail.ts'
import type { App } from '../../program/app.ts'

/**
 * Mails the owners after the commit in the cell; mails have a database of their own. If the process dies in between, no mail is written,
 * and only the page says it.
 */
export async function notifyAccountOwners(
  app: App,
  { id, inactiveFor }: Merchant,
  template: 'account-closes' | 'account-closed',
): Promise<void> {
  const at = app.clock.now()
  const link = `${app.baseUrl}/dashboard/settings/close`
  for (const { email, handle: business } of await readMailOwners(app, id)) {
    const mail = addMail(app, {
      ...{ to: email, template, at },
      values: { business, says: inactiveFor ?? '', link },
    })
    await app.directory.query(mail.statement, mail.values)
  }
}
