import assert from 'node:assert/strict'
import type { MerchantRole } from '../../../src/api/access/actor.ts'
import { type Subscriber, startPushService } from '../../fakes/push-service.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { startPayingService } from '../../helpers/payments/payouts.ts'
import { newPayer, type Shop } from '../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import type { Client } from '../../helpers/service/test-service.ts'
import { mainOf, type Planted, signedInAs } from '../../helpers/web/dashboard.ts'

export const DEVICE = '/dashboard/device'
type Choices = { payments?: string; failures?: string }

/** A live service whose devices hear from a fake push service. */
export function pushWorld() {
  const pushes = opened(startPushService)
  const live = openedAndVerified(() => startPayingService({ env: { WEBHOOK_ALLOW_PRIVATE: pushes.place } }))

  /** Switches messages on in this browser. */
  async function switchOn(browser: Planted, choices: Choices = { payments: 'yes' }): Promise<Subscriber> {
    const subscriber = pushes.subscribe()
    const sent = await browser.send(await browser.get(DEVICE), '/add', {
      payments: '',
      ...subscriber.fields,
      ...choices,
    })
    assert.match(mainOf(await browser.follow(sent)), /shows payments as they come/)
    return subscriber
  }

  /** A shop with a device of somebody with this role. */
  async function hearing(role: MerchantRole = 'owner', choices?: Choices) {
    const shop: Shop = await live.shop()
    const browser = await signedInAs(live, shop.merchant, { role })
    return { ...shop, browser, device: await switchOn(browser, choices) }
  }

  async function paid(client: Client, amount: number, phone = newPayer()): Promise<string> {
    const { body } = await client.charge({ amount, customer: { phone } })
    await succeed(live, body.id)
    return body.id
  }

  /** Runs the task, and returns what the device shows. */
  async function heard(device: Subscriber): Promise<string[]> {
    await tell()
    return device.received.map(({ message }) => message.body)
  }

  const tell = () => live.run('push-payments')
  const rowsOf = (browser: Planted) =>
    live.rows<{ id: string; misses: number }>('select id, misses from push_devices where person_id = $1', [
      browser.personId,
    ])

  return { pushes, live, switchOn, hearing, paid, heard, tell, rowsOf }
}
