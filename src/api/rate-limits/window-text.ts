import { newWindow, type RateWindow } from './window.ts'

/** Formats a window as its row stores it: each slot as its distance from the slot before, and its count. */
export function formatWindow({ slots, counts }: RateWindow): string {
  let text = ''
  let before = 0
  for (const [at, slot] of slots.entries()) {
    text += `${at === 0 ? '' : ','}${slot - before},${counts[at]}`
    before = slot
  }
  return text
}

/** Parses what `formatWindow` has written. */
export function parseWindow(text: string): RateWindow {
  const window = newWindow()
  if (text === '') return window
  const numbers = text.split(',').map(Number)
  let slot = 0
  for (let at = 0; at + 1 < numbers.length; at += 2) {
    slot += numbers[at] as number
    window.slots.push(slot)
    window.counts.push(numbers[at + 1] as number)
    window.total += numbers[at + 1] as number
  }
  return window
}
