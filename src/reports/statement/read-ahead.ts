import type { SeqRange } from './range.ts'
import type { SnapshotParallelism } from './snapshot.ts'

/** Splits a range into pieces of at most `size` numbers; `size` is called before each piece. */
export function* splitRange({ first, end }: SeqRange, size: () => number): Generator<SeqRange> {
  for (let from = first; from < end; ) {
    const next = Math.min(from + size(), end)
    yield { first: from, end: next }
    from = next
  }
}

/**
 * Reads window after window in order. While one answer is used, the next windows are read already: as many as the snapshot answers at
 * once.
 */
export async function* readAhead<Window, T>(
  { answersAtOnce }: SnapshotParallelism,
  windows: Iterator<Window, void>,
  read: (window: Window) => Promise<T>,
): AsyncGenerator<T> {
  const reading: Promise<T>[] = []
  const readOn = () => {
    while (reading.length < answersAtOnce()) {
      const { value: window } = windows.next()
      if (!window) return
      const answer = read(window)
      // A caller that stops early never awaits this answer.
      answer.catch(() => {})
      reading.push(answer)
    }
  }
  readOn()
  try {
    for (let next = reading.shift(); next !== undefined; next = reading.shift()) {
      const answer = await next
      readOn()
      yield answer
    }
  } finally {
    await Promise.allSettled(reading)
  }
}
