import { emptyWindow, type Window } from './window.ts'

/** As a row keeps it: each slot as its distance from the one before, and its count. */
export function writeWindow({ slots, counts }: Window): string {
  let text = ''
  let before = 0
  for (const [at, slot] of slots.entries()) {
    text += `${at === 0 ? '' : ','}${slot - before},${counts[at]}`
    before = slot
  }
  return text
}

/** Reads what `writeWindow` has written. */
export function readWindow(text: string): Window {
  const window = emptyWindow()
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
