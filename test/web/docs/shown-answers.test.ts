import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setKeyAddresses } from '../../../src/merchants/account/key-addresses.ts'
import { listKeys } from '../../../src/merchants/account/list-keys.ts'
import { setKeyLimit } from '../../../src/merchants/account/set-key-limit.ts'
import { payer } from '../../helpers/payments/schedules.ts'
import { owner } from '../../helpers/service/actors.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { type Reply, startService } from '../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startService({ env: { TRUSTED_PROXIES: '1', RATE_LIMIT_PAYOUTS: '0' } }))
const GUIDE = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'guide')
const SHOWN = /^```json\n([\s\S]*?)^```$/gm

/** Every answer that the guide shows. */
const shown = readdirSync(GUIDE).flatMap((name) =>
  [...readFileSync(join(GUIDE, name), 'utf8').matchAll(SHOWN)].map(([, text = '']) => JSON.parse(text)),
)

/** A business with money, and what its owner may do with its test key. */
async function shop() {
  const { api, merchantId, tag } = await payer(service, 5_000_000)
  const who = owner({ merchantId, tag, cell: 'cell_0', mode: 'test' })
  const id = (await listKeys(service.app, { id: merchantId })).find(({ kind }) => kind === 'test')?.id ?? ''
  return { api, who, of: { holder: { id: merchantId }, id } }
}
const pay = (api: { post: (path: string, body: object) => Promise<Reply> }, amount: number) =>
  api.post('/v1/payouts', { amount, recipient: { phone: '0700000000' } })

/** How each answer that is shown comes about, by its code. */
const ASKS: Record<string, () => Promise<Reply>> = {
  async address_not_allowed() {
    const { api, who, of } = await shop()
    await setKeyAddresses(service.app, who, { ...of, addresses: ['41.210.1.7'] })
    return api.get('/v1/me', { 'x-forwarded-for': '203.0.113.9' })
  },
  async key_limit_reached() {
    const { api, who, of } = await shop()
    await setKeyLimit(service.app, who, { ...of, limit: 2_000_000 })
    assert.equal((await pay(api, 1_950_000)).status, 201)
    return pay(api, 100_000)
  },
}

test('every answer that the guide shows is one that came, word for word but for its request_id', async () => {
  assert.deepEqual(shown.map(({ code }) => code).sort(), Object.keys(ASKS).sort(), 'each has a way in which it comes')
  for (const answer of shown) {
    const { request_id, ...came } = (await ASKS[answer.code]?.())?.body ?? {}
    assert.equal(typeof request_id, 'string')
    assert.deepEqual(answer, came)
  }
})
