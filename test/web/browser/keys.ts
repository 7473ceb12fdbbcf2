import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

const MOST_STOPS = 60

/** An element that has the focus. */
export type Stop = { is: string; top: number; seen: boolean }

/** The element that has the focus, and whether a person can see that it does. */
export const focused = (page: Page): Promise<Stop> =>
  page.locator(':root').evaluate((root: any) => {
    const { activeElement: one, defaultView: view } = root.ownerDocument
    const { outlineStyle, outlineWidth, outlineColor } = view.getComputedStyle(one)
    const visible = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2 && !/, 0\)$/.test(outlineColor)
    const { top, bottom } = one.getBoundingClientRect()
    const is = one.value && one.type === 'radio' ? one.value : one.id || one.textContent.trim()
    return { is, top: top + view.scrollY, seen: visible && top >= 0 && bottom <= view.innerHeight + 1 }
  })

/** Presses Tab until the focus is there: on an id, a text, or the value of a radio button. */
export async function tabTo(page: Page, name: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let stops = 0; stops < MOST_STOPS; stops += 1) {
    await page.keyboard.press(key)
    const { is, seen } = await focused(page)
    assert.ok(seen, `the focus is seen on ${is}`)
    if (is === name) return
  }
  assert.fail(`no way by ${key} to ${name}`)
}

export async function pressOn(page: Page, name: string, key: 'Space' | 'Enter'): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press(key)
}

export async function typeInto(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.type(text)
}
