import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
// WCAG 2.2 AA, and what its makers advise beyond.
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const LEAST_TARGET = 44

type Violation = { id: string; nodes: { target: unknown[]; failureSummary: string }[] }

/**
 * What axe finds wrong, as sentences. Our policy keeps strange scripts out, so it comes in by the browser's own door. `rule`:
 * look for this one thing only.
 */
export async function axeFinds(page: Page, rule?: 'color-contrast'): Promise<string[]> {
  const runOnly = rule === undefined ? RULES : { type: 'rule', values: [rule] }
  await page.evaluate(AXE)
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] })
  const { violations } = (await page.evaluate(`axe.run(${options})`)) as { violations: Violation[] }
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`),
  )
}

/** What does not fit into the window: the page when it scrolls sideways, parts beyond its edges, text cut off in its box. */
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

/** What moves on the page. */
export const moving = (page: Page): Promise<string[]> =>
  page.locator(':root').evaluate((root: any) =>
    root.ownerDocument
      .getAnimations()
      .filter((one: any) => one.playState === 'running')
      .map((one: any) => one.animationName ?? one.transitionProperty),
  )

/** Buttons, fields and links of a line of their own that are too small for a thumb. */
export const smallTargets = (page: Page): Promise<string[]> =>
  page
    .locator('button, summary, main a, .choice, input:not([type=hidden], .choice *), textarea, footer a')
    .evaluateAll(
      (targets: any[], least) =>
        targets
          .map((one) => ({ one, box: one.getBoundingClientRect() }))
          .filter(({ box }) => box.width > 0 && Math.min(box.width, box.height) < least)
          .map(({ one, box }) => `${one.localName} ${one.textContent}: ${box.width} by ${box.height}`),
      LEAST_TARGET,
    )
