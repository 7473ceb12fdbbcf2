import { type Moment, momentAt, msBetween } from '../../platform/time/moment.ts'
import type { App } from '../../program/app.ts'
import type { CallDeadline } from '../rail.ts'

// Counted from the mark as sending. Other processes leave a post without a recorded end alone for longer than this (`SENDING_MS`).
const POST_DEADLINE_MS = 25_000

/**
 * Returns the deadline of a post, counted from its mark. Null when it has passed: this process stood still since then, and other
 * processes rely on this post not leaving any more (rails.md 3.9).
 */
export function deadlineOfPost(
  { clock, deadlineIn }: Pick<App, 'clock' | 'deadlineIn'>,
  mark: Moment,
): CallDeadline | null {
  const leftMs = () => POST_DEADLINE_MS - msBetween(mark, momentAt(clock.now()))
  const left = leftMs()
  if (left <= 0) return null
  return { ...deadlineIn(left), isOver: () => leftMs() <= 0 }
}
