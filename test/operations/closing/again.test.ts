import assert from 'node:assert/strict'
import { test } from 'node:test'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { opened } from '../../helpers/service/opened.ts'
import { closingWorld, startHolding } from './world.ts'

// The second credit is planted in the head alone, so the books of this service are not compared.
const service = opened(startHolding)
const { shop, byOwner, arrive, turn, release } = closingWorld(service)

test('the same amount that comes to a subaccount again is sent again', async () => {
  const own = await shop()
  const { body } = await own.live.post('/v1/subaccounts', { name: 'Farm', payout_phone: '0772000333' })
  const split = [{ subaccount: body.id, amount: 20_000 }]
  await succeed(service, await own.pay({ split }))
  await byOwner(own)
  await release()
  const shares = () =>
    service.rows<{ id: string; amount: string }>(
      `select id, amount::text from payouts where merchant_id = $1 and kind = 'subaccount' order by created_at, id`,
      [own.row.id],
    )
  await arrive((await shares())[0]?.id ?? '')
  await service.rows('update subaccount_heads set available = available + 20000 where subaccount_id = $1', [body.id])
  await turn()
  const sent = await shares()
  assert.deepEqual(
    sent.map(({ amount }) => amount),
    ['19705', '19705'],
  )
  await arrive(sent[1]?.id ?? '')
})
