import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { signedInAs } from '../../helpers/web/dashboard.ts'
import { ON_BROWSER } from '../browser/browser.ts'
import { walkWithAxe } from '../browser/walk-with-axe.ts'
import { busyShop } from './selling-world.ts'

const service = openedAndVerified(() => startService())

test(
  'axe finds nothing on the pages of a shop and of its customers, and nothing is cut off, in both themes and widths',
  ON_BROWSER,
  async () => {
    const { merchant, pages, customers } = await busyShop(service)
    const owner = await signedInAs(service, merchant)
    assert.deepEqual(await walkWithAxe(service, owner, { ...pages, ...customers }), [])
  },
)
