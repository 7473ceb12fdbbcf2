import type { Page } from 'playwright-core'
import type { Texts } from '../../src/checkout/texts/texts.ts'
import type { World } from './world.ts'

/** One page that a customer can be on. */
export type State = {
  name: string
  /** What its heading says. */
  heading(texts: Texts): string
  /** Brings it about and goes there. */
  open(world: World, page: Page): Promise<void>
}
