import { opened } from '../../../helpers/service/opened.ts'
import { ON_BROWSER } from '../browser.ts'
import { openWorld, type World } from './world.ts'

/** Opens something before the tests of a file. Without a browser nothing is opened, because the tests are skipped. */
export const openedForBrowser = <Opened extends { close(): Promise<void> }>(open: () => Promise<Opened>) =>
  opened<Opened | { close(): Promise<void> }>(async () =>
    ON_BROWSER.skip ? { close: async () => {} } : await open(),
  ) as Opened

/** The world for the tests of a file. After the last test every invariant of its ledger must hold. */
export const worldOfFile = (): World =>
  openedForBrowser(async () => {
    const world = await openWorld()
    return { ...world, close: () => world.service.verify().finally(() => world.close()) }
  })
