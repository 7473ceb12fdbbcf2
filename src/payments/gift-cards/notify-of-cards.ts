import { type Actor, actorName } from '../../api/access/actor.ts'
import { readMailOwners } from '../../merchants/account/mail-owners.ts'
import { addMail } from '../../merchants/mails/mail.ts'
import type { App } from '../../program/app.ts'
import type { IssuedCard } from './issue-cards.ts'

const UGX = new Intl.NumberFormat('en-US')

/** Mails the owners that cards were issued, because anybody with a code can pay with it. A repeat of the call sends no second mail. */
export async function notifyOwnersOfCards(
  app: App,
  { merchantId, actor, cards }: { merchantId: number; actor: Actor; cards: readonly IssuedCard[] },
): Promise<void> {
  const [first] = cards
  if (first === undefined) return
  const at = app.clock.now()
  const each = `UGX ${UGX.format(first.value)}`
  const all = `UGX ${UGX.format(first.value * cards.length)}`
  for (const { email, handle } of await readMailOwners(app, merchantId)) {
    const values = { business: handle, who: actorName(actor), count: String(cards.length), each, all }
    const once = `cards ${first.id} ${email}`
    const mail = addMail(app, { to: email, template: 'cards-issued', values, at, once })
    await app.directory.query(mail.statement, mail.values)
  }
}
