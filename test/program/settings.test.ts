import assert from 'node:assert/strict'
import test from 'node:test'
import { readConfig } from '../../src/program/settings/config.ts'
import { WrongSettings } from '../../src/program/settings/setting-readers.ts'
import { freePort } from '../crash/installation.ts'
import { startService } from '../helpers/service/test-service.ts'

const PRODUCTION = { NODE_ENV: 'production', BASE_URL: 'https://pay.shops.invalid' }

const refused = (env: Record<string, string | undefined>, says: RegExp) =>
  assert.throws(
    () => readConfig(env),
    (error) => error instanceof WrongSettings && says.test(error.message),
  )

test('D5: production wants to be told how many proxies stand in front, also when it is none', () => {
  for (const blank of [{}, { TRUSTED_PROXIES: '' }, { TRUSTED_PROXIES: ' ' }])
    refused({ ...PRODUCTION, ...blank }, /^TRUSTED_PROXIES is required with NODE_ENV=production/)
  for (const proxies of [0, 1, 10])
    assert.equal(readConfig({ ...PRODUCTION, TRUSTED_PROXIES: String(proxies) }).trustedProxies, proxies)
  for (const wrong of ['-1', '11', 'one', '0x1'])
    refused({ ...PRODUCTION, TRUSTED_PROXIES: wrong }, /^TRUSTED_PROXIES must be a whole number from 0 to 10$/)
  assert.equal(readConfig({}).trustedProxies, 0)
})

test('D5: NODE_ENV takes only the values that mean something', () => {
  for (const wrong of ['prod', 'Production', 'PRODUCTION', 'live', 'staging'])
    refused({ NODE_ENV: wrong }, /^NODE_ENV must be one of development, test, production$/)
  for (const known of ['', 'development', 'test'])
    assert.equal(readConfig({ NODE_ENV: known }).production, false, known)
  assert.equal(readConfig({ ...PRODUCTION, TRUSTED_PROXIES: '0' }).production, true)
})

const statusOf = async (url: string, token?: string) => {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return (await fetch(url, { headers }).catch(() => null))?.status ?? null
}

test('D11: without a token the metrics are shown to this machine alone, with one to whoever has it', async () => {
  const port = await freePort()
  const open = await startService({ env: { HOST: '0.0.0.0', METRICS_PORT: String(port) } })
  try {
    assert.equal(await statusOf(`http://127.0.0.1:${port}/metrics`), 200)
    // Reaches a server that listens on every address, but not one that listens on 127.0.0.1 only.
    assert.equal(await statusOf(`http://127.0.0.2:${port}/metrics`), null)
  } finally {
    await open.close()
  }
  const env = { HOST: '0.0.0.0', METRICS_PORT: String(port), METRICS_TOKEN: 'scraper' }
  const guarded = await startService({ env })
  try {
    for (const host of ['127.0.0.1', '127.0.0.2']) {
      const url = `http://${host}:${port}/metrics`
      assert.deepEqual(
        [await statusOf(url, 'scraper'), await statusOf(url), await statusOf(url, 'other')],
        [200, 401, 401],
      )
    }
    assert.equal(await statusOf(`http://127.0.0.1:${port}/elsewhere`, 'scraper'), 404)
  } finally {
    await guarded.close()
  }
})
