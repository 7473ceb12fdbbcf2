import type { Actor, MerchantRole } from '../actors/actor.ts'
import { nameOf } from '../actors/actor.ts'
import type { App } from '../app.ts'
import type { SecretAct } from '../mails/account-letters.ts'
import { addMail } from '../mails/mail.ts'
import type { Call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'

/** What somebody did with a secret of a merchant. `ends`: the last characters of the key. */
type Told = { merchantId: number; act: SecretAct; actor: Actor; ends?: string }

const MOST_TOLD = 20
const TO_TELL = statement<{ email: string; handle: string }>(
  'people to tell',
  `select p.email, d.handle from memberships m join people p on p.id = m.person_id join merchants d on d.id = m.merchant_id
   where m.merchant_id = $1 and m.role = any($3::text[]) and p.email is not null and p.confirmed_at is not null and p.closed_at is null
   order by p.id limit $2`,
)

/** The people of a merchant in these roles whose addresses are proven, and its handle. */
export const peopleToTell = (
  app: App,
  merchantId: number,
  roles: readonly MerchantRole[],
): Promise<{ email: string; handle: string }[]> =>
  app.directory.query(TO_TELL, [merchantId, MOST_TOLD, roles])

/** The owners of a merchant whose addresses are proven, and its handle. */
export const ownersToTell = (app: App, merchantId: number): Promise<{ email: string; handle: string }[]> =>
  peopleToTell(app, merchantId, ['owner'])

/** The rows of the mails that tell the owners (reliability.md 8.2), for a transaction of the directory. */
export async function mailsToOwners(app: App, { merchantId, act, actor, ends = '' }: Told): Promise<Call[]> {
  const owners = await ownersToTell(app, merchantId)
  const at = app.clock.now()
  return owners.map(({ email, handle }) =>
    addMail(app, {
      ...{ to: email, template: 'secret-act', at },
      values: { act, business: handle, who: nameOf(actor), ends },
    }),
  )
}

/** The same after an act that is committed elsewhere. A process that dies between the two tells nobody; the audit has it. */
export async function tellOwners(app: App, told: Told): Promise<void> {
  for (const { statement: add, values } of await mailsToOwners(app, told))
    await app.directory.query(add, values)
}
