import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { maskSecrets } from './mask.ts'

test('A78: the audit stores no secret and no whole phone or address, and only the last four characters of a key', () => {
  deepEqual(
    maskSecrets({
      phone: '256772000111',
      recipients: [{ payout_phone: '256700123123', name: 'Ann' }],
      email: 'owner@shop.invalid',
      webhook_secret: 'anything',
      code: 'ABCD-EFGH',
      note: 'was sk_live_0123456789abcdefWXYZ and whsec_c2VjcmV0, dsec_abc',
      at: new Date(0),
      amount: 5000,
      nothing: null,
    }),
    {
      phone: '2567*****111',
      recipients: [{ payout_phone: '2567*****123', name: 'Ann' }],
      email: 'o***@shop.invalid',
      webhook_secret: '***',
      code: '***',
      note: 'was ...WXYZ and ***, ***',
      at: '1970-01-01T00:00:00.000Z',
      amount: 5000,
      nothing: null,
    },
  )
})
