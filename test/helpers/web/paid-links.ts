import assert from 'node:assert/strict'
import { holdLink, lockLink } from '../../../src/selling/payment-links/hold-link.ts'
import { switchLink } from '../../../src/selling/payment-links/switch-link.ts'
import { BY_HAND } from '../service/actors.ts'
import { newPayer, startLiveService } from '../service/live-service.ts'
import { made, openedAndVerified } from '../service/opened.ts'
import type { Client } from '../service/test-service.ts'

export const LINKS = '/v1/payment-links'

/** A service and a shop whose links are made, read, paid by customers, refunded and switched off. */
export function openPaidLinks() {
  const service = openedAndVerified(() => startLiveService())
  const shop = made(() => service.shop())

  /** A link, in test mode unless another client is given. */
  async function link(body: object = {}, api: Client = shop.test): Promise<any> {
    const made = await api.post(LINKS, { amount: 5000, ...body })
    assert.equal(made.status, 201, made.text)
    return made.body
  }
  const read = async (id: string, api: Client = shop.test) => (await api.get(`${LINKS}/${id}`)).body
  const stateOf = async (id: string) => {
    const { status, transaction_status, charge_id } = await read(id)
    return [status, transaction_status, charge_id]
  }

  /** Attaches this charge to the link, as the payment page does; null frees the link. */
  async function hold(id: string, chargeId: string | null): Promise<void> {
    await service.app.db.transaction(async (tx) => {
      const [[row]] = await tx.send(lockLink(await merchantOf(id), id))
      assert.ok(row)
      return { value: null, last: [holdLink({ merchantId: row.merchantId, id, chargeId })] }
    })
  }
  async function merchantOf(id: string): Promise<number> {
    const [row] = await service.rows<{ merchant_id: string }>('select merchant_id from payment_links where id = $1', [
      id,
    ])
    return Number(row?.merchant_id)
  }

  const submit = (id: string, phone: string) =>
    fetch(`${service.url}/pay/${id}/submit`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ channel: 'op1_momo', phone }),
    })
  /** A customer pays this link on its page; returns the id of the charge. */
  async function attemptOn(id: string, phone = '0700000000'): Promise<string> {
    await submit(id, phone)
    const [charge] = await service.rows<{ id: string }>(
      'select id from charges where payment_link_id = $1 order by created_at desc, id desc limit 1',
      [id],
    )
    assert.ok(charge)
    return charge.id
  }
  async function outcome(): Promise<void> {
    service.pass(2000)
    await service.run('follow-charges')
  }
  /** Earns the test money for a refund of this charge first. */
  async function refund(charge: string): Promise<void> {
    await shop.test.charge({ amount: 100_000, customer: { phone: newPayer() } })
    await outcome()
    assert.equal((await shop.test.post(`/v1/charges/${charge}/refund`)).status, 202)
  }
  const flip = async (id: string, to: 'on' | 'off') => {
    const owner = { id: await merchantOf(id), tag: id.slice(4, 9) }
    return switchLink(service.app, BY_HAND, { owner, id, to })
  }

  return { service, shop, link, read, stateOf, hold, merchantOf, attemptOn, submit, outcome, refund, flip }
}
