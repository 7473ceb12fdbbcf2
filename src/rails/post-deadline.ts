import type { App } from '../app.ts'
import { type Mark, markAt, msBetween } from '../platform/mark.ts'
import type { Deadline } from './rail.ts'

// From its mark as sending; what another process does about a post without an end begins after it (`SENDING_MS`).
const POST_MS = 25_000

/**
 * The deadline of a post, counted from its mark. Null when it has passed: this process stood still between the two, and whatever
 * was decided meanwhile relies on nothing leaving any more (rails.md 3.9).
 */
export function postDeadline(
  { clock, deadlineIn }: Pick<App, 'clock' | 'deadlineIn'>,
  mark: Mark,
): Deadline | null {
  const leftMs = () => POST_MS - msBetween(mark, markAt(clock.now()))
  const left = leftMs()
  if (left <= 0) return null
  return { ...deadlineIn(left), isOver: () => leftMs() <= 0 }
}
