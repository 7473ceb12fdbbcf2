import assert from 'node:assert/strict'
import test from 'node:test'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { balanceOf } from '../../helpers/database/money-rows.ts'
import { followUntilEnded, TOP_UPS } from '../../helpers/payments/following-charges.ts'
import { assertRefused, oneJson } from '../../helpers/service/command-line.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { startOp1Service } from '../../helpers/service/op1-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { commandsOn } from './commands-on.ts'

const service = openedAndVerified(() => startOp1Service())
const { run, json } = commandsOn(service, {
  more: () => ({ OP1_INSTALLATIONS: service.installations }),
})
const withoutRail = commandsOn(service)

async function shop() {
  const { merchant, live } = await service.shop()
  const { handle } = (await getMerchantNamed(service.gateway, merchant.id)).merchant
  const phone = newPayer()
  const request = (amount: number, ...rest: string[]) =>
    run('top-ups', 'request', handle, '--amount', `${amount}`, '--phone', phone, '--json', ...rest)
  return { handle, live, phone, request }
}

test('top-ups request asks the phone, and list shows how it ended', async () => {
  const { handle, live, phone, request } = await shop()
  const asked = oneJson(await request(6000, '--key', 'k'))
  assert.match(asked.id, /^top_[a-z0-9]{21}$/)
  assert.deepEqual([asked.status, asked.mode, asked.amount, asked.phone], ['authorized', 'live', 6000, phone])
  assert.deepEqual(oneJson(await request(6000, '--key', 'k')), asked, 'the key has asked before')
  assertRefused(await request(7000, '--key', 'k'), { code: 1, says: /idempotency key reused/ })
  await service.emulator.resolve(asked.rail_reference, { status: 'SUCCESSFUL' })
  await followUntilEnded(service, asked.id, TOP_UPS)
  const [listed, ...others] = await json('top-ups', 'list', handle)
  assert.deepEqual([listed.id, listed.status, others], [asked.id, 'succeeded', []])
  const { stdout } = await run('top-ups', 'list', handle)
  assert.equal(stdout, `${asked.id} succeeded: 6000 from ${phone}\n`)
  assert.deepEqual(await balanceOf(live), { available: 6000, pending: 0 })
})

test('stuck names a top-up that nobody has answered about', async () => {
  const { request } = await shop()
  const { id } = oneJson(await request(6000))
  const stuck = async () => {
    const ran = await run('stuck', '--json')
    return ran.stdout.includes(id)
  }
  assert.equal(await stuck(), false)
  service.pass(7 * 3_600_000)
  await service.rows(`update top_ups set created_at = created_at - interval '7 hours' where id = $1`, [id])
  assert.equal(await stuck(), true)
})

test('wrong words, refusals and a rail that is not there print one sentence', async () => {
  const { handle, phone, request } = await shop()
  assertRefused(await run('top-ups', 'request', handle, '--amount', '6000'), {
    code: 2,
    says: /--phone is required/,
  })
  assertRefused(await request(499), { code: 1, says: /^amount is below the operator's minimum of 500$/m })
  const args = ['top-ups', 'request', handle, '--amount', '6000', '--phone', phone]
  assertRefused(await withoutRail.run(...args), {
    code: 1,
    says: /^payment rail temporarily unavailable/,
  })
  assert.equal((await run('top-ups', 'list', handle)).stdout, 'there are none\n')
})
