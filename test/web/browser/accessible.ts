import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
// WCAG 2.2 AA, and the best practices of axe beside it.
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** What may differ on the same page in other colours and another width; all else is a matter of its markup. */
export const OF_LOOKS = ['color-contrast', 'target-size', 'scrollable-region-focusable'] as const
const LEAST_TARGET = 44

type Violation = { id: string; nodes: { target: unknown[]; failureSummary: string }[] }

/**
 * The violations that axe finds, as sentences. Our policy refuses foreign scripts, so axe is injected through the browser's own
 * interface. `rules`: check these alone.
 */
export async function axeFinds(page: Page, rules?: readonly string[]): Promise<string[]> {
  const runOnly = rules === undefined ? RULES : { type: 'rule', values: rules }
  // It stays until the page is left.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE)
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] })
  const { violations } = (await page.evaluate(`axe.run(${options})`)) as { violations: Violation[] }
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`),
  )
}

/** What does not fit: a page that scrolls sideways, elements beyond the edges of the window, text cut off in its box. */
export const cutOff = (page: Page): Promise<string[]> =>
  page.locator(':root').evaluate((root: any) => {
    const { clientWidth, scrollWidth, ownerDocument } = root
    const found = scrollWidth > clientWidth ? [`scrolls sideways: ${scrollWidth} in ${clientWidth}`] : []
    for (const part of ownerDocument.body.querySelectorAll('*:not(.ear, input, textarea, progress, svg *)')) {
      const { left, right, width } = part.getBoundingClientRect()
      const name = `${part.localName} ${part.className} ${part.textContent.slice(0, 30)}`
      if (width > 0 && (left < -1 || right > clientWidth + 1)) found.push(`beyond the edge: ${name}`)
      if (part.clientWidth > 0 && part.scrollWidth > part.clientWidth + 1) found.push(`cut off: ${name}`)
    }
    return found
  })

/** The elements of the page that are animated. */
export const moving = (page: Page): Promise<string[]> =>
  page.locator(':root').evaluate((root: any) =>
    root.ownerDocument
      .getAnimations()
      .filter((getAnimation: any) => getAnimation.playState === 'running')
      .map((getAnimation: any) => getAnimation.animationName ?? getAnimation.transitionProperty),
  )

/** Buttons, fields, and links on a line of their own that are too small for a thumb. */
export const smallTargets = (page: Page): Promise<string[]> =>
  page.locator('button, summary, main a, .choice, input:not([type=hidden], .choice *), textarea, footer a').evaluateAll(
    (targets: any[], least) =>
      targets
        .map((target) => ({ one: target, box: target.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 0 && Math.min(box.width, box.height) < least)
        .map(({ one, box }) => `${one.localName} ${one.textContent}: ${box.width} by ${box.height}`),
    LEAST_TARGET,
  )
