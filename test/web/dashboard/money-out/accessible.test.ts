import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPayingService } from '../../../helpers/payments/payouts.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { signedInAs } from '../../../helpers/web/dashboard.ts'
import { ON_BROWSER } from '../../browser/browser.ts'
import { walkWithAxe } from '../../browser/walk-with-axe.ts'
import { payingShop } from './world.ts'

const service = openedAndVerified(() => startPayingService())

test(
  'axe finds nothing on the pages of money out, and nothing is cut off, in both themes and widths',
  ON_BROWSER,
  async () => {
    const { merchant, pages } = await payingShop(service)
    const owner = await signedInAs(service, merchant, { steppedUpMs: 6 * 60_000 })
    assert.deepEqual(await walkWithAxe(service, owner, pages), [])
  },
)
