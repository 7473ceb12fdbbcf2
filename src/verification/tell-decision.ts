import type { App } from '../app.ts'
import { addMail } from '../mails/mail.ts'
import type { Merchant } from '../merchants/merchant.ts'
import { ownersToTell } from '../merchants/tell-owners.ts'

/**
 * Tells the owners by mail what was decided of their business, after the decision is committed. A process that dies between the two tells
 * nobody; the page of the verification says it too.
 */
export async function tellDecision(
  app: App,
  { before, after, note }: { before: Merchant; after: Merchant; note: string | null },
): Promise<void> {
  const { kycStatus } = after
  if (kycStatus === before.kycStatus || kycStatus === 'pending') return
  const isVerified = kycStatus === 'verified'
  const link = `${app.baseUrl}/dashboard/${isVerified ? 'go-live' : 'verification'}`
  for (const { email } of await ownersToTell(app, after.id)) {
    const mail = addMail(app, {
      to: email,
      template: isVerified ? 'verified' : 'verification-rejected',
      values: { business: after.name, link, note: note ?? '' },
      at: app.clock.now(),
    })
    await app.directory.query(mail.statement, mail.values)
  }
}
