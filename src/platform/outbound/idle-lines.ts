/** Lines that wait for the next request to their origin. */
export type IdleLines<Line> = {
  /** The newest one to this origin: the receiver is least likely to be closing that at this moment. */
  take(origin: string): Line | undefined
  /** Answers the oldest of all when there would be more than `most`; it is no longer kept here. */
  add(line: Line): Line | undefined
  delete(line: Line): void
  /** Takes all of them out. */
  takeAll(): Line[]
}

/** However many lines wait, each step takes the same time, but for those to one origin. */
export function idleLines<Line extends { origin: string }>(most: number): IdleLines<Line> {
  // The oldest first, both of them.
  const all = new Set<Line>()
  const byOrigin = new Map<string, Line[]>()

  function forget(line: Line): void {
    if (!all.delete(line)) return
    const own = byOrigin.get(line.origin)?.filter((one) => one !== line) ?? []
    if (own.length === 0) byOrigin.delete(line.origin)
    else byOrigin.set(line.origin, own)
  }

  return {
    take(origin) {
      const line = byOrigin.get(origin)?.at(-1)
      if (line !== undefined) forget(line)
      return line
    },
    add(line) {
      all.add(line)
      byOrigin.set(line.origin, [...(byOrigin.get(line.origin) ?? []), line])
      const [oldest] = all
      if (all.size <= most || oldest === undefined) return undefined
      forget(oldest)
      return oldest
    },
    delete: forget,
    takeAll() {
      const taken = [...all]
      all.clear()
      byOrigin.clear()
      return taken
    },
  }
}
