import type { App } from '../../program/app.ts'
import { readMailOwners } from '../account/mail-owners.ts'
import type { Merchant } from '../account/merchant.ts'
import { addMail } from '../mails/mail.ts'

/**
 * Mails the owners the decision about their business, after it is committed. After a crash between the two no mail is sent; the page of
 * the verification shows the decision too.
 */
export async function mailDecision(
  app: App,
  { before, after, note }: { before: Merchant; after: Merchant; note: string | null },
): Promise<void> {
  const { kycStatus } = after
  if (kycStatus === before.kycStatus || kycStatus === 'pending') return
  const isVerified = kycStatus === 'verified'
  const link = `${app.baseUrl}/dashboard/${isVerified ? 'go-live' : 'verification'}`
  for (const { email } of await readMailOwners(app, after.id)) {
    const mail = addMail(app, {
      to: email,
      template: isVerified ? 'verified' : 'verification-rejected',
      values: { business: after.name, link, note: note ?? '' },
      at: app.clock.now(),
    })
    await app.directory.query(mail.statement, mail.values)
  }
}
