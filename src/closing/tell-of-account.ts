import type { App } from '../app.ts'
import { addMail } from '../mails/mail.ts'
import type { Merchant } from '../merchants/merchant.ts'
import { ownersToTell } from '../merchants/tell-owners.ts'

/** Mails to the owners, after a commit that is in the cell: a process that dies between the two tells nobody; the page does. */
export async function tellOfAccount(
  app: App,
  { id, inactiveFor }: Merchant,
  template: 'account-closes' | 'account-closed',
): Promise<void> {
  const at = app.clock.now()
  const link = `${app.baseUrl}/dashboard/settings/close`
  for (const { email, handle: business } of await ownersToTell(app, id)) {
    const letter = addMail(app, {
      ...{ to: email, template, at },
      values: { business, says: inactiveFor ?? '', link },
    })
    await app.directory.query(letter.statement, letter.values)
  }
}
