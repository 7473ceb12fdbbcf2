import assert from 'node:assert/strict'
import test from 'node:test'
import { newApiKey } from '../../../src/platform/text/api-key-format.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService, type TestService } from '../../helpers/service/test-service.ts'
import { assertRefused, unauthorized } from '../http/refused.ts'
import { stillClock } from '../rate-limits/still-clock.ts'

const service = opened(() => startService())

const INVALID = unauthorized('invalid api key')
const tooMany = (seconds: number) => ({
  status: 429,
  code: 'rate_limited',
  error: `rate limit exceeded - retry in ${seconds} seconds`,
})

const clock = stillClock()

/** A second service on the same database, two minutes after the last, which lets three failures a minute pass. */
async function strict(trustedProxies: string, work: (strict: TestService) => Promise<void>): Promise<void> {
  clock.advance(120_000)
  const started = await startService({
    database: service.database,
    clock,
    env: { RATE_LIMIT_FAILED_AUTH: '3', TRUSTED_PROXIES: trustedProxies },
  })
  try {
    await work(started)
  } finally {
    await started.close()
  }
}
const fail = (at: TestService, forwarded?: string) =>
  at.client(newApiKey('test')).get('/v1/me', forwarded === undefined ? {} : { 'x-forwarded-for': forwarded })

test('after three failures a minute an address hears 429, whatever it says was wrong, until the first is a minute old', () =>
  strict('0', async (gate) => {
    assertRefused(await fail(gate), INVALID)
    gate.pass(10_000)
    assertRefused(await gate.client('x').get('/v1/me', { authorization: '' }), unauthorized('missing bearer token'))
    assertRefused(await gate.client('sk_test_typo').get('/v1/me'), INVALID)
    assertRefused(await fail(gate), tooMany(50), { retryAfter: '50' })
    assertRefused(await gate.client('x').get('/v1/me', { authorization: '' }), tooMany(50), {
      retryAfter: '50',
    })
    const { keys } = await service.merchant()
    assert.equal((await gate.client(keys.test).get('/v1/me')).status, 200, 'a good key is never locked out')
    gate.pass(49_999)
    assertRefused(await fail(gate), tooMany(1), { retryAfter: '1' })
    gate.pass(1)
    assertRefused(await fail(gate), INVALID)
    assertRefused(await fail(gate), tooMany(10), { retryAfter: '10' })
  }))

test('without proxies of our own the address is that of the connection: a forged header is not believed', () =>
  strict('0', async (gate) => {
    for (const forged of ['1.1.1.1', '2.2.2.2', '3.3.3.3']) assertRefused(await fail(gate, forged), INVALID)
    assertRefused(await fail(gate, '4.4.4.4'), tooMany(60), { retryAfter: '60' })
  }))

test('behind one proxy the address is the last one in the list: what a client writes before it does not count', () =>
  strict('1', async (gate) => {
    for (const forged of ['1.1.1.1', '2.2.2.2', ' , ,']) assertRefused(await fail(gate, `${forged}, 9.9.9.9`), INVALID)
    assertRefused(await fail(gate, '9.9.9.9'), tooMany(60), { retryAfter: '60' })
    assertRefused(await fail(gate, '5.5.5.5,  9.9.9.9 '), tooMany(60), { retryAfter: '60' })
    assertRefused(await fail(gate, '9.9.9.9, 8.8.8.8'), INVALID)
    assertRefused(await fail(gate), INVALID, { because: 'without the header it is the connection' })
  }))

test('a limit of 0 switches it off', async () => {
  for (let nth = 0; nth < 80; nth += 1) assertRefused(await fail(service), INVALID)
})
