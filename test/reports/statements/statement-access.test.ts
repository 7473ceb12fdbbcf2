import assert from 'node:assert/strict'
import test from 'node:test'
import { payer } from '../../helpers/payments/schedules.ts'
import { monthNow, statementOf } from '../../helpers/payments/statements.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const service = opened(() => startService())

test('an invalid month is refused with the exact text, with and without .pdf', async () => {
  const { api } = await payer(service)
  for (const period of [
    '2026-13',
    '2026-00',
    '2026-7',
    '202607',
    '0000-01',
    '2026-07.PDF',
    '2026-07.csv',
    'x',
    '2026-07-01',
    '%20',
    '2026-07.pdf.pdf',
    '٢٠٢٦-٠٧',
  ]) {
    const { status, body } = await api.get(`/v1/statements/${encodeURIComponent(period)}`)
    assert.deepEqual(
      [status, body.error, body.code],
      [400, 'period must be YYYY-MM (optionally .pdf)', 'bad_request'],
      period,
    )
  }
})

test('modes and merchants are separate, a collections key may read, and nobody reads without a key', async () => {
  const { merchant, api } = await payer(service, 7000)
  const month = monthNow(service)
  const other = await payer(service)
  assert.equal((await statementOf(other.api, month)).closing_balance, 0)
  assert.equal((await statementOf(service.client(merchant.keys.live), month)).closing_balance, 0)
  assert.equal((await statementOf(service.client(merchant.keys.test_collections), month)).closing_balance, 7000)
  assert.equal((await statementOf(api, month)).mode, 'test')
  for (const suffix of ['', '.pdf'])
    assert.equal((await service.client('sk_test_nobody').get(`/v1/statements/${month}${suffix}`)).status, 401)
})
