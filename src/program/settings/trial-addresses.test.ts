import { deepEqual } from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from './config.ts'
import { shareTrialAddresses, withTrialAddresses } from './trial-addresses.ts'

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64')
const PLACES = { WEBHOOK_ALLOW_PRIVATE: '127.0.0.1:9000', SUPPLIER_ALLOW_PRIVATE: '127.0.0.1:9100' }

test('a command lets addresses be where the service on its data folder does, for as long as it runs', (t) => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'trial-places-'))
  t.after(() => rmSync(DATA_DIR, { recursive: true, force: true }))
  const ofCommand = (more: Record<string, string> = {}) => {
    const { webhookAllowPrivate, supplierAllowPrivate } = withTrialAddresses(readConfig({ DATA_DIR, ...more }))
    return [webhookAllowPrivate, supplierAllowPrivate]
  }
  shareTrialAddresses(readConfig({ DATA_DIR }))()
  deepEqual([ofCommand(), readdirSync(DATA_DIR)], [[[], []], []], 'without such a setting nothing is said')
  const takeBack = shareTrialAddresses(readConfig({ DATA_DIR, ...PLACES }))
  deepEqual(ofCommand(), [['127.0.0.1:9000'], ['127.0.0.1:9100']])
  deepEqual(ofCommand({ WEBHOOK_ALLOW_PRIVATE: 'own:1' }), [['own:1', '127.0.0.1:9000'], ['127.0.0.1:9100']])
  deepEqual(ofCommand({ DATABASE_URL: 'postgres://elsewhere/gateway', MASTER_KEY }), [[], []])
  takeBack()
  deepEqual(ofCommand(), [[], []])
})

test('the word of a service that was killed, and a file that is none, are nothing', (t) => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'trial-places-'))
  t.after(() => rmSync(DATA_DIR, { recursive: true, force: true }))
  // No process has the largest number that there can be.
  const dead = { pid: 2 ** 22 + 1, webhookAllowPrivate: ['a:1'], supplierAllowPrivate: [] }
  for (const text of [JSON.stringify(dead), '', '{', '[]']) {
    writeFileSync(join(DATA_DIR, 'trial-places.json'), text)
    deepEqual(withTrialAddresses(readConfig({ DATA_DIR })).webhookAllowPrivate, [], text)
  }
})
