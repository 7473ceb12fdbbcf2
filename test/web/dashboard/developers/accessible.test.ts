import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startReceiver } from '../../../fakes/receiver.ts'
import { opened, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { signedInAs } from '../../../helpers/web/dashboard.ts'
import { ON_BROWSER } from '../../browser/browser.ts'
import { walkWithAxe } from '../../browser/walk-with-axe.ts'
import { busyDeveloper } from './world.ts'

const receiver = opened(() => startReceiver())
const service = openedAndVerified(() => startService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))

test(
  'axe finds nothing on the pages for developers, and nothing is cut off, in both themes and widths',
  ON_BROWSER,
  async () => {
    const { merchant, pages } = await busyDeveloper(service, receiver)
    const owner = await signedInAs(service, merchant, { steppedUpMs: 6 * 60_000 })
    assert.deepEqual(await walkWithAxe(service, owner, pages), [])
  },
)
