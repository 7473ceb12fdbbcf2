import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { openException } from '../../../src/payments/exceptions/exception.ts'
import { resolveException } from '../../../src/payments/exceptions/resolve-exception.ts'
import { newId } from '../../../src/platform/text/ids.ts'
import { gate } from '../../helpers/database/gate.ts'
import { countLockWaits } from '../../helpers/database/lock-waits.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { assertVerified, eventually } from '../../helpers/service/live-service.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const service = opened(() => startService())

/** An account with one open critical exception; `open` opens another one and delays its commit until told. */
async function pausedAccount() {
  const { id } = await service.merchant({ verified: true })
  const { app, merchant } = await getMerchantNamed(service.gateway, id)
  const open = (until: Promise<void>, stored: () => void = () => {}) => {
    const subject = newId('txn_', merchant.tag)
    const found = { merchantId: merchant.id, tag: merchant.tag, mode: 'live' as const, subject, details: {} }
    const calls = openException({ ...found, kind: 'mismatch' }, service.clock.now())
    return app.db.transaction(async (tx) => {
      await tx.send(...calls)
      stored()
      await until
      return { value: subject }
    })
  }
  const idOf = async (subject: string) => {
    const [row] = await service.rows<{ id: string }>('select id from exceptions where subject = $1', [subject])
    return row?.id ?? ''
  }
  const first = await idOf(await open(Promise.resolve()))
  const resolve = (exception: string) =>
    resolveException(app, BY_HAND, {
      merchantId: merchant.id,
      id: exception,
      note: 'looked into',
      resolution: 'no_difference',
    })
  const pausedBy = async () => {
    const [head] = await service.rows<{ by: string | null }>(
      `select payouts_paused_by as by from ledger_heads where merchant_id = $1 and mode = 'live'`,
      [merchant.id],
    )
    return head?.by ?? null
  }
  return { merchantId: merchant.id, first, open, idOf, resolve, pausedBy }
}

const waiting = async (sessions: number) => (await countLockWaits(service)) === sessions

test('M8: an exception that opens while another is resolved keeps the account paused', async () => {
  const account = await pausedAccount()
  const [stored, commit] = [gate(), gate()]
  const opening = account.open(commit.opened, stored.open)
  await stored.opened
  const resolving = account.resolve(account.first)
  await eventually('the resolution waits for the opening one', () => waiting(1))
  commit.open()
  const second = await account.idOf(await opening)
  await resolving
  assert.equal(await account.pausedBy(), second)
  await assertVerified(service)
  await account.resolve(second)
  assert.equal(await account.pausedBy(), null)
  await assertVerified(service)
})

test('M8: an exception that opens after a resolution pauses the account itself, independently of the closed one', async () => {
  const account = await pausedAccount()
  const holder = new pg.Client({
    connectionString: service.database.url,
    options: `-c search_path=${service.app.cell}`,
  })
  await holder.connect()
  await holder.query('begin')
  await holder.query(`select 1 from ledger_heads where merchant_id = $1 and mode = 'live' for no key update`, [
    account.merchantId,
  ])
  const resolving = account.resolve(account.first)
  await eventually('the resolution waits for the head', () => waiting(1))
  const opening = account.open(Promise.resolve())
  await eventually('the opening one waits behind it', () => waiting(2))
  await holder.query('commit')
  await holder.end()
  await resolving
  const second = await account.idOf(await opening)
  assert.equal(await account.pausedBy(), second)
  await assertVerified(service)
})
