import type { Page } from 'playwright-core'
import type { Texts } from '../../../../src/web/checkout/texts/texts.ts'
import type { World } from './world.ts'

/** One page that a customer can see. */
export type State = {
  name: string
  /** The text of its heading. */
  heading(texts: Texts): string
  /** Makes the data that leads to it, and opens it. */
  open(world: World, page: Page): Promise<void>
}
